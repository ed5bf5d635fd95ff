//===-- Index.cpp - Fuzz target: index expressions ------------------------===//
//
// The input is the text of an expression. After '!' it is a recipe instead: bytes that choose a tree, whose
// value is known without the layer under test.
//
//===----------------------------------------------------------------------===//
#include "analyzer/index/Expr.h"
#include "test/fuzz/targets/Target.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <memory>
#include <optional>

using namespace llvm;
using namespace warplint::index;
using namespace warplint::fuzz;

namespace {

//===-- Properties of any expression ----------------------------------------===//

std::string printed(const Context &C, Expr E) { return "'" + C.print(E) + "'"; }

Expr parseOrDie(Context &C, StringRef Text, const Twine &Why) {
  Expected<Expr> Parsed = C.parse(Text);
  if (!Parsed)
    require(false, Why + ": '" + Text + "': " + toString(Parsed.takeError()));
  return *Parsed;
}

Expr rebuilt(Context &C, Expr E) {
  SmallVector<Expr> Summands;
  for (const Term &T : C.terms(E)) {
    Expr Product = C.constant(T.coefficient);
    for (const Expr Factor : T.factors)
      Product = C.mul(Product, Factor);
    Summands.push_back(Product);
  }
  return C.sum(Summands);
}

void checkExpression(Context &C, Expr E) {
  const std::string Text = C.print(E);
  require(parseOrDie(C, Text, "what is printed can be read") == E,
          "the same when read again: '" + Text + "'");
  const std::vector<Expr> Atoms = C.atoms(E);
  Context Fresh;
  for (const Expr Atom : Atoms) // what the text does not say
    Fresh.atom(Atom.atomName(), Atom.isUniform() ? AtomSort::Uniform : AtomSort::LaneVarying, Atom.facts());
  const Expr Other = parseOrDie(Fresh, Text, "a fresh context can read it");
  require(Fresh.print(Other) == Text, "printing is stable: '" + Text + "' became " + printed(Fresh, Other));
  require(rebuilt(C, E) == E, "an expression is the sum of its terms: '" + Text + "'");
  for (const Expr Atom : Atoms)
    require(Atom.isAtom() && C.contains(E, Atom) && C.findAtom(Atom.atomName()) == Atom,
            "its atoms are in it: " + Text);
  require(E.isUniform() == all_of(Atoms, [](Expr A) { return A.isUniform(); }),
          "uniform as its atoms are: " + Text);
  require(!E.constant() || Atoms.empty(), "a constant has no atoms: " + Text);
}

void checkText(StringRef Text) {
  Context C;
  Expected<Expr> Parsed = C.parse(Text);
  if (Parsed)
    return checkExpression(C, *Parsed);
  const std::string Message = toString(Parsed.takeError());
  unsigned Column = 0;
  StringRef Rest = Message;
  require(Rest.consume_front("column ") && !Rest.consumeInteger(10, Column) && Column >= 1 &&
              Column <= Text.size() + 1,
          "errors name a column of the text: " + Message);
}

//===-- Trees with known values ---------------------------------------------===//

struct AtomSpec {
  StringLiteral name;
  AtomSort sort;
  Facts facts;
};
constexpr AtomSpec Atoms[] = {
    {"threadIdx.x", AtomSort::LaneVarying, {0, 255, 1}},  {"threadIdx.y", AtomSort::LaneVarying, {0, 7, 1}},
    {"data[i]", AtomSort::LaneVarying, {-500, 70000, 1}}, {"n", AtomSort::Uniform, {}},
    {"k", AtomSort::Uniform, {0, INT32_MAX, 1}},          {"rows", AtomSort::Uniform, {0, 65536, 32}},
    {"below", AtomSort::Uniform, {-128, -1, 1}},          {"word", AtomSort::Uniform, {0, 0xffffffff, 1}}};
constexpr unsigned Rounds = 4;
using Values = std::array<int64_t, std::size(Atoms)>;
/// No value where a sum or product leaves 64 bits, which an index is taken not to do.
using Value = std::optional<int64_t>;

struct Binary {
  StringLiteral spelling;
  bool isCall;
  Op operation;
};
constexpr Binary Binaries[] = {
    {"/", false, Op::DivTrunc}, {"%", false, Op::RemTrunc}, {"floordiv", true, Op::DivFloor},
    {"mod", true, Op::Mod},     {"<<", false, Op::Shl},     {">>", false, Op::AShr},
    {"lshr", true, Op::LShr},   {"&", false, Op::And},      {"|", false, Op::Or},
    {"^", false, Op::Xor},      {"min", true, Op::Min},     {"max", true, Op::Max},
    {"==", false, Op::Eq},      {"!=", false, Op::Ne},      {"<", false, Op::Lt},
    {"<=", false, Op::Le},      {"ult", true, Op::ULt},     {"ule", true, Op::ULe}};

Value divide(Op Operation, const APInt &A, const APInt &B) {
  if (B.isZero())
    return std::nullopt;
  // The most negative number by -1 is itself again, as in the machine.
  APInt Quotient = B.isAllOnes() ? -A : A.sdiv(B);
  const APInt Remainder = B.isAllOnes() ? APInt::getZero(A.getBitWidth()) : A.srem(B);
  const bool Down = !Remainder.isZero() && Remainder.isNegative() != B.isNegative();
  switch (Operation) {
  case Op::DivTrunc:
    return Quotient.getSExtValue();
  case Op::RemTrunc:
    return Remainder.getSExtValue();
  case Op::DivFloor:
    return (Down ? Quotient - 1 : Quotient).getSExtValue();
  default:
    return (Down ? Remainder + B : Remainder).getSExtValue();
  }
}

Value compute(Op Operation, unsigned Bits, int64_t Left, int64_t Right) {
  const APInt A(64, uint64_t(Left)), B(64, uint64_t(Right));
  const APInt X = A.trunc(Bits), Y = B.trunc(Bits);
  auto Shifted = [&](auto Shift) -> Value {
    return Y.uge(Bits) ? std::nullopt : Value(Shift(unsigned(Y.getZExtValue())).getSExtValue());
  };
  switch (Operation) {
  case Op::DivTrunc:
  case Op::RemTrunc:
  case Op::DivFloor:
  case Op::Mod:
    return divide(Operation, X, Y);
  case Op::Shl:
    return Shifted([&](unsigned By) { return X.shl(By); });
  case Op::AShr:
    return Shifted([&](unsigned By) { return X.ashr(By); });
  case Op::LShr:
    return Shifted([&](unsigned By) { return X.lshr(By); });
  case Op::And:
    return (X & Y).getSExtValue();
  case Op::Or:
    return (X | Y).getSExtValue();
  case Op::Xor:
    return (X ^ Y).getSExtValue();
  case Op::Min:
    return (X.slt(Y) ? X : Y).getSExtValue();
  case Op::Max:
    return (X.slt(Y) ? Y : X).getSExtValue();
  case Op::Eq:
    return X == Y;
  case Op::Ne:
    return X != Y;
  case Op::Lt:
    return X.slt(Y);
  case Op::Le:
    return X.sle(Y);
  case Op::ULt:
    return X.ult(Y);
  case Op::ULe:
    return X.ule(Y);
  default:
    return std::nullopt;
  }
}

/// A tree's text and its value in every round.
struct Tree {
  std::string text;
  std::array<Value, Rounds> values;
};

template <typename Function> Tree combine(std::string Text, const Tree &A, const Tree &B, Function F) {
  Tree Result{std::move(Text), {}};
  for (unsigned I = 0; I < Rounds; ++I)
    if (A.values[I] && B.values[I])
      Result.values[I] = F(*A.values[I], *B.values[I]);
  return Result;
}

class Recipe {
public:
  explicit Recipe(StringRef Bytes) : Bytes(Bytes) {
    for (unsigned I = 0; I < Rounds; ++I)
      for (size_t Atom = 0; Atom < std::size(Atoms); ++Atom)
        Given[I][Atom] = valueOf(Atoms[Atom].facts);
  }
  const Values &round(unsigned I) const { return Given[I]; }

