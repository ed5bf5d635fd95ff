//===-- Costs.h - Requests of one source access, added up -------------------------*- C++ -*-===//
//
// What a request costs, which of two requests is the worse (analyzer/model) and what a mean is: as the
// analysis has it (analyzer/kernel/Recorder), since the two are compared.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_TOOLS_REPLAY_RUNTIME_COSTS_H
#define WARPLINT_TOOLS_REPLAY_RUNTIME_COSTS_H

#include "analyzer/model/RequestCost.h"
#include "tools/replay/runtime/Abi.h"
#include <array>
#include <cstdint>
#include <string>

namespace warplint::replay {

using Space = model::Memory;
inline constexpr unsigned SpaceCount = 4;
const char *spelling(Space);

using Cost = model::RequestCost;

struct BlockIndex {
  uint32_t x = 0, y = 0, z = 0;
};

/// Where a request happened.
struct Whereabouts {
  BlockIndex block;
  uint32_t warp = 0;
  const char *objectName = nullptr; ///< of a variable
  uint64_t objectBegin = 0, objectSize = 0;
};

/// All requests of one site in one space.
struct SiteCounts {
  const Site *site = nullptr;
  Space space = Space::Global;
  uint64_t requests = 0, lanes = 0;
  Cost sum, worst;
  model::Request worstRequest;
  Whereabouts worstPlace;
  unsigned maxLanes = 0;
  unsigned lanesPerAddress = 0, atomicAddresses = 0; ///< of the most contended request of an atomic

  /// `Where` is asked for the worst request alone.
  template <typename Where> void add(const model::Request &R, Where Asked) {
    if (!sameGeometry(R)) {
      LastCost = model::costOf(space, R, site->operation == SiteOperation::Load,
                               site->mechanism == SiteMechanism::Ldmatrix);
      if (site->operation == SiteOperation::Atomic)
        countContention(R);
    }
    Last = R;
    const unsigned Lanes = addToSums(R);
    if (requests == 1 ||
        model::worseThan(space, LastCost, Lanes, worst, unsigned(__builtin_popcount(worstRequest.active)))) {
      worst = LastCost;
      worstRequest = R;
      worstPlace = Asked();
    }
  }

private:
  model::Request Last;
  Cost LastCost;
  /// Does it cost what the last one did, since it is the same but for whole lines?
  bool sameGeometry(const model::Request &) const;
  void countContention(const model::Request &);
  unsigned addToSums(const model::Request &);
};

} // namespace warplint::replay

#endif
