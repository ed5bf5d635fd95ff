//===-- Simplify.cpp - Rules for operations -------------------------------===//
//
// Every rule holds for all values of the atoms that satisfy their facts. A rule that reads an operand as a
// mathematical integer first proves that the operand fits the width of the operation; without the proof the
// operation stays as it is. A rule may give a value to what had none (n/n is 1 although n might be 0), never
// the reverse.
//
// Rules end in apply() on other operands. Only an operation that no rule changes becomes a node, under the
// very operands it was asked for: so what is printed reads back as itself.
//
//===----------------------------------------------------------------------===//
#include "analyzer/index/Storage.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace warplint::index {

namespace {
using Wide = __int128;
constexpr int64_t Lowest = std::numeric_limits<int64_t>::min();
constexpr int64_t Highest = std::numeric_limits<int64_t>::max();

bool within(Expr E, Wide Low, Wide High) {
  Facts F = E.facts();
  return F.minimum >= Low && F.maximum <= High;
}

/// The machine reads the mathematical value. Sums are taken not to wrap, so 64 bits hold any.
bool fitsSigned(Expr E, unsigned Bits) { return Bits == 64 || within(E, minIntN(Bits), maxIntN(Bits)); }
bool fitsUnsigned(Expr E, unsigned Bits) {
  return E.facts().minimum >= 0 &&
         (Bits == 64 || E.facts().maximum <= int64_t(maskTrailingOnes<uint64_t>(Bits)));
}

/// The value is one that an operation of that width can result in, so the expression may stand for the
/// result.
bool fitsResult(Expr E, unsigned Bits) { return Bits == 1 ? within(E, 0, 1) : fitsSigned(E, Bits); }

/// As fitsSigned, for sums that a rule makes up: nobody else vouches for these not to wrap.
bool fitsProved(Expr E, unsigned Bits) {
  if (Node::of(E).isFactor())
    return fitsSigned(E, Bits);
  Facts F = E.facts();
  return F.minimum != Lowest && F.maximum != Highest && fitsSigned(E, Bits);
}

bool isPowerOf2(int64_t V) { return V > 0 && isPowerOf2_64(uint64_t(V)); }

bool isComparison(Op Operation) {
  switch (Operation) {
  case Op::Eq:
  case Op::Ne:
  case Op::Lt:
  case Op::Le:
  case Op::ULt:
  case Op::ULe:
    return true;
  default:
    return false;
  }
}

bool isCommutative(Op Operation) {
  switch (Operation) {
  case Op::And:
  case Op::Or:
  case Op::Xor:
  case Op::Min:
  case Op::Max:
  case Op::Eq:
  case Op::Ne:
    return true;
  default:
    return false;
  }
}

bool isQuotient(const Node &N) {
  return N.Kind == NodeKind::Operation && (N.Operation == Op::DivTrunc || N.Operation == Op::DivFloor);
}
bool isRemainder(const Node &N) {
  return N.Kind == NodeKind::Operation && (N.Operation == Op::RemTrunc || N.Operation == Op::Mod);
}

/// The node is the mathematical quotient or remainder of its operands: they fit, and the quotient does not
/// wrap.
bool isExactDivision(const Node &N) {
  Expr A = N.Operands[0], B = N.Operands[1];
  if (N.Bits == 1 || B.facts().minimum < 1 || !fitsSigned(B, N.Bits))
    return false;
  // A wrap of the operand does not show in a power of two's remainder, unless its sign matters.
  if (N.Operation == Op::Mod && B.constant() && isPowerOf2(*B.constant()))
    return true;
  return fitsSigned(A, N.Bits);
}

/// Is the summand a multiple of Modulus by what is known of its factors?
bool isMultiple(int64_t Coefficient, ArrayRef<Expr> Factors, uint64_t Modulus) {
  uint64_t Rest = (Coefficient < 0 ? -uint64_t(Coefficient) : uint64_t(Coefficient)) % Modulus;
  for (Expr F : Factors)
    Rest = uint64_t((unsigned __int128)(Rest) * (F.facts().multipleOf % Modulus) % Modulus);
  return Rest == 0;
}

/// The bits that may be set in the infinite two's complement of the value.
uint64_t possibleBits(Facts F) {
  uint64_t High = F.minimum < 0    ? ~uint64_t(0)
                  : F.maximum == 0 ? 0
                                   : maskTrailingOnes<uint64_t>(64 - countl_zero(uint64_t(F.maximum)));
  uint64_t Low = F.multipleOf ? ~((F.multipleOf & -F.multipleOf) - 1) : 0;
  return High & Low;
}

uint64_t possibleBits(Expr E) {
  uint64_t Whole = possibleBits(E.facts());
  ArrayRef<Term> Terms = Node::of(E).Terms;
  if (Terms.size() < 2)
    return E.constant() ? uint64_t(*E.constant()) : Whole;
  uint64_t Joined = 0;
  for (const Term &T : Terms) {
    uint64_t Bits = T.factors.empty() ? uint64_t(T.coefficient) : possibleBits(termFacts(T));
    if (Joined & Bits)
      return Whole; // carries may go anywhere
    Joined |= Bits;
  }
  return Joined & Whole;
}
} // namespace

