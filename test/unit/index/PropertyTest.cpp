//===-- PropertyTest.cpp - Random index expressions against brute force ---===//
//
// A random tree is built twice: through a Context, which simplifies, and as a plain tree with a naive
// evaluator that shares no code with the layer. Both must agree in every lane of several warps and block
// shapes, wherever the sums and products of the tree do not wrap. Seeds are fixed: a failure repeats.
//
//===----------------------------------------------------------------------===//
#include "analyzer/index/Expr.h"
#include "gtest/gtest.h"
#include <array>
#include <deque>
#include <map>
#include <random>

using namespace warplint::index;

namespace {
using Wide = __int128;
constexpr int64_t Min64 = std::numeric_limits<int64_t>::min();
constexpr int64_t Max64 = std::numeric_limits<int64_t>::max();

//===-- The naive tree -----------------------------------------------------===//

struct Tree {
  enum Kind { Constant, Atom, Add, Sub, Mul, Neg, Operation } kind;
  int64_t value = 0; // of a constant; the atom's number
  Op op = Op::DivTrunc;
  unsigned bits = 32;
  std::vector<const Tree *> children;
};

Wide power2(unsigned Exponent) { return Wide(1) << Exponent; }

Wide floorModulo(Wide A, Wide Modulus) {
  Wide R = A % Modulus;
  return R < 0 ? R + Modulus : R;
}
Wide unsignedValue(Wide A, unsigned Bits) { return floorModulo(A, power2(Bits)); }
Wide signedValue(Wide A, unsigned Bits) {
  Wide U = unsignedValue(A, Bits);
  return U >= power2(Bits - 1) ? U - power2(Bits) : U;
}

std::optional<Wide> naive(Op Operation, unsigned Bits, Wide X, Wide Y) {
  Wide A = signedValue(X, Bits), B = signedValue(Y, Bits);
  Wide UA = unsignedValue(X, Bits), UB = unsignedValue(Y, Bits);
  auto Result = [&](Wide V) { return Bits == 1 ? unsignedValue(V, 1) : signedValue(V, Bits); };
  bool ShiftOutOfRange = UB >= Bits;
  switch (Operation) {
  case Op::DivTrunc:
  case Op::RemTrunc:
  case Op::DivFloor:
  case Op::Mod: {
    if (B == 0)
      return std::nullopt;
    Wide Size = (A < 0 ? -A : A) / (B < 0 ? -B : B);
    Wide Quotient = (A < 0) == (B < 0) ? Size : -Size;
    if ((Operation == Op::DivFloor || Operation == Op::Mod) && Quotient * B != A && (A < 0) != (B < 0))
      Quotient -= 1;
    return Result(Operation == Op::DivTrunc || Operation == Op::DivFloor ? Quotient : A - Quotient * B);
  }
  case Op::Shl:
    return ShiftOutOfRange
               ? std::nullopt
               : std::optional(Result(floorModulo(UA, power2(Bits - unsigned(UB))) * power2(unsigned(UB))));
  case Op::AShr: {
    if (ShiftOutOfRange)
      return std::nullopt;
    Wide D = power2(unsigned(UB));
    return Result((A - floorModulo(A, D)) / D);
  }
  case Op::LShr:
    return ShiftOutOfRange ? std::nullopt : std::optional(Result(UA / power2(unsigned(UB))));
  case Op::And:
  case Op::Or:
  case Op::Xor: {
    Wide V = 0;
    for (unsigned I = 0; I < Bits; ++I) {
      int P = int(UA / power2(I) % 2), Q = int(UB / power2(I) % 2);
      int R = Operation == Op::And ? P * Q : Operation == Op::Or ? P + Q - P * Q : (P + Q) % 2;
      V += R * power2(I);
    }
    return Result(V);
  }
  case Op::Min:
    return Result(A < B ? A : B);
  case Op::Max:
    return Result(A < B ? B : A);
  case Op::Eq:
    return UA == UB;
  case Op::Ne:
    return UA != UB;
  case Op::Lt:
    return A < B;
  case Op::Le:
    return A <= B;
  case Op::ULt:
    return UA < UB;
  case Op::ULe:
    return UA <= UB;
  case Op::SExt:
    return A;
  case Op::ZExt:
    return Bits == 64 ? A : UA;
  case Op::Select:
    break;
  }
  return std::nullopt;
}

using Values = std::vector<int64_t>;

/// Nothing where the tree has no value or a sum or product leaves 64 bits.
std::optional<int64_t> naive(const Tree &T, const Values &Atoms) {
  auto Child = [&](size_t I) { return naive(*T.children[I], Atoms); };
  auto Narrow = [](std::optional<Wide> V) -> std::optional<int64_t> {
    if (!V || *V < Min64 || *V > Max64)
      return std::nullopt;
    return int64_t(*V);
  };
  switch (T.kind) {
  case Tree::Constant:
    return T.value;
  case Tree::Atom:
    return Atoms[size_t(T.value)];
  case Tree::Neg: {
    auto A = Child(0);
    return A ? Narrow(-Wide(*A)) : std::nullopt;
  }
  case Tree::Add:
  case Tree::Sub:
  case Tree::Mul: {
    auto A = Child(0), B = Child(1);
    if (!A || !B)
      return std::nullopt;
    return Narrow(T.kind == Tree::Add ? Wide(*A) + *B : T.kind == Tree::Sub ? Wide(*A) - *B : Wide(*A) * *B);
  }
  case Tree::Operation:
    break;
  }
  if (T.op == Op::Select) {
    auto Condition = Child(0);
    return Condition ? Child(*Condition ? 1 : 2) : std::nullopt;
  }
  auto A = Child(0);
  auto B = T.children.size() > 1 ? Child(1) : std::optional<int64_t>(0);
  if (!A || !B)
    return std::nullopt;
  return Narrow(naive(T.op, T.bits, *A, *B));
}

Expr build(Context &C, const Tree &T, const std::vector<Expr> &Atoms) {
  std::vector<Expr> Children;
  for (const Tree *Child : T.children)
    Children.push_back(build(C, *Child, Atoms));
  switch (T.kind) {
  case Tree::Constant:
    return C.constant(T.value);
  case Tree::Atom:
    return Atoms[size_t(T.value)];
  case Tree::Add:
    return C.add(Children[0], Children[1]);
  case Tree::Sub:
    return C.sub(Children[0], Children[1]);
  case Tree::Mul:
    return C.mul(Children[0], Children[1]);
  case Tree::Neg:
    return C.neg(Children[0]);
  case Tree::Operation:
    break;
  }
  return C.apply(T.op, T.bits, Children);
}

//===-- Random trees -------------------------------------------------------===//

struct AtomSpec {
  const char *name;
  AtomSort sort;
  Facts facts;
};

const std::vector<AtomSpec> &uniformAtoms() {
  constexpr auto U = AtomSort::Uniform;
  static const std::vector<AtomSpec> Specs = {
      {"n", U, {}},
      {"m", U, {INT32_MIN, INT32_MAX, 1}},
      {"k", U, {0, INT32_MAX, 1}},
      {"pitch", U, {1, 1024, 1}},
      {"rows", U, {0, 65536, 32}},
      {"byte", U, {0, 255, 1}},
      {"flag", U, {0, 1, 1}},
      {"below", U, {-128, -1, 1}},
      {"big", U, {0, Max64, 4}},
      {"c.pos3[0]", U, {-1000, 1000, 8}},
      {"ns::value<3>", U, {3, 96, 3}},
      {"small", U, {-8, 7, 1}},
      {"word", U, {0, 0xffffffff, 1}},
  };
  return Specs;
}

class Forest {
public:
  Forest(uint64_t Seed, size_t Count) : Random(Seed), NumAtoms(Count) {}

