#include "analyzer/kernel/ConstantFolding.h"
#include "analyzer/kernel/LastWrites.h"
#include "analyzer/kernel/UserCode.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Mangle.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSwitch.h"
#include <map>
#include <utility>
#include <vector>

using namespace clang;

namespace warplint::kernel {

namespace {

using Path = SmallVector<const FieldDecl *, 2>; // members from the outermost record inwards

/// One assignment to a variable, or to a member of it.
struct Write {
  Path path;
  const Expr *value; ///< null when it is more than a plain `=`
  const Stmt *at;
};

/// A variable handed to a function by reference.
struct Handed {
  const FunctionDecl *callee;
  unsigned index;
};

struct VariableFacts {
  bool escapes = false;
  std::string escapesTo; ///< the function that is given its address, when that is why
  SmallVector<Handed, 1> handed;
  SmallVector<Write, 1> writes;
};

/// std::forward and its like give what they are given.
bool isForwarding(const Stmt *S) {
  const auto *Call = dyn_cast<CallExpr>(S);
  const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
  return Callee && Callee->isInStdNamespace() && Callee->getIdentifier() && Call->getNumArgs() == 1 &&
         (Callee->getName() == "forward" || Callee->getName() == "move" || Callee->getName() == "as_const");
}

/// Who writes what in one body. A use that is not understood counts as an escape.
class BodyFacts {
public:
  void add(const Stmt *Root) {
    scan(Root, nullptr);
    // A second step, because some uses are judged by the other uses of the same body.
    for (const DeclRefExpr *Ref : std::exchange(references, {}))
      use(Ref, cast<VarDecl>(Ref->getDecl())->getCanonicalDecl());
  }

  /// A label makes textual order say nothing about the order of execution.
  bool hasLabels = false;
  const VariableFacts *variable(const VarDecl *V) const {
    auto It = variables.find(V->getCanonicalDecl());
    return It == variables.end() ? nullptr : &It->second;
  }

  /// Does every execution that reaches `Use` pass `At` first? True only for a statement of its own that
  /// stands in a block around the use, before it.
  bool dominates(const Stmt *At, const Stmt *Use) const {
    if (hasLabels)
      return false;
    const Stmt *Statement = At;
    const Stmt *Parent = parents.lookup(Statement);
    while (isa_and_nonnull<ExprWithCleanups, ParenExpr>(Parent)) {
      Statement = Parent;
      Parent = parents.lookup(Statement);
    }
    const auto *Block = dyn_cast_or_null<CompoundStmt>(Parent);
    if (!Block || isa_and_nonnull<SwitchStmt>(parents.lookup(Block)))
      return false;
    const Stmt *Inside = Use;
    while (Inside && parents.lookup(Inside) != Block)
      Inside = parents.lookup(Inside);
    if (!Inside)
      return false;
    for (const Stmt *S : Block->body()) {
      if (S == Inside)
        return false;
      if (S == Statement)
        return true;
    }
    return false;
  }

private:
  void scan(const Stmt *S, const Stmt *Parent) {
    if (Parent)
      parents[S] = Parent;
    hasLabels |= isa<LabelStmt, IndirectGotoStmt>(S);
    forEachChild(S, [&](const Stmt *Child) { scan(Child, S); });
    if (const auto *Ref = dyn_cast<DeclRefExpr>(S); Ref && isa<VarDecl>(Ref->getDecl()))
      references.push_back(Ref);
    if (const auto *Lambda = dyn_cast<LambdaExpr>(S)) {
      // The template's body is not walked, so that a by-reference capture may be written unseen.
      if (Lambda->isGenericLambda())
        for (const LambdaCapture &Capture : Lambda->captures())
          if (Capture.capturesVariable() && Capture.getCaptureKind() == LCK_ByRef)
            if (const auto *V = dyn_cast<VarDecl>(Capture.getCapturedVar()))
              variables[V->getCanonicalDecl()].escapes = true;
    }
  }

  void use(const DeclRefExpr *Ref, const VarDecl *V) {
    if (Ref->getType().isConstQualified())
      return; // nothing but a cast could write through it
    Path Members;
    const Expr *Place = Ref;
    const Stmt *User = parents.lookup(Place);
    for (;; Place = cast<Expr>(User), User = parents.lookup(Place)) {
      if (!User)
        return escape(V);
      if (isa<ParenExpr>(User))
        continue;
      if (isForwarding(User) && cast<CallExpr>(User)->getArg(0) == Place)
        continue;
      if (const auto *Member = dyn_cast<MemberExpr>(User); Member && !Member->isArrow()) {
        if (const auto *Field = dyn_cast<FieldDecl>(Member->getMemberDecl())) {
          Members.push_back(Field);
          continue;
        }
        const auto *Method = dyn_cast<CXXMethodDecl>(Member->getMemberDecl());
        if (Method && !Method->isStatic() && !Method->isConst())
          return escape(V);
        return;
      }
      if (const auto *Cast = dyn_cast<ImplicitCastExpr>(User)) {
        if (Cast->getCastKind() == CK_LValueToRValue || Cast->getCastKind() == CK_FunctionToPointerDecay)
          return;
        // Through a const lvalue, nothing but a cast could write.
        if (Cast->getCastKind() == CK_NoOp && Cast->getType().isConstQualified())
          return;
        if (Cast->getCastKind() == CK_NoOp)
          continue;
        if (Cast->getCastKind() == CK_ArrayToPointerDecay && readsElement(Cast))
          return;
        return escape(V);
      }
      break;
    }
    if (isa<UnaryExprOrTypeTraitExpr, CompoundStmt>(User))
      return;
    if (const auto *Cast = dyn_cast<ExplicitCastExpr>(User); Cast && Cast->getCastKind() == CK_ToVoid)
      return;
    if (const auto *Call = dyn_cast<CallExpr>(User); Call && !isa<CXXOperatorCallExpr>(Call))
      return handOver(V, Call, Place);
    if (const auto *Binary = dyn_cast<BinaryOperator>(User); Binary && Binary->isAssignmentOp()) {
      if (Binary->getLHS() != Place)
        return escape(V);
      return write(V, {Members, Binary->getOpcode() == BO_Assign ? Binary->getRHS() : nullptr, Binary});
    }
    if (const auto *Unary = dyn_cast<UnaryOperator>(User)) {
      if (Unary->isIncrementDecrementOp())
        return write(V, {Members, nullptr, Unary});
      if (Unary->getOpcode() == UO_AddrOf && onlyRead(Unary))
        return;
      escape(V);
      variables[V].escapesTo = takerOf(Unary);
      return;
    }
    if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(User);
        Operator && Operator->getOperator() == OO_Equal) {
      const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Operator->getDirectCallee());
      if (!Method || !(Method->isCopyAssignmentOperator() || Method->isMoveAssignmentOperator()) ||
          Method->isUserProvided())
        return escape(V);
      if (Operator->getArg(0) == Place)
        write(V, {Members, Operator->getArg(1), Operator});
      return; // the other side is read
    }
    if (const auto *Construct = dyn_cast<CXXConstructExpr>(User)) {
      const CXXConstructorDecl *Constructor = Construct->getConstructor();
      if (Constructor->isCopyOrMoveConstructor() && !Constructor->isUserProvided())
        return;
      return escape(V);
    }
    if (const auto *Lambda = dyn_cast<LambdaExpr>(User)) {
      unsigned Index = 0;
      for (const LambdaCapture &Capture : Lambda->captures()) {
        if (Lambda->capture_init_begin()[Index++] != Place)
          continue;
        // The uses inside an ordinary capture's lambda name the variable itself; an init-capture is an alias.
        if (!Capture.capturesVariable() || Capture.getCapturedVar()->isInitCapture())
          return escape(V);
        return;
      }
    }
    escape(V);
  }

