#include "analyzer/kernel/Launches.h"
#include "analyzer/kernel/ConstantFolding.h"
#include "analyzer/kernel/SourceText.h"
#include "analyzer/kernel/UserCode.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include <functional>

using namespace clang;

namespace warplint::kernel {

namespace {

constexpr unsigned MaxBlockThreads = 1024;

class LaunchFinder {
public:
  LaunchFinder(ASTContext &Context, std::function<bool(SourceLocation)> IsList)
      : Context(Context), Fold(Context), IsList(std::move(IsList)) {}

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
    if (Call->isTypeDependent() || !Config || Config->getNumArgs() < 2)
      return;
    const FunctionDecl *Kernel = Call->getDirectCallee();
    if (!Kernel)
      Kernel = Fold.function(Call->getCallee());
    SmallVector<const Expr *, 8> Arguments(Call->arg_begin(), Call->arg_end());
    SmallVector<const FunctionDecl *, 4> Kernels;
    if (Kernel)
      Kernels.push_back(Kernel);
    else
      assigned(Call->getCallee(), Kernels);
    for (const FunctionDecl *K : Kernels)
      add(Call, K, Config->getArg(0), Config->getArg(1),
          Config->getNumArgs() > 2 ? Config->getArg(2) : nullptr, Arguments);
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

  /// cudaLaunchKernel(function, grid, block, args, shared, stream), and its cooperative twin.
  void runtimeCall(const CallExpr *Call) {
    const FunctionDecl *Callee = Call->getDirectCallee();
    if (!Callee || !Callee->getIdentifier() || Call->getNumArgs() < 5)
      return;
    if (Callee->getName() != "cudaLaunchKernel" && Callee->getName() != "cudaLaunchCooperativeKernel")
      return;
    const FunctionDecl *Kernel = Fold.function(Call->getArg(0));
    SmallVector<const Expr *, 8> Arguments;
    for (unsigned N = 0; Kernel && N != Kernel->getNumParams(); ++N)
      Arguments.push_back(Fold.pointee(Call->getArg(3), N));
    add(Call, Kernel, Call->getArg(1), Call->getArg(2), Call->getArg(4), Arguments);
  }

  void add(const CallExpr *Call, const FunctionDecl *Kernel, const Expr *Grid, const Expr *Block,
           const Expr *Shared, ArrayRef<const Expr *> Arguments) {
    if (!Kernel || !Kernel->hasAttr<CUDAGlobalAttr>())
      return;
    Launch L;
    L.kernel = Kernel->getDefinition() ? Kernel->getDefinition() : Kernel;
    const SourceText Text(Context);
    L.place = Text.expansionPlace(Call->getSourceRange());
    if (const auto Shape = shape(Grid))
      L.grid = {(*Shape)[0], (*Shape)[1], (*Shape)[2]};
    if (const auto Shape = shape(Block); Shape && (*Shape)[0] * (*Shape)[1] * (*Shape)[2] <= MaxBlockThreads)
      L.block = {unsigned((*Shape)[0]), unsigned((*Shape)[1]), unsigned((*Shape)[2])};
    if (!Shared)
      L.dynamicShared = 0;
    else if (const auto Bytes = Fold.integer(Shared))
      L.dynamicShared = Bytes->getZExtValue();
    for (unsigned N = 0; N != Kernel->getNumParams(); ++N) {
      const Expr *Argument = N < Arguments.size() ? Arguments[N] : nullptr;
      L.arguments.push_back(argument(Argument, Kernel->getParamDecl(N)->getType()));
    }
    Found.emplace_back(Context.getSourceManager().getExpansionLoc(Call->getBeginLoc()), std::move(L));
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

  /// No extent of a launch that runs is zero.
  std::optional<std::array<uint64_t, 3>> shape(const Expr *Dimensions) {
    std::array<uint64_t, 3> Extents{1, 1, 1};
    if (const auto List = listed(Dimensions); List.size() > 1) {
      for (size_t D = 0; D != List.size(); ++D) {
        const auto Extent = D < 3 ? Fold.integer(List[D]) : std::nullopt;
        if (!Extent || Extent->isZero() || Extent->getActiveBits() > 31)
          return std::nullopt;
        Extents[D] = Extent->getZExtValue();
      }
      return Extents;
    }
    constexpr const char *Names[] = {"x", "y", "z"};
    for (unsigned D = 0; D != 3; ++D) {
      const auto Extent = Fold.member(Dimensions, Names[D]);
      if (!Extent || Extent->isZero() || Extent->getActiveBits() > 31)
        return std::nullopt;
      Extents[D] = Extent->getZExtValue();
    }
    return Extents;
  }

  ASTContext &Context;
  ConstantFolder Fold;
  std::function<bool(SourceLocation)> IsList;
  std::vector<std::pair<SourceLocation, Launch>> Found;
};

} // namespace

std::vector<Launch> findLaunches(ASTContext &Context, std::function<bool(SourceLocation)> IsList) {
  return LaunchFinder(Context, std::move(IsList)).run();
}

} // namespace warplint::kernel
