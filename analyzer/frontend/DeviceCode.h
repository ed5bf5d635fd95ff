//===-- DeviceCode.h - Device LLVM IR from a finished parse --------*- C++ -*-===//
//
// Hands every sound device declaration of a translation unit to Clang's code generator, which emits what
// kernels reach.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_FRONTEND_DEVICECODE_H
#define WARPLINT_ANALYZER_FRONTEND_DEVICECODE_H

#include "analyzer/frontend/Frontend.h"
#include "analyzer/frontend/Limits.h"
#include "analyzer/frontend/Soundness.h"

namespace clang {
class CompilerInstance;
}
namespace llvm {
class LLVMContext;
}

namespace warplint::frontend {

struct DeviceCode {
  std::unique_ptr<llvm::Module> module; ///< null when code generation gave up
  std::vector<std::pair<llvm::Function *, const clang::FunctionDecl *>> kernels; ///< in source order
  /// A kernel that the source defines and no code stands for. Of a template without any instance that could
  /// be built there is one; a template that nobody instantiates is not missing.
  struct Omission {
    const clang::FunctionDecl *kernel;
    std::string message;
  };
  std::vector<Omission> omitted; ///< in source order
};

DeviceCode emitDeviceCode(clang::CompilerInstance &, clang::ASTContext &, Soundness &, llvm::LLVMContext &,
                          const Deadline &);

} // namespace warplint::frontend

#endif
