//===-- Scratch.h - A temporary folder for one test ----------------*- C++ -*-===//
#ifndef WARPLINT_TEST_UNIT_FRONTEND_SCRATCH_H
#define WARPLINT_TEST_UNIT_FRONTEND_SCRATCH_H

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace warplint::frontend {

class Scratch {
public:
  Scratch() {
    llvm::SmallString<128> Name;
    if (llvm::sys::fs::createUniqueDirectory("warplint", Name))
      llvm::report_fatal_error("no temporary folder");
    llvm::SmallString<128> Real;
    if (llvm::sys::fs::real_path(Name, Real))
      llvm::report_fatal_error("no temporary folder");
    Folder = std::string(Real);
  }
  ~Scratch() { (void)llvm::sys::fs::remove_directories(Folder); }

  std::string path(llvm::StringRef Name) const {
    llvm::SmallString<128> Result(Folder);
    llvm::sys::path::append(Result, Name);
    return std::string(Result);
  }
  /// Writes a file, its folders included, and returns its absolute name.
  std::string write(llvm::StringRef Name, llvm::StringRef Text) const {
    std::string File = path(Name);
    (void)llvm::sys::fs::create_directories(llvm::sys::path::parent_path(File));
    std::error_code Problem;
    llvm::raw_fd_ostream Out(File, Problem);
    Out << Text;
    return File;
  }
  const std::string &folder() const { return Folder; }

private:
  std::string Folder;
};

} // namespace warplint::frontend

#endif
