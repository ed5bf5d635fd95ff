//===-- Report.h - Writers over a report -----------------------------*- C++ -*-===//
//
// The forms in which a run's result leaves warplint. Writers print what they are given, in the order in which
// it is given: they drop no finding, rank nothing and compute no cost.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_REPORT_REPORT_H
#define WARPLINT_ANALYZER_REPORT_REPORT_H

#include "analyzer/result/Result.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>
#include <optional>
#include <string>

namespace warplint::report {

/// Gives the text of a file for carets and snippets; nothing when it cannot be read.
using SourceReader = std::function<std::optional<std::string>(const std::string &File)>;

struct TextOptions {
  bool color = false;
  bool quiet = false;     ///< no summary lines: for who prints summaryLine, which writeText never does
  std::string relativeTo; ///< folder that file names are shown relative to; "" shows them as they are
};

/// Clang's text form: `file:line:col: warning: message [rule]`, the source line, a caret, notes. Errors come
/// first, then the findings, each with its notes and its verified fixes.
///
/// Columns are bytes from 1 on; the caret line counts terminal columns (tab stops every 8, wide and combining
/// characters as Unicode has them). A range over several lines is underlined to the end of its first line.
/// What a terminal would not print, or would obey, is shown as clang shows it: <U+001B>, <FF>. A place that
/// cannot be read, or a line wider than 4096 columns, has no snippet; a note at its finding's place does not
/// repeat it.
void writeText(llvm::raw_ostream &, const result::Report &, const SourceReader &, const TextOptions &);

struct TableOptions {
  unsigned width = 80;    ///< columns of the terminal
  std::string relativeTo; ///< as in TextOptions
};

/// The tables of --report: each kernel's accesses, the worst first, with what is known of the kernel as a whole, then
/// all kernels side by side. Lines are as wide as asked for, from about 40 columns on: expressions are cut, then
/// columns left out, which the last line names.
void writeTables(llvm::raw_ostream &, const result::Report &, const TableOptions &);

/// The JSON report, schema warplint-report/1 (analyzer/report/warplint-report-1.schema.json). Text that is no
/// UTF-8 is repaired, numbers print as integers where they are, else with the fewest digits that give them
/// back. An access has the cost keys of its space; none, and no "mean" and "total", when it is unknown. Of a
/// finding's fixes only the verified ones are written: no edit leaves warplint that was not re-analysed.
void writeJson(llvm::raw_ostream &, const result::Report &, const char *Version);

/// Reads back what writeJson wrote, and refuses what it would lose. Of a kernel, it reads what kernels are told apart
/// by and keeps the text. An error names what is wrong by its path in the report.
llvm::Expected<result::Report> readJson(llvm::StringRef Text, std::string &Version);

/// "3 findings in 2 kernels (12 accesses: 9 exact, 2 assumed, 1 unknown)": the summary on stderr, without a
/// newline. Kernels count per instance and launch configuration, as in the JSON report.
std::string summaryLine(const result::Report &);

} // namespace warplint::report

#endif