  const Tree *tree(int Depth) {
    if (Depth <= 0 || pick(8) == 0)
      return leaf();
    // Operands that meet again are what the rules look for.
    if (!Pool.empty() && pick(6) == 0)
      return Pool[pick(Pool.size())];
    const Tree *Result = pick(4) == 0 ? idiom(Depth) : node(Depth);
    Pool.push_back(Result);
    if (Pool.size() > 6)
      Pool.erase(Pool.begin());
    return Result;
  }
  void forget() {
    Pool.clear();
    Trees.clear();
  }
  size_t pick(size_t Count) { return size_t(Random() % Count); }

  int64_t valueOf(const Facts &F) {
    Wide Low = F.minimum, High = F.maximum;
    Wide V;
    switch (pick(6)) {
    case 0:
      V = Low;
      break;
    case 1:
      V = High;
      break;
    case 2:
      V = Low + Wide(pick(40));
      break;
    case 3: // around zero and around powers of two
      V = (pick(2) ? 1 : -1) * (power2(unsigned(pick(64))) + Wide(pick(5)) - 2);
      break;
    default:
      V = Low + Wide((unsigned __int128)(Random()) % ((unsigned __int128)(High - Low) + 1));
    }
    V = std::min(std::max(V, Low), High);
    auto Step = Wide(F.multipleOf);
    V -= floorModulo(V, Step);
    return int64_t(V < Low ? V + Step : V);
  }

private:
  Tree *make(Tree T) {
    Trees.push_back(std::move(T));
    return &Trees.back();
  }
  const Tree *constant(int64_t V) { return make({Tree::Constant, V, Op::DivTrunc, 32, {}}); }
  const Tree *leaf() {
    if (pick(4) == 0)
      return constant(interestingConstant());
    // Thread indices, which come first, are half of all atoms.
    size_t Atom = pick(2) ? pick(3) : pick(NumAtoms);
    return make({Tree::Atom, int64_t(Atom), Op::DivTrunc, 32, {}});
  }
  int64_t interestingConstant() {
    switch (pick(7)) {
    case 0:
      return int64_t(1) << pick(12);
    case 1:
      return (int64_t(1) << pick(12)) - 1;
    case 2:
      return -(int64_t(1) << pick(8));
    case 3:
      return int64_t(pick(200)) - 20;
    case 4: {
      const int64_t Extremes[] = {Min64,      Max64, INT32_MIN, INT32_MAX, int64_t(1) << 32,
                                  0xffffffff, -129,  128,       255,       256};
      return Extremes[pick(10)];
    }
    default:
      return int64_t(pick(6));
    }
  }
  unsigned width() {
    const unsigned Widths[] = {32, 32, 32, 32, 64, 64, 64, 16, 8, 8, 1, 63, 33, 31, 5, 2};
    return Widths[pick(16)];
  }
  // Children come as lists: the order in which arguments are evaluated, so of random numbers, is a compiler's
  // own.
  const Tree *binary(Tree::Kind K, std::vector<const Tree *> Children) {
    return make({K, 0, Op::DivTrunc, 32, std::move(Children)});
  }
  const Tree *operation(Op O, unsigned Bits, std::vector<const Tree *> Children) {
    return make({Tree::Operation, 0, O, Bits, std::move(Children)});
  }
  const Tree *node(int Depth) {
    switch (pick(12)) {
    case 0:
    case 1:
      return binary(Tree::Add, {tree(Depth - 1), tree(Depth - 1)});
    case 2:
      return binary(Tree::Sub, {tree(Depth - 1), tree(Depth - 1)});
    case 3:
      return binary(Tree::Mul, {tree(Depth - 1), constant(interestingConstant())});
    case 4:
      return pick(2) ? binary(Tree::Mul, {tree(Depth - 1), tree(Depth - 2)})
                     : make({Tree::Neg, 0, Op::DivTrunc, 32, {tree(Depth - 1)}});
    default:
      break;
    }
    Op O = Op(pick(size_t(Op::ZExt) + 1));
    if (O == Op::Select)
      return operation(O, 32, {tree(Depth - 1), tree(Depth - 1), tree(Depth - 1)});
    if (O == Op::SExt || O == Op::ZExt) {
      unsigned Bits = width();
      return operation(O, Bits, {tree(Depth - 1)});
    }
    bool Constant = pick(3) != 0;
    const Tree *Left = tree(Depth - 1), *Right = Constant ? constant(interestingConstant()) : tree(Depth - 1);
    if (O == Op::Shl || O == Op::AShr || O == Op::LShr)
      Right = pick(5) ? constant(int64_t(pick(8))) : Right;
    unsigned Bits = width();
    return operation(O, Bits, {Left, Right});
  }
  /// The shapes of index arithmetic that the rules are about.
  const Tree *idiom(int Depth) {
    const Tree *I = tree(Depth - 1);
    unsigned Bits = pick(3) ? 32 : width();
    const Tree *W = pick(3) ? constant(pick(3) ? int64_t(1) << pick(7) : int64_t(pick(50))) : leaf();
    bool Floor = pick(2);
    Op Div = Floor ? Op::DivFloor : Op::DivTrunc, Rem = (pick(8) == 0) != Floor ? Op::Mod : Op::RemTrunc;
    switch (pick(10)) {
    case 0:
      return binary(Tree::Add,
                    {binary(Tree::Mul, {operation(Div, Bits, {I, W}), W}), operation(Rem, Bits, {I, W})});
    case 1:
      return binary(Tree::Sub, {I, operation(Rem, Bits, {I, W})});
    case 2:
      return operation(Div, Bits, {operation(Div, Bits, {I, W}), constant(int64_t(1) << pick(5))});
    case 3: {
      Op Outer = pick(2) ? Div : Rem;
      return operation(Outer, Bits, {binary(Tree::Add, {binary(Tree::Mul, {I, W}), leaf()}), W});
    }
    case 4: {
      const Tree *High = binary(Tree::Mul, {I, constant(int64_t(1) << pick(8))});
      Op Join[] = {Op::Or, Op::Xor, Op::And};
      Op Joined = Join[pick(3)];
      return operation(Joined, Bits, {High, tree(Depth - 1)});
    }
    case 8: { // a tile row and a column, swizzled
      const Tree *Row = binary(Tree::Mul, {leaf(), constant(int64_t(1) << pick(8))});
      const Tree *Column = binary(Tree::Mul, {leaf(), constant(int64_t(1 + pick(5)))});
      Op Swizzle[] = {Op::Xor, Op::Or, Op::And};
      Op Chosen = Swizzle[pick(3)];
      return operation(Chosen, Bits, {binary(Tree::Add, {Row, Column}), leaf()});
    }
    case 5:
      return operation(Rem, Bits, {operation(Rem, Bits, {I, constant(int64_t(1) << pick(9))}), W});
    case 6: {
      Op Compare[] = {Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::ULt, Op::ULe};
      Op Compared = Compare[pick(6)];
      return operation(Compared, Bits, {binary(Tree::Add, {I, leaf()}), I});
    }
    case 7:
      return operation(Op::And, Bits,
                       {I, constant(pick(2) ? (int64_t(1) << pick(9)) - 1 : -(int64_t(1) << pick(9)))});
    default:
      return operation(
          Op::Xor, Bits,
          {operation(Op::Xor, Bits, {I, constant(int64_t(pick(9)))}), constant(int64_t(pick(9)))});
    }
  }

