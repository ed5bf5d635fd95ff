//===-- UserFiles.cpp - The files of a parse, as Clang gets to see them ---===//
#include "analyzer/frontend/UserFiles.h"
#include "analyzer/frontend/SourceRepair.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace warplint::frontend {

namespace {

/// A file with its text at hand.
class TextFile : public vfs::File {
public:
  TextFile(std::unique_ptr<vfs::File> Original, std::unique_ptr<MemoryBuffer> Text)
      : Original(std::move(Original)), Text(std::move(Text)) {}
  ErrorOr<vfs::Status> status() override { return Original->status(); }
  ErrorOr<std::string> getName() override { return Original->getName(); }
  ErrorOr<std::unique_ptr<MemoryBuffer>> getBuffer(const Twine &Name, int64_t, bool, bool) override {
    if (Name.str() == Text->getBufferIdentifier()) {
      std::unique_ptr<MemoryBuffer> Given = std::move(Text);
      Text = MemoryBuffer::getMemBuffer(Given->getMemBufferRef()); // for a reader that asks again meanwhile
      return Given;
    }
    return MemoryBuffer::getMemBufferCopy(Text->getBuffer(), Name);
  }
  std::error_code close() override { return Original->close(); }

private:
  std::unique_ptr<vfs::File> Original;
  std::unique_ptr<MemoryBuffer> Text;
};

} // namespace

/// Precompiled headers are ours, and as large as they need to be.
static bool isPrecompiled(StringRef Name) { return sys::path::extension(Name) == ".pch"; }

std::string UserFiles::whyRefused(const vfs::Status &Status) const {
  if (!Status.isRegularFile() && !Status.isDirectory())
    return "it is not a regular file; only regular files are read";
  if (SizeLimit && Status.getSize() > SizeLimit && !isPrecompiled(Status.getName()))
    return "it has " + utostr(Status.getSize()) + " bytes, and the limit of one file is " +
           utostr(SizeLimit) + "; leave it out of the analysis, or move its data out of the source";
  return "";
}

ErrorOr<std::unique_ptr<vfs::File>> UserFiles::openFileForRead(const Twine &Path) {
  // Asked before it is opened: opening a pipe waits for a writer.
  ErrorOr<vfs::Status> Status = status(Path);
  if (!Status)
    return Status.getError();
  std::string Name = Path.str();
  if (std::string Why = whyRefused(*Status); !Why.empty()) {
    Refused.try_emplace(Name, Why);
    return std::make_error_code(std::errc::no_such_file_or_directory);
  }
  ErrorOr<std::unique_ptr<vfs::File>> File = ProxyFileSystem::openFileForRead(Path);
  if (!File || !Status->isRegularFile() || isPrecompiled(Name) ||
      (!Toolkit.empty() && StringRef(Name).starts_with(Toolkit)))
    return File;
  // As clang's file manager reads it.
  ErrorOr<std::unique_ptr<MemoryBuffer>> Text = (*File)->getBuffer(Name, int64_t(Status->getSize()));
  if (!Text)
    return Text.getError();
  if (std::optional<Repair> Repaired = repairSource((*Text)->getBuffer())) {
    std::set<unsigned> &Here = Lists[Status->getUniqueID()];
    Here.insert(Repaired->lists.begin(), Repaired->lists.end());
    if (How == LaunchLists::Constructors)
      for (unsigned Offset : llvm::reverse(Repaired->dimensions))
        Repaired->text.insert(Offset, "dim3");
    *Text = MemoryBuffer::getMemBufferCopy(Repaired->text, Name);
  }
  return std::make_unique<TextFile>(std::move(*File), std::move(*Text));
}

} // namespace warplint::frontend
