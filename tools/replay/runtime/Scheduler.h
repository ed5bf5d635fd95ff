//===-- Scheduler.h - Blocks, warps and lanes that take turns ----------------------*- C++ -*-===//
//
// One lane runs at a time, until it waits for others or ends. A warp's lanes run lowest first; the next warp
// runs when no lane of this one can; blocks that must be resident together take turns in the same way.
// Nothing here depends on time or chance, so that a program is replayed the same way each time.
//
// Lanes of a warp wait for each other in two ways. A *group* names its lanes by a mask (shuffles, votes,
// __syncwarp): it is complete when all of them that still run are there. A *meeting* (__activemask, legacy
// accesses to volatile shared memory) does not: those who are there when no other lane of the warp can move
// are together.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_TOOLS_REPLAY_RUNTIME_SCHEDULER_H
#define WARPLINT_TOOLS_REPLAY_RUNTIME_SCHEDULER_H

#include "tools/replay/runtime/Fiber.h"
#include "tools/replay/runtime/Recorder.h"
#include <csetjmp>
#include <functional>
#include <optional>
#include <string>

namespace warplint::replay {

struct Block;
struct Warp;

enum class LaneState : uint8_t {
  Ready,
  Throttled, ///< far ahead of the others: they get a turn before its requests pile up
  Yielded,   ///< spins: runs again when nobody else can
  Barrier,
  Cluster,
  Group,
  Meeting,
  Done,
};
inline constexpr unsigned LaneStates = 8;

/// What a lane brings to a group, and what it takes away.
struct GroupOperation {
  enum Kind : uint8_t { SyncWarp, Shuffle, Vote, MatchAny, MatchAll, Redux } kind = SyncWarp;
  uint32_t mode = 0; ///< of a shuffle; kind of a vote or a reduction
  uint32_t mask = 0;
  uint64_t key = 0;
  uint64_t value = 0;
  uint32_t b = 0, c = 0; ///< of a shuffle
  uint64_t result = 0;
};

struct Lane {
  Thread thread; ///< what device code sees
  FiberContext fiber;
  const FiberStack *stack = nullptr;
  Warp *warp = nullptr;
  uint32_t bit = 0; ///< in its warp's masks
  LaneState state = LaneState::Done;
  GroupOperation group;
  uint64_t meetingKey = 0, meetingTime = 0;
  uint32_t meetingResult = 0;
  uint32_t barrierOnes = 0, barrierTotal = 0; ///< predicates that the last barrier saw
  uint64_t clusterPhase = 0;
  uint32_t ahead = 0; ///< accesses since it was throttled last
  const void *spunOn = nullptr;
  uint32_t spins = 0;
};

struct Warp {
  Block *block = nullptr;
  Lane *lanes = nullptr; ///< of the block
  uint32_t index = 0;
  uint32_t exists = 0;
  std::array<uint32_t, LaneStates> in{}; ///< lanes by state
  uint64_t meetings = 0;                 ///< that ended one after the other with the newest
  OpenRequests requests;                 ///< of a recorded block

  uint32_t live() const { return exists & ~in[unsigned(LaneState::Done)]; }
  uint32_t &lanesIn(LaneState S) { return in[unsigned(S)]; }
  void set(Lane &, LaneState);
};

/// Of a block's 16.
struct NamedBarrier {
  std::vector<uint32_t> waiting, arrived; ///< lanes per warp; `arrived` do not wait
  uint32_t count = 0;                     ///< lanes in both; 0: nobody has come
  uint32_t threads = 0;                   ///< 0: the whole block
  uint32_t ones = 0;                      ///< predicates of a reduction that are set
};

struct Cluster {
  uint32_t live = 0, arrived = 0;
  uint64_t phase = 0;
  std::vector<Block *> blocks;
};

struct Block {
  BlockIndex index;
  uint32_t live = 0;
  bool recorded = false;
  std::vector<Warp> warps;
  std::vector<Lane> lanes;
  std::array<NamedBarrier, 16> barriers;
  std::vector<char> sharedStorage;
  char *shared = nullptr;
  uint64_t sharedBytes = 0;
  Cluster *cluster = nullptr;
  uint32_t clusterRank = 0;
};

/// A launch as the scheduler sees it.
struct LaunchRequest {
  const Kernel *kernel = nullptr;
  void **arguments = nullptr; ///< copies
  const char *argumentBegin = nullptr, *argumentEnd = nullptr;
  BlockIndex grid, block, cluster{1, 1, 1};
  uint64_t dynamicShared = 0;
  bool together = false; ///< all blocks are resident (cooperative launch)
  Configuration *configuration = nullptr;
  std::vector<uint64_t> recordedBlocks; ///< linear indices, ascending
};

/// Has the time limit passed?
bool timeIsUp();

struct Failure {
  int code = 0; ///< cudaError
  std::string kind, message;
  const Site *site = nullptr;
  std::string file; ///< when there is no site
  uint32_t line = 0;
  bool hasThread = false;
  uint32_t block[3] = {}, thread[3] = {};
};

class Scheduler {
public:
  explicit Scheduler(size_t StackBytes) : Stacks(StackBytes) {}

