//===-- SkippedBodies.cpp - Functions that no kernel depends on -----------===//
#include "analyzer/frontend/SkippedBodies.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace warplint::frontend {

namespace {

/// Parts of the C++ library whose classes store what the user hands them and call it elsewhere.
bool storesCallables(StringRef File) {
  static const llvm::StringSet<> Names{"functional", "std_function.h", "invoke.h",       "thread",
                                       "jthread",    "std_thread.h",   "future",         "mutex",
                                       "variant",    "refwrap.h",      "move_only_function.h", "mofunc_impl.h"};
  return Names.contains(llvm::sys::path::filename(File));
}

/// Can a caller hand it a function (a lambda, say) to call?
bool takesAnything(const FunctionDecl *Function) {
  return llvm::any_of(Function->parameters(), [](const ParmVarDecl *Parameter) {
    QualType Type = Parameter->getType().getNonReferenceType();
    if (const auto *Pack = Type->getAs<PackExpansionType>())
      Type = Pack->getPattern().getNonReferenceType();
    return Type->isTemplateTypeParmType() || Type->isFunctionPointerType();
  });
}

} // namespace

bool SkippedBodies::skip(const Decl *D) {
  const FunctionDecl *Function = D->getAsFunction();
  return Function && !Function->hasAttr<CUDADeviceAttr>() && !Function->hasAttr<CUDAGlobalAttr>() &&
         skipIn(Sources.getFileID(Sources.getExpansionLoc(Function->getLocation()))) &&
         !takesAnything(Function);
}

bool SkippedBodies::skipIn(FileID File) {
  if (File != LastFile) {
    LastFile = File;
    OptionalFileEntryRef Entry = Sources.getFileEntryRefForID(File);
    LastAnswer = Entry && Sources.isInSystemHeader(Sources.getLocForStartOfFile(File)) &&
                 !(!Toolkit.empty() && Entry->getName().starts_with(Toolkit)) &&
                 !storesCallables(Entry->getName());
  }
  return LastAnswer;
}

} // namespace warplint::frontend
