//===-- Explain.h - One access, for who asks about it -------------------------------*- C++ -*-===//
//
// Picks the accesses at a place of the source out of a report and adds what their picture needs.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_DRIVER_EXPLAIN_H
#define WARPLINT_ANALYZER_DRIVER_EXPLAIN_H

#include "analyzer/report/AccessPicture.h"
#include "analyzer/result/Result.h"
#include <optional>
#include <string>
#include <vector>

namespace warplint::driver {

struct AccessQuery {
  std::string file;
  unsigned line = 0;
  std::optional<unsigned> column; ///< in bytes, from 1 on
};

struct ExplainOutcome {
  report::Explanation explanation;
  /// Where nothing is at the place: what is wrong, then the nearest accesses, a line each.
  std::vector<std::string> problem;
};

/// One access with all that its picture needs. Points to both.
report::ExplainedAccess explained(const result::Kernel &, const result::Access &);

/// Points into the report. `LinesOfFile`: how many lines the file has; 0 when that is not known.
ExplainOutcome explain(const result::Report &, const AccessQuery &, unsigned LinesOfFile);

} // namespace warplint::driver

#endif
