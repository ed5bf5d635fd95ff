//===-- Limits.cpp - No file ends a run -----------------------------------===//
#include "analyzer/frontend/Limits.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Basic/Stack.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/TemplateInstCallback.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/thread.h"
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <memory>
#include <pthread.h>
#include <unistd.h>

using namespace clang;

namespace warplint::frontend {

namespace {

/// Of the thread's guarded work: what abandonFile() or a fatal error of LLVM said.
thread_local std::string *Reason = nullptr;

constexpr unsigned StackSize = 256 << 20;
/// Exit codes of our own; crashes have those of signals.
constexpr int Abandoned = 70;

/// Characters of source and of macro expansions; Clang's places have room for eight times as many, at 24
/// bytes of memory and more for each macro.
constexpr unsigned MaxSource = 1u << 28;
/// Of the syntax tree.
constexpr size_t MaxTree = size_t(8) << 30;

/// Looks at the clock now and then.
class Watch {
public:
  Watch(CompilerInstance &CI, const Deadline &Limit) : CI(CI), Limit(Limit) {}
  void tick() {
    if (++Ticks % 1024 == 0)
      look();
  }

private:
  void look() {
    if (Limit.passed())
      abandonFile(Limit.message());
    if (CI.hasSourceManager() && CI.getSourceManager().getNextLocalOffset() > MaxSource)
      abandonFile("it has more than " + llvm::utostr(MaxSource >> 20) +
                  " Mi characters with its headers and macros expanded; take out what expands so far");
    if (CI.hasASTContext() && CI.getASTContext().getASTAllocatedMemory() > MaxTree)
      abandonFile("its syntax tree needs more than " + llvm::utostr(MaxTree >> 30) +
                  " GiB of memory; take out the templates that make so many instances");
  }

  CompilerInstance &CI;
  const Deadline &Limit;
  uint64_t Ticks = 0;
};

class InstantiationWatch : public TemplateInstantiationCallback {
public:
  explicit InstantiationWatch(std::shared_ptr<Watch> W) : W(std::move(W)) {}
  void initialize(const Sema &) override {}
  void finalize(const Sema &) override {}
  void atTemplateBegin(const Sema &, const Sema::CodeSynthesisContext &) override { W->tick(); }
  void atTemplateEnd(const Sema &, const Sema::CodeSynthesisContext &) override {}

private:
  std::shared_ptr<Watch> W;
};

void onFatalError(void *, const char *Message, bool) {
  if (llvm::CrashRecoveryContext::GetCurrent())
    abandonFile(std::string("Clang gave up: ") + Message);
}

/// The handlers of CrashRecoveryContext, but on the alternate stack: an overflown one cannot run them.
void useAlternateStack() {
  for (int Signal : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP}) {
    struct sigaction Action;
    if (sigaction(Signal, nullptr, &Action) == 0 && !(Action.sa_flags & SA_ONSTACK)) {
      Action.sa_flags |= SA_ONSTACK;
      sigaction(Signal, &Action, nullptr);
    }
  }
}

/// A stack for signal handlers of this thread.
class AlternateStack {
public:
  AlternateStack() : Memory(new char[Size]) {
    stack_t Stack{};
    Stack.ss_sp = Memory.get();
    Stack.ss_size = Size;
    sigaltstack(&Stack, &Old);
  }
  ~AlternateStack() { sigaltstack(&Old, nullptr); }

private:
  static constexpr size_t Size = 256 << 10;
  std::unique_ptr<char[]> Memory;
  stack_t Old{};
};

std::string crashText(int Code) {
  std::string Text = "the analysis of this file crashed";
  if (Code == 128 + SIGSEGV || Code == 128 + SIGBUS)
    Text += " (a memory fault; very deep nesting is one cause)";
  else if (Code > 128 && Code < 128 + 65)
    Text += std::string(" (") + strsignal(Code - 128) + ")";
  return Text + "; nothing is known about it";
}

} // namespace

static double secondsOf(clockid_t Clock) {
  timespec Time{};
  clock_gettime(Clock, &Time);
  return double(Time.tv_sec) + 1e-9 * double(Time.tv_nsec);
}

Deadline::Deadline(double Seconds) : Seconds(Seconds), Start(secondsOf(CLOCK_THREAD_CPUTIME_ID)) {}

