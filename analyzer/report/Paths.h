//===-- Paths.h - File names as code hosts want them -----------------*- C++ -*-===//
#ifndef WARPLINT_ANALYZER_REPORT_PATHS_H
#define WARPLINT_ANALYZER_REPORT_PATHS_H

#include "llvm/ADT/StringRef.h"
#include <map>
#include <optional>
#include <string>

namespace warplint::report {

/// A path's bytes in a URI: all but letters, digits, "-._~" and "/" as %XX.
std::string percentEncoded(llvm::StringRef Path);

/// Names relative to the root of a repository.
class RepositoryPaths {
public:
  /// `Root` is absolute.
  explicit RepositoryPaths(std::string Root);
  /// "src/a.cu"; nothing for what does not lie in the repository. Symbolic links and ".." are looked through.
  std::optional<std::string> relative(const std::string &File);
  /// The same, or the absolute name.
  std::string shown(const std::string &File);
  const std::string &root() const { return Root; }

private:
  std::string Root, RealRoot;
  std::map<std::string, std::optional<std::string>> Known;
};

} // namespace warplint::report

#endif
