//===-- Analysis.cpp - From parsed kernels to results ---------------------------===//

#include "analyzer/kernel/Analysis.h"
#include "analyzer/frontend/Limits.h"
#include "analyzer/kernel/Launches.h"
#include "analyzer/kernel/Machine.h"
#include "analyzer/kernel/PrivateArrays.h"
#include "analyzer/kernel/Ptx.h"
#include "analyzer/kernel/Shapes.h"
#include "analyzer/kernel/SiteFacts.h"
#include "analyzer/kernel/Sources.h"
#include "analyzer/kernel/WholeKernel.h"
#include "analyzer/model/Model.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <deque>
#include <map>
#include <set>

using namespace llvm;
using namespace warplint;
using namespace warplint::kernel;
using result::BlockOrigin;
using result::Confidence;
using result::Operation;
using result::Space;

namespace {

/// One way in which a kernel is run.
struct Configuration {
  std::array<unsigned, 3> block{256, 1, 1};
  std::optional<std::array<uint64_t, 3>> grid;
  BlockOrigin origin = BlockOrigin::Assumed;
  std::string note;
  result::Place launch;
  std::optional<uint64_t> dynamicShared;
  std::vector<std::optional<int64_t>> arguments;

  auto key() const { return std::tie(block, grid, origin, dynamicShared, arguments); }
};

constexpr unsigned MaxRuns = 96;        ///< boxes of one kernel and configuration
constexpr unsigned MaxAssumedRuns = 12; ///< once nothing can be exact any more
constexpr unsigned MaxForcedRuns = 6;   ///< of one round that takes unlikely sides of conditions
constexpr unsigned MaxAttempts = 24;    ///< to reach what lies behind them, one side at a time
constexpr unsigned MaxAttemptRuns = 3;  ///< boxes of one attempt
constexpr const char *SampledText = "only a part of the blocks and warps was followed";

/// Analyses the kernels of one unit.
class UnitAnalysis {
public:
  UnitAnalysis(frontend::Unit &U, const AnalysisOptions &O, Statistics &S,
               std::vector<WantedFunction> *Wanted)
      : U(U), Options(O), Stats(S), TheSources(U.ast),
        Launches(findLaunches(U.ast, U.isLaunchList, O.outside, O.block ? nullptr : Wanted)) {
    for (const OutsideUse &Use : O.outside)
      if (Use.launch)
        addOutsideLaunch(Use);
    if (Wanted && !O.block)
      addWantedKernels(*Wanted);
  }

  std::vector<result::Kernel> run() {
    exposeBuiltinVariables(U.module);
    std::vector<result::Kernel> Result;
    for (auto &[F, D] : U.kernels) {
      // Nobody who runs the tool can change a library's kernels, only what they call of the user's.
      const bool OfLibrary = isOfLibrary(*D);
      SmallPtrSet<const Function *, 16> Seen;
      if (OfLibrary && !reachesUserCode(*F, Seen))
        continue;
      for (const Configuration &C : configurations(*F, *D)) {
        result::Kernel K = analyzeOne(*F, *D, C);
        if (timeUp()) { // numbers of a run that was cut short say nothing
          U.errors.push_back({K.place, "kernel '" + K.name + "' is not analysed: " + U.deadline->message()});
          break;
        }
        if (!OfLibrary || !K.accesses.empty())
          Result.push_back(std::move(K));
      }
    }
    return Result;
  }

private:
  frontend::Unit &U;
  const AnalysisOptions &Options;
  Statistics &Stats;
  uint64_t SpareSteps = 8'000'000; ///< for kernels that their own budget does not suffice for; some seconds
  Sources TheSources;
  std::vector<Launch> Launches;
  Program TheProgram;
  DenseMap<const Instruction *, SourceAccess> Described[2];
  DenseMap<const Function *, LocalArrays> LocalArraysOf; ///< by kernel

  void addOutsideLaunch(const OutsideUse &Use) {
    for (const auto &[F, D] : U.kernels) {
      if (F->getName() != Use.symbol)
        continue;
      Launch L;
      L.kernel = D;
      L.place = Use.place;
      L.block = Use.block;
      L.grid = Use.grid;
      L.dynamicShared = Use.dynamicShared;
      L.arguments = Use.arguments;
      L.arguments.resize(D->getNumParams());
      L.reason = Use.reason;
      L.likelyBlock = Use.likelyBlock;
      Launches.push_back(std::move(L));
    }
  }

  /// The kernels that others may launch and of which no block is known here.
  void addWantedKernels(std::vector<WantedFunction> &Wanted) const {
    for (const auto &[F, D] : U.kernels) {
      const bool Known =
          F->hasFnAttribute("nvvm.reqntid") || any_of(Launches, [&, Decl = D](const Launch &L) {
            return L.block && L.kernel->getCanonicalDecl() == Decl->getCanonicalDecl();
          });
      if (!Known && !isOfLibrary(*D))
        if (auto Each = wanted(*D))
          Wanted.push_back(std::move(*Each));
    }
  }

