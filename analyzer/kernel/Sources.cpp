#include "analyzer/kernel/Sources.h"
#include "analyzer/kernel/SourceText.h"
#include "analyzer/kernel/UserCode.h"
#include "analyzer/kernel/VirtualCalls.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Mangle.h"
#include "clang/AST/RecordLayout.h"
#include "clang/AST/TypeLoc.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace clang;

namespace warplint::kernel {

namespace {

/// What an instruction at some location may be doing, as the AST has it.
struct Event {
  uint64_t key = 0;                       ///< file, line, column of the instruction's debug location
  const Expr *lvalue = nullptr;           ///< what is accessed; for a call the call
  const Stmt *statement = nullptr;        ///< where `lvalue` is null: an asm statement
  const FunctionDecl *function = nullptr; ///< whose body this is: instances of a template share locations
  bool reads = false, writes = false;
  bool call = false;    ///< the access happens inside a call: only its argument says where
  bool address = false; ///< the location of the address computation, not that of the access
};

/// A use of a __shared__ variable that is no full subscript of it.
struct SharedVariable {
  const VarDecl *variable = nullptr;
  bool usedFlat = false;
};

constexpr unsigned LineBits = 26, ColumnBits = 20;

uint64_t makeKey(unsigned File, unsigned Line, unsigned Column) {
  return (uint64_t(File) << (LineBits + ColumnBits)) | (uint64_t(Line) << ColumnBits) |
         std::min(Column, (1u << ColumnBits) - 1);
}

const Expr *withoutParens(const Expr *E) {
  for (;;) {
    if (const auto *Full = dyn_cast<FullExpr>(E))
      E = Full->getSubExpr();
    else if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(E))
      E = Temporary->getSubExpr();
    else if (const auto *Cast = dyn_cast<ImplicitCastExpr>(E); Cast && Cast->getCastKind() == CK_NoOp)
      E = Cast->getSubExpr();
    else if (const Expr *Inner = E->IgnoreParens(); Inner != E)
      E = Inner;
    else
      return E;
  }
}

unsigned rank(QualType Array) {
  unsigned N = 0;
  for (const Type *T = Array.getTypePtr(); T->isArrayType(); T = T->getArrayElementTypeNoTypeQual())
    ++N;
  return N;
}

} // namespace

struct Sources::Index {
  explicit Index(ASTContext &Context) : Context(Context), Text(Context), SM(Context.getSourceManager()) {
    walkUserCode(Context,
                 {[&](const FunctionDecl &F) { body(F); }, [&](const VarDecl &V) { sharedVariable(&V); }});
    llvm::stable_sort(events, [](const Event &A, const Event &B) { return A.key < B.key; });
  }

  ASTContext &Context;
  SourceText Text;
  const SourceManager &SM;
  std::vector<Event> events; // by key
  llvm::StringMap<unsigned> fileNumbers;
  llvm::DenseMap<FileID, unsigned> filesOfAst;
  llvm::DenseMap<const VarDecl *, SharedVariable> shared;
  const FunctionDecl *current = nullptr;
  std::vector<const Stmt *> path; // from the body down to the statement being visited

  mutable llvm::DenseMap<const llvm::DIFile *, unsigned> filesOfDebugInfo;
  mutable llvm::DenseMap<const llvm::DIFile *, bool> systemFiles;
  mutable llvm::DenseMap<const FunctionDecl *, std::string> mangledNames;
  mutable llvm::StringMap<const SharedVariable *> sharedByName;
  mutable bool sharedNamed = false;
  mutable std::unique_ptr<ASTNameGenerator> namer;

  //===-- Building the index ----------------------------------------------------------------------------===//

  void body(const FunctionDecl &Function) {
    current = &Function;
    if (const auto *Constructor = dyn_cast<CXXConstructorDecl>(&Function))
      for (const CXXCtorInitializer *Init : Constructor->inits())
        if (Init->isWritten() && Init->getInit())
          visit(Init->getInit());
    visit(Function.getBody());
  }

  unsigned fileNumber(StringRef Name) {
    return fileNumbers.try_emplace(Name, unsigned(fileNumbers.size()) + 1).first->second;
  }

  /// The key that code generation's debug location of `Location` has.
  uint64_t key(SourceLocation Location) {
    if (Location.isInvalid())
      return 0;
    Location = SM.getFileLoc(Location);
    const PresumedLoc Presumed = SM.getPresumedLoc(Location);
    if (Presumed.isInvalid())
      return 0;
    // Not by FileID alone: a #line directive changes the name half-way.
    const FileID File = SM.getFileID(Location);
    unsigned Number;
    if (SM.hasLineTable() && Presumed.getFileID() != File) {
      Number = fileNumber(Text.file(Location));
    } else {
      unsigned &Known = filesOfAst[File];
      if (!Known)
        Known = fileNumber(Text.file(Location));
      Number = Known;
    }
    return makeKey(Number, Presumed.getLine(), Presumed.getColumn());
  }

