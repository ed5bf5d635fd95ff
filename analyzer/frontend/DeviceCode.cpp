//===-- DeviceCode.cpp - Device LLVM IR from a finished parse -------------===//
#include "analyzer/frontend/DeviceCode.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclFriend.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/IR/Module.h"

using namespace clang;

namespace warplint::frontend {

namespace {

/// Code generation reports on a tree that it did not check; what it says about skipped functions is no news.
class Silent : public DiagnosticConsumer {
public:
  void HandleDiagnostic(DiagnosticsEngine::Level, const Diagnostic &) override {}
};

/// Walks all declarations, instances of templates and members of classes included, and feeds the sound ones.
class Feeder {
public:
  Feeder(CodeGenerator &Generator, Soundness &Sound) : Generator(Generator), Sound(Sound) {}
  ~Feeder() {
    for (auto &[Function, Body] : Hidden)
      Function->setBody(Body);
  }

  /// The generator finds bodies of members by itself when a sound function calls them: broken ones must be
  /// out of sight before the first function is fed.
  void hideBroken(DeclContext *Context) {
    walk(Context, [&](FunctionDecl *Function) {
      // Lambdas and local classes, host functions' too: kernels call them.
      if (Function->doesThisDeclarationHaveABody() && !Function->isDependentContext())
        hideBroken(Function);
      if (forDevice(Function) && Function->doesThisDeclarationHaveABody() && !Sound.sound(Function))
        hide(Function);
    });
  }

  /// A declaration of a precompiled header or an instance of a template there.
  void feedPrecompiled(Decl *D) {
    if (auto *Function = dyn_cast<FunctionDecl>(D)) {
      if (!forDevice(Function) || !Function->doesThisDeclarationHaveABody() || Function->isInvalidDecl())
        return;
      if (!Function->isFromASTFile() && !Sound.sound(Function))
        return hide(Function);
      Generator.HandleTopLevelDecl(DeclGroupRef(Function));
    } else if (auto *Variable = dyn_cast<VarDecl>(D)) {
      if (!Variable->getDeclContext()->isDependentContext() && !Variable->isInvalidDecl())
        Generator.HandleTopLevelDecl(DeclGroupRef(Variable));
    }
  }

  void feed(DeclContext *Context) {
    Feeding = true;
    walk(Context, [&](FunctionDecl *Function) {
      if (forDevice(Function) && Function->doesThisDeclarationHaveABody() && !Function->isInvalidDecl())
        Generator.HandleTopLevelDecl(DeclGroupRef(Function));
    });
    for (VarDecl *Variable : Variables) {
      if (Variable->isStaticDataMember() && Variable->getTemplateSpecializationKind() != TSK_Undeclared)
        Generator.HandleCXXStaticMemberVarInstantiation(Variable);
      else
        Generator.HandleTopLevelDecl(DeclGroupRef(Variable));
    }
  }

private:
  void hide(FunctionDecl *Function) {
    Hidden.emplace_back(Function, Function->getBody());
    Function->setBody(nullptr);
  }

  static bool forDevice(const FunctionDecl *Function) {
    return !Function->isDependentContext() && !Function->isConsteval() &&
           (Function->hasAttr<CUDADeviceAttr>() || Function->hasAttr<CUDAGlobalAttr>());
  }

  /// Calls `Each` for each function that is not a template; collects variables while `Feeding`.
  template <typename Use> void walk(DeclContext *Context, Use &&Each) {
    for (Decl *D : Context->noload_decls())
      visit(D, Each);
  }

  template <typename Use> void visit(Decl *D, Use &&Each) {
    if (D->isFromASTFile())
      return; // PrecompiledDecls has what is needed of those
    switch (D->getKind()) {
    case Decl::Namespace:
    case Decl::LinkageSpec:
    case Decl::Export:
      walk(cast<DeclContext>(D), Each);
      return;
    case Decl::FunctionTemplate:
      // Instances hang on the first declaration; visit them once.
      if (auto *Template = cast<FunctionTemplateDecl>(D); Template->isCanonicalDecl())
        for (FunctionDecl *Instance : Template->specializations())
          if (auto *Definition = Instance->getDefinition())
            Each(Definition);
      return;
    case Decl::ClassTemplate:
      if (auto *Template = cast<ClassTemplateDecl>(D); Template->isCanonicalDecl())
        for (ClassTemplateSpecializationDecl *Instance : Template->specializations())
          if (auto *Definition = Instance->getDefinition())
            walk(cast<CXXRecordDecl>(Definition), Each);
      return;
    case Decl::VarTemplate:
      if (auto *Template = cast<VarTemplateDecl>(D); Template->isCanonicalDecl())
        for (VarTemplateSpecializationDecl *Instance : Template->specializations())
          variable(Instance);
      return;
    case Decl::ClassTemplateSpecialization:
      return; // through its template
    case Decl::Friend:
      if (NamedDecl *Friend = cast<FriendDecl>(D)->getFriendDecl())
        visit(Friend, Each);
      return;
    case Decl::CXXRecord:
      if (auto *Record = cast<CXXRecordDecl>(D);
          Record->isThisDeclarationADefinition() && !Record->isDependentContext())
        walk(Record, Each);
      return;
    case Decl::Var:
      variable(cast<VarDecl>(D));
      return;
    default:
      if (auto *Function = dyn_cast<FunctionDecl>(D); Function && !Function->isTemplated())
        if (!Function->isTemplateInstantiation() ||
            Function->getTemplateSpecializationKind() != TSK_Undeclared)
          Each(Function);
    }
  }

