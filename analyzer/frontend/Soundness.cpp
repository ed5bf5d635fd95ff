//===-- Soundness.cpp - Which declarations survived the errors ------------===//
#include "analyzer/frontend/Soundness.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace warplint::frontend {

/// Stops at the first recovery expression, invalid declaration or broken type.
class HoleFinder : public RecursiveASTVisitor<HoleFinder> {
public:
  explicit HoleFinder(Soundness &Sound) : Sound(Sound) {}
  bool shouldVisitImplicitCode() const { return true; }
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitExpr(Expr *E) { return !E->containsErrors() && Sound.holds(E->getType()); }
  bool VisitDecl(Decl *D) { return !D->isInvalidDecl(); }
  bool VisitTypeLoc(TypeLoc Written) { return Sound.holds(Written.getType()); } // sizeof, casts
  bool VisitDeclRefExpr(DeclRefExpr *E) { return Sound.holds(E->getDecl()); }
  bool VisitValueDecl(ValueDecl *D) { return Sound.holds(D->getType()); }

private:
  Soundness &Sound;
};

void Soundness::note(SourceLocation Where, const FunctionDecl *Instance) {
  AnyError = true;
  if (Instance)
    Broken.insert(Instance);
  else if (Where.isValid())
    Places.push_back(Sources.getDecomposedLoc(Sources.getExpansionLoc(Where)));
}

/// Nothing when the range does not lie in one file.
Soundness::Stretch Soundness::stretchOf(SourceRange Range) const {
  Stretch Result;
  if (Range.isInvalid())
    return Result;
  std::pair<FileID, unsigned> Begin = Sources.getDecomposedLoc(Sources.getExpansionLoc(Range.getBegin()));
  std::pair<FileID, unsigned> End =
      Sources.getDecomposedLoc(Sources.getExpansionRange(Range.getEnd()).getEnd());
  if (Begin.first == End.first)
    Result = {Begin.first, Begin.second, End.second};
  return Result;
}

bool Soundness::errorIn(SourceRange Range) const {
  if (Places.empty())
    return false;
  Stretch Whole = stretchOf(Range);
  return llvm::any_of(Places, [&](const auto &Place) { return Whole.contains(Place); });
}

/// An initialiser that got lost is outside the declaration's range, but before its semicolon.
bool Soundness::errorInDeclaration(const VarDecl *Variable) const {
  Stretch Whole = stretchOf(Variable->getSourceRange());
  if (Whole.file.isInvalid())
    return false;
  size_t Semicolon = Sources.getBufferData(Whole.file).find(';', Whole.end);
  if (Semicolon != StringRef::npos)
    Whole.end = std::max<unsigned>(Whole.end, Semicolon);
  return llvm::any_of(Places, [&](const auto &Place) { return Whole.contains(Place); });
}

/// Looks through pointers, arrays, functions and aliases: an alias of an unknown type stands for int in the tree.
bool Soundness::holds(QualType Type) {
  while (!Type.isNull()) {
    if (const auto *Alias = dyn_cast<TypedefType>(Type.getTypePtr()))
      if (Alias->getDecl()->isInvalidDecl())
        return false;
    if (const RecordDecl *Record = Type->getAsRecordDecl())
      if (!holds(Record))
        return false;
    QualType Next = Type.getSingleStepDesugaredType(*Context);
    if (Next == Type) {
      if (const auto *Signature = dyn_cast<FunctionProtoType>(Type.getTypePtr());
          Signature && !llvm::all_of(Signature->param_types(), [&](QualType Param) { return holds(Param); }))
        return false;
      if (const auto *Function = dyn_cast<FunctionType>(Type.getTypePtr()))
        Next = Function->getReturnType();
      else if (const auto *Array = dyn_cast<ArrayType>(Type.getTypePtr()))
        Next = Array->getElementType();
      else
        Next = Type->getPointeeType();
    }
    Type = Next;
  }
  return true;
}

/// A constant whose value got lost.
bool Soundness::holds(const ValueDecl *Used) {
  if (Used->isInvalidDecl())
    return false;
  if (const auto *Variable = dyn_cast<VarDecl>(Used)) {
    const Expr *Init = Variable->getAnyInitializer();
    return !(Init && Init->containsErrors()) &&
           !(Variable->hasGlobalStorage() && errorInDeclaration(Variable));
  }
  if (const auto *Constant = dyn_cast<EnumConstantDecl>(Used))
    return !errorIn(cast<EnumDecl>(Constant->getDeclContext())->getSourceRange());
  return true;
}

/// A record with a member that could not be declared has the wrong layout; so has whatever contains it.
bool Soundness::holds(const RecordDecl *Record) {
  Record = Record->getDefinition();
  if (!Record)
    return true;
  auto [At, New] = Records.try_emplace(Record, true); // true meanwhile: a list node points at itself
  if (!New)
    return At->second;

  bool Good = !Record->isInvalidDecl();
  for (const FieldDecl *Field : Record->fields())
    Good = Good && !Field->isInvalidDecl() && holds(Field->getType());
  if (const auto *Class = dyn_cast<CXXRecordDecl>(Record)) {
    for (const CXXBaseSpecifier &Base : Class->bases())
      Good = Good && holds(Base.getType());
    // One that overrides with another type, say, leaves no trace in the tree, and no table can be made with it.
    for (const CXXMethodDecl *Method : Class->methods())
      if (Good && Method->isVirtual()) {
        const Stmt *Body = Method->hasBody() ? Method->getBody() : nullptr;
        Good = !Method->isInvalidDecl() &&
               !errorIn({Method->getBeginLoc(), Body ? Body->getBeginLoc() : Method->getEndLoc()});
      }
  }

  // Members and bases lost to syntax errors leave no trace in the tree. Errors in a method are the method's
  // own.
  if (Good && errorIn(Record->getSourceRange())) {
    std::vector<Stretch> Methods;
    for (const Decl *Member : Record->decls())
      if (const FunctionDecl *Method = Member->getAsFunction(); Method && !Method->isImplicit())
        Methods.push_back(stretchOf(Method->getSourceRange()));
    Stretch Whole = stretchOf(Record->getSourceRange());
    Good = llvm::none_of(Places, [&](const auto &Place) {
      return Whole.contains(Place) &&
             llvm::none_of(Methods, [&](const Stretch &Method) { return Method.contains(Place); });
    });
  }
  return Records[Record] = Good;
}

bool Soundness::sound(const FunctionDecl *Function) {
  if (Function->isInvalidDecl())
    return false;
  if (!AnyError)
    return true;
  Context = &Function->getASTContext();
  if (Broken.contains(Function))
    return false;
  // The error of a template's text is every instance's; the instance's own range is its pattern's.
  if (errorIn(Function->getSourceRange()))
    return false;
  // A method has the object's layout in its signature, even where its body never names the class.
  if (const auto *Method = dyn_cast<CXXMethodDecl>(Function); Method && !holds(Method->getParent()))
    return false;
  if (!holds(Function->getType()))
    return false;
  return HoleFinder(*this).TraverseDecl(const_cast<FunctionDecl *>(Function));
}

bool Soundness::sound(const VarDecl *Variable) {
  if (Variable->isInvalidDecl())
    return false;
  if (!AnyError)
    return true;
  Context = &Variable->getASTContext();
  if (errorInDeclaration(Variable))
    return false;
  return HoleFinder(*this).TraverseDecl(const_cast<VarDecl *>(Variable));
}

} // namespace warplint::frontend
