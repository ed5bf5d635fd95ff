//===-- Retarget.h - The same module for another processor ----------*- C++ -*-===//
#ifndef WARPLINT_TOOLS_REPLAY_DEVICE_RETARGET_H
#define WARPLINT_TOOLS_REPLAY_DEVICE_RETARGET_H

#include "tools/replay/device/Emitter.h"

namespace warplint::replay {

bool isKernel(const llvm::Function &);
std::vector<llvm::Function *> kernelsOf(llvm::Module &);

/// Brings in the bodies of the __nv_ functions that are called, if there is a libdevice.
llvm::Error linkLibdevice(Emitter &);
/// libdevice's own functions: their tables are no memory of the user's.
bool isSilent(const llvm::Function &);

/// Triple, data layout, calling conventions, linkage and names; drops what says things of the GPU only, or
/// promises what no longer holds once hooks may let other threads run.
void retarget(Emitter &);

/// Device symbols are not those of the same names on the host.
std::string deviceName(llvm::StringRef);

} // namespace warplint::replay

#endif
