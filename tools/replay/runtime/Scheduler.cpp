#include "tools/replay/runtime/Scheduler.h"
#include "tools/replay/runtime/Runtime.h"
#include <algorithm>
#include <bit>
#include <chrono>
#include <new>

using namespace warplint::replay;

Thread *warplintReplayThread = nullptr;

/// Accesses by which a lane may be ahead of its warp.
static constexpr uint32_t MaxAhead = 128;
/// Volatile and atomic accesses after which a lane might be spinning: of one address, of any.
static constexpr uint32_t SpinsOnOne = 8, SpinsOnAny = 64;
/// Meetings that end with the newest in a row, so that nobody waits for ever.
static constexpr uint64_t NewestFirst = 64;
/// Meetings of one warp before the next warp runs.
static constexpr unsigned MeetingsPerTurn = 256;
/// Seconds of nothing but spinning that count as a deadlock.
static constexpr int SpinningSeconds = 20;

template <typename Body> static void forLanes(uint32_t Lanes, Body B) {
  for (uint32_t Left = Lanes; Left; Left &= Left - 1)
    B(unsigned(std::countr_zero(Left)));
}

BlockIndex warplint::replay::blockIndex(uint64_t Linear, BlockIndex Grid) {
  return {uint32_t(Linear % Grid.x), uint32_t(Linear / Grid.x % Grid.y), uint32_t(Linear / Grid.x / Grid.y)};
}

void Warp::set(Lane &L, LaneState S) {
  lanesIn(L.state) &= ~L.bit;
  L.state = S;
  lanesIn(S) |= L.bit;
}

//===-- A launch ------------------------------------------------------------===//

std::optional<Failure> Scheduler::run(const LaunchRequest &Request) {
  Launch = &Request;
  Failed.reset();
  Recorded = 0;
  Progress = 0;
  // A signal's handler comes back here, over the frames of the scheduler and of the lane that ran.
  if (sigsetjmp(Escape, 1) == 0)
    runGuarded();
  Current = nullptr;
  warplintReplayThread = nullptr;
  Launch = nullptr;
  return std::move(Failed);
}

void Scheduler::runGuarded() {
  try {
    runAll();
  } catch (const std::bad_alloc &) {
    Failed.emplace();
    Failed->code = ErrorMemoryAllocation;
    Failed->kind = "launch";
    Failed->message = "this machine has no memory for the threads' stacks; set " + std::string(environment::StackBytes) +
                      " to fewer bytes, or launch fewer blocks together";
  }
}

void Scheduler::runAll() {
  const BlockIndex G = Launch->grid, C = Launch->cluster;
  const uint64_t All = uint64_t(G.x / C.x) * (G.y / C.y) * (G.z / C.z);
  const uint64_t AtOnce = Launch->together ? All : 1;
  for (uint64_t First = 0; First < All && !Failed; First += AtOnce) {
    makeResident(First, AtOnce);
    takeTurns();
  }
}

void Scheduler::makeResident(uint64_t FirstCluster, uint64_t ClusterCount) {
  const BlockIndex G = Launch->grid, C = Launch->cluster;
  const BlockIndex GridOfClusters = {G.x / C.x, G.y / C.y, G.z / C.z};
  const uint32_t PerCluster = C.x * C.y * C.z;
  const size_t ThreadsPerBlock = size_t(Launch->block.x) * Launch->block.y * Launch->block.z;
  Resident = size_t(ClusterCount) * PerCluster;
  while (Blocks.size() < Resident)
    Blocks.emplace_back();
  while (Clusters.size() < ClusterCount)
    Clusters.emplace_back();
  for (uint64_t I = 0; I < ClusterCount; ++I) {
    const BlockIndex Where = blockIndex(FirstCluster + I, GridOfClusters);
    Cluster &Group = Clusters[I];
    Group = {};
    for (uint32_t Rank = 0; Rank < PerCluster; ++Rank) {
      const size_t Index = size_t(I) * PerCluster + Rank;
      const BlockIndex Inside = blockIndex(Rank, C);
      Block &B = Blocks[Index];
      B.cluster = &Group;
      B.clusterRank = Rank;
      Group.blocks.push_back(&B);
      prepare(B, {Where.x * C.x + Inside.x, Where.y * C.y + Inside.y, Where.z * C.z + Inside.z},
              Index * ThreadsPerBlock);
      Group.live += B.live;
    }
  }
}

