#include "tools/replay/device/Emitter.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"
#include <cstddef>

using namespace llvm;
using namespace warplint::replay;

Emitter::Emitter(llvm::Module &M, const DeviceOptions &Options)
    : module(M), options(Options), i1(Type::getInt1Ty(M.getContext())), i8(Type::getInt8Ty(M.getContext())),
      i16(Type::getInt16Ty(M.getContext())), i32(Type::getInt32Ty(M.getContext())),
      i64(Type::getInt64Ty(M.getContext())), pointer(PointerType::getUnqual(M.getContext())) {
  SiteType = StructType::create(M.getContext(), {pointer, pointer, i32, i32, i32, i32, i32, i32, i64, i64, i64, i64, i64},
                                "warplint.site");
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static std::string fileOf(const DIScope &Scope) {
  SmallString<128> Path(Scope.getFilename());
  if (!sys::path::is_absolute(Path)) {
    Path = Scope.getDirectory();
    sys::path::append(Path, Scope.getFilename());
  }
  sys::path::remove_dots(Path, true);
  return std::string(Path);
}

bool Emitter::isUserFile(StringRef Absolute) const {
  if (options.isUserFile)
    return options.isUserFile(Absolute);
  return !Absolute.starts_with("/usr/") && !Absolute.contains("/lib/clang/") &&
         !Absolute.starts_with("/__warplint/");
}

Place Emitter::placeOf(const DebugLoc &Location) const {
  Place Result;
  const DILocation *Chosen = Location.get();
  for (const DILocation *L = Chosen; L; L = L->getInlinedAt())
    if (isUserFile(fileOf(*L->getScope()))) {
      Chosen = L;
      break;
    }
  if (!Chosen)
    return Result;
  Result.file = fileOf(*Chosen->getScope());
  Result.line = Chosen->getLine();
  Result.column = Chosen->getColumn();
  if (const DISubprogram *Function = Chosen->getScope()->getSubprogram())
    Result.function =
        Function->getLinkageName().empty() ? Function->getName().str() : demangle(Function->getLinkageName());
  return Result;
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

Constant *Emitter::text(StringRef Text) {
  Constant *&Known = Texts[Text];
  if (!Known) {
    Constant *Data = ConstantDataArray::getString(module.getContext(), Text);
    auto *Global =
        new GlobalVariable(module, Data->getType(), true, GlobalValue::PrivateLinkage, Data, "warplint.text");
    Global->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    Known = Global;
  }
  return Known;
}

Constant *Emitter::site(const Place &At, SiteOperation Operation, SiteMechanism Mechanism, unsigned Width,
                        bool Volatile, bool ThroughPointer) {
  auto Word = [&](uint64_t Value) { return ConstantInt::get(i32, Value); };
  Constant *Long0 = ConstantInt::get(i64, 0);
  if (!SiteTable) // not before it has a use: what clears unused things away would take it
    SiteTable = new GlobalVariable(module, ArrayType::get(SiteType, 0), false, GlobalValue::ExternalLinkage,
                                   nullptr, "warplint.sites");
  Constant *Address =
      ConstantExpr::getInBoundsGetElementPtr(SiteType, SiteTable, ConstantInt::get(i64, Sites.size()));
  Sites.push_back(ConstantStruct::get(
      SiteType, {text(At.file), text(At.function), Word(At.line), Word(At.column), Word(uint64_t(Operation)),
                 Word(uint64_t(Mechanism)), Word(Width), Word(Volatile), Long0,
                 ConstantInt::get(i64, ThroughPointer), Long0, Long0, Long0}));
  return Address;
}

GlobalVariable *Emitter::finishSites() {
  ArrayType *Type = ArrayType::get(SiteType, Sites.size());
  auto *Table = new GlobalVariable(module, Type, false, GlobalValue::InternalLinkage,
                                   ConstantArray::get(Type, Sites), "warplint.sites.table");
  if (SiteTable) {
    SiteTable->replaceAllUsesWith(Table);
    SiteTable->eraseFromParent();
    SiteTable = nullptr;
  }
  return Table;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

CallInst *Emitter::call(IRBuilderBase &B, StringRef Function, Type *Result, ArrayRef<Value *> Arguments) {
  SmallVector<Type *, 8> Types;
  for (Value *A : Arguments)
    Types.push_back(A->getType());
  FunctionCallee Callee = module.getOrInsertFunction(Function, FunctionType::get(Result, Types, false));
  return B.CreateCall(Callee, Arguments);
}

Value *Emitter::thread(IRBuilderBase &B) {
  // Loaded each time: hooks let other threads run.
  Constant *Current = module.getOrInsertGlobal("warplintReplayThread", pointer);
  LoadInst *Load = B.CreateLoad(pointer, Current);
  setSilent(*Load);
  return Load;
}

Value *Emitter::field(IRBuilderBase &B, uint64_t Offset, Type *T) {
  LoadInst *Load = B.CreateLoad(T, B.CreateConstInBoundsGEP1_64(i8, thread(B), Offset));
  setSilent(*Load);
  return Load;
}

Value *Emitter::key(IRBuilderBase &B) { return call(B, KeyName, i64, {}); }

/// What programmers call that which a name of the compiler's stands for; "" when the name has to do.
static StringRef familyOf(StringRef Construct) {
  static const std::pair<Regex, StringRef> Families[] = {
      {Regex("(llvm\\.nvvm\\.|instruction )(wmma|mma|wgmma|tcgen05)[._]|nvcuda::wmma"), "a tensor-core operation"},
      {Regex("(llvm\\.nvvm\\.|instruction )(tex|tld4|txq|suld|sust|sured|suq)\\.|__nv_tex_surf_handler"),
       "a texture or surface access"},
      {Regex("(llvm\\.nvvm\\.|instruction )cp\\.async\\.bulk\\."), "a bulk copy (TMA)"},
      {Regex("cudaLaunchDevice|cudaGetParameterBuffer|cudaCDP"), "a launch from device code"}};
  for (const auto &[Names, Family] : Families)
    if (Names.match(Construct))
      return Family;
  return "";
}

void Emitter::unsupported(IRBuilderBase &B, const Twine &Construct, const DebugLoc &Location) {
  const Place At = placeOf(Location);
  std::string Text = Construct.str();
  if (const StringRef Family = familyOf(Text); !Family.empty())
    Text = (Family + " (" + Text + ")").str();
  call(B, "warplintReplayUnsupported", B.getVoidTy(), {text(Text), text(At.file), ConstantInt::get(i32, At.line)});
}

Value *Emitter::blockThreads(IRBuilderBase &B) {
  constexpr uint64_t At = offsetof(Thread, blockDim);
  return B.CreateMul(B.CreateMul(field(B, At, i32), field(B, At + 4, i32)), field(B, At + 8, i32));
}

void Emitter::setMechanism(Instruction &I, SiteMechanism Mechanism) const {
  I.setMetadata(MechanismNode, MDNode::get(I.getContext(), ConstantAsMetadata::get(
                                                               ConstantInt::get(i32, uint64_t(Mechanism)))));
}

void Emitter::setSilent(Instruction &I) const { I.setMetadata(SilentNode, MDNode::get(I.getContext(), {})); }