  bool isOfLibrary(const clang::FunctionDecl &D) const {
    const clang::SourceManager &SM = U.ast.getSourceManager();
    return SM.isInSystemHeader(SM.getExpansionLoc(D.getLocation()));
  }
  /// Is any of it, or of what it calls, outside system headers?
  bool reachesUserCode(const Function &F, SmallPtrSetImpl<const Function *> &Seen) {
    return Seen.insert(&F).second && any_of(instructions(F), [&](const Instruction &I) {
             const DILocation *L = I.getDebugLoc().get();
             if (L && L->getLine() && !TheSources.inSystemHeader(L))
               return true;
             const auto *Call = dyn_cast<CallBase>(&I);
             const auto *Callee =
                 Call ? dyn_cast<Function>(Call->getCalledOperand()->stripPointerCasts()) : nullptr;
             return Callee && reachesUserCode(*Callee, Seen);
           });
  }
  bool timeUp() const { return U.deadline && U.deadline->passed(); }
  std::vector<Configuration> configurations(Function &, const clang::FunctionDecl &);
  unsigned dimensions(const Function &);
  std::optional<result::TileInfo> narrowTile(const Function &);
  void assumeShape(Configuration &, Function &, const Launch *);
  void keepExtents(Configuration &, const Launch &, uint64_t Limit);
  bool borrowShape(Configuration &, const Launch *, const Function &, const clang::FunctionDecl &);
  std::string launchText(const Launch &) const;
  std::string lineText(const result::Place &) const;
  result::Kernel analyzeOne(Function &, const clang::FunctionDecl &, const Configuration &);
  /// `Spent`: there was more to do than the budget allows.
  result::Kernel analyzeWithin(const Budget &, Function &, const clang::FunctionDecl &, const Configuration &,
                               bool &Spent);
  /// Any fixed order of branches' sides: that of functions' names, then of blocks.
  bool inOrder(const Machine::Side &A, const Machine::Side &B) {
    auto Key = [&](const Machine::Side &Each) {
      Function &Of = const_cast<Function &>(*Each.first->getFunction());
      return std::tuple(Of.getName(), TheProgram.prepare(Of).number.lookup(Each.first->getParent()),
                        Each.second);
    };
    return Key(A) < Key(B);
  }
  /// Does a branch decide whether blocks run that no run reached and that touch memory? Only those are worth
  /// a run that takes its other side.
  bool hidesAccesses(const Instruction &Branch, const Machine &M) {
    const FunctionInfo &Info = TheProgram.prepare(const_cast<Function &>(*Branch.getFunction()));
    const unsigned Number = Info.number.lookup(Branch.getParent());
    return any_of(Info.blocks, [&](const Block &B) {
      return is_contained(B.controllers, Number) && !M.executed.contains(B.block) &&
             any_of(*B.block, [](const Instruction &I) { return I.mayReadOrWriteMemory(); });
    });
  }
  const LocalArrays &localArrays(Function &Kernel) {
    auto [It, New] = LocalArraysOf.try_emplace(&Kernel);
    if (New)
      It->second = findLocalArrays(Kernel, [this] { return timeUp(); });
    return It->second;
  }
  llvm::DenseSet<const llvm::Argument *> memoryArguments(const Machine &);
  result::PrivateArray privateArray(const Site &, const LocalArrays &);
  std::optional<result::IndexSource> indexSource(const Site &, const Machine &);
  bool isOfLibrarysOwn(const Site &, const Instruction &User, const Machine &);
  const SourceAccess &describe(const Instruction &I, bool Written) {
    auto [It, New] = Described[Written].try_emplace(&I);
    if (New)
      It->second = TheSources.describe(I, Written);
    return It->second;
  }
  /// The innermost instruction of a call path outside system headers: where the access belongs.
  const Instruction *userInstruction(const Instruction &I, ArrayRef<const CallBase *> Path) {
    const Instruction *At = &I;
    for (size_t Depth = Path.size();; --Depth) {
      const DILocation *L = At->getDebugLoc().get();
      if ((L && !TheSources.inSystemHeader(L)) || Depth == 0)
        return At;
      At = Path[Depth - 1];
    }
  }
  /// The outermost call outside system headers on the way to an instruction of a helper; nothing for the kernel's own.
  const Instruction *userCall(const Instruction &User, ArrayRef<const CallBase *> Path) {
    for (const CallBase *Call : Path) {
      if (Call == &User)
        break; // the access is what a library does for this call
      if (const DILocation *L = Call->getDebugLoc().get(); L && L->getLine() && !TheSources.inSystemHeader(L))
        return Call;
    }
    return nullptr;
  }
};


std::string shapeText(std::array<unsigned, 3> B) {
  std::string Text = utostr(B[0]);
  if (B[1] > 1 || B[2] > 1)
    Text += "x" + utostr(B[1]);
  if (B[2] > 1)
    Text += "x" + utostr(B[2]);
  return Text;
}

/// "nvvm.maxntid"="256,1,1"
std::optional<std::array<unsigned, 3>> shapeAttribute(const Function &F, StringRef Name) {
  if (!F.hasFnAttribute(Name))
    return std::nullopt;
  SmallVector<StringRef, 3> Items;
  F.getFnAttribute(Name).getValueAsString().split(Items, ',');
  std::array<unsigned, 3> Shape{1, 1, 1};
  for (size_t I = 0; I < Items.size() && I < 3; ++I)
    if (Items[I].trim().getAsInteger(10, Shape[I]) || Shape[I] == 0)
      return std::nullopt;
  return Shape;
}

void noteLaunchBounds(const Function &F, result::Kernel &K) {
  if (const auto Most = shapeAttribute(F, "nvvm.maxntid"))
    K.launchBoundsThreads = (*Most)[0] * (*Most)[1] * (*Most)[2];
  const auto Number = [&](StringRef Name) -> std::optional<unsigned> {
    unsigned Value = 0;
    if (!F.hasFnAttribute(Name) || F.getFnAttribute(Name).getValueAsString().getAsInteger(10, Value) || !Value)
      return std::nullopt;
    return Value;
  };
  K.launchBoundsBlocks = Number("nvvm.minctasm");
  K.maxRegisters = Number("nvvm.maxnreg");
}

/// Shared memory of a block.
struct SharedNeeds {
  uint64_t bytes = 0;   ///< of what is declared with a size, each variable aligned
  bool dynamic = false; ///< names an array without a size
};

void collectShared(const Value &V, SetVector<const GlobalVariable *> &Found) {
  if (const auto *G = dyn_cast<GlobalVariable>(&V)) {
    if (G->getAddressSpace() == 3)
      Found.insert(G);
  } else if (const auto *E = dyn_cast<ConstantExpr>(&V)) {
    for (const Use &Operand : E->operands())
      collectShared(*Operand, Found);
  }
}

SharedNeeds sharedNeeds(const DenseSet<const Function *> &Entered, const DataLayout &Layout) {
  SetVector<const GlobalVariable *> Found;
  for (const Function *Fn : Entered)
    for (const Instruction &I : instructions(Fn))
      for (const Use &Operand : I.operands())
        collectShared(*Operand, Found);
  SharedNeeds Needs;
  for (const GlobalVariable *G : Found) {
    const uint64_t Size = Layout.getTypeAllocSize(G->getValueType()).getFixedValue();
    if (!Size) {
      Needs.dynamic = true;
      continue;
    }
    Needs.bytes = alignTo(Needs.bytes, G->getAlign().valueOrOne()) + Size;
  }
  return Needs;
}

/// An access as the instruction alone shows it.
struct StaticAccess {
  const Value *pointer = nullptr; ///< null: not an operand
  Operation operation = Operation::Load;
  result::Mechanism mechanism = result::Mechanism::Plain;
  Space space = Space::Unknown;
  unsigned width = 0;
};

SmallVector<StaticAccess, 2> staticAccesses(const Instruction &I) {
  auto Width = [&](Type *T) { return unsigned(I.getDataLayout().getTypeStoreSize(T).getFixedValue()); };
  SmallVector<StaticAccess, 2> Result;
  if (auto *L = dyn_cast<LoadInst>(&I)) {
    Result.push_back({L->getPointerOperand(), Operation::Load, {}, Space::Unknown, Width(L->getType())});
  } else if (auto *S = dyn_cast<StoreInst>(&I)) {
    Result.push_back({S->getPointerOperand(),
                      Operation::Store,
                      {},
                      Space::Unknown,
                      Width(S->getValueOperand()->getType())});
  } else if (auto *X = dyn_cast<AtomicRMWInst>(&I)) {
    Result.push_back({X->getPointerOperand(), Operation::Atomic, {}, Space::Unknown, Width(X->getType())});
  } else if (auto *E = dyn_cast<AtomicCmpXchgInst>(&I)) {
    Result.push_back({E->getPointerOperand(),
                      Operation::Atomic,
                      {},
                      Space::Unknown,
                      Width(E->getCompareOperand()->getType())});
  } else if (auto *M = dyn_cast<MemIntrinsic>(&I)) {
    if (auto *T = dyn_cast<MemTransferInst>(M))
      Result.push_back({T->getRawSource(), Operation::Load, result::Mechanism::Memcpy, Space::Unknown, 0});
    Result.push_back({M->getRawDest(), Operation::Store, result::Mechanism::Memcpy, Space::Unknown, 0});
  } else if (auto *C = dyn_cast<CallBase>(&I); C && C->isInlineAsm()) {
    for (const PtxInstruction &P : parsePtx(cast<InlineAsm>(C->getCalledOperand())->getAsmString()))
      if (auto A = accessOf(P)) {
        if (A->kind == PtxAccess::Copy) {
          Result.push_back({nullptr, Operation::Load, result::Mechanism::CpAsync, Space::Global, A->width});
          Result.push_back({nullptr, Operation::Store, result::Mechanism::CpAsync, Space::Shared, A->width});
        } else {
          Result.push_back(
              {nullptr, A->operation,
               A->kind == PtxAccess::Matrix ? result::Mechanism::Ldmatrix : result::Mechanism::Plain,
               A->space, A->width});
        }
      }
  }
  return Result;
}

} // namespace

