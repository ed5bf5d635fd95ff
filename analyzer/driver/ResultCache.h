//===-- ResultCache.h - What the last run said about a file ------------------------*- C++ -*-===//
//
// A file whose command and every file it reads are as they were need not be parsed again.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_DRIVER_RESULTCACHE_H
#define WARPLINT_ANALYZER_DRIVER_RESULTCACHE_H

#include "analyzer/frontend/Cache.h"
#include "analyzer/frontend/Dependencies.h"
#include "analyzer/frontend/Frontend.h"
#include "analyzer/kernel/Analysis.h"
#include "analyzer/result/Result.h"
#include <memory>
#include <optional>
#include <vector>

namespace warplint::driver {

/// All that the analysis of one translation unit says of the requested file and later steps use.
struct UnitResult {
  std::vector<result::Kernel> kernels;
  std::vector<result::Error> errors;
  bool hasKernels = false; ///< the unit, in the requested file or elsewhere
  std::vector<frontend::Dependency> dependencies;
  std::vector<kernel::WantedFunction> wanted; ///< of which other files may say more
};

/// Thread-safe.
class ResultCache {
public:
  ResultCache(std::shared_ptr<const frontend::Cache> Disk, std::shared_ptr<frontend::DependencyChecker> Checker)
      : Disk(std::move(Disk)), Checker(std::move(Checker)) {}

  /// The name of what depends on the command, the environment that Clang reads, and the options.
  static std::string key(const frontend::Command &, const kernel::AnalysisOptions &);

  /// Nothing when absent, damaged, or made from files that have changed since.
  std::optional<UnitResult> load(const std::string &Key) const;
  void store(const std::string &Key, const UnitResult &) const;

private:
  std::shared_ptr<const frontend::Cache> Disk;
  std::shared_ptr<frontend::DependencyChecker> Checker;
};

/// The same for what a file says of the functions of others. Thread-safe; without a disk, nothing is known
/// and nothing is kept.
class UsesCache {
public:
  UsesCache(std::shared_ptr<const frontend::Cache> Disk, std::shared_ptr<frontend::DependencyChecker> Checker)
      : Disk(std::move(Disk)), Checker(std::move(Checker)) {}

  std::optional<kernel::OutsideUses> load(const frontend::Command &) const;
  void store(const frontend::Command &, const kernel::OutsideUses &,
             const std::vector<frontend::Dependency> &) const;

private:
  std::shared_ptr<const frontend::Cache> Disk;
  std::shared_ptr<frontend::DependencyChecker> Checker;
};

} // namespace warplint::driver

#endif
