//===-- Invocation.cpp - From a command to what Clang is run with ---------===//
#include "analyzer/frontend/Invocation.h"
#include "analyzer/frontend/BuiltinCuda.h"
#include "analyzer/frontend/HeaderCache.h"
#include "clang/Basic/TargetOptions.h"
#include "clang/Driver/CreateInvocationFromArgs.h"
#include "clang/Frontend/CompilerInvocation.h"

using namespace clang;

namespace warplint::frontend {

Files filesFor(const Command &Cmd, const Options &Opts, LaunchLists Lists) {
  Files Result;
  // Not getRealFileSystem(): that one shares the process's working directory, and files are parsed in
  // parallel.
  Result.disk = llvm::vfs::createPhysicalFileSystem();
  Result.recorder = llvm::makeIntrusiveRefCnt<DependencyRecorder>(Result.disk);
  Result.headers = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  Result.headers->addFile(PreambleFile, 0, llvm::MemoryBuffer::getMemBuffer("", PreambleFile));
  addSupplement(*Result.headers);
  if (Cmd.toolkit.empty())
    addBuiltinCuda(*Result.headers);
  else
    addToolkitHeader(*Result.headers);
  Result.overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (const auto &[Name, Contents] : Opts.overlay)
    Result.overlay->addFile(Name, 0, llvm::MemoryBuffer::getMemBufferCopy(Contents, Name));
  auto Stacked = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(Result.recorder);
  Stacked->pushOverlay(Result.headers);
  Stacked->pushOverlay(Result.overlay);
  Result.all = llvm::makeIntrusiveRefCnt<UserFiles>(Stacked, Cmd.toolkit, Opts.sizeLimitBytes, Lists);
  (void)Result.all->setCurrentWorkingDirectory(Cmd.directory);
  return Result;
}

std::shared_ptr<CompilerInvocation> invocationFor(const Command &Cmd, const Files &Names,
                                                  ErrorCollector &Collector) {
  DiagnosticOptions DriverOptions;
  auto DriverDiagnostics = llvm::makeIntrusiveRefCnt<DiagnosticsEngine>(
      DiagnosticIDs::create(), DriverOptions, &Collector, /*ShouldOwnClient=*/false);
  std::vector<const char *> Arguments;
  for (const std::string &Argument : Cmd.arguments)
    Arguments.push_back(Argument.c_str());
  CreateInvocationOptions HowTo;
  HowTo.Diags = DriverDiagnostics;
  HowTo.VFS = Names.all;
  HowTo.RecoverOnError = true;
  return createInvocation(Arguments, HowTo);
}

std::string notUnderstood(const Command &Cmd) {
  return "the compile command of '" + Cmd.file + "' cannot be understood";
}

void settleCommon(CompilerInvocation &Invocation) {
  DiagnosticOptions &Diagnostics = Invocation.getDiagnosticOpts();
  Diagnostics.ErrorLimit = 0;
  // Nobody sees warnings; looking for them takes time, quadratic in the depth of an expression.
  Diagnostics.IgnoreWarnings = true;
  llvm::erase_if(Diagnostics.Warnings, [](StringRef Name) { return Name.starts_with("error"); });
  Diagnostics.ShowCarets = false;
  Diagnostics.DiagnosticLogFile.clear();
  Diagnostics.DiagnosticSerializationFile.clear();
  Diagnostics.VerifyDiagnostics = false;
  Invocation.getDependencyOutputOpts() = DependencyOutputOptions();

  FrontendOptions &Frontend = Invocation.getFrontendOpts();
  Frontend.Plugins.clear();
  Frontend.PluginArgs.clear();
  Frontend.AddPluginActions.clear();
  Frontend.OutputFile.clear();
  Frontend.ShowStats = false;
  // Clang leaves the tree to the end of the process; a tool that parses many files cannot.
  Frontend.DisableFree = false;

  LangOptions &Language = Invocation.getLangOpts();
  // What is missing is mostly a header's; guesses among all of CUDA's names lead astray, and depend on
  // whether its headers come precompiled.
  Language.SpellChecking = false;
  // Names of static kernels get this suffix; without one Clang hashes the file on disk, which may not exist.
  Language.CUID = "0";
  // Launches by <<<>>> through the functions of CUDA 9.2 and later.
  Invocation.getTargetOpts().SDKVersion = llvm::VersionTuple(12, 8);
}

void noteRefused(std::vector<result::Error> &Errors, const Command &Cmd, const Files &Names) {
  for (const auto &[Name, Why] : Names.all->refused()) {
    if (Name == Cmd.file) // what Clang says about it is no news
      Errors.clear();
    result::Error Refused;
    Refused.place.file = Name;
    Refused.message = "this file is not read: " + Why;
    Errors.insert(Errors.begin(), std::move(Refused));
  }
}

} // namespace warplint::frontend
