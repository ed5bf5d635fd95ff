//===-- Signals.cpp - Programs that end otherwise than by exit ------------------------===//
//
// A device thread that faults ends its launch, not the program. When host code faults, or somebody ends the
// program, what was measured is written first. Handlers do what POSIX does not promise to work in handlers:
// the program is about to end anyway.
//
//===----------------------------------------------------------------------===//
#include "tools/replay/runtime/Runtime.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <thread>
#include <unistd.h>

using namespace warplint::replay;

static std::atomic<bool> TimeUp;

bool warplint::replay::timeIsUp() { return TimeUp.load(std::memory_order_relaxed); }

static const char *nameOf(int Signal) {
  switch (Signal) {
  case SIGSEGV:
    return "signal SIGSEGV";
  case SIGBUS:
    return "signal SIGBUS";
  case SIGFPE:
    return "signal SIGFPE";
  case SIGILL:
    return "signal SIGILL";
  case SIGABRT:
    return "signal SIGABRT";
  case SIGINT:
    return "signal SIGINT";
  case SIGTERM:
    return "signal SIGTERM";
  }
  return "signal";
}

/// The lane that the calling thread runs; null when it runs host code.
static thread_local bool MayRunLanes = false;

static Failure failureOf(int Signal, uint64_t Address, const Lane &L) {
  Failure F;
  F.hasThread = true;
  std::copy_n(L.thread.blockIdx, 3, F.block);
  std::copy_n(L.thread.threadIdx, 3, F.thread);
  F.kind = "signal";
  F.code = ErrorLaunchFailure;
  const uint64_t Low = uint64_t(L.stack->low);
  if (Signal == SIGFPE) {
    F.message = "the thread divided integers by zero, or overflowed the division";
  } else if (Signal == SIGILL) {
    F.message = "the thread reached code that cannot be executed (undefined behaviour in the kernel)";
  } else if (Address >= Low - 4096 && Address < Low) {
    F.message = "the thread's stack overflowed; set " + std::string(environment::StackBytes) +
                " to more bytes, or end the recursion";
  } else {
    F.kind = "out-of-bounds";
    F.code = ErrorIllegalAddress;
    char Text[64];
    std::snprintf(Text, sizeof Text, "access to 0x%llx, ", static_cast<unsigned long long>(Address));
    F.message = Text + describeDistance(runtime().memory.nearest(Address), Address, 0);
  }
  return F;
}

static void onFault(int Signal, siginfo_t *Info, void *) {
  Runtime &R = runtime();
  if (MayRunLanes && warplintReplayThread)
    R.scheduler.failFromSignal(failureOf(Signal, uint64_t(Info->si_addr), *R.scheduler.current()));
  writeOutput(nameOf(Signal));
  std::signal(Signal, SIG_DFL);
  std::raise(Signal);
}

void warplint::replay::installSignals() {
  prepareThreadForSignals();
  struct sigaction Action = {};
  Action.sa_sigaction = onFault;
  Action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&Action.sa_mask);
  for (int Signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGINT, SIGTERM})
    sigaction(Signal, &Action, nullptr);
}

void warplint::replay::prepareThreadForSignals() {
  if (MayRunLanes)
    return;
  MayRunLanes = true;
  /// Never freed: a thread may fault up to its very end.
  struct HandlerStack {
    HandlerStack *next;
    char bytes[256 << 10]; // the handler writes the file
  };
  static std::atomic<HandlerStack *> All = nullptr;
  auto *Mine = new (std::nothrow) HandlerStack;
  if (!Mine)
    return;
  Mine->next = All.load();
  while (!All.compare_exchange_weak(Mine->next, Mine)) {
  }
  stack_t Stack = {};
  Stack.ss_sp = Mine->bytes;
  Stack.ss_size = sizeof(Mine->bytes);
  sigaltstack(&Stack, nullptr);
}

void warplint::replay::startTimeLimit(double Seconds) {
  if (Seconds <= 0)
    return;
  std::thread([Seconds] {
    std::this_thread::sleep_for(std::chrono::duration<double>(Seconds));
    TimeUp = true;
    // A kernel that is being recorded ends itself. Else nobody counts, and the counts can be written from
    // here.
    std::this_thread::sleep_for(std::chrono::seconds(2));
    endProgram("time limit", TimeLimitStatus);
  }).detach();
}
