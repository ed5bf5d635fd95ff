//===-- Limits.h - No file ends a run ------------------------------*- C++ -*-===//
//
// A run over many files goes on whatever one of them does: runs out of time or memory, overflows the stack,
// or makes Clang give up. Each of these becomes that file's error.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_FRONTEND_LIMITS_H
#define WARPLINT_ANALYZER_FRONTEND_LIMITS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <chrono>
#include <string>

namespace clang {
class CompilerInstance;
class Sema;
}

namespace warplint::frontend {

/// The end of a file's time.
class Deadline {
public:
  /// In seconds from now; 0: there is none.
  explicit Deadline(double Seconds);
  bool passed() const;
  /// What to tell of a file whose time is up, with the remedy.
  std::string message() const;

private:
  double Seconds;
  std::chrono::steady_clock::time_point End;
};

/// Leaves the file that is being worked on by runGuarded(), with this reason. Returns only where nothing
/// guards (builds with a sanitizer).
void abandonFile(const std::string &Reason);

/// Watches a parse: abandons the file when its time is up, or when it grows beyond all bounds.
void watchParse(clang::CompilerInstance &, clang::Sema &, const Deadline &);

/// Runs `Work` on a thread of its own with a deep stack. Returns "" when it came to its end, else why it did
/// not: what abandonFile() was given, or what crashed.
std::string runGuarded(llvm::function_ref<void()> Work);

} // namespace warplint::frontend

#endif
