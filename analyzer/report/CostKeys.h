//===-- CostKeys.h - Which numbers of a cost mean something ----------*- C++ -*-===//
#ifndef WARPLINT_ANALYZER_REPORT_COSTKEYS_H
#define WARPLINT_ANALYZER_REPORT_COSTKEYS_H

#include "analyzer/result/Result.h"
#include "llvm/ADT/ArrayRef.h"

namespace warplint::report {

struct CostKey {
  const char *name;
  double result::Cost::*member;
};

/// The keys of a cost that mean something in a space, in the schema's order.
inline llvm::ArrayRef<CostKey> costKeys(result::Space Space) {
  using result::Cost;
  static constexpr CostKey Global[] = {{"lines", &Cost::lines},
                                       {"sectors", &Cost::sectors},
                                       {"idealSectors", &Cost::idealSectors},
                                       {"efficiency", &Cost::efficiency},
                                       {"sectorEfficiency", &Cost::sectorEfficiency}};
  static constexpr CostKey Shared[] = {{"wavefronts", &Cost::wavefronts},
                                       {"idealWavefronts", &Cost::idealWavefronts},
                                       {"conflictWays", &Cost::conflictWays}};
  static constexpr CostKey Constant[] = {{"distinctAddresses", &Cost::distinctAddresses}};
  static constexpr CostKey Local[] = {{"sectors", &Cost::sectors},
                                      {"idealSectors", &Cost::idealSectors},
                                      {"sectorEfficiency", &Cost::sectorEfficiency}};
  switch (Space) {
  case result::Space::Global:
    return Global;
  case result::Space::Shared:
    return Shared;
  case result::Space::Constant:
    return Constant;
  case result::Space::Local:
    return Local;
  case result::Space::Unknown:
    break;
  }
  return {};
}

} // namespace warplint::report

#endif
