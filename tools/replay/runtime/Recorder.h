//===-- Recorder.h - Lanes' accesses, put together into requests ----------------*- C++ -*-===//
//
// A warp's requests are open until every lane that can still come has come. What is complete is counted and
// forgotten at once, so that a warp needs memory only for how far its lanes are apart.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_TOOLS_REPLAY_RUNTIME_RECORDER_H
#define WARPLINT_TOOLS_REPLAY_RUNTIME_RECORDER_H

#include "tools/replay/runtime/Costs.h"
#include "tools/replay/runtime/Memory.h"
#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace warplint::replay {

/// What launches have to agree in to be counted together.
struct Shape {
  const Kernel *kernel = nullptr;
  BlockIndex grid, block, cluster;
  uint64_t dynamicShared = 0;
  std::string scalars;     ///< bytes of the arguments that are no pointers, one after the other
  bool anyScalars = false; ///< the one that counts all further sets of arguments

  bool operator<(const Shape &) const;
};

/// Launches of one shape, and what they did.
struct Configuration {
  Shape shape;
  uint64_t launches = 0, recordedLaunches = 0;
  uint64_t warps = 0, recordedWarps = 0;
  uint64_t duplicates = 0;
  bool failed = false;    ///< a launch ended early
  bool unaligned = false; ///< a launch was given a pointer that is no multiple of 256
  double seconds = 0;
  std::deque<SiteCounts> counts; ///< in order of first execution

  bool complete() const { return !failed && warps == recordedWarps; }
  SiteCounts &countsOf(Site &, Space);

private:
  std::map<std::pair<const Site *, Space>, SiteCounts *> BySite;
};

/// All configurations, in order of their first launch.
class Recorder {
public:
  Configuration &configuration(Shape);
  const std::deque<Configuration> &configurations() const { return All; }

private:
  std::deque<Configuration> All;
  std::map<Shape, Configuration *> ByShape;
  std::map<const Kernel *, unsigned> Variants;
};

/// One lane's part of a request.
struct LaneAccess {
  Site *site = nullptr;
  uint64_t key = 0;
  Space space = Space::Global;
  unsigned lane = 0;
  int64_t offset =
      0; ///< from the object's base; shared: from the block's memory; local: from the end of the stack
  const Object *object = nullptr; ///< global and constant
};

/// The open requests of one warp.
class OpenRequests {
public:
  void begin(Configuration &, BlockIndex, uint32_t Warp);
  /// `Expected`: the lanes that make the request complete.
  void add(const LaneAccess &, uint32_t Expected);
  /// Counts what is open and has one of these lanes. When all lanes that still run have met, what only lanes that ended
  /// have done is not complete for that: they may have run ahead, and the others come there later.
  void flush(uint32_t Lanes = ~0u);
  size_t size() const { return Used; }

private:
  struct Open {
    Site *site;
    uint64_t key;
    uint64_t objectBegin, objectBase, objectSize; ///< copied: device code may free the object meanwhile
    const char *objectName;
    uint32_t mask;
    uint32_t order; ///< in which requests began
    Space space;
    bool severalObjects;
    std::array<int64_t, model::WarpLanes> address;
  };

  Configuration *Config = nullptr;
  BlockIndex Block;
  uint32_t Warp = 0;
  uint32_t Begun = 0;
  size_t Used = 0;
  std::vector<uint32_t> Slots; ///< open addressing: index into Pool plus 1; 0: free
  std::vector<Open> Pool;
  std::vector<uint32_t> Free;

  size_t home(uint64_t Hash) const { return size_t(Hash >> 20) & (Slots.size() - 1); }
  void erase(size_t Slot);
  void growSlots();
  void insert(uint32_t IndexPlusOne);
  uint32_t take();
  void count(Open &);
  static void setObject(Open &, const Object *);
};

} // namespace warplint::replay

#endif
