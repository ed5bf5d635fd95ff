//===-- Report.h - Writers over a report -----------------------------*- C++ -*-===//
#ifndef WARPLINT_ANALYZER_REPORT_REPORT_H
#define WARPLINT_ANALYZER_REPORT_REPORT_H

#include "analyzer/result/Result.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>
#include <optional>
#include <string>

namespace warplint::report {

/// Gives the text of a file for carets and snippets; nothing when it cannot be read.
using SourceReader = std::function<std::optional<std::string>(const std::string &File)>;

struct TextOptions {
  bool color = false;
  bool quiet = false;      ///< no summary lines
  std::string relativeTo;  ///< folder that file names are shown relative to; "" shows them as they are
};

/// Clang's text form: `file:line:col: warning: message [rule]`, the source line, a caret, notes.
void writeText(llvm::raw_ostream &, const result::Report &, const SourceReader &, const TextOptions &);

/// The JSON report, schema warplint-report/1 (analyzer/report/warplint-report-1.schema.json).
void writeJson(llvm::raw_ostream &, const result::Report &, const char *Version);

} // namespace warplint::report

#endif
