//===-- WholeKernel.h - What a kernel does and moves altogether -------------------*- C++ -*-===//
#ifndef WARPLINT_ANALYZER_KERNEL_WHOLEKERNEL_H
#define WARPLINT_ANALYZER_KERNEL_WHOLEKERNEL_H

#include "analyzer/kernel/Machine.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace warplint::kernel {

/// A site as the source has it.
struct SiteWords {
  std::string expression;
  result::Place place;
  std::string line; ///< "line 12"
};

/// Fills the kernel's work and reuse from all ordinary runs. The kernel has its block, grid, loops and accesses
/// already. `WordsOf`: nothing where the source is not at hand.
void fillWholeKernel(result::Kernel &, Machine &, World &, const Recorder &,
                     llvm::function_ref<std::optional<SiteWords>(const Site &)> WordsOf);

} // namespace warplint::kernel

#endif
