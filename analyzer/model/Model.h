//===-- Model.h - What one warp's request costs -------------------*- C++ -*-===//
//
// Pure arithmetic over the byte addresses of the active lanes of one warp: 128-byte lines and 32-byte sectors
// in global memory, wavefronts and bank conflicts in shared memory, distinct addresses in constant memory,
// sectors of local memory.
//
// Sources: lines and sectors: CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory" (compute
// capability 6.0 and later). Banks: CUDA C++ Programming Guide, "Shared Memory". Ideal sectors and
// wavefronts: Nsight Compute's definitions. Phases of 8- and 16-byte accesses and their merging: published
// Nsight Compute readings, which test/unit/model/data/calibration.json lists.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_MODEL_MODEL_H
#define WARPLINT_ANALYZER_MODEL_MODEL_H

#include <array>
#include <cstdint>

namespace warplint::model {

inline constexpr unsigned WarpLanes = 32;
inline constexpr unsigned LineBytes = 128;  ///< the unit of a transaction
inline constexpr unsigned SectorBytes = 32; ///< what DRAM and L2 move
inline constexpr unsigned Banks = 32;
inline constexpr unsigned BankBytes = 4;

/// One warp's request: lane l, when bit l of `active` is set, touches `width` bytes from address[l] on.
/// Addresses are byte offsets from a 256-byte aligned base and may be negative.
struct Request {
  std::array<int64_t, WarpLanes> address{};
  uint32_t active = 0;
  unsigned width = 4; ///< bytes per lane: 1, 2, 4, 8, 16 or 32 is one instruction
};

/// A request without active lanes or of width 0 costs nothing: all counts are 0 and nothing is wasted, so
/// both efficiencies are 1.
struct GlobalCost {
  unsigned lines = 0;              ///< distinct aligned 128-byte lines: the transactions
  unsigned sectors = 0;            ///< distinct aligned 32-byte sectors
  unsigned idealSectors = 0;       ///< ceil(active * width / 32)
  unsigned distinctBytes = 0;      ///< bytes that at least one active lane touches
  double efficiency() const;       ///< distinct bytes / (lines * 128)
  double sectorEfficiency() const; ///< distinct bytes / (sectors * 32)
  unsigned excessSectors() const;  ///< max(0, sectors - idealSectors)
};

struct SharedCost {
  unsigned phases = 0;          ///< after merging; those without an active lane do not count
  unsigned wavefronts = 0;      ///< sum over phases of the most distinct words in one bank
  unsigned idealWavefronts = 0; ///< ceil(active * width / 128)
  unsigned conflictWays = 0;    ///< most distinct words in one bank within one phase
};

/// Lines, sectors and bytes of any width, also at addresses that are not a multiple of it.
GlobalCost globalCost(const Request &);
/// Up to 4 bytes per lane are one phase over the warp, 8 two half-warps, 16 four quarter-warps, lanes
/// ascending. Loads of 8 and 16 bytes may merge phases; stores do not. They merge pairwise (8: to one, 16: to
/// two) when, over the whole warp, every active lane's xor-1 partner, or every active lane's xor-2 partner,
/// is inactive or reads the same address. Other widths, which no instruction has, take the phases of the next
/// power of two.
SharedCost sharedCost(const Request &, bool isLoad);
/// ldmatrix (PTX ISA): lane l gives the address of a matrix row of 16 bytes, rows of 8 lanes are one phase
/// and phases do not merge. x1, x2 and x4 have 8, 16 and 32 active lanes. The request's width plays no part.
SharedCost ldmatrixCost(const Request &);
/// Distinct addresses: one wavefront each (Programming Guide, "Constant Memory"). Width plays no part.
unsigned constantCost(const Request &);
/// Local memory: word i of neighbouring threads is neighbouring, so a request of one index for all lanes is
/// coalesced, and each further index costs sectors of its own. Addresses are offsets in a thread's own
/// memory; the ideal is one index for all.
GlobalCost localCost(const Request &);
/// The bank that serves a byte address of shared memory: floor(address / 4) mod 32.
unsigned bankOf(int64_t Address);

} // namespace warplint::model

#endif
