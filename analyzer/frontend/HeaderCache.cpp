//===-- HeaderCache.cpp - CUDA's headers, parsed once ---------------------===//
#include "analyzer/frontend/HeaderCache.h"
#include "analyzer/frontend/SkippedBodies.h"
#include "analyzer/result/Archive.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/FrontendOptions.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Serialization/ASTWriter.h"
#include "clang/Serialization/PCHContainerOperations.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace warplint::frontend {

static auto members(Dependency &D) { return std::tie(D.path, D.exists, D.read, D.hash, D.stamp); }

namespace {

/// Writes the precompiled header into `Buffer`.
class Precompiler : public PCHGenerator {
public:
  Precompiler(CompilerInstance &CI, std::shared_ptr<PCHBuffer> Buffer, llvm::StringRef Toolkit)
      : PCHGenerator(CI.getPreprocessor(), CI.getModuleCache(), /*OutputFile=*/"", /*isysroot=*/"",
                     std::move(Buffer), CI.getCodeGenOpts(),
                     llvm::ArrayRef<std::shared_ptr<ModuleFileExtension>>()),
        Skipped(CI.getSourceManager(), Toolkit) {}
  bool shouldSkipFunctionBody(Decl *D) override { return Skipped.skip(D); }

private:
  SkippedBodies Skipped;
};

class PrecompileAction : public ASTFrontendAction {
public:
  PrecompileAction(std::shared_ptr<PCHBuffer> Buffer, llvm::StringRef Toolkit)
      : Buffer(std::move(Buffer)), Toolkit(Toolkit) {}

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI, StringRef) override {
    return std::make_unique<Precompiler>(CI, Buffer, Toolkit);
  }
  TranslationUnitKind getTranslationUnitKind() override { return TU_Prefix; }
  bool hasASTFileSupport() const override { return false; }
  /// Macros and #pragma once of the headers hold for what follows.
  bool shouldEraseOutputFiles() override { return false; }

private:
  std::shared_ptr<PCHBuffer> Buffer;
  std::string Toolkit;
};

std::shared_ptr<CompilerInvocation> preambleOf(const CompilerInvocation &Whole, size_t PreambleSize) {
  auto Result = std::make_shared<CompilerInvocation>(Whole);
  FrontendOptions &Frontend = Result->getFrontendOpts();
  Frontend.Inputs = {FrontendInputFile(PreambleFile, Frontend.Inputs.front().getKind())};
  Frontend.ProgramAction = clang::frontend::GeneratePCH;
  Result->getPreprocessorOpts().Includes.resize(PreambleSize);
  Result->getCodeGenOpts().MainFileName = PreambleFile.str();
  Result->getCodeGenOpts().DebugCompilationDir.clear();
  return Result;
}

/// An entry's bytes: the precompiled header, its dependencies, and the header's size.
std::string pack(llvm::StringRef Precompiled, const std::vector<Dependency> &Dependencies) {
  std::string Bytes = Precompiled.str();
  result::ArchiveWriter(Bytes).put(Dependencies);
  char Size[8];
  llvm::support::endian::write64le(Size, Precompiled.size());
  Bytes.append(Size, sizeof Size);
  return Bytes;
}

std::shared_ptr<PrecompiledHeader> unpack(Cache::Entry Entry) {
  auto Result = std::make_shared<PrecompiledHeader>();
  llvm::StringRef Bytes = Entry.bytes;
  if (Bytes.size() < 8)
    return nullptr;
  uint64_t Size = llvm::support::endian::read64le(Bytes.take_back(8).data());
  Bytes = Bytes.drop_back(8);
  if (Size > Bytes.size())
    return nullptr;
  Result->bytes = Bytes.take_front(Size);
  result::ArchiveReader Reader(Bytes.drop_front(Size));
  Reader.get(Result->dependencies);
  Result->entry = std::move(Entry);
  return Reader.complete() ? Result : nullptr;
}

