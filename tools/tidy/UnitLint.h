//===-- UnitLint.h - One analysis for all checks of a translation unit ---------------*- C++ -*-===//
#ifndef WARPLINT_TOOLS_TIDY_UNITLINT_H
#define WARPLINT_TOOLS_TIDY_UNITLINT_H

#include "analyzer/driver/Run.h"
#include "analyzer/result/Result.h"
#include "rules/Rules.h"
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class Preprocessor;
} // namespace clang

namespace warplint::tidy {

/// What CheckOptions say for all checks.
struct ModuleOptions {
  std::optional<std::array<unsigned, 3>> block;
  std::map<std::string, int64_t> assume;
  std::optional<std::string> gpu;
  bool verifyFixes = false;
  unsigned timeLimitSeconds = 0; ///< of processor time, for the analysis of one translation unit; 0: none
};

/// What the checks of one translation unit share. Each enables its rule when clang-tidy makes it; whichever
/// asks first for findings has the unit analysed, by then all are there.
class UnitLint {
public:
  explicit UnitLint(ModuleOptions Given) : Given(std::move(Given)) {}

  void enable(const rules::Rule &);
  /// "global-stride.MinExcessSectors", "8"; one that the rules take.
  void setRuleOption(std::string Key, std::string Value) { RuleOptions[std::move(Key)] = std::move(Value); }
  void setPreprocessor(clang::Preprocessor *Of) { Macros = Of; }
  void setTree(clang::ASTContext *Of) { Tree = Of; }

  /// What the enabled rules say of the finished tree.
  const std::vector<result::Finding> &findings();
  /// Why nothing or not all of the unit was analysed; taken by the first who asks.
  std::vector<result::Error> takeProblems();

private:
  bool isFitForAnalysis();
  void analyze();
  void holdToContracts(result::Report &, const driver::RunOptions &);
  driver::RunOptions runOptions();

  const ModuleOptions Given;
  std::string Enabled = "-*"; ///< as a list of globs
  std::map<std::string, std::string> RuleOptions;
  clang::Preprocessor *Macros = nullptr;
  clang::ASTContext *Tree = nullptr;
  bool Done = false;
  std::vector<result::Finding> Findings;
  std::vector<result::Error> Problems;
};

} // namespace warplint::tidy

#endif
