//===-- Expr.cpp - Canonical polynomials of index expressions -------------===//
//
// Construction and queries. Sums and products are kept canonical here; operations are in Simplify.cpp.
//
//===----------------------------------------------------------------------===//
#include "analyzer/index/Expr.h"
#include "analyzer/index/Storage.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;

namespace warplint::index {

//===-- Order --------------------------------------------------------------===//

namespace {
int threadIndexRank(StringRef Name) {
  return StringSwitch<int>(Name)
      .Case("threadIdx.x", 0)
      .Case("threadIdx.y", 1)
      .Case("threadIdx.z", 2)
      .Default(3);
}

template <typename T> int threeWay(const T &A, const T &B) { return A < B ? -1 : B < A ? 1 : 0; }

bool termBefore(const Term &A, const Term &B) {
  if (A.factors.empty() || B.factors.empty())
    return !A.factors.empty() && B.factors.empty();
  return compareFactorLists(A.factors, B.factors) < 0;
}
} // namespace

int comparePolynomials(const Node &A, const Node &B) {
  if (&A == &B)
    return 0;
  if (int Order = threeWay(A.Terms.size(), B.Terms.size()))
    return Order;
  for (size_t I = 0; I < A.Terms.size(); ++I) {
    if (int Order = compareFactorLists(A.Terms[I].factors, B.Terms[I].factors))
      return Order;
    if (int Order = threeWay(A.Terms[I].coefficient, B.Terms[I].coefficient))
      return Order;
  }
  return 0;
}

int compareFactors(const Node &A, const Node &B) {
  if (&A == &B)
    return 0;
  if (int Order = threeWay(A.Sort, B.Sort))
    return Order;
  if (int Order = threeWay(A.Kind, B.Kind))
    return Order;
  if (A.Kind == NodeKind::Atom) {
    if (int Order = threeWay(threadIndexRank(A.Name), threadIndexRank(B.Name)))
      return Order;
    return A.Name.compare(B.Name);
  }
  if (int Order = threeWay(A.Operation, B.Operation))
    return Order;
  if (int Order = threeWay(A.Bits, B.Bits))
    return Order;
  for (unsigned I = 0; I < A.NumOperands; ++I)
    if (int Order = comparePolynomials(Node::of(A.Operands[I]), Node::of(B.Operands[I])))
      return Order;
  return 0;
}

int compareFactorLists(ArrayRef<Expr> A, ArrayRef<Expr> B) {
  if (A.data() == B.data() && A.size() == B.size())
    return 0;
  for (size_t I = 0; I < std::min(A.size(), B.size()); ++I)
    if (int Order = compareFactors(Node::of(A[I]), Node::of(B[I])))
      return Order;
  return threeWay(A.size(), B.size());
}

//===-- Construction -------------------------------------------------------===//

Expr Context::Storage::constant(int64_t Value) {
  // Two values, near the extremes, mark free places in the map.
  using MapInfo = ConstantInfo;
  bool Mapped = Value != MapInfo::getEmptyKey() && Value != MapInfo::getTombstoneKey();
  if (Mapped)
    if (auto Found = Constants.find(Value); Found != Constants.end())
      return Found->second;
  TermVector Terms;
  if (Value)
    Terms.push_back({Value, {}});
  Expr Result = polynomial(Terms);
  if (Mapped)
    Constants[Value] = Result;
  return Result;
}

Expr Context::Storage::atom(StringRef Name, AtomSort Sort, Facts Known) {
  auto [Entry, Inserted] = Atoms.try_emplace(Name, nullptr);
  if (!Inserted)
    return Node::handle(Entry->second);
  if (Known.minimum > Known.maximum)
    Known = Facts(); // contradictory: claim nothing
  if (Known.multipleOf == 0)
    Known.multipleOf = 1;
  auto *N = new (Arena) Node;
  N->Kind = NodeKind::Atom;
  N->Sort = Sort;
  N->Name = Entry->first();
  N->Known = Known;
  N->AtomMask = uint64_t(1) << (Atoms.size() % 64);
  N->Self = Node::handle(N);
  N->SelfTerm = {1, ArrayRef<Expr>(&N->Self, 1)};
  N->Terms = ArrayRef<Term>(&N->SelfTerm, 1);
  Entry->second = N;
  return N->Self;
}

ArrayRef<Expr> Context::Storage::product(SmallVectorImpl<Expr> &Factors) {
  if (Factors.empty())
    return {};
  if (Factors.size() == 1)
    return Node::of(Factors[0]).SelfTerm.factors;
  llvm::sort(Factors, [](Expr A, Expr B) { return compareFactors(Node::of(A), Node::of(B)) < 0; });
  if (auto Found = FactorLists.find(ArrayRef<Expr>(Factors)); Found != FactorLists.end())
    return *Found;
  ArrayRef<Expr> Copy = ArrayRef<Expr>(Factors).copy(Arena);
  FactorLists.insert(Copy);
  return Copy;
}

Expr Context::Storage::single(const Term &T) {
  TermVector Terms{T};
  return polynomial(Terms);
}

Expr Context::Storage::polynomial(TermVector &Terms) {
  while (true) {
    if (!llvm::is_sorted(Terms, termBefore))
      llvm::sort(Terms, termBefore);
    size_t Kept = 0;
    for (size_t I = 0; I < Terms.size();) {
      Term Merged = Terms[I];
      for (++I; I < Terms.size() && Terms[I].factors.data() == Merged.factors.data(); ++I)
        if (AddOverflow(Merged.coefficient, Terms[I].coefficient, Merged.coefficient))
          return Expr();
      if (Merged.coefficient)
        Terms[Kept++] = Merged;
    }
    Terms.truncate(Kept);
    if (!combineQuotients(Terms))
      break;
    // A replacement that could not be expressed.
    if (Terms.size() == 1 && Terms[0].coefficient == 0)
      return Expr();
  }
  if (Terms.size() == 1 && Terms[0].coefficient == 1 && Terms[0].factors.size() == 1)
    return Terms[0].factors[0];
  if (auto Found = Polynomials.find_as(ArrayRef<Term>(Terms)); Found != Polynomials.end())
    return Node::handle(*Found);

  uint64_t Weight = 1;
  Node New;
  for (const Term &T : Terms) {
    ++Weight;
    for (Expr E : T.factors) {
      const Node &F = Node::of(E);
      Weight += F.Weight;
      New.Depth = std::max(New.Depth, F.Depth);
      New.AtomMask |= F.AtomMask;
      New.Sort = std::min(New.Sort, F.Sort);
    }
  }
  if (Weight > MaxWeight)
    return Expr();
  New.Weight = unsigned(Weight);
  New.Hash = TermListInfo::getHashValue(ArrayRef<Term>(Terms));
  New.Known = sumFacts(Terms);
  auto *N = new (Arena) Node(New);
  N->Terms = ArrayRef<Term>(Terms).copy(Arena);
  Polynomials.insert(N);
  return Node::handle(N);
}

Expr Context::Storage::add(Expr A, Expr B) {
  if (!A || !B)
    return Expr();
  const Node *X = &Node::of(A), *Y = &Node::of(B);
  if (X->Terms.empty())
    return B;
  if (Y->Terms.empty())
    return A;
  if (X->isConstant() && Y->isConstant()) {
    int64_t Sum;
    return AddOverflow(X->constantValue(), Y->constantValue(), Sum) ? Expr() : constant(Sum);
  }
  if (std::less<>()(Y, X))
    std::swap(X, Y);
  std::pair<const void *, const void *> Key(X, Y);
  if (auto Found = Sums.find(Key); Found != Sums.end())
    return Found->second;
  TermVector Terms;
  Terms.reserve(X->Terms.size() + Y->Terms.size());
  std::merge(X->Terms.begin(), X->Terms.end(), Y->Terms.begin(), Y->Terms.end(), std::back_inserter(Terms),
             termBefore);
  Expr Result = polynomial(Terms);
  Sums[Key] = Result;
  return Result;
}

Expr Context::Storage::sum(ArrayRef<Expr> Summands) {
  if (Summands.empty())
    return constant(0);
  // Halving keeps long sums from being copied once per summand.
  if (Summands.size() == 1)
    return Summands[0];
  size_t Half = Summands.size() / 2;
  return add(sum(Summands.take_front(Half)), sum(Summands.drop_front(Half)));
}

Expr Context::Storage::scale(Expr A, int64_t Factor) {
  if (!A || Factor == 1)
    return A;
  const Node &X = Node::of(A);
  if (Factor == 0 || X.Terms.empty())
    return constant(0);
  if (X.isConstant()) {
    int64_t Product;
    return MulOverflow(X.constantValue(), Factor, Product) ? Expr() : constant(Product);
  }
  std::pair<const void *, int64_t> Key(&X, Factor);
  if (auto Found = Scaled.find(Key); Found != Scaled.end())
    return Found->second;
  TermVector Terms(X.Terms.begin(), X.Terms.end());
  bool Overflow = false;
  for (Term &T : Terms)
    Overflow |= bool(MulOverflow(T.coefficient, Factor, T.coefficient));
  Expr Result = Overflow ? Expr() : polynomial(Terms);
  Scaled[Key] = Result;
  return Result;
}

Expr Context::Storage::mul(Expr A, Expr B) {
  if (!A || !B)
    return Expr();
  const Node *X = &Node::of(A), *Y = &Node::of(B);
  if (X->isConstant())
    return scale(B, X->constantValue());
  if (Y->isConstant())
    return scale(A, Y->constantValue());
  if (std::less<>()(Y, X))
    std::swap(X, Y);
  std::pair<const void *, const void *> Key(X, Y);
  if (auto Found = Products.find(Key); Found != Products.end())
    return Found->second;
  Expr Result;
  const size_t Made = X->Terms.size() * Y->Terms.size();
  if (Made > ManyProducts && Made <= MaxProducts)
    ManyProductsMade = std::min<size_t>(ManyProductsMade + Made, MaxManyProducts + 1);
  if (Made <= ManyProducts || (Made <= MaxProducts && ManyProductsMade <= MaxManyProducts)) {
    TermVector Terms;
    bool Overflow = false;
    SmallVector<Expr, 4> Factors;
    for (const Term &L : X->Terms)
      for (const Term &T : Y->Terms) {
        int64_t Coefficient;
        Overflow |= bool(MulOverflow(L.coefficient, T.coefficient, Coefficient));
        Factors.assign(L.factors.begin(), L.factors.end());
        Factors.append(T.factors.begin(), T.factors.end());
        Overflow |= Factors.size() > MaxWeight;
        if (Overflow)
          break;
        Terms.push_back({Coefficient, product(Factors)});
      }
    if (!Overflow)
      Result = polynomial(Terms);
  }
  Products[Key] = Result;
  return Result;
}

Expr Context::Storage::apply(Op Operation, unsigned Bits, ArrayRef<Expr> Operands) {
  size_t Expected = Operation == Op::Select ? 3 : Operation == Op::SExt || Operation == Op::ZExt ? 1 : 2;
  if (Bits < 1 || Bits > 64 || Operands.size() != Expected ||
      llvm::any_of(Operands, [](Expr E) { return !E; }))
    return Expr();
  OperationKey Key{{nullptr, nullptr, nullptr}, unsigned(Operation) << 8 | Bits};
  for (size_t I = 0; I < Expected; ++I)
    Key.Operands[I] = Operands[I].key();
  if (auto Found = Applied.find(Key); Found != Applied.end())
    return Found->second;
  Expr Result = simplify(Operation, Bits, Operands);
  Applied[Key] = Result;
  return Result;
}

Expr Context::Storage::operation(Op Operation, unsigned Bits, ArrayRef<Expr> Operands) {
  Node New;
  New.Kind = NodeKind::Operation;
  New.Operation = Operation;
  New.Bits = uint8_t(Bits);
  New.NumOperands = uint8_t(Operands.size());
  uint64_t Weight = 1;
  for (size_t I = 0; I < Operands.size(); ++I) {
    const Node &N = Node::of(Operands[I]);
    New.Operands[I] = Operands[I];
    New.Depth = std::max(New.Depth, N.Depth);
    New.AtomMask |= N.AtomMask;
    New.Sort = std::min(New.Sort, N.Sort);
    Weight += N.Weight;
  }
  if (++New.Depth > MaxDepth || Weight > MaxWeight)
    return Expr();
  New.Weight = unsigned(Weight);
  New.Known = operationFacts(Operation, Bits, Operands);
  if (New.Known.multipleOf == 0)
    New.Known.multipleOf = 1; // zero wherever it has a value, but not the constant
  auto *N = new (Arena) Node(New);
  N->Self = Node::handle(N);
  N->SelfTerm = {1, ArrayRef<Expr>(&N->Self, 1)};
  N->Terms = ArrayRef<Term>(&N->SelfTerm, 1);
  return N->Self;
}

//===-- Queries ------------------------------------------------------------===//

std::optional<int64_t> Expr::constant() const {
  if (!Impl || !Impl->isConstant())
    return std::nullopt;
  return Impl->constantValue();
}
bool Expr::isAtom() const { return Impl && Impl->Kind == NodeKind::Atom; }
StringRef Expr::atomName() const { return Impl ? Impl->Name : StringRef(); }
bool Expr::isUniform() const { return Impl && Impl->Sort == AtomSort::Uniform; }
Facts Expr::facts() const { return Impl ? Impl->Known : Facts(); }

namespace {
/// Visits every factor inside an expression once, outer ones first, until Visit returns false.
class Walker {
public:
  explicit Walker(function_ref<bool(const Node &)> V) : Visit(V) {}
  bool walk(Expr E) {
    for (const Term &T : Node::of(E).Terms)
      for (Expr F : T.factors) {
        const Node &N = Node::of(F);
        if (!Seen.insert(&N).second)
          continue;
        if (!Visit(N))
          return false;
        for (Expr Operand : N.operands())
          if (!walk(Operand))
            return false;
      }
    return true;
  }

private:
  function_ref<bool(const Node &)> Visit;
  SmallDenseSet<const Node *, 16> Seen;
};

bool containsFactor(Expr A, Expr Factor) {
  if (!A || !Factor)
    return false;
  const Node &Wanted = Node::of(Factor);
  if ((Node::of(A).AtomMask & Wanted.AtomMask) != Wanted.AtomMask)
    return false;
  if (A == Factor)
    return true;
  bool Found = false;
  Walker([&](const Node &N) {
    Found |= &N == &Wanted;
    return !Found;
  }).walk(A);
  return Found;
}

class Substitution {
public:
  Substitution(Context &Owner, Expr Old, Expr New) : C(Owner), Atom(Old), Replacement(New) {}
  Expr in(Expr E) {
    if (E == Atom)
      return Replacement;
    if (!containsFactor(E, Atom))
      return E;
    if (auto Found = Done.find(E.key()); Found != Done.end())
      return Found->second;
    const Node &N = Node::of(E);
    Expr Result;
    if (N.Kind == NodeKind::Operation) {
      SmallVector<Expr, 3> Operands;
      for (Expr Operand : N.operands())
        Operands.push_back(in(Operand));
      Result = C.apply(N.Operation, N.Bits, Operands);
    } else {
      SmallVector<Expr, 8> Summands;
      for (const Term &T : N.Terms) {
        Expr Product = C.constant(T.coefficient);
        for (Expr F : T.factors)
          Product = C.mul(Product, in(F));
        Summands.push_back(Product);
      }
      Result = C.sum(Summands);
    }
    Done[E.key()] = Result;
    return Result;
  }

private:
  Context &C;
  Expr Atom, Replacement;
  DenseMap<const void *, Expr> Done;
};

class Evaluation {
public:
  explicit Evaluation(function_ref<std::optional<int64_t>(StringRef)> Lookup) : Value(Lookup) {}
  std::optional<int64_t> polynomial(Expr E) {
    uint64_t Sum = 0;
    for (const Term &T : Node::of(E).Terms) {
      uint64_t Product = uint64_t(T.coefficient);
      for (Expr F : T.factors) {
        std::optional<int64_t> V = factor(Node::of(F));
        if (!V)
          return std::nullopt;
        Product *= uint64_t(*V);
      }
      Sum += Product;
    }
    return int64_t(Sum);
  }

private:
  std::optional<int64_t> factor(const Node &N) {
    if (N.Kind == NodeKind::Atom)
      return Value(N.Name);
    // Shared operands would otherwise be evaluated once per path to them.
    bool Remember = N.Weight > 32;
    if (Remember)
      if (auto Found = Done.find(&N); Found != Done.end())
        return Found->second;
    std::optional<int64_t> Result = operation(N);
    if (Remember)
      Done[&N] = Result;
    return Result;
  }
  std::optional<int64_t> operation(const Node &N) {
    if (N.Operation == Op::Select) {
      std::optional<int64_t> Condition = polynomial(N.Operands[0]);
      if (!Condition)
        return std::nullopt;
      return polynomial(N.Operands[*Condition ? 1 : 2]);
    }
    int64_t Values[3];
    for (unsigned I = 0; I < N.NumOperands; ++I) {
      std::optional<int64_t> V = polynomial(N.Operands[I]);
      if (!V)
        return std::nullopt;
      Values[I] = *V;
    }
    return evaluateOperation(N.Operation, N.Bits, ArrayRef<int64_t>(Values, N.NumOperands));
  }