  /// `a[i]` or a member of it, where it is read.
  bool readsElement(const Expr *Array) const {
    const auto *Element = dyn_cast_or_null<ArraySubscriptExpr>(parents.lookup(Array));
    if (!Element || Element->getBase() != Array)
      return false;
    const Stmt *Up = parents.lookup(Element);
    while (isa_and_nonnull<ParenExpr, MemberExpr>(Up))
      Up = parents.lookup(Up);
    const auto *Read = dyn_cast_or_null<ImplicitCastExpr>(Up);
    return Read && (Read->getCastKind() == CK_LValueToRValue ||
                    (Read->getCastKind() == CK_NoOp && Read->getType().isConstQualified()));
  }

  void handOver(const VarDecl *V, const CallExpr *Call, const Expr *Place) {
    const FunctionDecl *Callee = Call->getDirectCallee();
    for (unsigned N = 0; Callee && N != Call->getNumArgs(); ++N)
      if (Call->getArg(N) == Place)
        return variables[V].handed.push_back({Callee, N});
    escape(V);
  }

  /// The function that an address is an argument of, by name; "" when it is none.
  std::string takerOf(const Stmt *Address) const {
    const Stmt *Up = parents.lookup(Address);
    while (isa_and_nonnull<CastExpr, ParenExpr>(Up))
      Up = parents.lookup(Up);
    const auto *Call = dyn_cast_or_null<CallExpr>(Up);
    const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
    return Callee ? Callee->getNameAsString() : "";
  }

  /// Is an address taken only to be read through: handed on as a pointer to const, or as an entry of the
  /// argument array of a launch?
  bool onlyRead(const Expr *Address) const {
    const Stmt *S = Address;
    for (const Stmt *Up = parents.lookup(S); Up; S = Up, Up = parents.lookup(S)) {
      if (const auto *Cast = dyn_cast<CastExpr>(Up)) {
        if (Cast->getType()->isPointerType() && Cast->getType()->getPointeeType().isConstQualified())
          return isa_and_nonnull<CallExpr>(parents.lookup(Up));
        continue;
      }
      if (isa<ParenExpr>(Up))
        continue;
      if (isa<InitListExpr>(Up)) {
        const auto *Decls = dyn_cast_or_null<DeclStmt>(parents.lookup(Up));
        const auto *Array =
            Decls && Decls->isSingleDecl() ? dyn_cast<VarDecl>(Decls->getSingleDecl()) : nullptr;
        return Array && launchArguments(Array);
      }
      return false;
    }
    return false;
  }

  bool launchArguments(const VarDecl *Array) const {
    if (!Array->getType()->isArrayType())
      return false;
    QualType Element = Array->getType()->castAsArrayTypeUnsafe()->getElementType();
    if (!Element->isVoidPointerType())
      return false;
    for (const auto &[Child, Parent] : parents) {
      const auto *Ref = dyn_cast<DeclRefExpr>(Child);
      if (!Ref || Ref->getDecl() != Array)
        continue;
      const Stmt *Up = Parent;
      while (isa_and_nonnull<CastExpr, ParenExpr>(Up))
        Up = parents.lookup(Up);
      const auto *Call = dyn_cast_or_null<CallExpr>(Up);
      const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
      if (!Callee || !Callee->getIdentifier() || !Callee->getName().contains("Launch"))
        return false;
    }
    return true;
  }

  void escape(const VarDecl *V) { variables[V].escapes = true; }
  void write(const VarDecl *V, Write W) { variables[V].writes.push_back(std::move(W)); }

  std::vector<const DeclRefExpr *> references;
  llvm::DenseMap<const Stmt *, const Stmt *> parents;
  llvm::DenseMap<const VarDecl *, VariableFacts> variables;
};

/// The function being looked into, with what its parameters stand for.
struct Frame {
  const FunctionDecl *function;
  ArrayRef<const Expr *> arguments;
  const Frame *up;
};

/// Where a function is called.
struct CallSites {
  unsigned references = 0;
  SmallVector<const CallExpr *, 1> calls; ///< of the references, those that call it directly
};

using Value = std::optional<APValue>;

constexpr unsigned DepthLimit = 64, StepLimit = 4096;
constexpr unsigned HandingLimit = 8; ///< functions that one variable is handed through
constexpr unsigned CallerLimit = 64; ///< calls of one function that are told apart

} // namespace

struct ConstantFolder::Impl {
  Impl(ASTContext &Context, ArrayRef<OutsideUse> Outside) : Context(Context), Names(Context) {
    for (const OutsideUse &Use : Outside)
      if (!Use.launch)
        outsideCalls[Use.symbol].push_back(&Use);
  }

  ASTContext &Context;
  llvm::DenseMap<const Decl *, std::unique_ptr<BodyFacts>> bodies;
  std::unique_ptr<BodyFacts> wholeUnit;
  std::optional<llvm::DenseMap<const FunctionDecl *, CallSites>> sites;
  llvm::DenseMap<const FunctionDecl *, std::unique_ptr<LastWrites>> flows;
  /// What identifies a choice between sources in these blocks.
  std::map<std::vector<const CFGBlock *>, std::unique_ptr<char>> sourceForks;
  llvm::DenseMap<const void *, unsigned> chosen;
  SmallVector<Fork, 2> forks;
  std::string obstacle;
  ASTNameGenerator Names;
  std::map<std::string, SmallVector<const OutsideUse *, 1>> outsideCalls; ///< by symbol
  SmallVector<const FunctionDecl *, 1> uncalled;
  bool guessing = false;
  bool aliased = false; ///< places are read later than where they are named
  std::vector<std::unique_ptr<Frame>> frames;
  std::vector<std::unique_ptr<SmallVector<const Expr *, 4>>> argumentLists;
  unsigned depth = 0, steps = 0;

  /// Every query gets the same budget, so that its answer does not hang on the queries before.
  void begin() {
    depth = steps = 0;
    aliased = false;
    frames.clear();
    argumentLists.clear();
  }

  void meet(const void *At, size_t Ways, const FunctionDecl *Called) {
    if (llvm::none_of(forks, [&](const Fork &Known) { return Known.at == At; }))
      forks.push_back({At, unsigned(Ways), Called});
  }
  std::optional<unsigned> wayAt(const void *Fork) const {
    const auto It = chosen.find(Fork);
    return It == chosen.end() ? std::nullopt : std::optional(It->second);
  }
  /// Remembers why a value is not known; the reason met first is the one nearest to the question.
  void fail(const Twine &Why) {
    if (obstacle.empty())
      obstacle = Why.str();
  }
  static std::string quoted(const NamedDecl *Named) {
    if (Named->isImplicit() && isa<VarDecl>(Named)) // what stands for the iterator: for (int size : sizes)
      return "the place in a loop's range";
    return "'" + Named->getNameAsString() + "'";
  }

