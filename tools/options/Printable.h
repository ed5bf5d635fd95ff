//===-- Printable.h - Text that is safe on a terminal --------------------------------*- C++ -*-===//
#ifndef WARPLINT_TOOLS_OPTIONS_PRINTABLE_H
#define WARPLINT_TOOLS_OPTIONS_PRINTABLE_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include <string>

namespace warplint::options {

/// Names and options may hold anything; nothing of them reaches the terminal as a control sequence.
inline std::string printable(const llvm::Twine &Message) {
  const std::string Text = Message.str();
  std::string Shown;
  for (size_t I = 0; I < Text.size(); ++I) {
    const unsigned char C = Text[I], Next = I + 1 < Text.size() ? Text[I + 1] : 0;
    if (C < 0x20 || C == 0x7f)
      Shown += "<U+" + llvm::utohexstr(C, /*LowerCase=*/false, /*Width=*/4) + ">";
    else if (C == 0xc2 && Next >= 0x80 && Next < 0xa0) // the control characters above ASCII
      Shown += "<U+" + llvm::utohexstr(Next, /*LowerCase=*/false, /*Width=*/4) + ">", ++I;
    else
      Shown += char(C);
  }
  return Shown;
}

} // namespace warplint::options

#endif