//===-- Splitting by a divisor ---------------------------------------------===//

/// A = Divisor*Quotient + Multiple + Rest, where Multiple is known to be a multiple of the divisor although
/// its coefficients are not.
struct Context::Storage::Split {
  Expr Quotient, Multiple, Rest;
  explicit operator bool() const { return Quotient && Multiple && Rest; }
};

Context::Storage::Split Context::Storage::splitByModulus(Expr A, int64_t Modulus) {
  TermVector Quotient, Multiple, Rest;
  int64_t Constant = 0, ConstantQuotient = 0;
  for (const Term &T : Node::of(A).Terms) {
    if (T.factors.empty()) {
      Constant = T.coefficient % Modulus;
      ConstantQuotient = T.coefficient / Modulus;
      continue;
    }
    if (T.coefficient / Modulus)
      Quotient.push_back({T.coefficient / Modulus, T.factors});
    if (int64_t Left = T.coefficient % Modulus)
      (isMultiple(Left, T.factors, uint64_t(Modulus)) ? Multiple : Rest).push_back({Left, T.factors});
  }
  Split Result{add(polynomial(Quotient), constant(ConstantQuotient)), polynomial(Multiple), polynomial(Rest)};
  if (!Result.Rest)
    return Result;
  Expr Variable = Result.Rest;
  Result.Rest = add(Variable, constant(Constant));
  // A rest that is not negative is worth one more of the divisor; otherwise the constant stays small.
  if (Constant < 0 && Result.Rest && Result.Rest.facts().minimum < 0) {
    Expr Raised = add(Variable, constant(Constant + Modulus));
    if (Raised && Raised.facts().minimum >= 0) {
      Result.Rest = Raised;
      Result.Quotient = add(Result.Quotient, constant(-1));
    }
  }
  return Result;
}

std::optional<Context::Storage::Split> Context::Storage::splitByTerm(Expr A, const Term &Divisor) {
  TermVector Quotient, Rest;
  for (const Term &T : Node::of(A).Terms) {
    SmallVector<Expr, 4> Left;
    auto Wanted = Divisor.factors;
    // Both lists are in canonical order.
    for (Expr F : T.factors) {
      if (!Wanted.empty() && Wanted.front() == F)
        Wanted = Wanted.drop_front();
      else
        Left.push_back(F);
    }
    bool Divisible = Wanted.empty() && (Divisor.coefficient != -1 || T.coefficient != Lowest) &&
                     T.coefficient % Divisor.coefficient == 0;
    if (Divisible)
      Quotient.push_back({T.coefficient / Divisor.coefficient, product(Left)});
    else
      Rest.push_back(T);
  }
  if (Quotient.empty())
    return std::nullopt;
  return Split{polynomial(Quotient), constant(0), polynomial(Rest)};
}

/// What is congruent to A modulo Modulus and shorter: remainders and extensions by a multiple of it vanish.
Expr Context::Storage::stripModulo(Expr A, int64_t Modulus) {
  SmallVector<Expr, 4> Extra;
  TermVector Kept;
  for (const Term &T : Node::of(A).Terms) {
    const Node *N = T.factors.size() == 1 ? &Node::of(T.factors[0]) : nullptr;
    Wide Inner = 0;
    if (N && isRemainder(*N)) {
      std::optional<int64_t> Divisor = N->Operands[1].constant();
      if (Divisor && *Divisor > 0 && (isPowerOf2(*Divisor) || fitsSigned(N->Operands[0], N->Bits)) &&
          N->Bits > 1)
        Inner = *Divisor;
    } else if (N && N->Kind == NodeKind::Operation &&
               (N->Operation == Op::SExt || N->Operation == Op::ZExt)) {
      Inner = Wide(1) << N->Bits;
    }
    if (Inner && Wide(T.coefficient) % Modulus * (Inner % Modulus) % Modulus == 0) {
      Expr Replaced = scale(N->Operands[0], T.coefficient);
      if (!Replaced)
        return Expr();
      Extra.push_back(Replaced);
    } else {
      Kept.push_back(T);
    }
  }
  if (Extra.empty())
    return A;
  Extra.push_back(polynomial(Kept));
  return sum(Extra);
}

