//===-- PtxasLog.h - What ptxas said of each kernel -----------------*- C++ -*-===//
//
// Reads the lines that `nvcc -Xptxas -v` (or `--resource-usage`) prints, out of whatever else a build prints
// around them. Only ptxas knows how many registers a kernel takes.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_DRIVER_PTXASLOG_H
#define WARPLINT_ANALYZER_DRIVER_PTXASLOG_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warplint::driver {

/// One kernel for one architecture.
struct PtxasEntry {
  std::string symbol; ///< mangled, as nvcc does
  std::string arch;   ///< "sm_80"
  unsigned registers = 0;
  unsigned barriers = 0;
  uint64_t sharedBytes = 0; ///< static
  uint64_t spillBytes = 0;  ///< stores and loads
};

class PtxasLog {
public:
  /// An error when no kernel is in it, with what would be right.
  static llvm::Expected<PtxasLog> parse(llvm::StringRef Text);

  struct Match {
    PtxasEntry entry;
    bool otherArch = false;    ///< none is of the architecture asked for: it is of the nearest
    bool severalMatch = false; ///< files have kernels of one name that differ: the one with most registers
  };
  /// By mangled name; names that nvcc and clang mangle differently (internal linkage) by what they say
  /// demangled.
  std::optional<Match> find(llvm::StringRef Symbol, llvm::StringRef Arch) const;

  /// Demangled names of all kernels, each once; what find() was given and found is left out.
  std::vector<std::string> namesWithout(const std::vector<std::string> &Symbols) const;
  size_t kernels() const { return Entries.size(); }
  /// Kernels that were left out, because the lines of several compilations are mixed up.
  unsigned mixedUp() const { return MixedUp; }

private:
  std::map<std::string, std::vector<PtxasEntry>> Entries; ///< by comparable name
  unsigned MixedUp = 0;
};

} // namespace warplint::driver

#endif
