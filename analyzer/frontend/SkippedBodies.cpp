//===-- SkippedBodies.cpp - Functions that no kernel depends on -----------===//
#include "analyzer/frontend/SkippedBodies.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace warplint::frontend {

namespace {

/// Parts of the C++ library whose templates are about characters, numbers and time: they neither hold nor
/// call what is the user's. All others may: a container constructs its elements, a pointer runs its deleter.
bool isAboutText(StringRef File) {
  static const llvm::StringSet<> Names{"string",
                                       "basic_string.h",
                                       "basic_string.tcc",
                                       "string_view",
                                       "string_view.tcc",
                                       "char_traits.h",
                                       "charconv",
                                       "format",
                                       "quoted_string.h",
                                       "string_conversions.h",
                                       "iomanip",
                                       "ios",
                                       "ios_base.h",
                                       "basic_ios.h",
                                       "basic_ios.tcc",
                                       "istream",
                                       "istream.tcc",
                                       "ostream",
                                       "ostream.tcc",
                                       "ostream_insert.h",
                                       "sstream",
                                       "sstream.tcc",
                                       "fstream",
                                       "fstream.tcc",
                                       "streambuf",
                                       "streambuf.tcc",
                                       "streambuf_iterator.h",
                                       "basic_file.h",
                                       "locale_classes.h",
                                       "locale_classes.tcc",
                                       "locale_facets.h",
                                       "locale_facets.tcc",
                                       "locale_facets_nonio.h",
                                       "locale_facets_nonio.tcc",
                                       "locale_conv.h",
                                       "codecvt.h",
                                       "fs_path.h",
                                       "fs_dir.h",
                                       "regex.h",
                                       "regex.tcc",
                                       "regex_automaton.h",
                                       "regex_automaton.tcc",
                                       "regex_compiler.h",
                                       "regex_compiler.tcc",
                                       "regex_executor.h",
                                       "regex_executor.tcc",
                                       "regex_scanner.h",
                                       "regex_scanner.tcc",
                                       "random.h",
                                       "random.tcc",
                                       "uniform_int_dist.h",
                                       "chrono",
                                       "chrono.h",
                                       "complex",
                                       "bitset"};
  return Names.contains(llvm::sys::path::filename(File));
}

/// Can a caller hand it an object of a type of their own (a lambda, say), to call or to print?
bool takesAnything(const FunctionDecl *Function) {
  return llvm::any_of(Function->parameters(), [](const ParmVarDecl *Parameter) {
    QualType Type = Parameter->getType().getNonReferenceType();
    if (const auto *Pack = Type->getAs<PackExpansionType>())
      Type = Pack->getPattern().getNonReferenceType();
    return Type->isTemplateTypeParmType() || Type->isFunctionPointerType();
  });
}

} // namespace

bool SkippedBodies::skip(const Decl *D) {
  const FunctionDecl *Function = D->getAsFunction();
  return Function && !Function->hasAttr<CUDADeviceAttr>() && !Function->hasAttr<CUDAGlobalAttr>() &&
         skipIn(Sources.getFileID(Sources.getExpansionLoc(Function->getLocation()))) &&
         // What is no template instantiates none of the user's.
         (!Function->isTemplated() || (LastIsText && !takesAnything(Function)));
}

bool SkippedBodies::skipIn(FileID File) {
  if (File != LastFile) {
    LastFile = File;
    OptionalFileEntryRef Entry = Sources.getFileEntryRefForID(File);
    LastAnswer = Entry && Sources.isInSystemHeader(Sources.getLocForStartOfFile(File)) &&
                 !(!Toolkit.empty() && Entry->getName().starts_with(Toolkit));
    LastIsText = LastAnswer && isAboutText(Entry->getName());
  }
  return LastAnswer;
}

} // namespace warplint::frontend
