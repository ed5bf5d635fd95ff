//===-- SharedObjects.cpp - __shared__ objects with constructors ----------===//
#include "analyzer/frontend/SharedObjects.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/TemplateInstCallback.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"

using namespace clang;

namespace warplint::frontend {

namespace {

/// Marks an object that is only called __device__ for a while; instances inherit it.
constexpr llvm::StringLiteral Mark = "warplint: shared";

thread_local SharedObjects *Current = nullptr;

/// May Clang find something to reject? Not known yet for types that depend on template parameters.
bool mayInitialize(const VarDecl *Variable) {
  QualType Type = Variable->getType();
  if (Type->isDependentType())
    return true;
  const CXXRecordDecl *Record = Type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  if (!Record)
    return false;
  Record = Record->getDefinition(); // none: an instance that nobody needed whole yet
  return !Record || !Record->hasTrivialDefaultConstructor() || !Record->hasTrivialDestructor();
}

bool isMarked(const Attr *A) {
  const auto *Note = dyn_cast<AnnotateAttr>(A);
  return Note && Note->getAnnotation() == Mark;
}

void makeShared(VarDecl *Variable) {
  if (!Variable->hasAttrs() || llvm::none_of(Variable->attrs(), isMarked))
    return;
  llvm::erase_if(Variable->getAttrs(), isMarked);
  Variable->dropAttr<CUDADeviceAttr>();
  Variable->addAttr(CUDASharedAttr::Create(Variable->getASTContext(), Variable->getLocation()));
}

class Restorer : public RecursiveASTVisitor<Restorer> {
public:
  bool shouldVisitImplicitCode() const { return true; }
  bool VisitVarDecl(VarDecl *Variable) {
    makeShared(Variable);
    return true;
  }
};

} // namespace

/// What `__shared__` does to a declaration.
class SharedAttributeInfo : public ParsedAttrInfo {
public:
  SharedAttributeInfo() {
    static constexpr Spelling Names[] = {{ParsedAttr::AS_GNU, SharedAttribute.data()}};
    Spellings = Names;
  }
  AttrHandling handleDeclAttribute(Sema &, Decl *D, const ParsedAttr &) const override {
    auto *Variable = dyn_cast<VarDecl>(D);
    if (!Variable || isa<ParmVarDecl>(Variable))
      return AttributeNotApplied;
    if (Current && !Variable->hasExternalStorage() && !Variable->isStaticDataMember() &&
        mayInitialize(Variable))
      Current->declare(Variable);
    else if (!Variable->hasAttr<CUDASharedAttr>())
      Variable->addAttr(CUDASharedAttr::Create(Variable->getASTContext(), Variable->getLocation()));
    return AttributeApplied;
  }
};

static ParsedAttrInfoRegistry::Add<SharedAttributeInfo> Registered("warplint-shared",
                                                                   "__shared__ as nvcc takes it");

/// Follows instantiations: the initialisers of instances are checked while the function is built.
class InstanceWatcher : public TemplateInstantiationCallback {
public:
  explicit InstanceWatcher(SharedObjects &Objects) : Objects(Objects) {}
  void initialize(const Sema &) override {}
  void finalize(const Sema &) override {}
  void atTemplateBegin(const Sema &, const Sema::CodeSynthesisContext &Context) override {
    Objects.Outer.push_back(Objects.Language.GPUAllowDeviceInit);
    Objects.allowInitializers(instance(Context) && !Objects.Declared.empty());
  }
  void atTemplateEnd(const Sema &, const Sema::CodeSynthesisContext &Context) override {
    if (Decl *Instance = instance(Context); Instance && !Objects.Declared.empty())
      Restorer().TraverseDecl(Instance);
    if (!Objects.Outer.empty())
      Objects.allowInitializers(Objects.Outer.pop_back_val());
  }

private:
  /// What holds statements: a function, or a variable whose initialiser holds a lambda.
  static Decl *instance(const Sema::CodeSynthesisContext &Context) {
    if (Context.Kind != Sema::CodeSynthesisContext::TemplateInstantiation || !Context.Entity ||
        !isa<FunctionDecl, VarDecl>(Context.Entity))
      return nullptr;
    return Context.Entity;
  }

  SharedObjects &Objects;
};

SharedObjects::SharedObjects(LangOptions &Language) : Language(Language) { Current = this; }

SharedObjects::~SharedObjects() { Current = nullptr; }

void SharedObjects::watch(Sema &S) {
  S.TemplateInstCallbacks.push_back(std::make_unique<InstanceWatcher>(*this));
}

void SharedObjects::allowInitializers(bool Allow) { Language.GPUAllowDeviceInit = Allow; }

void SharedObjects::declare(VarDecl *Variable) {
  ASTContext &Context = Variable->getASTContext();
  Variable->addAttr(AnnotateAttr::CreateImplicit(Context, Mark, nullptr, 0, Variable->getLocation()));
  Variable->addAttr(CUDADeviceAttr::Create(Context, Variable->getLocation()));
  if (!Variable->isFileVarDecl())
    Variable->setStorageClass(SC_Static); // as Clang does for __shared__
  Declared.push_back(Variable);
  allowInitializers(true);
}

void SharedObjects::outermostDone() {
  if (Outer.empty()) // instances are handed out, too
    allowInitializers(false);
}

void SharedObjects::restore() {
  allowInitializers(false);
  for (VarDecl *Variable : Declared)
    makeShared(Variable);
}

bool SharedObjects::leftOver(const llvm::Module &Module) {
  const llvm::GlobalVariable *All = Module.getNamedGlobal("llvm.global.annotations");
  const auto *List = All ? dyn_cast<llvm::ConstantArray>(All->getInitializer()) : nullptr;
  return List && llvm::any_of(List->operands(), [](const llvm::Use &Each) {
           const auto *Text =
               dyn_cast<llvm::GlobalVariable>(cast<llvm::Constant>(Each)->getOperand(1)->stripPointerCasts());
           const auto *Characters = Text && Text->hasInitializer()
                                        ? dyn_cast<llvm::ConstantDataSequential>(Text->getInitializer())
                                        : nullptr;
           return Characters && Characters->isCString() && Characters->getAsCString() == Mark;
         });
}

} // namespace warplint::frontend
