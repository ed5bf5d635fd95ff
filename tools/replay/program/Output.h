//===-- Output.h - What was measured, for people and programs ---------------*- C++ -*-===//
#ifndef WARPLINT_TOOLS_REPLAY_PROGRAM_OUTPUT_H
#define WARPLINT_TOOLS_REPLAY_PROGRAM_OUTPUT_H

#include "tools/replay/program/Comparison.h"
#include "tools/replay/program/Measurement.h"
#include "llvm/Support/raw_ostream.h"

namespace warplint::replay {

struct OutputOptions {
  std::string relativeTo; ///< folder that file names are shown relative to
  unsigned width = 0;     ///< columns of the terminal; 0: no limit
  bool verbose = false;   ///< agreements one by one, too
};

/// How the program ended.
struct ProgramEnd {
  int status = 0;
  std::string problem;
};

/// One table for each kernel and configuration and space, the worst accesses first.
void writeTables(llvm::raw_ostream &, const Measurement &, const OutputOptions &);
/// The disagreements, worst kind first, and how many there are of each kind.
void writeComparison(llvm::raw_ostream &, const ComparisonResult &, const OutputOptions &);
/// The keys of warplint's report with those of a measurement and a comparison (README.md).
void writeJson(llvm::raw_ostream &, const Measurement &, const ComparisonResult *, const ProgramEnd &,
               const char *Version);

} // namespace warplint::replay

#endif
