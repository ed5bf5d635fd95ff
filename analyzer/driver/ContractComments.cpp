#include "analyzer/driver/ContractComments.h"
#include "analyzer/frontend/Database.h"
#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <map>

using namespace llvm;
using namespace warplint;
using namespace warplint::driver;

static constexpr StringLiteral Marker = "warplint:", Word = "expect";

namespace {

/// A token of the file, as far as it matters here.
struct Piece {
  clang::tok::TokenKind kind;
  unsigned line = 0, endLine = 0;
  StringRef text;

  bool isWord(StringRef Word) const { return kind == clang::tok::raw_identifier && text == Word; }
};

struct Comment {
  StringRef text;
  size_t offset = 0;
  size_t next = 0;         ///< index of the token after it
  bool ownLine = false;    ///< no code before it on its line
  unsigned conditions = 0; ///< #ifs around it
};

/// The places of a text.
class Lines {
public:
  explicit Lines(StringRef Text) {
    for (size_t At = Text.find('\n'); At != StringRef::npos; At = Text.find('\n', At + 1))
      Starts.push_back(At + 1);
  }
  unsigned lineOf(size_t Offset) const {
    return unsigned(std::upper_bound(Starts.begin(), Starts.end(), Offset) - Starts.begin());
  }
  unsigned columnOf(size_t Offset) const { return unsigned(Offset - Starts[lineOf(Offset) - 1]) + 1; }

private:
  std::vector<size_t> Starts{0};
};

/// Tokens and comments of a file, without preprocessing.
class Scan {
public:
  Scan(const std::string &Source, const Lines &Where) : Text(Source), Where(Where) {
    clang::LangOptions Language;
    Language.CPlusPlus = Language.CPlusPlus11 = Language.CPlusPlus14 = Language.CPlusPlus17 = true;
    Language.CUDA = Language.LineComment = Language.RawStringLiterals = Language.Digraphs = true;
    const char *Begin = Source.data();
    clang::Lexer Lex(clang::SourceLocation(), Language, Begin, Begin, Begin + Source.size());
    Lex.SetCommentRetentionState(true);
    clang::Token Token;
    do {
      Lex.LexFromRawLexer(Token);
      // Without a location to count from: the lexer stands behind what it has just read.
      const size_t End = size_t(Lex.getBufferLocation() - Begin);
      add(Token, End - Token.getLength());
    } while (Token.isNot(clang::tok::eof));
  }

  std::vector<Piece> pieces;
  std::vector<Comment> comments;

private:
  void add(const clang::Token &Token, size_t Offset) {
    const StringRef Spelled = Text.substr(Offset, Token.getLength());
    if (Token.is(clang::tok::comment)) {
      comments.push_back(
          {Spelled, Offset, pieces.size(), Token.isAtStartOfLine(), unsigned(Conditions.size() - guards())});
      return;
    }
    if (Token.isAtStartOfLine())
      Directive = Token.is(clang::tok::hash) ? Directive::Name : Directive::None;
    else if (Directive == Directive::Name)
      directive(Spelled);
    if (Directive == Directive::None && Token.isNot(clang::tok::eof))
      pieces.push_back(
          {Token.getKind(), Where.lineOf(Offset), Where.lineOf(Offset + Token.getLength() - 1), Spelled});
  }

  void directive(StringRef Name) {
    Directive = Directive::Rest;
    if (Name.starts_with("if"))
      // The first thing in a file, around all of it: a header's guard.
      Conditions.push_back(Name == "ifndef" && !SeenDirective && pieces.empty());
    else if (Name == "endif" && !Conditions.empty())
      Conditions.pop_back();
    SeenDirective |= Name != "pragma";
  }

  size_t guards() const { return size_t(llvm::count(Conditions, true)); }