  struct Deeper {
    Impl &I;
    explicit Deeper(Impl &I) : I(I) { ++I.depth; }
    ~Deeper() { --I.depth; }
    bool tooFar() const { return I.depth > DepthLimit || ++I.steps > StepLimit; }
  };

  //===-- Facts -----------------------------------------------------------------------------------------===//

  static void addBody(BodyFacts &Facts, const FunctionDecl &Function) {
    if (const auto *Constructor = dyn_cast<CXXConstructorDecl>(&Function))
      for (const CXXCtorInitializer *Init : Constructor->inits())
        if (Init->getInit())
          Facts.add(Init->getInit());
    if (const Stmt *Body = Function.getBody())
      Facts.add(Body);
  }

  const BodyFacts &facts(const FunctionDecl *Function) {
    auto &Facts = bodies[Function->getCanonicalDecl()];
    if (!Facts) {
      Facts = std::make_unique<BodyFacts>();
      if (const FunctionDecl *Definition = Function->getDefinition())
        addBody(*Facts, *Definition);
    }
    return *Facts;
  }

  const BodyFacts &unitFacts() {
    if (!wholeUnit) {
      wholeUnit = std::make_unique<BodyFacts>();
      walkUserCode(Context, {[&](const FunctionDecl &Function) { addBody(*wholeUnit, Function); },
                             [&](const VarDecl &Variable) {
                               if (const Expr *Init = Variable.getInit(); Init && !Init->isValueDependent())
                                 wholeUnit->add(Init);
                             }});
    }
    return *wholeUnit;
  }

  const LastWrites &flow(const FunctionDecl *Function) {
    auto &Flow = flows[Function->getCanonicalDecl()];
    if (!Flow) {
      const FunctionDecl *Definition = Function->getDefinition();
      Flow = std::make_unique<LastWrites>(Definition ? *Definition : *Function, Context);
    }
    return *Flow;
  }

  const CallSites &callSites(const FunctionDecl *Function) {
    if (!sites) {
      sites.emplace();
      walkUserCode(Context, {[&](const FunctionDecl &Body) {
                               if (const auto *Constructor = dyn_cast<CXXConstructorDecl>(&Body))
                                 for (const CXXCtorInitializer *Init : Constructor->inits())
                                   if (Init->getInit())
                                     countReferences(Init->getInit(), nullptr);
                               countReferences(Body.getBody(), nullptr);
                             },
                             [&](const VarDecl &Variable) {
                               if (const Expr *Init = Variable.getInit(); Init && !Init->isValueDependent())
                                 countReferences(Init, nullptr);
                             }});
    }
    return (*sites)[Function->getCanonicalDecl()];
  }

  void countReferences(const Stmt *S, const CallExpr *CalleeOf) {
    const ValueDecl *Named = nullptr;
    if (const auto *Ref = dyn_cast<DeclRefExpr>(S))
      Named = Ref->getDecl();
    else if (const auto *Member = dyn_cast<MemberExpr>(S))
      Named = Member->getMemberDecl();
    if (const auto *Function = dyn_cast_or_null<FunctionDecl>(Named)) {
      CallSites &Sites = (*sites)[Function->getCanonicalDecl()];
      ++Sites.references;
      if (CalleeOf && Sites.calls.size() < CallerLimit)
        Sites.calls.push_back(CalleeOf);
    }
    if (const auto *Default = dyn_cast<CXXDefaultArgExpr>(S))
      return countReferences(Default->getExpr(), nullptr);
    if (const auto *Default = dyn_cast<CXXDefaultInitExpr>(S))
      return countReferences(Default->getExpr(), nullptr);
    const auto *Call = dyn_cast<CallExpr>(S);
    forEachChild(S, [&](const Stmt *Child) {
      const bool Callee = Call && Child == Call->getCallee();
      const bool Through = isa<ImplicitCastExpr, ParenExpr>(S);
      countReferences(Child, Callee ? Call : Through ? CalleeOf : nullptr);
    });
  }

  ArrayRef<const OutsideUse *> callsOutside(const FunctionDecl *Function) {
    if (outsideCalls.empty() || !Function->isExternallyVisible())
      return {};
    const auto It = outsideCalls.find(Names.getName(Function));
    return It == outsideCalls.end() ? ArrayRef<const OutsideUse *>() : It->second;
  }

  /// The argument for a parameter; an operator of a class has its object before its arguments.
  static const Expr *argumentOf(const CallExpr *Call, const FunctionDecl *Function, unsigned Index) {
    if (isa<CXXOperatorCallExpr>(Call) && isa<CXXMethodDecl>(Function))
      ++Index;
    return Index < Call->getNumArgs() ? Call->getArg(Index) : nullptr;
  }

  /// Can somebody write a variable where its writes do not show?
  bool escapes(const VariableFacts &Facts, unsigned Depth = 0) {
    return Facts.escapes ||
           llvm::any_of(Facts.handed, [&](const Handed &To) { return !onlyReads(To, Depth); });
  }

  bool onlyReads(const Handed &To, unsigned Depth) {
    // It hands on values, whatever the types of its parameters.
    if (To.callee->getIdentifier() && To.callee->getName().starts_with("cudaLaunchKernel"))
      return true;
    const FunctionDecl *Definition = To.callee->getDefinition();
    if (Depth > HandingLimit || !Definition || !Definition->hasBody() || Definition->hasSkippedBody() ||
        To.index >= Definition->getNumParams())
      return false;
    const VariableFacts *Facts = facts(Definition).variable(Definition->getParamDecl(To.index));
    return !Facts || (Facts->writes.empty() && !escapes(*Facts, Depth + 1));
  }

  //===-- Variables -------------------------------------------------------------------------------------===//

  /// An expression that has the value of a variable (or of the member `members` of what it has), and where to
  /// read it. Null expression: not certain.
  struct Origin {
    const Expr *value = nullptr;
    Path members;
    const Frame *frame = nullptr;
    bool alias = false;                  ///< see below
    const OutsideUse *outside = nullptr; ///< instead of the expression: an argument of a call in another file
    const ParmVarDecl *parameter = nullptr; ///< the one it is for
    bool known() const { return value || outside; }
    // An alias's expression was evaluated to a place, which is read only now.
  };

  static bool emptyConstruction(const Expr *Init) {
    const auto *Construct = dyn_cast<CXXConstructExpr>(Init->IgnoreImplicit());
    return Construct && llvm::all_of(Construct->arguments(),
                                     [](const Expr *Argument) { return isa<CXXDefaultArgExpr>(Argument); });
  }

  static bool isPrefix(const Path &Short, const Path &Long) {
    return Short.size() <= Long.size() && std::equal(Short.begin(), Short.end(), Long.begin());
  }

