#include "analyzer/kernel/Launches.h"
#include "analyzer/kernel/ConstantFolding.h"
#include "analyzer/kernel/SourceText.h"
#include "analyzer/kernel/UserCode.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Mangle.h"
#include "clang/Basic/SourceManager.h"
#include <functional>
#include <set>
#include <tuple>

using namespace clang;

namespace warplint::kernel {

namespace {

constexpr unsigned MaxBlockThreads = 1024;
constexpr unsigned MaxForks = 6;         ///< one after the other, of one launch
constexpr unsigned MaxEvaluations = 256; ///< ways of one launch that are tried
constexpr unsigned MaxVariants = 16;     ///< of one launch that are told apart

using Extents = std::array<uint64_t, 3>;

/// Can a launch with such a block run?
bool canRun(const Extents &Block) {
  uint64_t Threads = 1;
  for (const uint64_t Extent : Block)
    Threads *= std::min<uint64_t>(Extent, MaxBlockThreads + 1);
  return Threads != 0 && Threads <= MaxBlockThreads;
}

/// An expression of type dim3, or the member of a record (a launch configuration) that is one.
struct Dimensions {
  const Expr *record = nullptr;
  StringRef member;
};

/// A place in the source that launches.
struct Site {
  const CallExpr *call = nullptr;
  const FunctionDecl *kernel = nullptr; ///< when the call names it; else `callee` says
  const Expr *callee = nullptr;
  Dimensions grid, block, shared; ///< no record of `shared`: 0 bytes
  SmallVector<const Expr *, 8> arguments;
  const Expr *argumentArray = nullptr; ///< instead: an array of pointers to them
};

/// One way that a site launches.
struct Variant {
  Scenario ways;
  result::Place caller;
  const FunctionDecl *kernel = nullptr;
  std::optional<Extents> block;
  std::string reason;
  bool fails = false; ///< the block is known, and cannot run

  bool known() const { return kernel && block; }
};

class LaunchFinder {
public:
  LaunchFinder(ASTContext &Context, std::function<bool(SourceLocation)> IsList,
               ArrayRef<OutsideUse> Outside = {}, std::vector<WantedFunction> *Wanted = nullptr)
      : Context(Context), Fold(Context, Outside), IsList(std::move(IsList)), Wanted(Wanted) {}

  std::vector<Launch> run() {
    walkUserCode(Context,
                 {[&](const FunctionDecl &Function) { scan(Function.getBody()); }, [](const VarDecl &) {}});
    const SourceManager &SM = Context.getSourceManager();
    llvm::stable_sort(Found, [&](const auto &A, const auto &B) {
      return A.first != B.first && SM.isBeforeInTranslationUnit(A.first, B.first);
    });
    std::vector<Launch> Launches;
    for (auto &[Location, L] : Found)
      Launches.push_back(std::move(L));
    return Launches;
  }

private:
  void scan(const Stmt *S) {
    if (const auto *Call = dyn_cast<CUDAKernelCallExpr>(S))
      chevrons(Call);
    else if (const auto *Plain = dyn_cast<CallExpr>(S))
      runtimeCall(Plain);
    forEachChild(S, [&](const Stmt *Child) { scan(Child); });
  }

  void chevrons(const CUDAKernelCallExpr *Call) {
    const CallExpr *Config = Call->getConfig();
    if (Call->isTypeDependent() || !Config || !Config->getNumArgs())
      return;
    Site At;
    At.call = Call;
    At.kernel = Call->getDirectCallee();
    At.callee = Call->getCallee();
    // Where the code may run on the device (also in lambdas), two pointers come first.
    const unsigned First = Config->getArg(0)->getType()->isPointerType() ? 2 : 0;
    if (Config->getNumArgs() < First + 2)
      return;
    At.grid.record = Config->getArg(First);
    At.block.record = Config->getArg(First + 1);
    if (Config->getNumArgs() > First + 2)
      At.shared.record = Config->getArg(First + 2);
    At.arguments.assign(Call->arg_begin(), Call->arg_end());
    add(At);
  }

