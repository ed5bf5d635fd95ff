//===-- ErrorCollector.cpp - A parse's errors, few and telling ------------===//
#include "analyzer/frontend/ErrorCollector.h"
#include "clang/Basic/DiagnosticLex.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace warplint::frontend {

namespace {

/// Places beyond this many are not told apart any more: a runaway must not fill the memory.
constexpr size_t MaxPlaces = 100'000;

/// Errors after which the tree is whole: they say that code is forbidden, not that it was lost.
bool leavesTreeWhole(unsigned ID) {
  switch (ID) {
  case diag::err_ref_bad_target:
  case diag::err_ref_bad_target_global_initializer:
  case diag::err_cuda_device_exceptions:
  case diag::err_static_assert_failed:
  case diag::err_static_assert_requirement_failed:
    return true;
  default:
    return false;
  }
}

} // namespace

void ErrorCollector::HandleDiagnostic(DiagnosticsEngine::Level Level, const Diagnostic &Info) {
  if (Stopped || Level < DiagnosticsEngine::Error)
    return;
  DiagnosticConsumer::HandleDiagnostic(Level, Info);
  bool HasPlace = Info.hasSourceManager() && Info.getLocation().isValid();
  if (Sound && !leavesTreeWhole(Info.getID()))
    Sound->note(HasPlace ? Info.getLocation() : SourceLocation(), instanceBeingBuilt());

  Entry New;
  SmallString<256> Message;
  Info.FormatDiagnostic(Message);
  New.error.message = std::string(Message);
  if (HasPlace)
    New.error.place = placeOf(Info.getSourceManager(), Info.getLocation());
  New.missingHeader = Info.getID() == diag::err_pp_file_not_found;

  const result::Place &At = New.error.place;
  if (Seen.size() >= MaxPlaces || !Seen.insert({At.file, At.line, At.column, New.error.message}).second)
    return;
  auto [It, First] = ByMessage.try_emplace({At.file, New.error.message}, NotKept);
  if (!First) {
    if (It->second != NotKept)
      ++Entries[It->second].more;
  } else if (Entries.size() < MaxErrors) {
    It->second = Entries.size();
    Entries.push_back(std::move(New));
  } else {
    ++Dropped;
  }
}

void ErrorCollector::close() {
  std::stable_partition(Entries.begin(), Entries.end(), [](const Entry &E) { return E.missingHeader; });
  for (Entry &E : Entries) {
    if (E.more)
      E.error.message += " (and " + std::to_string(E.more) + (E.more == 1 ? " more place)" : " more places)");
    Errors.push_back(std::move(E.error));
  }
  if (Dropped)
    Errors.push_back({{}, "too many errors: " + std::to_string(Dropped) + " more are not shown"});
  Entries.clear();
  ByMessage.clear();
  Dropped = 0;
}

const FunctionDecl *ErrorCollector::instanceBeingBuilt() const {
  if (!CI || !CI->hasSema())
    return nullptr;
  for (const Sema::CodeSynthesisContext &Context : llvm::reverse(CI->getSema().CodeSynthesisContexts))
    if (Context.Kind == Sema::CodeSynthesisContext::TemplateInstantiation)
      if (const auto *Function = dyn_cast_or_null<FunctionDecl>(Context.Entity))
        return Function;
  return nullptr;
}

result::Place ErrorCollector::placeOf(const SourceManager &Sources, SourceLocation Location) const {
  result::Place Place;
  PresumedLoc Presumed = Sources.getPresumedLoc(Sources.getExpansionLoc(Location));
  if (Presumed.isInvalid())
    return Place;
  SmallString<256> File(Presumed.getFilename());
  llvm::sys::path::make_absolute(Cmd.directory, File);
  llvm::sys::path::remove_dots(File, /*remove_dot_dot=*/true);
  Place.file = std::string(File);
  Place.line = Presumed.getLine();
  Place.column = Presumed.getColumn();
  return Place;
}

} // namespace warplint::frontend
