//===-- UnitLint.h - One analysis for all checks of a translation unit ---------------*- C++ -*-===//
#ifndef WARPLINT_TOOLS_TIDY_UNITLINT_H
#define WARPLINT_TOOLS_TIDY_UNITLINT_H

#include "analyzer/kernel/Analysis.h"
#include "analyzer/result/Result.h"
#include "rules/Rules.h"
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class Preprocessor;
} // namespace clang

namespace warplint::tidy {

/// What the checks of one translation unit share. Each enables its rule when clang-tidy makes it; whichever asks
/// first for findings has the unit analysed, by then all are there.
class UnitLint {
public:
  void enable(const rules::Rule &);
  void setFacts(kernel::AnalysisOptions Of) { Facts = std::move(Of); }
  void setVerifyFixes(bool Wanted) { VerifyFixes = Wanted; }
  void setPreprocessor(clang::Preprocessor *Of) { Macros = Of; }
  void setTree(clang::ASTContext *Of) { Tree = Of; }

  /// Runs the enabled rules on the finished tree; once.
  const std::vector<result::Finding> &findings();
  /// Why nothing or not all of the unit was analysed, each with its place; taken by the first who asks.
  std::vector<result::Error> takeProblems();

private:
  void analyze();
  bool isFitForAnalysis();

  std::string Enabled = "-*"; ///< as a list of globs
  kernel::AnalysisOptions Facts;
  bool VerifyFixes = false;
  clang::Preprocessor *Macros = nullptr;
  clang::ASTContext *Tree = nullptr;
  bool Done = false;
  std::vector<result::Finding> Findings;
  std::vector<result::Error> Problems;
};

} // namespace warplint::tidy

#endif
