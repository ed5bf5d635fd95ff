//===-- Analysis.h - A parsed file's kernels, with the cost of every access -------*- C++ -*-===//
#ifndef WARPLINT_ANALYZER_KERNEL_ANALYSIS_H
#define WARPLINT_ANALYZER_KERNEL_ANALYSIS_H

#include "analyzer/frontend/Frontend.h"
#include "analyzer/kernel/OutsideUses.h"
#include "analyzer/result/Result.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warplint::kernel {

/// What the configuration says of the launches of some kernels.
struct GivenLaunch {
  std::string pattern; ///< a kernel's name or signature, or a glob of either
  std::optional<std::array<unsigned, 3>> block;
  std::optional<std::array<uint64_t, 3>> grid;
  std::optional<uint64_t> dynamicShared; ///< bytes
  std::optional<unsigned> registers;     ///< of each thread
  std::string origin;                    ///< where it is written: ".warplint:12"

  bool matches(llvm::StringRef Name, llvm::StringRef Signature) const;
};

struct AnalysisOptions {
  std::optional<std::array<unsigned, 3>> block; ///< --block: threads in x, y, z
  std::vector<GivenLaunch> kernels; ///< of those that match a kernel, the first that says a thing counts
  /// --assume: values of kernel parameters, by NAME or KERNEL:NAME.
  std::map<std::string, int64_t> assume;
  /// Launches of this file's kernels, and calls of its functions that launch, in other files.
  std::vector<OutsideUse> outside;
};

/// How the analysis went, for tests and benchmarks.
struct Statistics {
  uint64_t steps = 0;             ///< instructions executed abstractly
  uint64_t runs = 0;              ///< boxes of blocks and warps
  uint64_t wordDisagreements = 0; ///< index expressions dropped because they do not give the lanes
};

/// Every kernel instance and launch configuration of the unit, in source order, with every access. `Wanted`
/// takes the functions of which other files might say what AnalysisOptions::outside does not.
std::vector<result::Kernel> analyze(frontend::Unit &, const AnalysisOptions &, Statistics * = nullptr,
                                    std::vector<WantedFunction> *Wanted = nullptr);

/// As result::Kernel has it.
std::string signatureOf(const clang::FunctionDecl &);

} // namespace warplint::kernel

#endif
