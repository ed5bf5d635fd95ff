//===-- Build.h - From sources to a program that can be replayed ---------*- C++ -*-===//
//
// Compiles both sides of every file, links them with the runtime. Nothing of a compile command is run: the
// compiler is this process, the linker is Clang's, found where this was built with or on PATH.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_TOOLS_REPLAY_PROGRAM_BUILD_H
#define WARPLINT_TOOLS_REPLAY_PROGRAM_BUILD_H

#include "analyzer/frontend/Frontend.h"
#include "tools/replay/program/SourceFacts.h"
#include <string>
#include <vector>

namespace warplint::replay {

struct BuildOptions {
  frontend::Options frontend;
  std::vector<std::string> files;     ///< .cu and, for the host's part alone, .cpp
  std::vector<std::string> linkFlags; ///< --link
  std::string folder;                 ///< where objects and program go; it exists
};

struct BuildOutcome {
  std::string program; ///< "" when it could not be built
  SourceFacts facts;
  std::vector<result::Error> errors; ///< of the compiler, in its words
  std::vector<std::string> failures; ///< what else went wrong, with the remedy
  std::vector<std::string> notes;    ///< about compile commands
};

BuildOutcome build(const BuildOptions &);

} // namespace warplint::replay

#endif