  /// The kernels that a local function pointer is given anywhere in its function: each is launched this way
  /// at some time.
  void assigned(const Expr *Callee, SmallVectorImpl<const FunctionDecl *> &Kernels) {
    const auto *Reference = dyn_cast<DeclRefExpr>(Callee->IgnoreParenImpCasts());
    if (const auto *Dereference = dyn_cast<UnaryOperator>(Callee->IgnoreParenImpCasts()))
      Reference = dyn_cast<DeclRefExpr>(Dereference->getSubExpr()->IgnoreParenImpCasts());
    const auto *Pointer = Reference ? dyn_cast<VarDecl>(Reference->getDecl()) : nullptr;
    const auto *Function = Pointer ? dyn_cast<FunctionDecl>(Pointer->getDeclContext()) : nullptr;
    if (!Function || !Function->hasBody())
      return;
    auto Add = [&](const Expr *Value) {
      const FunctionDecl *Kernel = Value ? Fold.function(Value) : nullptr;
      if (Kernel && !llvm::is_contained(Kernels, Kernel))
        Kernels.push_back(Kernel);
    };
    Add(Pointer->getInit());
    std::function<void(const Stmt *)> Walk = [&](const Stmt *S) {
      if (const auto *Assign = dyn_cast<BinaryOperator>(S); Assign && Assign->getOpcode() == BO_Assign)
        if (const auto *Target = dyn_cast<DeclRefExpr>(Assign->getLHS()->IgnoreParens());
            Target && Target->getDecl() == Pointer)
          Add(Assign->getRHS());
      forEachChild(S, Walk);
    };
    Walk(Function->getBody());
  }

  /// cudaLaunchKernel(function, grid, block, args, shared, stream) and its cooperative twin;
  /// cudaLaunchKernelEx(&config, function, arguments...) and cudaLaunchKernelExC(&config, function, args).
  void runtimeCall(const CallExpr *Call) {
    const FunctionDecl *Callee = Call->getDirectCallee();
    if (!Callee || !Callee->getIdentifier() || Call->isTypeDependent())
      return;
    const StringRef Name = Callee->getName();
    Site At;
    At.call = Call;
    if (Name == "cudaLaunchKernel" || Name == "cudaLaunchCooperativeKernel") {
      if (Call->getNumArgs() < 5)
        return;
      At.callee = Call->getArg(0);
      At.grid.record = Call->getArg(1);
      At.block.record = Call->getArg(2);
      At.argumentArray = Call->getArg(3);
      At.shared.record = Call->getArg(4);
    } else if (Name == "cudaLaunchKernelEx" || Name == "cudaLaunchKernelExC") {
      if (Call->getNumArgs() < 2)
        return;
      const auto *Address = dyn_cast<UnaryOperator>(Call->getArg(0)->IgnoreParenCasts());
      const Expr *Config = Address && Address->getOpcode() == UO_AddrOf ? Address->getSubExpr() : nullptr;
      At.callee = Call->getArg(1);
      At.grid = {Config, "gridDim"};
      At.block = {Config, "blockDim"};
      At.shared = {Config ? Config : Call->getArg(0), "dynamicSmemBytes"};
      if (Name == "cudaLaunchKernelEx")
        At.arguments.assign(Call->arg_begin() + 2, Call->arg_end());
      else if (Call->getNumArgs() > 2)
        At.argumentArray = Call->getArg(2);
    } else {
      return;
    }
    add(At);
  }

  void add(const Site &At) {
    Evaluations = 0;
    Emitted.clear();
    for (const Variant &V : variants(At, Variant())) {
      if (V.kernel) {
        emit(At, V, V.kernel);
        continue;
      }
      SmallVector<const FunctionDecl *, 4> Kernels;
      Fold.assume(V.ways);
      assigned(At.callee, Kernels);
      for (const FunctionDecl *Kernel : Kernels)
        emit(At, V, Kernel);
    }
  }

  Variant evaluate(const Site &At, Variant V) {
    ++Evaluations;
    Fold.assume(V.ways);
    V.kernel = At.kernel ? At.kernel : Fold.function(At.callee);
    V.block = extents(At.block);
    V.reason = V.block ? "" : Fold.obstacle();
    if (V.block && !canRun(*V.block)) {
      V.block.reset();
      V.reason = "no block can have that size";
      V.fails = true;
    }
    if (Wanted && !V.known())
      for (const FunctionDecl *Function : Fold.uncalled())
        if (auto Each = wanted(*Function);
            Each && llvm::none_of(*Wanted, [&](const WantedFunction &W) { return W.symbol == Each->symbol; }))
          Wanted->push_back(std::move(*Each));
    return V;
  }

