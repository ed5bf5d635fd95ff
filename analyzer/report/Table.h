//===-- Table.h - Columns that fit a terminal ------------------------*- C++ -*-===//
#ifndef WARPLINT_ANALYZER_REPORT_TABLE_H
#define WARPLINT_ANALYZER_REPORT_TABLE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <set>
#include <string>
#include <vector>

namespace warplint::report {

/// Text and numbers in columns two blanks apart. What does not fit is given up in this order: the end of the
/// one flexible column's text, then whole columns by rank.
class Table {
public:
  struct Column {
    std::string heading;
    bool isNumber = true;  ///< to the right
    unsigned dropRank = 0; ///< greatest first; 0: stays
    bool isFlexible = false;
    bool keepsEnd = false; ///< what is cut off is from the middle: names differ at their ends
  };
  explicit Table(std::vector<Column> TheColumns) : Columns(std::move(TheColumns)) {}

  /// As many cells as columns, of text that is safe to print; "" is printed as "-".
  void add(std::vector<std::string> Cells) { Rows.push_back(std::move(Cells)); }
  bool empty() const { return Rows.empty(); }

  /// Columns in which nothing is known are left out. `LeftOut` gets the headings of those that do not fit.
  void print(llvm::raw_ostream &, unsigned Indent, unsigned Width, std::set<std::string> &LeftOut) const;

private:
  std::vector<Column> Columns;
  std::vector<std::vector<std::string>> Rows;
};

/// Terminal columns of text that is safe to print.
unsigned columnsOf(llvm::StringRef Text);
/// At most `Most` columns, with "..." for what is cut off: the end, or the middle.
std::string cutTo(llvm::StringRef Text, unsigned Most, bool KeepEnd = false);
/// Words in lines of at most `Width` columns; all lines but the first are indented by `Indent`, which the
/// first is taken to be too.
void printWrapped(llvm::raw_ostream &, llvm::StringRef Text, unsigned Indent, unsigned Width);

} // namespace warplint::report

#endif