  void add(SourceLocation Location, Event E) {
    E.key = key(Location);
    E.function = current;
    if (E.key)
      events.push_back(E);
  }

  /// A private scalar lives in a register; nobody asks for it. A captured one is a member of the closure.
  static bool inRegister(const Expr *Lvalue) {
    const auto *Ref = dyn_cast<DeclRefExpr>(Lvalue);
    const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    return V && !Ref->refersToEnclosingVariableOrCapture() && V->hasLocalStorage() &&
           !V->getType()->isReferenceType() && !V->getType()->isRecordType();
  }

  void access(SourceLocation Location, const Expr *Lvalue, bool Reads, bool Writes) {
    Lvalue = withoutParens(Lvalue);
    if (inRegister(Lvalue))
      return;
    // Code generation reads within the branches where it can.
    if (const auto *Choice = dyn_cast<AbstractConditionalOperator>(Lvalue))
      for (const Expr *Branch : {Choice->getTrueExpr(), Choice->getFalseExpr()})
        access(withoutParens(Branch)->getExprLoc(), Branch, Reads, Writes);
    Event E;
    E.lvalue = Lvalue;
    E.reads = Reads;
    E.writes = Writes;
    add(Location, E);
    if (Lvalue->getExprLoc() != Location) {
      E.address = true;
      add(Lvalue->getExprLoc(), E);
    }
  }

  void visit(const Stmt *S) {
    if (const auto *Cast = dyn_cast<CastExpr>(S)) {
      if (Cast->getCastKind() == CK_LValueToRValue)
        access(withoutParens(Cast->getSubExpr())->getExprLoc(), Cast->getSubExpr(), true, false);
    } else if (const auto *Binary = dyn_cast<BinaryOperator>(S)) {
      if (Binary->isAssignmentOp())
        access(Binary->getOperatorLoc(), Binary->getLHS(), Binary->isCompoundAssignmentOp(), true);
    } else if (const auto *Unary = dyn_cast<UnaryOperator>(S)) {
      if (Unary->isIncrementDecrementOp())
        access(Unary->getOperatorLoc(), Unary->getSubExpr(), true, true);
    } else if (const auto *Construct = dyn_cast<CXXConstructExpr>(S)) {
      if (Construct->getConstructor()->isCopyOrMoveConstructor() && Construct->getNumArgs() &&
          Construct->getArg(0)->isGLValue() && !isa<MaterializeTemporaryExpr>(Construct->getArg(0)))
        access(Construct->getExprLoc(), Construct->getArg(0), true, false);
    } else if (const auto *Call = dyn_cast<CallExpr>(S)) {
      call(Call);
    } else if (const auto *Atomic = dyn_cast<AtomicExpr>(S)) {
      Event E;
      E.lvalue = Atomic;
      E.reads = E.writes = E.call = true;
      add(Atomic->getBeginLoc(), E);
    } else if (const auto *Asm = dyn_cast<AsmStmt>(S)) {
      Event E;
      E.statement = Asm;
      E.reads = E.writes = E.call = true;
      add(Asm->getAsmLoc(), E);
    } else if (const auto *Decls = dyn_cast<DeclStmt>(S)) {
      for (const Decl *D : Decls->decls())
        if (const auto *V = dyn_cast<VarDecl>(D))
          sharedVariable(V);
    } else if (const auto *Ref = dyn_cast<DeclRefExpr>(S)) {
      sharedUse(Ref);
    }
    path.push_back(S);
    forEachChild(S, [&](const Stmt *Child) { visit(Child); });
    path.pop_back();
  }

  void call(const CallExpr *Call) {
    const auto *Operator = dyn_cast<CXXOperatorCallExpr>(Call);
    if (Operator && Operator->isAssignmentOp() && Operator->getNumArgs() == 2) {
      access(Operator->getOperatorLoc(), Operator->getArg(0), Operator->getOperator() != OO_Equal, true);
      if (const Expr *From = Operator->getArg(1); From->isGLValue() && !isa<MaterializeTemporaryExpr>(From))
        access(Operator->getOperatorLoc(), From, true, false);
      return;
    }
    Event E;
    E.lvalue = Call;
    E.reads = E.writes = E.call = true;
    add(Call->getExprLoc(), E);
    if (Call->getBeginLoc() != Call->getExprLoc())
      add(Call->getBeginLoc(), E);
  }

  void sharedVariable(const VarDecl *V) {
    if (V->hasAttr<CUDASharedAttr>())
      shared[V->getCanonicalDecl()].variable = V;
  }

