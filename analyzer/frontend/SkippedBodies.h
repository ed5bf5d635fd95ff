//===-- SkippedBodies.h - Functions that no kernel depends on -------*- C++ -*-===//
#ifndef WARPLINT_ANALYZER_FRONTEND_SKIPPEDBODIES_H
#define WARPLINT_ANALYZER_FRONTEND_SKIPPEDBODIES_H

#include "clang/AST/Decl.h"
#include "clang/Basic/SourceManager.h"

namespace warplint::frontend {

/// Tells which function bodies a parse may pass over: those of the host functions of the C and C++ libraries
/// that cannot make an instance of a template of the user's, which might launch a kernel. The toolkit's are
/// never passed over: Thrust and CUB launch kernels of their own with the user's functions in them.
class SkippedBodies {
public:
  /// `Toolkit`: the folder of the CUDA toolkit, "" when there is none.
  SkippedBodies(const clang::SourceManager &Sources, llvm::StringRef Toolkit)
      : Sources(Sources), Toolkit(Toolkit) {}

  bool skip(const clang::Decl *);

private:
  bool skipIn(clang::FileID);

  const clang::SourceManager &Sources;
  std::string Toolkit;
  clang::FileID LastFile; ///< functions come file by file
  bool LastAnswer = false;
  bool LastIsText = false;
};

} // namespace warplint::frontend

#endif
