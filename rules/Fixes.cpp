#include "rules/Fixes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>

namespace warplint::rules {

using namespace result;

/// A plain decimal literal, with its suffix ("u", "UL") in `Suffix`.
static bool isDecimal(llvm::StringRef Text, uint64_t &Value, llvm::StringRef &Suffix) {
  const llvm::StringRef Digits = Text.take_while([](char C) { return llvm::isDigit(C); });
  Suffix = Text.drop_front(Digits.size());
  // A leading zero makes it octal (or hexadecimal): leave that spelling alone.
  if (Digits.empty() || (Digits.size() > 1 && Digits.front() == '0') || Digits.getAsInteger(10, Value))
    return false;
  return Suffix.find_first_not_of("uUlLzZ") == llvm::StringRef::npos;
}

/// The last top-level `+` of a sum, where everything else at the top level binds at least as tightly.
static size_t lastPlus(llvm::StringRef Text) {
  int Depth = 0;
  size_t Plus = llvm::StringRef::npos;
  for (size_t I = 0; I != Text.size(); ++I) {
    const char C = Text[I];
    Depth += (C == '(' || C == '[' || C == '{') - (C == ')' || C == ']' || C == '}');
    if (Depth == 0 && C == '+')
      Plus = I;
  }
  return Plus;
}

/// Does an operator at the top level bind more loosely than `+`?
static bool bindsLoosely(llvm::StringRef Text) {
  int Depth = 0;
  for (size_t I = 0; I != Text.size(); ++I) {
    const char C = Text[I];
    Depth += (C == '(' || C == '[' || C == '{') - (C == ')' || C == ']' || C == '}');
    if (Depth == 0 && llvm::StringRef("<>&|^?:=!,").contains(C)) {
      if (Text.substr(I).starts_with("::")) {
        ++I;
        continue;
      }
      return true; // template argument lists get parentheses too: harmless
    }
  }
  return false;
}

std::string enlarged(const std::string &Extent, unsigned Pad) {
  const llvm::StringRef Text = llvm::StringRef(Extent).trim();
  uint64_t Value;
  llvm::StringRef Suffix;
  if (isDecimal(Text, Value, Suffix))
    return std::to_string(Value + Pad) + Suffix.str();
  if (bindsLoosely(Text))
    return "(" + Text.str() + ") + " + std::to_string(Pad);
  if (const size_t Plus = lastPlus(Text); Plus != llvm::StringRef::npos) {
    const llvm::StringRef Tail = Text.drop_front(Plus + 1);
    if (isDecimal(Tail.trim(), Value, Suffix))
      return (Text.take_front(Plus + 1) + Tail.take_while([](char C) { return C == ' '; })).str() +
             std::to_string(Value + Pad) + Suffix.str();
  }
  return Text.str() + " + " + std::to_string(Pad);
}

std::string extentsText(const std::vector<uint64_t> &Extents) {
  std::string Text;
  for (uint64_t E : Extents)
    Text += "[" + std::to_string(E) + "]";
  return Text;
}

std::optional<Fix> padRows(const TileInfo &Tile, unsigned Pad) {
  if (!Tile.innermostExtent || !Tile.innermostExtent->valid() || Tile.innermostText.empty())
    return std::nullopt;
  std::vector<uint64_t> Padded = Tile.extents;
  Padded.back() += Pad;
  Fix F;
  F.title =
      "pad the rows of '" + Tile.name + "': " + extentsText(Tile.extents) + " -> " + extentsText(Padded);
  // Padding moves every element of later rows: code that walks the tile as one flat array would notice.
  F.safety = Tile.usedFlat ? FixSafety::Unsafe : FixSafety::Safe;
  F.edits.push_back({Tile.innermostExtent->file, Tile.innermostOffset, unsigned(Tile.innermostText.size()),
                     enlarged(Tile.innermostText, Pad)});
  return F;
}

} // namespace warplint::rules
