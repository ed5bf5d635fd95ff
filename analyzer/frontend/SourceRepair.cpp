//===-- SourceRepair.cpp - Text that nvcc reads and Clang does not ----===//
#include "analyzer/frontend/SourceRepair.h"
#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace warplint::frontend {

namespace {

/// A percent sign that stands alone before a name.
bool isBarePercent(llvm::StringRef Text, size_t At) {
  return Text[At] == '%' && At + 1 < Text.size() && (llvm::isAlpha(Text[At + 1]) || Text[At + 1] == '_') &&
         (At == 0 || Text[At - 1] != '%');
}

bool mayHoldBarePercent(llvm::StringRef Text) {
  if (!Text.contains("asm"))
    return false;
  for (size_t At = Text.find('%'); At != llvm::StringRef::npos; At = Text.find('%', At + 1))
    if (isBarePercent(Text, At))
      return true;
  return false;
}

/// Registers' percent signs doubled, blanks given up for them; nothing when there are too few blanks that
/// mean nothing. The text is a string literal, quotes included.
std::optional<std::string> doubledPercents(llvm::StringRef Literal) {
  std::string New;
  size_t Owed = 0; // characters too many so far
  for (size_t At = 0; At < Literal.size(); ++At) {
    if (isBarePercent(Literal, At)) {
      // `, %laneid`: the blank before it goes first.
      if (New.size() > 1 && New.back() == ' ' && (New[New.size() - 2] == ',' || New[New.size() - 2] == ' '))
        New.pop_back();
      else
        ++Owed;
      New += '%';
    }
    New += Literal[At];
  }
  for (size_t At = 1; Owed && At < New.size();)
    if (New[At] == ' ' && llvm::StringRef(", \";").contains(New[At - 1])) {
      New.erase(At, 1);
      --Owed;
    } else {
      ++At;
    }
  if (Owed)
    return std::nullopt;
  return New;
}

/// A launch is torn, or may hold a list: is it worth lexing the file? Looks at every run of three '<', blanks
/// between them or not.
bool mayHoldOddLaunch(llvm::StringRef Text) {
  for (size_t At = Text.find('<'); At != llvm::StringRef::npos; At = Text.find('<', At + 1)) {
    size_t End = At;
    unsigned Count = 0;
    while (End < Text.size() && (Text[End] == '<' || llvm::isSpace(Text[End])))
      Count += Text[End++] == '<';
    if (Count != 3) {
      At = End;
      continue;
    }
    if (!Text.substr(At).starts_with("<<<"))
      return true;
    // Up to the end of the statement: a list, or closing brackets that are torn.
    llvm::StringRef Rest = Text.substr(End);
    Rest = Rest.take_until([](char C) { return C == ';'; });
    if (Rest.contains('{') || Rest.contains("> >") || Rest.contains(">>\n") || Rest.contains(">\n") ||
        Rest.contains(">\r") || Rest.contains(">\t"))
      return true;
    At = End;
  }
  return false;
}

class Repairer {
public:
  explicit Repairer(llvm::StringRef Text) : Text(Text) { lex(); }

  std::optional<Repair> run() {
    Result.text = Text.str();
    for (size_t I = 0; I < Tokens.size();) {
      assemblyAt(I);
      I = launchAt(I);
    }
    if (Result.text == Text)
      return std::nullopt;
    return std::move(Result);
  }

private:
  /// Comments and white space left out.
  void lex() {
    LangOptions Language;
    Language.CUDA = Language.CPlusPlus = Language.CPlusPlus11 = Language.CPlusPlus14 = Language.CPlusPlus17 =
        Language.CPlusPlus20 = true;
    Lexer Raw(SourceLocation::getFromRawEncoding(1), Language, Text.begin(), Text.begin(), Text.end());
    Token Each;
    while (!Raw.LexFromRawLexer(Each) && Each.isNot(tok::eof))
      Tokens.push_back(Each);
  }

  unsigned offset(size_t I) const { return Tokens[I].getLocation().getRawEncoding() - 1; }
  unsigned end(size_t I) const { return offset(I) + Tokens[I].getLength(); }
  bool is(size_t I, tok::TokenKind Kind) const { return I < Tokens.size() && Tokens[I].is(Kind); }

  /// How many angle brackets of this direction a token is made of; a comment between tokens ends a group.
  static unsigned opening(const Token &T) {
    return T.is(tok::less) ? 1 : T.is(tok::lessless) ? 2 : T.is(tok::lesslessless) ? 3 : 0;
  }
  static unsigned closing(const Token &T) {
    return T.is(tok::greater) ? 1 : T.is(tok::greatergreater) ? 2 : T.is(tok::greatergreatergreater) ? 3 : 0;
  }
  template <typename Count> unsigned group(size_t First, size_t &Next, Count &&CountOf) const {
    unsigned Total = 0;
    for (Next = First; Next < Tokens.size(); ++Next) {
      unsigned Here = CountOf(Tokens[Next]);
      if (!Here || (Next != First && !Text.slice(end(Next - 1), offset(Next)).trim().empty()))
        break;
      Total += Here;
    }
    return Total;
  }