  /// Does this use leave the tile's declared shape: fewer subscripts than extents, or an address taken?
  void sharedUse(const DeclRefExpr *Ref) {
    const auto *V = dyn_cast<VarDecl>(Ref->getDecl());
    if (!V || !V->hasAttr<CUDASharedAttr>() || !V->getType()->isArrayType())
      return;
    unsigned Subscripts = 0;
    auto Up = path.rbegin();
    for (const Stmt *Inner = Ref; Up != path.rend(); Inner = *Up, ++Up) {
      const auto *Subscript = dyn_cast<ArraySubscriptExpr>(*Up);
      const auto *Cast = dyn_cast<CastExpr>(*Up);
      if (Subscript && Subscript->getBase() == Inner)
        ++Subscripts;
      else if (!isa<ParenExpr>(*Up) &&
               !(Cast && (Cast->getCastKind() == CK_ArrayToPointerDecay || Cast->getCastKind() == CK_NoOp)))
        break;
    }
    const auto *Address = Up == path.rend() ? nullptr : dyn_cast<UnaryOperator>(*Up);
    if (Subscripts < rank(V->getType()) || (Address && Address->getOpcode() == UO_AddrOf))
      shared[V->getCanonicalDecl()].usedFlat = true;
  }

  //===-- Looking up ------------------------------------------------------------------------------------===//

  static std::string nameOf(const llvm::DIFile *File) {
    return SourceText::absolute(File->getDirectory(), File->getFilename());
  }

  uint64_t key(const llvm::DILocation *Location) const {
    if (!Location || !Location->getFile())
      return 0;
    unsigned &Number = filesOfDebugInfo[Location->getFile()];
    if (!Number) {
      auto It = fileNumbers.find(nameOf(Location->getFile()));
      Number = It == fileNumbers.end() ? ~0u : It->second;
    }
    return Number == ~0u ? 0 : makeKey(Number, Location->getLine(), Location->getColumn());
  }

  ArrayRef<Event> at(const llvm::DILocation *Location) const {
    const uint64_t Key = key(Location);
    if (!Key)
      return {};
    const auto Begin = llvm::partition_point(events, [&](const Event &E) { return E.key < Key; });
    auto End = Begin;
    while (End != events.end() && End->key == Key)
      ++End;
    return ArrayRef<Event>(events).slice(Begin - events.begin(), End - Begin);
  }

  StringRef mangled(const FunctionDecl *Function) const {
    std::string &Name = mangledNames[Function];
    if (Name.empty())
      Name = mangledName(Function);
    return Name;
  }

  std::string mangledName(const Decl *D) const {
    if (!namer)
      namer = std::make_unique<ASTNameGenerator>(Context);
    return namer->getName(D);
  }

  //===-- Expressions -----------------------------------------------------------------------------------===//

