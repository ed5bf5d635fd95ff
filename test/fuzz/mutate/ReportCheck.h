//===-- ReportCheck.h - What every report must keep, whatever the source ------*- C++ -*-===//
#ifndef WARPLINT_TEST_FUZZ_MUTATE_REPORTCHECK_H
#define WARPLINT_TEST_FUZZ_MUTATE_REPORTCHECK_H

#include "analyzer/result/Result.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace warplint::fuzz {

/// What is wrong with a report about the one source `Text`: numbers that no warp can have, results that
/// contradict their confidence, places outside the file. "" when nothing is.
std::string problemOf(const result::Report &, llvm::StringRef Text);

/// What is wrong with the JSON form of a report; "" when nothing is. The schema is checked elsewhere, by a
/// validator that knows nothing of warplint.
std::string problemOfJson(llvm::StringRef Json, const result::Report &);

} // namespace warplint::fuzz

#endif
