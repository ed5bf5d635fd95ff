//===-- Run.h - Runs a replayable program ---------------------------------*- C++ -*-===//
//
// In a process of its own, with the user's arguments, input and folder; what it measured comes as a file.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_TOOLS_REPLAY_PROGRAM_RUN_H
#define WARPLINT_TOOLS_REPLAY_PROGRAM_RUN_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warplint::replay {

struct RunJob {
  std::string program;
  std::vector<std::string> arguments; ///< without the program
  std::string output;                 ///< the measurement file to be written
  std::optional<uint64_t> maxWarps;   ///< the runtime's own limit when unset
  unsigned timeLimitSeconds = 0;      ///< 0: none
  std::string gpu;                    ///< as RuntimeOptions.h has it
  bool outputToStderr = false;        ///< the program's own stdout, where ours is for a report
};

struct RunResult {
  int status = 0;      ///< the program's
  std::string problem; ///< why it did not come to an end of its own; "" when it did
};

RunResult run(const RunJob &);

} // namespace warplint::replay

#endif
