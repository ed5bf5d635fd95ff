//===-- Print.cpp - Writing index expressions -----------------------------===//
//
// Parentheses are written where C needs them and where a reader would otherwise have to know C's table of
// precedences: around operations inside bit operations, shifts, / and %.
//
//===----------------------------------------------------------------------===//
#include "analyzer/index/Storage.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace warplint::index {

namespace {
/// How tightly a printed expression binds, loosest first.
enum Level { Conditional, Bitwise, Equality, Relational, Shift, Additive, Multiplicative, Sign, Primary };

struct Form {
  StringRef Spelling;
  Level Own;      ///< Primary: written as a function
  Level Operands; ///< what binds less tightly goes in parentheses
};

Form formOf(Op Operation) {
  switch (Operation) {
  case Op::DivTrunc:
    return {"/", Multiplicative, Sign};
  case Op::RemTrunc:
    return {"%", Multiplicative, Sign};
  case Op::DivFloor:
    return {"floordiv", Primary, Conditional};
  case Op::Mod:
    return {"mod", Primary, Conditional};
  case Op::Shl:
    return {"<<", Shift, Sign};
  case Op::AShr:
    return {">>", Shift, Sign};
  case Op::LShr:
    return {"lshr", Primary, Conditional};
  case Op::And:
    return {"&", Bitwise, Sign};
  case Op::Or:
    return {"|", Bitwise, Sign};
  case Op::Xor:
    return {"^", Bitwise, Sign};
  case Op::Min:
    return {"min", Primary, Conditional};
  case Op::Max:
    return {"max", Primary, Conditional};
  case Op::Eq:
    return {"==", Equality, Additive};
  case Op::Ne:
    return {"!=", Equality, Additive};
  case Op::Lt:
    return {"<", Relational, Additive};
  case Op::Le:
    return {"<=", Relational, Additive};
  case Op::ULt:
    return {"ult", Primary, Conditional};
  case Op::ULe:
    return {"ule", Primary, Conditional};
  case Op::Select:
    return {"?", Conditional, Bitwise};
  case Op::SExt:
    return {"sext", Primary, Conditional};
  case Op::ZExt:
    return {"zext", Primary, Conditional};
  }
  llvm_unreachable("all operations are listed");
}

class Printer {
public:
  explicit Printer(raw_ostream &Stream) : OS(Stream) {}

  void print(const Node &N, Level Needed) {
    bool Parentheses = levelOf(N) < Needed;
    if (Parentheses)
      OS << '(';
    if (N.isFactor())
      factor(N);
    else
      polynomial(N);
    if (Parentheses)
      OS << ')';
  }

private:
  static Level levelOf(const Node &N) {
    if (N.Kind == NodeKind::Atom)
      return Primary;
    if (N.Kind == NodeKind::Operation)
      return formOf(N.Operation).Own;
    if (N.isConstant())
      return N.constantValue() < 0 ? Sign : Primary;
    return N.Terms.size() > 1 ? Additive : Multiplicative;
  }

  void polynomial(const Node &N) {
    if (N.Terms.empty()) {
      OS << '0';
      return;
    }
    // "31 - threadIdx.x" reads better than "-threadIdx.x + 31".
    size_t First = 0;
    while (First < N.Terms.size() && N.Terms[First].coefficient < 0)
      ++First;
    if (First == N.Terms.size())
      First = 0;
    term(N.Terms[First], /*Leading=*/true);
    for (size_t I = 0; I < N.Terms.size(); ++I)
      if (I != First)
        term(N.Terms[I], /*Leading=*/false);
  }

  void term(const Term &T, bool Leading) {
    bool Negative = T.coefficient < 0;
    // The smallest integer has no magnitude to be subtracted.
    if (T.coefficient == std::numeric_limits<int64_t>::min() && !Leading) {
      OS << " + ";
      Leading = true;
    }
    if (Leading && Negative)
      OS << '-';
    else if (!Leading)
      OS << (Negative ? " - " : " + ");
    uint64_t Magnitude = Negative ? -uint64_t(T.coefficient) : uint64_t(T.coefficient);
    if (T.factors.empty() || Magnitude != 1) {
      OS << Magnitude;
      if (T.factors.empty())
        return;
      OS << '*';
    }
    // A summand alone is not torn apart by what surrounds it; a factor might be.
    bool Alone = T.factors.size() == 1 && Magnitude == 1;
    Level Needed = !Alone ? Primary : Leading && Negative ? Sign : Multiplicative;
    StringRef Between;
    for (AtomSort Sort : {AtomSort::Uniform, AtomSort::LaneVarying})
      for (Expr F : T.factors)
        if (Node::of(F).Sort == Sort) {
          OS << Between;
          print(Node::of(F), Needed);
          Between = "*";
        }
  }

  void factor(const Node &N) {
    if (N.Kind == NodeKind::Atom) {
      name(N.Name);
      return;
    }
    Form F = formOf(N.Operation);
    auto Operand = [&](unsigned I) { print(Node::of(N.Operands[I]), F.Operands); };
    if (N.Operation == Op::Select) {
      Operand(0);
      OS << " ? ";
      Operand(1);
      OS << " : ";
      Operand(2);
    } else if (N.NumOperands == 1) {
      OS << F.Spelling << unsigned(N.Bits) << '(';
      Operand(0);
      OS << ')';
    } else if (F.Own == Primary) {
      OS << F.Spelling;
      width(N);
      OS << '(';
      Operand(0);
      OS << ", ";
      Operand(1);
      OS << ')';
    } else {
      Operand(0);
      OS << ' ' << F.Spelling;
      width(N);
      OS << ' ';
      Operand(1);
    }
  }

  void width(const Node &N) {
    if (N.Bits != 32)
      OS << '@' << unsigned(N.Bits);
  }

  void name(StringRef Name) {
    char Missing = 0;
    size_t Length = plainAtomLength(Name, Missing);
    StringRef Identifier =
        Name.take_until([](char C) { return C == '.' || C == '-' || C == ':' || C == '[' || C == '('; });
    if (Length && Length == Name.size() && !Missing && !isFunctionName(Identifier)) {
      OS << Name;
      return;
    }
    OS << '`';
    for (char C : Name) {
      OS << C;
      if (C == '`')
        OS << C;
    }
    OS << '`';
  }

  raw_ostream &OS;
};
} // namespace

std::string Context::print(Expr A) const {
  if (!A)
    return "<invalid>";
  std::string Text;
  raw_string_ostream OS(Text);
  Printer(OS).print(Node::of(A), Conditional);
  return Text;
}

} // namespace warplint::index
