//===-- RuntimeOptions.h - What the tool tells a replayed program's runtime --------*- C++ -*-===//
//
// The tool starts the replayed program with these environment variables; README.md has the file that the
// runtime writes. Without an output file nothing is recorded, and the program runs all the same.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_TOOLS_REPLAY_RUNTIME_RUNTIMEOPTIONS_H
#define WARPLINT_TOOLS_REPLAY_RUNTIME_RUNTIMEOPTIONS_H

#include <cstdint>

namespace warplint::replay {

/// Names of environment variables.
namespace environment {
/// Where to write what was measured (README.md). It is written at exit, also when a signal ends the program.
inline constexpr char Output[] = "WARPLINT_REPLAY_OUTPUT";
/// Warps of one launch whose accesses are recorded, at least one block; 0: all.
inline constexpr char MaxWarps[] = "WARPLINT_REPLAY_MAX_WARPS";
/// The same for all launches together; when it is spent, of each further configuration the first block is
/// recorded.
inline constexpr char MaxTotalWarps[] = "WARPLINT_REPLAY_MAX_TOTAL_WARPS";
/// Launches of one configuration (kernel, grid, block, dynamic shared memory, arguments) that are recorded;
/// 0: all.
inline constexpr char FirstLaunches[] = "WARPLINT_REPLAY_FIRST_LAUNCHES";
/// Seconds after which the program is ended, what it measured written; 0: none. Fractions are allowed.
inline constexpr char TimeLimit[] = "WARPLINT_REPLAY_TIME_LIMIT";
/// Bytes of one device thread's stack.
inline constexpr char StackBytes[] = "WARPLINT_REPLAY_STACK";
/// The GPU that the program sees, over the default's (an A100): "name=NVIDIA H100;major=9;minor=0". Names are
/// those of cudaDeviceProp's fields.
inline constexpr char Gpu[] = "WARPLINT_REPLAY_GPU";
} // namespace environment

struct RuntimeOptions {
  const char *output = nullptr;
  uint64_t maxWarps = 4096;
  uint64_t maxTotalWarps = 65536;
  uint64_t firstLaunches = 3;
  double timeLimit = 0;
  uint64_t stackBytes = 128 << 10;
  const char *gpu = "";

  /// From the environment. What is no number leaves the default.
  static RuntimeOptions fromEnvironment();
};

/// Exit status of a program that the runtime ended: by its time limit, for something that cannot be replayed.
inline constexpr int TimeLimitStatus = 124, UnsupportedStatus = 125;

} // namespace warplint::replay

#endif