  /// The pointer or array that an access is relative to, as text.
  std::string baseOfLvalue(const Expr *E, unsigned Depth = 0) const {
    E = withoutParens(E);
    if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E))
      return baseOfPointer(Subscript->getBase(), Depth);
    if (const auto *Unary = dyn_cast<UnaryOperator>(E)) {
      if (Unary->getOpcode() == UO_Deref)
        return baseOfPointer(Unary->getSubExpr(), Depth);
      if (Unary->isIncrementDecrementOp())
        return baseOfLvalue(Unary->getSubExpr(), Depth);
    }
    if (const auto *Member = dyn_cast<MemberExpr>(E)) {
      const Expr *Object = withoutParens(Member->getBase());
      if (Member->isArrow() && !isa<CXXThisExpr>(Object->IgnoreParenImpCasts()))
        return baseOfPointer(Object, Depth);
      if (!Member->isArrow() && !isa<DeclRefExpr>(Object))
        return baseOfLvalue(Object, Depth);
      // The member of one object is that object, unless it is a reference to an element elsewhere.
      const auto *Ref = dyn_cast<DeclRefExpr>(Object);
      if (Ref && Ref->getDecl()->getType()->isReferenceType())
        return baseOfLvalue(Ref, Depth);
      return Text.folded(Member->getSourceRange());
    }
    if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(E); Operator && Operator->getNumArgs()) {
      if (Operator->getArg(0)->getType()->isPointerType())
        return baseOfPointer(Operator->getArg(0), Depth);
      return objectText(Operator->getArg(0));
    }
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
      const auto *V = dyn_cast<VarDecl>(Ref->getDecl());
      // A local reference is another name of what it was bound to.
      if (V && V->getType()->isReferenceType() && !isa<ParmVarDecl>(V) && V->getInit() && Depth < 8)
        return baseOfLvalue(V->getInit(), Depth + 1);
      return Ref->getDecl()->getNameAsString();
    }
    if (const auto *Cast = dyn_cast<CastExpr>(E); Cast && Cast->isGLValue())
      return baseOfLvalue(Cast->getSubExpr(), Depth);
    if (const auto *Call = dyn_cast<CallExpr>(E))
      return baseOfCall(Call, Depth, 0);
    if (const auto *Atomic = dyn_cast<AtomicExpr>(E))
      return baseOfPointer(Atomic->getPtr(), Depth);
    return Text.folded(E->getSourceRange());
  }

  std::string objectText(const Expr *Object) const {
    Object = withoutParens(Object);
    if (const auto *Ref = dyn_cast<DeclRefExpr>(Object))
      return Ref->getDecl()->getNameAsString();
    return Text.folded(Object->getSourceRange());
  }

  std::string baseOfPointer(const Expr *E, unsigned Depth) const {
    E = withoutParens(E);
    if (const auto *Cast = dyn_cast<CastExpr>(E)) {
      const Expr *Inner = withoutParens(Cast->getSubExpr());
      switch (Cast->getCastKind()) {
      case CK_ArrayToPointerDecay:
        return baseOfLvalue(Inner, Depth);
      case CK_LValueToRValue:
        // The pointer itself is what is indexed, wherever it was read from.
        if (const auto *Ref = dyn_cast<DeclRefExpr>(Inner))
          return Ref->getDecl()->getNameAsString();
        return Text.folded(Inner->getSourceRange());
      default:
        if (Inner->getType()->isPointerType() || Inner->getType()->isArrayType())
          return baseOfPointer(Inner, Depth);
        return Text.folded(Inner->getSourceRange());
      }
    }
    if (const auto *Binary = dyn_cast<BinaryOperator>(E)) {
      if (Binary->isAdditiveOp())
        return baseOfPointer(
            Binary->getLHS()->getType()->isPointerType() ? Binary->getLHS() : Binary->getRHS(), Depth);
      if (Binary->isAssignmentOp())
        return baseOfLvalue(Binary->getLHS(), Depth);
    }
    if (const auto *Unary = dyn_cast<UnaryOperator>(E)) {
      if (Unary->getOpcode() == UO_AddrOf)
        return baseOfLvalue(Unary->getSubExpr(), Depth);
      if (Unary->isIncrementDecrementOp())
        return objectText(Unary->getSubExpr());
    }
    if (const auto *Call = dyn_cast<CallExpr>(E))
      return Text.folded(Call->getSourceRange());
    return E->isGLValue() ? baseOfLvalue(E, Depth) : Text.folded(E->getSourceRange());
  }

  /// The `Skip`-th pointer that a call gets, counted from zero.
  std::string baseOfCall(const Expr *E, unsigned Depth, unsigned Skip) const {
    const auto *Call = dyn_cast<CallExpr>(E);
    if (!Call)
      return baseOfLvalue(E, Depth);
    for (const Expr *Argument : Call->arguments()) {
      const bool Pointer = Argument->getType()->isPointerType();
      if (!Pointer && !(Argument->isGLValue() && isa<CXXOperatorCallExpr>(Call)))
        continue;
      if (Skip-- == 0)
        return Pointer ? baseOfPointer(Argument, Depth) : baseOfLvalue(Argument, Depth);
    }
    if (const auto *Method = dyn_cast<CXXMemberCallExpr>(Call))
      return objectText(Method->getImplicitObjectArgument());
    return {};
  }

  std::string baseOfAsm(const Stmt *S) const {
    const auto *Asm = dyn_cast<GCCAsmStmt>(S);
    if (!Asm)
      return {};
    for (unsigned N = 0; N != Asm->getNumInputs(); ++N) {
      const Expr *Input = withoutParens(Asm->getInputExpr(N));
      if (Input->getType()->isPointerType())
        return baseOfPointer(Input, 0);
      // An address passed as a number: "l"(__cvta_generic_to_global(p)).
      const auto *Call = dyn_cast<CallExpr>(Input->IgnoreParenCasts());
      if (Call && Call->getNumArgs() && Call->getArg(0)->getType()->isPointerType())
        return baseOfPointer(Call->getArg(0), 0);
      if (Input->IgnoreParenCasts()->getType()->isPointerType())
        return baseOfPointer(Input->IgnoreParenCasts(), 0);
    }
    return {};
  }

  /// `p[i].pos.x`, `p->v[2]`: the member of the structure that is an element of an array.
  std::optional<result::FieldInfo> field(const Expr *E) const {
    SmallVector<const FieldDecl *, 4> Fields; // innermost first
    uint64_t BaseBytes = 0;
    const Expr *Object = withoutParens(E);
    for (;;) {
      // Elements of an array member belong to the member.
      const Expr *Elements = Object;
      while (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(Elements)) {
        const auto *Decay = dyn_cast<ImplicitCastExpr>(withoutParens(Subscript->getBase()));
        if (!Decay || Decay->getCastKind() != CK_ArrayToPointerDecay)
          break;
        Elements = withoutParens(Decay->getSubExpr());
      }
      const auto *Member = dyn_cast<MemberExpr>(Elements);
      const auto *Field = Member ? dyn_cast<FieldDecl>(Member->getMemberDecl()) : nullptr;
      if (!Field)
        break;
      Fields.push_back(Field);
      Object = fromBaseClass(withoutParens(Member->getBase()), BaseBytes);
      if (Member->isArrow())
        break;
    }
    if (Fields.empty())
      return std::nullopt;
    // A member of one plain object walks no array.
    if (const auto *Ref = dyn_cast<DeclRefExpr>(Object);
        Ref && !Object->getType()->isPointerType() && !Ref->getDecl()->getType()->isReferenceType())
      return std::nullopt;
    const QualType ObjectType =
        Object->getType()->isPointerType() ? Object->getType()->getPointeeType() : Object->getType();
    const auto *Record = ObjectType->getAsRecordDecl();
    if (!Record || !Record->isCompleteDefinition() || Record->isInvalidDecl() || Record->isLambda())
      return std::nullopt;

    result::FieldInfo Info;
    Info.structName = ObjectType.getUnqualifiedType().getAsString(Context.getPrintingPolicy());
    Info.structSize = unsigned(Context.getTypeSizeInChars(ObjectType).getQuantity());
    Info.structAlignment = unsigned(Context.getTypeAlignInChars(ObjectType).getQuantity());
    Info.fieldCount = unsigned(std::distance(Record->field_begin(), Record->field_end()));
    uint64_t Bits = 0;
    for (const FieldDecl *Field : llvm::reverse(Fields)) {
      Bits += Context.getFieldOffset(Field);
      if (Field->getName().empty())
        continue; // an anonymous structure or union has no name to show
      Info.field += (Info.field.empty() ? "" : ".") + Field->getNameAsString();
    }
    Info.fieldOffset = unsigned(Bits / 8 + BaseBytes);
    Info.fieldSize = unsigned(Context.getTypeSizeInChars(Fields.front()->getType()).getQuantity());
    if (const QualType Element = Context.getBaseElementType(Fields.front()->getType());
        Element->isScalarType())
      Info.scalarSize = unsigned(Context.getTypeSizeInChars(Element).getQuantity());
    return Info;
  }

  /// `Object` is seen as one of its base classes: steps out to the whole object, and adds where the base sits
  /// in it.
  const Expr *fromBaseClass(const Expr *Object, uint64_t &Bytes) const {
    for (;;) {
      const auto *Cast = dyn_cast<CastExpr>(Object);
      if (!Cast ||
          (Cast->getCastKind() != CK_UncheckedDerivedToBase && Cast->getCastKind() != CK_DerivedToBase))
        return Object;
      Object = withoutParens(Cast->getSubExpr());
      QualType Type =
          Object->getType()->isPointerType() ? Object->getType()->getPointeeType() : Object->getType();
      const CXXRecordDecl *Derived = Type->getAsCXXRecordDecl();
      for (const CXXBaseSpecifier *Base : Cast->path()) {
        const CXXRecordDecl *Next = Base->getType()->getAsCXXRecordDecl();
        if (!Derived || !Next || Base->isVirtual() || !Derived->isCompleteDefinition())
          break;
        Bytes += Context.getASTRecordLayout(Derived).getBaseClassOffset(Next).getQuantity();
        Derived = Next;
      }
    }
  }

  //===-- Describing ------------------------------------------------------------------------------------===//

  struct Query {
    bool reads = false, writes = false; ///< the side that is asked for
    bool call = false;                  ///< the instruction is a call, which the source has as one
    bool either = false;                ///< an atomic: reads and writes
    std::optional<uint64_t> size;       ///< bytes, when known
    bool pointer = false;               ///< the value is a pointer
    const llvm::Value *address = nullptr;
    const llvm::Function *function = nullptr;
    const llvm::DISubprogram *subprogram = nullptr;
    unsigned pointerDepth = 0; ///< loads at the same location that the address went through
  };

  static const llvm::Value *root(const llvm::Value *Pointer) {
    for (unsigned Steps = 0; Pointer && Steps < 64; ++Steps) {
      Pointer = Pointer->stripPointerCasts();
      if (const auto *Gep = dyn_cast<llvm::GEPOperator>(Pointer))
        Pointer = Gep->getPointerOperand();
      else
        break;
    }
    return Pointer;
  }

  /// Higher is better; negative: not this one.
  int score(const Event &E, const Query &Q) const {
    if (E.call != Q.call && !E.call)
      return Q.call ? sideScore(E, Q) - 4 : -1;
    int Score = sideScore(E, Q);
    if (Score < 0)
      return Score;
    if (E.call && !Q.call)
      Score -= 6; // a builtin that becomes a plain access
    if (E.address)
      Score -= 3;
    if (!E.call && E.lvalue) {
      const QualType Type = E.lvalue->getType();
      if (Q.size && !Type->isIncompleteType() && !Type->isDependentType())
        Score += uint64_t(Context.getTypeSizeInChars(Type).getQuantity()) == *Q.size ? 4 : 0;
      if (Q.size)
        Score += Type->isAnyPointerType() == Q.pointer ? 2 : -2;
      if (const llvm::Value *Root = Q.address ? root(Q.address) : nullptr; Root && Root->hasName()) {
        const std::string Base = baseOfLvalue(E.lvalue);
        StringRef Name = Root->getName();
        Name.consume_back(".addr");
        if (!Base.empty() && (Name == Base || (isa<llvm::GlobalVariable>(Root) && Name.contains(Base))))
          Score += 2;
      }
    }
    return Score;
  }

  static int sideScore(const Event &E, const Query &Q) {
    if (Q.either)
      return E.reads && E.writes ? 12 : 8;
    // A call may do both; what its source looks like, say the copy `T v = p[i]`, shows one.
    if ((Q.reads && !E.reads) || (Q.writes && !E.writes))
      return Q.call ? 5 : -1;
    return 10;
  }

  const Event *best(ArrayRef<Event> Events, const Query &Q) const {
    if (Events.size() > 1 && Q.subprogram) {
      // Instances of a template share their places; sizes and types are those of the instance.
      SmallVector<const Event *, 8> Own;
      bool Several = false;
      for (const Event &E : Events)
        Several |= E.function != Events.front().function;
      StringRef Name = Q.subprogram->getLinkageName();
      if (Several && !Name.empty())
        for (const Event &E : Events)
          if (mangled(E.function) == Name)
            Own.push_back(&E);
      if (!Own.empty())
        return best(Own, Q);
    }
    SmallVector<const Event *, 8> All;
    for (const Event &E : Events)
      All.push_back(&E);
    return best(All, Q);
  }

  const Event *best(ArrayRef<const Event *> Events, const Query &Q) const {
    int High = -1;
    SmallVector<const Event *, 4> Best;
    for (const Event *E : Events) {
      const int Score = score(*E, Q);
      if (Score < 0 || Score < High)
        continue;
      if (Score > High)
        Best.clear();
      High = Score;
      Best.push_back(E);
    }
    if (Best.empty())
      return nullptr;
    // Left as equals: `p[i][j]` of a pointer to pointers. The outer expression was entered first.
    if (Best.size() > 1 && Q.size) {
      const size_t FromInside = std::min<size_t>(Q.pointerDepth, Best.size() - 1);
      return Best[Best.size() - 1 - FromInside];
    }
    return Best.front();
  }
};

