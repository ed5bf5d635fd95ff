//===-- Configuration.h - .warplint files --------------------------------------*- C++ -*-===//
//
// What a project has decided once: YAML in the nearest folder above each file, with the keys of .clang-tidy
// and a few of our own. An option of the command line wins over it, or is added where clang-tidy adds it.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_DRIVER_CONFIGURATION_H
#define WARPLINT_ANALYZER_DRIVER_CONFIGURATION_H

#include "analyzer/kernel/Analysis.h"
#include "rules/Rules.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace warplint::driver {

inline constexpr llvm::StringLiteral ConfigurationFile = ".warplint";

struct Configuration {
  std::optional<std::string> checks, warningsAsErrors; ///< globs, separated by commas
  std::optional<std::string> headerFilter, excludeHeaderFilter;
  std::map<std::string, std::string> checkOptions; ///< by "check.Option"
  std::vector<std::string> extraArgs, extraArgsBefore;
  std::optional<bool> useColor;
  std::optional<std::string> gpu;
  std::vector<kernel::GivenLaunch> kernels;
  std::map<std::string, int64_t> assume; ///< by NAME or KERNEL:NAME
  bool inheritParent = false;

  /// Adds what is set nearer to the file, or on the command line: lists grow at the end (`kernels`, of which
  /// the first counts, in front), everything else is replaced.
  void mergeWith(const Configuration &Nearer);
};

/// Reads the text of a configuration. `Errors` takes what is wrong, each as "NAME:line:column: what and
/// remedy".
Configuration readConfiguration(llvm::StringRef Text, llvm::StringRef Name, std::vector<std::string> &Errors);

/// As YAML that reads back as the same, with every option of every check.
std::string dump(const Configuration &);

/// The configurations of a run, by file. Thread-safe.
class Configurations {
public:
  /// `Given` takes the place of the files (--config, --config-file), unless it inherits from them;
  /// `CommandLine` is added to whatever is found.
  Configurations(std::optional<Configuration> Given, Configuration CommandLine)
      : Given(std::move(Given)), CommandLine(std::move(CommandLine)) {}

  /// All that holds for a file; without a name, for any file of the current folder.
  const Configuration &of(llvm::StringRef File);
  const rules::Settings &settingsOf(llvm::StringRef File);
  /// What is wrong with the files that were read so far; each once.
  std::vector<std::string> errors() const;
  /// Those that were read.
  std::vector<std::string> files() const;
  /// What these say, by their names, and what was given in their place.
  std::vector<std::pair<std::string, Configuration>> contents() const;

private:
  struct Entry {
    Configuration configuration;
    rules::Settings settings;
  };
  const Entry &entryOf(llvm::StringRef File);
  void addFilesAbove(const std::string &Folder, std::vector<Configuration> &Nearest);

  const std::optional<Configuration> Given;
  const Configuration CommandLine;
  mutable std::mutex Lock;
  std::map<std::string, std::unique_ptr<Entry>> ByFolder;
  std::map<std::string, std::optional<Configuration>> ByFile; ///< of those that exist
  std::vector<std::string> Errors;
};

} // namespace warplint::driver

#endif