  void variable(VarDecl *Variable) {
    if (Feeding && !Variable->getDeclContext()->isDependentContext() && Sound.sound(Variable))
      Variables.push_back(Variable);
  }

  CodeGenerator &Generator;
  Soundness &Sound;
  bool Feeding = false;
  std::vector<VarDecl *> Variables;
  std::vector<std::pair<FunctionDecl *, Stmt *>> Hidden; ///< with the bodies to give back
};

} // namespace

void PrecompiledDecls::parsed(DeclGroupRef Group) {
  for (Decl *D : Group)
    if (auto *Function = dyn_cast<FunctionDecl>(D))
      if (const FunctionDecl *Pattern = Function->getTemplateInstantiationPattern();
          Pattern && Pattern->isFromASTFile())
        Waiting.push_back(Function);
}

void PrecompiledDecls::loaded(DeclGroupRef Group) {
  for (Decl *D : Group)
    if (isa<FunctionDecl, VarDecl>(D)) {
      if (Feed)
        Feed(D);
      else
        Waiting.push_back(D);
    }
}

DeviceCode emitDeviceCode(CompilerInstance &CI, ASTContext &Context, Soundness &Sound,
                          PrecompiledDecls &Precompiled, llvm::LLVMContext &LLVM) {
  DiagnosticOptions NoOptions;
  Silent Consumer;
  DiagnosticsEngine Diagnostics(DiagnosticIDs::create(), NoOptions, &Consumer, /*ShouldOwnClient=*/false);
  Diagnostics.setSourceManager(&Context.getSourceManager());
  // An unsupported construct must cost its function, not the module.
  Diagnostics.setSuppressAllDiagnostics(true);

  std::unique_ptr<CodeGenerator> Generator(CreateLLVMCodeGen(
      Diagnostics, CI.getFrontendOpts().Inputs.front().getFile(), CI.getVirtualFileSystemPtr(),
      CI.getHeaderSearchOpts(), CI.getPreprocessorOpts(), CI.getCodeGenOpts(), LLVM));
  Generator->Initialize(Context);

  DeviceCode Result;
  {
    Feeder Feed(*Generator, Sound);
    TranslationUnitDecl *Unit = Context.getTranslationUnitDecl();
    if (Sound.anyError())
      Feed.hideBroken(Unit);
    auto FeedOne = [&](Decl *D) { Feed.feedPrecompiled(D); };
    Precompiled.Feed = FeedOne;
    for (size_t I = 0; I < Precompiled.Waiting.size(); ++I)
      FeedOne(Precompiled.Waiting[I]);
    Feed.feed(Unit);
    Generator->HandleTranslationUnit(Context);
    Precompiled.Feed = nullptr;
  }

  if (llvm::Module *Module = Generator->GetModule())
    for (llvm::Function &Function : *Module) {
      if (Function.isDeclaration())
        continue;
      const auto *Source =
          dyn_cast_or_null<FunctionDecl>(Generator->GetDeclForMangledName(Function.getName()));
      if (Source && Source->hasAttr<CUDAGlobalAttr>())
        Result.kernels.emplace_back(&Function, Source);
    }
  Result.module.reset(Generator->ReleaseModule().release());

  // Instances of one template by name, so that the order does not depend on what was emitted first.
  const SourceManager &Sources = Context.getSourceManager();
  llvm::sort(Result.kernels, [&](const auto &L, const auto &R) {
    SourceLocation LeftAt = Sources.getExpansionLoc(L.second->getLocation());
    SourceLocation RightAt = Sources.getExpansionLoc(R.second->getLocation());
    if (LeftAt != RightAt)
      return Sources.isBeforeInTranslationUnit(LeftAt, RightAt);
    return L.first->getName() < R.first->getName();
  });
  return Result;
}

} // namespace warplint::frontend