Sources::Sources(ASTContext &Context) : I(std::make_unique<Index>(Context)) {}
Sources::~Sources() = default;

namespace {

const llvm::Value *addressOf(const llvm::Instruction &Instruction, bool Written) {
  if (const auto *Copy = dyn_cast<llvm::MemTransferInst>(&Instruction))
    return Written ? Copy->getRawDest() : Copy->getRawSource();
  if (const auto *Set = dyn_cast<llvm::MemSetInst>(&Instruction))
    return Set->getRawDest();
  if (const auto *Atomic = dyn_cast<llvm::AtomicRMWInst>(&Instruction))
    return Atomic->getPointerOperand();
  if (const auto *Exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&Instruction))
    return Exchange->getPointerOperand();
  return llvm::getLoadStorePointerOperand(&Instruction);
}

} // namespace

/// The alignment that packed structures around a member leave it.
static unsigned packedAlignment(const ASTContext &Context, const Expr *E) {
  unsigned Least = std::numeric_limits<unsigned>::max();
  while (true) {
    E = E->IgnoreParenImpCasts();
    if (const auto *Member = dyn_cast<MemberExpr>(E)) {
      if (!isa<FieldDecl>(Member->getMemberDecl()))
        return Least;
      Least = std::min(Least, unsigned(Context.getDeclAlign(Member->getMemberDecl()).getQuantity()));
      if (Member->isArrow())
        return Least;
      E = Member->getBase();
    } else if (const auto *Element = dyn_cast<ArraySubscriptExpr>(E);
               Element && Element->getBase()->IgnoreParenImpCasts()->getType()->isConstantArrayType()) {
      E = Element->getBase();
    } else {
      return Least;
    }
  }
}

