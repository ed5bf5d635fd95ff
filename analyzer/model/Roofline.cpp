//===-- Roofline.cpp - Bound by memory or by arithmetic ----------------------===//
#include "analyzer/model/Roofline.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace warplint::model;

namespace {

bool isAmount(double Value) { return std::isfinite(Value) && Value >= 0; }

bool isValid(const Work &W) {
  return isAmount(W.fp32Flops) && isAmount(W.fp64Flops) && isAmount(W.tensorFp16Flops) && isAmount(W.bytes) &&
         std::isfinite(W.flops());
}

/// Quotients that are equal but for rounding count as equal.
constexpr double Rounding = 1e-12;

double ceilRounded(double Exact) {
  const double Nearest = std::round(Exact);
  return std::abs(Exact - Nearest) <= Rounding * Exact ? Nearest : std::ceil(Exact);
}

struct PipeWork {
  Pipe pipe = Pipe::Fp32;
  double flops = 0;
  std::optional<double> flopsPerSecond;

  double seconds() const { return flopsPerSecond ? flops / *flopsPerSecond : 0; }
};

/// The arithmetic of a kernel as far as it bounds: pipes work side by side, so the slowest alone is a floor
/// of the time, which their sum would not be.
struct Arithmetic {
  PipeWork slowest;
  bool allRated = true; ///< nothing is left out because its peak is not known

  Arithmetic(const Gpu &G, const Work &W) : allRated(!W.more) {
    const PipeWork Pipes[] = {{Pipe::Fp32, W.fp32Flops, G.fp32FlopsPerSecond},
                              {Pipe::Fp64, W.fp64Flops, G.fp64FlopsPerSecond},
                              {Pipe::TensorFp16, W.tensorFp16Flops, G.tensorFp16FlopsPerSecond}};
    slowest = Pipes[0];
    for (const PipeWork &P : Pipes) {
      allRated &= P.flops == 0 || P.flopsPerSecond;
      if (P.seconds() > slowest.seconds() || (P.flops > 0 && slowest.flops == 0))
        slowest = P;
    }
  }
};

std::optional<Bound> boundBy(const Arithmetic &A, double MemorySeconds) {
  const double ComputeSeconds = A.slowest.seconds();
  if (ComputeSeconds > 0 && ComputeSeconds >= MemorySeconds * (1 - Rounding))
    return Bound::Compute;
  if (MemorySeconds > 0 && A.allRated)
    return Bound::Memory;
  return std::nullopt;
}

// What one operation takes beside an FP32 FLOP, rounded up to the slowest of sm_60 to sm_120 (CUDA C++ Programming
// Guide, "Throughput of Native Arithmetic Instructions": operations per cycle and SM, FP32 being up to 256 FLOP).
constexpr double SpecialFlops = 64; // 16 per cycle, and the few multiplications of an exact division or root
constexpr double Fp16Flops = 2;     // not packed: as fast as FP32 where that is fastest
constexpr double Fp16FlopsSm61 = 128; // the one architecture that is made without
constexpr unsigned SmWithSlowFp16 = 61;
/// One integer operation: 64 per cycle beside 128 FP32 FLOP until sm_80, beside 256 from sm_86 on.
double integerFlops(unsigned Sm) { return Sm >= 60 && Sm <= 80 ? 2 : 4; }
/// Integer operations beside one FLOP of at most one operand from memory: index, address, and the loop itself.
constexpr double AddressOperations = 8;

bool isShare(double Factor) { return Factor >= 0 && Factor <= 1; }

} // namespace

std::optional<Roofline> warplint::model::roofline(const Gpu &G, const Work &W) {
  if (G.fp32FlopsPerSecond <= 0 || G.bytesPerSecond <= 0 || !isValid(W))
    return std::nullopt;
  const Arithmetic A(G, W);
  const double MemorySeconds = W.bytes / G.bytesPerSecond;
  Roofline R;
  R.pipe = A.slowest.pipe;
  if (A.slowest.flopsPerSecond)
    R.machineBalance = *A.slowest.flopsPerSecond / G.bytesPerSecond;
  if (W.bytes > 0)
    R.intensity = W.flops() / W.bytes;
  R.bound = boundBy(A, MemorySeconds);
  R.secondsFloor = std::max(A.slowest.seconds(), MemorySeconds);
  // As products, not over the floor: one pipe's peak and I * bandwidth come out as they are.
  if (R.secondsFloor > 0)
    R.attainableFlopsPerSecond = MemorySeconds > A.slowest.seconds()
                                     ? W.flops() / W.bytes * G.bytesPerSecond
                                     : A.slowest.flopsPerSecond.value_or(0) * (W.flops() / A.slowest.flops);
  return R;
}

bool warplint::model::mayOutlastMemory(const Gpu &G, const Work &W, const OtherWork &Other) {
  const bool SlowFp16 = G.sm == 0 || G.sm == SmWithSlowFp16;
  const double Integers = Other.integerOps > AddressOperations * W.flops() ? Other.integerOps : 0;
  const double Flops = Other.fp16Flops * (SlowFp16 ? Fp16FlopsSm61 : Fp16Flops) +
                       Other.specialOps * SpecialFlops + Integers * integerFlops(G.sm);
  // Operations of all kinds share the issue slots with the FLOPs that are rated.
  return Flops > 0 && (Flops + W.fp32Flops) / G.fp32FlopsPerSecond > W.bytes / G.bytesPerSecond;
}

uint64_t warplint::model::tilePairBytes(uint64_t Edge, unsigned ElementBytes) {
  return SaturatingMultiply(SaturatingMultiply(Edge, Edge), uint64_t(2) * ElementBytes);
}

double warplint::model::tiledIntensity(uint64_t Edge, unsigned ElementBytes) {
  // 2 N^3 FLOP over 2 N^3 / Edge elements.
  return double(Edge) / ElementBytes;
}

std::optional<uint64_t> warplint::model::crossoverEdge(double Intensity, uint64_t Edge,
                                                       double MachineBalance) {
  if (!(Intensity > 0) || !(MachineBalance > 0) || Edge == 0)
    return std::nullopt;
  const double Crossover = ceilRounded(double(Edge) * MachineBalance / Intensity);
  if (!(Crossover <= double(UINT32_MAX)))
    return std::nullopt;
  return std::max(uint64_t(1), uint64_t(Crossover));
}

std::optional<double> Efficiency::total() const {
  double Product = 1;
  for (std::optional<double> Factor : {coalesce, cache, occupancy}) {
    if (!Factor || !isShare(*Factor))
      return std::nullopt;
    Product *= *Factor;
  }
  return Product;
}

double Efficiency::atMost() const {
  double Product = 1;
  for (std::optional<double> Factor : {coalesce, cache, occupancy})
    if (Factor && isShare(*Factor))
      Product *= *Factor;
  return Product;
}
