//===-- MissingNames.h - Names that old CUDA code expects ----------*- C++ -*-===//
//
// CUDA dropped names that old code still uses. They are declared in a namespace of their own
// (builtin/Old.inc) and found only where every other lookup failed, so no declaration of the program can
// clash with them.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_FRONTEND_MISSINGNAMES_H
#define WARPLINT_ANALYZER_FRONTEND_MISSINGNAMES_H

#include "llvm/ADT/StringRef.h"

namespace clang {
class Sema;
}

namespace warplint::frontend {

/// Where builtin/Old.inc declares the names.
inline constexpr llvm::StringLiteral MissingNamesNamespace = "__warplint_old";

/// Makes `S` look there last.
void supplyMissingNames(clang::Sema &S);

} // namespace warplint::frontend

#endif
