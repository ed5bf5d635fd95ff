//===-- DeviceCode.cpp - Device LLVM IR from a finished parse -------------===//
#include "analyzer/frontend/DeviceCode.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclFriend.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/CodeGenOptions.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/Module.h"
#include <map>
#include <set>

using namespace clang;

namespace warplint::frontend {

namespace {

/// Code generation reports on a tree that it did not check. What it cannot compile it leaves out of the
/// function, which is then worth nothing; the others are.
class Complaints : public DiagnosticConsumer {
public:
  void HandleDiagnostic(DiagnosticsEngine::Level Level, const Diagnostic &Info) override {
    if (Level < DiagnosticsEngine::Error)
      return;
    SmallString<128> Message;
    Info.FormatDiagnostic(Message);
    Errors.emplace_back(Info.getLocation(), std::string(Message));
    // An engine that knows of an error makes the generator drop the whole module.
    Engine->Reset(/*soft=*/true);
  }

  DiagnosticsEngine *Engine = nullptr;
  std::vector<std::pair<SourceLocation, std::string>> Errors;
};

/// Walks all declarations, instances of templates and members of classes included, and feeds the sound ones.
class Feeder {
public:
  Feeder(CodeGenerator &Generator, Soundness &Sound, const Deadline &Limit)
      : Generator(Generator), Sound(Sound), Limit(Limit) {}
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
      if (Limit.passed())
        abandonFile(Limit.message());
      noteKernel(Function);
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

  /// Kernels that the source defines, instances of templates each.
  const std::vector<FunctionDecl *> &kernels() const { return Kernels; }

private:
  void noteKernel(FunctionDecl *Function) {
    if (Function->hasAttr<CUDAGlobalAttr>() && !Function->isDependentContext() &&
        (Function->doesThisDeclarationHaveABody() ||
         llvm::any_of(Hidden, [&](const auto &Each) { return Each.first == Function; })))
      Kernels.push_back(Function);
  }

