//===-- Rules.h - The table of rules --------------------------------*- C++ -*-===//
//
// A rule reads one analysed kernel and says what is wasteful in it. Detection returns data, wording and fixes
// are separate steps. One rule, one file; the leading comment of that file is the rule's user page.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_RULES_RULES_H
#define WARPLINT_RULES_RULES_H

#include "analyzer/result/Result.h"
#include "rules/Options.h"
#include "llvm/ADT/STLFunctionalExtras.h"
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
  std::optional<result::Finding> (*access)(const result::Kernel &, const result::Access &, const Values &);
  /// What the rule says of a kernel as a whole; null for a rule about accesses.
  std::optional<result::Finding> (*kernel)(const result::Kernel &, const Values &);
  llvm::ArrayRef<OptionInfo> options = {}; ///< beside Severity, which every rule has
  /// Of its findings, before impact lowers it.
  result::Severity severity = result::Severity::Warning;
  /// What it says rests on contracts in the source, and comes from checkContracts(); both functions are null.
  bool readsContracts = false;

  /// Appends the kernel's findings of this rule, by its presets. Findings come without fingerprint and unmerged.
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

/// What is to be said of a kernel, and how loudly.
struct Settings {
  Selection selected{""};
  Options options;
  Selection errors{"-*"}; ///< whose warnings are errors
};

/// Runs the selected rules over all kernels, keeps at most one global geometry finding per access, merges
/// findings per rule, place and expression over instances and launches (the worst is named), sorts by file,
/// line, column, and fills fingerprints.
std::vector<result::Finding> run(const std::vector<result::Kernel> &,
                                 llvm::function_ref<const Settings &(const result::Kernel &)>);
/// The same with all options at their presets.
std::vector<result::Finding> run(const std::vector<result::Kernel> &, const Selection &);

/// The two halves of `run`, for kernels that are analysed apart: what the rules say of each kernel, in the order
/// of the kernels; and the findings, each with the index of the candidate that it is named by.
std::vector<result::Candidate> candidates(const std::vector<result::Kernel> &,
                                          llvm::function_ref<const Settings &(const result::Kernel &)>);
struct Merged {
  result::Finding finding;
  size_t candidate;
};
std::vector<Merged> merge(const std::vector<result::Kernel> &, const std::vector<result::Candidate> &);

} // namespace warplint::rules

#endif
