#include "analyzer/kernel/UserCode.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclFriend.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseSet.h"

using namespace clang;

namespace warplint::kernel {

void forEachChild(const Stmt *S, llvm::function_ref<void(const Stmt *)> Use) {
  const auto *Lambda = dyn_cast<LambdaExpr>(S);
  if (Lambda && Lambda->isGenericLambda()) {
    for (const Expr *Init : Lambda->capture_inits())
      if (Init)
        Use(Init);
    return;
  }
  for (const Stmt *Child : S->children())
    if (Child)
      Use(Child);
}

namespace {

class Walk {
public:
  Walk(ASTContext &Context, UserCode Code) : SM(Context.getSourceManager()), Code(Code) {}

  void context(const DeclContext *Decls) {
    // What a precompiled header holds and nobody used yet stays where it is.
    for (const Decl *D : Decls->noload_decls())
      declaration(D);
  }

private:
  void declaration(const Decl *D) {
    if (D->isInvalidDecl() || D->isFromASTFile())
      return;
    if (const auto *Space = dyn_cast<NamespaceDecl>(D))
      return context(Space); // may hold user code even where a system header opened it first
    if (const auto *Linkage = dyn_cast<LinkageSpecDecl>(D))
      return context(Linkage);
    if (const auto *Export = dyn_cast<ExportDecl>(D))
      return context(Export);
    if (D->getLocation().isValid() && SM.isInSystemHeader(SM.getExpansionLoc(D->getLocation())))
      return;
    if (const auto *Function = dyn_cast<FunctionDecl>(D))
      return function(Function);
    if (const auto *Template = dyn_cast<FunctionTemplateDecl>(D))
      return instances(Template);
    if (const auto *Template = dyn_cast<ClassTemplateDecl>(D)) {
      for (const ClassTemplateSpecializationDecl *Instance : Template->specializations())
        record(Instance);
      return;
    }
    if (const auto *Template = dyn_cast<VarTemplateDecl>(D)) {
      for (const VarTemplateSpecializationDecl *Instance : Template->specializations())
        variable(Instance);
      return;
    }
    if (const auto *Record = dyn_cast<CXXRecordDecl>(D))
      return record(Record);
    if (const auto *Friend = dyn_cast<FriendDecl>(D)) {
      if (const NamedDecl *Named = Friend->getFriendDecl())
        declaration(Named);
      return;
    }
    if (const auto *Variable = dyn_cast<VarDecl>(D))
      variable(Variable);
  }

  void record(const CXXRecordDecl *Record) {
    if (Record->isDependentContext() || !Record->isThisDeclarationADefinition() ||
        !Seen.insert(Record).second)
      return;
    context(Record);
  }

  void instances(const FunctionTemplateDecl *Template) {
    for (const FunctionDecl *Instance : Template->specializations())
      if (const FunctionDecl *Definition = Instance->getDefinition())
        function(Definition);
  }

  void function(const FunctionDecl *Function) {
    if (!Function->doesThisDeclarationHaveABody() || Function->isDependentContext() ||
        Function->isImplicit() || !Seen.insert(Function).second)
      return;
    const Stmt *Body = Function->getBody();
    if (!Body)
      return;
    Code.function(*Function);
    nested(Body);
  }

  void variable(const VarDecl *Variable) {
    if (Variable->getDeclContext()->isDependentContext() || !Seen.insert(Variable).second)
      return;
    Code.variable(*Variable);
    if (const Expr *Init = Variable->getInit(); Init && !Init->isValueDependent())
      globalInitializer(Init);
  }

  /// Lambdas outside functions: there is no body around them that would show theirs.
  void globalInitializer(const Stmt *S) {
    if (const auto *Lambda = dyn_cast<LambdaExpr>(S)) {
      if (const FunctionTemplateDecl *Template = Lambda->getDependentCallOperator())
        instances(Template);
      else
        function(Lambda->getCallOperator());
      return;
    }
    forEachChild(S, [&](const Stmt *Child) { globalInitializer(Child); });
  }

  /// Instances of generic lambdas, and the methods of classes that a body declares.
  void nested(const Stmt *S) {
    if (const auto *Lambda = dyn_cast<LambdaExpr>(S)) {
      if (const FunctionTemplateDecl *Template = Lambda->getDependentCallOperator())
        instances(Template);
    } else if (const auto *Decls = dyn_cast<DeclStmt>(S)) {
      for (const Decl *D : Decls->decls())
        if (const auto *Record = dyn_cast<CXXRecordDecl>(D))
          record(Record);
    }
    forEachChild(S, [&](const Stmt *Child) { nested(Child); });
  }

  const SourceManager &SM;
  UserCode Code;
  llvm::DenseSet<const Decl *> Seen;
};

} // namespace

void walkUserCode(ASTContext &Context, UserCode Code) {
  Walk(Context, Code).context(Context.getTranslationUnitDecl());
}

} // namespace warplint::kernel
