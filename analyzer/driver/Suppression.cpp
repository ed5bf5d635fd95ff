#include "analyzer/driver/Suppression.h"
#include "rules/Glob.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <tuple>

namespace warplint::driver {

using llvm::StringRef;

namespace {

/// A comment as it is written.
struct Token {
  unsigned line, column;
  StringRef text, kind;                        ///< kind: "", "NEXTLINE", "BEGIN" or "END"
  std::optional<std::vector<StringRef>> items; ///< of the list, trimmed
};

/// Finds the comments as clang-tidy does: anywhere in the text, in strings too.
class Scanner {
public:
  explicit Scanner(StringRef Text) : Text(Text) {}

  std::optional<Token> next() {
    while ((At = Text.find("NOLINT", At)) != StringRef::npos) {
      const size_t Start = At;
      At += strlen("NOLINT");
      while (At < Text.size() && llvm::isAlpha(Text[At]))
        ++At;
      Token T;
      T.kind = Text.slice(Start + strlen("NOLINT"), At);
      if (T.kind != "" && T.kind != "NEXTLINE" && T.kind != "BEGIN" && T.kind != "END")
        continue;
      // Without parentheses, or with one that the line does not close, every rule is meant.
      if (At < Text.size() && Text[At] == '(') {
        const size_t Close = Text.find_first_of("\n)", At);
        if (Close != StringRef::npos && Text[Close] == ')') {
          llvm::SmallVector<StringRef, 4> Items;
          Text.slice(At + 1, Close).split(Items, ',');
          T.items.emplace();
          for (StringRef Item : Items)
            T.items->push_back(Item.trim());
          At = Close + 1;
        }
      }
      T.text = Text.slice(Start, At);
      place(T, Start);
      return T;
    }
    return std::nullopt;
  }

private:
  void place(Token &T, size_t Start) {
    for (; Counted < Start; ++Counted)
      if (Text[Counted] == '\n') {
        ++Line;
        LineStart = Counted + 1;
      }
    T.line = Line;
    T.column = unsigned(Start - LineStart) + 1;
  }

  const StringRef Text;
  size_t At = 0, Counted = 0, LineStart = 0;
  unsigned Line = 1;
};

std::vector<std::string> globsOf(const Token &T) {
  if (!T.items)
    return {"*"};
  std::vector<std::string> Globs;
  // clang-tidy ignores negative globs here: a comment can only take away.
  for (StringRef Item : *T.items)
    if (!Item.empty() && !Item.starts_with("-"))
      Globs.push_back(Item.str());
  return Globs;
}

} // namespace

bool Suppressions::Comment::matches(std::string_view Rule) const {
  return llvm::any_of(globs, [&](const std::string &Glob) { return rules::matchesRule(Glob, Rule); });
}

bool Suppressions::Comment::names(llvm::function_ref<bool(const rules::Rule &)> IsOn) const {
  return hasList && llvm::any_of(globs, [&](const std::string &Glob) {
           return StringRef(Glob).find_first_not_of('*') != StringRef::npos &&
                  llvm::any_of(rules::all(), [&](const rules::Rule &R) {
                    return rules::matchesRule(Glob, R.name) && IsOn(R);
                  });
         });
}

Suppressions::Suppressions(std::string_view Source) {
  std::vector<Token> Open;
  Scanner Tokens(Source);
  const auto Add = [&](const Token &T) {
    Comments.push_back({T.line, T.column, T.text.str(), T.items.has_value(), globsOf(T)});
    return Comments.size() - 1;
  };
  while (const std::optional<Token> T = Tokens.next()) {
    if (T->kind == "BEGIN") {
      Open.push_back(*T);
    } else if (T->kind != "END") {
      Lines[T->kind.empty() ? T->line : T->line + 1].push_back(Add(*T));
    } else if (!Open.empty() && Open.back().items == T->items) {
      const Token &First = Open.back();
      Blocks.push_back({First.line, First.column, T->line, T->column, Add(First)});
      Open.pop_back();
    } else {
      Errors.push_back(
          {T->line, T->column, "unmatched 'NOLINTEND' comment without a previous 'NOLINTBEGIN' comment"});
    }
  }
  for (const Token &T : Open)
    Errors.push_back(
        {T.line, T.column, "unmatched 'NOLINTBEGIN' comment without a subsequent 'NOLINTEND' comment"});
  std::sort(Errors.begin(), Errors.end(), [](const Error &A, const Error &B) {
    return std::tie(A.line, A.column) < std::tie(B.line, B.column);
  });
}

std::vector<size_t> Suppressions::silencing(std::string_view Rule, unsigned Line, unsigned Column) const {
  std::vector<size_t> Result;
  if (const auto At = Lines.find(Line); At != Lines.end())
    for (size_t I : At->second)
      if (Comments[I].matches(Rule))
        Result.push_back(I);
  const std::pair Position(Line, Column);
  for (const Block &B : Blocks)
    if (std::pair(B.firstLine, B.firstColumn) < Position && Position < std::pair(B.lastLine, B.lastColumn) &&
        Comments[B.comment].matches(Rule))
      Result.push_back(B.comment);
  return Result;
}

} // namespace warplint::driver
