//===-- Link.h - Objects and the runtime into a program -------------------*- C++ -*-===//
#ifndef WARPLINT_TOOLS_REPLAY_PROGRAM_LINK_H
#define WARPLINT_TOOLS_REPLAY_PROGRAM_LINK_H

#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace warplint::replay {

struct LinkJob {
  std::vector<std::string> objects, flags;
  std::string program;  ///< to be written
  std::string folder;   ///< for the linker's messages
  std::string toolPath; ///< argv[0]: the runtime lies beside an installed tool
};

/// Errors name what the program calls that nobody defines, and what to do.
llvm::Error link(const LinkJob &);

/// The names in a linker's messages that nobody defines, demangled, each once and in order.
std::vector<std::string> undefinedNames(llvm::StringRef Messages);

} // namespace warplint::replay

#endif
