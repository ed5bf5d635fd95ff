//===-- Html.h - The report for people ----------------------------------*- C++ -*-===//
//
// One self-contained page: no network, no script needed to read it. What is wasteful comes first, each with
// the source and the picture that show why.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_REPORT_HTML_H
#define WARPLINT_ANALYZER_REPORT_HTML_H

#include "analyzer/report/AccessPicture.h"
#include "analyzer/report/CodeHosts.h"
#include "analyzer/report/Report.h"
#include <functional>

namespace warplint::report {

/// What the picture of an access needs beyond the report.
using AccessExplainer = std::function<ExplainedAccess(const result::Kernel &, const result::Access &)>;

struct HtmlOptions {
  std::string version;
  std::string relativeTo; ///< as in TextOptions
  std::vector<RuleText> rules;
  std::vector<RunNote> notes;
  AccessExplainer
      explain; ///< null for a report that was read: there are no addresses in it, and no pictures then
  // A page is to open at once however large the project is. What is left out is the least wasteful, and is
  // said.
  size_t maxFindings = 800, maxKernels = 800, maxAccesses = 3000;
  size_t maxPictures = 500;     ///< of accesses that waste something, or that a finding is about
  size_t maxOtherPictures = 20; ///< of others
};

/// HTML that is XML, too. The same report gives the same bytes.
void writeHtml(llvm::raw_ostream &, const result::Report &, const SourceReader &, const HtmlOptions &);

} // namespace warplint::report

#endif