SourceAccess Sources::describe(const llvm::Instruction &Instruction, bool Written) const {
  SourceAccess Access = describePlain(Instruction, Written);
  if (!virtualCallOf(Instruction))
    return Access;
  // It reads nothing of what the expression names, but what the call itself needs.
  SourceAccess OfCall;
  OfCall.place = place(locationOf(Instruction));
  if (!Access.expression.empty())
    OfCall.expression = Access.expression + " (vtable)";
  return OfCall;
}

SourceAccess Sources::describePlain(const llvm::Instruction &Instruction, bool Written) const {
  const llvm::DILocation *Location = Instruction.getDebugLoc().get();
  SourceAccess Access;
  Access.place = place(Location);

  Index::Query Q;
  Q.function = Instruction.getFunction();
  Q.subprogram = Location ? Location->getScope()->getSubprogram() : nullptr;
  Q.address = addressOf(Instruction, Written);
  const llvm::DataLayout &Layout = Instruction.getModule()->getDataLayout();
  auto valueType = [&](llvm::Type *Type) {
    Q.size = Layout.getTypeStoreSize(Type).getFixedValue();
    Q.pointer = Type->isPointerTy();
  };
  if (const auto *Load = dyn_cast<llvm::LoadInst>(&Instruction)) {
    Q.reads = true;
    valueType(Load->getType());
  } else if (const auto *Store = dyn_cast<llvm::StoreInst>(&Instruction)) {
    Q.writes = true;
    valueType(Store->getValueOperand()->getType());
  } else if (const auto *Copy = dyn_cast<llvm::MemIntrinsic>(&Instruction)) {
    (Written ? Q.writes : Q.reads) = true;
    if (const auto *Length = dyn_cast<llvm::ConstantInt>(Copy->getLength()))
      Q.size = Length->getZExtValue();
  } else if (isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(Instruction)) {
    Q.either = true;
  } else {
    Q.call = true;
    (Written ? Q.writes : Q.reads) = true;
  }
  for (const llvm::Value *Pointer = Q.address ? Index::root(Q.address) : nullptr; Pointer;) {
    const auto *Through = dyn_cast<llvm::LoadInst>(Pointer);
    if (!Through || Through->getDebugLoc() != Instruction.getDebugLoc())
      break;
    ++Q.pointerDepth;
    Pointer = Index::root(Through->getPointerOperand());
  }

  const Event *E = I->best(I->at(Location), Q);
  if (!E)
    if (const auto *Computed = dyn_cast_or_null<llvm::Instruction>(Q.address))
      E = I->best(I->at(Computed->getDebugLoc().get()), Q);
  if (!E)
    return Access;

  const SourceRange Range = E->lvalue ? E->lvalue->getSourceRange() : E->statement->getSourceRange();
  if (result::Place Found = I->Text.place(Range); Found.valid())
    Access.place = Found;
  Access.macros = I->Text.macroPlaces(Range.getBegin());
  Access.expression = I->Text.folded(Range);
  if (!E->lvalue) {
    Access.base = I->baseOfAsm(E->statement);
    return Access;
  }
  if (E->call) {
    // memcpy and its like: the source is the second pointer.
    const bool Source = isa<llvm::MemTransferInst>(Instruction) && !Written;
    Access.base = I->baseOfCall(E->lvalue, 0, Source ? 1 : 0);
    return Access;
  }
  Access.base = I->baseOfLvalue(E->lvalue);
  Access.field = I->field(E->lvalue);
  const QualType Type = E->lvalue->getType();
  if (!Type->isIncompleteType() && !Type->isDependentType())
    Access.typeAlignment = std::min(unsigned(I->Context.getTypeAlignInChars(Type).getQuantity()),
                                    packedAlignment(I->Context, E->lvalue));
  return Access;
}