void Scheduler::prepare(Block &B, BlockIndex Index, size_t FirstStack) {
  constexpr uint64_t Alignment = 1024, RedZone = 1024;
  const BlockIndex D = Launch->block, G = Launch->grid;
  const uint32_t Threads = D.x * D.y * D.z, Warps = (Threads + 31) / 32;
  const uint64_t Linear = Index.x + uint64_t(G.x) * (Index.y + uint64_t(G.y) * Index.z);
  B.index = Index;
  B.live = Threads;
  B.recorded = std::binary_search(Launch->recordedBlocks.begin(), Launch->recordedBlocks.end(), Linear);
  B.sharedBytes = Launch->kernel->staticShared + Launch->dynamicShared;
  B.sharedStorage.assign(B.sharedBytes + Alignment + 2 * RedZone, 0);
  B.shared = reinterpret_cast<char *>((uint64_t(B.sharedStorage.data()) + RedZone + Alignment - 1) /
                                      Alignment * Alignment);
  for (NamedBarrier &N : B.barriers)
    N = {};
  B.warps.resize(Warps);
  if (B.lanes.size() != Threads)
    B.lanes = std::vector<Lane>(Threads);
  for (uint32_t I = 0; I < Warps; ++I) {
    Warp &W = B.warps[I];
    W.block = &B;
    W.lanes = &B.lanes[size_t(I) * 32];
    W.index = I;
    const uint32_t Count = std::min(32u, Threads - I * 32);
    W.exists = Count == 32 ? ~0u : (1u << Count) - 1;
    W.in.fill(0);
    W.lanesIn(LaneState::Ready) = W.exists;
    W.meetings = 0;
    if (B.recorded)
      W.requests.begin(*Launch->configuration, Index, I);
  }
  for (uint32_t I = 0; I < Threads; ++I)
    prepareLane(B, I, Stacks.stack(FirstStack + I));
}

void Scheduler::prepareLane(Block &B, uint32_t Linear, const FiberStack &Stack) {
  const BlockIndex D = Launch->block, G = Launch->grid, C = Launch->cluster;
  Lane &L = B.lanes[Linear];
  const BlockIndex T = blockIndex(Linear, D);
  L.thread = {{T.x, T.y, T.z},
              {B.index.x, B.index.y, B.index.z},
              {D.x, D.y, D.z},
              {G.x, G.y, G.z},
              Linear % 32,
              Linear / 32,
              {C.x, C.y, C.z},
              B.clusterRank,
              B.shared,
              Launch->kernel->staticShared,
              Launch->dynamicShared,
              0};
  L.warp = &B.warps[Linear / 32];
  L.bit = 1u << Linear % 32;
  L.state = LaneState::Ready;
  L.stack = &Stack;
  L.clusterPhase = 0;
  L.ahead = 0;
  L.spunOn = nullptr;
  L.spins = 0;
  prepareFiber(L.fiber, Stack, laneMain);
}

//===-- Taking turns --------------------------------------------------------===//

void Scheduler::takeTurns() {
  using Time = std::chrono::steady_clock;
  uint64_t SeenProgress = Progress, Idle = 0;
  Time::time_point Since;
  for (;;) {
    bool Ran = false;
    for (size_t I = 0; I < Resident; ++I)
      for (Warp &W : Blocks[I].warps) {
        Ran |= runWarp(W);
        if (Failed)
          return;
      }
    if (!Ran && !wakeYielded()) {
      if (releasePartialGroups())
        continue;
      const bool Ended = std::all_of(Blocks.begin(), Blocks.begin() + std::ptrdiff_t(Resident),
                                     [](const Block &B) { return B.live == 0; });
      if (!Ended)
        Failed = deadlock("no thread can go on");
      return;
    }
    if (Progress != SeenProgress) {
      SeenProgress = Progress;
      Idle = 0;
      continue;
    }
    // Everybody only spins. Somebody may still count to a million.
    if (Idle++ == 0)
      Since = Time::now();
    if (Idle % 4096 == 0 && Time::now() - Since > std::chrono::seconds(SpinningSeconds)) {
      Failed = deadlock("all threads that can go on only spin");
      return;
    }
  }
}

