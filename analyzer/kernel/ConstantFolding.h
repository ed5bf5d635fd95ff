//===-- ConstantFolding.h - What host code surely passes on ---------*- C++ -*-===//
//
// Folds host expressions further than the language's constant expressions go: through variables that are
// written once, records filled member by member, one-line helper functions, and parameters of a function with
// one caller. A value is given only when every run of the program that gets there has it.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_KERNEL_CONSTANTFOLDING_H
#define WARPLINT_ANALYZER_KERNEL_CONSTANTFOLDING_H

#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <optional>

namespace clang {
class ASTContext;
class CallExpr;
class Expr;
class FunctionDecl;
} // namespace clang

namespace warplint::kernel {

class ConstantFolder {
public:
  explicit ConstantFolder(clang::ASTContext &);
  ~ConstantFolder();

  /// The value of an integer, enumeration or boolean expression.
  std::optional<llvm::APSInt> integer(const clang::Expr *);
  /// The value of the member `Field` of an expression of record type: `x` of a dim3.
  std::optional<llvm::APSInt> member(const clang::Expr *Record, llvm::StringRef Field);
  /// The function that an expression of function or function pointer type names, casts looked through.
  const clang::FunctionDecl *function(const clang::Expr *);
  /// The expressions `&x` that an array of pointers was initialised with, `Index` of them; null where there
  /// is none.
  const clang::Expr *pointee(const clang::Expr *Array, unsigned Index);

private:
  struct Impl;
  std::unique_ptr<Impl> I;
};

} // namespace warplint::kernel

#endif