  /// All ways in which a site launches that are known to differ. Each call of a function around it is one for
  /// itself; the sides of a condition are told apart only when all are known and nothing else forks: two
  /// conditions may never hold together.
  std::vector<Variant> variants(const Site &At, const Variant &Start) {
    Variant V = evaluate(At, Start);
    if (V.known() || V.fails || V.ways.size() == MaxForks)
      return {V};
    const SmallVector<Fork, 2> Forks(Fold.forks());
    const auto *Called = llvm::find_if(Forks, [](const Fork &F) { return F.called != nullptr; });
    if (Called == Forks.end() && Forks.size() != 1) {
      if (Forks.size() > 1 && V.reason.empty())
        V.reason = "it depends on several conditions";
      return {V};
    }
    const Fork &Point = Called == Forks.end() ? Forks.front() : *Called;
    std::vector<Variant> Result;
    for (unsigned Way = 0; Way != Point.ways && Evaluations < MaxEvaluations; ++Way) {
      Variant Next = Start;
      Next.ways.emplace_back(Point.at, Way);
      if (Point.called)
        Next.caller = callPlace(Point.called, Way);
      for (Variant &Each : variants(At, Next))
        if (!Each.fails || Point.called)
          Result.push_back(std::move(Each));
    }
    const auto Known = [](const Variant &Each) { return Each.known(); };
    if (!Point.called && (Evaluations >= MaxEvaluations || Result.empty() || !llvm::all_of(Result, Known))) {
      const auto Unknown = llvm::find_if_not(Result, Known);
      if (V.reason.empty() && Unknown != Result.end())
        V.reason = Unknown->reason;
      return {V};
    }
    return Result;
  }

  result::Place callPlace(const FunctionDecl *Function, unsigned Way) {
    const auto [Here, Outside] = Fold.callOf(Function, Way);
    return Outside ? Outside->place : SourceText(Context).expansionPlace(Here->getSourceRange());
  }

  void emit(const Site &At, const Variant &V, const FunctionDecl *Kernel) {
    if (!Kernel->hasAttr<CUDAGlobalAttr>() || Emitted.size() == MaxVariants)
      return;
    Fold.assume(V.ways);
    Launch L;
    L.kernel = Kernel->getDefinition() ? Kernel->getDefinition() : Kernel;
    if (V.block)
      L.block = {unsigned((*V.block)[0]), unsigned((*V.block)[1]), unsigned((*V.block)[2])};
    L.reason = V.reason;
    // No extent of a launch that runs is zero.
    if (const auto Grid = extents(At.grid); Grid && !llvm::is_contained(*Grid, uint64_t(0)))
      L.grid = Grid;
    L.dynamicShared = dynamicShared(At.shared);
    for (unsigned N = 0; N != Kernel->getNumParams(); ++N) {
      const Expr *Argument = At.argumentArray          ? Fold.pointee(At.argumentArray, N)
                             : N < At.arguments.size() ? At.arguments[N]
                                                       : nullptr;
      L.arguments.push_back(argument(Argument, Kernel->getParamDecl(N)->getType()));
    }
    if (!Emitted.emplace(L.kernel, L.block, L.grid, L.dynamicShared, L.arguments).second)
      return;
    if (!L.block) {
      L.extents = eachExtent(At.block);
      Fold.guess(true);
      if (const auto Likely = extents(At.block); Likely && canRun(*Likely))
        L.likelyBlock = {unsigned((*Likely)[0]), unsigned((*Likely)[1]), unsigned((*Likely)[2])};
      Fold.guess(false);
    }
    const SourceText Text(Context);
    L.place = Text.expansionPlace(At.call->getSourceRange());
    L.caller = V.caller;
    Found.emplace_back(Context.getSourceManager().getExpansionLoc(At.call->getBeginLoc()), std::move(L));
  }

  std::optional<uint64_t> dynamicShared(const Dimensions &Bytes) {
    if (!Bytes.record)
      return 0;
    const auto Value =
        Bytes.member.empty() ? Fold.integer(Bytes.record) : Fold.member(Bytes.record, {Bytes.member});
    return Value ? std::optional(Value->getZExtValue()) : std::nullopt;
  }

  std::optional<int64_t> argument(const Expr *Argument, QualType Parameter) {
    if (!Argument || !Parameter->isIntegralOrEnumerationType() ||
        !Argument->getType()->isIntegralOrEnumerationType())
      return std::nullopt;
    // Behind the runtime call's array, a variable of another width would be read as other bytes.
    if (Context.getTypeSize(Argument->getType()) != Context.getTypeSize(Parameter))
      return std::nullopt;
    const auto V = Fold.integer(Argument);
    if (!V || !V->isRepresentableByInt64())
      return std::nullopt;
    return V->getExtValue();
  }

