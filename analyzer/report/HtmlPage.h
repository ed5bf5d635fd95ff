//===-- HtmlPage.h - The frame of the HTML report ----------------------*- C++ -*-===//
#ifndef WARPLINT_ANALYZER_REPORT_HTMLPAGE_H
#define WARPLINT_ANALYZER_REPORT_HTMLPAGE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace warplint::report {

/// From the first byte to <body>. The page's policy allows its own style and script alone, by their hashes:
/// nothing of a report can run or be fetched, even where escaping had a hole.
void writePageStart(llvm::raw_ostream &, llvm::StringRef Title);
void writePageEnd(llvm::raw_ostream &);

} // namespace warplint::report

#endif