/// How many dimensions of threadIdx user code of the kernel reads: 1, 2 or 3.
static const Function *calledFunction(const Instruction &I) {
  auto *C = dyn_cast<CallBase>(&I);
  return C ? dyn_cast<Function>(C->getCalledOperand()->stripPointerCasts()) : nullptr;
}

/// A kernel and the functions with bodies that it calls, directly or not, in the order of the calls.
static SetVector<const Function *> withCallees(const Function &Kernel) {
  SetVector<const Function *> Result;
  Result.insert(&Kernel);
  for (size_t At = 0; At != Result.size(); ++At)
    for (const Instruction &I : instructions(Result[At]))
      if (const Function *Callee = calledFunction(I); Callee && !Callee->isDeclaration())
        Result.insert(Callee);
  return Result;
}

unsigned UnitAnalysis::dimensions(const Function &Kernel) {
  unsigned Result = 1;
  for (const Function *F : withCallees(Kernel))
    for (const Instruction &I : instructions(F)) {
      const Function *Callee = calledFunction(I);
      if (!Callee)
        continue;
      StringRef Name = Callee->getName();
      if (!Name.consume_front("llvm.nvvm.read.ptx.sreg.tid."))
        continue;
      const DISubprogram *SP = F->getSubprogram();
      // Library code (ranks of cooperative groups) reads all three whatever the block.
      DILocation *Location =
          SP ? DILocation::get(F->getContext(), SP->getLine(), 1, const_cast<DISubprogram *>(SP)) : nullptr;
      if (Location && TheSources.inSystemHeader(Location))
        continue;
      Result = std::max(Result, unsigned(Name[0] - 'x') + 1);
    }
  return Result;
}

/// A launch, for people: its line, that of the call behind it, and its file when that is another one.
std::string UnitAnalysis::launchText(const Launch &L) const {
  std::string Text = "the launch at " + lineText(L.place);
  if (L.caller.valid())
    Text += ", called at " + lineText(L.caller);
  return Text;
}

std::string UnitAnalysis::lineText(const result::Place &Place) const {
  if (Place.file == U.command.file)
    return "line " + utostr(Place.line);
  return sys::path::filename(Place.file).str() + ":" + utostr(Place.line);
}

/// Threads that launch bounds allow; they are a maximum, not a shape.
static uint64_t mostThreads(const Function &F) {
  const auto Most = shapeAttribute(F, "nvvm.maxntid");
  return Most ? uint64_t((*Most)[0]) * (*Most)[1] * (*Most)[2] : 1024;
}

/// A shared tile with rows shorter than a warp.
std::optional<result::TileInfo> UnitAnalysis::narrowTile(const Function &Kernel) {
  for (const Function *F : withCallees(Kernel))
    for (const Instruction &I : instructions(F))
      for (const Use &Operand : I.operands()) {
        auto *G = dyn_cast<GlobalVariable>(Operand->stripPointerCasts());
        if (!G || G->getAddressSpace() != 3)
          continue;
        auto Tile = TheSources.tile(*G);
        if (Tile && Tile->extents.size() == 2 && Tile->extents[1] < 32 && Tile->extents[1] >= 4 && Tile->extents[0] >= 4)
          return Tile;
      }
  return std::nullopt;
}

/// The shape for a kernel of which no launch says it.
/// The extents that the launch does give stay; the others make the block neither small nor too large.
void UnitAnalysis::keepExtents(Configuration &C, const Launch &L, uint64_t Limit) {
  std::array<unsigned, 3> Block = C.block;
  std::string Kept;
  for (unsigned Axis = 0; Axis < 3; ++Axis)
    if (L.extents[Axis]) {
      Block[Axis] = *L.extents[Axis];
      Kept += (Kept.empty() ? "" : " and ") + std::string(1, char('x' + Axis));
    }
  auto Threads = [&] { return uint64_t(Block[0]) * Block[1] * Block[2]; };
  if (Kept.empty() || !Threads())
    return;
  if (!L.extents[0] && (Block[1] != C.block[1] || Block[2] != C.block[2])) {
    const uint64_t Rows = uint64_t(Block[1]) * Block[2];
    Block[0] = unsigned(std::max<uint64_t>(32, bit_floor(std::max<uint64_t>(256 / Rows, 1))));
  }
  for (unsigned Axis : {2u, 1u, 0u})
    while (!L.extents[Axis] && Threads() > Limit && Block[Axis] > 1)
      Block[Axis] /= 2;
  if (Threads() > Limit || Block == C.block)
    return;
  C.block = Block;
  C.note += ", " + Kept + " as the launch has it";
}

void UnitAnalysis::assumeShape(Configuration &C, Function &F, const Launch *L) {
  unsigned Dimensions = dimensions(F);
  C.block = Dimensions == 1   ? std::array<unsigned, 3>{256, 1, 1}
            : Dimensions == 2 ? std::array<unsigned, 3>{32, 8, 1}
                              : std::array<unsigned, 3>{32, 4, 2};
  static const char *const Why[] = {"only threadIdx.x is used", "threadIdx.y is used", "threadIdx.z is used"};
  C.note = std::string("assumed: ") + Why[Dimensions - 1];
  // A block as wide as the tile that its threads fill.
  if (Dimensions == 2)
    if (const auto Tile = narrowTile(F)) {
      C.block[0] = std::min(C.block[0], unsigned(bit_floor(Tile->extents[1])));
      C.block[1] = unsigned(std::min<uint64_t>(256 / C.block[0], bit_floor(Tile->extents[0])));
      C.note = "assumed: from the extents of " + Tile->name;
    }
  const uint64_t Limit = mostThreads(F);
  if (L)
    keepExtents(C, *L, Limit);
  for (unsigned Axis : {2u, 1u, 0u})
    while (uint64_t(C.block[0]) * C.block[1] * C.block[2] > Limit && C.block[Axis] > 1)
      C.block[Axis] /= 2;
  C.origin = BlockOrigin::Assumed;
}

/// The shape for a launch that does not say one (null: none is known): a likely value of its own, or what
/// another launch of the kernel says, or of another instance of its template.
bool UnitAnalysis::borrowShape(Configuration &C, const Launch *Of, const Function &F,
                               const clang::FunctionDecl &D) {
  const uint64_t Limit = mostThreads(F);
  auto Take = [&](const std::optional<std::array<unsigned, 3>> &Block, const std::string &Note) {
    if (!Block || uint64_t((*Block)[0]) * (*Block)[1] * (*Block)[2] > Limit)
      return false;
    C.block = *Block;
    C.note = "assumed: " + Note;
    C.origin = BlockOrigin::Assumed;
    return true;
  };
  if (Of && Take(Of->likelyBlock, "a likely value"))
    return true;
  for (const Launch &Other : Launches)
    if (Other.kernel->getCanonicalDecl() == D.getCanonicalDecl() &&
        Take(Other.block, "as in " + launchText(Other)))
      return true;
  if (const clang::FunctionTemplateDecl *Template = D.getPrimaryTemplate())
    for (const Launch &Other : Launches)
      if (const clang::FunctionTemplateDecl *Same = Other.kernel->getPrimaryTemplate();
          Same && Same->getCanonicalDecl() == Template->getCanonicalDecl() &&
          Take(Other.block, "as in " + launchText(Other) + " of another instance"))
        return true;
  return false;
}

