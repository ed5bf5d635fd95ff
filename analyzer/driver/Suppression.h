//===-- Suppression.h - NOLINT comments -------------------------------*- C++ -*-===//
//
// NOLINT, NOLINTNEXTLINE and NOLINTBEGIN ... NOLINTEND with clang-tidy's meaning: alone they silence every
// rule, with a list in parentheses the rules that a glob of the list matches. Names may carry clang-tidy's
// prefix `warplint-`.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_DRIVER_SUPPRESSION_H
#define WARPLINT_ANALYZER_DRIVER_SUPPRESSION_H

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warplint::driver {

/// The NOLINT comments of one file, parsed once.
class Suppressions {
public:
  explicit Suppressions(std::string_view Text);

  /// Is a finding of `Rule` at this place silenced? Lines and columns count from 1; the column matters only
  /// on the lines that open or close a block.
  bool suppressed(std::string_view Rule, unsigned Line, unsigned Column = 1) const;

  /// A NOLINTBEGIN or NOLINTEND without its partner; the former has no effect.
  struct Error {
    unsigned line = 0, column = 0;
    std::string message;
  };
  const std::vector<Error> &errors() const { return Errors; }

private:
  using Globs = std::vector<std::string>;
  struct Block {
    unsigned firstLine, firstColumn, lastLine, lastColumn;
    Globs globs;
  };
  std::map<unsigned, std::vector<Globs>> Lines; ///< by the line that is silenced
  std::vector<Block> Blocks;
  std::vector<Error> Errors;
};

} // namespace warplint::driver

#endif
