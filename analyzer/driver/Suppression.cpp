#include "analyzer/driver/Suppression.h"
#include "rules/Glob.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <tuple>

namespace warplint::driver {

static std::vector<std::string> parseGlobs(llvm::StringRef List) {
  std::vector<std::string> Globs;
  while (!List.empty()) {
    const auto [Item, Rest] = List.split(',');
    List = Rest;
    // clang-tidy ignores negative globs here: a comment can only take away.
    if (const llvm::StringRef Glob = Item.trim(); !Glob.empty() && !Glob.starts_with("-"))
      Globs.push_back(Glob.str());
  }
  return Globs;
}

static bool anyMatches(const std::vector<std::string> &Globs, llvm::StringRef Rule) {
  return std::any_of(Globs.begin(), Globs.end(),
                     [&](const std::string &Glob) { return rules::matchesRule(Glob, Rule); });
}

Suppressions::Suppressions(std::string_view Source) {
  const llvm::StringRef Text(Source.data(), Source.size()), Word = "NOLINT";
  struct Begin {
    unsigned line, column;
    llvm::StringRef list; ///< as written: BEGIN and END must agree in it
  };
  std::vector<Begin> Open;
  unsigned Line = 1;
  size_t LineStart = 0, Counted = 0;

  for (size_t At = Text.find(Word); At != llvm::StringRef::npos;) {
    for (; Counted < At; ++Counted) {
      if (Text[Counted] == '\n') {
        ++Line;
        LineStart = Counted + 1;
      }
    }
    const unsigned Column = unsigned(At - LineStart) + 1;
    size_t End = At + Word.size();
    while (End < Text.size() && llvm::isAlpha(Text[End]))
      ++End;
    const llvm::StringRef Kind = Text.slice(At + Word.size(), End);

    // Without parentheses every rule is meant; empty parentheses mean none.
    llvm::StringRef List = "*";
    if (End < Text.size() && Text[End] == '(') {
      const size_t Close = Text.find_first_of("\n)", End);
      if (Close != llvm::StringRef::npos && Text[Close] == ')') {
        List = Text.slice(End + 1, Close).trim();
        End = Close + 1;
      }
    }

    if (Kind.empty()) {
      Lines[Line].push_back(parseGlobs(List));
    } else if (Kind == "NEXTLINE") {
      Lines[Line + 1].push_back(parseGlobs(List));
    } else if (Kind == "BEGIN") {
      Open.push_back({Line, Column, List});
    } else if (Kind == "END") {
      if (!Open.empty() && Open.back().list == List) {
        Blocks.push_back({Open.back().line, Open.back().column, Line, Column, parseGlobs(List)});
        Open.pop_back();
      } else {
        Errors.push_back(
            {Line, Column, "unmatched 'NOLINTEND' comment without a previous 'NOLINTBEGIN' comment"});
      }
    }
    At = Text.find(Word, End);
  }
  for (const Begin &B : Open)
    Errors.push_back(
        {B.line, B.column, "unmatched 'NOLINTBEGIN' comment without a subsequent 'NOLINTEND' comment"});
  std::sort(Errors.begin(), Errors.end(), [](const Error &A, const Error &B) {
    return std::tie(A.line, A.column) < std::tie(B.line, B.column);
  });
}

bool Suppressions::suppressed(std::string_view Rule, unsigned Line, unsigned Column) const {
  const llvm::StringRef Name(Rule.data(), Rule.size());
  if (const auto At = Lines.find(Line); At != Lines.end())
    for (const Globs &G : At->second)
      if (anyMatches(G, Name))
        return true;
  const std::pair Position(Line, Column);
  return std::any_of(Blocks.begin(), Blocks.end(), [&](const Block &B) {
    return std::pair(B.firstLine, B.firstColumn) < Position &&
           Position < std::pair(B.lastLine, B.lastColumn) && anyMatches(B.globs, Name);
  });
}

} // namespace warplint::driver