  /// What a parameter has when its function begins.
  Origin passed(const ParmVarDecl *Parameter, const FunctionDecl *Function, const Path &Members,
                const Frame *Where) {
    const unsigned Index = Parameter->getFunctionScopeIndex();
    for (const Frame *F = Where; F; F = F->up)
      if (F->function->getCanonicalDecl() == Function->getCanonicalDecl())
        return Index < F->arguments.size() ? Origin{F->arguments[Index], Members, F->up} : Origin{};
    const FunctionDecl *Key = Function->getCanonicalDecl();
    const CallSites &Sites = callSites(Key);
    std::optional<unsigned> Way = wayAt(Key);
    // Nobody else can call a function without a name outside this file.
    if (!Way && Sites.references == 1 && Sites.calls.size() == 1 &&
        Function->getFormalLinkage() == Linkage::Internal)
      Way = 0;
    const ArrayRef<const OutsideUse *> Outside = callsOutside(Key);
    if (Way && *Way >= Sites.calls.size())
      return {nullptr, Members, nullptr, false, Outside[*Way - Sites.calls.size()], Parameter};
    if (Way)
      return {argumentOf(Sites.calls[*Way], Function, Index), Members, nullptr};
    if (const size_t Ways = Sites.calls.size() + Outside.size()) {
      meet(Key, Ways, Key);
      return {};
    }
    if (Key->isExternallyVisible() && !llvm::is_contained(uncalled, Key))
      uncalled.push_back(Key);
    fail(quoted(Parameter) + " is a parameter of " + quoted(Function) + ", which nothing here calls");
    if (guessing && Parameter->hasDefaultArg() && !Parameter->hasUninstantiatedDefaultArg() &&
        !Parameter->hasUnparsedDefaultArg())
      return {Parameter->getDefaultArg(), Members, nullptr};
    return {};
  }

  Origin parameter(const ParmVarDecl *Parameter, const Path &Members, const Expr *Use, const Frame *Where) {
    const auto *Function = dyn_cast<FunctionDecl>(Parameter->getDeclContext());
    if (!Function)
      return {};
    const Origin Start{nullptr, Members, Where};
    const VariableFacts *Facts = facts(Function).variable(Parameter);
    if (!Facts)
      return passed(Parameter, Function, Members, Where);
    return written(Function, Parameter, *Facts, Use, Start,
                   [&] { return passed(Parameter, Function, Members, Where); });
  }

  /// What a variable has where it may have been written; `Start` says which members are asked for, `Initial`
  /// what it has before any write.
  Origin written(const FunctionDecl *Home, const VarDecl *V, const VariableFacts &Facts, const Expr *Use,
                 const Origin &Start, llvm::function_ref<Origin()> Initial) {
    if (escapes(Facts)) {
      fail(Facts.escapesTo.empty() ? quoted(V) + " can be changed through a reference or pointer"
                                   : quoted(V) + " is set by '" + Facts.escapesTo + "'");
      return guessing ? Initial() : Origin{};
    }
    SmallVector<const Write *, 2> Writes; // others are of other members
    for (const Write &W : Facts.writes)
      if (isPrefix(W.path, Start.members) || isPrefix(Start.members, W.path))
        Writes.push_back(&W);
    if (Writes.empty())
      return Initial();
    const auto Valued = [&](const Write &W) -> Origin {
      if (!W.value || !isPrefix(W.path, Start.members)) {
        fail(quoted(V) + " is computed step by step");
        return {};
      }
      return {W.value, Path(Start.members.begin() + W.path.size(), Start.members.end()), Start.frame};
    };
    if (!Home || V->isStaticLocal() || aliased) {
      fail(quoted(V) + " is assigned in several places");
      return guessing ? Initial() : Origin{};
    }
    SmallVector<const Stmt *, 2> Statements;
    for (const Write *W : Writes)
      Statements.push_back(W->at);
    const auto Sources = flow(Home).before(Use, V, Statements);
    if (!Sources) {
      // Of a read in a lambda, say. One write that is always passed takes the place of an initialiser.
      const bool Always = Writes.size() == 1 && facts(Home).dominates(Writes[0]->at, Use);
      const Expr *Init = V->getInit();
      if (Always && !(Writes[0]->path.empty() && Init && !emptyConstruction(Init)))
        return Valued(*Writes[0]);
      fail(quoted(V) + " is assigned in several places");
      return guessing ? Initial() : Origin{};
    }
    SmallVector<std::pair<Origin, const CFGBlock *>, 2> Seen;
    for (const LastWrites::Source &From : *Sources) {
      if (!From.write) {
        // To read what was never set has no meaning: runs that do so need no answer.
        if (isa<ParmVarDecl>(V) || V->getInit())
          Seen.emplace_back(Initial(), From.block);
        continue;
      }
      for (const Write *W : Writes)
        if (W->at == From.write)
          Seen.emplace_back(Valued(*W), From.block);
    }
    if (Seen.size() == 1)
      return Seen.front().first;
    const auto Unknown = [](const auto &Each) { return !Each.first.known(); };
    if (Seen.empty() || llvm::any_of(Seen, Unknown) || !flow(Home).exclusive(V, *Sources)) {
      fail(quoted(V) + " has several values");
      const auto *Some = llvm::find_if_not(Seen, Unknown);
      return guessing && Some != Seen.end() ? Some->first : Origin{};
    }
    // Variables that are set in the same blocks are set together.
    std::vector<const CFGBlock *> Blocks;
    for (const auto &[From, Block] : Seen)
      Blocks.push_back(Block);
    auto &Key = sourceForks[Blocks];
    if (!Key)
      Key = std::make_unique<char>();
    if (const auto Way = wayAt(Key.get()))
      return Seen[*Way].first;
    if (guessing) {
      // The first that gives a value at all.
      for (const auto &[From, Block] : Seen)
        if (valueOf(From))
          return From;
      return {};
    }
    meet(Key.get(), Seen.size(), /*Called=*/nullptr);
    return {};
  }

  /// Is it a variable of the device? Constants of the host are ones too, which Clang notes by itself.
  static bool isOnDevice(const VarDecl *V) {
    const auto Written = [](const Attr *A) { return A && !A->isImplicit(); };
    return Written(V->getAttr<CUDADeviceAttr>()) || Written(V->getAttr<CUDAConstantAttr>()) ||
           Written(V->getAttr<CUDASharedAttr>());
  }

  Origin variable(const VarDecl *V, const Path &Members, const Expr *Use, const Frame *Where) {
    if (V->getType().isVolatileQualified() || isOnDevice(V))
      return {};
    if (const auto *Parameter = dyn_cast<ParmVarDecl>(V))
      return parameter(Parameter, Members, Use, Where);
    const Expr *Init = V->getAnyInitializer();
    if (V->isInitCapture())
      return {};
    const Origin Initial{Init, Members, Where, V->getType()->isReferenceType()};
    if (V->getType().isConstQualified() || V->isConstexpr() || V->getType()->isReferenceType())
      return Initial;
    const auto *Home = dyn_cast_or_null<FunctionDecl>(V->getParentFunctionOrMethod());
    if (!Home && V->getFormalLinkage() != Linkage::Internal) {
      fail(quoted(V) + " is a variable that any file can change");
      return guessing ? Initial : Origin{};
    }
    const VariableFacts *Facts = (Home ? facts(Home) : unitFacts()).variable(V);
    if (!Facts)
      return Initial;
    return written(Home, V, *Facts, Use, Initial, [&] { return Initial; });
  }

  /// The side that a condition takes; null when that is not certain.
  const Expr *sideOf(const ConditionalOperator *Conditional, const Frame *Where) {
    const size_t Before = forks.size();
    std::optional<unsigned> Way = wayAt(Conditional);
    if (!Way)
      if (const Value Condition = value(Conditional->getCond(), {}, Where))
        Way = isTrue(*Condition) ? 0 : 1;
    if (Way)
      return *Way == 0 ? Conditional->getTrueExpr() : Conditional->getFalseExpr();
    if (forks.size() == Before) // else those decide
      meet(Conditional, 2, /*Called=*/nullptr);
    return nullptr;
  }

