//===-- Suppression.h - NOLINT comments -------------------------------*- C++ -*-===//
//
// NOLINT, NOLINTNEXTLINE and NOLINTBEGIN ... NOLINTEND with clang-tidy's meaning: alone they silence every
// rule, with a list in parentheses the rules that a glob of the list matches. Names may carry clang-tidy's
// prefix `warplint-`.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_DRIVER_SUPPRESSION_H
#define WARPLINT_ANALYZER_DRIVER_SUPPRESSION_H

#include "rules/Rules.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warplint::driver {

/// The NOLINT comments of one file, parsed once.
class Suppressions {
public:
  explicit Suppressions(std::string_view Text);

  /// A comment that silences something; of a pair the beginning.
  struct Comment {
    unsigned line = 0, column = 0;
    std::string text;               ///< "NOLINTNEXTLINE(global-*)"
    bool hasList = false;           ///< without, all rules are meant
    std::vector<std::string> globs; ///< of the list; "*" without

    bool matches(std::string_view Rule) const;
    /// Does the list name a rule for which `IsOn` holds? `*` names none.
    bool names(llvm::function_ref<bool(const rules::Rule &)> IsOn) const;
  };
  const std::vector<Comment> &comments() const { return Comments; }

  /// The comments, as indices, that silence a finding of `Rule` at this place. Lines and columns count from
  /// 1; the column matters only on the lines that open or close a block.
  std::vector<size_t> silencing(std::string_view Rule, unsigned Line, unsigned Column = 1) const;
  bool suppressed(std::string_view Rule, unsigned Line, unsigned Column = 1) const {
    return !silencing(Rule, Line, Column).empty();
  }

  /// A NOLINTBEGIN or NOLINTEND without its partner; the former has no effect.
  struct Error {
    unsigned line = 0, column = 0;
    std::string message;
  };
  const std::vector<Error> &errors() const { return Errors; }

private:
  struct Block {
    unsigned firstLine, firstColumn, lastLine, lastColumn;
    size_t comment;
  };
  std::vector<Comment> Comments;
  std::map<unsigned, std::vector<size_t>> Lines; ///< comments by the line that they silence
  std::vector<Block> Blocks;
  std::vector<Error> Errors;
};

} // namespace warplint::driver

#endif
