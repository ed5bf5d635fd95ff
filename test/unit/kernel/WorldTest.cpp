//===-- WorldTest.cpp - Every operation on warp values, at every point of the box -----------===//
#include "analyzer/kernel/World.h"
#include "gtest/gtest.h"
#include <functional>
#include <memory>
#include <random>

using namespace warplint;
using namespace warplint::kernel;
using index::Op;

namespace {

constexpr const char *Names[] = {"blockIdx.x", "blockIdx.y", "blockIdx.z", "warp.x", "warp.y", "warp.z"};

class WorldProperties : public ::testing::Test {
protected:
  std::mt19937_64 Random{7};
  index::Context Context;
  std::unique_ptr<World> W;
  unsigned Bits = 32;

  unsigned below(uint64_t N) { return unsigned(Random() % N); }
  int64_t number() {
    static constexpr int64_t Some[] = {0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 33, 64, 100, 127, 128, 255, 256, 1000, 4096};
    int64_t V = below(8) ? Some[below(std::size(Some))] : int64_t(Random());
    if (below(4) == 0)
      V = -V;
    return signExtend(V, Bits);
  }

  /// A world with a small box; the sample is one of its points.
  void start() {
    W = std::make_unique<World>(Context);
    for (unsigned D = 0; D < DimensionCount; ++D) {
      int64_t Low = below(3) ? 0 : below(5), Size = below(3) ? 1 : 1 + below(5);
      W->box[D] = {Low, Low + Size - 1};
      W->sample[D] = Low + below(uint64_t(Size));
    }
    W->active = below(3) ? AllLanes : LaneMask(Random()) | 1;
    static constexpr unsigned Widths[] = {32, 32, 32, 64, 16, 8};
    Bits = Widths[below(6)];
  }

  int64_t at(const WarpValue &V, unsigned Lane, const std::array<int64_t, 6> &Point) {
    if (!V.shift)
      return V.at(Lane);
    auto Shift = [&](const std::array<int64_t, 6> &P) {
      return *Context.evaluate(V.shift, [&](llvm::StringRef Name) -> std::optional<int64_t> {
        for (unsigned D = 0; D < DimensionCount; ++D)
          if (Name == Names[D])
            return P[D];
        return std::nullopt;
      });
    };
    return int64_t(uint64_t(V.at(Lane)) + uint64_t(Shift(Point)) - uint64_t(Shift(W->sample)));
  }

  /// A value of the current width that may move; it narrows the box to be one.
  WarpValue value() {
    WarpValue V = WarpValue::constant(number());
    if (below(3)) {
      std::array<int64_t, 32> L;
      int64_t Stride = number(), Base = number();
      unsigned Kind = below(3);
      for (unsigned I = 0; I < 32; ++I)
        L[I] = signExtend(Kind == 0   ? int64_t(uint64_t(Base) + uint64_t(Stride) * I)
                          : Kind == 1 ? int64_t(I % 8)
                                      : number(),
                          Bits);
      V = WarpValue::lanes(L);
    }
    for (unsigned D = 0; D < DimensionCount; ++D)
      if (below(3) == 0) {
        WarpValue Part = W->dimension(Dimension(D), below(2) ? 1 : number() % 1000000);
        if (below(6) == 0)
          Part = W->mul(Part, W->dimension(Dimension(below(DimensionCount)), 1), 64, true);
        V = W->add(V, Part, 64, true);
      }
    return W->truncate(V, Bits);
  }

  void forPoints(const std::function<void(const std::array<int64_t, 6> &)> &F) {
    std::array<int64_t, 6> P;
    std::function<void(unsigned)> Walk = [&](unsigned D) {
      if (D == DimensionCount)
        return F(P);
      for (P[D] = W->box[D].low; P[D] <= W->box[D].high; ++P[D])
        Walk(D + 1);
    };
    Walk(0);
  }

  using Reference = std::function<std::optional<int64_t>(int64_t, int64_t)>;
  using Operation = std::function<WarpValue(const WarpValue &, const WarpValue &)>;

