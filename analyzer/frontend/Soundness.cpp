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
  bool VisitValueDecl(ValueDecl *D) { return Sound.holds(D->getType()); }

private:
  Soundness &Sound;
};

void Soundness::note(SourceLocation Where, const FunctionDecl *Instance) {
  AnyError = true;
  if (Instance) {
    Broken.insert(Instance);
    return;
  }
  if (Where.isInvalid())
    return;
  std::pair<FileID, unsigned> Place = Sources.getDecomposedLoc(Sources.getExpansionLoc(Where));
  Places.push_back(Place);
}

bool Soundness::errorIn(SourceRange Range) const {
  if (Range.isInvalid())
    return false;
  std::pair<FileID, unsigned> Begin = Sources.getDecomposedLoc(Sources.getExpansionLoc(Range.getBegin()));
  std::pair<FileID, unsigned> End =
      Sources.getDecomposedLoc(Sources.getExpansionRange(Range.getEnd()).getEnd());
  for (const auto &[File, Offset] : Places)
    if (File == Begin.first && Begin.second <= Offset && (File != End.first || Offset <= End.second))
      return true;
  return false;
}

/// A record with a member that could not be declared has the wrong layout; so has whatever contains it.
bool Soundness::holds(QualType Type) {
  if (Type.isNull())
    return true;
  const RecordDecl *Record = Type->getBaseElementTypeUnsafe()->getAsRecordDecl();
  if (!Record) {
    QualType Pointee = Type->getPointeeType();
    return Pointee.isNull() || holds(Pointee);
  }
  Record = Record->getDefinition();
  if (!Record)
    return true;
  auto [At, New] = Records.try_emplace(Record, true); // true first: a list node points at itself
  if (!New)
    return At->second;
  bool Good = !Record->isInvalidDecl();
  // Parse errors inside a record lose members without a trace in the tree; its methods lose only bodies.
  for (const FieldDecl *Field : Record->fields())
    Good = Good && !Field->isInvalidDecl() && holds(Field->getType());
  if (const auto *Class = dyn_cast<CXXRecordDecl>(Record))
    for (const CXXBaseSpecifier &Base : Class->bases())
      Good = Good && holds(Base.getType());
  if (Good && !Places.empty() && errorIn(Record->getSourceRange())) {
    // Errors in a method's body are the method's own affair.
    Good = false;
    SourceRange Whole = Record->getSourceRange();
    std::pair<FileID, unsigned> Begin = Sources.getDecomposedLoc(Sources.getExpansionLoc(Whole.getBegin()));
    std::pair<FileID, unsigned> End = Sources.getDecomposedLoc(Sources.getExpansionLoc(Whole.getEnd()));
    bool AllInMethods = true;
    for (const auto &[File, Offset] : Places) {
      if (File != Begin.first || Offset < Begin.second || (File == End.first && Offset > End.second))
        continue;
      bool InMethod = false;
      for (const Decl *Member : Record->decls()) {
        const FunctionDecl *Method = Member->getAsFunction();
        if (!Method || Method->isImplicit())
          continue;
        auto From = Sources.getDecomposedLoc(Sources.getExpansionLoc(Method->getBeginLoc()));
        auto To = Sources.getDecomposedLoc(Sources.getExpansionLoc(Method->getEndLoc()));
        InMethod |= From.first == File && From.second <= Offset && Offset <= To.second;
      }
      AllInMethods &= InMethod;
    }
    Good = AllInMethods;
  }
  return Records[Record] = Good;
}

bool Soundness::sound(const FunctionDecl *Function) {
  if (Function->isInvalidDecl())
    return false;
  if (!AnyError)
    return true;
  if (Broken.contains(Function))
    return false;
  // The error of a template's text is every instance's; the instance's own range is its pattern's.
  if (!Places.empty() && errorIn(Function->getSourceRange()))
    return false;
  return HoleFinder(*this).TraverseDecl(const_cast<FunctionDecl *>(Function));
}

bool Soundness::sound(const VarDecl *Variable) {
  if (Variable->isInvalidDecl())
    return false;
  if (!AnyError)
    return true;
  if (!Places.empty() && errorIn(Variable->getSourceRange()))
    return false;
  return HoleFinder(*this).TraverseDecl(const_cast<VarDecl *>(Variable));
}

} // namespace warplint::frontend
