//===-- UserCode.h - The bodies that a user wrote -------------------*- C++ -*-===//
//
// Walks the concrete function bodies of a translation unit outside system headers: functions, methods,
// template instances, lambdas and their instances. The toolkit's headers hold thousands of functions that no
// user reads; passing them by is what keeps a walk in milliseconds.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_KERNEL_USERCODE_H
#define WARPLINT_ANALYZER_KERNEL_USERCODE_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace clang {
class ASTContext;
class Decl;
class FunctionDecl;
class Stmt;
class VarDecl;
} // namespace clang

namespace warplint::kernel {

/// What a walk hands out. Templates themselves never appear, only their instances.
struct UserCode {
  /// Each body once. The body of a lambda is part of the function around it; only an instance of a generic
  /// lambda comes by itself.
  llvm::function_ref<void(const clang::FunctionDecl &)> function;
  /// Each variable at namespace or class scope, once.
  llvm::function_ref<void(const clang::VarDecl &)> variable;
};

void walkUserCode(clang::ASTContext &, UserCode);

/// The statements directly inside `S`, null ones left out: like children(), but the body of a generic lambda,
/// which is a template, is left out too.
void forEachChild(const clang::Stmt *S, llvm::function_ref<void(const clang::Stmt *)> Use);

} // namespace warplint::kernel

#endif