//===-- Sums of quotients and remainders -----------------------------------===//

bool Context::Storage::combineQuotients(TermVector &Terms) {
  auto Without = [](const Term &T, const Node &N) {
    SmallVector<Expr, 4> Left(T.factors.begin(), T.factors.end());
    Left.erase(llvm::find(Left, N.Self));
    return Left;
  };
  // Adds Coefficient * Factors * A; false when that cannot be expressed.
  auto AddScaled = [&](int64_t Coefficient, SmallVector<Expr, 4> Factors, Expr A) {
    Expr Product = A ? mul(single({Coefficient, product(Factors)}), A) : Expr();
    if (!Product)
      return false;
    Terms.append(Node::of(Product).Terms.begin(), Node::of(Product).Terms.end());
    return true;
  };
  auto FindTerm = [&](int64_t Coefficient, ArrayRef<Expr> Factors) -> Term * {
    for (Term &T : Terms)
      if (T.coefficient == Coefficient && T.factors.data() == Factors.data())
        return &T;
    return nullptr;
  };

  for (size_t I = 0; I < Terms.size(); ++I) {
    const Term T = Terms[I];
    for (Expr Factor : T.factors) {
      const Node &N = Node::of(Factor);
      bool Remainder = isRemainder(N);
      if ((!Remainder && !isQuotient(N)) || !isExactDivision(N))
        continue;
      Expr A = N.Operands[0], W = N.Operands[1];

      // c*m*(A/m), where A is a multiple of m.
      if (!Remainder) {
        std::optional<int64_t> M = W.constant();
        if (M && T.coefficient % *M == 0 && A.facts().multipleOf % uint64_t(*M) == 0) {
          TermVector Saved = Terms;
          Terms.erase(Terms.begin() + ptrdiff_t(I));
          if (AddScaled(T.coefficient / *M, Without(T, N), A))
            return true;
          Terms = Saved;
        }
        continue;
      }

      // c*W*(A/W) + c*(A%W).
      const Node &Divisor = Node::of(W);
      if (Divisor.Terms.size() != 1)
        continue;
      int64_t Coefficient;
      if (MulOverflow(T.coefficient, Divisor.Terms[0].coefficient, Coefficient))
        continue;
      for (const Term &Other : Terms) {
        if (Other.coefficient != Coefficient)
          continue;
        for (Expr Candidate : Other.factors) {
          const Node &Q = Node::of(Candidate);
          if (!isQuotient(Q) || Q.Operands[0] != A || Q.Operands[1] != W || !isExactDivision(Q))
            continue;
          bool Rounding = (Q.Operation == Op::DivTrunc) == (N.Operation == Op::RemTrunc);
          if (!Rounding && A.facts().minimum < 0)
            continue;
          SmallVector<Expr, 4> Wanted = Without(T, N);
          Wanted.append(Divisor.Terms[0].factors.begin(), Divisor.Terms[0].factors.end());
          Wanted.push_back(Candidate);
          if (product(Wanted).data() != Other.factors.data())
            continue;
          TermVector Saved = Terms;
          size_t J = size_t(&Other - Terms.data());
          Terms.erase(Terms.begin() + ptrdiff_t(std::max(I, J)));
          Terms.erase(Terms.begin() + ptrdiff_t(std::min(I, J)));
          if (AddScaled(T.coefficient, Without(T, N), A))
            return true;
          Terms = Saved;
          return false;
        }
      }

      // c*(A%W) - c*A is -c*W*(A/W): rounding down to a multiple.
      if (T.coefficient == Lowest)
        continue;
      SmallVector<Expr, 4> Others = Without(T, N);
      Expr Whole = mul(single({-T.coefficient, product(Others)}), A);
      if (!Whole || Node::of(Whole).Terms.empty() || !llvm::all_of(Node::of(Whole).Terms, [&](const Term &X) {
            return FindTerm(X.coefficient, X.factors);
          }))
        continue;
      unsigned Bits = fitsSigned(A, N.Bits) ? N.Bits : 64;
      if (Bits != N.Bits && !fitsProved(A, 64))
        continue;
      Expr Quotient = apply(N.Operation == Op::RemTrunc ? Op::DivTrunc : Op::DivFloor, Bits, {A, W});
      Expr Product = Quotient ? mul(Quotient, W) : Expr();
      TermVector Saved = Terms;
      Terms.erase(Terms.begin() + ptrdiff_t(I));
      for (const Term &X : Node::of(Whole).Terms)
        Terms.erase(FindTerm(X.coefficient, X.factors));
      if (AddScaled(-T.coefficient, Without(T, N), Product))
        return true;
      Terms = Saved;
    }
  }
  return false;
}