  /// Repairs the launch whose opening brackets begin at token `I`, if there is one. Returns where to go on.
  size_t launchAt(size_t I) {
    if (!opening(Tokens[I]))
      return I + 1;
    size_t Inside = I;
    if (group(I, Inside, opening) != 3 || !callable(I))
      return std::max(Inside, I + 1);

    struct List {
      size_t open, close;
      unsigned argument;
    };
    llvm::SmallVector<List, 4> Lists;
    unsigned Depth = 0, Argument = 0;
    for (size_t At = Inside; At < Tokens.size(); ++At) {
      const Token &T = Tokens[At];
      if (T.isOneOf(tok::l_paren, tok::l_square, tok::l_brace)) {
        if (!Depth && T.is(tok::l_brace) && (At == Inside || is(At - 1, tok::comma)))
          Lists.push_back({At, 0, Argument});
        ++Depth;
      } else if (T.isOneOf(tok::r_paren, tok::r_square, tok::r_brace)) {
        if (!Depth--)
          return Inside;
        if (!Depth && !Lists.empty() && !Lists.back().close)
          Lists.back().close = At;
      } else if (Depth == 0 && T.is(tok::comma)) {
        ++Argument;
      } else if (Depth == 0 && T.is(tok::semi)) {
        return Inside;
      } else if (size_t After;
                 Depth == 0 && closing(T) && group(At, After, closing) >= 3 && is(After, tok::l_paren)) {
        join(I, Inside, '<');
        join(At, After, '>');
        for (const List &L : Lists)
          list(L.open, L.close, L.argument);
        return After;
      }
    }
    return Inside;
  }

  /// Repairs the registers of the assembly that begins at token `I`, if there is one. Without operands a
  /// percent sign means itself.
  void assemblyAt(size_t I) {
    auto Named = [&](size_t At, std::initializer_list<llvm::StringRef> Names) {
      return is(At, tok::raw_identifier) && llvm::is_contained(Names, Tokens[At].getRawIdentifier());
    };
    if (!Named(I, {"asm", "__asm__", "__asm"}))
      return;
    size_t First = I + 1;
    while (Named(First, {"volatile", "__volatile__", "__volatile", "inline", "__inline__", "goto"}))
      ++First;
    if (!is(First++, tok::l_paren))
      return;
    size_t After = First;
    while (is(After, tok::string_literal))
      ++After;
    if (After == First || !(is(After, tok::colon) || is(After, tok::coloncolon)))
      return;
    for (size_t At = First; At != After; ++At) {
      llvm::StringRef Literal = Text.slice(offset(At), end(At));
      if (!Literal.starts_with("\"")) // a raw string has delimiters of its own
        continue;
      if (std::optional<std::string> New = doubledPercents(Literal))
        Result.text.replace(offset(At), New->size(), *New);
    }
  }

  /// `operator<< <T>` is no launch; what is launched ends in a name, a bracket or template arguments.
  bool callable(size_t I) const {
    if (I == 0)
      return false;
    const Token &Before = Tokens[I - 1];
    if (Before.is(tok::raw_identifier))
      return Before.getRawIdentifier() != "operator";
    return Before.isOneOf(tok::r_paren, tok::r_square, tok::greater, tok::greatergreater);
  }

  /// Brings the last three brackets of a group together, the blanks between them behind. What is before them
  /// closes template arguments.
  void join(size_t First, size_t After, char Bracket) {
    unsigned Begin = offset(First);
    llvm::StringRef Old = Text.slice(Begin, end(After - 1));
    size_t From = nthBracket(Old, Old.count(Bracket) - 3, Bracket);
    std::string New(3, Bracket);
    for (char C : Old.drop_front(From))
      if (C != Bracket)
        New += C;
    Result.text.replace(Begin + From, New.size(), New);
  }

  static size_t nthBracket(llvm::StringRef In, size_t N, char Bracket) {
    size_t At = In.find(Bracket);
    while (N--)
      At = In.find(Bracket, At + 1);
    return At;
  }

  /// `{x, y}` becomes `(x, y)`; an empty list becomes what it stands for.
  void list(size_t Open, size_t Close, unsigned Argument) {
    if (Close == Open + 1) {
      Result.text[offset(Open)] = ' ';
      Result.text[offset(Close)] = Argument < 2 ? '1' : '0'; // no extent is 1; no shared memory, stream 0
      return;
    }
    Result.text[offset(Open)] = '(';
    Result.text[offset(Close)] = ')';
    if (is(Close - 1, tok::comma))
      Result.text[offset(Close - 1)] = ' ';
    Result.lists.push_back(offset(Open));
    if (Argument < 2)
      Result.dimensions.push_back(offset(Open));
  }

  llvm::StringRef Text;
  std::vector<Token> Tokens;
  Repair Result;
};

} // namespace

std::optional<Repair> repairSource(llvm::StringRef Text) {
  // Clang's places are 31 bits wide; such a file is refused elsewhere.
  if (Text.size() > (1u << 30) || (!mayHoldOddLaunch(Text) && !mayHoldBarePercent(Text)))
    return std::nullopt;
  return Repairer(Text).run();
}

} // namespace warplint::frontend
