#include "analyzer/report/SourceText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/ConvertUTF.h"
#include <algorithm>
#include <array>

using namespace warplint;
using namespace warplint::report;
using llvm::StringRef;

//===-- Lines and columns ------------------------------------------------------===//

SourceText::SourceText(std::string Source) : Text(std::move(Source)) {
  LineStarts.push_back(0);
  for (size_t I = 0; I < Text.size(); ++I) {
    if (Text[I] == '\r' && I + 1 < Text.size() && Text[I + 1] == '\n')
      ++I;
    else if (Text[I] != '\n' && Text[I] != '\r')
      continue;
    LineStarts.push_back(I + 1);
  }
}

StringRef SourceText::line(unsigned Number) const {
  if (Number == 0 || Number > LineStarts.size())
    return {};
  const size_t End = Number < LineStarts.size() ? LineStarts[Number] : Text.size();
  return StringRef(Text).slice(LineStarts[Number - 1], End);
}

static constexpr StringRef ByteOrderMark = "\xef\xbb\xbf";

unsigned SourceText::utf16Column(unsigned Line, unsigned ByteColumn) const {
  StringRef Before = line(Line).take_front(ByteColumn ? ByteColumn - 1 : 0);
  if (Line == 1)
    Before.consume_front(ByteOrderMark);
  unsigned Column = 1;
  while (!Before.empty()) {
    const auto *Begin = reinterpret_cast<const llvm::UTF8 *>(Before.data());
    size_t Bytes = llvm::getNumBytesForUTF8(*Begin);
    if (Bytes > Before.size() || !llvm::isLegalUTF8Sequence(Begin, Begin + Bytes))
      Bytes = 1;
    Column += Bytes == 4 ? 2 : 1; // a surrogate pair
    Before = Before.drop_front(Bytes);
  }
  return Column;
}

std::optional<SourceText::Position> SourceText::position(size_t Offset) const {
  if (Offset > Text.size())
    return std::nullopt;
  const auto Next = std::upper_bound(LineStarts.begin(), LineStarts.end(), Offset);
  const auto Line = unsigned(Next - LineStarts.begin());
  return Position{Line, utf16Column(Line, unsigned(Offset - LineStarts[Line - 1]) + 1)};
}

const SourceText *SourceTexts::find(const std::string &File) {
  auto [It, New] = Files.try_emplace(File);
  if (New && Read)
    if (std::optional<std::string> Text = Read(File))
      It->second.emplace(std::move(*Text));
  return It->second ? &*It->second : nullptr;
}

//===-- GitHub's hashes of lines --------------------------------------------------===//

namespace {

constexpr unsigned BlockSize = 100;
constexpr uint64_t Base = 37;

/// The hash of a window of characters that moves over a text: as in src/fingerprints.ts of codeql-action,
/// whose arithmetic is that of 64-bit integers.
class RollingHash {
public:
  void put(char16_t Unit) {
    if (Unit == ' ' || Unit == '\t' || (AfterCR && Unit == '\n')) {
      AfterCR = false;
      return;
    }
    AfterCR = Unit == '\r';
    if (AfterCR)
      Unit = '\n';
    output();
    if (AtLineStart) {
      AtLineStart = false;
      Lines[Index] = ++Line;
    }
    AtLineStart = Unit == '\n';
    update(Unit);
  }

  std::vector<std::string> finish() {
    put(0xffff); // stands for the end
    for (unsigned I = 0; I < BlockSize; ++I) {
      output();
      update(0);
    }
    return std::move(Hashes);
  }

private:
  /// The window is full of what follows the start of a line: its hash.
  void output() {
    if (!Lines[Index])
      return;
    const std::string Value = llvm::utohexstr(Hash, /*LowerCase=*/true);
    Hashes.resize(std::max<size_t>(Hashes.size(), Lines[Index]));
    Hashes[Lines[Index] - 1] = Value + ":" + std::to_string(++Seen[Value]);
    Lines[Index] = 0;
  }
  void update(uint64_t Unit) {
    Hash = Base * Hash + Unit - Highest * Window[Index];
    Window[Index] = Unit;
    Index = (Index + 1) % BlockSize;
  }
  static uint64_t power(uint64_t Of, unsigned Exponent) {
    uint64_t Result = 1;
    while (Exponent--)
      Result *= Of;
    return Result;
  }

  const uint64_t Highest = power(Base, BlockSize);
  std::array<uint64_t, BlockSize> Window{};
  std::array<unsigned, BlockSize> Lines{}; ///< the line that starts at the window's character; 0: none
  uint64_t Hash = 0;
  unsigned Index = 0, Line = 0;
  bool AtLineStart = true, AfterCR = false;
  llvm::StringMap<unsigned> Seen;
  std::vector<std::string> Hashes;
};

} // namespace

std::vector<std::string> warplint::report::lineHashes(StringRef Text) {
  // What is no UTF-8 is replaced, as JavaScript does when it reads the file.
  std::vector<llvm::UTF32> CodePoints(Text.size());
  const auto *Source = reinterpret_cast<const llvm::UTF8 *>(Text.begin());
  llvm::UTF32 *Target = CodePoints.data();
  llvm::ConvertUTF8toUTF32(&Source, reinterpret_cast<const llvm::UTF8 *>(Text.end()), &Target,
                           Target + CodePoints.size(), llvm::lenientConversion);
  RollingHash Hash;
  for (const llvm::UTF32 *At = CodePoints.data(); At != Target; ++At) {
    if (*At < 0x10000) {
      Hash.put(char16_t(*At));
    } else {
      Hash.put(char16_t(0xd800 + ((*At - 0x10000) >> 10)));
      Hash.put(char16_t(0xdc00 + ((*At - 0x10000) & 0x3ff)));
    }
  }
  return Hash.finish();
}
