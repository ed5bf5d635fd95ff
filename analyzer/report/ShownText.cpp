#include "analyzer/report/ShownText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Unicode.h"

using llvm::StringRef;

namespace warplint::report {

Character firstCharacter(StringRef Text) {
  const auto First = static_cast<unsigned char>(Text[0]);
  if (First >= 0x20 && First < 0x7f)
    return {std::string(1, Text[0]), 1, 1};

  const auto *Begin = reinterpret_cast<const llvm::UTF8 *>(Text.data());
  const size_t Bytes = llvm::getNumBytesForUTF8(First);
  std::string Escape;
  if (Bytes > Text.size() || !llvm::isLegalUTF8Sequence(Begin, Begin + Bytes)) {
    Escape = "<" + llvm::utohexstr(First, /*LowerCase=*/false, /*Width=*/2) + ">";
    return {Escape, unsigned(Escape.size()), 1};
  }
  llvm::UTF32 CodePoint = 0;
  const llvm::UTF8 *Source = Begin;
  llvm::convertUTF8Sequence(&Source, Begin + Bytes, &CodePoint, llvm::strictConversion);
  const int Columns = llvm::sys::unicode::columnWidthUTF8(Text.take_front(Bytes));
  if (Columns >= 0 && !llvm::sys::unicode::isFormatting(int(CodePoint)))
    return {Text.take_front(Bytes).str(), unsigned(Columns), Bytes};
  Escape = "<U+" + llvm::utohexstr(CodePoint, /*LowerCase=*/false, /*Width=*/4) + ">";
  return {Escape, unsigned(Escape.size()), Bytes};
}

std::string words(StringRef Text) {
  std::string Shown;
  while (!Text.empty()) {
    const StringRef Blanks = Text.take_while([](char C) { return C == ' ' || (C >= '\t' && C <= '\r'); });
    if (Blanks.find_first_not_of(' ') != StringRef::npos) {
      Shown += ' ';
      Text = Text.drop_front(Blanks.size());
      continue;
    }
    Shown += Blanks;
    Text = Text.drop_front(Blanks.size());
    if (Text.empty())
      break;
    const Character C = firstCharacter(Text);
    Shown += C.Shown;
    Text = Text.drop_front(C.Bytes);
  }
  return Shown;
}

std::string escaped(StringRef Text) {
  std::string Shown;
  while (!Text.empty()) {
    const Character C = firstCharacter(Text);
    Shown += C.Shown;
    Text = Text.drop_front(C.Bytes);
  }
  return Shown;
}

} // namespace warplint::report