  /// The extents of a braced list, `<<<{8, 8}, n>>>`, which the tree has as a comma expression in
  /// parentheses; nothing when it is something else.
  SmallVector<const Expr *, 3> listed(const Expr *Dimensions) const {
    const Expr *E = Dimensions->IgnoreImplicit();
    while (const auto *Built = dyn_cast<CXXConstructExpr>(E)) { // dim3's constructor around it
      if (!Built->getNumArgs())
        return {};
      E = Built->getArg(0)->IgnoreImplicit();
    }
    const auto *Parens = dyn_cast<ParenExpr>(E);
    if (!Parens || !IsList || !IsList(Parens->getLParen()))
      return {};
    SmallVector<const Expr *, 3> Extents;
    E = Parens->getSubExpr();
    for (const auto *Comma = dyn_cast<BinaryOperator>(E); Comma && Comma->getOpcode() == BO_Comma;
         Comma = dyn_cast<BinaryOperator>(E)) {
      Extents.push_back(Comma->getRHS());
      E = Comma->getLHS();
    }
    Extents.push_back(E);
    std::reverse(Extents.begin(), Extents.end());
    return Extents;
  }

  std::optional<Extents> extents(const Dimensions &Of) {
    const auto Each = eachExtent(Of);
    Extents Result;
    for (size_t D = 0; D != 3; ++D) {
      if (!Each[D])
        return std::nullopt;
      Result[D] = *Each[D];
    }
    return Result;
  }

  std::array<std::optional<unsigned>, 3> eachExtent(const Dimensions &Of) {
    std::array<std::optional<unsigned>, 3> Result;
    if (!Of.record)
      return Result;
    const auto List = listed(Of.record);
    if (List.size() > 3)
      return Result;
    // All of them are looked at, whether one fails or not: each may fork.
    for (size_t D = 0; D != 3; ++D) {
      if (List.size() > 1 && D >= List.size()) {
        Result[D] = 1;
        continue;
      }
      const auto Extent = List.size() > 1 ? Fold.integer(List[D]) : axis(Of, D);
      if (Extent && !Extent->isNegative() && Extent->getActiveBits() <= 31)
        Result[D] = unsigned(Extent->getZExtValue());
    }
    return Result;
  }

  std::optional<llvm::APSInt> axis(const Dimensions &Of, size_t D) {
    static constexpr const char *Names[] = {"x", "y", "z"};
    SmallVector<StringRef, 2> Path;
    if (!Of.member.empty())
      Path.push_back(Of.member);
    Path.push_back(Names[D]);
    return Fold.member(Of.record, Path);
  }

  ASTContext &Context;
  ConstantFolder Fold;
  std::function<bool(SourceLocation)> IsList;
  std::vector<WantedFunction> *Wanted = nullptr;
  std::vector<std::pair<SourceLocation, Launch>> Found;

  // Of the site at hand:
  unsigned Evaluations = 0;
  std::set<std::tuple<const FunctionDecl *, std::optional<std::array<unsigned, 3>>, std::optional<Extents>,
                      std::optional<uint64_t>, std::vector<std::optional<int64_t>>>>
      Emitted;
};

} // namespace

std::vector<Launch> findLaunches(ASTContext &Context, std::function<bool(SourceLocation)> IsList,
                                 ArrayRef<OutsideUse> Outside, std::vector<WantedFunction> *Wanted) {
  return LaunchFinder(Context, std::move(IsList), Outside, Wanted).run();
}

namespace {

/// Can a file call it that does not define it too?
bool isForOthers(const FunctionDecl &Function) {
  const TemplateSpecializationKind Kind = Function.getTemplateSpecializationKind();
  return Function.isExternallyVisible() && Function.getIdentifier() && !Function.isInlined() &&
         Kind != TSK_ImplicitInstantiation && Kind != TSK_ExplicitInstantiationDeclaration;
}

/// Collects what a unit says of functions that others define.
class UseFinder {
public:
  explicit UseFinder(ASTContext &Context) : Context(Context), Fold(Context), Names(Context) {}