  /// A kernel's instance without a body. Of a template with errors in its text Clang makes declarations
  /// alone; a hidden body is no definition any more.
  void noteUnbuilt(FunctionDecl *Instance) {
    if (!Feeding || !Instance->hasAttr<CUDAGlobalAttr>() || Instance->isDependentContext())
      return;
    if (Instance->isInvalidDecl() || Sound.errorWhileBuilding(Instance)) {
      Kernels.push_back(Instance);
      return;
    }
    const FunctionDecl *Pattern = Instance->getTemplateInstantiationPattern();
    if (Pattern && Pattern->isDefined(Pattern) && !Sound.sound(Pattern))
      Kernels.push_back(Instance);
  }

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
        for (FunctionDecl *Instance : Template->specializations()) {
          if (auto *Definition = Instance->getDefinition())
            Each(Definition);
          else
            noteUnbuilt(Instance);
        }
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
  const Deadline &Limit;
  bool Feeding = false;
  std::vector<FunctionDecl *> Kernels;
  std::vector<VarDecl *> Variables;
  std::vector<std::pair<FunctionDecl *, Stmt *>> Hidden; ///< with the bodies to give back
};

/// The functions around what the generator could not compile lose their bodies. Returns why, for kernels.
std::map<const FunctionDecl *, std::string> dropHalfBuilt(CodeGenerator &Generator, llvm::Module &Module,
                                                          const Complaints &About,
                                                          const SourceManager &Sources) {
  std::map<const FunctionDecl *, std::string> Dropped;
  if (About.Errors.empty())
    return Dropped;
  for (llvm::Function &Function : Module) {
    const auto *Source = dyn_cast_or_null<FunctionDecl>(Generator.GetDeclForMangledName(Function.getName()));
    if (Function.isDeclaration() || !Source)
      continue;
    CharSourceRange Range = Sources.getExpansionRange(Source->getSourceRange());
    for (const auto &[Where, Message] : About.Errors)
      if (Where.isInvalid() ||
          Sources.isPointWithin(Sources.getExpansionLoc(Where), Range.getBegin(), Range.getEnd())) {
        Function.deleteBody();
        Function.setComdat(nullptr);
        Dropped[Source] = Message;
        break;
      }
  }
  return Dropped;
}

std::string nameOf(const FunctionDecl *Kernel, bool WithArguments) {
  std::string Name;
  llvm::raw_string_ostream Stream(Name);
  if (WithArguments)
    Kernel->getNameForDiagnostic(Stream, Kernel->getASTContext().getPrintingPolicy(), /*Qualified=*/false);
  else
    Stream << *Kernel;
  return Name;
}

/// The kernels without code, each once, templates without any instance as one.
std::vector<DeviceCode::Omission> omissions(ArrayRef<FunctionDecl *> Defined, const DeviceCode &Code,
                                            const std::map<const FunctionDecl *, std::string> &Dropped) {
  // Instances by their template, others by themselves.
  auto Key = [](const FunctionDecl *Kernel) -> const Decl * {
    if (const FunctionTemplateDecl *Template = Kernel->getPrimaryTemplate())
      return Template->getCanonicalDecl();
    return Kernel->getCanonicalDecl();
  };
  std::set<const FunctionDecl *> Built;
  std::set<const Decl *> SomeBuilt, Told;
  for (const auto &[Function, Kernel] : Code.kernels) {
    Built.insert(Kernel->getCanonicalDecl());
    SomeBuilt.insert(Key(Kernel));
  }
  std::vector<DeviceCode::Omission> Result;
  for (const FunctionDecl *Kernel : Defined) {
    if (Built.contains(Kernel->getCanonicalDecl()))
      continue;
    bool Some = SomeBuilt.contains(Key(Kernel));
    if (!Told.insert(Some ? Kernel->getCanonicalDecl() : Key(Kernel)).second)
      continue;
    auto Why = Dropped.find(Kernel);
    Result.push_back({Kernel, "kernel '" + nameOf(Kernel, Some) + "' is not analysed because of " +
                                  (Why == Dropped.end() ? "the errors in it or in what it uses"
                                                        : "what Clang cannot compile: " + Why->second)});
  }
  return Result;
}

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

void settleCode(CodeGenOptions &How, StringRef Directory) {
  How.OptimizationLevel = 0;
  How.DisableO0ImplyOptNone = true;
  How.setInlining(CodeGenOptions::NormalInlining); // or every function is marked noinline
  How.DiscardValueNames = false;
  How.setDebugInfo(llvm::codegenoptions::FullDebugInfo);
  How.DebugColumnInfo = true;
  How.DwarfVersion = 5;
  How.DebugCompilationDir = Directory.str();
  How.ClearASTBeforeBackend = false;
}

DeviceCode emitDeviceCode(const CodeSource &Source, ASTContext &Context, Soundness &Sound,
                          PrecompiledDecls &Precompiled, llvm::LLVMContext &LLVM, const Deadline &Limit) {
  DiagnosticOptions NoOptions;
  Complaints Consumer;
  DiagnosticsEngine Diagnostics(DiagnosticIDs::create(), NoOptions, &Consumer, /*ShouldOwnClient=*/false);
  Consumer.Engine = &Diagnostics;
  Diagnostics.setSourceManager(&Context.getSourceManager());

  std::unique_ptr<CodeGenerator> Generator(CreateLLVMCodeGen(
      Diagnostics, Source.file, Source.files, Source.search, Source.preprocessing, Source.how, LLVM));
  Generator->Initialize(Context);
  // Variables that only host code uses. The generator would emit them unasked, the broken ones and those of
  // templates' texts too; no kernel needs them.
  Context.CUDADeviceVarODRUsedByHost.clear();
  Context.CUDAExternalDeviceDeclODRUsedByHost.clear();

  DeviceCode Result;
  std::vector<FunctionDecl *> Defined;
  {
    Feeder Feed(*Generator, Sound, Limit);
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
    Defined = Feed.kernels();
  }

  const SourceManager &Sources = Context.getSourceManager();
  std::map<const FunctionDecl *, std::string> Dropped;
  if (llvm::Module *Module = Generator->GetModule()) {
    Dropped = dropHalfBuilt(*Generator, *Module, Consumer, Sources);
    for (llvm::Function &Function : *Module) {
      const auto *Declared =
          dyn_cast_or_null<FunctionDecl>(Generator->GetDeclForMangledName(Function.getName()));
      if (!Declared)
        continue;
      if (!Function.isDeclaration() && Declared->hasAttr<CUDAGlobalAttr>())
        Result.kernels.emplace_back(&Function, Declared);
      if (Function.isDeclaration() && !Declared->getBuiltinID() &&
          !Sources.isInSystemHeader(Sources.getExpansionLoc(Declared->getLocation())))
        Function.addFnAttr(DefinedElsewhere);
    }
  }
  Result.module.reset(Generator->ReleaseModule().release());

  auto Before = [&](const FunctionDecl *L, const FunctionDecl *R) {
    return Sources.isBeforeInTranslationUnit(Sources.getExpansionLoc(L->getLocation()),
                                             Sources.getExpansionLoc(R->getLocation()));
  };
  // Instances of one template by name, so that the order does not depend on what was emitted first.
  llvm::sort(Result.kernels, [&](const auto &L, const auto &R) {
    if (L.second->getLocation() != R.second->getLocation())
      return Before(L.second, R.second);
    return L.first->getName() < R.first->getName();
  });
  llvm::stable_sort(Defined, Before);
  Result.omitted = omissions(Defined, Result, Dropped);
  return Result;
}

} // namespace warplint::frontend
