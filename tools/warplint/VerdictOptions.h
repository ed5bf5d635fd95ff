//===-- VerdictOptions.h - The command line about kernels as a whole ----------*- C++ -*-===//
#ifndef WARPLINT_TOOLS_WARPLINT_VERDICTOPTIONS_H
#define WARPLINT_TOOLS_WARPLINT_VERDICTOPTIONS_H

#include "analyzer/driver/Verdict.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace warplint {

/// --list-gpus
bool listGpusIsAsked();
/// The lines that it prints.
std::string gpuList();

/// Of --gpu, --registers, --ptxas-log and --cache-hit; the error names the option and what would be right.
llvm::Expected<driver::Machine> machineOfOptions();

/// --report
bool tablesAreAsked();
/// Columns of the tables: COLUMNS, else the terminal's, else 80.
unsigned tableWidth();

} // namespace warplint

#endif
