#include "analyzer/kernel/SourceText.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace warplint::kernel {

CharSourceRange SourceText::inFile(SourceRange Range) const {
  const SourceManager &SM = Context.getSourceManager();
  if (Range.isInvalid())
    return {};
  CharSourceRange InFile =
      Lexer::makeFileCharRange(CharSourceRange::getTokenRange(Range), SM, Context.getLangOpts());
  if (InFile.isValid())
    return InFile;
  return Lexer::makeFileCharRange(SM.getExpansionRange(Range), SM, Context.getLangOpts());
}

llvm::StringRef SourceText::raw(SourceRange Range) const {
  bool Invalid = false;
  const CharSourceRange InFile = inFile(Range);
  if (InFile.isInvalid())
    return {};
  const llvm::StringRef Text =
      Lexer::getSourceText(InFile, Context.getSourceManager(), Context.getLangOpts(), &Invalid);
  return Invalid ? llvm::StringRef() : Text;
}

std::string SourceText::folded(SourceRange Range) const {
  std::string Folded;
  for (char C : raw(Range)) {
    if (!llvm::isSpace(C) && C != '\\')
      Folded += C;
    else if (C != '\\' && !Folded.empty() && Folded.back() != ' ')
      Folded += ' ';
  }
  while (!Folded.empty() && Folded.back() == ' ')
    Folded.pop_back();
  return Folded;
}

std::string SourceText::absolute(llvm::StringRef Directory, llvm::StringRef File) {
  llvm::SmallString<256> Name(File);
  if (!llvm::sys::path::is_absolute(Name)) {
    Name = Directory;
    llvm::sys::path::append(Name, File);
  }
  llvm::sys::path::remove_dots(Name, /*remove_dot_dot=*/true);
  return std::string(Name);
}

std::string SourceText::file(SourceLocation Location) const {
  const SourceManager &SM = Context.getSourceManager();
  const PresumedLoc Presumed = SM.getPresumedLoc(SM.getFileLoc(Location));
  if (Presumed.isInvalid())
    return {};
  llvm::SmallString<256> Name(Presumed.getFilename());
  SM.getFileManager().makeAbsolutePath(Name);
  return absolute({}, Name);
}

result::Place SourceText::placeOf(CharSourceRange Range) const {
  const SourceManager &SM = Context.getSourceManager();
  if (Range.isInvalid())
    return {};
  const PresumedLoc Begin = SM.getPresumedLoc(Range.getBegin()), End = SM.getPresumedLoc(Range.getEnd());
  if (Begin.isInvalid() || End.isInvalid())
    return {};
  return {file(Range.getBegin()), Begin.getLine(), Begin.getColumn(), End.getLine(), End.getColumn()};
}

result::Place SourceText::place(SourceRange Range) const { return placeOf(inFile(Range)); }

std::vector<result::Place> SourceText::macroPlaces(SourceLocation Location) const {
  const SourceManager &SM = Context.getSourceManager();
  std::vector<result::Place> Places;
  for (; Location.isMacroID(); Location = SM.getImmediateExpansionRange(Location).getBegin()) {
    const SourceLocation Spelling = SM.getSpellingLoc(Location);
    if (SM.getFileEntryForID(SM.getFileID(Spelling))) // a name pasted together is spelled in no file
      Places.push_back(placeOf(CharSourceRange::getCharRange(Spelling, Spelling)));
  }
  return Places;
}

result::Place SourceText::expansionPlace(SourceRange Range) const {
  const SourceManager &SM = Context.getSourceManager();
  if (Range.isInvalid())
    return {};
  return placeOf(Lexer::makeFileCharRange(SM.getExpansionRange(Range), SM, Context.getLangOpts()));
}

} // namespace warplint::kernel