result::Place Sources::place(const llvm::DILocation *Location) const {
  if (!Location || !Location->getFile() || Location->getLine() == 0)
    return {};
  return {Index::nameOf(Location->getFile()), Location->getLine(), Location->getColumn(), 0, 0};
}

bool Sources::inSystemHeader(const llvm::DILocation *Location) const {
  if (!Location || !Location->getFile())
    return false;
  // What the compiler made up, say a copy constructor, has the place of the class at most.
  if (const llvm::DISubprogram *Function = Location->getScope()->getSubprogram();
      Function && Function->isArtificial())
    return true;
  const llvm::DIFile *File = Location->getFile();
  auto [It, New] = I->systemFiles.try_emplace(File, false);
  if (!New)
    return It->second;
  const std::string Name = Index::nameOf(File);
  if (I->fileNumbers.contains(Name))
    return false; // user code was walked in it
  const auto Entry = I->SM.getFileManager().getOptionalFileRef(Name);
  const FileID ID = Entry ? I->SM.translateFile(*Entry) : FileID();
  // At its end, where a #pragma system_header has had its effect.
  It->second = ID.isValid() && SrcMgr::isSystem(I->SM.getFileCharacteristic(I->SM.getLocForEndOfFile(ID)));
  return It->second;
}

std::optional<result::TileInfo> Sources::tile(const llvm::GlobalVariable &Global) const {
  if (!I->sharedNamed) {
    I->sharedNamed = true;
    for (const auto &[Key, Shared] : I->shared)
      if (Shared.variable)
        I->sharedByName[I->mangledName(Shared.variable)] = &Shared;
  }
  const SharedVariable *Shared = I->sharedByName.lookup(Global.getName());
  if (!Shared || !Shared->variable->getType()->isArrayType())
    return std::nullopt;
  const VarDecl *V = Shared->variable;
  const SourceManager &SM = I->SM;

  result::TileInfo Tile;
  Tile.name = V->getNameAsString();
  Tile.usedFlat = Shared->usedFlat;
  QualType Element = V->getType();
  for (const ArrayType *Array = I->Context.getAsArrayType(Element); Array;
       Array = I->Context.getAsArrayType(Element)) {
    if (const auto *Constant = dyn_cast<ConstantArrayType>(Array))
      Tile.extents.push_back(Constant->getSize().getZExtValue());
    Element = Array->getElementType();
  }
  if (!Element->isIncompleteType())
    Tile.elementSize = unsigned(I->Context.getTypeSizeInChars(Element).getQuantity());

  // The extents as written, as far as they are written here and not in a typedef or a macro.
  Tile.declaration = I->Text.place(V->getLocation());
  unsigned Written = 0;
  std::optional<ArrayTypeLoc> Innermost;
  if (const TypeSourceInfo *Info = V->getTypeSourceInfo()) {
    for (auto Array = Info->getTypeLoc().IgnoreParens().getAs<ArrayTypeLoc>(); Array;
         Array = Array.getElementLoc().IgnoreParens().getAs<ArrayTypeLoc>()) {
      if (Array.getLBracketLoc().isInvalid() || !Array.getLBracketLoc().isFileID() ||
          !Array.getRBracketLoc().isFileID())
        break;
      Tile.declarationText += I->Text.folded(Array.getBracketsRange());
      Innermost = Array;
      ++Written;
    }
  }
  for (unsigned N = Written; N < Tile.extents.size(); ++N)
    Tile.declarationText += "[" + std::to_string(Tile.extents[N]) + "]";
  const Expr *Size = Innermost ? Innermost->getSizeExpr() : nullptr;
  if (!Size || Tile.extents.empty() || Written != Tile.extents.size())
    return Tile;
  const SourceLocation Begin = Innermost->getLBracketLoc().getLocWithOffset(1),
                       End = Innermost->getRBracketLoc();
  if (!SM.isWrittenInSameFile(Begin, End) || SM.getPresumedLoc(Begin).getFileID() != SM.getFileID(Begin))
    return Tile;
  bool Invalid = false;
  const FileID File = SM.getFileID(Begin);
  const StringRef Buffer = SM.getBufferData(File, &Invalid);
  if (Invalid)
    return Tile;
  unsigned From = SM.getFileOffset(Begin), To = SM.getFileOffset(End);
  while (From < To && isWhitespace(Buffer[From]))
    ++From;
  while (To > From && isWhitespace(Buffer[To - 1]))
    --To;
  Tile.innermostOffset = From;
  Tile.innermostText = Buffer.slice(From, To).str();
  const SourceLocation First = SM.getComposedLoc(File, From), Last = SM.getComposedLoc(File, To);
  Tile.innermostExtent = {I->Text.file(First), SM.getSpellingLineNumber(First),
                          SM.getSpellingColumnNumber(First), SM.getSpellingLineNumber(Last),
                          SM.getSpellingColumnNumber(Last)};
  return Tile;
}