/// The entry's bytes; empty when the headers have errors or Clang crashed on them.
std::string build(std::shared_ptr<CompilerInvocation> Invocation, const Command &Cmd,
                  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> OnDisk,
                  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> InMemory) {
  auto Recorder = llvm::makeIntrusiveRefCnt<DependencyRecorder>(std::move(OnDisk));
  auto Files = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(Recorder);
  Files->pushOverlay(std::move(InMemory));
  (void)Files->setCurrentWorkingDirectory(Cmd.directory);

  std::string Bytes;
  llvm::CrashRecoveryContext Recovery;
  Recovery.RunSafely([&] {
    IgnoringDiagConsumer Silent;
    auto Buffer = std::make_shared<PCHBuffer>();
    CompilerInstance CI(std::move(Invocation));
    CI.setVirtualFileSystem(Files);
    CI.createDiagnostics(&Silent, /*ShouldOwnClient=*/false);
    CI.createFileManager();
    PrecompileAction Action(Buffer, Cmd.toolkit);
    if (CI.ExecuteAction(Action) && Buffer->IsComplete && !CI.getDiagnostics().hasErrorOccurred())
      Bytes = pack(llvm::StringRef(Buffer->Data.data(), Buffer->Data.size()), Recorder->dependencies());
  });
  return Bytes;
}

} // namespace

HeaderCache::Header HeaderCache::fromDisk(llvm::StringRef Key) const {
  if (!Disk)
    return nullptr;
  Cache::Entry Entry = Disk->load(Key);
  if (!Entry)
    return nullptr;
  Header Result = unpack(std::move(Entry));
  return Result && Checker->unchanged(Result->dependencies) ? Result : nullptr;
}

std::shared_ptr<const PrecompiledHeader>
HeaderCache::get(const CompilerInvocation &Whole, const Command &Cmd,
                 llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> OnDisk,
                 llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> InMemoryFiles) {
  std::shared_ptr<CompilerInvocation> Invocation = preambleOf(Whole, Cmd.preamble.size());
  std::vector<std::string> Words = Invocation->getCC1CommandLine();
  std::vector<llvm::StringRef> Parts{"headers"};
  // Files of one project share their header, wherever their commands run.
  if (llvm::any_of(Invocation->getHeaderSearchOpts().UserEntries, [](const HeaderSearchOptions::Entry &Folder) {
        return !llvm::sys::path::is_absolute(Folder.Path);
      }))
    Parts.push_back(Cmd.directory);
  Parts.insert(Parts.end(), Words.begin(), Words.end());
  const std::string Key = Cache::key(Parts);

  std::shared_ptr<std::optional<Header>> Slot;
  {
    std::unique_lock<std::mutex> Guard(Lock);
    auto [At, New] = Known.try_emplace(Key);
    if (New)
      At->second = std::make_shared<std::optional<Header>>();
    Slot = At->second;
    if (!New) {
      Changed.wait(Guard, [&] { return Slot->has_value(); });
      return **Slot;
    }
  }
  Header Result = fromDisk(Key);
  bool InMemory = false;
  if (!Result) {
    std::string Bytes = build(std::move(Invocation), Cmd, std::move(OnDisk), std::move(InMemoryFiles));
    if (!Bytes.empty() && Disk && Disk->store(Key, Bytes)) {
      Disk->prune();
      Result = unpack(Disk->load(Key)); // mapped rather than held
    }
    if (!Bytes.empty() && !Result) {
      std::shared_ptr<const llvm::MemoryBuffer> Kept = llvm::MemoryBuffer::getMemBufferCopy(Bytes);
      Result = unpack({Kept, Kept->getBuffer()});
      InMemory = true;
    }
  }
  std::lock_guard<std::mutex> Guard(Lock);
  *Slot = Result;
  if (InMemory) {
    // A project may have as many sets of flags as files.
    Held.push_back(Key);
    if (Held.size() > MaxHeld) {
      Known.erase(Held.front());
      Held.pop_front();
    }
  }
  Changed.notify_all();
  return Result;
}

} // namespace warplint::frontend
