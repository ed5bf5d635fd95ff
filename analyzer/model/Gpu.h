//===-- Gpu.h - What each GPU can do ------------------------------*- C++ -*-===//
//
// The only place for hardware numbers: peak rates of each GPU that users can name, and what one streaming
// multiprocessor (SM) of each compute capability holds. Rates are peaks at boost clock; a chip under load
// reaches less.
//
// Sources: NVIDIA's data sheets and white papers; CUDA C++ Programming Guide, "Technical Specifications per
// Compute Capability". GpuTable.cpp marks what no such document was at hand for.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_MODEL_GPU_H
#define WARPLINT_ANALYZER_MODEL_GPU_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warplint::model {

/// What one SM holds, for one compute capability.
struct SmLimits {
  unsigned sm;                        ///< compute capability times ten: 80 is sm_80
  unsigned partitions;                ///< each with its own schedulers and share of the registers
  unsigned maxWarps;                  ///< resident at once
  unsigned maxBlocks;                 ///< resident at once
  unsigned maxThreadsPerBlock;        ///<
  unsigned registers;                 ///< of 32 bits
  unsigned maxRegistersPerThread;     ///<
  unsigned barriers;                  ///< hardware barriers of all resident blocks; 0: no limit of its own
  unsigned sharedBytes;               ///< with the greatest share of the L1 cache given to shared memory
  unsigned sharedBytesPerBlock;       ///< static, and dynamic without cudaFuncSetAttribute
  unsigned sharedBytesPerBlockOptIn;  ///< static + dynamic after cudaFuncSetAttribute
  unsigned reservedSharedBytes;       ///< the system's own, of each block
  unsigned sharedAllocationUnitBytes; ///< what a block takes is rounded up to a multiple of this
};

/// nullptr when nothing is known of that compute capability. Never guessed from a neighbour: 8.0 and 8.6
/// differ in every limit but the registers.
const SmLimits *smLimits(unsigned Sm);
/// Ascending by compute capability.
llvm::ArrayRef<SmLimits> allSmLimits();

/// A GPU by name, or one that is described by its rates alone.
struct Gpu {
  llvm::StringRef key;                    ///< what --gpu= takes and the report prints
  llvm::StringRef name;                   ///<
  std::array<llvm::StringRef, 3> aliases; ///< the unused are ""
  unsigned sm = 0;                        ///< as SmLimits::sm; 0: not known
  unsigned smCount = 0;                   ///< 0: not known
  unsigned l2Bytes = 0;                   ///< 0: not known
  double bytesPerSecond = 0;              ///< DRAM
  double fp32FlopsPerSecond = 0;          ///< FMA counts 2, as in all of these
  std::optional<double> fp64FlopsPerSecond;
  std::optional<double> tensorFp16FlopsPerSecond; ///< dense, FP32 accumulation

  /// nullptr when the compute capability is not known: no occupancy then.
  const SmLimits *limits() const { return sm ? smLimits(sm) : nullptr; }
};

/// All that can be named; the worked examples' machine (20 TFLOP/s over 1 TB/s), which is no chip, is last.
llvm::ArrayRef<Gpu> gpus();

/// By key, name or alias; case, blanks, '-', '_' and a leading "NVIDIA" do not matter, so that the words of
/// nvidia-smi do: "NVIDIA GeForce RTX 4090". nullptr when there is none.
const Gpu *findGpu(llvm::StringRef Name);

/// What --gpu= and the configuration's GPU: say: a name, or `peak=20e12,bw=1e12` (FLOP/s, byte/s; fp64= for
/// double precision where that is needed). The error says what is wrong and what would be right.
llvm::Expected<Gpu> parseGpu(llvm::StringRef Text);

/// The lines of --list-gpus in aligned columns, a heading first.
std::vector<std::string> gpuListing();

} // namespace warplint::model

#endif