//===-- Operations ---------------------------------------------------------===//

Expr Context::Storage::simplify(Op Operation, unsigned Bits, ArrayRef<Expr> Operands) {
  if (Operation == Op::Select) {
    if (Bits != 32)
      return apply(Operation, 32, Operands);
    return simplifySelect(Operands[0], Operands[1], Operands[2]);
  }

  SmallVector<int64_t, 3> Values;
  for (Expr E : Operands)
    if (std::optional<int64_t> V = E.constant())
      Values.push_back(*V);
  if (Values.size() == Operands.size()) {
    if (std::optional<int64_t> V = evaluateOperation(Operation, Bits, Values))
      return constant(*V);
    return operation(Operation, Bits, Operands);
  }
  if (Operation == Op::SExt || Operation == Op::ZExt)
    return simplifyExtension(Operation, Bits, Operands[0]);

  Expr A = Operands[0], B = Operands[1];
  // Constants as the machine reads them; beside a value that is read as unsigned, the unsigned reading.
  for (bool Left : {true, false}) {
    Expr &Side = Left ? A : B;
    std::optional<int64_t> V = Side.constant();
    if (!V || Bits == 64)
      continue;
    int64_t Read = SignExtend64(uint64_t(*V), Bits);
    bool Unsigned = Operation == Op::ULt || Operation == Op::ULe || Bits == 1 ||
                    ((Operation == Op::Eq || Operation == Op::Ne) && fitsUnsigned(Left ? B : A, Bits));
    if (Unsigned)
      Read = int64_t(uint64_t(*V) & maskTrailingOnes<uint64_t>(Bits));
    Side = constant(Read);
  }
  if (isCommutative(Operation)) {
    // The constant goes last, as people write it.
    const Node &X = Node::of(A), &Y = Node::of(B);
    if (X.isConstant() || (!Y.isConstant() && comparePolynomials(Y, X) < 0))
      std::swap(A, B);
  }
  if (A != Operands[0] || B != Operands[1])
    return apply(Operation, Bits, {A, B});

  // Where all values fit, every width computes the same: say it at the usual one.
  auto Smallest = int64_t(minIntN(std::min(Bits, 32u)));
  bool QuotientWraps = (Operation == Op::DivTrunc || Operation == Op::DivFloor) &&
                       A.facts().minimum <= Smallest && B.facts().minimum < 0;
  bool ShiftLimit = Operation == Op::Shl || Operation == Op::AShr || Operation == Op::LShr;
  bool ZeroOneOnly = Bits == 1 && !isComparison(Operation) && Operation != Op::And && Operation != Op::Or &&
                     Operation != Op::Xor;
  if (Bits != 32 && !QuotientWraps && !ShiftLimit && !ZeroOneOnly && fitsSigned(A, 32) && fitsSigned(B, 32)) {
    bool Fits = fitsSigned(A, Bits) && fitsSigned(B, Bits);
    if (Bits == 1)
      Fits = Operation != Op::Lt && Operation != Op::Le && within(A, 0, 1) && within(B, 0, 1);
    if (Fits)
      return apply(Operation, 32, {A, B});
  }
  if (Bits == 1 && ZeroOneOnly)
    return operation(Operation, Bits, {A, B});

  switch (Operation) {
  case Op::DivTrunc:
  case Op::DivFloor:
    return simplifyDivision(Operation, Bits, A, B);
  case Op::RemTrunc:
  case Op::Mod:
    return simplifyRemainder(Operation, Bits, A, B);
  case Op::Shl:
  case Op::AShr:
  case Op::LShr:
    return simplifyShift(Operation, Bits, A, B);
  case Op::And:
  case Op::Or:
  case Op::Xor:
    return simplifyBits(Operation, Bits, A, B);
  case Op::Min:
  case Op::Max:
    return simplifyMinMax(Operation, Bits, A, B);
  default:
    return simplifyComparison(Operation, Bits, A, B);
  }
}

Expr Context::Storage::decidedOr(Op Operation, unsigned Bits, ArrayRef<Expr> Operands) {
  Facts F = operationFacts(Operation, Bits, Operands);
  if (F.minimum == F.maximum && F.minimum != Lowest && F.maximum != Highest)
    return constant(F.minimum);
  return operation(Operation, Bits, Operands);
}

