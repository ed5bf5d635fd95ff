//===-- RequestCost.h - A request's cost in any memory, and which is the worse ----*- C++ -*-===//
//
// One set of numbers for all memories, as results hold them. The analysis and replayed programs rank requests
// by the same order, since the worst of the one is compared with the worst of the other.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_MODEL_REQUESTCOST_H
#define WARPLINT_ANALYZER_MODEL_REQUESTCOST_H

#include "analyzer/model/Model.h"
#include <tuple>
#include <utility>

namespace warplint::model {

enum class Memory : uint8_t { Global, Shared, Constant, Local };

/// Which members mean something depends on the memory.
struct RequestCost {
  double lines = 0, sectors = 0, idealSectors = 0, efficiency = 0, sectorEfficiency = 0; ///< global, local
  double wavefronts = 0, idealWavefronts = 0, conflictWays = 0;                          ///< shared
  double distinctAddresses = 0;                                                          ///< constant
};

/// `Cost` is a structure with the members of RequestCost. `IsMatrix`: an ldmatrix.
template <typename Cost = RequestCost>
Cost costOf(Memory Where, const Request &R, bool IsLoad, bool IsMatrix = false) {
  Cost C;
  if (Where == Memory::Shared) {
    const SharedCost M = IsMatrix ? ldmatrixCost(R) : sharedCost(R, IsLoad);
    C.wavefronts = M.wavefronts;
    C.idealWavefronts = M.idealWavefronts;
    C.conflictWays = M.conflictWays;
  } else if (Where == Memory::Constant) {
    C.distinctAddresses = constantCost(R);
  } else {
    const GlobalCost M = Where == Memory::Local ? localCost(R) : globalCost(R);
    C.lines = M.lines;
    C.sectors = M.sectors;
    C.idealSectors = M.idealSectors;
    C.efficiency = M.efficiency();
    C.sectorEfficiency = M.sectorEfficiency();
  }
  return C;
}

/// Is a request of cost A by so many lanes worse than one of cost B? Of the same numbers, those of fewer
/// lanes are worse; where lanes do not matter, both are given as many.
template <typename Cost>
bool worseThan(Memory Where, const Cost &A, unsigned LanesA, const Cost &B, unsigned LanesB) {
  if (Where == Memory::Shared)
    return std::pair(A.conflictWays, A.wavefronts) > std::pair(B.conflictWays, B.wavefronts);
  if (Where == Memory::Constant)
    return A.distinctAddresses > B.distinctAddresses;
  auto Rank = [](const Cost &C, unsigned Lanes) {
    return std::tuple(C.sectors > C.idealSectors, C.sectors, C.lines, -int(Lanes));
  };
  return Rank(A, LanesA) > Rank(B, LanesB);
}

} // namespace warplint::model

#endif