bool Scheduler::runWarp(Warp &W) {
  bool Ran = false;
  uint32_t &Ready = W.lanesIn(LaneState::Ready);
  for (unsigned Meetings = 0; Meetings < MeetingsPerTurn;) {
    if (!Ready && W.lanesIn(LaneState::Throttled))
      forLanes(W.lanesIn(LaneState::Throttled), [&](unsigned L) { W.set(W.lanes[L], LaneState::Ready); });
    while (Ready) {
      runLane(W.lanes[std::countr_zero(Ready)]);
      Ran = true;
      if (Failed)
        return true;
    }
    if (W.lanesIn(LaneState::Throttled) || completeGroupsAtStall(W))
      continue;
    // Lanes that read a volatile flag again and again meet each time: other warps must get a turn.
    if (!endMeeting(W))
      return Ran;
    ++Meetings;
  }
  return Ran;
}

void Scheduler::runLane(Lane &L) {
  Current = &L;
  warplintReplayThread = &L.thread;
  switchFiber(Main, L.fiber);
}

/// From a lane back to the scheduler; returns when the lane may go on.
void Scheduler::leave(LaneState S) {
  Lane &L = *Current;
  if (S == LaneState::Cluster)
    ++Progress;
  L.warp->set(L, S);
  switchFiber(L.fiber, Main);
}

void Scheduler::fail(Failure F) {
  Failed = std::move(F);
  for (;;)
    switchFiber(Current->fiber, Main);
}

void Scheduler::failFromSignal(Failure F) {
  Failed = std::move(F);
  siglongjmp(Escape, 1);
}

void Scheduler::laneMain() {
  Scheduler &S = scheduler();
  const LaunchRequest &L = *S.Launch;
  (S.Current->warp->block->recorded ? L.kernel->recorded : L.kernel->plain)(L.arguments);
  S.endLane();
}

void Scheduler::endLane() {
  Lane &L = *Current;
  Warp &W = *L.warp;
  Block &B = *W.block;
  --B.live;
  --B.cluster->live;
  W.set(L, LaneState::Done);
  ++Progress;
  if (!W.live() && B.recorded) {
    W.requests.flush();
    ++Recorded;
  }
  // Threads that end count as arrived.
  for (NamedBarrier &N : B.barriers)
    if (N.count && !N.threads && isComplete(B, N))
      release(B, N);
  advanceCluster(*B.cluster);
  switchFiber(L.fiber, Main);
  __builtin_unreachable();
}

void Scheduler::endIfTimeIsUp() {
  if (!timeIsUp())
    return;
  Failure F;
  F.code = ErrorLaunchTimeout;
  F.kind = "time-limit";
  F.message = "the time limit ended the program while the kernel ran";
  fail(std::move(F));
}

void Scheduler::yield() {
  endIfTimeIsUp();
  leave(LaneState::Yielded);
}

void Scheduler::spin(const void *Address, bool AtOnce) {
  Lane &L = *Current;
  const bool Same = L.spunOn == Address;
  L.spunOn = Address;
  L.spins += Same ? SpinsOnAny / SpinsOnOne : 1;
  if (!AtOnce && L.spins < SpinsOnAny)
    return;
  L.spins = 0;
  yield();
}

void Scheduler::throttle() {
  if (++Current->ahead < MaxAhead)
    return;
  Current->ahead = 0;
  endIfTimeIsUp();
  leave(LaneState::Throttled);
}

bool Scheduler::wakeYielded() {
  bool Any = false;
  for (size_t I = 0; I < Resident; ++I)
    for (Warp &W : Blocks[I].warps) {
      const uint32_t Lanes = W.lanesIn(LaneState::Yielded);
      Any |= Lanes != 0;
      forLanes(Lanes, [&](unsigned L) { W.set(W.lanes[L], LaneState::Ready); });
    }
  return Any;
}

//===-- Barriers ------------------------------------------------------------===//

NamedBarrier &Scheduler::arriveAt(uint32_t Number, uint32_t Threads, bool Waits) {
  Warp &W = *Current->warp;
  Block &B = *W.block;
  NamedBarrier &N = B.barriers[Number % B.barriers.size()];
  if (N.waiting.size() != B.warps.size()) {
    N.waiting.assign(B.warps.size(), 0);
    N.arrived.assign(B.warps.size(), 0);
  }
  N.threads = Threads;
  ++N.count;
  (Waits ? N.waiting : N.arrived)[W.index] |= Current->bit;
  return N;
}

