//===-- Footprint.h - The bytes that a kernel's global accesses touch --------------*- C++ -*-===//
//
// How many bytes a launch needs however often it touches them, and how often the threads of one block read
// the same. Both come from the index expressions: threads of one block are enumerated; blocks and loops
// multiply by their number where they move the address beyond what the threads cover, and by the share that
// is new where they overlap.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_KERNEL_FOOTPRINT_H
#define WARPLINT_ANALYZER_KERNEL_FOOTPRINT_H

#include "analyzer/kernel/Work.h"
#include "analyzer/result/Result.h"
#include <array>
#include <optional>
#include <vector>

namespace warplint::kernel {

struct Footprint {
  /// Bytes of one launch, reads and writes of one array apart; nothing where an index is not known.
  std::optional<result::Amount> distinct;
  struct Read {
    const Site *site = nullptr; ///< the first of those that read together
    unsigned threads = 0;       ///< reads of each element by one block at one time
    std::string sameFor;        ///< "threadIdx.x", when that is all the reads differ in
  };
  std::vector<Read> reads; ///< what several threads read, one for each array
};

/// `Grid`: blocks along each axis; `RequestedPerThread`: of a site.
Footprint footprint(World &, const Recorder &, WorkCounter &, const std::array<unsigned, 3> &Block,
                    const std::array<result::Amount, 3> &Grid,
                    llvm::function_ref<result::Amount(const Site &)> RequestedPerThread);

} // namespace warplint::kernel

#endif
