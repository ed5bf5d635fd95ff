#include "tools/tidy/VerifiedFixes.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/LangStandard.h"
#include "clang/Basic/TargetInfo.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace warplint;

namespace {

/// Is it a folder or header that the module's own .cfg files name? It lies in that folder or one below.
bool isOfModule(StringRef Path) {
  return any_of(
      ArrayRef({Path, sys::path::parent_path(Path), sys::path::parent_path(sys::path::parent_path(Path))}),
      [](StringRef Folder) { return sys::fs::exists(Folder + "/include/__warplint_cuda.h"); });
}

/// Is it one of the compiler's or CUDA's own folders? The parse to come has its own idea of those.
bool isOwnFolder(const clang::HeaderSearchOptions::Entry &E, StringRef Resources) {
  if (E.Group == clang::frontend::ExternCSystem || isOfModule(E.Path))
    return true;
  const StringRef Path = E.Path;
  return E.Group == clang::frontend::System &&
         (Path.starts_with(Resources) || Path.contains("/include/c++/") ||
          Path.ends_with("/usr/local/include") || Path.ends_with("-gnu/include") ||
          sys::fs::exists(Path + "/cuda_runtime.h"));
}

const char *optionOf(clang::frontend::IncludeDirGroup Group) {
  switch (Group) {
  case clang::frontend::Quoted:
    return "-iquote";
  case clang::frontend::Angled:
    return "-I";
  case clang::frontend::After:
    return "-idirafter";
  default:
    return "-isystem";
  }
}

/// The flags of a finished parse, as far as they say what the source means.
std::vector<std::string> flagsOf(const clang::ASTContext &Tree, const clang::Preprocessor &Macros) {
  const clang::HeaderSearchOptions &Search = Macros.getHeaderSearchInfo().getHeaderSearchOpts();
  const clang::PreprocessorOptions &Options = Macros.getPreprocessorOpts();
  const clang::LangOptions &Language = Tree.getLangOpts();
  std::vector<std::string> Flags;
  if (Language.LangStd != clang::LangStandard::lang_unspecified)
    Flags.push_back(
        (Twine("-std=") + clang::LangStandard::getLangStandardForKind(Language.LangStd).getName()).str());
  for (const clang::HeaderSearchOptions::Entry &E : Search.UserEntries)
    if (!isOwnFolder(E, Search.ResourceDir))
      append_range(Flags, ArrayRef<std::string>{optionOf(E.Group), E.Path});
  for (const auto &[Text, IsUndefined] : Options.Macros)
    if (!StringRef(Text).starts_with("__CUDA_ARCH_LIST__"))
      Flags.push_back((IsUndefined ? "-U" : "-D") + Text);
  for (const std::string &Header : Options.Includes)
    if (!sys::path::filename(Header).starts_with("__clang_cuda") && !isOfModule(Header))
      append_range(Flags, ArrayRef<std::string>{"-include", Header});
  return Flags;
}

bool isSame(const result::Finding &L, const result::Finding &R) {
  return L.rule == R.rule && L.message == R.message && L.place.file == R.place.file &&
         L.place.line == R.place.line && L.place.column == R.place.column;
}

} // namespace

void tidy::takeVerifiedFixes(std::vector<result::Finding> &Findings, const std::string &File,
                             const clang::ASTContext &Tree, const clang::Preprocessor &Macros,
                             driver::RunOptions Options) {
  std::vector<result::Finding> Tried;
  if (any_of(Findings, [](const result::Finding &F) { return !F.fixes.empty(); })) {
    Options.frontend.fixedFlags = flagsOf(Tree, Macros);
    Options.frontend.hasFixedFlags = true;
    Options.frontend.arch = Tree.getTargetInfo().getTargetOpts().CPU;
    Options.verifyFixes = true;
    Tried = driver::run({File}, Options).report.findings;
  }
  for (result::Finding &F : Findings) {
    F.fixes.clear();
    const auto At = find_if(Tried, [&](const result::Finding &T) { return isSame(F, T); });
    if (At != Tried.end())
      copy_if(At->fixes, std::back_inserter(F.fixes),
              [](const result::Fix &X) { return X.verified && X.safety == result::FixSafety::Safe; });
  }
}
