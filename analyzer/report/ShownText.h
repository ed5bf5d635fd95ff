//===-- ShownText.h - Text that is safe on a terminal -------------*- C++ -*-===//
//
// Source text, file names and messages may hold anything; what of them is printed neither steers a terminal
// nor hides in it.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_REPORT_SHOWNTEXT_H
#define WARPLINT_ANALYZER_REPORT_SHOWNTEXT_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace warplint::report {

/// One character, as it is shown.
struct Character {
  std::string Shown;
  unsigned Columns; ///< on a terminal
  size_t Bytes;     ///< of the source
};

/// The character at the start of `Text`, which is not empty. What is not printable, or steers the direction
/// of writing, comes as <U+001B>; a byte that is no UTF-8 as <FF>.
Character firstCharacter(llvm::StringRef Text);

/// Words on one line: a line break or tab, with the blanks around it, is one blank.
std::string words(llvm::StringRef Text);

/// Every character is shown as itself or as an escape: for file names, where blanks matter.
std::string escaped(llvm::StringRef Text);

} // namespace warplint::report

#endif