Expr Context::Storage::simplifyDivision(Op Operation, unsigned Bits, Expr A, Expr B) {
  if (B.constant() == 0)
    return operation(Operation, Bits, {A, B});
  if (!fitsSigned(A, Bits) || !fitsSigned(B, Bits))
    return decidedOr(Operation, Bits, {A, B});
  Facts FA = A.facts(), FB = B.facts();
  bool Wraps = FA.minimum <= minIntN(Bits) && FB.minimum <= -1 && FB.maximum >= -1;
  if (A == B)
    return constant(1);
  if (B.constant() == -1)
    return Wraps ? operation(Operation, Bits, {A, B}) : scale(A, -1);
  if (B.constant() == 1)
    return A;
  bool Positive = FB.minimum > 0;
  // One kind of division where both round alike.
  if (Operation == Op::DivFloor && Positive && FA.minimum >= 0)
    return apply(Op::DivTrunc, Bits, {A, B});
  bool Floors = Operation == Op::DivFloor || (Positive && FA.minimum >= 0);

  if (Positive && Floors && FA.minimum >= 0 && FA.maximum < FB.minimum)
    return constant(0);
  auto Quotient = [&](Expr X) {
    return apply(X.facts().minimum >= 0 ? Op::DivTrunc : Op::DivFloor, Bits, {X, B});
  };
  if (std::optional<int64_t> M = B.constant(); M && *M > 0) {
    if (Split Parts = splitByModulus(A, *M)) {
      bool NoRest = Node::of(Parts.Rest).Terms.empty();
      bool NoMultiple = Node::of(Parts.Multiple).Terms.empty();
      if (NoRest && NoMultiple)
        return Parts.Quotient;
      // Without a rest nothing is rounded.
      bool Separable = Floors || NoRest;
      if (Separable && Parts.Rest != A && Parts.Multiple != A && fitsProved(Parts.Rest, Bits) &&
          fitsProved(Parts.Multiple, Bits)) {
        Expr Multiple = NoMultiple ? Parts.Multiple : Quotient(Parts.Multiple);
        Expr Rest = NoRest ? Parts.Rest : Quotient(Parts.Rest);
        if (Expr Result = add(Parts.Quotient, Multiple && Rest ? add(Multiple, Rest) : Expr()))
          return Result;
      }
    }
    // (a/b)/c: of one rounding, or exact to begin with.
    const Node &N = Node::of(A);
    if (isQuotient(N) && (N.Operation == Operation || Floors) && isExactDivision(N)) {
      std::optional<int64_t> Inner = N.Operands[1].constant();
      int64_t Product;
      bool SameRounding = N.Operation == Operation || N.Operands[0].facts().minimum >= 0;
      if (Inner && SameRounding && !MulOverflow(*Inner, *M, Product))
        return apply(N.Operation, 64, {N.Operands[0], constant(Product)});
    }
  } else if (Node::of(B).Terms.size() == 1 && !Wraps) {
    if (std::optional<Split> Parts = splitByTerm(A, Node::of(B).Terms[0]); Parts && *Parts) {
      if (Node::of(Parts->Rest).Terms.empty())
        return Parts->Quotient;
      if (Floors && Positive && fitsProved(Parts->Rest, Bits))
        if (Expr Result = add(Parts->Quotient, Quotient(Parts->Rest)))
          return Result;
    }
  }
  return decidedOr(Operation, Bits, {A, B});
}