  function_ref<std::optional<int64_t>(StringRef)> Value;
  SmallDenseMap<const Node *, std::optional<int64_t>, 4> Done;
};
} // namespace

//===-- Context ------------------------------------------------------------===//

Context::Context() : S(std::make_unique<Storage>()) {}
Context::~Context() = default;

Expr Context::constant(int64_t Value) { return S->constant(Value); }
Expr Context::atom(StringRef Name, AtomSort Sort, Facts Known) { return S->atom(Name, Sort, Known); }
Expr Context::findAtom(StringRef Name) const {
  auto Found = S->Atoms.find(Name);
  return Found == S->Atoms.end() ? Expr() : Node::handle(Found->second);
}
Expr Context::add(Expr A, Expr B) { return S->add(A, B); }
Expr Context::sub(Expr A, Expr B) { return S->sub(A, B); }
Expr Context::mul(Expr A, Expr B) { return S->mul(A, B); }
Expr Context::neg(Expr A) { return S->scale(A, -1); }
Expr Context::scale(Expr A, int64_t Factor) { return S->scale(A, Factor); }
Expr Context::sum(ArrayRef<Expr> Summands) { return S->sum(Summands); }
Expr Context::apply(Op Operation, unsigned Bits, ArrayRef<Expr> Operands) {
  return S->apply(Operation, Bits, Operands);
}

ArrayRef<Term> Context::terms(Expr A) { return A ? Node::of(A).Terms : ArrayRef<Term>(); }

std::optional<Expr> Context::coefficient(Expr A, Expr Atom) {
  if (!A || !Atom || !Node::of(Atom).isFactor())
    return std::nullopt;
  TermVector Terms;
  for (const Term &T : Node::of(A).Terms) {
    SmallVector<Expr, 4> Others;
    for (Expr F : T.factors) {
      if (F != Atom) {
        if (containsFactor(F, Atom))
          return std::nullopt;
        Others.push_back(F);
      }
    }
    if (Others.size() == T.factors.size())
      continue;
    if (Others.size() + 1 != T.factors.size())
      return std::nullopt;
    Terms.push_back({T.coefficient, S->product(Others)});
  }
  Expr Result = S->polynomial(Terms);
  if (!Result)
    return std::nullopt;
  return Result;
}

bool Context::contains(Expr A, Expr Atom) { return containsFactor(A, Atom); }

std::vector<Expr> Context::atoms(Expr A) {
  std::vector<Expr> Result;
  if (!A)
    return Result;
  Walker([&](const Node &N) {
    if (N.Kind == NodeKind::Atom)
      Result.push_back(N.Self);
    return true;
  }).walk(A);
  llvm::sort(Result, [](Expr X, Expr Y) { return X.atomName() < Y.atomName(); });
  return Result;
}

Expr Context::substitute(Expr A, Expr Atom, Expr Replacement) {
  if (!A || !Atom)
    return Expr();
  return Substitution(*this, Atom, Replacement).in(A);
}

std::optional<int64_t> Context::evaluate(Expr A,
                                         function_ref<std::optional<int64_t>(StringRef)> Value) const {
  if (!A)
    return std::nullopt;
  return Evaluation(Value).polynomial(A);
}

} // namespace warplint::index
