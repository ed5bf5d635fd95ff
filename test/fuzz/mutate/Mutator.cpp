//===-- Mutator.cpp - Source files with small random damage ---------------===//
#include "test/fuzz/mutate/Mutator.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include <random>

using namespace llvm;

namespace warplint::fuzz {

namespace {

using Pieces = std::vector<Piece>;

Piece::Kind kindOf(const clang::Token &Token) {
  if (Token.is(clang::tok::numeric_constant))
    return Piece::Number;
  if (Token.is(clang::tok::raw_identifier))
    return Piece::Word;
  return clang::tok::getPunctuatorSpelling(Token.getKind()) ? Piece::Operator : Piece::Other;
}

Pieces split(StringRef Text) {
  clang::LangOptions Language;
  Language.CUDA = Language.CPlusPlus = Language.CPlusPlus11 = Language.CPlusPlus14 = Language.CPlusPlus17 =
      true;
  const std::string Copy = Text.str(); // the lexer wants a terminating zero
  clang::Lexer Lexer(clang::SourceLocation(), Language, Copy.data(), Copy.data(), Copy.data() + Copy.size());
  Pieces Result;
  size_t Last = 0;
  for (bool End = false; !End;) {
    clang::Token Token;
    Lexer.LexFromRawLexer(Token);
    End = Token.is(clang::tok::eof);
    const size_t Stop = End ? Copy.size() : Lexer.getCurrentBufferOffset();
    const size_t Start = End ? Stop : Stop - Token.getLength();
    Result.push_back({kindOf(Token), Copy.substr(Last, Start - Last), Copy.substr(Start, Stop - Start)});
    Last = Stop;
  }
  return Result;
}

// What makes offsets, trip counts and sizes extreme.
constexpr StringLiteral Numbers[] = {"0",
                                     "1",
                                     "2",
                                     "3",
                                     "7",
                                     "31",
                                     "32",
                                     "33",
                                     "63",
                                     "64",
                                     "127",
                                     "1023",
                                     "1024",
                                     "1025",
                                     "4096",
                                     "65535",
                                     "65536",
                                     "1000000",
                                     "0x7fffffff",
                                     "0x80000000u",
                                     "(-1)",
                                     "(-32)",
                                     "0xffffffffu",
                                     "4294967296ll",
                                     "(1ll << 40)",
                                     "0x7fffffffffffffffll",
                                     "(-0x7fffffffffffffffll - 1)",
                                     "0xffffffffffffffffull",
                                     "0.5f",
                                     "1e30f",
                                     "'\\xff'"};
// "@" stands for the operand.
constexpr StringLiteral Wrappers[] = {"(@ / 0)",
                                      "(@ % 0)",
                                      "(@ << 40)",
                                      "(@ >> 64)",
                                      "(@ << 31)",
                                      "(@ * 65536 * 65536)",
                                      "(@ + 0x7fffffff)",
                                      "(@ - 0x7fffffffffffffffll)",
                                      "(-@)",
                                      "(~@)",
                                      "((signed char)@)",
                                      "((unsigned)@)",
                                      "((long long)@)",
                                      "((short)(@ * 999))",
                                      "(@ ? @ : 0)",
                                      "(@ & 0xf0f0)",
                                      "(@ ^ 0x55)",
                                      "(@ / 7 * 7 + @ % 7)",
                                      "(1 << @)",
                                      "(32 / @)",
                                      "(@ - @ - 1)",
                                      "(@ * @)",
                                      "((int)(@ * 0.3f))",
                                      "(@ == 0 ? 1 : @)",
                                      "(@ > 5 && @ < 9)"};
constexpr StringLiteral Indices[] = {"threadIdx.x", "threadIdx.y",       "threadIdx.z", "blockIdx.x",
                                     "blockIdx.y",  "blockDim.x",        "blockDim.y",  "gridDim.x",
                                     "warpSize",    "(threadIdx.x & 31)"};
constexpr StringLiteral Shapes[] = {"0",
                                    "1",
                                    "33",
                                    "1024",
                                    "1025",
                                    "0xffffffffu",
                                    "(-1)",
                                    "dim3(0, 0, 0)",
                                    "dim3(1024, 1024, 64)",
                                    "dim3(1, 1, 65)",
                                    "dim3(0x7fffffff, 65535, 65535)",
                                    "dim3(7, 5, 3)",
                                    "dim3(-1)",
                                    "1ll << 40",
                                    "dim3()",
                                    "{32, 8}"};
constexpr StringLiteral Types[] = {
    "char",     "unsigned char", "short",  "int",          "unsigned", "long long",
    "size_t",   "float",         "double", "float4",       "bool",     "unsigned long long",
    "__int128", "void",          "auto",   "volatile int", "const int"};
/// Operators that may stand for one another.
constexpr std::array<StringLiteral, 10> Arithmetic = {"+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"};
constexpr std::array<StringLiteral, 10> Assignments = {
    "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "^=", "="};
constexpr std::array<StringLiteral, 6> Comparisons = {"<", ">", "<=", ">=", "==", "!="};
constexpr std::array<StringLiteral, 2> Steps = {"++", "--"};
constexpr std::array<StringLiteral, 2> Logical = {"&&", "||"};

ArrayRef<StringLiteral> familyOf(StringRef Operator) {
  for (ArrayRef<StringLiteral> Family : {ArrayRef(Arithmetic), ArrayRef(Assignments), ArrayRef(Comparisons),
                                         ArrayRef(Steps), ArrayRef(Logical)})
    if (is_contained(Family, Operator))
      return Family;
  return {};
}

/// One mutant in the making.
class Surgeon {
public:
  Surgeon(uint64_t Seed, Pieces Start, const Pieces &Donor)
      : Random(Seed), Text(std::move(Start)), Donor(Donor) {}

  void damageSyntax() {
    switch (pick(11)) {
    case 0:
      return remove(1);
    case 1:
      return remove(1 + pick(20));
    case 2:
      return duplicate(1 + pick(30));
    case 3:
      return swap();
    case 4:
      return replaceBy(Text, "of the same file");
    case 5:
      return replaceBy(Donor, "of another file");
    case 6:
    case 7:
      return splice();
    case 8:
      return strayBytes();
    case 9:
      return nest();
    default:
      return pick(4) ? swap() : truncate();
    }
  }

  void changeValues() {
    switch (pick(8)) {
    case 0:
    case 1:
      return changeOne(
          "number", [](const Piece &P) { return P.kind == Piece::Number; }, any(Numbers));
    case 2:
      return changeOperator();
    case 3:
      return wrap();
    case 4:
      return changeIndex();
    case 5:
      return changeLaunch();
    case 6:
      return changeOne(
          "type", [](const Piece &P) { return is_contained(Types, P.text); }, any(Types));
    default:
      return changeOne(
          "name", [&](const Piece &P) { return P.kind == Piece::Word; }, wordOf(Text));
    }
  }

  std::string text() const {
    std::string Result;
    for (const Piece &P : Text)
      Result += P.before + P.text;
    return Result;
  }
  const std::string &edits() const { return Edits; }
  size_t pick(size_t Count) { return size_t(Random() % Count); }

private:
  StringRef any(ArrayRef<StringLiteral> From) { return From[pick(From.size())]; }
  size_t place() { return pick(Text.size()); }
  void note(const Twine &What) { Edits += (Edits.empty() ? "" : "; ") + What.str(); }

  std::string wordOf(const Pieces &From) {
    for (unsigned Try = 0; Try < 20; ++Try)
      if (const Piece &P = From[pick(From.size())]; P.kind == Piece::Word)
        return P.text;
    return "n";
  }

  void remove(size_t Count) {
    const size_t At = place();
    Count = std::min(Count, Text.size() - At);
    note("removed " + Twine(Count) + " tokens from '" + Text[At].text + "' on");
    Text.erase(Text.begin() + At, Text.begin() + At + Count);
    keepOne();
  }
  void duplicate(size_t Count) {
    const size_t At = place();
    Pieces Run(Text.begin() + At, Text.begin() + At + std::min(Count, Text.size() - At));
    note("doubled " + Twine(Run.size()) + " tokens from '" + Text[At].text + "' on");
    Text.insert(Text.begin() + At, Run.begin(), Run.end());
  }
  void swap() {
    const size_t A = place(), B = place();
    note("swapped '" + Text[A].text + "' and '" + Text[B].text + "'");
    std::swap(Text[A].text, Text[B].text);
  }
  void replaceBy(const Pieces &From, StringRef Whose) {
    const size_t At = place();
    const std::string New = From[pick(From.size())].text;
    note("'" + Text[At].text + "' became '" + New + "' " + Whose);
    Text[At].text = New;
  }
  void splice() {
    const size_t From = pick(Donor.size()), At = place();
    const size_t Count = std::min<size_t>(Donor.size() - From, 1 + pick(60));
    note("put " + Twine(Count) + " tokens of another file before '" + Text[At].text + "'");
    Text.insert(Text.begin() + At, Donor.begin() + From, Donor.begin() + From + Count);
  }
  void truncate() {
    const size_t At = place();
    note("cut off at '" + Text[At].text + "'");
    // Also within a token, and so perhaps within a literal or a comment.
    Piece Rest = Text[At];
    Rest.text.resize(pick(Rest.text.size() + 1));
    Text.resize(At);
    Text.push_back(Rest);
  }
  void strayBytes() {
    const size_t At = place();
    note("stray bytes before '" + Text[At].text + "'");
    for (size_t Count = 1 + pick(4); Count; --Count)
      Text[At].before += char(Random());
  }
  void nest() {
    // Clang takes time exponential in the depth of "S<S<S<" (no type): seconds from 20 on. Not ours to find.
    static constexpr std::pair<StringLiteral, size_t> Open[] = {
        {"(", 400}, {"{", 400}, {"[", 400}, {"a(", 400},       {"-(", 400},
        {"!", 400}, {"*", 400}, {"S<", 8},  {"if (1) {", 400}, {"a ? ", 400}};
    const size_t At = place();
    const auto &[What, Deepest] = Open[pick(std::size(Open))];
    const size_t Depth = 1 + pick(Deepest);
    note("nested '" + What + "' " + Twine(Depth) + " deep before '" + Text[At].text + "'");
    for (size_t I = 0; I < Depth; ++I)
      Text[At].before += What;
  }

  template <typename Predicate> std::optional<size_t> find(Predicate Fits) {
    std::vector<size_t> Places;
    for (size_t I = 0; I < Text.size(); ++I)
      if (Fits(Text[I]))
        Places.push_back(I);
    if (Places.empty())
      return std::nullopt;
    return Places[pick(Places.size())];
  }
  template <typename Predicate> void changeOne(StringRef What, Predicate Fits, StringRef New) {
    std::optional<size_t> At = find(Fits);
    if (!At)
      return;
    note(What + " '" + Text[*At].text + "' became '" + New + "'");
    Text[*At].text = New.str();
  }
  void changeOperator() {
    std::optional<size_t> At = find([](const Piece &P) { return !familyOf(P.text).empty(); });
    if (!At)
      return;
    const StringRef New = any(familyOf(Text[*At].text));
    note("operator '" + Text[*At].text + "' became '" + New + "'");
    Text[*At].text = New.str();
  }
  void wrap() {
    std::optional<size_t> At = find([](const Piece &P) {
      return P.kind == Piece::Number || P.text == "threadIdx" || P.text.size() == 1;
    });
    if (!At || (Text[*At].kind != Piece::Number && Text[*At].kind != Piece::Word))
      return;
    // An index is three tokens; the wrapper goes around all of them.
    std::string Operand = Text[*At].text;
    if (Operand == "threadIdx" && *At + 2 < Text.size()) {
      Operand += Text[*At + 1].text + Text[*At + 2].text;
      Text[*At + 1].text.clear();
      Text[*At + 2].text.clear();
    }
    std::string New;
    for (const char C : any(Wrappers))
      New += C == '@' ? Operand : std::string(1, C);
    note("'" + Operand + "' became '" + New + "'");
    Text[*At].text = New;
  }
  void changeIndex() {
    std::optional<size_t> At = find(
        [](const Piece &P) { return P.text == "threadIdx" || P.text == "blockIdx" || P.text == "blockDim"; });
    if (!At || *At + 2 >= Text.size())
      return;
    const StringRef New = any(Indices);
    note("'" + Text[*At].text + Text[*At + 1].text + Text[*At + 2].text + "' became '" + New + "'");
    Text[*At].text = New.str();
    Text[*At + 1].text.clear();
    Text[*At + 2].text.clear();
  }
  /// Puts other values between <<< and >>>.
  void changeLaunch() {
    std::optional<size_t> At = find([](const Piece &P) { return P.text == "<<<"; });
    if (!At)
      return;
    size_t End = *At + 1;
    while (End < Text.size() && Text[End].text != ">>>")
      ++End;
    std::string New = any(Shapes).str() + ", " + any(Shapes).str();
    if (pick(3) == 0)
      New += ", " + any(Numbers).str();
    note("launch became <<<" + New + ">>>");
    Text.erase(Text.begin() + *At + 1, Text.begin() + End);
    Text[*At].text += New;
  }
  void keepOne() {
    if (Text.empty())
      Text.emplace_back();
  }

  std::mt19937_64 Random;
  Pieces Text;
  const Pieces &Donor;
  std::string Edits;
};

} // namespace

void Mutator::addInput(StringRef Name, StringRef Text) { Inputs.push_back({Name.str(), split(Text)}); }

Mutant Mutator::mutant(uint64_t Seed, uint64_t Number) const {
  // Neighbouring numbers give unrelated streams.
  std::seed_seq Sequence{uint32_t(Seed), uint32_t(Seed >> 32), uint32_t(Number), uint32_t(Number >> 32)};
  std::mt19937_64 Random(Sequence);
  const Input &Origin = Inputs[Number % Inputs.size()];
  Surgeon Knife(Random(), Origin.pieces, Inputs[Random() % Inputs.size()].pieces);
  // Three of five change values: what parses goes further.
  const bool Values = Knife.pick(5) < 3;
  for (size_t Edits = 1 + Knife.pick(Values ? 5 : 3); Edits; --Edits)
    Values ? Knife.changeValues() : Knife.damageSyntax();
  return {Origin.name, Knife.text(), Knife.edits()};
}

} // namespace warplint::fuzz
