//===-- Fiber.h - Stacks of device threads, and going from one to another ----------*- C++ -*-===//
//
// A device thread is a fiber of the host thread that launched the kernel. Switching saves the registers that
// the calling convention says a callee keeps, and no system call.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_TOOLS_REPLAY_RUNTIME_FIBER_H
#define WARPLINT_TOOLS_REPLAY_RUNTIME_FIBER_H

#include <cstddef>
#include <cstdint>
#include <deque>
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace warplint::replay {

/// Where a fiber, or the scheduler, stands while another runs.
struct FiberContext {
#if defined(__x86_64__)
  void *stackPointer = nullptr;
#else
  ucontext_t context;
#endif
};

/// Leaves `From` for `To`; returns when somebody switches back to `From`.
void switchFiber(FiberContext &From, FiberContext &To);

struct FiberStack {
  char *low = nullptr;  ///< the lowest usable byte; below it is a guard page while there are few stacks
  char *high = nullptr; ///< one past the highest
  bool contains(uint64_t Address) const { return Address >= uint64_t(low) && Address < uint64_t(high); }
};

/// A fiber on `Stack` that will run Entry, which must not return.
void prepareFiber(FiberContext &, const FiberStack &Stack, void (*Entry)());

/// Stacks, made when first asked for and kept.
class StackPool {
public:
  explicit StackPool(size_t Bytes);
  /// Throws std::bad_alloc when the machine has no room.
  const FiberStack &stack(size_t Index);

private:
  void grow();
  size_t Bytes;
  std::deque<FiberStack> Stacks; ///< lanes keep pointers to theirs
};

} // namespace warplint::replay

#endif
