//===-- ParseJson.h - JSON of files that anybody may have written ---------------------*- C++ -*-===//
//
// LLVM's reader calls itself for every bracket: a file of brackets would end the program, not the reading.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_REPORT_PARSEJSON_H
#define WARPLINT_ANALYZER_REPORT_PARSEJSON_H

#include "llvm/Support/JSON.h"

namespace warplint::report {

/// As json::parse; brackets nested beyond all use are an error.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef Text);

} // namespace warplint::report

#endif