  /// Runs all threads of a launch. The first failure ends it.
  std::optional<Failure> run(const LaunchRequest &);
  /// Warps that were recorded to their end, in the last run.
  uint64_t recordedWarps() const { return Recorded; }
  /// Called when lanes that a mask names were missing and the rest went on without them.
  std::function<void(const std::string &)> warn;

  //--- From hooks: on a lane's fiber -------------------------------------------
  Lane *current() { return Current; }
  const LaunchRequest &launch() const { return *Launch; }
  bool hasOneBlock() const { return Resident == 1; } ///< at a time
  [[noreturn]] void fail(Failure);
  void yield();
  /// The others get a turn when the lane does the same thing again and again.
  void spin(const void *Address, bool AtOnce);
  void throttle();
  /// Afterwards the lane knows how many predicates were set.
  void barrier(uint32_t Number, uint32_t Threads, bool Predicate);
  void barrierArrive(uint32_t Number, uint32_t Threads);
  uint64_t group(const GroupOperation &);
  uint32_t meet(uint64_t Key);
  void clusterArrive();
  void clusterWait();
  /// From a signal's handler: on whatever stack, while a lane ran.
  [[noreturn]] void failFromSignal(Failure);

private:
  StackPool Stacks;
  const LaunchRequest *Launch = nullptr;
  Lane *Current = nullptr;
  FiberContext Main;
  std::optional<Failure> Failed;
  sigjmp_buf Escape;
  uint64_t Recorded = 0;
  uint64_t Clock = 0;       ///< of meetings
  uint64_t Progress = 0;    ///< counts what is more than spinning
  std::deque<Block> Blocks; ///< resident ones are the first; the others are kept for later
  std::deque<Cluster> Clusters;
  size_t Resident = 0;

  void runGuarded();
  void runAll();
  void makeResident(uint64_t FirstCluster, uint64_t ClusterCount);
  void prepare(Block &, BlockIndex, size_t FirstStack);
  void prepareLane(Block &, uint32_t Linear, const FiberStack &);
  void takeTurns();
  bool runWarp(Warp &);
  void runLane(Lane &);
  void leave(LaneState);
  static void laneMain();
  void endLane();

  void endIfTimeIsUp();
  bool completeGroupsAtStall(Warp &);
  bool completeGroups(Warp &, bool SameKey, bool AllThere);
  void completeGroup(Warp &, uint32_t Lanes);
  bool endMeeting(Warp &);
  bool wakeYielded();
  bool releasePartialGroups();
  NamedBarrier &arriveAt(uint32_t Number, uint32_t Threads, bool Waits);
  bool isComplete(const Block &, const NamedBarrier &) const;
  void release(Block &, NamedBarrier &);
  void advanceCluster(Cluster &);
  Failure deadlock(const std::string &How);
};

/// The one that runs; device code finds it through this.
Scheduler &scheduler();

/// Results of a group's operation for the lanes in `Lanes`.
void evaluateGroup(Lane *WarpLanes, uint32_t Lanes);

BlockIndex blockIndex(uint64_t Linear, BlockIndex Grid);

} // namespace warplint::replay

#endif
