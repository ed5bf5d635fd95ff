//===-- PrivateArrays.h - Which private arrays stay in local memory ------*- C++ -*-===//
//
// A thread's own array becomes registers when every index is known once loops are unrolled and functions
// inlined; else it stays in local memory. Whether it does is up to the compiler, so it is asked: a copy of
// the kernel goes through LLVM's passes, and the arrays that still have an index of an unknown value
// afterwards are the ones. What ptxas makes of those (small arrays of 4-byte elements turn into selections)
// is a rule read off its output.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_KERNEL_PRIVATEARRAYS_H
#define WARPLINT_ANALYZER_KERNEL_PRIVATEARRAYS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <functional>
#include <string>

namespace llvm {
class AllocaInst;
class Function;
} // namespace llvm

namespace warplint::kernel {

struct LocalArray {
  std::string cause; ///< "its index depends on threadIdx"
  llvm::DenseSet<std::pair<unsigned, unsigned>>
      open; ///< line and column of the accesses whose index is not known
};
using LocalArrays = llvm::DenseMap<const llvm::AllocaInst *, LocalArray>;

/// The private arrays of a kernel, and of the functions that it calls, that the compiler leaves in local
/// memory. Where that is in doubt they are not listed. Leaves the module as it was.
LocalArrays findLocalArrays(llvm::Function &Kernel, const std::function<bool()> &TimeUp);

} // namespace warplint::kernel

#endif
