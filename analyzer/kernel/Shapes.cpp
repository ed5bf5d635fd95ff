#include "analyzer/kernel/Shapes.h"

namespace warplint::kernel {

/// A single warp, its lanes as they are.
static WarpShape singleWarp(std::array<unsigned, 3> B, unsigned Warp) {
  WarpShape S;
  S.lanes = 0;
  for (unsigned L = 0; L < 32; ++L) {
    unsigned Id = Warp * 32 + L;
    if (Id < B[0] * B[1] * B[2])
      S.lanes |= LaneMask(1) << L;
    S.thread[0][L] = Id % B[0];
    S.thread[1][L] = Id / B[0] % B[1];
    S.thread[2][L] = Id / (B[0] * B[1]);
  }
  return S;
}

std::vector<WarpShape> warpShapes(std::array<unsigned, 3> B) {
  std::vector<WarpShape> Result;
  const unsigned Threads = B[0] * B[1] * B[2], Full = Threads / 32;
  // Warp 0, repeated along the dimensions in which whole warps follow each other.
  WarpShape S = singleWarp(B, 0);
  auto Repeat = [&](unsigned Axis, unsigned Count, unsigned Scale) {
    S.warps[WarpX + Axis] = {0, int64_t(Count) - 1};
    S.scale[Axis] = Count > 1 ? Scale : 0;
  };
  bool Folded = Full > 0;
  unsigned Covered = Full;
  if (B[1] == 1 && B[2] == 1) {
    Repeat(0, Full, 32);
  } else if (B[0] % 32 == 0) {
    Repeat(0, B[0] / 32, 32), Repeat(1, B[1], 1), Repeat(2, B[2], 1);
  } else if (32 % B[0] == 0 && B[1] % (32 / B[0]) == 0) {
    Repeat(1, B[1] / (32 / B[0]), 32 / B[0]), Repeat(2, B[2], 1);
  } else if (32 % B[0] == 0 && B[2] == 1 && B[1] >= 32 / B[0]) {
    Repeat(1, Full, 32 / B[0]);
  } else if (32 % (B[0] * B[1]) == 0 && Full) {
    Repeat(2, Full, 32 / (B[0] * B[1]));
  } else {
    Folded = false;
    Covered = 0;
  }
  if (Folded)
    Result.push_back(S);
  for (unsigned W = Folded ? Covered : 0; W * 32 < Threads; ++W)
    Result.push_back(singleWarp(B, W));
  return Result;
}

std::vector<Box> without(Box Whole, const Box &Part) {
  std::vector<Box> Rest;
  for (unsigned D = 0; D < DimensionCount; ++D) {
    if (Whole[D].low < Part[D].low) {
      Box Below = Whole;
      Below[D].high = Part[D].low - 1;
      Rest.push_back(Below);
      Whole[D].low = Part[D].low;
    }
    if (Whole[D].high > Part[D].high) {
      Box Above = Whole;
      Above[D].low = Part[D].high + 1;
      Rest.push_back(Above);
      Whole[D].high = Part[D].high;
    }
  }
  return Rest;
}

} // namespace warplint::kernel
