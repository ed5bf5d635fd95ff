//===-- Launcher.h - warplint in front of a compiler ---------------------*- C++ -*-===//
//
// `warplint --launcher [options] [--] nvcc ...`: what a build system puts in front of its compile commands.
// The command runs as it is given; where it compiled CUDA sources, they are analysed with its flags.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_TOOLS_WARPLINT_LAUNCHER_H
#define WARPLINT_TOOLS_WARPLINT_LAUNCHER_H

#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <string>
#include <vector>

namespace warplint::options {

/// The words of main() by whose they are.
struct CommandLineParts {
  int own = 0;                       ///< the first words of argv: the program and its options
  std::vector<std::string> compiler; ///< what follows: flags after "--", or the command behind --launcher
  bool hasCompiler = false;          ///< there was a "--", or a command
  bool launches = false;             ///< --launcher is among our options
};
CommandLineParts partsOf(int argc, const char *const *argv);

/// What is wrong with the options together with --launcher, before anything is run; "" where nothing is.
std::string launcherProblem(const CommandLineParts &, bool HasFiles);

/// The command with the flags that nvcc reads from its environment (NVCC_PREPEND_FLAGS, NVCC_APPEND_FLAGS).
std::vector<std::string> withEnvironment(std::vector<std::string> Command);

/// The CUDA files that the command compiles; none where it links, preprocesses, or compiles something else.
std::vector<std::string> compiledFiles(llvm::ArrayRef<std::string> Command);

/// Runs the command with our environment, streams and signals. Does not return where it fails: this process
/// ends as the command did, by the same status or signal.
void runCompiler(const std::vector<std::string> &Command);
/// Becomes the command. Returns only where it cannot be run, with the exit status for that.
int becomeCompiler(const std::vector<std::string> &Command);

/// From here on, what goes to stdout goes to stderr: stdout is the compiler's.
void leaveStdout();

/// The status of a build step whose compiler succeeded. `Misconfigured`: a .warplint file is wrong.
/// `HasErrors`: some code was not understood; without --fail-on-errors, says then that this fails nothing.
int launcherStatus(int Status, bool Misconfigured, bool HasErrors);

} // namespace warplint::options

#endif