  /// `F` must agree with `Expected` in all active lanes at all points of what it leaves of the box.
  void check(const char *Name, const Operation &F, const Reference &Expected,
             const std::function<WarpValue()> &Second = nullptr) {
    for (unsigned Round = 0; Round < 3000; ++Round) {
      start();
      WarpValue A = value(), B = Second ? Second() : value();
      Box Before = W->box;
      WarpValue R = F(A, B);
      EXPECT_EQ(R.soft, 0u);
      for (unsigned D = 0; D < DimensionCount; ++D) {
        ASSERT_LE(W->box[D].low, W->sample[D]);
        ASSERT_GE(W->box[D].high, W->sample[D]);
        ASSERT_GE(W->box[D].low, Before[D].low);
        ASSERT_LE(W->box[D].high, Before[D].high);
      }
      bool Failed = false;
      forPoints([&](const std::array<int64_t, 6> &P) {
        forLanes(W->active & ~R.unknown, [&](unsigned L) {
          int64_t X = at(A, L, P), Y = at(B, L, P);
          std::optional<int64_t> E = Expected(X, Y);
          if (!E || Failed)
            return;
          Failed = at(R, L, P) != *E;
          EXPECT_EQ(at(R, L, P), *E) << Name << " of " << X << " and " << Y << " at " << Bits << " bits, lane " << L
                                     << ", round " << Round;
        });
      });
      if (Failed)
        return;
    }
  }
  int64_t wrap(int64_t V) { return signExtend(V, Bits); }
  uint64_t bits(int64_t V) { return lowBits(V, Bits); }
};

} // namespace

TEST_F(WorldProperties, AddSubMul) {
  check("add", [&](auto &A, auto &B) { return W->add(A, B, Bits, false); },
        [&](int64_t X, int64_t Y) { return wrap(int64_t(uint64_t(X) + uint64_t(Y))); });
  check("sub", [&](auto &A, auto &B) { return W->sub(A, B, Bits, false); },
        [&](int64_t X, int64_t Y) { return wrap(int64_t(uint64_t(X) - uint64_t(Y))); });
  check("mul", [&](auto &A, auto &B) { return W->mul(A, B, Bits, false); },
        [&](int64_t X, int64_t Y) { return wrap(int64_t(uint64_t(X) * uint64_t(Y))); });
}

TEST_F(WorldProperties, Division) {
  for (bool Constant : {true, false}) {
    std::function<WarpValue()> Second;
    if (Constant)
      Second = [&] { return WarpValue::constant(number()); };
    for (bool Signed : {true, false})
      for (bool Remainder : {true, false})
        check(
            "divide", [&](auto &A, auto &B) { return W->divide(A, B, Bits, Signed, Remainder); },
            [&](int64_t X, int64_t Y) -> std::optional<int64_t> {
              if (Y == 0)
                return std::nullopt;
              if (!Signed)
                return wrap(int64_t(Remainder ? bits(X) % bits(Y) : bits(X) / bits(Y)));
              if (Y == -1 && X == signExtend(int64_t(uint64_t(1) << (Bits - 1)), Bits))
                return std::nullopt;
              return Remainder ? X % Y : X / Y;
            },
            Second);
  }
}

TEST_F(WorldProperties, Bits) {
  auto Mask = [&] {
    static constexpr int64_t Masks[] = {1, 3, 7, 15, 31, 127, 255, -1, -2, -8, -32, -128, 5, 0};
    return WarpValue::constant(signExtend(Masks[below(std::size(Masks))], Bits));
  };
  for (Op O : {Op::And, Op::Or, Op::Xor})
    for (bool Low : {true, false})
      check(
          "bitwise", [&](auto &A, auto &B) { return W->bitwise(O, A, B, Bits); },
          [&](int64_t X, int64_t Y) { return wrap(O == Op::And ? X & Y : O == Op::Or ? X | Y : X ^ Y); },
          Low ? std::function<WarpValue()>(Mask) : nullptr);
}

