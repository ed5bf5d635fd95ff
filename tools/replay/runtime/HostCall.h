//===-- HostCall.h - What the functions of the CUDA runtime have in common -----------*- C++ -*-===//
//
// Programs are compiled against CUDA's headers, of any version, and linked to these functions by name.
// Enumerations are ints here, and handles pointers; of structures only what all versions agree in is
// declared.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_TOOLS_REPLAY_RUNTIME_HOSTCALL_H
#define WARPLINT_TOOLS_REPLAY_RUNTIME_HOSTCALL_H

#include "tools/replay/runtime/Runtime.h"
#include <mutex>

namespace warplint::replay {

/// vector_types.h
struct Dim3 {
  unsigned x, y, z;
};
using Stream = void *;
using Event = struct EventState *;

inline BlockIndex indexOf(Dim3 D) { return {D.x, D.y, D.z}; }

/// Runs `Body(Runtime &)` as a call of the API: alone, not at all once a kernel has failed, its error kept.
template <typename Body> int call(Body B) {
  Runtime &R = runtime();
  const std::lock_guard Lock(R.mutex);
  if (R.stickyError)
    return R.stickyError;
  const int Code = B(R);
  if (Code)
    R.fail(Code);
  return Code;
}

/// Ends the program: `What` is nothing that is replayed.
[[noreturn]] inline void unsupportedCall(const char *What) {
  warplintReplayUnsupported(What, nullptr, 0);
  __builtin_unreachable();
}

} // namespace warplint::replay

/// A function of whose arguments none matters, and which has nothing to do.
#define WARPLINT_REPLAY_NOTHING(NAME)                                                                        \
  extern "C" int NAME() {                                                                                    \
    return warplint::replay::call([](warplint::replay::Runtime &) { return 0; });                            \
  }
/// A function that ends the program with a message.
#define WARPLINT_REPLAY_UNSUPPORTED(NAME, WHAT)                                                              \
  extern "C" int NAME() { warplint::replay::unsupportedCall(WHAT " (" #NAME ")"); }

#endif
