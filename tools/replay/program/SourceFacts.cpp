//===-- SourceFacts.cpp - What the source says of what a program did ------------===//
#include "tools/replay/program/SourceFacts.h"
#include "analyzer/kernel/Analysis.h"
#include "analyzer/kernel/SourceText.h"
#include "analyzer/kernel/Sources.h"
#include "analyzer/kernel/VirtualCalls.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace warplint;
using namespace warplint::replay;
using result::Operation;

namespace {

/// What the compiler may see as an access of this instruction's: read side first.
SmallVector<Operation, 2> operationsOf(const Instruction &I) {
  if (isa<LoadInst>(I))
    return {Operation::Load};
  if (isa<StoreInst, MemSetInst>(I))
    return {Operation::Store};
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I))
    return {Operation::Atomic};
  if (isa<CallBase>(I) && !isa<DbgInfoIntrinsic>(I))
    return {Operation::Load, Operation::Store, Operation::Atomic}; // a copy, assembly, a library's function
  return {};
}

/// Moves the bodies of system headers to where users call them.
class LibraryInliner {
public:
  LibraryInliner(Module &M, const kernel::Sources &Texts) : M(M), Texts(Texts) {}

  void run() {
    for (Function &F : M)
      if (!F.isDeclaration() && !isLibrarys(F))
        inlineInto(F);
  }

private:
  bool isLibrarys(const Function &F) const {
    for (const Instruction &I : instructions(F))
      if (const DILocation *L = I.getDebugLoc().get(); L && L->getLine())
        return Texts.inSystemHeader(L);
    return false;
  }

  /// Callees' own calls come with them, so the list grows; a function is not inlined into itself, however far
  /// away.
  void inlineInto(Function &User) {
    constexpr size_t MaxInstructions = 200'000; // of a user's function; a library may be large
    SmallVector<std::pair<CallBase *, unsigned>> Calls;
    auto Note = [&](CallBase *Call, unsigned Depth) {
      Function *Callee = Call->getCalledFunction();
      if (Callee && !Callee->isDeclaration() && Callee != &User && isLibrarys(*Callee))
        Calls.emplace_back(Call, Depth);
    };
    for (Instruction &I : instructions(User))
      if (auto *Call = dyn_cast<CallBase>(&I))
        Note(Call, 0);
    size_t Size = User.getInstructionCount();
    constexpr unsigned MaxDepth = 64; // a library's function that calls itself stays a call
    while (!Calls.empty() && Size < MaxInstructions) {
      auto [Call, Depth] = Calls.pop_back_val();
      if (Depth > MaxDepth || !Call->getDebugLoc())
        continue;
      Size += Call->getCalledFunction()->getInstructionCount();
      InlineFunctionInfo Into;
      if (InlineFunction(*Call, Into).isSuccess())
        for (CallBase *Next : Into.InlinedCallSites)
          Note(Next, Depth + 1);
    }
    for (Instruction &I : instructions(User))
      if (const DILocation *L = I.getDebugLoc().get())
        I.setDebugLoc(DebugLoc(usersPart(L)));
  }

  /// The innermost location that is not a library's.
  const DILocation *usersPart(const DILocation *L) const {
    while (L->getInlinedAt() && Texts.inSystemHeader(L))
      L = L->getInlinedAt();
    return L;
  }

  Module &M;
  const kernel::Sources &Texts;
};

/// Static kernels and variables got names for a whole program's device code to be linked from several units.
/// The host registers them under their own.
void restoreStaticNames(Module &M) {
  for (GlobalObject &Each : M.global_objects()) {
    StringRef Name = Each.getName();
    for (StringRef Suffix : {"__intern__", "__static__"}) {
      const size_t At = Name.rfind(Suffix);
      if (At == StringRef::npos || At == 0 || Each.isDeclaration())
        continue;
      if (!all_of(Name.drop_front(At + Suffix.size()), isHexDigit))
        continue;
      Each.setName(Name.take_front(At).str());
      Each.setLinkage(GlobalValue::InternalLinkage);
      break;
    }
  }
}

} // namespace

void SourceFacts::prepare(frontend::Unit &Unit, const kernel::Sources &Texts) {
  restoreStaticNames(Unit.module);
  const kernel::SourceText Files(Unit.ast);
  arch = Unit.command.arch;
  const clang::SourceManager &SM = Unit.ast.getSourceManager();
  for (const auto &[Function, Decl] : Unit.kernels) {
    KernelFacts Facts{Decl->getNameAsString(), kernel::signatureOf(*Decl), {}, {}};
    const clang::SourceLocation Where = SM.getExpansionLoc(Decl->getLocation());
    if (const clang::PresumedLoc At = SM.getPresumedLoc(Where, /*UseLineDirectives=*/false); At.isValid())
      Facts.place = {Files.file(Where), At.getLine(), At.getColumn(), At.getLine(), At.getColumn()};
    for (const clang::ParmVarDecl *Parameter : Decl->parameters())
      Facts.parameters.push_back({Parameter->getNameAsString(),
                                  Parameter->getType()->isIntegralOrEnumerationType(),
                                  Parameter->getType()->isSignedIntegerOrEnumerationType()});
    Kernels.try_emplace({Function->getName().str(), Facts.place.file}, std::move(Facts));
  }
  // Before calls of libraries are gone: an access that one of them makes is described by the call.
  for (const Function &F : Unit.module)
    for (const Instruction &I : instructions(F)) {
      const DILocation *L = kernel::locationOf(I);
      if (!L || !L->getLine() || Texts.inSystemHeader(L))
        continue;
      const result::Place Place = Texts.place(L);
      for (Operation Each : operationsOf(I)) {
        kernel::SourceAccess Known = Texts.describe(I, Each == Operation::Store);
        if (!Known.expression.empty())
          Accesses.try_emplace({Place.file, Place.line, Place.column, Each},
                               AccessFacts{Known.place, Known.expression, Known.base});
      }
    }
  LibraryInliner(Unit.module, Texts).run();
}

const KernelFacts *SourceFacts::kernel(const std::string &Mangled, const std::string &File) const {
  auto It = Kernels.find({Mangled, File});
  return It == Kernels.end() ? nullptr : &It->second;
}

const AccessFacts *SourceFacts::access(const result::Place &Place, Operation Each) const {
  auto It = Accesses.find({Place.file, Place.line, Place.column, Each});
  return It == Accesses.end() ? nullptr : &It->second;
}
