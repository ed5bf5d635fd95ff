//===-- SampleMain.cpp - Writes reports for the schema's test ----------------===//
//
//   warplint_report_sample FOLDER    writes FOLDER/full.json, FOLDER/shard.json and FOLDER/empty.json
//
//===----------------------------------------------------------------------===//
#include "Sample.h"
#include "analyzer/report/Report.h"
#include "llvm/Support/FileSystem.h"

static bool write(const std::string &Path, const warplint::result::Report &Report) {
  std::error_code Error;
  llvm::raw_fd_ostream OS(Path, Error);
  if (Error) {
    llvm::errs() << Path << ": " << Error.message() << '\n';
    return false;
  }
  warplint::report::writeJson(OS, Report, "0.1.0");
  return true;
}

int main(int Count, char **Arguments) {
  if (Count != 2) {
    llvm::errs() << "usage: warplint_report_sample FOLDER\n";
    return 2;
  }
  const std::string Folder = Arguments[1];
  if (std::error_code Error = llvm::sys::fs::create_directories(Folder)) {
    llvm::errs() << Folder << ": " << Error.message() << '\n';
    return 1;
  }
  return write(Folder + "/full.json", warplint::test::sampleReport()) &&
                 write(Folder + "/shard.json", warplint::test::sampleShard()) &&
                 write(Folder + "/empty.json", {})
             ? 0
             : 1;
}