Expr Context::Storage::simplifyRemainder(Op Operation, unsigned Bits, Expr A, Expr B) {
  std::optional<int64_t> M = B.constant();
  if (M == 0)
    return operation(Operation, Bits, {A, B});
  // The sign of a truncating remainder is the dividend's.
  if (Operation == Op::RemTrunc && M && *M < 0 && *M > minIntN(Bits))
    return apply(Operation, Bits, {A, constant(-*M)});
  bool Power = Operation == Op::Mod && M && isPowerOf2(*M);
  if (Power && *M <= (int64_t(1) << 30) && Bits != 32)
    return apply(Operation, 32, {A, B});
  if (!Power && !fitsSigned(A, Bits))
    return decidedOr(Operation, Bits, {A, B});
  if (!fitsSigned(B, Bits))
    return decidedOr(Operation, Bits, {A, B});
  if (A == B || M == 1 || M == -1)
    return constant(0);
  Facts FA = A.facts(), FB = B.facts();
  bool Positive = FB.minimum > 0;
  if (Operation == Op::Mod && Positive && FA.minimum >= 0 && fitsSigned(A, Bits))
    return apply(Op::RemTrunc, Bits, {A, B});
  bool Floors = Operation == Op::Mod || (Positive && FA.minimum >= 0);
  auto Remainder = [&](Expr X) {
    return apply(X.facts().minimum >= 0 && fitsSigned(X, Bits) ? Op::RemTrunc : Op::Mod, Bits, {X, B});
  };

  if (Positive && FA.minimum >= 0 && FA.maximum < FB.minimum)
    return A;
  if (M && *M > 0) {
    if (FA.multipleOf % uint64_t(*M) == 0)
      return constant(0);
    if (Floors) {
      if (Split Parts = splitByModulus(A, *M)) {
        Expr Rest = Parts.Rest;
        if (within(Rest, 0, *M - 1))
          return Rest;
        if (Rest != A && (Power || fitsProved(Rest, Bits)))
          if (Expr Result = Remainder(Rest))
            return Result;
      }
      Expr Stripped = stripModulo(A, *M);
      if (Stripped && Stripped != A && (isPowerOf2(*M) || fitsProved(Stripped, Bits)))
        if (Expr Result = Remainder(Stripped))
          return Result;
    } else if (FA.minimum > -*M && FA.maximum < *M) {
      return A;
    }
  } else if (Node::of(B).Terms.size() == 1) {
    if (std::optional<Split> Parts = splitByTerm(A, Node::of(B).Terms[0]); Parts && *Parts) {
      if (Node::of(Parts->Rest).Terms.empty())
        return constant(0);
      if (Floors && Positive && fitsProved(Parts->Rest, Bits))
        if (Expr Result = Remainder(Parts->Rest))
          return Result;
    }
  }
  return decidedOr(Operation, Bits, {A, B});
}

Expr Context::Storage::simplifyShift(Op Operation, unsigned Bits, Expr A, Expr B) {
  std::optional<int64_t> Amount = B.constant();
  bool InRange = Amount && *Amount >= 0 && *Amount < Bits;
  if (Operation == Op::LShr && InRange && *Amount > 0 && *Amount < 63 && fitsUnsigned(A, Bits))
    return apply(Op::DivFloor, 64, {A, constant(int64_t(1) << *Amount)});
  if (!fitsSigned(A, Bits) || (Amount && !InRange))
    return Amount && !InRange ? operation(Operation, Bits, {A, B}) : decidedOr(Operation, Bits, {A, B});
  if (Operation == Op::LShr && A.facts().minimum >= 0)
    return apply(Op::AShr, Bits, {A, B});
  if (InRange) {
    if (*Amount == 0)
      return A;
    if (Operation == Op::AShr && *Amount < 63)
      return apply(Op::DivFloor, 64, {A, constant(int64_t(1) << *Amount)});
    if (Operation == Op::Shl && *Amount < 63) {
      Expr Product = scale(A, int64_t(1) << *Amount);
      if (Product && !Node::of(Product).isFactor() && fitsProved(Product, Bits))
        return Product;
    }
  }
  return decidedOr(Operation, Bits, {A, B});
}

Expr Context::Storage::simplifyBits(Op Operation, unsigned Bits, Expr A, Expr B) {
  std::optional<int64_t> Mask = B.constant();
  int64_t AllOnes = Bits == 1 ? 1 : -1;
  if (Operation == Op::And && Mask) {
    if (*Mask == 0)
      return constant(0);
    if (*Mask > 0 && isMask_64(uint64_t(*Mask)) && *Mask != Highest) {
      Expr Low = apply(Op::Mod, 64, {A, constant(*Mask + 1)});
      if (Low)
        return Low;
    }
  }
  if (Operation == Op::Or && Mask == AllOnes)
    return constant(AllOnes);
  if (Operation == Op::Xor && A == B)
    return constant(0);
  if (!fitsResult(A, Bits) || !fitsResult(B, Bits))
    return decidedOr(Operation, Bits, {A, B});

  if (A == B)
    return A; // And, Or
  if (Mask == 0)
    return A; // Or, Xor
  if (Mask == AllOnes && Operation == Op::And)
    return A;
  if (Operation == Op::Xor && Mask) {
    if (*Mask == -1)
      return sub(constant(-1), A);
    const Node &N = Node::of(A);
    if (*Mask == 1 && N.Kind == NodeKind::Operation && isComparison(N.Operation))
      return negated(A);
    if (*Mask > 0 && isMask_64(uint64_t(*Mask)) && within(A, 0, *Mask))
      return sub(constant(*Mask), A);
    // A width at which both are what they look like serves for either.
    if (N.Kind == NodeKind::Operation && N.Operation == Op::Xor && N.Bits == Bits)
      if (std::optional<int64_t> Inner = N.Operands[1].constant())
        return apply(Op::Xor, Bits, {N.Operands[0], constant(*Inner ^ *Mask)});
  }

  uint64_t BitsA = possibleBits(A), BitsB = possibleBits(B);
  if ((BitsA & BitsB) == 0) {
    if (Operation == Op::And)
      return constant(0);
    if (Expr Sum = add(A, B); Sum && fitsResult(Sum, Bits))
      return Sum;
  }
  if (Mask && (BitsA & ~uint64_t(*Mask)) == 0) {
    if (Operation == Op::And)
      return A;
    if (Operation == Op::Or)
      return B;
  }
  if (Operation == Op::And && Mask && *Mask < 0 && *Mask != Lowest && isPowerOf2(-*Mask)) {
    Expr Rounded = apply(Op::DivFloor, 64, {A, constant(-*Mask)});
    if (Rounded)
      if (Expr Result = scale(Rounded, -*Mask))
        return Result;
  }
  // High bits pass by an operand that has low bits only.
  if (Expr Result = splitBits(Operation, Bits, A, B))
    return Result;
  if (Expr Result = splitBits(Operation, Bits, B, A))
    return Result;
  return decidedOr(Operation, Bits, {A, B});
}

