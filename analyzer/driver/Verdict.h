//===-- Verdict.h - A kernel as a whole on one GPU ------------------*- C++ -*-===//
//
// From what a kernel does (result::Work), what its blocks take and what the user says of the GPU: its
// roofline, its occupancy and the product of its efficiencies. The arithmetic is the model's; here is what is
// known and what is not.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_DRIVER_VERDICT_H
#define WARPLINT_ANALYZER_DRIVER_VERDICT_H

#include "analyzer/driver/PtxasLog.h"
#include "analyzer/model/Gpu.h"
#include "analyzer/result/Result.h"
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warplint::driver {

/// What the user says of the machine.
struct Machine {
  std::optional<model::Gpu> gpu;
  std::optional<unsigned> registers;           ///< per thread, of every kernel
  std::map<std::string, unsigned> registersOf; ///< by a kernel's name, qualified name or signature
  std::shared_ptr<const PtxasLog> ptxas;       ///< null: none
  std::string ptxasFile;                       ///< its name, for messages
  std::optional<double> cacheHit;              ///< share of the bandwidth that the caches keep, 0 to 1
};

/// Fills the kernel's roofline, occupancy and eta. Register counts: by name, else of the log, else for every
/// kernel.
void judge(result::Kernel &, const Machine &);

/// Names and log entries that met no kernel, e.g. because of a misspelt name; a log that was hard to read.
std::vector<std::string> notesOn(const Machine &, const std::vector<result::Kernel> &);

} // namespace warplint::driver

#endif