  /// The value of either side, where the condition does not tell: that is known when both are the same.
  Value eitherSide(const ConditionalOperator *Conditional, const Path &Members, const Frame *Where) {
    const SmallVector<Fork, 2> Outer = forks;
    const Value A = value(Conditional->getTrueExpr(), Members, Where);
    const Value B = value(Conditional->getFalseExpr(), Members, Where);
    const bool Plain = forks.size() == Outer.size();
    forks = Outer; // what the sides depend on matters once a side is chosen
    if (guessing)
      return A ? A : B;
    if (!A || !B || !Plain || !A->isInt() || !B->isInt() || A->getInt() != B->getInt())
      return std::nullopt;
    return A;
  }

  //===-- Values ----------------------------------------------------------------------------------------===//

  Value convert(const APValue &V, QualType To) {
    if (To->isBooleanType())
      return APValue(llvm::APSInt(
          llvm::APInt(Context.getIntWidth(To), V.isInt() ? V.getInt() != 0 : !V.getFloat().isZero()), true));
    if (To->isIntegralOrEnumerationType()) {
      const unsigned Width = Context.getIntWidth(To);
      const bool Unsigned = To->isUnsignedIntegerOrEnumerationType();
      if (V.isInt()) {
        llvm::APSInt Int = V.getInt().extOrTrunc(Width);
        Int.setIsUnsigned(Unsigned);
        return APValue(Int);
      }
      llvm::APSInt Int(Width, Unsigned);
      bool Exact;
      if (V.getFloat().convertToInteger(Int, llvm::APFloat::rmTowardZero, &Exact) ==
          llvm::APFloat::opInvalidOp)
        return std::nullopt;
      return APValue(Int);
    }
    if (To->isRealFloatingType()) {
      const llvm::fltSemantics &Semantics = Context.getFloatTypeSemantics(To);
      if (V.isInt()) {
        llvm::APFloat Float(Semantics);
        Float.convertFromAPInt(V.getInt(), V.getInt().isSigned(), llvm::APFloat::rmNearestTiesToEven);
        return APValue(Float);
      }
      llvm::APFloat Float = V.getFloat();
      bool Loses;
      Float.convert(Semantics, llvm::APFloat::rmNearestTiesToEven, &Loses);
      return APValue(Float);
    }
    return std::nullopt;
  }

  static bool isTrue(const APValue &V) { return V.isInt() ? V.getInt() != 0 : !V.getFloat().isZero(); }

  APValue boolean(bool B, QualType Type) {
    return APValue(
        llvm::APSInt(llvm::APInt(Context.getIntWidth(Type), B), Type->isUnsignedIntegerOrEnumerationType()));
  }

  Value constant(const Expr *E) {
    Expr::EvalResult Result;
    if (E->isValueDependent() || E->isTypeDependent() || E->containsErrors())
      return std::nullopt;
    if (!E->EvaluateAsRValue(Result, Context) || Result.HasSideEffects || Result.HasUndefinedBehavior)
      return std::nullopt;
    if (!Result.Val.isInt() && !Result.Val.isFloat())
      return std::nullopt;
    return Result.Val;
  }

  /// What a call in another file gives a parameter, or a member of it.
  Value outsideValue(const Origin &From) {
    std::string Key = std::to_string(From.parameter->getFunctionScopeIndex());
    QualType Type = From.parameter->getType().getNonReferenceType();
    for (const FieldDecl *Member : From.members) {
      Key += "." + Member->getNameAsString();
      Type = Member->getType();
    }
    if (!Type->isIntegralOrEnumerationType())
      return std::nullopt;
    const OutsideUse &Call = *From.outside;
    if (const auto It = Call.values.find(Key); It != Call.values.end())
      return convert(APValue(llvm::APSInt::get(It->second)), Type);
    fail(quoted(From.parameter) + " is not constant in that call");
    if (const auto It = Call.likelyValues.find(Key); guessing && It != Call.likelyValues.end())
      return convert(APValue(llvm::APSInt::get(It->second)), Type);
    return std::nullopt;
  }

  Value valueOf(const Origin &From) {
    if (From.outside)
      return outsideValue(From);
    const bool Outer = std::exchange(aliased, aliased || From.alias);
    const Value Result = value(From.value, From.members, From.frame);
    aliased = Outer;
    return Result;
  }

