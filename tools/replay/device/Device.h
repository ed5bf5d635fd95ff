//===-- Device.h - Device IR into host IR that calls the replay's hooks --------*- C++ -*-===//
//
// In: the NVPTX module of one parse, unoptimised, with debug info. Out: the same program for the host's
// processor: a thread of a kernel is a call of a function, and every access of memory is told to the runtime
// first (tools/replay/runtime/Abi.h).
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_TOOLS_REPLAY_DEVICE_DEVICE_H
#define WARPLINT_TOOLS_REPLAY_DEVICE_DEVICE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <string>

namespace llvm {
class Instruction;
class Module;
} // namespace llvm

namespace warplint::replay {

struct DeviceOptions {
  std::string id;             ///< Module::id: what the host's "GPU binary" of the same unit consists of
  std::string libdevice;      ///< libdevice.10.bc of a toolkit; "": the host's mathematics
  bool relocatable = false;   ///< device code of several units is one program (nvcc -rdc=true)
  unsigned architecture = 80; ///< 80 of sm_80
  /// The alignment, in bytes, that the type of a load, store or copy promises; 0: not known. Unset: the IR's.
  std::function<unsigned(const llvm::Instruction &)> typeAlignment;
  /// Did the user write this file (absolute name)? An access in others' headers is the user's call of them.
  /// Unset: all but what lies in the system's folders and Clang's own headers.
  std::function<bool(llvm::StringRef)> isUserFile;
};

/// In place. The module is broken after an error.
llvm::Error toHostModule(llvm::Module &Device, const DeviceOptions &);

/// Optimises a little and writes an object file.
llvm::Error emitObject(llvm::Module &Host, llvm::StringRef Path);

} // namespace warplint::replay

#endif
