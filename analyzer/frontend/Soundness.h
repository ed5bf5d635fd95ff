//===-- Soundness.h - Which declarations survived the errors -------*- C++ -*-===//
//
// A file with errors still has functions that no error touches. Only those may reach code generation: Clang's
// code generator expects a tree without holes, and a statement lost to an error would make exact results
// wrong.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_FRONTEND_SOUNDNESS_H
#define WARPLINT_ANALYZER_FRONTEND_SOUNDNESS_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <vector>

namespace warplint::frontend {

class Soundness {
public:
  explicit Soundness(const clang::SourceManager &SM) : Sources(SM) {}

  /// An error at `Where` that may have dropped part of the tree. `Instance`: the template instance that was
  /// being built, or null when the error is in the text itself.
  void note(clang::SourceLocation Where, const clang::FunctionDecl *Instance);
  bool anyError() const { return AnyError; }

  /// Did an error come up while this template instance was being built?
  bool errorWhileBuilding(const clang::FunctionDecl *Instance) const { return Broken.contains(Instance); }

  /// Can code be generated for it: no hole in it, no error inside it, no broken type in it?
  bool sound(const clang::FunctionDecl *);
  bool sound(const clang::VarDecl *);

private:
  friend class HoleFinder;
  /// A stretch of one file, both ends included.
  struct Stretch {
    clang::FileID file;
    unsigned begin = 0, end = 0;
    bool contains(const std::pair<clang::FileID, unsigned> &Place) const {
      return Place.first == file && begin <= Place.second && Place.second <= end;
    }
  };
  Stretch stretchOf(clang::SourceRange) const;
  bool errorIn(clang::SourceRange) const;
  bool errorInDeclaration(const clang::VarDecl *) const;
  bool holds(clang::QualType);
  bool holds(const clang::RecordDecl *);
  bool holds(const clang::ValueDecl *);

  const clang::SourceManager &Sources;
  const clang::ASTContext *Context = nullptr;
  bool AnyError = false;
  std::vector<std::pair<clang::FileID, unsigned>> Places; ///< of errors, by file and offset
  llvm::DenseSet<const clang::FunctionDecl *> Broken;     ///< template instances
  llvm::DenseMap<const clang::RecordDecl *, bool> Records;
};

} // namespace warplint::frontend

#endif
