//===-- VirtualCalls.h - The loads that a virtual call consists of ----*- C++ -*-===//
//
// A virtual call reads the object's pointer to the table of its class, and from that table the function's
// address. Both are loads that GPUs execute, of the call rather than of what stands before the arrow.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_KERNEL_VIRTUALCALLS_H
#define WARPLINT_ANALYZER_KERNEL_VIRTUALCALLS_H

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstrTypes.h"

namespace warplint::kernel {

/// The virtual call that a load of a table's address, or of a function's address from it, belongs to; null
/// for every other instruction.
const llvm::CallBase *virtualCallOf(const llvm::Instruction &);

/// Where the source has what the instruction does: of the loads of a virtual call, the call's place, which
/// names the function. Null where the compiler names none.
const llvm::DILocation *locationOf(const llvm::Instruction &);

} // namespace warplint::kernel

#endif
