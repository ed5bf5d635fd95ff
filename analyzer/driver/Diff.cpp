#include "analyzer/driver/Diff.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <optional>

using namespace llvm;
using namespace warplint;
using namespace warplint::driver;

bool LineSet::overlaps(unsigned First, unsigned Last) const {
  return whole || any_of(ranges, [&](const LineRange &R) { return R.first <= Last && First <= R.last; });
}

namespace {

/// A name as git writes it: in quotes, with C's escapes, where something in it is special. Takes it off the
/// front of `Text`; nothing when the quotes do not end.
std::optional<std::string> quotedName(StringRef &Text) {
  std::string Name;
  StringRef Rest = Text.drop_front();
  while (!Rest.empty()) {
    const char C = Rest.front();
    Rest = Rest.drop_front();
    if (C == '"') {
      Text = Rest;
      return Name;
    }
    if (C != '\\') {
      Name += C;
      continue;
    }
    const StringRef Octal = Rest.take_while([](char D) { return D >= '0' && D <= '7'; }).take_front(3);
    unsigned Code = 0;
    if (!Octal.empty() && !Octal.getAsInteger(8, Code)) {
      Name += char(Code);
      Rest = Rest.drop_front(Octal.size());
    } else if (!Rest.empty()) {
      constexpr StringLiteral Letters = "abtnvfr", Meanings = "\a\b\t\n\v\f\r";
      const size_t At = Letters.find(Rest.front());
      Name += At == StringRef::npos ? Rest.front() : Meanings[At];
      Rest = Rest.drop_front();
    }
  }
  return std::nullopt;
}

/// A name that has a line, or the rest of one, to itself.
std::string nameOf(StringRef Text) {
  if (Text.starts_with("\"")) {
    if (std::optional<std::string> Name = quotedName(Text))
      return *Name;
    return Text.str();
  }
  // After names with blanks git puts a tab, so that other tools see where they end.
  Text.consume_back("\t");
  return Text.str();
}

/// The name in "diff --git a/NAME b/NAME"; "" where the two differ: then other lines have it.
std::string nameInHeader(StringRef Names) {
  std::string Old, New;
  if (Names.starts_with("\"")) {
    std::optional<std::string> First = quotedName(Names);
    if (!First)
      return "";
    Old = std::move(*First);
    New = nameOf(Names.drop_front(Names.starts_with(" ")));
  } else if (const size_t Quote = Names.find(" \""); Quote != StringRef::npos && Names.ends_with("\"")) {
    Old = Names.take_front(Quote).str();
    New = nameOf(Names.drop_front(Quote + 1));
  } else {
    // Blanks may be in the name: both halves are alike but for the prefix.
    const size_t Half = Names.size() / 2;
    if (Names.size() % 2 == 0 || Names[Half] != ' ')
      return "";
    Old = Names.take_front(Half).str();
    New = Names.drop_front(Half + 1).str();
  }
  StringRef A(Old), B(New);
  return A.consume_front("a/") && B.consume_front("b/") && A == B ? B.str() : "";
}

struct Hunk {
  unsigned oldCount = 1, newStart = 0, newCount = 1;
};

/// "12,3", with 1 where there is no count.
bool readRange(StringRef Text, unsigned &Start, unsigned &Count) {
  const auto [First, Second] = Text.split(',');
  return !First.getAsInteger(10, Start) && (!Text.contains(',') || !Second.getAsInteger(10, Count));
}

/// "@@ -1,2 +3,4 @@ words"
std::optional<Hunk> hunkOf(StringRef Line) {
  Hunk H;
  unsigned OldStart = 0;
  if (!Line.consume_front("@@ -"))
    return std::nullopt;
  const auto [Old, Rest] = Line.split(" +");
  const size_t End = Rest.find(" @@");
  if (End == StringRef::npos || !readRange(Old, OldStart, H.oldCount) ||
      !readRange(Rest.take_front(End), H.newStart, H.newCount))
    return std::nullopt;
  return H;
}

class Parser {
public:
  Expected<ChangedLines> parse(StringRef Text) {
    while (!Text.empty()) {
      StringRef Line;
      std::tie(Line, Text) = Text.split('\n');
      ++Number;
      if (!read(Line))
        return createStringError("line " + utostr(Number) + " of git's diff is not understood: '" +
                                 Line.take_front(120) + "'");
    }
    if (Old || New)
      return createStringError("git's diff ends in the middle of a change");
    return std::move(Result);
  }

private:
  bool read(StringRef Line) {
    if (Line.starts_with("\\")) // "\ No newline at end of file", also after a hunk's last line
      return true;
    if (Old && Line.consume_front("-"))
      return --Old, true;
    if (New && Line.consume_front("+"))
      return --New, true;
    if (Old && New && (Line.empty() || Line.starts_with(" "))) // context, should there be some
      return --Old, --New, true;
    if (Old || New)
      return false;
    if (Line.consume_front("diff --git ")) {
      Name = nameInHeader(Line);
      return true;
    }
    if (Line.consume_front("rename to ") || Line.consume_front("copy to ")) {
      Name = nameOf(Line);
      return true;
    }
    if (Line.consume_front("+++ ")) {
      const std::string Full = nameOf(Line);
      StringRef Plain(Full);
      Name = Plain.consume_front("b/") ? Plain.str() : ""; // else /dev/null
      return true;
    }
    if (Line.starts_with("Binary files ") || Line.starts_with("GIT binary patch")) {
      if (!Name.empty() && !Line.ends_with(" and /dev/null differ"))
        Result[Name].whole = true;
      return true;
    }
    if (Line.starts_with("@@"))
      return hunk(Line);
    return true; // index, mode, similarity, unmerged
  }

  bool hunk(StringRef Line) {
    const std::optional<Hunk> H = hunkOf(Line);
    if (!H)
      return false;
    Old = H->oldCount;
    New = H->newCount;
    if (New && !Name.empty())
      Result[Name].ranges.push_back(
          {H->newStart, unsigned(std::min<uint64_t>(uint64_t(H->newStart) + New - 1, ~0u))});
    return true;
  }

  ChangedLines Result;
  std::string Name;
  unsigned Old = 0, New = 0; ///< lines that the hunk still has
  unsigned Number = 0;
};

} // namespace

Expected<ChangedLines> warplint::driver::parseDiff(StringRef Text) { return Parser().parse(Text); }
