//===-- Limits.h - No file ends a run ------------------------------*- C++ -*-===//
//
// A run over many files goes on whatever one of them does: runs out of time or memory, overflows the stack,
// or makes Clang give up. Each of these becomes that file's error.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_FRONTEND_LIMITS_H
#define WARPLINT_ANALYZER_FRONTEND_LIMITS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <condition_variable>
#include <ctime>
#include <functional>
#include <mutex>
#include <string>

namespace clang {
class CompilerInstance;
class Sema;
} // namespace clang

namespace warplint::frontend {

/// The end of a file's time. Counts the processor time of the thread that makes it and asks it: on a busy
/// machine a file takes no more of that, however long it waits.
class Deadline {
public:
  /// In seconds from now; 0: there is none.
  explicit Deadline(double Seconds);
  bool passed() const;
  /// What to tell of a file whose time is up, with the remedy.
  std::string message() const;

private:
  double Seconds;
  double Start;
};

/// Leaves the file that is being worked on, with this reason. Returns only where nothing
/// guards (builds with a sanitizer).
void abandonFile(const std::string &Reason);

/// Watches a parse: abandons the file when its time is up, or when it grows beyond all bounds.
void watchParse(clang::CompilerInstance &, clang::Sema &, const Deadline &);

/// Work on one file, kept apart from the rest of the program: what it captures must live as long as it does,
/// which may be until the program ends.
class Guarded {
public:
  /// Runs `Work` on a thread of its own with a deep stack. Returns "" when it came to its end, else why it
  /// did not: what abandonFile() was given, what crashed, or that it stood still `Patience` seconds (0: for
  /// ever) outside what ran under enterCaller().
  static std::string run(std::function<void(Guarded &)> Work, double Patience);

  /// Runs what uses the caller's own data, unless nobody waits for this work any more. Work that uses it must
  /// look at its deadline itself.
  void enterCaller(llvm::function_ref<void()> Use);

private:
  std::mutex Lock;
  std::condition_variable Changed;
  bool Done = false, InCaller = false, Left = false;
  bool Good = false;
  int Code = 0;
  clockid_t Clock = 0; ///< of the thread; 0 until it runs
  std::string Why;
};

/// Was a file left by a crash or for its time? Then a program ends by std::_Exit(): what the file's thread
/// was doing is still referred to by LLVM's global data.
bool anyFileLeft();

} // namespace warplint::frontend

#endif
