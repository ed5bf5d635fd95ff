//===-- Roofline.h - Bound by memory or by arithmetic --------------*- C++ -*-===//
//
// The roofline model (Williams, Waterman, Patterson 2009): a kernel that does `flops` on `bytes` of DRAM
// traffic takes no less time than either takes at the GPU's peak rate. Intensity I = flops / bytes; machine
// balance I* = peak FLOP/s / bandwidth; below I* memory is what bounds. And the product of a kernel's
// efficiencies.
//
// Worked example: a naive matrix product does 2 FLOP for two floats read, I = 2 / 8 = 0.25 FLOP/byte. Tiles
// of T x T in shared memory are read once for T uses: I = T / 4, 8 at T = 32. On a machine of 20 TFLOP/s over
// 1 TB/s, I* = 20: memory bounds until T = 80.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_MODEL_ROOFLINE_H
#define WARPLINT_ANALYZER_MODEL_ROOFLINE_H

#include "analyzer/model/Gpu.h"
#include <cstdint>
#include <optional>

namespace warplint::model {

/// What a kernel does: of one thread, of a launch, or the dominant terms of a ratio of both (2 and 8 for the
/// naive product, whatever N). FMA counts 2. FP16 and BF16 outside tensor cores have no field: their peak is
/// not in the table, and other work must not be rated in their place.
struct Work {
  double fp32Flops = 0;
  double fp64Flops = 0;
  double tensorFp16Flops = 0;
  /// There is other arithmetic (FP16, integer, special functions) that may take longer than all of this.
  bool more = false;
  /// Moved from and to DRAM. Which bytes those are is the caller's choice, and the answers are about them:
  /// requested (the worked example: as if nothing were cached, nor shared by a warp), hauled as sectors, or
  /// distinct, which only caches that are warm from before avoid.
  double bytes = 0;

  double flops() const { return fp32Flops + fp64Flops + tensorFp16Flops; }
};

enum class Pipe : uint8_t { Fp32, Fp64, TensorFp16 };
enum class Bound : uint8_t { Memory, Compute };

struct Roofline {
  std::optional<double> intensity; ///< FLOP/byte; nullopt without DRAM traffic
  /// The pipe that the arithmetic takes longest in; Fp32 without any.
  Pipe pipe = Pipe::Fp32;
  /// FLOP/byte, of that pipe; nullopt when the peaks of all pipes that work are unknown.
  std::optional<double> machineBalance;
  /// nullopt when it is not proved: nothing to do, or arithmetic whose peak is not known could take longer
  /// than the memory. At I = I* it is Compute.
  std::optional<Bound> bound;
  /// Work done and bytes moved take no less. Of a launch when Work is a launch's; a floor for the launch
  /// itself when its bytes are the distinct ones and caches are cold.
  double secondsFloor = 0;
  /// Work's FLOPs over that floor: min(peak, I * bandwidth) for one pipe alone. nullopt without a floor.
  std::optional<double> attainableFlopsPerSecond;
};

/// Arithmetic whose peaks are not in the table, of the same kernel as a Work.
struct OtherWork {
  double fp16Flops = 0;    ///< FP16 and BF16 outside tensor cores
  double specialOps = 0;   ///< roots, divisions, exp, sin ...: one each
  double integerOps = 0;   ///< as the source writes them, those of addresses included
};

/// Could it take longer than the kernel's memory traffic, so that Work::more is to be set? Rated as slow as it
/// gets on any GPU: false is proved, true is not. A few integer operations for each FLOP are the addresses of
/// its operands, which compilers fold into the accesses: they do not count.
bool mayOutlastMemory(const Gpu &, const Work &, const OtherWork &);

/// nullopt for a GPU without rates and for work that is negative or not finite.
std::optional<Roofline> roofline(const Gpu &, const Work &);

/// Bytes of two `edge` x `edge` tiles, as a tiled matrix product holds.
uint64_t tilePairBytes(uint64_t edge, unsigned elementBytes);
/// Intensity of a tiled product of square matrices: edge / elementBytes. An edge of 1 is the naive product.
double tiledIntensity(uint64_t edge, unsigned elementBytes);
/// The smallest tile edge with which the kernel would no longer be bound by memory, its intensity being
/// `intensity` at `edge` (1: no tiling) and growing with it. nullopt without intensity, and for edges beyond
/// 32 bits, which no tile has. Whether such a tile fits is another question: tilePairBytes().
std::optional<uint64_t> crossoverEdge(double intensity, uint64_t edge, double machineBalance);

/// The shares of its peak that a kernel keeps, each from another loss, 0 to 1; nullopt: not known.
struct Efficiency {
  std::optional<double> coalesce;  ///< distinct bytes / bytes of the lines hauled
  std::optional<double> cache;     ///< nothing static tells: from the user alone
  std::optional<double> occupancy; ///< Occupancy::fraction()

  // A factor outside 0 to 1 counts as not known.
  /// The product; nullopt when a factor is not known.
  std::optional<double> total() const;
  /// The product of what is known: the total cannot be more.
  double atMost() const;
};

} // namespace warplint::model

#endif
