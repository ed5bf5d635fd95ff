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
#include "clang/AST/DeclGroup.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace clang {
class CodeGenOptions;
class HeaderSearchOptions;
class PreprocessorOptions;
} // namespace clang
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

/// What the code generator is to know of a parse beside its tree.
struct CodeSource {
  llvm::StringRef file;
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files;
  const clang::HeaderSearchOptions &search;
  const clang::PreprocessorOptions &preprocessing;
  const clang::CodeGenOptions &how;
};

/// Functions and variables that a parse took out of a precompiled header because it needed them, and instances
/// it made of templates there. The rest of the header is left alone: reading all of it costs more than parsing.
class PrecompiledDecls {
public:
  /// To be told of everything that an ASTConsumer's HandleTopLevelDecl and HandleInterestingDecl see.
  void parsed(clang::DeclGroupRef);
  void loaded(clang::DeclGroupRef);

private:
  friend DeviceCode emitDeviceCode(const CodeSource &, clang::ASTContext &, Soundness &, PrecompiledDecls &,
                                   llvm::LLVMContext &, const Deadline &);
  std::vector<clang::Decl *> Waiting;
  llvm::function_ref<void(clang::Decl *)> Feed; ///< set while code is generated, which loads more
};

DeviceCode emitDeviceCode(const CodeSource &, clang::ASTContext &, Soundness &, PrecompiledDecls &,
                          llvm::LLVMContext &, const Deadline &);
/// No passes, names kept, debug places for every access.
void settleCode(clang::CodeGenOptions &, llvm::StringRef Directory);

} // namespace warplint::frontend

#endif
