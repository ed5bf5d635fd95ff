//===-- Floats.h - The GPU's arithmetic on floating-point numbers ---*- C++ -*-===//
//
// What PTX instructions and llvm.nvvm intrinsics have in common: an operation, a rounding mode, a few
// modifiers, and types from bf16 and half to double, in pairs too. Denormals are kept where the GPU may flush
// them.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_TOOLS_REPLAY_DEVICE_FLOATS_H
#define WARPLINT_TOOLS_REPLAY_DEVICE_FLOATS_H

#include "tools/replay/device/Emitter.h"

namespace warplint::replay {

/// The numbers are Builtins.cpp's too.
enum class Rounding : unsigned { Nearest, Zero, Down, Up };

struct FloatModifiers {
  Rounding rounding = Rounding::Nearest;
  bool saturate = false, relu = false, nan = false, xorsign = false;
  /// "rz", "sat", "NaN" ...; false: none of these.
  bool take(llvm::StringRef Part);
};

class Floats {
public:
  Floats(Emitter &E, llvm::IRBuilderBase &B) : E(E), B(B) {}

  /// add sub mul fma div rcp sqrt rsqrt ex2 lg2 sin cos tanh abs neg min max copysign; null: no such
  /// operation.
  llvm::Value *operation(llvm::StringRef Name, llvm::ArrayRef<llvm::Value *>, const FloatModifiers & = {});
  /// To an integer in the same type.
  llvm::Value *integral(llvm::Value *, Rounding);
  llvm::Value *toInteger(llvm::Value *, llvm::Type *, bool Signed, Rounding);
  llvm::Value *fromInteger(llvm::Value *, llvm::Type *, bool Signed, Rounding = Rounding::Nearest);
  llvm::Value *convert(llvm::Value *, llvm::Type *, Rounding = Rounding::Nearest);
  llvm::Value *saturate(llvm::Value *);
  llvm::Value *relu(llvm::Value *);

private:
  Emitter &E;
  llvm::IRBuilderBase &B;

  llvm::Value *nearest(llvm::StringRef Name, llvm::ArrayRef<llvm::Value *>, const FloatModifiers &);
  llvm::Value *directed(llvm::StringRef Name, llvm::ArrayRef<llvm::Value *>, Rounding);
  llvm::Value *extreme(bool Maximum, llvm::Value *A, llvm::Value *Other, const FloatModifiers &);
};

} // namespace warplint::replay

#endif