  /// The scalar value of `E`, or of the member `Members` of the record that `E` is.
  Value value(const Expr *E, Path Members, const Frame *Where) {
    Deeper Level(*this);
    if (!E || Level.tooFar() || E->isValueDependent() || E->isTypeDependent() || E->containsErrors())
      return std::nullopt;
    if (Members.empty() && E->getType()->isScalarType())
      if (Value V = constant(E))
        return V;
    if (const auto *Paren = dyn_cast<ParenExpr>(E))
      return value(Paren->getSubExpr(), Members, Where);
    if (const auto *Full = dyn_cast<FullExpr>(E))
      return value(Full->getSubExpr(), Members, Where);
    if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(E))
      return value(Temporary->getSubExpr(), Members, Where);
    if (const auto *Bind = dyn_cast<CXXBindTemporaryExpr>(E))
      return value(Bind->getSubExpr(), Members, Where);
    if (const auto *Default = dyn_cast<CXXDefaultArgExpr>(E))
      return value(Default->getExpr(), Members, Where);
    if (const auto *Default = dyn_cast<CXXDefaultInitExpr>(E))
      return value(Default->getExpr(), Members, Where);
    if (const auto *Substitution = dyn_cast<SubstNonTypeTemplateParmExpr>(E))
      return value(Substitution->getReplacement(), Members, Where);
    if (const auto *Cast = dyn_cast<CastExpr>(E))
      return castValue(Cast, Members, Where);
    if (const auto *Conditional = dyn_cast<ConditionalOperator>(E)) {
      const SmallVector<Fork, 2> Before = forks;
      if (const Expr *Side = sideOf(Conditional, Where))
        return value(Side, Members, Where);
      const Value Either = eitherSide(Conditional, Members, Where);
      if (Either && !guessing)
        forks = Before;
      return Either;
    }
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
      const auto *V = dyn_cast<VarDecl>(Ref->getDecl());
      if (!V)
        return std::nullopt;
      const Origin From = variable(V, Members, Ref, Where);
      return valueOf(From);
    }
    if (const auto *Member = dyn_cast<MemberExpr>(E)) {
      if (const auto *Static = dyn_cast<VarDecl>(Member->getMemberDecl())) {
        const Origin From = variable(Static, Members, Member, Where);
        return valueOf(From);
      }
      const auto *Field = dyn_cast<FieldDecl>(Member->getMemberDecl());
      if (!Field || Member->isArrow()) {
        fail(quoted(Member->getMemberDecl()) + " is a member of an object whose history is not followed");
        return std::nullopt;
      }
      Members.insert(Members.begin(), Field);
      return value(Member->getBase(), Members, Where);
    }
    if (const auto *List = dyn_cast<InitListExpr>(E))
      return listValue(List, Members, Where);
    if (isa<ImplicitValueInitExpr, CXXScalarValueInitExpr>(E)) {
      const QualType Type = Members.empty() ? E->getType() : Members.back()->getType();
      if (!Type->isIntegralOrEnumerationType())
        return std::nullopt;
      return boolean(false, Type);
    }
    if (const auto *Element = dyn_cast<ArraySubscriptExpr>(E))
      return elementValue(Element, Members, Where);
    if (const auto *Construct = dyn_cast<CXXConstructExpr>(E))
      return constructedValue(Construct, Members, Where);
    if (const auto *Call = dyn_cast<CallExpr>(E))
      return callValue(Call, Members, Where);
    if (!Members.empty())
      return std::nullopt;
    if (const auto *Unary = dyn_cast<UnaryOperator>(E))
      return unaryValue(Unary, Where);
    if (const auto *Binary = dyn_cast<BinaryOperator>(E))
      return binaryValue(Binary, Where);
    return std::nullopt;
  }

  Value castValue(const CastExpr *Cast, const Path &Members, const Frame *Where) {
    switch (Cast->getCastKind()) {
    case CK_LValueToRValue:
    case CK_NoOp:
    case CK_ConstructorConversion:
      return value(Cast->getSubExpr(), Members, Where);
    case CK_IntegralCast:
    case CK_BooleanToSignedIntegral:
    case CK_IntegralToBoolean:
    case CK_IntegralToFloating:
    case CK_FloatingToIntegral:
    case CK_FloatingToBoolean:
    case CK_FloatingCast: {
      const Value V = value(Cast->getSubExpr(), {}, Where);
      if (!V || !Members.empty() || Cast->getCastKind() == CK_BooleanToSignedIntegral)
        return std::nullopt;
      return convert(*V, Cast->getType());
    }
    default:
      return std::nullopt;
    }
  }

  /// The values that an array has for all its life; null when it can have others.
  const InitListExpr *valuesOf(const Expr *Array) {
    const auto *Ref = dyn_cast<DeclRefExpr>(Array->IgnoreParenImpCasts());
    const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    if (!V || !V->getType()->isConstantArrayType() || V->getType().isVolatileQualified() || isOnDevice(V))
      return nullptr;
    if (!Context.getBaseElementType(V->getType()).isConstQualified()) {
      const auto *Home = dyn_cast_or_null<FunctionDecl>(V->getParentFunctionOrMethod());
      if (!Home && V->getFormalLinkage() != Linkage::Internal)
        return nullptr;
      const VariableFacts *Facts = (Home ? facts(Home) : unitFacts()).variable(V);
      if (Facts && (!Facts->writes.empty() || escapes(*Facts)))
        return nullptr;
    }
    return dyn_cast_or_null<InitListExpr>(V->getAnyInitializer());
  }

  /// An element of an array of constants; where the index is not known (a loop over block sizes), each
  /// element is one way to go on.
  Value elementValue(const ArraySubscriptExpr *Element, const Path &Members, const Frame *Where) {
    const InitListExpr *List = valuesOf(Element->getBase());
    if (!List || List->hasArrayFiller() || List->getNumInits() == 0) {
      fail("it is an element of an array that is not constant");
      return std::nullopt;
    }
    std::optional<uint64_t> Index = wayAt(Element);
    if (!Index) {
      const size_t Before = forks.size();
      const Value V = value(Element->getIdx(), {}, Where);
      if (V && V->isInt() && !V->getInt().isNegative())
        Index = V->getInt().getLimitedValue();
      else if (!V) {
        forks.resize(std::min(Before, forks.size()), Fork());
        obstacle.clear();
        meet(Element, List->getNumInits(), /*Called=*/nullptr);
      }
    }
    if (!Index || *Index >= List->getNumInits())
      return std::nullopt;
    return value(List->getInit(unsigned(*Index)), Members, Where);
  }

  Value listValue(const InitListExpr *List, const Path &Members, const Frame *Where) {
    if (Members.empty())
      return List->getNumInits() == 1 ? value(List->getInit(0), {}, Where) : std::nullopt;
    const Path Rest(Members.begin() + 1, Members.end());
    if (List->isTransparent())
      return value(List->getInit(0), Members, Where);
    const RecordDecl *Record = Members.front()->getParent();
    if (Record->isUnion() || List->getType()->getAsRecordDecl() != Record)
      return std::nullopt;
    if (const auto *Class = dyn_cast<CXXRecordDecl>(Record); Class && Class->getNumBases())
      return std::nullopt;
    unsigned Index = 0;
    for (const FieldDecl *Field : Record->fields()) {
      if (Field->isUnnamedBitField())
        continue;
      if (Field == Members.front())
        return Index < List->getNumInits() ? value(List->getInit(Index), Rest, Where) : std::nullopt;
      ++Index;
    }
    return std::nullopt;
  }

  const Frame *enter(const FunctionDecl *Function, SmallVector<const Expr *, 4> Arguments,
                     const Frame *Where) {
    argumentLists.push_back(std::make_unique<SmallVector<const Expr *, 4>>(std::move(Arguments)));
    frames.push_back(std::make_unique<Frame>(Frame{Function, *argumentLists.back(), Where}));
    return frames.back().get();
  }

  Value constructedValue(const CXXConstructExpr *Construct, const Path &Members, const Frame *Where) {
    const CXXConstructorDecl *Constructor = Construct->getConstructor();
    if (Members.empty())
      return std::nullopt;
    if (Constructor->isCopyOrMoveConstructor())
      return Constructor->isUserProvided() ? std::nullopt : value(Construct->getArg(0), Members, Where);
    const Path Rest(Members.begin() + 1, Members.end());
    if (!Constructor->isUserProvided()) {
      if (!Constructor->isDefaultConstructor() || Members.front()->getParent() != Constructor->getParent())
        return std::nullopt;
      return value(Members.front()->getInClassInitializer(), Rest, nullptr);
    }
    // Only a constructor that does all its work before its body: that of dim3 does.
    const FunctionDecl *Definition = Constructor->getDefinition();
    const auto *Body = Definition ? dyn_cast_or_null<CompoundStmt>(Definition->getBody()) : nullptr;
    if (!Body || !Body->body_empty()) {
      fail("what the constructor of " + quoted(Constructor->getParent()) + " does is not followed");
      return std::nullopt;
    }
    const Frame *Inside = enter(Definition, {Construct->arg_begin(), Construct->arg_end()}, Where);
    for (const CXXCtorInitializer *Init : cast<CXXConstructorDecl>(Definition)->inits()) {
      if (Init->isDelegatingInitializer())
        return value(Init->getInit(), Members, Inside);
      if (Init->getMember() == Members.front())
        return value(Init->getInit(), Rest, Inside);
    }
    return std::nullopt;
  }

  static bool fromLibrary(const FunctionDecl *Function) {
    const SourceManager &SM = Function->getASTContext().getSourceManager();
    return Function->isInStdNamespace() || Function->getBuiltinID() != 0 ||
           (Function->getLocation().isValid() &&
            SM.isInSystemHeader(SM.getExpansionLoc(Function->getLocation())));
  }

  Value callValue(const CallExpr *Call, const Path &Members, const Frame *Where) {
    if (isForwarding(Call))
      return value(Call->getArg(0), Members, Where);
    const Value Result = calledValue(Call, Members, Where);
    if (!Result)
      fail("what " + (Call->getDirectCallee() ? quoted(Call->getDirectCallee()) : std::string("a call")) +
           " returns is not known");
    return Result;
  }

  Value calledValue(const CallExpr *Call, const Path &Members, const Frame *Where) {
    const FunctionDecl *Callee = Call->getDirectCallee();
    if (!Callee || isa<CXXOperatorCallExpr, CXXMemberCallExpr, CUDAKernelCallExpr>(Call) ||
        !Callee->getIdentifier())
      return std::nullopt;
    if (Members.empty() && fromLibrary(Callee))
      return libraryValue(Callee->getName(), Call, Where);
    const FunctionDecl *Definition = Callee->getDefinition();
    if (!Definition || Definition->isVariadic())
      return std::nullopt;
    if (const Expr *Returned = onlyReturn(Definition))
      return value(Returned, Members, enter(Definition, {Call->arg_begin(), Call->arg_end()}, Where));
    if (Definition->isConstexpr() && Members.empty())
      return constexprValue(Definition, Call, Where);
    return std::nullopt;
  }

  static const Expr *onlyReturn(const FunctionDecl *Function) {
    const auto *Body = dyn_cast_or_null<CompoundStmt>(Function->getBody());
    if (!Body || Body->size() != 1)
      return nullptr;
    const auto *Return = dyn_cast<ReturnStmt>(Body->body_front());
    return Return ? Return->getRetValue() : nullptr;
  }

  /// Lets Clang's evaluator run a constexpr function on arguments that are constants to us only.
  Value constexprValue(const FunctionDecl *Callee, const CallExpr *Call, const Frame *Where) {
    SmallVector<Expr *, 4> Arguments;
    for (unsigned N = 0; N != Call->getNumArgs(); ++N) {
      if (N >= Callee->getNumParams())
        return std::nullopt;
      const QualType Type = Callee->getParamDecl(N)->getType().getUnqualifiedType();
      const Value V = value(Call->getArg(N), {}, Where);
      if (!V || !V->isInt() || !Type->isIntegerType() || Type->isEnumeralType())
        return std::nullopt;
      if (Type->isBooleanType())
        Arguments.push_back(
            CXXBoolLiteralExpr::Create(Context, isTrue(*V), Context.BoolTy, SourceLocation()));
      else
        Arguments.push_back(IntegerLiteral::Create(Context, V->getInt(), Type, SourceLocation()));
    }
    auto *Ref = DeclRefExpr::Create(Context, NestedNameSpecifierLoc(), SourceLocation(),
                                    const_cast<FunctionDecl *>(Callee), false, SourceLocation(),
                                    Callee->getType(), VK_LValue);
    auto *Decayed =
        ImplicitCastExpr::Create(Context, Context.getPointerType(Callee->getType()),
                                 CK_FunctionToPointerDecay, Ref, nullptr, VK_PRValue, FPOptionsOverride());
    return constant(CallExpr::Create(Context, Decayed, Arguments, Call->getType(), Call->getValueKind(),
                                     SourceLocation(), FPOptionsOverride()));
  }

  Value libraryValue(StringRef Name, const CallExpr *Call, const Frame *Where) {
    Name.consume_front("__builtin_");
    if (Call->getNumArgs() == 2 && (Name == "min" || Name == "max")) {
      const Value A = value(Call->getArg(0), {}, Where), B = value(Call->getArg(1), {}, Where);
      if (guessing && (!A || !B))
        return A ? A : B; // the bound is what large problems run with
      if (!A || !B || !A->isInt() || !B->isInt() || A->getInt().isSigned() != B->getInt().isSigned())
        return std::nullopt;
      const bool Less = llvm::APSInt::compareValues(A->getInt(), B->getInt()) < 0;
      return convert(Less == (Name == "min") ? *A : *B, Call->getType());
    }
    if (Call->getNumArgs() != 1)
      return std::nullopt;
    const auto Mode = llvm::StringSwitch<std::optional<llvm::RoundingMode>>(Name)
                          .Cases({"ceil", "ceilf"}, llvm::RoundingMode::TowardPositive)
                          .Cases({"floor", "floorf"}, llvm::RoundingMode::TowardNegative)
                          .Cases({"trunc", "truncf"}, llvm::RoundingMode::TowardZero)
                          .Default(std::nullopt);
    if (!Mode)
      return std::nullopt;
    const Value V = value(Call->getArg(0), {}, Where);
    const Value Float = V ? convert(*V, Call->getType()) : std::nullopt;
    if (!Float || !Float->isFloat())
      return std::nullopt;
    llvm::APFloat Rounded = Float->getFloat();
    Rounded.roundToIntegral(*Mode);
    return APValue(Rounded);
  }

  Value unaryValue(const UnaryOperator *Unary, const Frame *Where) {
    if (Unary->isIncrementDecrementOp())
      return std::nullopt;
    const Value V = value(Unary->getSubExpr(), {}, Where);
    if (!V)
      return std::nullopt;
    switch (Unary->getOpcode()) {
    case UO_Plus:
      return V;
    case UO_Minus:
      if (V->isFloat())
        return APValue(-V->getFloat());
      if (V->getInt().isSigned() && V->getInt().isMinSignedValue())
        return std::nullopt;
      return APValue(-V->getInt());
    case UO_Not:
      return V->isInt() ? Value(APValue(~V->getInt())) : std::nullopt;
    case UO_LNot:
      return boolean(!isTrue(*V), Unary->getType());
    default:
      return std::nullopt;
    }
  }

  Value binaryValue(const BinaryOperator *Binary, const Frame *Where) {
    if (Binary->getOpcode() == BO_Comma || Binary->isAssignmentOp() || Binary->isPtrMemOp())
      return std::nullopt;
    const Value A = value(Binary->getLHS(), {}, Where);
    if (!A) {
      if (!Binary->isLogicalOp())
        (void)value(Binary->getRHS(), {}, Where); // all forks are to be known
      return std::nullopt;
    }
    if (Binary->isLogicalOp() && isTrue(*A) == (Binary->getOpcode() == BO_LOr))
      return boolean(Binary->getOpcode() == BO_LOr, Binary->getType());
    const Value B = value(Binary->getRHS(), {}, Where);
    if (!B)
      return std::nullopt;
    if (Binary->isLogicalOp())
      return boolean(isTrue(*B), Binary->getType());
    if (A->isFloat() && B->isFloat())
      return floatValue(Binary, A->getFloat(), B->getFloat());
    if (!A->isInt() || !B->isInt())
      return std::nullopt;
    const llvm::APSInt &L = A->getInt(), &R = B->getInt();
    if (Binary->isShiftOp()) {
      if (R.isNegative() || R.uge(L.getBitWidth()))
        return std::nullopt;
      const unsigned Count = unsigned(R.getZExtValue());
      if (Binary->getOpcode() == BO_Shr)
        return APValue(L >> Count);
      if (L.isSigned() && (L.isNegative() || Count >= L.countl_zero()))
        return std::nullopt;
      return APValue(L << Count);
    }
    if (L.isSigned() != R.isSigned() || L.getBitWidth() != R.getBitWidth())
      return std::nullopt;
    const bool Signed = L.isSigned();
    bool Overflow = false;
    auto checked = [&](const llvm::APInt &Result) -> Value {
      if (Overflow)
        return std::nullopt;
      return APValue(llvm::APSInt(Result, !Signed));
    };
    switch (Binary->getOpcode()) {
    case BO_Add:
      return checked(Signed ? L.sadd_ov(R, Overflow) : llvm::APInt(L) + R);
    case BO_Sub:
      return checked(Signed ? L.ssub_ov(R, Overflow) : llvm::APInt(L) - R);
    case BO_Mul:
      return checked(Signed ? L.smul_ov(R, Overflow) : llvm::APInt(L) * R);
    case BO_Div:
    case BO_Rem:
      if (R == 0 || (Signed && L.isMinSignedValue() && R.isAllOnes()))
        return std::nullopt;
      return APValue(Binary->getOpcode() == BO_Div ? L / R : L % R);
    case BO_And:
      return APValue(L & R);
    case BO_Or:
      return APValue(L | R);
    case BO_Xor:
      return APValue(L ^ R);
    case BO_LT:
      return boolean(L < R, Binary->getType());
    case BO_GT:
      return boolean(L > R, Binary->getType());
    case BO_LE:
      return boolean(L <= R, Binary->getType());
    case BO_GE:
      return boolean(L >= R, Binary->getType());
    case BO_EQ:
      return boolean(L == R, Binary->getType());
    case BO_NE:
      return boolean(L != R, Binary->getType());
    default:
      return std::nullopt;
    }
  }

  Value floatValue(const BinaryOperator *Binary, llvm::APFloat L, const llvm::APFloat &R) {
    if (&L.getSemantics() != &R.getSemantics())
      return std::nullopt;
    constexpr auto Nearest = llvm::APFloat::rmNearestTiesToEven;
    switch (Binary->getOpcode()) {
    case BO_Add:
      L.add(R, Nearest);
      return APValue(L);
    case BO_Sub:
      L.subtract(R, Nearest);
      return APValue(L);
    case BO_Mul:
      L.multiply(R, Nearest);
      return APValue(L);
    case BO_Div:
      if (R.isZero())
        return std::nullopt;
      L.divide(R, Nearest);
      return APValue(L);
    case BO_LT:
      return boolean(L < R, Binary->getType());
    case BO_GT:
      return boolean(L > R, Binary->getType());
    default:
      return std::nullopt;
    }
  }

  //===-- Functions and pointers ------------------------------------------------------------------------===//

  const FunctionDecl *functionOf(const Expr *E, const Frame *Where) {
    Deeper Level(*this);
    if (!E || Level.tooFar() || E->isTypeDependent())
      return nullptr;
    E = E->IgnoreParenCasts();
    if (const auto *Full = dyn_cast<FullExpr>(E))
      return functionOf(Full->getSubExpr(), Where);
    if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(E))
      return functionOf(Temporary->getSubExpr(), Where);
    if (isForwarding(E))
      return functionOf(cast<CallExpr>(E)->getArg(0), Where);
    if (const auto *Unary = dyn_cast<UnaryOperator>(E);
        Unary && (Unary->getOpcode() == UO_AddrOf || Unary->getOpcode() == UO_Deref))
      return functionOf(Unary->getSubExpr(), Where);
    if (const auto *Substitution = dyn_cast<SubstNonTypeTemplateParmExpr>(E))
      return functionOf(Substitution->getReplacement(), Where);
    if (const auto *List = dyn_cast<InitListExpr>(E); List && List->getNumInits() == 1)
      return functionOf(List->getInit(0), Where);
    if (const auto *Conditional = dyn_cast<ConditionalOperator>(E)) {
      return functionOf(sideOf(Conditional, Where), Where);
    }
    const ValueDecl *Named = nullptr;
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
      Named = Ref->getDecl();
    else if (const auto *Member = dyn_cast<MemberExpr>(E))
      Named = Member->getMemberDecl();
    if (const auto *Function = dyn_cast_or_null<FunctionDecl>(Named))
      return Function;
    if (const auto *V = dyn_cast_or_null<VarDecl>(Named)) {
      const Origin From = variable(V, {}, E, Where);
      return From.members.empty() ? functionOf(From.value, From.frame) : nullptr;
    }
    return nullptr;
  }
};

