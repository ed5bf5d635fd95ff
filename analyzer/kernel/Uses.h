//===-- Uses.h - What of the memory traffic a compiler drops ---------*- C++ -*-===//
//
// The machine runs unoptimised code, the GPU runs what nvcc makes of it: loads whose values nobody uses are
// gone, so are stores of what was just read from there, and of a copied vector only the components that are
// used may be read.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_KERNEL_USES_H
#define WARPLINT_ANALYZER_KERNEL_USES_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include <utility>

namespace warplint::kernel {

/// The parts (offset, bytes) of a local copy that are read, each once.
using UsedParts = llvm::SmallVector<std::pair<unsigned, unsigned>, 4>;

struct Uses {
  llvm::DenseSet<const llvm::Instruction *> dropped; ///< loads, stores, and copies' stores
  /// Copies into locals of which every use is in sight; others are taken to be used whole.
  llvm::DenseMap<const llvm::Instruction *, UsedParts> copies;
};

/// Of a function whose scalars are SSA values. Errs towards use: what a call or another block may need is
/// kept. `ReadAgain`: also drops loads of what the thread has read or written before.
Uses findUses(const llvm::Function &, bool ReadAgain = true);

} // namespace warplint::kernel

#endif