  StringRef Text;
  const Lines &Where;
  enum class Directive { None, Name, Rest };
  enum Directive Directive = Directive::None;
  bool SeenDirective = false;
  std::vector<bool> Conditions; ///< open #ifs; is it the guard?
};

/// The tokens of the braces that `From` begins with, when these belong to an expression, as those of an
/// initializer or a lambda do; else 0. What follows tells: behind a body another statement begins.
size_t lengthInExpression(ArrayRef<Piece> From) {
  size_t Length = 0;
  int Depth = 0;
  do {
    Depth += From[Length].kind == clang::tok::l_brace;
    Depth -= From[Length].kind == clang::tok::r_brace;
    ++Length;
  } while (Depth && Length != From.size());
  const bool GoesOn =
      Length != From.size() && is_contained({clang::tok::semi, clang::tok::comma, clang::tok::period,
                                             clang::tok::r_paren, clang::tok::question, clang::tok::colon},
                                            From[Length].kind);
  return GoesOn ? Length : 0;
}

/// The statement or declaration that begins with a token: to its ';', its body, or the bracket that it stands
/// in; with what follows an 'else' behind a ';'. Not beyond `Limit`.
void coverStatement(rules::Contract &C, ArrayRef<Piece> From, size_t Limit) {
  int Depth = 0;
  for (size_t I = 0; I < Limit; ++I) {
    const Piece &P = From[I];
    Depth += P.kind == clang::tok::l_paren || P.kind == clang::tok::l_square;
    Depth -= P.kind == clang::tok::r_paren || P.kind == clang::tok::r_square;
    if (Depth < 0)
      return;
    C.firstLine = C.firstLine ? C.firstLine : P.line;
    C.lastLine = P.endLine;
    C.beforeKernel |= P.isWord("__global__");
    if (Depth || (P.kind == clang::tok::semi && I + 1 != From.size() && From[I + 1].isWord("else")))
      continue;
    const size_t Inside = I && P.kind == clang::tok::l_brace ? lengthInExpression(From.drop_front(I)) : 0;
    if (Inside) {
      I = std::min(I + Inside, Limit) - 1;
      C.lastLine = From[I].endLine;
    } else if (is_contained({clang::tok::semi, clang::tok::l_brace, clang::tok::r_brace}, P.kind)) {
      return;
    }
  }
}

/// In quotes or code it is spoken of, not meant.
bool isMeant(StringRef Text, size_t At) {
  return At == 0 || isSpace(Text[At - 1]) || StringRef("/*(").contains(Text[At - 1]);
}

/// Where the words after "expect" begin in a comment from `At` on; npos: no contract is there. `Misspelt` is
/// set where it looks like one.
size_t termsAfter(StringRef Text, size_t At, bool &Misspelt) {
  if (!isMeant(Text, At))
    return StringRef::npos;
  const StringRef Rest = Text.substr(At + Marker.size());
  const StringRef Trimmed = Rest.ltrim(" \t");
  const StringRef First = Trimmed.take_while([](char C) { return isAlnum(C) || C == '_' || C == '-'; });
  const size_t After = At + Marker.size() + (Rest.size() - Trimmed.size()) + First.size();
  Misspelt = First != Word && !First.empty() && First.edit_distance_insensitive(Word) <= 2;
  return First == Word || Misspelt ? After : StringRef::npos;
}

/// Would these words be a contract if their beginning were spelled right: "Warplint expects: sectors<=4",
/// "warplint: sectors<=4"? One that is passed over holds nobody to anything.
bool isNearlyContract(StringRef Text) {
  constexpr StringLiteral Gaps = " \t:";
  const StringRef Name = Text.take_while([](char C) { return isAlpha(C) || C == '-'; });
  if (Name.edit_distance_insensitive(Marker.drop_back(), true, 2) > 2)
    return false;
  StringRef Rest = Text.drop_front(Name.size()).ltrim(Gaps);
  const StringRef Second = Rest.take_while([](char C) { return isAlpha(C); });
  if (Second.edit_distance_insensitive(Word, true, 2) <= 2)
    Rest = Rest.drop_front(Second.size()).ltrim(Gaps);
  Rest = Rest.take_front(Rest.find_first_of("\n)*"));
  return std::holds_alternative<rules::CostTerms>(rules::parseCostTerms(Rest));
}

class Reader {
public:
  Reader(const std::string &Text, const std::string &File) : File(File), Where(Text), Tokens(Text, Where) {}

  ContractComments read() {
    for (const Comment &C : Tokens.comments) {
      const size_t Before = found();
      for (size_t At = C.text.find(Marker); At != StringRef::npos; At = C.text.find(Marker, At + 1))
        read(C, At);
      if (found() == Before)
        readMisspelt(C);
    }
    bound();
    return std::move(Result);
  }

private:
  result::Place placeOf(size_t Begin, size_t End) const {
    return {File, Where.lineOf(Begin), Where.columnOf(Begin), Where.lineOf(Begin),
            Where.columnOf(Begin) + unsigned(End - Begin)};
  }

  size_t found() const { return Result.contracts.size() + Result.problems.size(); }

  void misspelt(size_t Begin, size_t End) {
    Result.problems.push_back(rules::malformedContract(
        placeOf(Begin, End), "it begins with 'warplint: expect', as in 'warplint: expect sectors<=4'"));
  }

