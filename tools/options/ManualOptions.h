//===-- ManualOptions.h - The options of a tool, for its manual page ----------------*- C++ -*-===//
//
// What --help shows, as it is declared: a manual page that is made of it has nothing to be kept in step.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_TOOLS_OPTIONS_MANUALOPTIONS_H
#define WARPLINT_TOOLS_OPTIONS_MANUALOPTIONS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace warplint::options {

/// An option as users see it.
struct Shown {
  std::string name, help, value;
  std::string group;
  std::vector<std::string> choices; ///< of its value, where they are known

  bool takesValue() const { return !value.empty(); }
  std::string dashed() const { return (name.size() == 1 ? "-" : "--") + name; }
  bool wantsFolder() const { return value == "DIR"; }
  bool wantsFile() const { return llvm::StringRef(value).starts_with("FILE"); }
};

/// The values of an option by its name; none where they are not a fixed list.
using ChoicesOf = llvm::function_ref<std::vector<std::string>(llvm::StringRef)>;

/// By name.
std::vector<Shown> shownOptions(ChoicesOf);

/// With --manual-options, which is hidden: writes the options as a manual page has them. Returns whether that
/// was asked for.
bool writeManualOptions(llvm::raw_ostream &, ChoicesOf);

} // namespace warplint::options

#endif
