//===-- Rules.h - The table of rules --------------------------------*- C++ -*-===//
//
// A rule reads one analysed kernel and says what is wasteful in it. Detection returns data, wording and fixes
// are separate steps. One rule, one file; the leading comment of that file is the rule's user page.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_RULES_RULES_H
#define WARPLINT_RULES_RULES_H

#include "analyzer/result/Result.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warplint::rules {

struct Rule {
  const char *name;    ///< "global-stride"
  const char *summary; ///< one sentence, for --list-checks, SARIF and the README
  bool onByDefault;
  /// Is the rule about the geometry of global accesses? Of those, an access gets the first in the table that
  /// holds.
  bool globalGeometry;
  /// What the rule says of one access; null for a rule about the kernel as a whole.
  std::optional<result::Finding> (*access)(const result::Kernel &, const result::Access &);
  /// What the rule says of a kernel as a whole; null for a rule about accesses.
  std::optional<result::Finding> (*kernel)(const result::Kernel &);
  /// What it says rests on contracts in the source, and comes from checkContracts(); both functions are null.
  bool readsContracts = false;

  /// Appends the kernel's findings of this rule. Findings come without fingerprint and unmerged.
  void detect(const result::Kernel &, std::vector<result::Finding> &) const;
};

/// Every rule, in the order in which `--list-checks` shows them.
const std::vector<Rule> &all();
const Rule *find(std::string_view Name);
/// The rule's user page (Markdown), taken from its file's leading comment.
std::string_view explanation(const Rule &);

/// The tokens of an expression, whatever blanks and comments stand between them.
std::string withoutLayout(llvm::StringRef Expression);

/// Which rules run: clang-tidy's syntax, a comma-separated list of globs, `-` takes away; applied after the
/// defaults, left to right. Names that match no rule are returned in `Unmatched`.
class Selection {
public:
  explicit Selection(std::string_view Globs, std::vector<std::string> *Unmatched = nullptr);
  bool contains(const Rule &) const;

private:
  std::vector<bool> On;
};

/// Runs the selected rules over all kernels, keeps at most one global geometry finding per access, merges
/// findings per rule, place and expression over instances and launches (the worst is named), sorts by file,
/// line, column, and fills fingerprints.
std::vector<result::Finding> run(const std::vector<result::Kernel> &, const Selection &);

} // namespace warplint::rules

#endif
