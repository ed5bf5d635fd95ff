//===-- Phases.h - Which lanes shared memory serves together ------*- C++ -*-===//
//
// The parts of a request that sharedCost() counts one after the other, for who shows what it counts.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_MODEL_PHASES_H
#define WARPLINT_ANALYZER_MODEL_PHASES_H

#include "analyzer/model/Model.h"

namespace warplint::model {

/// The phases of a request, lanes ascending. Lanes that are not active belong to one too.
struct Phases {
  std::array<uint32_t, WarpLanes> lanes{}; ///< masks
  unsigned count = 0;
};

/// As sharedCost() has them, merging included. ldmatrix: a width of 16, `isLoad` false.
Phases sharedPhases(const Request &, bool isLoad);

} // namespace warplint::model

#endif
