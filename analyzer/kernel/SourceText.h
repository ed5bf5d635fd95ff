//===-- SourceText.h - Places and text of source ranges -------------*- C++ -*-===//
//
// From Clang's source ranges to what a person sees in a file: the place to put a caret under, and the text
// there. A range inside a macro's body shows the macro as it was used; one inside a macro's argument shows
// itself.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_KERNEL_SOURCETEXT_H
#define WARPLINT_ANALYZER_KERNEL_SOURCETEXT_H

#include "analyzer/result/Result.h"
#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace clang {
class ASTContext;
} // namespace clang

namespace warplint::kernel {

class SourceText {
public:
  explicit SourceText(const clang::ASTContext &Context) : Context(Context) {}

  /// The characters of a token range in its file; empty where the source is not at hand.
  llvm::StringRef raw(clang::SourceRange) const;
  /// raw(), white space and comments' line ends folded to single blanks.
  std::string folded(clang::SourceRange) const;
  result::Place place(clang::SourceRange) const;
  /// place(), but a macro that holds the range is shown whole, arguments included.
  result::Place expansionPlace(clang::SourceRange) const;
  /// Where each macro around a location spells it, innermost first; of an argument its own place comes first.
  std::vector<result::Place> macroPlaces(clang::SourceLocation) const;
  /// The file of a location as `Place::file` names it: absolute, `.` and `..` folded.
  std::string file(clang::SourceLocation) const;
  static std::string absolute(llvm::StringRef Directory, llvm::StringRef File);

private:
  clang::CharSourceRange inFile(clang::SourceRange) const;
  result::Place placeOf(clang::CharSourceRange) const;

  const clang::ASTContext &Context;
};

} // namespace warplint::kernel

#endif
