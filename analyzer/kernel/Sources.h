//===-- Sources.h - What a person sees of an access -----------------*- C++ -*-===//
//
// From an IR instruction's debug location back to the source: the expression that is the access, its text and
// extent, the structure field it names, the declaration of the shared tile it reads.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_KERNEL_SOURCES_H
#define WARPLINT_ANALYZER_KERNEL_SOURCES_H

#include "analyzer/result/Result.h"
#include <memory>
#include <optional>
#include <string>

namespace clang {
class ASTContext;
class FunctionDecl;
} // namespace clang
namespace llvm {
class DILocation;
class GlobalVariable;
class Instruction;
class Type;
} // namespace llvm

namespace warplint::kernel {

struct SourceAccess {
  result::Place place; ///< of the lvalue expression: `tile[threadIdx.x][j]`, `p->x`, `*q`
  std::vector<result::Place> macros; ///< as result::Access has them
  std::string
      expression;   ///< its source text, white space folded to single blanks; macros as the user wrote them
  std::string base; ///< text of the object or pointer that is indexed: `tile`, `c.pos3`
  std::optional<result::FieldInfo> field; ///< a member of an element of an array: `p[i].x`
  /// The alignment (bytes) of the accessed C++ type, which decides how a copy is split; 0: not known.
  unsigned typeAlignment = 0;
};

class Sources {
public:
  explicit Sources(clang::ASTContext &);
  ~Sources();

  /// The source of an access: `Instruction` is a load, store, atomic, or memcpy. For a store or copy,
  /// `Written` selects the side that is written. Tries the pointer operand's location (the subscript) and the
  /// instruction's own (the `=`). Without a match in the AST the place is the instruction's and the
  /// expression is empty.
  /// Of the loads that a virtual call consists of, the place is the called function's name.
  SourceAccess describe(const llvm::Instruction &, bool Written) const;

  /// The source place of a debug location (innermost frame; the caller walks inlinedAt and call paths).
  result::Place place(const llvm::DILocation *) const;
  /// Is the location in a system header (the toolkit, the standard library), where user code has no place?
  bool inSystemHeader(const llvm::DILocation *) const;

  /// The declared extents of a __shared__ array of two or more dimensions (one dimension: extents alone),
  /// found by the IR global's name; nothing when the declaration is not an array.
  std::optional<result::TileInfo> tile(const llvm::GlobalVariable &) const;
  /// "c.pos3": the text for the bytes at `Offset` of a by-value parameter, from its record's fields.
  std::string memberPath(const clang::FunctionDecl &Kernel, unsigned Parameter, uint64_t Offset) const;

private:
  SourceAccess describePlain(const llvm::Instruction &, bool Written) const;
  struct Index;
  std::unique_ptr<Index> I;
};

} // namespace warplint::kernel

#endif
