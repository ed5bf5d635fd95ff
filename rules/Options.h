//===-- Options.h - What users may set of a rule ---------------------*- C++ -*-===//
//
// Each rule has a table of its options, and its page says what they mean. All are whole numbers or yes and
// no; `Severity`, which every rule has, is a word. The configuration names them
// "global-stride.MinExcessSectors".
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_RULES_OPTIONS_H
#define WARPLINT_RULES_OPTIONS_H

#include "analyzer/result/Result.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warplint::rules {

struct Rule;

struct OptionInfo {
  const char *name;
  int64_t preset;
  int64_t least, most; ///< what may be set
  bool isFlag = false; ///< true or false: 1 or 0
};

/// The options of one rule, as set.
class Values {
public:
  explicit Values(llvm::ArrayRef<OptionInfo> Known) : Known(Known) {}

  /// An option of the rule's own table; others do not exist.
  int64_t operator[](llvm::StringRef Name) const;

  std::optional<result::Severity> severity; ///< of the rule's findings; otherwise their impact decides

private:
  friend class Options;
  llvm::ArrayRef<OptionInfo> Known;
  std::map<std::string, int64_t, std::less<>> Set;
};

/// The options of all rules.
class Options {
public:
  Options(); ///< as the pages say

  /// "global-stride.MinExcessSectors", "8". The error says what is wrong and what would be right.
  llvm::Error set(llvm::StringRef Key, llvm::StringRef Value);
  const Values &of(const Rule &) const;
  /// Every option of every rule with its value, e.g. "global-stride.Severity", "default".
  std::vector<std::pair<std::string, std::string>> list() const;

private:
  std::vector<Values> ByRule; ///< as all() has them
};

/// The known name nearest to a misspelt one; "" when none is near.
llvm::StringRef nearest(llvm::StringRef Name, llvm::ArrayRef<llvm::StringRef> Known);

} // namespace warplint::rules

#endif
