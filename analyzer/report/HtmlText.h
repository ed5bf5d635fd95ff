//===-- HtmlText.h - Text inside a page of HTML ------------------------*- C++ -*-===//
//
// Source text, names and messages may hold anything; none of it becomes markup, and nothing of it is hidden
// from who reads the page. What these functions give is well-formed XML too, whatever they are given.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_REPORT_HTMLTEXT_H
#define WARPLINT_ANALYZER_REPORT_HTMLTEXT_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace warplint::report {

/// As ShownText's escaped(), for text between tags and in attributes in double quotes. Tabs stay.
std::string htmlText(llvm::StringRef);
/// As ShownText's words().
std::string htmlWords(llvm::StringRef);
/// What rules' pages are written in: headings (from <h4> on), paragraphs, lists, fenced code, `code`.
std::string htmlOfMarkdown(llvm::StringRef);

} // namespace warplint::report

#endif
