//===-- LastWrites.h - Which writes a read can see -----------------*- C++ -*-===//
//
// Reaching definitions in one function body, over Clang's control flow graph: for a read of a variable, the
// assignments (or its declaration) that may be the last before it.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_KERNEL_LASTWRITES_H
#define WARPLINT_ANALYZER_KERNEL_LASTWRITES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>
#include <optional>
#include <utility>

namespace clang {
class ASTContext;
class CFG;
class CFGBlock;
class Expr;
class FunctionDecl;
class Stmt;
class VarDecl;
} // namespace clang

namespace warplint::kernel {

class LastWrites {
public:
  struct Source {
    const clang::Stmt *write = nullptr; ///< null: what the variable starts with
    const clang::CFGBlock *block = nullptr;
  };

  LastWrites(const clang::FunctionDecl &, clang::ASTContext &);
  ~LastWrites();

  /// The sources that the read `Use` of `Variable` can see, of the writes `Writes` and its beginning. Nothing
  /// when the order of execution is not known: the read or a write is in a lambda, the body can be left by an
  /// exception and go on.
  std::optional<llvm::SmallVector<Source, 2>> before(const clang::Expr *Use, const clang::VarDecl *Variable,
                                                     llvm::ArrayRef<const clang::Stmt *> Writes) const;
  /// Is each of the blocks passed at most once in the variable's life?
  bool exclusive(const clang::VarDecl *Variable, llvm::ArrayRef<Source>) const;

private:
  bool declares(const clang::Stmt *, const clang::VarDecl *) const;
  const clang::CFGBlock *declarationBlock(const clang::VarDecl *) const;

  std::unique_ptr<clang::CFG> Graph; ///< null: not known
  llvm::DenseMap<const clang::Stmt *, std::pair<const clang::CFGBlock *, unsigned>> Positions;
};

} // namespace warplint::kernel

#endif