bool GivenLaunch::matches(StringRef Name, StringRef Signature) const {
  if (pattern == Name || pattern == Signature)
    return true; // a signature may hold characters that are special in globs
  Expected<GlobPattern> Glob = GlobPattern::create(pattern);
  if (!Glob)
    return consumeError(Glob.takeError()), false;
  return Glob->match(Name) || Glob->match(Signature);
}

/// What the configuration says of a kernel: of each thing, the first entry that says it.
static GivenLaunch givenLaunch(ArrayRef<GivenLaunch> All, const clang::FunctionDecl &D) {
  GivenLaunch Result;
  if (All.empty())
    return Result;
  const std::string Name = D.getNameAsString(), Signature = signatureOf(D);
  for (const GivenLaunch &One : All) {
    if (!One.matches(Name, Signature))
      continue;
    if (!Result.block && One.block) {
      Result.block = One.block;
      Result.origin = One.origin; // the note is about the block
    }
    if (!Result.grid)
      Result.grid = One.grid;
    if (!Result.dynamicShared)
      Result.dynamicShared = One.dynamicShared;
  }
  return Result;
}

std::vector<Configuration> UnitAnalysis::configurations(Function &F, const clang::FunctionDecl &D) {
  const GivenLaunch Given = givenLaunch(Options.kernels, D);
  // The option's shape or the configuration's: either wins over the launch's.
  const std::optional<std::array<unsigned, 3>> Wanted = Options.block ? Options.block : Given.block;
  const BlockOrigin WantedBy = Options.block ? BlockOrigin::Option : BlockOrigin::Config;
  auto Known = [&](Configuration &C) { // a shape that needs no launch
    if (Wanted) {
      C.block = *Wanted;
      C.origin = WantedBy;
      C.note = Options.block ? "--block" : Given.origin;
    } else if (auto Required = shapeAttribute(F, "nvvm.reqntid")) {
      C.block = *Required;
      C.origin = BlockOrigin::Reqntid;
      C.note = "the kernel's required block size";
    } else {
      return false;
    }
    return true;
  };
  auto Complete = [&](Configuration &C) {
    const bool Replaced = Options.block && Given.block && Options.block != Given.block;
    if (Given.grid && !Replaced) // a grid goes with its block
      C.grid = Given.grid;
    if (Given.dynamicShared)
      C.dynamicShared = Given.dynamicShared;
  };
  std::vector<Configuration> Result;
  for (const Launch &L : Launches) {
    if (!L.kernel || L.kernel->getCanonicalDecl() != D.getCanonicalDecl())
      continue;
    Configuration C;
    C.launch = L.place;
    C.dynamicShared = L.dynamicShared;
    C.arguments = L.arguments;
    if (Wanted && L.block != Wanted) {
      Known(C); // another shape than the program's: its grid says nothing
    } else if (L.block) {
      C.block = *L.block;
      C.grid = L.grid;
      C.origin = Wanted ? WantedBy : BlockOrigin::Launch;
      C.note = WantedBy == BlockOrigin::Config && Wanted ? Given.origin : launchText(L);
    } else if (Known(C)) {
      C.grid = L.grid;
    } else {
      if (!borrowShape(C, &L, F, D))
        assumeShape(C, F, &L);
      C.grid = L.grid;
      C.note += "; " + launchText(L) + " does not say" + (L.reason.empty() ? "" : ": " + L.reason);
    }
    Complete(C);
    if (none_of(Result, [&](const Configuration &Other) { return Other.key() == C.key(); }))
      Result.push_back(std::move(C));
  }
  if (Result.empty()) {
    Configuration C;
    if (!Known(C) && !borrowShape(C, nullptr, F, D))
      assumeShape(C, F, nullptr);
    Complete(C);
    Result.push_back(std::move(C));
  }
  for (Configuration &C : Result)
    C.arguments.resize(D.getNumParams());
  return Result;
}

//===----------------------------------------------------------------------===//
// Sites to accesses
//===----------------------------------------------------------------------===//

static std::optional<int64_t> commonStride(const std::array<int64_t, 32> &Lanes, LaneMask Mask) {
  if (std::popcount(Mask) < 3 && !(Mask & (Mask >> 1)))
    return std::nullopt; // two lanes far apart have a distance, not a stride
  std::optional<int64_t> Stride;
  int Last = -1;
  for (int L = 0; L < 32; ++L) {
    if (!(Mask >> L & 1))
      continue;
    if (Last >= 0) {
      int64_t Distance = Lanes[size_t(L)] - Lanes[size_t(Last)];
      if (Distance % (L - Last))
        return std::nullopt;
      Distance /= L - Last;
      if (Stride && *Stride != Distance)
        return std::nullopt;
      Stride = Distance;
    }
    Last = L;
  }
  return Stride;
}

/// The weakest "multiple of" for a symbol under which the site's worst cost stays, by trying other samples in
/// its index expression. It words an assumption that is made anyway.
static uint64_t weakestMultiple(World &W, const Site &S, const Symbol &Sym, const WarpShape &Shape) {
  if (!S.words)
    return 1;
  auto CostAt = [&](int64_t Sample) -> std::optional<result::Cost> {
    std::array<int64_t, 32> Lanes{};
    for (unsigned L = 0; L < 32; ++L) {
      auto V = W.context.evaluate(S.words, [&](StringRef Name) -> std::optional<int64_t> {
        if (auto Axis = axisOf(Name, "threadIdx."))
          return Shape.thread[*Axis][L];
        if (axisOf(Name, "blockIdx."))
          return 0;
        if (Name == Sym.name)
          return Sample;
        index::Expr Atom = W.context.findAtom(Name);
        const Symbol *Other = Atom ? W.symbolOf(Atom.key()) : nullptr;
        return Other ? Other->sample : 0; // a loop variable: any one value serves for the comparison
      });
      if (!V)
        return std::nullopt;
      Lanes[L] = *V;
    }
    return costOf(S.first.space, S.first.operation == Operation::Load, S.first.width, Lanes,
                  S.worstPattern.mask, 0);
  };
  auto Base = CostAt(Sym.sample);
  if (!Base)
    return 1;
  for (uint64_t Multiple = 1; Multiple < 128; Multiple *= 2) {
    bool Stays = true;
    for (int64_t Odd : {1025, 2049, 4099, 5003}) {
      auto C = CostAt(int64_t(Multiple) * Odd);
      Stays = Stays && C && C->lines == Base->lines && C->sectors == Base->sectors;
    }
    if (Stays)
      return Multiple;
  }
  return 128;
}

static std::string scaledText(index::Context &C, index::Expr Bytes, unsigned Width) {
  if (!Bytes || !Width)
    return "";
  index::Expr Elements = C.constant(0);
  for (const index::Term &T : C.terms(Bytes)) {
    if (T.coefficient % int64_t(Width))
      return "";
    index::Expr Product = C.constant(T.coefficient / int64_t(Width));
    for (index::Expr F : T.factors)
      Product = C.mul(Product, F);
    Elements = C.add(Elements, Product);
  }
  return Elements ? C.print(Elements) : "";
}

/// What an atomic does; its address is an expression of the lane unless its words prove otherwise.
/// What the requests of a whole launch add up to. None where sums of doubles are not exact any more.
static std::optional<result::Total> totalOf(double Requests, const result::Cost &Sum) {
  constexpr double MostExact = 0x1p53;
  if (std::max({Requests, Sum.sectors, Sum.idealSectors, Sum.wavefronts}) > MostExact)
    return std::nullopt;
  return result::Total{uint64_t(Requests + 0.5), uint64_t(Sum.sectors + 0.5), uint64_t(Sum.idealSectors + 0.5),
                       uint64_t(Sum.wavefronts + 0.5)};
}

