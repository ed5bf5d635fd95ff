//===-- Options.cpp - What the command lines have in common --------------------------===//
#include "tools/options/Options.h"
#include "analyzer/frontend/Cache.h"
#include "analyzer/frontend/Limits.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace llvm;
using namespace warplint;
using namespace warplint::options;

cl::OptionCategory options::Category("warplint options");

Opt<std::string> options::BuildPath(
    "p", cl::desc("Folder of compile_commands.json. Without FILEs, every CUDA file in it"),
    cl::value_desc("DIR"), cl::cat(Category));

namespace {

Opt<std::string> Arch("arch", cl::desc("GPU architecture, e.g. sm_80"), cl::value_desc("ARCH"),
                      cl::cat(Category));
Opt<std::string> CudaPath("cuda-path", cl::desc("CUDA toolkit"), cl::value_desc("DIR"), cl::cat(Category));
Opt<bool> NoCuda("no-cuda", cl::desc("Use the built-in CUDA declarations, even where a toolkit is found"),
                 cl::cat(Category));
cl::list<std::string> ExtraArg("extra-arg", cl::desc("Compiler flag to add at the end"),
                               cl::value_desc("FLAG"), cl::cat(Category));
cl::list<std::string> ExtraArgBefore("extra-arg-before", cl::desc("Compiler flag to add at the front"),
                                     cl::value_desc("FLAG"), cl::cat(Category));
Opt<std::string> CacheDir("cache-dir",
                          cl::desc("Folder for what later runs can use; default: the user's cache folder"),
                          cl::value_desc("DIR"), cl::cat(Category));
Opt<bool> NoCache("no-cache", cl::desc("Keep nothing for later runs, and use nothing of earlier ones"),
                  cl::cat(Category));
NumberOpt FileTimeLimit("file-time-limit",
                        cl::desc("Most processor seconds for one file; 0: no limit; default: 300"),
                        cl::value_desc("SECONDS"), cl::init(300), cl::cat(Category));

} // namespace

bool FormatParser::parse(cl::Option &O, StringRef Name, StringRef Text, Format &Value) {
  std::string Known;
  for (const OptionInfo &Choice : Values) {
    if (Choice.Name == Text)
      return parser::parse(O, Name, Text, Value);
    Known += (Known.empty() ? "" : " or ") + Choice.Name.str();
  }
  return O.error("unknown value '" + Text + "'; expected " + Known);
}

bool NumberParser::parse(cl::Option &O, StringRef, StringRef Text, unsigned &Value) {
  return Text.getAsInteger(10, Value) && O.error("expected a number from 0 on, not '" + Text + "'");
}

frontend::Options options::frontendOptions(const char *Program) {
  frontend::Options Options;
  Options.programPath = Program;
  Options.buildPath = BuildPath;
  Options.cudaPath = CudaPath;
  Options.noCuda = NoCuda;
  Options.arch = Arch;
  Options.extraArgs = ExtraArg;
  Options.extraArgsBefore = ExtraArgBefore;
  Options.timeLimitSeconds = FileTimeLimit;
  return Options;
}

std::string options::cacheFolder() {
  if (NoCache)
    return "";
  return CacheDir.getNumOccurrences() ? std::string(CacheDir) : frontend::Cache::defaultFolder();
}

int options::leaveMain(int Status) {
  if (frontend::anyFileLeft()) {
    outs().flush();
    errs().flush();
    std::_Exit(Status);
  }
  return Status;
}
