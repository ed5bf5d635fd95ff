//===-- Warp.h - Operations that PTX and its intrinsics share -------*- C++ -*-===//
#ifndef WARPLINT_TOOLS_REPLAY_DEVICE_WARP_H
#define WARPLINT_TOOLS_REPLAY_DEVICE_WARP_H

#include "tools/replay/device/Emitter.h"
#include <optional>
#include <utility>

namespace warplint::replay {

/// "add", "exch", "inc" ... of integers or floating-point numbers.
std::optional<llvm::AtomicRMWInst::BinOp> atomicOperation(llvm::StringRef Name, bool Float, bool Signed);

class Warp {
public:
  Warp(Emitter &E, llvm::IRBuilderBase &B) : E(E), B(B) {}
  using Pair = std::pair<llvm::Value *, llvm::Value *>; ///< a value of 32 bits and a predicate

  /// "tid.x", "laneid", "lanemask.lt" ...; null: no such register.
  llvm::Value *specialRegister(llvm::StringRef Name);

  void barrier(bool Arrive, llvm::Value *Number, llvm::Value *Threads);
  llvm::Value *barrierReduce(unsigned Kind, llvm::Value *Number, llvm::Value *Threads,
                             llvm::Value *Predicate);
  void sync(llvm::Value *Mask);
  Pair shuffle(llvm::StringRef Mode, llvm::Value *Mask, llvm::Value *Value, llvm::Value *Lane,
               llvm::Value *Clamp);
  llvm::Value *vote(llvm::StringRef Kind, llvm::Value *Mask, llvm::Value *Predicate);
  llvm::Value *matchAny(llvm::Value *Mask, llvm::Value *Value);
  Pair matchAll(llvm::Value *Mask, llvm::Value *Value);
  llvm::Value *redux(llvm::StringRef Kind, llvm::Value *Mask, llvm::Value *Value);
  llvm::Value *activeMask();
  Pair elect(llvm::Value *Mask);

  llvm::Value *generic(llvm::Value *Pointer);
  llvm::Value *mapa(llvm::Value *Pointer, llvm::Value *Rank);
  /// Copies now; bytes beyond SourceBytes (if any) are zero.
  void copyAsync(llvm::Value *To, llvm::Value *From, unsigned Bytes, llvm::Value *SourceBytes);
  /// Words of 32 bits, one for each matrix.
  llvm::SmallVector<llvm::Value *, 4> loadMatrix(llvm::Value *Row, unsigned Matrices, bool Transposed);

  llvm::Value *high(llvm::Value *A, llvm::Value *Other, bool Signed);
  llvm::Value *permute(llvm::Value *A, llvm::Value *Other, llvm::Value *Selector);
  /// shf.l/r: of {High, Low}; amounts above 32 are 32, or wrap.
  llvm::Value *funnel(bool Left, bool Clamp, llvm::Value *Low, llvm::Value *High, llvm::Value *Amount);

private:
  Emitter &E;
  llvm::IRBuilderBase &B;

  llvm::Value *axis(uint64_t Base, llvm::StringRef Register);
  Pair split(llvm::Value *Both);
};

} // namespace warplint::replay

#endif