ConstantFolder::ConstantFolder(ASTContext &Context, ArrayRef<OutsideUse> Outside)
    : I(std::make_unique<Impl>(Context, Outside)) {}
ConstantFolder::~ConstantFolder() = default;

std::optional<llvm::APSInt> ConstantFolder::integer(const Expr *E) {
  I->begin();
  const Value V = I->value(E, {}, nullptr);
  if (!V || !V->isInt())
    return std::nullopt;
  return V->getInt();
}

std::optional<llvm::APSInt> ConstantFolder::member(const Expr *Record, ArrayRef<StringRef> Names) {
  Path Members;
  QualType Type = Record->getType();
  for (StringRef Name : Names) {
    const RecordDecl *Decl = Type->getAsRecordDecl();
    Decl = Decl ? Decl->getDefinition() : nullptr;
    if (!Decl)
      return std::nullopt;
    const auto Field =
        llvm::find_if(Decl->fields(), [&](const FieldDecl *F) { return F->getName() == Name; });
    if (Field == Decl->field_end())
      return std::nullopt;
    Members.push_back(*Field);
    Type = Field->getType();
  }
  I->begin();
  const Value V = I->value(Record, Members, nullptr);
  if (!V || !V->isInt())
    return std::nullopt;
  return V->getInt();
}