TEST_F(WorldProperties, Shifts) {
  auto Amount = [&] {
    if (below(4))
      return WarpValue::constant(below(Bits));
    std::array<int64_t, 32> L;
    for (int64_t &X : L)
      X = below(Bits);
    return WarpValue::lanes(L);
  };
  check(
      "shl", [&](auto &A, auto &B) { return W->shiftLeft(A, B, Bits, false); },
      [&](int64_t X, int64_t Y) { return wrap(int64_t(uint64_t(X) << Y)); }, Amount);
  check(
      "ashr", [&](auto &A, auto &B) { return W->shiftRight(A, B, Bits, true); },
      [&](int64_t X, int64_t Y) { return X >> Y; }, Amount);
  check(
      "lshr", [&](auto &A, auto &B) { return W->shiftRight(A, B, Bits, false); },
      [&](int64_t X, int64_t Y) { return wrap(int64_t(bits(X) >> Y)); }, Amount);
}

TEST_F(WorldProperties, Comparison) {
  for (Op O : {Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::ULt, Op::ULe})
    check("compare", [&](auto &A, auto &B) { return W->compare(O, A, B, Bits); },
          [&](int64_t X, int64_t Y) -> int64_t {
            switch (O) {
            case Op::Eq: return X == Y;
            case Op::Ne: return X != Y;
            case Op::Lt: return X < Y;
            case Op::Le: return X <= Y;
            case Op::ULt: return bits(X) < bits(Y);
            default: return bits(X) <= bits(Y);
            }
          });
  for (bool Maximum : {true, false})
    for (bool Signed : {true, false})
      check("minimum or maximum", [&](auto &A, auto &B) { return W->minimumMaximum(Maximum, Signed, A, B, Bits); },
            [&](int64_t X, int64_t Y) {
              bool Less = Signed ? X < Y : bits(X) < bits(Y);
              return Less == Maximum ? Y : X;
            });
}

TEST_F(WorldProperties, Widths) {
  unsigned To = 8;
  check("truncate", [&](auto &A, auto &) { return W->truncate(A, To = std::min(Bits, 8u << below(3))); },
        [&](int64_t X, int64_t) { return signExtend(X, To); });
  check("zero extension", [&](auto &A, auto &) { return W->zeroExtend(A, Bits); },
        [&](int64_t X, int64_t) { return int64_t(bits(X)); });
}

TEST_F(WorldProperties, Pieces) {
  LaneMask Mask = 0;
  for (unsigned Round = 0; Round < 3000; ++Round) {
    start();
    WarpValue A = value(), B = value(), C = W->compare(Op::Lt, value(), value(), Bits);
    Mask = LaneMask(Random());
    WarpValue M = W->merge(A, B, Mask), S = W->select(C, A, B), J = W->join(A, B, Mask), P = W->pin(A);
    forPoints([&](const std::array<int64_t, 6> &At) {
      for (unsigned L = 0; L < 32; ++L)
        ASSERT_EQ(at(M, L, At), at(Mask >> L & 1 ? B : A, L, At));
      forLanes(W->active, [&](unsigned L) {
        ASSERT_EQ(at(S, L, At), at(C.at(L) ? A : B, L, At));
        ASSERT_EQ(at(P, L, At), at(A, L, At));
      });
      forLanes(W->active & Mask & ~J.unknown, [&](unsigned L) {
        ASSERT_EQ(at(J, L, At), at(A, L, At));
        ASSERT_EQ(at(J, L, At), at(B, L, At));
      });
    });
    ASSERT_FALSE(P.shift);
  }
}

TEST_F(WorldProperties, Range) {
  for (unsigned Round = 0; Round < 3000; ++Round) {
    start();
    WarpValue A = value();
    Interval I = W->range(A.shift);
    forPoints([&](const std::array<int64_t, 6> &P) {
      int64_t Moved = at(A, 0, P) - A.at(0);
      ASSERT_LE(I.low, Moved);
      ASSERT_GE(I.high, Moved);
    });
  }
}
