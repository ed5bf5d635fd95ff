#include "analyzer/frontend/Database.h"
#include "tools/warplint/ReportOptions.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace warplint;
using namespace warplint::options;

static Opt<std::string> ShardOption("shard",
                                    cl::desc("Analyse part I of N; 'warplint merge' joins the reports"),
                                    cl::value_desc("I/N"), cl::cat(Category));

/// The database's folder, which is where the project is whatever the current folder; without one, the latter.
static std::string baseFolder() {
  SmallString<256> Folder{StringRef(BuildPath)};
  if (!Folder.empty() && !sys::fs::is_directory(Folder))
    sys::path::remove_filename(Folder);
  (void)sys::fs::make_absolute(Folder);
  return Folder.str().str();
}

bool options::readShard(driver::RunOptions &Options) {
  if (!ShardOption.getNumOccurrences())
    return true;
  driver::ShardRequest Request;
  const auto [Index, Count] = StringRef(ShardOption).split('/');
  if (Index.getAsInteger(10, Request.index) || Count.getAsInteger(10, Request.count) || Request.index == 0 ||
      Request.index > Request.count) {
    fail("--shard=" + ShardOption +
         ": expected I/N with I from 1 to N, e.g. --shard=1/4 for the first of four");
    return false;
  }
  Request.base = baseFolder();
  Options.shard = Request;
  return true;
}