bool Deadline::passed() const { return Seconds > 0 && secondsOf(CLOCK_THREAD_CPUTIME_ID) - Start >= Seconds; }

std::string Deadline::message() const {
  return llvm::formatv("it takes longer than the time limit of {0} s; --file-time-limit=SECONDS sets it",
                       uint64_t(Seconds))
      .str();
}

void abandonFile(const std::string &Why) {
  llvm::CrashRecoveryContext *Guard = llvm::CrashRecoveryContext::GetCurrent();
  if (!Guard)
    return;
  if (Reason)
    *Reason = Why;
  Guard->HandleExit(Abandoned);
}

void watchParse(CompilerInstance &CI, Sema &S, const Deadline &Limit) {
  auto W = std::make_shared<Watch>(CI, Limit);
  CI.getPreprocessor().setTokenWatcher([W](const Token &) { W->tick(); });
  S.TemplateInstCallbacks.push_back(std::make_unique<InstantiationWatch>(W));
}

/// Calls `Work` far below the frames of the caller. What the thread does after a long jump must not overwrite
/// objects on the stack that LLVM's global data still refers to.
LLVM_ATTRIBUTE_NOINLINE static void callBelow(llvm::function_ref<void()> Work) {
  volatile char Gap[64 << 10];
  Gap[0] = 0;
  Work();
  Gap[1] = Gap[0];
}

static void waitForTheEnd() {
  for (;;)
    pause();
}

static std::atomic<bool> SomeFileLeft = false;

bool anyFileLeft() { return SomeFileLeft; }

void Guarded::enterCaller(llvm::function_ref<void()> Use) {
  {
    std::lock_guard<std::mutex> Guard(Lock);
    if (Left)
      waitForTheEnd();
    InCaller = true;
  }
  Use();
  std::lock_guard<std::mutex> Guard(Lock);
  InCaller = false;
}

std::string Guarded::run(std::function<void(Guarded &)> Work, double Patience) {
  static const bool Enabled = [] {
    // With a sanitizer its report is worth more than a run that goes on.
    if (LLVM_ADDRESS_SANITIZER_BUILD)
      return false;
    llvm::CrashRecoveryContext::Enable();
    useAlternateStack();
    llvm::install_fatal_error_handler(onFatalError);
    return true;
  }();
  (void)Enabled;
  auto State = std::make_shared<Guarded>();
  llvm::thread Thread(std::optional<unsigned>(StackSize), [State, Work = std::move(Work)] {
    {
      std::lock_guard<std::mutex> Guard(State->Lock);
      pthread_getcpuclockid(pthread_self(), &State->Clock);
    }
    AlternateStack Signals;
    llvm::CrashRecoveryContext Recovery;
    bool Good = Recovery.RunSafely([&] {
      callBelow([&] {
        Reason = &State->Why;
        clang::noteBottomOfStack(/*ForceSet=*/true);
        Work(*State);
      });
    });
    Reason = nullptr;
    if (!Good)
      SomeFileLeft = true;
    {
      std::lock_guard<std::mutex> Guard(State->Lock);
      State->Good = Good;
      State->Code = Recovery.RetCode;
      State->Done = true;
      State->Changed.notify_all();
    }
    if (!Good)
      waitForTheEnd(); // the stack must stay
  });

  std::unique_lock<std::mutex> Guard(State->Lock);
  auto Finished = [&] { return State->Done; };
  while (!Finished()) {
    if (Patience <= 0) {
      State->Changed.wait(Guard, Finished);
      break;
    }
    if (State->Changed.wait_for(Guard, std::chrono::seconds(1), Finished))
      break;
    // Whoever runs in the caller looks at the deadline.
    if (State->InCaller || !State->Clock || secondsOf(State->Clock) < Patience)
      continue;
    State->Left = SomeFileLeft = true;
    Guard.unlock();
    Thread.detach();
    return "this file is not analysed: Clang stands still in it; leave it out of the analysis, or take out what is "
           "nested or repeated without measure";
  }
  std::string Why = State->Why;
  bool Good = State->Good;
  int Code = State->Code;
  Guard.unlock();
  if (!Good) {
    Thread.detach();
    return Why.empty() ? crashText(Code) : "this file is not analysed: " + Why;
  }
  Thread.join();
  return "";
}

} // namespace warplint::frontend