Expr Context::Storage::splitBits(Op Operation, unsigned Bits, Expr A, Expr Low) {
  Facts F = Low.facts();
  if (Bits == 1 || F.minimum < 0 || F.maximum >= (int64_t(1) << 62))
    return Expr();
  int64_t Step = int64_t(NextPowerOf2(uint64_t(F.maximum)));
  TermVector High, Rest;
  for (const Term &T : Node::of(A).Terms)
    (isMultiple(T.coefficient, T.factors, uint64_t(Step)) ? High : Rest).push_back(T);
  if (High.empty() || Rest.empty())
    return Expr();
  Expr RestSum = polynomial(Rest), HighSum = polynomial(High);
  if (!RestSum || !HighSum || !within(RestSum, 0, Step - 1))
    return Expr();
  Expr Combined = apply(Operation, Bits, {RestSum, Low});
  return Operation == Op::And || !Combined ? Combined : add(HighSum, Combined);
}

Expr Context::Storage::simplifyMinMax(Op Operation, unsigned Bits, Expr A, Expr B) {
  if (fitsSigned(A, Bits) && fitsSigned(B, Bits)) {
    if (A == B)
      return A;
    if (Expr Difference = sub(A, B)) {
      if (Difference.facts().minimum >= 0)
        return Operation == Op::Min ? B : A;
      if (Difference.facts().maximum <= 0)
        return Operation == Op::Min ? A : B;
    }
  }
  return decidedOr(Operation, Bits, {A, B});
}

Expr Context::Storage::negated(Expr Comparison) {
  const Node &N = Node::of(Comparison);
  Expr A = N.Operands[0], B = N.Operands[1];
  switch (N.Operation) {
  case Op::Eq:
    return apply(Op::Ne, N.Bits, {A, B});
  case Op::Ne:
    return apply(Op::Eq, N.Bits, {A, B});
  case Op::Lt:
    return apply(Op::Le, N.Bits, {B, A});
  case Op::Le:
    return apply(Op::Lt, N.Bits, {B, A});
  case Op::ULt:
    return apply(Op::ULe, N.Bits, {B, A});
  default:
    return apply(Op::ULt, N.Bits, {B, A});
  }
}