bool Scheduler::isComplete(const Block &B, const NamedBarrier &N) const {
  if (!N.threads)
    return N.count >= B.live;
  // Hardware counts warps: one that has come as a whole counts 32 threads, also the last, which may have
  // fewer.
  uint32_t Threads = N.count;
  for (const Warp &W : B.warps)
    if (uint32_t Came = N.waiting[W.index] | N.arrived[W.index]; Came && Came == W.exists)
      Threads += 32 - uint32_t(std::popcount(Came));
  return Threads >= N.threads;
}

void Scheduler::release(Block &B, NamedBarrier &N) {
  const uint32_t Ones = N.ones, Total = N.count;
  for (Warp &W : B.warps) {
    const uint32_t Lanes = N.waiting[W.index];
    if (!Lanes)
      continue;
    if (B.recorded && Lanes == W.live())
      W.requests.flush(Lanes);
    forLanes(Lanes, [&](unsigned I) {
      Lane &L = W.lanes[I];
      L.barrierOnes = Ones;
      L.barrierTotal = Total;
      W.set(L, LaneState::Ready);
    });
    N.waiting[W.index] = 0;
  }
  std::fill(N.arrived.begin(), N.arrived.end(), 0);
  N.count = N.ones = N.threads = 0;
}

void Scheduler::barrier(uint32_t Number, uint32_t Threads, bool Predicate) {
  Lane &L = *Current;
  Block &B = *L.warp->block;
  NamedBarrier &N = arriveAt(Number, Threads, true);
  N.ones += Predicate;
  L.warp->set(L, LaneState::Barrier);
  ++Progress;
  if (isComplete(B, N))
    release(B, N);
  // Also when it is free to go on: the lowest lane of the block is first.
  switchFiber(L.fiber, Main);
}

void Scheduler::barrierArrive(uint32_t Number, uint32_t Threads) {
  Block &B = *Current->warp->block;
  NamedBarrier &N = arriveAt(Number, Threads, false);
  ++Progress;
  if (isComplete(B, N))
    release(B, N);
}

void Scheduler::advanceCluster(Cluster &C) {
  if (C.arrived < C.live || !C.arrived)
    return;
  C.arrived = 0;
  ++C.phase;
  for (Block *B : C.blocks)
    for (Warp &W : B->warps)
      forLanes(W.lanesIn(LaneState::Cluster), [&](unsigned I) {
        if (W.lanes[I].clusterPhase < C.phase)
          W.set(W.lanes[I], LaneState::Ready);
      });
}

void Scheduler::clusterArrive() {
  Cluster &C = *Current->warp->block->cluster;
  Current->clusterPhase = C.phase;
  ++C.arrived;
  ++Progress;
  advanceCluster(C);
}

void Scheduler::clusterWait() {
  Lane &L = *Current;
  if (L.clusterPhase < L.warp->block->cluster->phase)
    return;
  leave(LaneState::Cluster);
}

//===-- Lanes of a warp -----------------------------------------------------===//

uint64_t Scheduler::group(const GroupOperation &O) {
  Lane &L = *Current;
  Warp &W = *L.warp;
  L.group = O;
  L.group.mask |= L.bit;
  W.set(L, LaneState::Group);
  ++Progress;
  const uint32_t Needed = L.group.mask & W.live();
  bool Complete = (W.lanesIn(LaneState::Group) & Needed) == Needed;
  if (Complete)
    forLanes(Needed, [&](unsigned I) {
      const GroupOperation &Other = W.lanes[I].group;
      Complete &= Other.key == O.key && Other.kind == O.kind && Other.mask == L.group.mask;
    });
  if (Complete)
    completeGroup(W, Needed);
  else
    switchFiber(L.fiber, Main);
  return L.group.result;
}

void Scheduler::completeGroup(Warp &W, uint32_t Lanes) {
  evaluateGroup(W.lanes, Lanes);
  if (W.block->recorded && Lanes == W.live())
    W.requests.flush(Lanes);
  forLanes(Lanes, [&](unsigned L) { W.set(W.lanes[L], LaneState::Ready); });
}

