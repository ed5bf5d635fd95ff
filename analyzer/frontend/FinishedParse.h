//===-- FinishedParse.h - Device code of a parse that is not ours --*- C++ -*-===//
//
// For programs that have parsed the device side themselves, clang-tidy say: the same unit that parse() gives,
// of their tree.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_FRONTEND_FINISHEDPARSE_H
#define WARPLINT_ANALYZER_FRONTEND_FINISHEDPARSE_H

#include "analyzer/frontend/Frontend.h"

namespace warplint::frontend {

/// Generates code from a finished tree without errors and calls `Use` once with both. Diagnostics that this
/// makes are kept from the tree's engine; the tree is as it was afterwards. Nothing is known of files it
/// rests on.
ParseOutcome useFinished(clang::ASTContext &, clang::Preprocessor &, unsigned TimeLimitSeconds,
                         llvm::function_ref<void(Unit &)> Use);

} // namespace warplint::frontend

#endif
