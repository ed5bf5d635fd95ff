#include "analyzer/driver/PtxasLog.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include <algorithm>
#include <set>
#include <tuple>

using namespace llvm;
using namespace warplint::driver;

namespace {

//===-- Names -----------------------------------------------------------------===//

/// nvcc gives an anonymous namespace names of its own making, one within another.
std::string withoutGeneratedNamespaces(StringRef Name) {
  std::string Result;
  while (!Name.empty()) {
    const StringRef Word = Name.take_while([](char C) { return isAlnum(C) || C == '_'; });
    const StringRef Rest = Name.drop_front(Word.size());
    if (Rest.starts_with("::") && (Word.starts_with("_GLOBAL__N_") || Word.starts_with("_INTERNAL_"))) {
      Name = Rest.drop_front(2);
      continue;
    }
    if (Name.consume_front("(anonymous namespace)::"))
      continue;
    const size_t Length = std::max<size_t>(Word.size(), 1);
    Result += Name.take_front(Length);
    Name = Name.drop_front(Length);
  }
  return Result;
}

/// "_Z6hiddenPf" of "__nv_static_3__ab__Z6hiddenPf": with relocatable device code, nvcc puts the length and
/// the name of the file's own prefix before what has internal linkage.
StringRef withoutStaticPrefix(StringRef Symbol) {
  StringRef Rest = Symbol;
  size_t Length = 0;
  if (!Rest.consume_front("__nv_static_") || Rest.consumeInteger(10, Length) || !Rest.consume_front("_") ||
      Rest.size() <= Length || Rest[Length] != '_')
    return Symbol;
  return Rest.drop_front(Length + 1);
}

/// "_ZL6hiddenPf" of "_ZL6hiddenPf__static__1f3c": so that the host can launch it, clang appends a hash of
/// the file to the name of a kernel with internal linkage.
StringRef withoutHashSuffix(StringRef Symbol) {
  for (StringRef Mark : {"__static__", "__intern__"})
    if (const size_t At = Symbol.rfind(Mark);
        At != StringRef::npos && all_of(Symbol.drop_front(At + Mark.size()), isHexDigit))
      return Symbol.take_front(At);
  return Symbol;
}

/// What nvcc's and clang's names of a kernel have in common.
std::string comparableName(StringRef Symbol) {
  return withoutGeneratedNamespaces(demangle(withoutHashSuffix(withoutStaticPrefix(Symbol))));
}

//===-- Lines -----------------------------------------------------------------===//

/// The number in front of `Unit`: 32 of "Used 32 registers" for " registers".
std::optional<uint64_t> numberBefore(StringRef Line, StringRef Unit) {
  const size_t At = Line.find(Unit);
  if (At == StringRef::npos)
    return std::nullopt;
  const StringRef Before = Line.take_front(At);
  const StringRef Digits = Before.take_back(Before.size() - (Before.find_last_not_of("0123456789") + 1));
  uint64_t Number = 0;
  if (Digits.getAsInteger(10, Number))
    return std::nullopt;
  return Number;
}

/// The text in the first quotes.
StringRef quoted(StringRef Text) { return Text.split('\'').second.split('\'').first; }

/// Follows the lines of a log. A kernel's lines stand together, unless several compilations wrote at the same
/// time: then nobody can tell which "Used" belongs to which.
class Reader {
public:
  std::vector<PtxasEntry> Done;
  unsigned MixedUp = 0;

  void line(StringRef Line) {
    if (const size_t At = Line.find("Compiling entry function '"); At != StringRef::npos)
      return begin(Line.drop_front(At));
    if (Open.empty())
      return;
    if (const auto Spilled = numberBefore(Line, " bytes spill stores"))
      Open.back().spillBytes = *Spilled + numberBefore(Line, " bytes spill loads").value_or(0);
    if (const size_t At = Line.find("Used "); At != StringRef::npos && Line.contains(" registers"))
      end(Line.drop_front(At));
  }

  void finish() { MixedUp += unsigned(Open.size()); }

private:
  std::vector<PtxasEntry> Open;
  size_t Ended = 0; ///< of the open ones