bool Scheduler::completeGroups(Warp &W, bool SameKey, bool AllThere) {
  bool Any = false;
  uint32_t Left = W.lanesIn(LaneState::Group);
  while (Left) {
    const GroupOperation &First = W.lanes[std::countr_zero(Left)].group;
    uint32_t Lanes = 0;
    forLanes(Left & First.mask, [&](unsigned L) {
      const GroupOperation &O = W.lanes[L].group;
      if (O.kind == First.kind && O.mask == First.mask && (!SameKey || O.key == First.key))
        Lanes |= 1u << L;
    });
    Left &= ~Lanes;
    if (AllThere && Lanes != (First.mask & W.live()))
      continue;
    completeGroup(W, Lanes);
    Any = true;
  }
  return Any;
}

uint32_t Scheduler::meet(uint64_t Key) {
  Current->meetingKey = Key;
  Current->meetingTime = ++Clock;
  leave(LaneState::Meeting);
  return Current->meetingResult;
}

bool Scheduler::endMeeting(Warp &W) {
  uint32_t Left = W.lanesIn(LaneState::Meeting);
  if (!Left)
    return false;
  // The newest first: they have farther to go than those who came before. But not for ever.
  const bool Newest = W.meetings < NewestFirst;
  uint32_t Chosen = 0;
  uint64_t ChosenTime = 0;
  while (Left) {
    const uint64_t Key = W.lanes[std::countr_zero(Left)].meetingKey;
    uint32_t Lanes = 0;
    uint64_t Time = 0;
    forLanes(Left, [&](unsigned L) {
      if (W.lanes[L].meetingKey != Key)
        return;
      Lanes |= 1u << L;
      Time = std::max(Time, W.lanes[L].meetingTime);
    });
    Left &= ~Lanes;
    if (!Chosen || (Newest ? Time > ChosenTime : Time < ChosenTime)) {
      Chosen = Lanes;
      ChosenTime = Time;
    }
  }
  const bool All = Chosen == W.lanesIn(LaneState::Meeting);
  W.meetings = All || !Newest ? 0 : W.meetings + 1;
  if (W.block->recorded && Chosen == W.live())
    W.requests.flush(Chosen);
  forLanes(Chosen, [&](unsigned L) {
    W.lanes[L].meetingResult = Chosen;
    W.set(W.lanes[L], LaneState::Ready);
  });
  return true;
}

/// No lane of the warp can run: which groups have all the lanes that still run?
bool Scheduler::completeGroupsAtStall(Warp &W) {
  if (!W.lanesIn(LaneState::Group))
    return false;
  return completeGroups(W, true, true) || completeGroups(W, false, true); // __syncwarp at several places
}

bool Scheduler::releasePartialGroups() {
  bool Any = false;
  for (size_t I = 0; I < Resident; ++I)
    for (Warp &W : Blocks[I].warps)
      if (W.lanesIn(LaneState::Group))
        Any |= completeGroups(W, true, false);
  if (Any && warn)
    warn(
        std::string("kernel ") + Launch->kernel->signature +
        ": a shuffle, vote or __syncwarp names lanes in its mask that never come; the others went on without "
        "them (undefined behaviour on a GPU)");
  return Any;
}

//===-- Deadlock ------------------------------------------------------------===//

Failure Scheduler::deadlock(const std::string &How) {
  static constexpr const char *Waits[LaneStates] = {nullptr,
                                                    nullptr,
                                                    "spin on memory",
                                                    "wait at a barrier of the block",
                                                    "wait at a barrier of the cluster",
                                                    "wait for lanes of their warp",
                                                    "wait for lanes of their warp",
                                                    "have ended"};
  Failure F;
  F.code = ErrorLaunchTimeout;
  F.kind = "deadlock";
  F.message = How;
  for (size_t I = 0; I < Resident; ++I) {
    const Block &B = Blocks[I];
    if (!B.live)
      continue;
    const Lane *First = nullptr;
    std::array<unsigned, LaneStates> Count{};
    for (const Lane &L : B.lanes) {
      ++Count[unsigned(L.state)];
      if (!First && L.state != LaneState::Done)
        First = &L;
    }
    const char *Separator = ": of the block's threads ";
    for (unsigned S = 0; S < LaneStates; ++S) {
      if (!Count[S] || !Waits[S])
        continue;
      F.message += Separator + std::to_string(Count[S]) + " " + Waits[S];
      Separator = ", ";
    }
    F.hasThread = true;
    std::copy_n(First->thread.blockIdx, 3, F.block);
    std::copy_n(First->thread.threadIdx, 3, F.thread);
    break;
  }
  return F;
}
