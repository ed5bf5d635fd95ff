//===-- AccessPicture.h - One access, drawn ------------------------*- C++ -*-===//
//
// What one warp's request does, as a person would draw it: the 32 lanes over the 128-byte lines and their
// sectors, or over the banks of shared memory, and how the counts follow from that.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_REPORT_ACCESSPICTURE_H
#define WARPLINT_ANALYZER_REPORT_ACCESSPICTURE_H

#include "analyzer/report/Report.h"
#include "analyzer/result/Footprint.h"
#include "analyzer/result/Result.h"

namespace warplint::report {

/// An access in one kernel instance and launch, with what the picture needs beyond the report.
struct ExplainedAccess {
  const result::Kernel *kernel = nullptr;
  const result::Access *access = nullptr;
  result::Footprint footprint; ///< of the worst request
  std::string block;           ///< "block 256 from the launch at line 12"
  std::string spacing;         ///< "neighbours are 2 elements apart"; "" for one lane
  bool distancesKnown = true;  ///< false: lanes are unknown sizes apart, so that no distance is to be shown
  std::vector<std::string> remedies; ///< what would make more of it known
};

struct Explanation {
  std::vector<ExplainedAccess> accesses; ///< those of one place and expression side by side
  std::vector<result::Finding> findings; ///< about any of them
};

struct PictureOptions {
  std::string relativeTo; ///< folder that file names are shown relative to; "" shows them as they are
  unsigned width = 80;    ///< columns to fit into
};

/// ASCII apart from names of the source. Instances of an access that differ in nothing that is shown are
/// named together.
void writeExplanation(llvm::raw_ostream &, const Explanation &, const SourceReader &, const PictureOptions &);

} // namespace warplint::report

#endif
