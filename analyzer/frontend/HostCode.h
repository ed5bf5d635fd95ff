//===-- HostCode.h - The host side of a program, compiled ------------*- C++ -*-===//
//
// The other half of a parse: the same command, files, headers and repairs, with the host's functions compiled
// for the machine that this runs on. For tools that run what they analysed.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_FRONTEND_HOSTCODE_H
#define WARPLINT_ANALYZER_FRONTEND_HOSTCODE_H

#include "analyzer/frontend/Frontend.h"
#include "llvm/ADT/SmallVector.h"

namespace warplint::frontend {

struct HostOptions {
  /// What the program registers its kernels and variables under, in place of a GPU binary's contents; "" for
  /// none, when the file has no device code.
  std::string deviceId;
  /// Text included after CUDA's headers, by name.
  std::vector<std::pair<std::string, std::string>> headers;
};

struct HostCode {
  std::vector<result::Error> errors; ///< diagnostics at error level, in order; there is no object then
  llvm::SmallVector<char, 0> object; ///< an object file's contents
  bool compiled() const { return !object.empty(); }
};

/// Is the file plain C++, which nvcc hands to the host's compiler?
bool isPlainCxxName(llvm::StringRef File);
/// The command for such a file; as commandFor().
llvm::Expected<Command> plainCommandFor(llvm::StringRef File, const Options &);

HostCode compileHost(const Command &, const Options &, const HostOptions &);

} // namespace warplint::frontend

#endif