void ConstantFolder::assume(const Scenario &Ways) {
  I->chosen.clear();
  for (const auto &[Fork, Way] : Ways)
    I->chosen[Fork] = Way;
  I->forks.clear();
  I->uncalled.clear();
  I->obstacle.clear();
}

ArrayRef<Fork> ConstantFolder::forks() const { return I->forks; }

std::string ConstantFolder::obstacle() const { return I->obstacle; }

void ConstantFolder::guess(bool On) { I->guessing = On; }

std::pair<const CallExpr *, const OutsideUse *> ConstantFolder::callOf(const FunctionDecl *Function,
                                                                       unsigned Way) {
  const CallSites &Sites = I->callSites(Function);
  if (Way < Sites.calls.size())
    return {Sites.calls[Way], nullptr};
  return {nullptr, I->callsOutside(Function)[Way - Sites.calls.size()]};
}

ArrayRef<const FunctionDecl *> ConstantFolder::uncalled() const { return I->uncalled; }

const FunctionDecl *ConstantFolder::function(const Expr *E) {
  I->begin();
  return I->functionOf(E, nullptr);
}

const Expr *ConstantFolder::pointee(const Expr *Array, unsigned Index) {
  const auto *Ref = dyn_cast<DeclRefExpr>(Array->IgnoreParenCasts());
  const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (!V || !V->getType()->isArrayType() || !V->hasLocalStorage())
    return nullptr;
  // The array's own uses are judged where the addresses in it are: a filled array gives no address that only
  // reads.
  const auto *List = dyn_cast_or_null<InitListExpr>(V->getInit());
  if (!List || Index >= List->getNumInits())
    return nullptr;
  const auto *Address = dyn_cast<UnaryOperator>(List->getInit(Index)->IgnoreParenCasts());
  return Address && Address->getOpcode() == UO_AddrOf ? Address->getSubExpr() : nullptr;
}

} // namespace warplint::kernel
