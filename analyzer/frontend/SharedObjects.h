//===-- SharedObjects.h - __shared__ objects with constructors -----*- C++ -*-===//
//
// nvcc takes a __shared__ object whose constructor or destructor does something and leaves both out; Clang
// rejects the declaration, and every function that uses it is lost. Here `__shared__` is an attribute of our
// own: while Clang checks the initialiser of such an object, the object is a __device__ one, whose
// initialisers may be lifted; afterwards it is __shared__ again, and code generation skips the initialiser as
// nvcc does.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_FRONTEND_SHAREDOBJECTS_H
#define WARPLINT_ANALYZER_FRONTEND_SHAREDOBJECTS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace clang {
class LangOptions;
class Sema;
class VarDecl;
} // namespace clang

namespace llvm {
class Module;
}

namespace warplint::frontend {

/// The attribute that `__shared__` stands for; the supplement defines the macro.
constexpr llvm::StringLiteral SharedAttribute = "warplint_shared";

/// One parse's __shared__ objects; there is at most one of these per thread at a time. Without one, the
/// attribute is plain Clang's.
class SharedObjects {
public:
  explicit SharedObjects(clang::LangOptions &Language);
  ~SharedObjects();
  SharedObjects(const SharedObjects &) = delete;

  /// To be called once the parser's Sema stands.
  void watch(clang::Sema &);
  /// A declaration at the outermost level is complete.
  void outermostDone();
  /// Makes every object that the text declares __shared__ again. Instances of templates are already.
  void restore();
  /// Did code generation meet an object that is not __shared__ again? It would be taken for global memory.
  static bool leftOver(const llvm::Module &);

private:
  friend class SharedAttributeInfo;
  friend class InstanceWatcher;
  void declare(clang::VarDecl *);
  void allowInitializers(bool);

  clang::LangOptions &Language;
  llvm::SmallVector<clang::VarDecl *, 16> Declared;
  llvm::SmallVector<bool, 8> Outer; ///< what was allowed around each instantiation under way
};

} // namespace warplint::frontend

#endif
