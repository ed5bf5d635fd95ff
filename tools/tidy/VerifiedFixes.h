//===-- VerifiedFixes.h - Fixes that were tried out ---------------------------------*- C++ -*-===//
#ifndef WARPLINT_TOOLS_TIDY_VERIFIEDFIXES_H
#define WARPLINT_TOOLS_TIDY_VERIFIEDFIXES_H

#include "analyzer/driver/Run.h"
#include "analyzer/result/Result.h"

namespace warplint::tidy {

/// Leaves of each finding's fixes those that are safe and that a re-analysis of the changed source proved.
/// Parses the file again with the folders, macros and language of the finished parse: where that does not
/// lead to the same finding, it has no fix.
void takeVerifiedFixes(std::vector<result::Finding> &, const std::string &File, const clang::ASTContext &,
                       const clang::Preprocessor &, driver::RunOptions);

} // namespace warplint::tidy

#endif
