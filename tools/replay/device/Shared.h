//===-- Shared.h - Where shared variables lie in a block's memory ---*- C++ -*-===//
#ifndef WARPLINT_TOOLS_REPLAY_DEVICE_SHARED_H
#define WARPLINT_TOOLS_REPLAY_DEVICE_SHARED_H

#include "tools/replay/device/Emitter.h"
#include "llvm/ADT/DenseMap.h"

namespace warplint::replay {

/// Makes each use of a __shared__ variable an address within the running block's shared memory. Returns how
/// many bytes of it the static ones of each kernel take.
llvm::DenseMap<const llvm::Function *, uint64_t> layOutShared(Emitter &,
                                                              llvm::ArrayRef<llvm::Function *> Kernels);

} // namespace warplint::replay

#endif
