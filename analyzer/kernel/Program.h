//===-- Program.h - Functions prepared for the abstract machine ----------------*- C++ -*-===//
//
// What the machine needs to know of a function before it runs it: numbered values, an order of blocks in
// which a loop's blocks precede its exits, loops, and which branches decide whether a block is reached.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_KERNEL_PROGRAM_H
#define WARPLINT_ANALYZER_KERNEL_PROGRAM_H

#include "analyzer/kernel/Uses.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include <memory>
#include <vector>

namespace warplint::kernel {

/// Where a store may write: bytes from a pointer on.
struct ControlledWrite {
  const llvm::Value *pointer = nullptr;
  int64_t offset = 0;
  uint64_t size = 0; ///< 0: anywhere in the object
  bool operator==(const ControlledWrite &) const = default;
};

struct Block {
  const llvm::BasicBlock *block = nullptr;
  int loop = -1;           ///< innermost loop, an index into FunctionInfo::loops
  bool loopHeader = false; ///< of `loop`
  llvm::SmallVector<unsigned, 4>
      controllers; ///< blocks whose branches decide, directly or not, whether this one runs
  uint64_t conditions = 0; ///< equal for blocks that run under the same sides of the same branches
  llvm::SmallVector<unsigned, 2> successors; ///< in the terminator's order
  /// What the blocks that this one's branch controls may write: what these pointers lead to...
  llvm::SmallVector<ControlledWrite, 4> writes;
  /// ... and what calls may reach from there.
  llvm::SmallVector<const llvm::Value *, 4> handedOn;
  bool writesAnywhere = false; ///< through pointers that the branch knows nothing of
};

struct LoopInfo {
  int parent = -1;
  unsigned header = 0; ///< block number
  bool unrolled = false; ///< the source demands it: its iterations are straight-line code
  llvm::BitVector blocks;
  unsigned latches = 0; ///< blocks that go back to the header
  llvm::SmallVector<unsigned, 8> liveOut; ///< slots of values defined inside and used outside
  llvm::DebugLoc location;
};

struct FunctionInfo {
  const llvm::Function *function = nullptr;
  std::vector<Block> blocks; ///< in execution order; 0 is the entry
  std::vector<LoopInfo> loops;
  llvm::DenseMap<const llvm::BasicBlock *, unsigned> number;
  llvm::DenseMap<const llvm::Value *, unsigned> slot; ///< arguments first, phis, other instructions
  std::vector<bool> liveOut;                          ///< by slot: used outside the loop that defines it
  unsigned phiSlots = 0;                              ///< those of arguments and phis
  unsigned slots = 0;
  Uses uses;
};

/// Prepared functions of a module, made on demand. Promotes scalar locals to SSA values (mem2reg) when it
/// prepares a function; aggregates stay in memory, so that their copies stay whole.
class Program {
public:
  const FunctionInfo &prepare(llvm::Function &);

private:
  llvm::DenseMap<const llvm::Function *, std::unique_ptr<FunctionInfo>> Known;
};

/// Makes every read of threadIdx, blockIdx, blockDim and gridDim, which Clang's headers hide in a getter, a
/// read of the special register at the place of the user's expression.
void exposeBuiltinVariables(llvm::Module &);

} // namespace warplint::kernel

#endif