static result::AtomicInfo atomicInfo(const Site &S) {
  result::AtomicInfo A;
  A.operation = atomicOperation(*S.key.instruction);
  A.lanesPerAddress = S.severalLanes ? S.lanesPerAddress : std::min(S.lanesPerAddress, 1u);
  A.addresses = S.atomicAddresses;
  A.resultUsed = isResultUsed(*S.key.instruction, S.path);
  A.valueVaries = S.valueVaries;
  A.addressVaries = !S.words || !S.words.isUniform();
  return A;
}

/// Does a library's code touch memory of its own, at an address that it asked the hardware for (the barrier
/// of a cooperative grid)? Nobody who calls it can do anything about that.
bool UnitAnalysis::isOfLibrarysOwn(const Site &S, const Instruction &User, const Machine &M) {
  if (&User == S.key.instruction || S.haveWorst || S.first.space != Space::Unknown)
    return false;
  const Cause *Origin = M.originOf(S.why);
  return Origin && Origin->kind == Cause::Assembly &&
         userInstruction(*Origin->instruction, Origin->path) != Origin->instruction;
}

/// The read, atomic or exchange between lanes that makes an index unknown.
std::optional<result::IndexSource> UnitAnalysis::indexSource(const Site &S, const Machine &M) {
  const Cause *Origin = M.originOf(S.why);
  const bool Named = Origin && (Origin->kind == Cause::Memory || Origin->kind == Cause::Atomic ||
                                Origin->kind == Cause::Exchange || Origin->kind == Cause::Assembly);
  if (!Named)
    return result::IndexSource();
  const SourceAccess &Read = describe(*userInstruction(*Origin->instruction, Origin->path), false);
  return result::IndexSource{Read.expression, Read.place};
}

/// The pointer parameters, of functions that were entered or are called where no run came, that may lead to
/// memory; all others lead to locals of callers, whose accesses are none.
DenseSet<const Argument *> UnitAnalysis::memoryArguments(const Machine &M) {
  DenseSet<const Argument *> Memory(M.memoryArguments.begin(), M.memoryArguments.end());
  auto IsLocal = [&](const Value &Pointer) {
    const Value *Object = getUnderlyingObject(&Pointer, /*MaxLookup=*/0);
    const auto *Passed = dyn_cast<Argument>(Object);
    return isa<AllocaInst>(Object) ||
           (Passed && (Passed->hasByValAttr() || Passed->hasStructRetAttr() || !Memory.contains(Passed)));
  };
  SetVector<const Function *> Functions(M.entered.begin(), M.entered.end());
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (size_t Next = 0; Next < Functions.size(); ++Next) {
      const Function &Fn = *Functions[Next];
      const bool Entered = M.entered.contains(&Fn);
      if (!Entered && Fn.size() <= Budget().blocks)
        TheProgram.prepare(const_cast<Function &>(Fn)); // parameters are values from then on
      for (const BasicBlock &B : Fn)
        for (const Instruction &I : B) {
          auto *Call = dyn_cast<CallBase>(&I);
          auto *Callee = Call ? dyn_cast<Function>(Call->getCalledOperand()->stripPointerCasts()) : nullptr;
          if (!Callee || Callee->isDeclaration() || M.entered.contains(Callee))
            continue;
          Functions.insert(Callee);
          for (const Argument &A : Callee->args())
            if (A.getType()->isPointerTy() && A.getArgNo() < Call->arg_size() && !Memory.contains(&A) &&
                !IsLocal(*Call->getArgOperand(A.getArgNo()))) {
              Memory.insert(&A);
              Changed = true;
            }
        }
    }
  }
  return Memory;
}

result::PrivateArray UnitAnalysis::privateArray(const Site &S, const LocalArrays &Arrays) {
  const AllocaInst &Array = *S.first.array;
  result::PrivateArray P;
  for (const DbgVariableRecord *Declared : findDVRDeclares(const_cast<AllocaInst *>(&Array)))
    P.declaration = TheSources.place(Declared->getDebugLoc().get());
  if (const auto Size = Array.getAllocationSize(Array.getDataLayout()))
    P.size = Size->getFixedValue();
  const LocalArray &Found = Arrays.find(&Array)->second;
  P.cause = Found.cause;
  if (const DILocation *Location = S.key.instruction->getDebugLoc().get())
    P.open = Found.open.contains({Location->getLine(), Location->getColumn()});
  return P;
}

/// Nearly all kernels are done with their budget. One that is not may take what the file has to spare: half
/// of what is left, so that a kernel that takes too much in any case leaves something for those after it.
result::Kernel UnitAnalysis::analyzeOne(Function &F, const clang::FunctionDecl &D, const Configuration &C) {
  Budget Limits;
  Limits.timeUp = [this] { return timeUp(); };
  bool Spent = false;
  result::Kernel K = analyzeWithin(Limits, F, D, C, Spent);
  if (!Spent || SpareSteps / 2 < 2 * Limits.steps)
    return K;
  Limits.steps = SpareSteps / 2;
  const uint64_t Before = Stats.steps;
  K = analyzeWithin(Limits, F, D, C, Spent);
  SpareSteps -= std::min(SpareSteps, Stats.steps - Before);
  return K;
}

