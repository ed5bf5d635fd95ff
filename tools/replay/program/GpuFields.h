//===-- GpuFields.h - The GPU that a replayed program sees -----------------*- C++ -*-===//
#ifndef WARPLINT_TOOLS_REPLAY_PROGRAM_GPUFIELDS_H
#define WARPLINT_TOOLS_REPLAY_PROGRAM_GPUFIELDS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace warplint::replay {

/// What --gpu= says, as the runtime takes it: fields of cudaDeviceProp. `Text` is a name from the table of GPUs, or
/// such fields; "" stays "". Errors name the GPUs that are like it.
llvm::Expected<std::string> gpuFields(llvm::StringRef Text);

} // namespace warplint::replay

#endif
