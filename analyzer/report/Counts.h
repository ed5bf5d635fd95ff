//===-- Counts.h - How much a report holds --------------------------*- C++ -*-===//
//
// The numbers of the summary, counted once for the text line and for the JSON report.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_REPORT_COUNTS_H
#define WARPLINT_ANALYZER_REPORT_COUNTS_H

#include "analyzer/result/Result.h"

namespace warplint::report {

/// Accesses by confidence; accesses that the compiler removes count too.
struct Counts {
  uint64_t accesses = 0, exact = 0, assumed = 0, unknown = 0;

  explicit Counts(const result::Report &Report) {
    for (const result::Kernel &Kernel : Report.kernels)
      for (const result::Access &Access : Kernel.accesses) {
        ++accesses;
        switch (Access.confidence) {
        case result::Confidence::Exact:
          ++exact;
          break;
        case result::Confidence::Assumed:
          ++assumed;
          break;
        case result::Confidence::Unknown:
          ++unknown;
          break;
        }
      }
  }
};

} // namespace warplint::report

#endif