  void begin(StringRef Text) {
    PtxasEntry Entry;
    Entry.symbol = quoted(Text).str();
    const auto [Name, Rest] = Text.split("' for ");
    Entry.arch = quoted(Rest).str();
    if (!Entry.symbol.empty())
      Open.push_back(std::move(Entry));
  }

  void end(StringRef Text) {
    const auto Registers = numberBefore(Text, " registers");
    if (Open.size() == 1 && Registers) {
      PtxasEntry Entry = std::move(Open.front());
      Entry.registers = unsigned(*Registers);
      Entry.barriers = unsigned(numberBefore(Text, " barriers").value_or(0));
      Entry.sharedBytes = sharedBytes(Text);
      Done.push_back(std::move(Entry));
      Open.clear();
    } else if (++Ended >= Open.size()) {
      MixedUp += unsigned(Open.size());
      Open.clear();
    }
    if (Open.empty())
      Ended = 0;
  }

  /// Toolkits up to CUDA 6 give "8192+16 bytes smem"; the second part is the system's own.
  static uint64_t sharedBytes(StringRef Text) {
    SmallVector<StringRef, 8> Parts;
    Text.split(Parts, ',');
    for (StringRef Part : Parts) {
      uint64_t Bytes = 0;
      if (Part = Part.trim();
          Part.consume_back(" bytes smem") && !Part.split('+').first.getAsInteger(10, Bytes))
        return Bytes;
    }
    return 0;
  }
};

/// 80 of "sm_80" and "sm_80a".
unsigned numberOf(StringRef Arch) {
  unsigned Number = 0;
  Arch.consume_front("sm_");
  Arch.consumeInteger(10, Number);
  return Number;
}

} // namespace

Expected<PtxasLog> PtxasLog::parse(StringRef Text) {
  Reader R;
  while (!Text.empty()) {
    const auto [Line, Rest] = Text.split('\n');
    R.line(Line.rtrim('\r'));
    Text = Rest;
  }
  R.finish();
  if (R.Done.empty())
    return createStringError(
        R.MixedUp
            ? "the lines of several compilations are mixed up, so that no kernel's registers can be told; "
              "write one log for each, or build with one job"
            : "no kernel's registers are in it; write it with: nvcc -Xptxas -v ... 2> FILE");
  PtxasLog Log;
  Log.MixedUp = R.MixedUp;
  for (PtxasEntry &Entry : R.Done)
    Log.Entries[comparableName(Entry.symbol)].push_back(std::move(Entry));
  return Log;
}

std::optional<PtxasLog::Match> PtxasLog::find(StringRef Symbol, StringRef Arch) const {
  const auto At = Entries.find(comparableName(Symbol));
  if (At == Entries.end())
    return std::nullopt;
  const unsigned Wanted = numberOf(Arch);
  // Code for an older architecture runs on a newer one: the nearest below, else the nearest above.
  const auto Distance = [&](const PtxasEntry &E) {
    const unsigned Sm = numberOf(E.arch);
    return std::tuple(E.arch != Arch, Sm > Wanted, Sm > Wanted ? Sm - Wanted : Wanted - Sm);
  };
  Match Found;
  const PtxasEntry *Best = nullptr;
  for (const PtxasEntry &E : At->second) {
    if (Best && Distance(E) > Distance(*Best))
      continue;
    const bool Same = Best && Distance(E) == Distance(*Best);
    Found.severalMatch = Same && (Found.severalMatch || E.registers != Best->registers);
    if (!Same || E.registers > Best->registers)
      Best = &E;
  }
  Found.entry = *Best;
  Found.otherArch = Best->arch != Arch;
  return Found;
}

std::vector<std::string> PtxasLog::namesWithout(const std::vector<std::string> &Symbols) const {
  std::set<std::string> Met;
  for (const std::string &Symbol : Symbols)
    Met.insert(comparableName(Symbol));
  std::vector<std::string> Names;
  for (const auto &[Name, Of] : Entries)
    if (!Met.contains(Name))
      Names.push_back(Name);
  return Names;
}
