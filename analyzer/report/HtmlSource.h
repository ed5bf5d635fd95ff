//===-- HtmlSource.h - Source lines inside a page of HTML ----------------*- C++ -*-===//
#ifndef WARPLINT_ANALYZER_REPORT_HTMLSOURCE_H
#define WARPLINT_ANALYZER_REPORT_HTMLSOURCE_H

#include "analyzer/report/SourceText.h"
#include "analyzer/result/Result.h"
#include <string>

namespace warplint::report {

/// The lines of a place with `Around` lines before and after, the place marked; "" where they cannot be read.
std::string htmlOfSource(SourceTexts &, const result::Place &, unsigned Around);
/// What the edits of a fix do to their lines, as a diff; "" where a file cannot be read, or is not that of
/// the edits.
std::string htmlOfEdits(SourceTexts &, const std::vector<result::Edit> &);

} // namespace warplint::report

#endif