  Tree tree(unsigned Depth) {
    const unsigned Choice = Depth ? byte() % 16 : byte() % 2;
    switch (Choice) {
    case 0:
      return atom();
    case 1:
      return constant();
    case 2:
    case 3:
    case 4:
      return arithmetic(Depth);
    case 5:
      return extension(Depth);
    case 6:
      return select(Depth);
    case 7: // operands that meet again are what simplification looks for
      return Pool.empty() ? atom() : Pool[byte() % Pool.size()];
    default:
      return keep(operation(Depth));
    }
  }

private:
  unsigned byte() {
    if (Bytes.empty())
      return 0;
    const unsigned char Result = Bytes.front();
    Bytes = Bytes.drop_front();
    return Result;
  }
  int64_t valueOf(const Facts &F) {
    const uint64_t Span = uint64_t(F.maximum) - uint64_t(F.minimum);
    uint64_t Raw = 0;
    for (unsigned I = 0, Count = byte() % 9; I < Count; ++I)
      Raw = Raw << 8 | byte();
    const uint64_t Offset = Span == ~uint64_t(0) ? Raw : Raw % (Span + 1);
    return int64_t(uint64_t(F.minimum) + Offset / F.multipleOf * F.multipleOf);
  }
  Tree keep(Tree T) {
    if (Pool.size() < 8)
      Pool.push_back(T);
    return T;
  }
  Tree atom() {
    const size_t Which = byte() % std::size(Atoms);
    Tree Result{Atoms[Which].name.str(), {}};
    for (unsigned I = 0; I < Rounds; ++I)
      Result.values[I] = Given[I][Which];
    return Result;
  }
  Tree constant() {
    const unsigned Form = byte(), Size = byte();
    uint64_t Number = Size;
    if (Form % 4 == 1)
      Number = (uint64_t(1) << Size % 64) - (Form / 4) % 2;
    else if (Form % 4 == 2)
      Number = -(uint64_t(1) << Size % 64);
    else if (Form % 4 == 3)
      Number = 0 - uint64_t(Size);
    Tree Result{"(" + itostr(int64_t(Number)) + ")", {}};
    Result.values.fill(int64_t(Number));
    return Result;
  }
  Tree arithmetic(unsigned Depth) {
    const unsigned Which = byte() % 3;
    const Tree A = tree(Depth - 1), B = tree(Depth - 1);
    return combine("(" + A.text + " " + "+-*"[Which] + " " + B.text + ")", A, B,
                   [&](int64_t X, int64_t Y) -> Value {
                     int64_t Result = 0;
                     const bool Overflow = Which == 0   ? __builtin_add_overflow(X, Y, &Result)
                                           : Which == 1 ? __builtin_sub_overflow(X, Y, &Result)
                                                        : __builtin_mul_overflow(X, Y, &Result);
                     return Overflow ? std::nullopt : Value(Result);
                   });
  }
  unsigned width() {
    static constexpr unsigned Widths[] = {32, 32, 64, 64, 16, 8, 1, 63, 33, 5};
    return Widths[byte() % std::size(Widths)];
  }
  Tree extension(unsigned Depth) {
    const unsigned Bits = width();
    const bool Signed = byte() % 2;
    const Tree A = tree(Depth - 1);
    return combine((Signed ? "sext" : "zext") + utostr(Bits) + "(" + A.text + ")", A, A,
                   [&](int64_t X, int64_t) -> Value {
                     const APInt Low = APInt(64, uint64_t(X)).trunc(Bits);
                     return Signed ? Low.getSExtValue() : int64_t(Low.getZExtValue());
                   });
  }
  Tree select(unsigned Depth) {
    const Tree Condition = tree(Depth - 1), A = tree(Depth - 1), B = tree(Depth - 1);
    Tree Result{"(" + Condition.text + " ? " + A.text + " : " + B.text + ")", {}};
    for (unsigned I = 0; I < Rounds; ++I)
      if (Condition.values[I])
        Result.values[I] = (*Condition.values[I] ? A : B).values[I];
    return Result;
  }
  Tree operation(unsigned Depth) {
    const Binary &Which = Binaries[byte() % std::size(Binaries)];
    const unsigned Bits = width();
    const Tree A = tree(Depth - 1), B = tree(Depth - 1);
    const std::string Name = (Which.spelling + "@" + Twine(Bits)).str();
    std::string Text = Which.isCall ? Name + "(" + A.text + ", " + B.text + ")"
                                    : "(" + A.text + " " + Name + " " + B.text + ")";
    const bool Compares = Which.operation >= Op::Eq && Which.operation <= Op::ULe;
    return combine(std::move(Text), A, B, [&](int64_t X, int64_t Y) -> Value {
      const Value Result = compute(Which.operation, Bits, X, Y);
      // One bit holds 0 or 1.
      return Result && Bits == 1 && !Compares ? Value(*Result & 1) : Result;
    });
  }

