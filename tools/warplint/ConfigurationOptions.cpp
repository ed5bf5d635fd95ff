#include "tools/warplint/ConfigurationOptions.h"
#include "tools/options/Options.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace warplint;
using namespace warplint::options;

namespace {

Opt<std::string>
    Config("config",
           cl::desc("Configuration in YAML, instead of .warplint files: '{Checks: -global-gather}'"),
           cl::value_desc("YAML"), cl::cat(Category));
Opt<std::string> ConfigFile("config-file", cl::desc("Configuration to use instead of .warplint files"),
                            cl::value_desc("FILE"), cl::cat(Category));
Opt<bool> DumpConfig("dump-config",
                     cl::desc("Print the configuration of the first FILE, or of the current folder"),
                     cl::cat(Category));
Opt<bool> VerifyConfig("verify-config",
                       cl::desc("Check the configuration of the FILEs, or of the current folder, and exit"),
                       cl::cat(Category));
Opt<bool>
    ReportUnusedSuppressions("report-unused-suppressions",
                             cl::desc("Name the NOLINT comments with a list of checks that silence nothing"),
                             cl::cat(Category));

} // namespace

std::vector<std::string> options::readConfigurationOptions(warplint::driver::RunOptions &Options) {
  using warplint::driver::Configuration;
  std::vector<std::string> Errors;
  std::optional<Configuration> Given;
  if (!Config.empty() && !ConfigFile.empty())
    return {"--config and --config-file exclude each other; give one of them"};
  if (!Config.empty()) {
    Options.configurationText = Config;
    Given = warplint::driver::readConfiguration(Config, "--config", Errors);
  }
  if (ConfigFile.getNumOccurrences()) {
    if (sys::fs::is_directory(ConfigFile))
      return {"--config-file=" + ConfigFile + ": this is a folder; name a file"};
    auto Buffer = MemoryBuffer::getFile(ConfigFile);
    if (!Buffer)
      return {"--config-file=" + ConfigFile + ": cannot be read: " + Buffer.getError().message()};
    Options.configurationText = (*Buffer)->getBuffer().str();
    Given = warplint::driver::readConfiguration(*Options.configurationText, ConfigFile, Errors);
  }
  Configuration CommandLine;
  CommandLine.checks = Options.checks;
  CommandLine.warningsAsErrors = Options.warningsAsErrors;
  CommandLine.assume = Options.analysis.assume;
  Options.configurations =
      std::make_shared<warplint::driver::Configurations>(std::move(Given), std::move(CommandLine));
  Options.reportUnusedSuppressions = ReportUnusedSuppressions;
  return Errors;
}

const std::string &options::configurationFile() { return ConfigFile.getValue(); }

bool options::asksForConfiguration() { return DumpConfig || VerifyConfig; }

std::vector<std::string> options::showConfiguration(warplint::driver::Configurations &All,
                                                    const std::vector<std::string> &Files) {
  const std::string Text = warplint::driver::dump(All.of(Files.empty() ? "" : Files.front()));
  for (const std::string &File : Files)
    (void)All.of(File);
  std::vector<std::string> Errors = All.errors();
  if (Errors.empty())
    outs() << (VerifyConfig ? "No config errors detected.\n" : Text);
  return Errors;
}
