//===-- Accesses.h - Tells the runtime of every access and its key --*- C++ -*-===//
#ifndef WARPLINT_TOOLS_REPLAY_DEVICE_ACCESSES_H
#define WARPLINT_TOOLS_REPLAY_DEVICE_ACCESSES_H

#include "analyzer/kernel/Uses.h"
#include "tools/replay/device/Emitter.h"
#include "llvm/ADT/DenseSet.h"

namespace warplint::replay {

/// Puts the hooks of Abi.h before the accesses of a function, and the call context before its calls. `Uses`
/// says what a compiler drops: the analysis leaves that out too. `LocalArrays` are the threads' own arrays
/// that are no registers.
void recordAccesses(Emitter &, llvm::Function &, const kernel::Uses &,
                    const llvm::DenseSet<const llvm::AllocaInst *> &LocalArrays);
/// Replaces the calls of Emitter::KeyName. After all that adds calls or loops.
void fillKeys(Emitter &, llvm::Function &);

} // namespace warplint::replay

#endif