  StringRef Bytes;
  std::array<Values, Rounds> Given;
  std::vector<Tree> Pool;
};

void checkRecipe(StringRef Bytes) {
  Recipe Choices(Bytes);
  const Tree T = Choices.tree(5);
  Context C;
  for (const AtomSpec &A : Atoms)
    C.atom(A.name, A.sort, A.facts);
  Expected<Expr> Parsed = C.parse(T.text);
  if (!Parsed) { // only for its size
    const std::string Message = toString(Parsed.takeError());
    return require(StringRef(Message).contains("too large"),
                   "a well-formed expression is read: " + T.text + ": " + Message);
  }
  checkExpression(C, *Parsed);
  const Facts Known = Parsed->facts();
  for (unsigned I = 0; I < Rounds; ++I) {
    if (!T.values[I])
      continue;
    const int64_t Expected = *T.values[I];
    const std::string Where = T.text + " = " + itostr(Expected) + ", simplified to " + printed(C, *Parsed);
    auto ValueOf = [&](StringRef Name) -> std::optional<int64_t> {
      for (size_t A = 0; A < std::size(Atoms); ++A)
        if (Atoms[A].name == Name)
          return Choices.round(I)[A];
      return std::nullopt;
    };
    const std::optional<int64_t> Got = C.evaluate(*Parsed, ValueOf);
    require(Got == Expected, "simplifying keeps the value: " + Where);
    require(Expected >= Known.minimum && Expected <= Known.maximum, "the range is right: " + Where);
    require(Known.multipleOf
                ? Expected % int64_t(Known.multipleOf) == 0 || Known.multipleOf > uint64_t(INT64_MAX)
                : Expected == 0,
            "the divisor is right: " + Where);
    Expr Filled = *Parsed;
    for (size_t A = 0; A < std::size(Atoms) && Filled; ++A)
      Filled = C.substitute(Filled, C.findAtom(Atoms[A].name), C.constant(Choices.round(I)[A]));
    // Too large on the way is no expression; a divisor of zero in a branch not taken stays a node.
    require(!Filled || !Filled.constant() || *Filled.constant() == Expected,
            "substituting keeps the value: " + Where);
  }
}

} // namespace

int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  const StringRef Text = textOf(Data, Size);
  if (Text.starts_with("!"))
    checkRecipe(Text.drop_front());
  else
    checkText(Text);
  return 0;
}
