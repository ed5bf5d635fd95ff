//===-- LaunchIndex.h - Launches in the other files of a project --------------------*- C++ -*-===//
//
// A kernel may be launched by another file than the one that defines it, or by a function of that file which
// others call. This finds what those files say: it looks for the names in the texts of the project's files,
// and parses the few that have them.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_DRIVER_LAUNCHINDEX_H
#define WARPLINT_ANALYZER_DRIVER_LAUNCHINDEX_H

#include "analyzer/frontend/Cache.h"
#include "analyzer/frontend/Dependencies.h"
#include "analyzer/frontend/Frontend.h"
#include "analyzer/kernel/OutsideUses.h"
#include "llvm/ADT/ArrayRef.h"
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace warplint::driver {

/// Thread-safe; what it says does not depend on who asks first.
class LaunchIndex {
public:
  /// `Files` are looked at beside those of the database. The cache and its checker are null when nothing is
  /// to be kept.
  LaunchIndex(std::vector<std::string> Files, frontend::Options, std::shared_ptr<const frontend::Cache> Disk,
              std::shared_ptr<frontend::DependencyChecker> Checker);
  ~LaunchIndex();

  /// What other files than `Unit` say of functions that it defines, in a fixed order.
  std::vector<kernel::OutsideUse> find(const frontend::Command &Unit,
                                       llvm::ArrayRef<kernel::WantedFunction> Wanted);

  /// The files that find() looks for launches in, those that say nothing included.
  std::vector<std::string> filesFor(const frontend::Command &Unit) const;

private:
  struct Source;

  std::vector<Source *> candidates(const frontend::Command &Unit,
                                   llvm::ArrayRef<kernel::WantedFunction> Wanted);
  Source &sourceOf(const std::string &File);
  void scan(Source &) const;
  void parse(Source &) const;

  const std::vector<std::string> Files;
  const frontend::Options Options;
  const std::shared_ptr<const frontend::Cache> Disk;
  const std::shared_ptr<frontend::DependencyChecker> Checker;
  std::mutex Lock; ///< of `Sources`
  std::map<std::string, std::unique_ptr<Source>> Sources;
};

} // namespace warplint::driver

#endif
