//===-- SourceText.h - Lines and columns of source files -------------*- C++ -*-===//
//
// Places count columns in bytes, as the compiler does. Other tools count what they hold text in: UTF-16 code
// units. This reads the files that a report speaks of, each once, and converts.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_REPORT_SOURCETEXT_H
#define WARPLINT_ANALYZER_REPORT_SOURCETEXT_H

#include "analyzer/report/Report.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <vector>

namespace warplint::report {

/// One file. Lines end at LF, CR LF or CR, as for the compiler.
class SourceText {
public:
  explicit SourceText(std::string Text);

  struct Position {
    unsigned line, column; ///< from 1; the column in UTF-16 code units
  };
  /// The UTF-16 column of a byte column. A byte order mark counts for nothing, a byte that is no UTF-8 as one
  /// character. Where there is no such line or column, the end of what is there.
  unsigned utf16Column(unsigned Line, unsigned ByteColumn) const;
  /// Where a byte offset is; nothing beyond the end.
  std::optional<Position> position(size_t Offset) const;
  llvm::StringRef text() const { return Text; }
  /// From 1 on, with its end; "" where there is no such line.
  llvm::StringRef line(unsigned Number) const;
  unsigned lines() const { return unsigned(LineStarts.size()); }

private:
  std::string Text;
  std::vector<size_t> LineStarts;
};

/// The files that a report speaks of.
class SourceTexts {
public:
  explicit SourceTexts(SourceReader Read) : Read(std::move(Read)) {}
  /// Null when it cannot be read.
  const SourceText *find(const std::string &File);

private:
  SourceReader Read;
  std::map<std::string, std::optional<SourceText>> Files;
};

/// The fingerprints that GitHub's code scanning follows alerts by, for each line of a text: a rolling hash of
/// the 100 characters that are no blanks from the line's start on, then how often that hash occurred so far.
/// The same as github/codeql-action's, which fills them in where they are missing, and objects to others.
std::vector<std::string> lineHashes(llvm::StringRef Text);

} // namespace warplint::report

#endif