namespace {

/// The captured variable behind a field of a closure.
std::string captureName(const CXXRecordDecl *Closure, const FieldDecl *Field) {
  llvm::DenseMap<const ValueDecl *, FieldDecl *> Captures;
  FieldDecl *This = nullptr;
  Closure->getCaptureFields(Captures, This);
  if (Field == This)
    return "this";
  for (const auto &[Variable, Captured] : Captures)
    if (Captured == Field)
      return Variable->getNameAsString();
  return {};
}

} // namespace

std::string Sources::memberPath(const FunctionDecl &Kernel, unsigned Parameter, uint64_t Offset) const {
  if (Parameter >= Kernel.getNumParams())
    return {};
  std::string Path = Kernel.getParamDecl(Parameter)->getNameAsString();
  QualType Type = Kernel.getParamDecl(Parameter)->getType();
  for (;;) {
    if (const ConstantArrayType *Array = I->Context.getAsConstantArrayType(Type)) {
      Type = Array->getElementType();
      const uint64_t Size = I->Context.getTypeSizeInChars(Type).getQuantity();
      if (!Size)
        return {};
      Path += "[" + std::to_string(Offset / Size) + "]";
      Offset %= Size;
      continue;
    }
    const RecordDecl *Record = Type->getAsRecordDecl();
    if (!Record)
      return Offset == 0 ? Path : std::string();
    if (!Record->isCompleteDefinition() || Record->isInvalidDecl())
      return {};
    const ASTRecordLayout &Layout = I->Context.getASTRecordLayout(Record);
    const auto *Class = dyn_cast<CXXRecordDecl>(Record);
    bool Inside = false;
    if (Class)
      for (const CXXBaseSpecifier &Base : Class->bases()) {
        const CXXRecordDecl *BaseClass = Base.getType()->getAsCXXRecordDecl();
        if (Base.isVirtual() || !BaseClass || BaseClass->isEmpty())
          continue;
        const uint64_t Start = Layout.getBaseClassOffset(BaseClass).getQuantity();
        const uint64_t Size = I->Context.getASTRecordLayout(BaseClass).getNonVirtualSize().getQuantity();
        if (Offset < Start || Offset >= Start + Size)
          continue;
        Offset -= Start; // a base has no name of its own
        Type = Base.getType();
        Inside = true;
        break;
      }
    if (Inside)
      continue;
    for (const FieldDecl *Field : Record->fields()) {
      const uint64_t Start = Layout.getFieldOffset(Field->getFieldIndex()) / 8;
      QualType FieldType = Field->getType();
      const uint64_t Size = FieldType->isReferenceType()
                                ? I->Context.getTypeSizeInChars(I->Context.VoidPtrTy).getQuantity()
                                : I->Context.getTypeSizeInChars(FieldType).getQuantity();
      if (Offset < Start || Offset >= Start + Size)
        continue;
      if (Class && Class->isLambda())
        Path = captureName(Class, Field);
      else if (!Field->getName().empty())
        Path += (Path.empty() ? "" : ".") + Field->getNameAsString();
      Offset -= Start;
      Type = FieldType;
      Inside = true;
      break;
    }
    if (!Inside)
      return {}; // padding
  }
}

} // namespace warplint::kernel
