//===-- ConstantFolding.h - What host code surely passes on ---------*- C++ -*-===//
//
// Folds host expressions further than the language's constant expressions go: through variables, records
// filled member by member, one-line helper functions, and parameters of functions whose calls are known. A
// value is given only when every run of the program that gets there has it. Where runs differ (several
// callers of a function, two sides of a condition) the folder names the fork, and folds again with one way
// chosen.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_KERNEL_CONSTANTFOLDING_H
#define WARPLINT_ANALYZER_KERNEL_CONSTANTFOLDING_H

#include "analyzer/kernel/OutsideUses.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace clang {
class ASTContext;
class CallExpr;
class Expr;
class FunctionDecl;
} // namespace clang

namespace warplint::kernel {

/// A point from which the program can go on in several ways, each of which gives another value.
struct Fork {
  const void *at = nullptr; ///< identifies it
  unsigned ways = 0;
  const clang::FunctionDecl *called = nullptr; ///< whose calls the ways are; null: sides of conditions
};

/// One way for each of some forks.
using Scenario = llvm::SmallVector<std::pair<const void *, unsigned>, 4>;

class ConstantFolder {
public:
  /// `Outside`: calls in other files; they must outlive it.
  explicit ConstantFolder(clang::ASTContext &, llvm::ArrayRef<OutsideUse> Outside = {});
  ~ConstantFolder();

  /// The value of an integer, enumeration or boolean expression.
  std::optional<llvm::APSInt> integer(const clang::Expr *);
  /// The value of a member of an expression of record type, by names from the outermost inwards: {"x"} of a
  /// dim3.
  std::optional<llvm::APSInt> member(const clang::Expr *Record, llvm::ArrayRef<llvm::StringRef> Fields);
  /// The function that an expression of function or function pointer type names, casts looked through.
  const clang::FunctionDecl *function(const clang::Expr *);
  /// The expressions `&x` that an array of pointers was initialised with, `Index` of them; null where there
  /// is none.
  const clang::Expr *pointee(const clang::Expr *Array, unsigned Index);

  /// From here on, values are those of runs that go these ways.
  void assume(const Scenario &);
  /// The forks that the queries since assume() met and that decide their values.
  llvm::ArrayRef<Fork> forks() const;
  /// In words, what the first of those queries to fail failed at; "" when none did or it was a fork.
  std::string obstacle() const;
  /// Whether a value may also be one of several that are possible (an initialiser that may be overwritten,
  /// the bound of a minimum): a likely value, never a certain one.
  void guess(bool);
  /// A way of a fork at calls: either is null.
  std::pair<const clang::CallExpr *, const OutsideUse *> callOf(const clang::FunctionDecl *, unsigned Way);
  /// The functions whose parameters those queries asked for and that nothing calls, as far as is known,
  /// though other files can.
  llvm::ArrayRef<const clang::FunctionDecl *> uncalled() const;

private:
  struct Impl;
  std::unique_ptr<Impl> I;
};

} // namespace warplint::kernel

#endif
