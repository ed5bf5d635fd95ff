//===-- Runtime.h - What a replayed program's runtime knows -------------------------*- C++ -*-===//
//
// One per program, made when first asked for, which is from constructors of device modules, and never
// destroyed: it is written out at exit, when other objects may be gone.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_TOOLS_REPLAY_RUNTIME_RUNTIME_H
#define WARPLINT_TOOLS_REPLAY_RUNTIME_RUNTIME_H

#include "tools/replay/runtime/Memory.h"
#include "tools/replay/runtime/Recorder.h"
#include "tools/replay/runtime/RuntimeOptions.h"
#include "tools/replay/runtime/Scheduler.h"
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace warplint::replay {

/// cudaError_t's that the runtime gives (driver_types.h).
enum Error : int {
  Success = 0,
  ErrorInvalidValue = 1,
  ErrorMemoryAllocation = 2,
  ErrorInvalidConfiguration = 9,
  ErrorInvalidSymbol = 13,
  ErrorInvalidDevicePointer = 17,
  ErrorInvalidMemcpyDirection = 21,
  ErrorInvalidDeviceFunction = 98,
  ErrorInvalidDevice = 101,
  ErrorInvalidResourceHandle = 400,
  ErrorNotFound = 500,
  ErrorIllegalAddress = 700,
  ErrorLaunchOutOfResources = 701,
  ErrorLaunchTimeout = 702,
  ErrorPeerAccessUnsupported = 217,
  ErrorHostMemoryAlreadyRegistered = 712,
  ErrorHostMemoryNotRegistered = 713,
  ErrorAssert = 710,
  ErrorMisalignedAddress = 716,
  ErrorLaunchFailure = 719,
  ErrorCooperativeLaunchTooLarge = 720,
  ErrorNotSupported = 801,
};

/// A failure, and the kernel that it happened in.
struct ReportedFailure {
  Failure failure;
  const Kernel *kernel = nullptr;
};

struct KernelState {
  const Kernel *kernel = nullptr;
  uint64_t maxDynamicShared = 48 << 10;
};

/// Where blocks of a cooperative launch meet: what cooperative_groups' headers expect of the driver.
struct alignas(256) GridWorkspace {
  uint32_t size = sizeof(GridWorkspace), barrier = 0;
};

/// The sites whose Site::checked is set. What it says holds for one launch, and until device code frees memory.
class CheckedSites {
public:
  void remember(Site &S, const CheckedRange &Range) {
    if (!S.checked.starts)
      Known.push_back(&S);
    S.checked = Range;
  }
  void forget() {
    for (Site *S : Known)
      S->checked = {};
    Known.clear();
  }

private:
  std::vector<Site *> Known;
};

class Runtime {
public:
  Runtime();

  const RuntimeOptions options;
  std::recursive_mutex mutex; ///< of everything below; held while a kernel runs
  Memory memory;
  Recorder recorder;
  Scheduler scheduler;
  CheckedSites checkedSites;
  std::vector<const Module *> modules;
  std::map<const void *, KernelState> kernels;        ///< by the host's stub
  std::map<const void *, const Variable *> variables; ///< by the host's shadow
  std::vector<ReportedFailure> failures;
  std::set<std::string> warnings;
  uint64_t launches = 0, recordedLaunches = 0, warps = 0, recordedWarps = 0;
  int lastError = Success;
  int stickyError = Success; ///< what every call gives once a kernel failed
  uint64_t clock = 0;        ///< what device code reads as time
  const Kernel *running = nullptr;
  GridWorkspace gridWorkspace;

  /// The module whose host side has this "GPU binary"; null when there is none.
  const Module *moduleOf(const void *Binary) const;
  const Kernel *kernelNamed(const Module *Preferred, std::string_view Name) const;
  const Variable *variableNamed(const Module *Preferred, std::string_view Name) const;

  void report(const Failure &, const Kernel *);
  void warn(const std::string &);
  /// Keeps an error for cudaGetLastError.
  int fail(int Code) { return lastError = Code; }
};

Runtime &runtime();

/// The launch of a kernel that the host asked for; gives a cudaError_t.
int launch(const void *HostStub, LaunchRequest, void **Arguments);

//--- Report.cpp -----------------------------------------------------------------
/// Writes the file, when one was asked for. `Ended`: how the program did.
void writeOutput(const char *Ended);
/// Writes the file and ends the program at once.
[[noreturn]] void endProgram(const char *Ended, int Status);

//--- Signals.cpp ----------------------------------------------------------------
void installSignals();
/// Gives the calling thread a stack for signals.
void prepareThreadForSignals();
void startTimeLimit(double Seconds);

} // namespace warplint::replay

#endif