Expr Context::Storage::simplifyComparison(Op Operation, unsigned Bits, Expr A, Expr B) {
  Expr Difference = sub(A, B);
  if (Operation == Op::Eq || Operation == Op::Ne) {
    int64_t WhenEqual = Operation == Op::Eq, WhenDifferent = Operation == Op::Ne;
    if (A == B)
      return constant(WhenEqual);
    if (Difference) {
      const Node &D = Node::of(Difference);
      // Congruent to the constant term modulo Step; equal means congruent to 0 modulo 2^Bits.
      int64_t Offset = !D.Terms.empty() && D.Terms.back().factors.empty() ? D.Terms.back().coefficient : 0;
      Facts Variable = sumFacts(Offset ? D.Terms.drop_back() : D.Terms);
      uint64_t Step = Variable.multipleOf & -Variable.multipleOf;
      if (Bits < 64)
        Step = Step ? std::min(Step, uint64_t(1) << Bits) : uint64_t(1) << Bits;
      if (Step && uint64_t(Offset) % Step)
        return constant(WhenDifferent);
      Wide Wrap = Bits == 64 ? Wide(Highest) + 1 : Wide(1) << Bits;
      Facts F = Difference.facts();
      bool NoWrap = F.minimum > -Wrap && F.maximum < Wrap;
      if (Bits == 64)
        NoWrap = true;
      if (NoWrap) {
        if (F.minimum > 0 || F.maximum < 0)
          return constant(WhenDifferent);
        if (Variable.multipleOf > 1 &&
            Offset % int64_t(std::min<uint64_t>(Variable.multipleOf, uint64_t(Highest))) != 0 &&
            Variable.multipleOf <= uint64_t(Highest))
          return constant(WhenDifferent);
      }
      if (D.isConstant())
        return constant((uint64_t(D.constantValue()) & maskTrailingOnes<uint64_t>(Bits)) ? WhenDifferent
                                                                                         : WhenEqual);
    }
    std::optional<int64_t> Value = B.constant();
    if (within(A, 0, 1) && (Value == 0 || Value == 1)) {
      if ((*Value == 1) == (Operation == Op::Eq))
        return A;
      const Node &N = Node::of(A);
      if (N.Kind == NodeKind::Operation && isComparison(N.Operation))
        return negated(A);
    }
    return operation(Operation, Bits, {A, B});
  }

  bool Unsigned = Operation == Op::ULt || Operation == Op::ULe;
  bool Strict = Operation == Op::Lt || Operation == Op::ULt;
  if (A == B)
    return constant(!Strict);
  if (Unsigned) {
    if (!fitsUnsigned(A, Bits) || !fitsUnsigned(B, Bits))
      return operation(Operation, Bits, {A, B});
    bool AlsoSigned = fitsSigned(A, Bits) && fitsSigned(B, Bits) && Bits > 1;
    return apply(Strict ? Op::Lt : Op::Le, AlsoSigned ? Bits : 64, {A, B});
  }
  if (Bits > 1 && fitsSigned(A, Bits) && fitsSigned(B, Bits) && Difference) {
    Facts F = Difference.facts();
    if (Strict ? F.maximum < 0 : F.maximum <= 0)
      return constant(1);
    if (Strict ? F.minimum >= 0 : F.minimum > 0)
      return constant(0);
  }
  return operation(Operation, Bits, {A, B});
}

Expr Context::Storage::simplifySelect(Expr Condition, Expr IfTrue, Expr IfFalse) {
  if (std::optional<int64_t> V = Condition.constant())
    return *V ? IfTrue : IfFalse;
  if (IfTrue == IfFalse || Condition.facts().minimum > 0 || Condition.facts().maximum < 0)
    return IfTrue;
  if (IfTrue.constant() == 1 && IfFalse.constant() == 0 && within(Condition, 0, 1))
    return Condition;
  const Node &N = Node::of(Condition);
  if (N.Kind == NodeKind::Operation && isComparison(N.Operation)) {
    if (IfTrue.constant() == 0 && IfFalse.constant() == 1)
      return negated(Condition);
    if (N.Operation == Op::Ne && N.Operands[1].constant() == 0 && fitsSigned(N.Operands[0], N.Bits))
      return apply(Op::Select, 32, {N.Operands[0], IfTrue, IfFalse});
  }
  return operation(Op::Select, 32, {Condition, IfTrue, IfFalse});
}

Expr Context::Storage::simplifyExtension(Op Operation, unsigned Bits, Expr A) {
  bool Sign = Operation == Op::SExt;
  if (Bits == 64 || (Sign ? fitsSigned(A, Bits) : fitsUnsigned(A, Bits)))
    return A;
  if (Sign && Bits == 1 && within(A, 0, 1))
    return scale(A, -1);
  if (Bits < 62) {
    // Only the value modulo 2^Bits counts.
    int64_t Modulus = int64_t(1) << Bits;
    TermVector Terms;
    for (const Term &T : Node::of(A).Terms)
      if (int64_t Left = T.coefficient % Modulus; Left && !isMultiple(Left, T.factors, uint64_t(Modulus)))
        Terms.push_back({Left, T.factors});
    Expr Reduced = polynomial(Terms);
    Reduced = Reduced ? stripModulo(Reduced, Modulus) : Expr();
    if (Reduced && Reduced != A)
      if (Expr Result = apply(Operation, Bits, {Reduced}))
        return Result;
  }
  return decidedOr(Operation, Bits, {A});
}

} // namespace warplint::index
