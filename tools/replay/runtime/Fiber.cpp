#include "tools/replay/runtime/Fiber.h"
#include <new>
#include <sys/mman.h>
#include <unistd.h>

using namespace warplint::replay;

//===-- Switching -----------------------------------------------------------===//

#if defined(__x86_64__)

// System V: rbx, rbp, r12-r15 and the stack pointer are the callee's to keep.
extern "C" void warplintReplaySwitch(void **SavedStackPointer, void *StackPointer);
asm(R"(
  .text
  .p2align 4
  .hidden warplintReplaySwitch
  .globl warplintReplaySwitch
  .type warplintReplaySwitch, @function
warplintReplaySwitch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size warplintReplaySwitch, .-warplintReplaySwitch
)");

void warplint::replay::switchFiber(FiberContext &From, FiberContext &To) {
  warplintReplaySwitch(&From.stackPointer, To.stackPointer);
}

void warplint::replay::prepareFiber(FiberContext &C, const FiberStack &Stack, void (*Entry)()) {
  // As a call leaves it: the stack pointer is 8 off a multiple of 16 when Entry begins. Its return address is
  // 0, where a debugger's backtrace ends.
  auto **Top = reinterpret_cast<void **>(uint64_t(Stack.high) & ~uint64_t(15));
  *--Top = nullptr;
  *--Top = reinterpret_cast<void *>(Entry);
  for (int Register = 0; Register < 6; ++Register)
    *--Top = nullptr;
  C.stackPointer = Top;
}

#else

void warplint::replay::switchFiber(FiberContext &From, FiberContext &To) {
  swapcontext(&From.context, &To.context);
}

void warplint::replay::prepareFiber(FiberContext &C, const FiberStack &Stack, void (*Entry)()) {
  getcontext(&C.context);
  C.context.uc_stack.ss_sp = Stack.low;
  C.context.uc_stack.ss_size = size_t(Stack.high - Stack.low);
  C.context.uc_link = nullptr;
  makecontext(&C.context, Entry, 0);
}

#endif

//===-- Stacks --------------------------------------------------------------===//

static constexpr size_t StacksPerMapping = 256;
/// A guard page splits a mapping, and Linux allows 65530 of them.
static constexpr size_t GuardedStacks = 16384;

StackPool::StackPool(size_t Wanted) {
  const size_t Page = size_t(sysconf(_SC_PAGESIZE));
  // A guard page, and one page that colouring takes.
  Bytes = (Wanted + Page - 1) / Page * Page + 2 * Page;
}

const FiberStack &StackPool::stack(size_t Index) {
  while (Index >= Stacks.size())
    grow();
  return Stacks[Index];
}

void StackPool::grow() {
  void *Mapping = mmap(nullptr, Bytes * StacksPerMapping, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (Mapping == MAP_FAILED)
    throw std::bad_alloc();
  const size_t Page = size_t(sysconf(_SC_PAGESIZE));
  for (size_t I = 0; I < StacksPerMapping; ++I) {
    char *Low = static_cast<char *>(Mapping) + I * Bytes;
    if (Stacks.size() < GuardedStacks)
      mprotect(Low, Page, PROT_NONE);
    // Stacks a power of two apart would share the same few sets of the cache: start each at another place.
    const size_t Colour = Stacks.size() % 61 * 64;
    Stacks.push_back({Low + Page, Low + Bytes - Colour});
  }
}