result::Kernel UnitAnalysis::analyzeWithin(const Budget &Limits, Function &F, const clang::FunctionDecl &D,
                                           const Configuration &C, bool &Spent) {
  result::Kernel K;
  const clang::SourceManager &SM = U.ast.getSourceManager();
  K.name = D.getNameAsString();
  K.signature = signatureOf(D);
  K.symbol = F.getName().str();
  clang::PresumedLoc At = SM.getPresumedLoc(SM.getExpansionLoc(D.getLocation()), /*UseLineDirectives=*/false);
  if (At.isValid()) {
    SmallString<128> Name(At.getFilename());
    U.ast.getSourceManager().getFileManager().makeAbsolutePath(Name);
    // As accesses have it: a header that is included from two folders is one file.
    sys::path::remove_dots(Name, /*remove_dot_dot=*/true);
    K.place = {Name.str().str(), At.getLine(), At.getColumn(), At.getLine(),
               At.getColumn() + unsigned(K.name.size())};
  }
  K.block = C.block;
  K.grid = C.grid;
  K.blockOrigin = C.origin;
  K.blockNote = C.note;
  K.launch = C.launch;
  K.dynamicShared = C.dynamicShared;
  K.arch = U.command.arch;

  index::Context Words;
  World W(Words);
  Recorder Records(W);
  Setting Set;
  Set.block = C.block;
  Set.grid = C.grid;
  Set.arguments = C.arguments;
  std::vector<std::string> Given;
  auto GivenValue = [&](const std::string &Name) -> std::optional<int64_t> {
    for (const std::string &Key : {K.name + ":" + Name, Name})
      if (auto It = Options.assume.find(Key); It != Options.assume.end()) {
        std::string Text = Name + " = " + itostr(It->second) + " (given)";
        if (!is_contained(Given, Text))
          Given.push_back(Text);
        return It->second;
      }
    return std::nullopt;
  };
  for (auto [I, P] : enumerate(D.parameters())) {
    std::string Name = P->getNameAsString();
    Set.parameterNames.push_back(Name);
    if (!P->getType()->isIntegralOrEnumerationType()) {
      Set.arguments[I].reset();
      continue;
    }
    if (auto V = GivenValue(Name))
      Set.arguments[I] = V;
    if (Set.arguments[I])
      K.arguments[Name] = *Set.arguments[I];
  }
  for (const auto &[Name, V] : Options.assume)
    if (Name.find('.') != std::string::npos) {
      std::string Member = Name.substr(Name.find(':') == std::string::npos ? 0 : Name.find(':') + 1);
      if (auto Value = GivenValue(Member))
        Set.members[Member] = *Value;
    }
  Set.memberPath = [&](unsigned P, uint64_t Offset) { return TheSources.memberPath(D, P, Offset); };
  Set.textOf = [&](const Instruction &I) { return describe(I, false).expression; };
  Set.userInstruction = [&](const Instruction &I, ArrayRef<const CallBase *> Path) {
    return userInstruction(I, Path);
  };
  Set.typeAlignment = [&](const Instruction &I) {
    unsigned Read = describe(I, false).typeAlignment, Write = describe(I, true).typeAlignment;
    return Read ? Read : Write;
  };

  Records.fieldOf = [&](const Site &S) -> VectorField {
    bool Written = S.first.operation == Operation::Store;
    const auto &Field = describe(*userInstruction(*S.key.instruction, S.path), Written).field;
    constexpr unsigned Widest = 16; // bytes of one access
    if (!Field || Field->structSize != Field->structAlignment || Field->structSize > Widest ||
        Field->fieldSize != S.first.width || Field->fieldOffset + Field->fieldSize > Field->structSize)
      return {};
    return {Field->structSize, Field->fieldOffset, Field->fieldSize};
  };

  const LocalArrays &Arrays = localArrays(F);
  Set.localArrays = &Arrays;

  // All blocks and warps, as boxes.
  const uint64_t Threads = uint64_t(C.block[0]) * C.block[1] * C.block[2];
  Box Blocks{};
  for (unsigned Axis = 0; Axis < 3; ++Axis) {
    // Of an unknown grid every block index is possible for which thread ids fit 31 bits.
    int64_t Most = Axis == 0 ? int64_t((uint64_t(1) << 31) / Threads) : 65535;
    Blocks[BlockX + Axis] = {0, C.grid ? int64_t((*C.grid)[Axis]) - 1 : Most - 1};
  }
  std::vector<WarpShape> Shapes = warpShapes(C.block);
  struct Piece {
    size_t shape;
    Box box;
  };
  std::deque<Piece> Work;
  auto WholeBox = [&](size_t Shape) {
    Box B = Blocks;
    for (Dimension Dim : {WarpX, WarpY, WarpZ})
      B[Dim] = Shapes[Shape].warps[Dim];
    return B;
  };
  for (size_t S = 0; S < Shapes.size(); ++S)
    Work.push_back({S, WholeBox(S)});

  Machine M(TheProgram, W, Records, F.getParent()->getDataLayout(), Set, Limits);
  unsigned Attempt = 0; // 0: the ordinary runs
  if (!C.grid) {
    // Within what the samples of unknown sizes reach: a guard by a size turns no such block away.
    constexpr int64_t LeastSample = 20480;
    Records.likelyBlocks.emplace();
    for (unsigned Axis = 0; Axis < 3; ++Axis)
      (*Records.likelyBlocks)[Axis] = std::max<int64_t>(LeastSample / C.block[Axis], 1);
  }
  M.work.lineOf = [&](const LoopRecord &L) {
    const DILocation *Location = L.header->getDebugLoc().get();
    return Location ? lineText(TheSources.place(Location)) : std::string("a line that is not known");
  };
  auto RunBox = [&](const Piece &P) {
    M.work.counts = Attempt == 0;
    W.box = P.box;
    for (unsigned Dim = 0; Dim < DimensionCount; ++Dim)
      W.sample[Dim] = P.box[Dim].low;
    M.run(F, Shapes[P.shape]);
    M.work.endRun();
    Records.endRun(Attempt);
    ++Stats.runs;
  };
  unsigned Runs = 0;
  auto NothingExact = [&] {
    return C.origin == BlockOrigin::Assumed ||
           all_of(Records.sites, [](auto &S) { return S->soft != 0 || !S->unknownReason.empty(); });
  };
  for (; !Work.empty() && Runs < MaxRuns && !M.outOfBudget; ++Runs) {
    if (Runs >= MaxAssumedRuns && NothingExact())
      break;
    // From both ends in turn, so that a cut leaves neither the first nor the last blocks out.
    Piece P = Runs % 3 == 2 ? Work.back() : Work.front();
    Runs % 3 == 2 ? Work.pop_back() : Work.pop_front();
    RunBox(P);
    for (Box &Rest : without(P.box, W.box))
      Work.push_back({P.shape, Rest});
  }
  bool Sampled = !Work.empty();
  if (!M.budgetReason.empty()) {
    K.partial = true;
    K.partialReason = M.budgetReason;
  }
  // Sides of conditions that sizes taken as large leave dark: one at a time, with those that lead there, as
  // if the condition held the other way; what is not reached like that, by following both sides of all of
  // them.
  auto RunForced = [&](unsigned Most) {
    ++Attempt;
    std::deque<Piece> Forced;
    for (size_t S = 0; S < Shapes.size(); ++S)
      Forced.push_back({S, WholeBox(S)});
    for (unsigned Run = 0; Run < Most && !Forced.empty() && !M.outOfBudget; ++Run) {
      Piece P = Forced.front();
      Forced.pop_front();
      RunBox(P);
      for (Box &Rest : without(P.box, W.box))
        Forced.push_back({P.shape, Rest});
    }
  };
  using Sides = llvm::DenseSet<Machine::Side>;
  std::deque<std::pair<Machine::Side, Sides>> Dark; // with the sides that lead there
  Sides Seen;
  auto NoteDark = [&](const Sides &Way) {
    std::vector<Machine::Side> New;
    for (const Machine::Side &Each : M.untaken)
      if (!M.taken.contains(Each) && Seen.insert(Each).second)
        New.push_back(Each);
    sort(New, [&](const Machine::Side &A, const Machine::Side &B) { return inOrder(A, B); });
    for (const Machine::Side &Each : New)
      Dark.emplace_back(Each, Way);
  };
  NoteDark({});
  M.onlyForced = true;
  const uint64_t OrdinarySteps = M.steps;
  while (!Dark.empty() && Attempt < MaxAttempts && !M.outOfBudget &&
         M.steps - OrdinarySteps < (Limits.steps - OrdinarySteps) / 2) {
    auto [Each, Way] = Dark.front();
    Dark.pop_front();
    if (!hidesAccesses(*Each.first, M))
      continue;
    Way.insert(Each);
    M.forced = Way;
    RunForced(MaxAttemptRuns);
    NoteDark(Way);
  }
  M.onlyForced = false;
  M.forced.clear();
  for (unsigned Round = 0; Round < 4 && !M.outOfBudget; ++Round) {
    for (auto &Side : M.untaken)
      if (!M.taken.contains(Side) && hidesAccesses(*Side.first, M))
        M.forced.insert(Side);
    if (M.forced.empty())
      break;
    size_t Before = M.executed.size();
    RunForced(MaxForcedRuns);
    if (M.executed.size() == Before)
      break;
  }
  Spent = M.steps > Limits.steps;
  Stats.steps += M.steps;
  Stats.wordDisagreements += M.wordDisagreements;

  for (LoopRecord &L : Records.loops) {
    result::Loop Loop;
    if (const DILocation *Location = L.header->getDebugLoc().get())
      Loop.place = TheSources.place(Location);
    Loop.parent = L.parent;
    if (!L.tripCountDiffers)
      Loop.tripCount = L.tripCount;
    K.loops.push_back(Loop);
  }

  std::map<std::string, size_t> Merged;
  const bool OfLibrary = isOfLibrary(D);
  for (auto &SitePtr : Records.sites) {
    Site &S = *SitePtr;
    result::Access A;
    bool Written = S.key.component >= WrittenSide || S.first.operation == Operation::Store;
    const Instruction *User = userInstruction(*S.key.instruction, S.path);
    if (OfLibrary && TheSources.inSystemHeader(User->getDebugLoc().get()))
      continue;
    if (isOfLibrarysOwn(S, *User, M))
      continue;
    SourceAccess Source = describe(*User, Written);
    A.place = Source.place;
    A.macros = Source.macros;
    A.expression = Source.expression;
    if (const Instruction *Call = userCall(*User, S.path))
      A.calledFrom = TheSources.place(Call->getDebugLoc().get());
    A.removed = S.joined || S.removed;
    A.unknownCall = S.unknownCall;
    if (!S.leadsJoin && !S.joined)
      A.field = Source.field;
    else if (S.words)
      S.words = Words.sub(S.words, Words.constant(S.field->offset));
    A.operation = S.first.operation;
    A.mechanism = S.first.mechanism;
    A.space = S.first.space;
    A.base = S.first.base.empty() ? Source.base : S.first.base;
    A.width = S.first.width;
    A.forced = S.attempt != 0;
    A.loop = S.loop;
    A.blockSize = unsigned(Threads);
    if (S.words)
      A.offset = Words.print(S.words);
    if (S.first.variable)
      A.tile = TheSources.tile(*S.first.variable);

    for (const std::string &Text : Given)
      A.assumptions.push_back(Text);
    bool Assumed = S.soft != 0;
    if (C.origin == BlockOrigin::Assumed) {
      A.assumptions.push_back("block " + shapeText(C.block) + " is " + C.note);
      Assumed = true;
    }
    if (Sampled) {
      A.assumptions.push_back(SampledText);
      Assumed = true;
    }
    if (K.partial) {
      A.assumptions.push_back("the kernel was analysed in part: " + K.partialReason);
      Assumed = true;
    }
    std::vector<std::pair<std::string, std::string>> Decided; // sizes with what is taken of them: said where nothing stronger is said of the size
    for (unsigned N : W.members(S.soft)) {
      const Assumption &As = W.assumptions()[N];
      if (!As.isSize()) {
        A.assumptions.push_back(As.text);
        continue;
      }
      std::string Size = forPeople(As.text);
      const Symbol *Sym = W.symbolOf(Words.atom(As.text, index::AtomSort::Uniform).key());
      constexpr int64_t LeastLarge = 1024; // flags and remainders are what their sample is
      const std::string Value =
          Sym && std::abs(Sym->sample) < LeastLarge ? Size + " is " + itostr(Sym->sample) : Size + " is large";
      if (As.kind == Assumption::Decision) {
        Decided.emplace_back(Size, Value);
        continue;
      }
      uint64_t Multiple = S.multiples.contains(N) ? S.multiples[N] : 1;
      if (Sym && S.patternSoft & W.bit(N))
        Multiple = std::max(Multiple, weakestMultiple(W, S, *Sym, Shapes[0]));
      std::string Text = Multiple > 1 ? Size + " is a multiple of " + utostr(Multiple) : Value;
      // Values of several loads of one place, say, are told apart by us alone.
      if (!is_contained(A.assumptions, Text))
        A.assumptions.push_back(std::move(Text));
    }

    for (auto &[Size, Text] : Decided)
      if (none_of(A.assumptions, [&, Start = Size + " is "](const std::string &Other) {
            return StringRef(Other).starts_with(Start);
          }))
        A.assumptions.push_back(std::move(Text));

    std::string Unknown = S.unknownReason;
    if (Unknown.empty() && A.space == Space::Shared && S.patternSoft)
      for (unsigned N : W.members(S.patternSoft))
        if (Unknown.empty() && (W.assumptions()[N].kind == Assumption::Symbol ||
                                W.assumptions()[N].kind == Assumption::Sentence))
          Unknown = W.assumptions()[N].kind == Assumption::Symbol
                        ? "the distance between lanes depends on " + forPeople(W.assumptions()[N].text) +
                              ", which is not known"
                        : W.assumptions()[N].text;
    if (Unknown.empty() && !S.haveWorst)
      Unknown = S.partedReason.empty() ? "never executed" : S.partedReason;
    if (S.first.array)
      A.privateArray = privateArray(S, Arrays);
    else if (Unknown.empty() && A.space == Space::Local)
      Unknown = "accesses to local memory are not costed";
    A.confidence = !Unknown.empty() ? Confidence::Unknown : Assumed ? Confidence::Assumed : Confidence::Exact;
    A.reason = Unknown;
    if (A.operation == Operation::Atomic && S.haveWorst)
      A.atomic = atomicInfo(S);
    if (!S.unknownReason.empty() && S.dataIndex)
      A.indexSource = indexSource(S, M);
    if (S.haveWorst) {
      A.activeLanes = unsigned(std::popcount(S.worstPattern.mask));
      A.maxActiveLanes = S.maxLanes;
      A.meanActiveLanes = S.weight > 0 ? S.weightedLanes / S.weight : 0;
    }
    if (A.loop >= 0 && S.executionsPerWarp && !S.executionsDiffer && !S.soft)
      A.iterations = S.executionsPerWarp;
    if (A.confidence != Confidence::Unknown) {
      A.worst = S.worst;
      auto Mean = [&](double Sum) { return S.weight > 0 ? Sum / S.weight : 0; };
      const result::Cost &Sum = S.sum;
      A.mean = {Mean(Sum.lines),           Mean(Sum.sectors),          Mean(Sum.idealSectors),
                Mean(Sum.efficiency),      Mean(Sum.sectorEfficiency), Mean(Sum.wavefronts),
                Mean(Sum.idealWavefronts), Mean(Sum.conflictWays),     Mean(Sum.distinctAddresses)};
      if (A.confidence == Confidence::Exact && C.grid && !A.removed) // what moves it has the totals
        A.total = totalOf(S.weight, Sum);
      const Pattern &P = S.worstPattern;
      A.activeMask = P.mask;
      forLanes(P.mask, [&](unsigned L) { A.laneOffsets[L] = P.lanes[L] + P.origin + S.worstResidue; });
      A.laneStride = commonStride(P.lanes, P.mask);
      // Packed types are read in pieces; sizes taken as multiples of 4096 prove nothing about alignment.
      bool Packed = Source.typeAlignment && Source.typeAlignment < A.width;
      bool Sizes = any_of(W.members(S.patternSoft),
                          [&](unsigned N) { return W.assumptions()[N].kind == Assumption::Symbol; });
      if (!Packed && !Sizes && S.multiples.empty())
        A.faultOffset = S.misaligned;
      if (S.variesOverIterations)
        A.worstIteration = P.iteration;
      if (A.space == Space::Global) {
        std::array<int64_t, 32> Aligned = P.lanes;
        int64_t Least = std::numeric_limits<int64_t>::max();
        forLanes(P.mask, [&](unsigned L) { Least = std::min(Least, P.lanes[L]); });
        forLanes(P.mask, [&](unsigned L) { Aligned[L] -= Least; });
        result::Cost Best = costOf(A.space, true, A.width, Aligned, P.mask, 0);
        A.alignedSectors = Best.sectors;
        A.alignedLines = Best.lines;
      }
      if (Sizes)
        A.laneStride.reset(); // in part the distance of sample sizes
      if (S.words && C.block[0] > 1) {
        index::Expr X = Words.atom("threadIdx.x", index::AtomSort::LaneVarying);
        if (auto Coefficient = Words.coefficient(S.words, X)) {
          A.laneStrideText = scaledText(Words, *Coefficient, A.width);
          // A loop variable that is followed step by step is no unknown.
          A.strideIsSymbolic =
              any_of(Words.atoms(*Coefficient), [&](index::Expr Atom) { return W.symbolOf(Atom.key()); });
          if (A.strideIsSymbolic)
            A.laneStride.reset(); // the sample's number says nothing
          int64_t Elements =
              A.width && Coefficient->constant() ? std::abs(*Coefficient->constant()) / A.width : 0;
          A.laneIsSlowIndex = !Coefficient->constant() || Elements >= 32;
          if (A.tile && A.tile->extents.size() >= 2 && Coefficient->constant()) {
            int64_t Row = int64_t(A.tile->extents.back() * A.tile->elementSize);
            A.laneSelectsRow = Row > 0 && *Coefficient->constant() && *Coefficient->constant() % Row == 0;
          }
        }
      }
      if (A.laneStrideText.empty() && A.laneStride && A.width && *A.laneStride % int64_t(A.width) == 0)
        A.laneStrideText = itostr(*A.laneStride / int64_t(A.width));
    }
    // One helper called at several places with the same outcome is one access.
    std::string Key = A.place.file + ":" + utostr(A.place.line) + ":" + utostr(A.place.column) +
                      A.expression + "|" + A.base + "|" + A.offset + "|" + utostr(A.width) +
                      spelling(A.operation) + spelling(A.confidence) +
                      utostr(uint64_t(A.worst.lines * 1e6 + A.worst.sectors * 1e3 + A.worst.conflictWays)) +
                      utostr(A.activeMask);
    auto [It, New] = Merged.try_emplace(Key, K.accesses.size());
    if (!New) {
      result::Access &Other = K.accesses[It->second];
      if (Other.total && A.total) {
        Other.total->requests += A.total->requests;
        Other.total->sectors += A.total->sectors;
        Other.total->idealSectors += A.total->idealSectors;
        Other.total->wavefronts += A.total->wavefronts;
      }
      Other.iterations.reset();
      continue;
    }

    if (A.confidence != Confidence::Unknown && A.space == Space::Global)
      A.companions = S.companions ? S.companions : S.reuse;
    K.accesses.push_back(std::move(A));
  }

  // Nothing assumed, nothing left out: what was not reached is never executed.
  const bool EverythingKnown = C.grid && C.origin != BlockOrigin::Assumed && !Sampled && !K.partial &&
                               M.untaken.empty() && W.assumptions().empty();
  // Accesses that no run reached: they are there, and say why nothing is known of them.
  SmallPtrSet<const Instruction *, 32> Recorded;
  for (const auto &S : Records.sites)
    Recorded.insert(S->key.instruction);
  const DenseSet<const Argument *> Memory = memoryArguments(M);
  SmallPtrSet<const Function *, 8> Listed;
  std::function<void(const Function &, bool)> ListUnreached = [&](const Function &Fn, bool Entered) {
    if (!Listed.insert(&Fn).second)
      return;
    for (const BasicBlock &B : Fn) {
      const bool Finished = Entered && M.executed.contains(&B) && !M.unfinished.contains(&B);
      for (const Instruction &I : B) {
        if (auto *Call = dyn_cast<CallBase>(&I)) {
          auto *Callee = dyn_cast<Function>(Call->getCalledOperand()->stripPointerCasts());
          if (Callee && !Callee->isDeclaration() && !M.entered.contains(Callee))
            ListUnreached(*Callee, false);
        }
        if (Finished || Recorded.contains(&I) || !I.getDebugLoc() ||
            TheSources.inSystemHeader(I.getDebugLoc().get()))
          continue;
        for (const StaticAccess &Each : staticAccesses(I)) {
          const Value *Object = Each.pointer ? getUnderlyingObject(Each.pointer) : nullptr;
          const auto *Passed = dyn_cast_or_null<Argument>(Object);
          if ((Object && isa<AllocaInst>(Object)) ||
              (Passed && (Passed->hasByValAttr() || Passed->hasStructRetAttr() || !Memory.contains(Passed))))
            continue; // no memory of the kernel's
          result::Access A;
          A.operation = Each.operation;
          A.mechanism = Each.mechanism;
          A.width = Each.width;
          A.space = Each.space;
          SourceAccess Source = describe(I, A.operation == Operation::Store);
          A.place = Source.place;
          A.macros = Source.macros;
          A.expression = Source.expression;
          A.base = Source.base;
          if (auto *G = dyn_cast_or_null<GlobalVariable>(Object))
            A.space = G->getAddressSpace() == 3   ? Space::Shared
                      : G->getAddressSpace() == 4 ? Space::Constant
                                                  : Space::Global;
          A.confidence = Confidence::Unknown;
          A.reason = !M.budgetReason.empty() ? "not analysed: budget, " + M.budgetReason
                     : EverythingKnown
                         ? "never executed: with this launch a condition around it does not hold"
                         : "not reached by the runs that were made";
          A.blockSize = unsigned(Threads);
          K.accesses.push_back(std::move(A));
        }
      }
    }
  };
  std::vector<const Function *> Entered(M.entered.begin(), M.entered.end());
  sort(Entered, [](const Function *A, const Function *B) { return A->getName() < B->getName(); });
  for (const Function *Fn : Entered)
    ListUnreached(*Fn, true);

  const SharedNeeds Shared = sharedNeeds(M.entered, F.getDataLayout());
  K.staticShared = Shared.bytes;
  K.usesDynamicShared = Shared.dynamic;
  noteLaunchBounds(F, K);
  fillWholeKernel(K, M, W, Records, [&](const Site &S) -> std::optional<SiteWords> {
    const SourceAccess &Source =
        describe(*userInstruction(*S.key.instruction, S.path), S.first.operation == Operation::Store);
    if (!Source.place.valid())
      return std::nullopt;
    return SiteWords{Source.expression, Source.place, lineText(Source.place)};
  });
  if (Sampled)
    K.work.assumptions.push_back(SampledText);

  stable_sort(K.accesses, [](const result::Access &A, const result::Access &B) {
    return std::tie(A.place.file, A.place.line, A.place.column) <
           std::tie(B.place.file, B.place.line, B.place.column);
  });
  return K;
}

std::vector<result::Kernel> kernel::analyze(frontend::Unit &U, const AnalysisOptions &Options,
                                            Statistics *Stats, std::vector<WantedFunction> *Wanted) {
  Statistics Local;
  return UnitAnalysis(U, Options, Stats ? *Stats : Local, Wanted).run();
}

std::string kernel::signatureOf(const clang::FunctionDecl &D) {
  std::string Text;
  raw_string_ostream OS(Text);
  clang::PrintingPolicy Policy(D.getASTContext().getLangOpts());
  Policy.SuppressTagKeyword = true;
  D.getNameForDiagnostic(OS, Policy, /*Qualified=*/true);
  OS << '(';
  ListSeparator LS;
  for (const clang::ParmVarDecl *P : D.parameters()) {
    OS << LS;
    P->getType().print(OS, Policy);
  }
  OS << ')';
  return Text;
}