  void readMisspelt(const Comment &In) {
    for (size_t At = 0; At < In.text.size(); ++At)
      if (isAlpha(In.text[At]) && isMeant(In.text, At) && isNearlyContract(In.text.substr(At)))
        return misspelt(In.offset + At, In.offset + At + Marker.size());
  }

  void read(const Comment &In, size_t At) {
    bool Misspelt = false;
    const size_t Terms = termsAfter(In.text, At, Misspelt);
    if (Terms == StringRef::npos)
      return;
    StringRef Text = In.text.substr(Terms);
    Text = Text.take_front(Text.find('\n'));
    if (In.text.starts_with("/*") && Text.ends_with("*/"))
      Text = Text.drop_back(2);
    const size_t End = Terms + Text.rtrim().size();
    if (Misspelt)
      return misspelt(In.offset + At, In.offset + Terms);
    auto Parsed = rules::parseCostTerms(Text);
    if (const auto *Problem = std::get_if<rules::ContractProblem>(&Parsed)) {
      const size_t Offset = Terms + Problem->offset;
      return Result.problems.push_back(rules::malformedContract(
          placeOf(In.offset + Offset, In.offset + std::max(End, Offset + 1)), Problem->message));
    }
    rules::Contract C;
    C.terms = std::move(std::get<rules::CostTerms>(Parsed));
    C.place = placeOf(In.offset + At, In.offset + End);
    C.files = {File};
    C.conditional = In.conditions > 0;
    if (!In.ownLine)
      C.firstLine = C.lastLine = Where.lineOf(In.offset);
    Result.contracts.push_back(std::move(C));
    Next.push_back(In.next);
  }

  /// What those speak of that stand on lines of their own. Of two in one statement, between an access and the
  /// next, the first ends where the second begins.
  void bound() {
    for (size_t I = 0; I != Result.contracts.size(); ++I) {
      rules::Contract &C = Result.contracts[I];
      if (C.firstLine)
        continue;
      const auto Later = std::find_if(Next.begin() + I, Next.end(), [&](size_t N) { return N > Next[I]; });
      const size_t Limit = Later == Next.end() ? Tokens.pieces.size() : *Later;
      coverStatement(C, ArrayRef(Tokens.pieces).drop_front(Next[I]), Limit - Next[I]);
    }
  }

  std::string File;
  Lines Where;
  Scan Tokens;
  ContractComments Result;
  std::vector<size_t> Next; ///< of each contract, the token after its comment
};

std::string realName(StringRef File) {
  SmallString<256> Real;
  return sys::fs::real_path(File, Real) ? File.str() : std::string(Real);
}

} // namespace

ContractComments warplint::driver::contractsIn(StringRef Text, const std::string &File) {
  if (!Text.contains_insensitive("lint") && !Text.contains_insensitive(Word))
    return {};
  return Reader(Text.str(), File).read(); // the lexer wants a zero at the end
}

void warplint::driver::checkContracts(result::Report &Report, const std::vector<std::string> &Files,
                                      const std::vector<rules::Contract> &OfCommandLine,
                                      const std::function<std::string(const std::string &)> &Read) {
  // One file may have several names, through links.
  std::map<std::string, std::set<std::string>> Names;
  auto Add = [&](StringRef Name) {
    if (Name.empty())
      return;
    SmallString<256> Absolute(Name);
    (void)sys::fs::make_absolute(Absolute);
    sys::path::remove_dots(Absolute, /*remove_dot_dot=*/true);
    Names[realName(Absolute)].insert(std::string(Absolute));
  };
  std::set<std::string> Seen;
  for (const result::Kernel &K : Report.kernels) {
    Seen.insert(K.place.file);
    for (const result::Access &A : K.accesses)
      Seen.insert(A.place.file);
  }
  // Of a header of helper functions, analysed by itself, nothing is seen: their accesses belong to kernels
  // elsewhere.
  copy_if(Files, std::inserter(Seen, Seen.end()),
          [](StringRef File) { return !frontend::isHeaderName(File); });
  for (const std::string &File : Seen)
    Add(File);

  std::vector<rules::Contract> Contracts = OfCommandLine;
  for (const auto &[Real, Spellings] : Names) {
    ContractComments Here = contractsIn(Read(*Spellings.begin()), *Spellings.begin());
    for (rules::Contract &C : Here.contracts) {
      C.files = Spellings;
      Contracts.push_back(std::move(C));
    }
    append_range(Report.findings, std::move(Here.problems));
  }
  append_range(Report.findings, rules::checkContracts(Report.kernels, Contracts));
}
