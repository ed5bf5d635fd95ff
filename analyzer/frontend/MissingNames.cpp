//===-- MissingNames.cpp - Names that old CUDA code expects ---------------===//
#include "analyzer/frontend/MissingNames.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/Sema/ExternalSemaSource.h"
#include "clang/Sema/Lookup.h"
#include "clang/Sema/Sema.h"

using namespace clang;

namespace warplint::frontend {

namespace {

class MissingNames : public ExternalSemaSource {
public:
  explicit MissingNames(Sema &S) : S(S) {}

  bool LookupUnqualified(LookupResult &Result, Scope *) override {
    // A declaration looks for earlier ones of its own name; those must be the program's.
    if (Result.isForRedeclaration() || Result.getLookupKind() != Sema::LookupOrdinaryName ||
        !Result.getLookupName().isIdentifier())
      return false;
    NamespaceDecl *Names = namespaceOfNames();
    if (!Names)
      return false;
    for (NamedDecl *Found : Names->lookup(Result.getLookupName()))
      Result.addDecl(Found);
    Result.resolveKind();
    return !Result.empty();
  }

private:
  NamespaceDecl *namespaceOfNames() {
    if (!Cached) {
      IdentifierInfo &Name = S.Context.Idents.get(MissingNamesNamespace);
      for (NamedDecl *Found : S.Context.getTranslationUnitDecl()->lookup(&Name))
        if (auto *Space = dyn_cast<NamespaceDecl>(Found))
          Cached = Space;
    }
    return Cached;
  }

  Sema &S;
  NamespaceDecl *Cached = nullptr;
};

} // namespace

void supplyMissingNames(Sema &S) { S.addExternalSource(llvm::makeIntrusiveRefCnt<MissingNames>(S)); }

} // namespace warplint::frontend
