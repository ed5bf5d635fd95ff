//===-- ShownWork.h - A kernel's work, as far as it is known --------*- C++ -*-===//
//
// What the JSON report and the tables give of result::Work: nothing that could be taken for all there is
// where it is not.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_REPORT_SHOWNWORK_H
#define WARPLINT_ANALYZER_REPORT_SHOWNWORK_H

#include "analyzer/result/Result.h"

namespace warplint::report {

struct ShownWork {
  using Shown = std::optional<result::Amount>;
  Shown fp32, fp64, fp16, tensor, special, integer, flops, requested; ///< per thread
  Shown hauled, distinctPerThread;                                    ///< per thread
  Shown threads, launchFlops, launchBytes, launchHauled, distinct;    ///< per launch

  explicit ShownWork(const result::Work &W) {
    if (!W.threads.isZero())
      threads = W.threads;
    if (!W.incomplete.empty())
      return;
    fp32 = W.fp32;
    fp64 = W.fp64;
    fp16 = W.fp16;
    tensor = W.tensor;
    special = W.special;
    integer = W.integer;
    flops = W.fp32 + W.fp64 + W.fp16 + W.tensor;
    requested = W.requested;
    if (threads) {
      launchFlops = *flops * W.threads;
      launchBytes = W.requested * W.threads;
    }
    if (!W.unknownIndex.empty())
      return;
    hauled = W.hauled;
    distinct = W.distinct;
    if (threads)
      launchHauled = W.hauled * W.threads;
    if (threads && distinct)
      distinctPerThread = *distinct / W.threads;
  }
};

} // namespace warplint::report

#endif