  std::mt19937_64 Random;
  size_t NumAtoms;
  std::deque<Tree> Trees;
  std::vector<const Tree *> Pool;
};

//===-- The properties -----------------------------------------------------===//

class EveryBlockShape : public testing::TestWithParam<std::array<int, 3>> {};

TEST_P(EveryBlockShape, AgreesWithBruteForce) {
  auto [Dx, Dy, Dz] = GetParam();
  const int Threads = Dx * Dy * Dz, Warps = (Threads + 31) / 32;
  std::vector<AtomSpec> Specs = {{"threadIdx.x", AtomSort::LaneVarying, {0, Dx - 1, 1}},
                                 {"threadIdx.y", AtomSort::LaneVarying, {0, Dy - 1, 1}},
                                 {"threadIdx.z", AtomSort::LaneVarying, {0, Dz - 1, 1}},
                                 {"gathered[threadIdx.x]", AtomSort::LaneVarying, {-500, 70000, 1}}};
  Specs.insert(Specs.end(), uniformAtoms().begin(), uniformAtoms().end());
  std::map<std::string, size_t, std::less<>> Numbers;
  for (size_t I = 0; I < Specs.size(); ++I)
    Numbers[Specs[I].name] = I;

  Forest Random(uint64_t(Dx * 10007 + Dy * 101 + Dz), Specs.size());
  size_t Compared = 0, Built = 0;
  constexpr int Trees = 2500;
  std::unique_ptr<Context> Owner;
  std::vector<Expr> Atoms;
  for (int Round = 0; Round < Trees; ++Round) {
    if (Round % 100 == 0) {
      Owner = std::make_unique<Context>();
      Atoms.clear();
      for (const AtomSpec &A : Specs)
        Atoms.push_back(Owner->atom(A.name, A.sort, A.facts));
    }
    Context &C = *Owner;
    Random.forget();
    const Tree *T = Random.tree(1 + Round % 5);
    Expr E = build(C, *T, Atoms);
    if (!E)
      continue;
    ++Built;
    std::string Text = C.print(E);

    auto Again = C.parse(Text);
    ASSERT_TRUE(bool(Again)) << Text << ": " << llvm::toString(Again.takeError());
    ASSERT_TRUE(*Again == E) << Text << "\n  reads back as\n" << C.print(*Again);

    Facts F = E.facts();
    ASSERT_LE(F.minimum, F.maximum) << Text;
    ASSERT_TRUE(F.multipleOf != 0 || E.constant() == 0) << Text;

    size_t Replaced = Random.pick(Specs.size());
    ASSERT_EQ(C.contains(E, Atoms[Replaced]), llvm::is_contained(C.atoms(E), Atoms[Replaced])) << Text;
    int64_t Fixed = Random.valueOf(Specs[Replaced].facts);
    Expr Substituted = C.substitute(E, Atoms[Replaced], C.constant(Fixed));
    ASSERT_TRUE(!Substituted || !C.contains(Substituted, Atoms[Replaced])) << Text;
    if (auto Linear = C.coefficient(E, Atoms[Replaced])) {
      Expr Rest = C.sub(E, C.mul(*Linear, Atoms[Replaced]));
      ASSERT_FALSE(C.contains(*Linear, Atoms[Replaced])) << Text;
      // The negative of the smallest coefficient does not fit.
      bool Negatable = Text.find("-9223372036854775808") == std::string::npos;
      ASSERT_TRUE(Rest ? !C.contains(Rest, Atoms[Replaced]) : !Negatable) << Text;
    } else {
      ASSERT_TRUE(C.contains(E, Atoms[Replaced])) << Text;
    }

    for (int Sample = 0; Sample < 4; ++Sample) {
      int Warp = int(Random.pick(size_t(Warps)));
      Values Value;
      for (const AtomSpec &A : Specs)
        Value.push_back(Random.valueOf(A.facts));
      for (int Lane = 0; Lane < 32 && Warp * 32 + Lane < Threads; ++Lane) {
        int Thread = Warp * 32 + Lane;
        Value[0] = Thread % Dx;
        Value[1] = Thread / Dx % Dy;
        Value[2] = Thread / (Dx * Dy);
        Value[3] = Random.valueOf(Specs[3].facts);
        // The last sample looks at the expression with one atom fixed.
        bool Fix = Sample == 3 && Substituted;
        if (Fix)
          Value[Replaced] = Fixed;
        std::optional<int64_t> Expected = naive(*T, Value);
        if (!Expected)
          continue;
        ++Compared;
        auto Lookup = [&](llvm::StringRef Name) -> std::optional<int64_t> {
          return Value[Numbers.find(std::string_view(Name))->second];
        };
        auto Where = [&] {
          std::string S = Text;
          for (size_t I = 0; I < Specs.size(); ++I)
            S += std::string("\n  ") + Specs[I].name + " = " + std::to_string(Value[I]);
          return S;
        };
        std::optional<int64_t> Got = C.evaluate(E, Lookup);
        ASSERT_EQ(Got, Expected) << Where();
        ASSERT_TRUE(*Expected >= F.minimum && *Expected <= F.maximum)
            << *Expected << " not in [" << F.minimum << ", " << F.maximum << "]: " << Where();
        ASSERT_TRUE(F.multipleOf == 0 ? *Expected == 0 : Wide(*Expected) % Wide(F.multipleOf) == 0)
            << *Expected << " not a multiple of " << F.multipleOf << ": " << Where();
        if (Fix) {
          ASSERT_EQ(C.evaluate(Substituted, Lookup), Expected) << C.print(Substituted) << "\nfrom\n"
                                                               << Where();
        }
      }
    }
  }
  EXPECT_GT(Built, size_t(Trees) * 9 / 10);
  EXPECT_GT(Compared, size_t(Trees) * 20);
}

INSTANTIATE_TEST_SUITE_P(Expr, EveryBlockShape,
                         testing::Values(std::array{256, 1, 1}, std::array{32, 8, 1}, std::array{16, 16, 1},
                                         std::array{8, 4, 4}, std::array{48, 1, 1}, std::array{7, 5, 3}));
} // namespace