  OutsideUses run(const std::vector<Launch> &Launches) {
    for (const Launch &L : Launches)
      if (isElsewhere(*L.kernel))
        add({Names.getName(L.kernel),
             L.place,
             /*launch=*/true,
             L.block,
             L.likelyBlock,
             L.grid,
             L.dynamicShared,
             L.arguments,
             L.reason,
             {},
             {}});
    walkUserCode(Context, {[&](const FunctionDecl &Function) {
                             if (isForOthers(Function))
                               Found.defined.push_back(Names.getName(&Function));
                             scan(Function.getBody());
                           },
                           [](const VarDecl &) {}});
    llvm::sort(Found.defined);
    return std::move(Found);
  }

private:
  bool isElsewhere(const FunctionDecl &Function) const {
    const SourceManager &SM = Context.getSourceManager();
    return !Function.getDefinition() && Function.isExternallyVisible() && Function.getIdentifier() &&
           !Function.getBuiltinID() && Function.getLocation().isValid() &&
           !SM.isInSystemHeader(SM.getExpansionLoc(Function.getLocation()));
  }

  void scan(const Stmt *S) {
    if (const auto *Call = dyn_cast<CallExpr>(S); Call && !isa<CXXOperatorCallExpr, CUDAKernelCallExpr>(S))
      if (const FunctionDecl *Callee = Call->getDirectCallee(); Callee && isElsewhere(*Callee))
        calls(*Call, *Callee, {});
    forEachChild(S, [&](const Stmt *Child) { scan(Child); });
  }

  /// The call as it stands and, where its arguments come from callers of the function around it, once for
  /// each of those.
  void calls(const CallExpr &Call, const FunctionDecl &Callee, const Scenario &Ways) {
    Fold.assume(Ways);
    OutsideUse Use;
    for (unsigned N = 0; N != std::min(Callee.getNumParams(), Call.getNumArgs()); ++N)
      evaluate(Call.getArg(N), N, Use);
    const SmallVector<Fork, 2> Forks(Fold.forks());
    const auto *Called = llvm::find_if(Forks, [](const Fork &F) { return F.called != nullptr; });
    if (Called != Forks.end() && Ways.size() < MaxCallers) {
      for (unsigned Way = 0; Way != std::min(Called->ways, MaxVariants); ++Way) {
        Scenario Next = Ways;
        Next.emplace_back(Called->at, Way);
        calls(Call, Callee, Next);
      }
      return;
    }
    if (Use.values.empty() && Use.likelyValues.empty())
      return;
    Use.symbol = Names.getName(&Callee);
    Use.place = SourceText(Context).expansionPlace(Call.getSourceRange());
    add(std::move(Use));
  }

  void evaluate(const Expr *Argument, unsigned Index, OutsideUse &Use) {
    const auto Take = [&](const std::string &Key, llvm::function_ref<std::optional<llvm::APSInt>()> Value) {
      if (const auto Certain = Value()) {
        if (Certain->isRepresentableByInt64())
          Use.values[Key] = Certain->getExtValue();
        return;
      }
      Fold.guess(true);
      if (const auto Likely = Value(); Likely && Likely->isRepresentableByInt64())
        Use.likelyValues[Key] = Likely->getExtValue();
      Fold.guess(false);
    };
    if (Argument->getType()->isIntegralOrEnumerationType())
      return Take(std::to_string(Index), [&] { return Fold.integer(Argument); });
    if (Argument->getType()->isRecordType())
      for (StringRef Axis : {"x", "y", "z"})
        Take((std::to_string(Index) + "." + Axis).str(), [&] { return Fold.member(Argument, {Axis}); });
  }

  void add(OutsideUse Use) {
    if (Found.uses.size() < MaxUses)
      Found.uses.push_back(std::move(Use));
  }

  static constexpr size_t MaxCallers = 3; ///< one above the other
  static constexpr size_t MaxUses = 4096;

  ASTContext &Context;
  ConstantFolder Fold;
  ASTNameGenerator Names;
  OutsideUses Found;
};

} // namespace

OutsideUses findOutsideUses(ASTContext &Context, std::function<bool(SourceLocation)> IsList) {
  const std::vector<Launch> Launches = findLaunches(Context, std::move(IsList));
  return UseFinder(Context).run(Launches);
}

std::optional<WantedFunction> wanted(const FunctionDecl &Function) {
  if (!isForOthers(Function))
    return std::nullopt;
  return WantedFunction{ASTNameGenerator(Function.getASTContext()).getName(&Function),
                        Function.getName().str(), Function.hasAttr<CUDAGlobalAttr>()};
}

} // namespace warplint::kernel
