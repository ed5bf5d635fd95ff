//===-- Hooks.cpp - What device code calls ----------------------------------------------===//
//
// See Abi.h. All run on a lane's fiber.
//
//===----------------------------------------------------------------------===//
#include "tools/replay/runtime/Runtime.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <link.h>

using namespace warplint;
using namespace warplint::replay;

static Failure failureHere(int Code, const char *Kind, std::string Message) {
  const Thread &T = *warplintReplayThread;
  Failure F;
  F.code = Code;
  F.kind = Kind;
  F.message = std::move(Message);
  F.hasThread = true;
  std::copy_n(T.blockIdx, 3, F.block);
  std::copy_n(T.threadIdx, 3, F.thread);
  return F;
}

[[noreturn]] static void failHere(int Code, const char *Kind, std::string Message, const Site *S = nullptr) {
  Failure F = failureHere(Code, Kind, std::move(Message));
  F.site = S;
  scheduler().fail(std::move(F));
}

//===-- Accesses ------------------------------------------------------------===//

namespace {
struct Range {
  uint64_t begin = 0, end = 0;
};
} // namespace

/// What the program's file holds that nothing writes: tables and strings that the compiler made of device
/// code.
static const std::vector<Range> &readOnlyData() {
  static const std::vector<Range> Ranges = [] {
    std::vector<Range> Found;
    dl_iterate_phdr(
        [](dl_phdr_info *Info, size_t, void *Data) {
          for (int I = 0; I < Info->dlpi_phnum; ++I) {
            const auto &P = Info->dlpi_phdr[I];
            if ((P.p_type == PT_LOAD && !(P.p_flags & PF_W)) || P.p_type == PT_GNU_RELRO)
              static_cast<std::vector<Range> *>(Data)->push_back(
                  {Info->dlpi_addr + P.p_vaddr, Info->dlpi_addr + P.p_vaddr + P.p_memsz});
          }
          return 1; // the program itself is the first
        },
        &Found);
    return Found;
  }();
  return Ranges;
}

static bool isReadOnlyData(uint64_t Address) {
  const auto &All = readOnlyData();
  return std::any_of(All.begin(), All.end(),
                     [&](const Range &R) { return Address >= R.begin && Address < R.end; });
}

static const char *verb(const Site &S) {
  switch (S.operation) {
  case SiteOperation::Load:
    return "load";
  case SiteOperation::Store:
    return "store";
  case SiteOperation::Atomic:
    break;
  }
  return "atomic";
}

static std::string hexadecimal(uint64_t V) {
  char Text[24];
  std::snprintf(Text, sizeof Text, "0x%llx", static_cast<unsigned long long>(V));
  return Text;
}

[[noreturn]] static void outOfBounds(const Site &S, uint64_t Address, const std::string &Where) {
  failHere(ErrorIllegalAddress, "out-of-bounds",
           std::string(verb(S)) + " of " + std::to_string(S.width) + " bytes at " + hexadecimal(Address) +
               " is outside every allocation: " + Where,
           &S);
}

/// An offset into the block's shared memory, with the block that it belongs to.
static bool isShared(const Block &B, uint64_t Address) {
  return Address - uint64_t(B.shared) < B.sharedBytes;
}

static void checkShared(const Site &S, const Block &B, uint64_t Offset, uint64_t Address) {
  if (Offset + S.width > B.sharedBytes)
    outOfBounds(S, Address,
                "over the end of the block's " + std::to_string(B.sharedBytes) + " bytes of shared memory");
}

/// Shared memory of another block of the cluster.
static const Block *clusterBlock(const Block &B, uint64_t Address) {
  for (const Block *Other : B.cluster->blocks)
    if (Other != &B && isShared(*Other, Address))
      return Other;
  return nullptr;
}

/// Fills space, object and offset; ends the launch when there is nothing at the address.
static void classify(LaneAccess &A, const Lane &L, uint64_t Address) {
  const Site &S = *A.site;
  const Block &B = *L.warp->block;
  if (isShared(B, Address)) {
    A.space = Space::Shared;
    A.offset = int64_t(Address - uint64_t(B.shared));
    return checkShared(S, B, uint64_t(A.offset), Address);
  }
  if (L.stack->contains(Address)) {
    A.space = Space::Local;
    A.offset = int64_t(Address - uint64_t(L.stack->high));
    return;
  }
  Runtime &R = runtime();
  if (const Object *O = R.memory.find(Address, uint64_t(A.site) / sizeof(Site))) {
    if (!O->contains(Address, S.width))
      outOfBounds(S, Address, describeDistance(O, Address, S.width));
    A.space = O->kind == ObjectKind::Constant ? Space::Constant : Space::Global;
    A.object = O;
    A.offset = int64_t(Address - O->base());
    return;
  }
  if (const Block *Other = clusterBlock(B, Address)) {
    A.space = Space::Shared;
    A.offset = int64_t(Address - uint64_t(Other->shared));
    return checkShared(S, *Other, uint64_t(A.offset), Address);
  }
  const LaunchRequest &Launch = scheduler().launch();
  if (Address >= uint64_t(Launch.argumentBegin) && Address < uint64_t(Launch.argumentEnd)) {
    A.space = Space::Constant;
    A.offset = int64_t(Address - uint64_t(Launch.argumentBegin));
    return;
  }
  if (isReadOnlyData(Address)) {
    A.space = Space::Global;
    A.offset = int64_t(Address);
    return;
  }
  const uint64_t FromShared = Address - uint64_t(B.shared);
  if (int64_t(FromShared) > -1024 && FromShared + 1024 < B.sharedBytes + 4096)
    outOfBounds(S, Address,
                "byte " + std::to_string(int64_t(FromShared)) + " of the block's " +
                    std::to_string(B.sharedBytes) + " bytes of shared memory");
  outOfBounds(S, Address, describeDistance(R.memory.nearest(Address), Address, S.width));
}

/// Bits that the address of an access may not have.
static uint64_t misalignedBits(const Site &S) {
  return !(S.width & (S.width - 1)) && S.width <= 32 ? S.width - 1 : 0;
}

static void checkAlignment(const Site &S, uint64_t Address) {
  if (Address & misalignedBits(S))
    failHere(ErrorMisalignedAddress, "misaligned",
             std::string(verb(S)) + " of " + std::to_string(S.width) + " bytes at " + hexadecimal(Address) +
                 ", which is not a multiple of " + std::to_string(S.width),
             &S);
}

/// The driver's memory, not the program's: a GPU has it in a place of its own.
static bool isDriverMemory(uint64_t Address) {
  return Address - uint64_t(&runtime().gridWorkspace) < sizeof(GridWorkspace);
}

static void record(Site *S, uint64_t Key, uint64_t Address, uint32_t Expected) {
  Scheduler &Here = scheduler();
  if (isDriverMemory(Address))
    return Here.throttle();
  Lane &L = *Here.current();
  LaneAccess A;
  A.site = S;
  A.key = Key;
  A.lane = L.thread.lane;
  classify(A, L, Address);
  checkAlignment(*S, Address);
  if (L.warp->block->recorded && !(A.space == Space::Local && S->throughPointer))
    L.warp->requests.add(A, Expected & L.warp->live());
  Here.throttle();
}

void warplintReplayAccess(Site *S, uint64_t Key, const void *Address) {
  record(S, Key, uint64_t(Address), ~0u);
}

void warplintReplayMatrixRows(Site *S, uint64_t Key, const void *Address, uint32_t Rows) {
  if (warplintReplayThread->lane < Rows)
    record(S, Key, uint64_t(Address), Rows >= 32 ? ~0u : (1u << Rows) - 1);
}

/// What the next access of the site may touch without asking.
static void remember(Site &S, const LaneAccess &A, const Block &B) {
  uint64_t Begin = 0, Size = 0;
  if (A.object) {
    Begin = A.object->begin;
    Size = A.object->size;
  } else if (A.space == Space::Shared && scheduler().hasOneBlock()) {
    Begin = uint64_t(B.shared); // the next block has it in the same place
    Size = B.sharedBytes;
  }
  if (Size)
    runtime().checkedSites.remember(S, {Begin, Size - S.width + 1, misalignedBits(S)});
}

void warplintReplayCheck(Site *S, uint64_t Address) {
  if (isDriverMemory(Address))
    return;
  const Lane &L = *scheduler().current();
  LaneAccess A;
  A.site = S;
  classify(A, L, Address);
  checkAlignment(*S, Address);
  remember(*S, A, *L.warp->block);
}

void warplintReplayCheckRows(Site *S, const void *Address, uint32_t Rows) {
  if (warplintReplayThread->lane < Rows)
    warplintReplayCheck(S, uint64_t(Address));
}

void warplintReplayVolatile(const void *Address, uint64_t Key) {
  Scheduler &S = scheduler();
  if (isShared(*S.current()->warp->block, uint64_t(Address)))
    S.meet(Key);
  else
    S.spin(Address, false);
}

void warplintReplayAtomic(const void *Address, uint32_t Failed) { scheduler().spin(Address, Failed); }

void *warplintReplayMalloc(uint64_t Bytes) { return runtime().memory.allocate(Bytes, ObjectKind::Heap); }

void warplintReplayFree(void *Pointer) {
  if (Pointer && !runtime().memory.release(Pointer))
    failHere(ErrorLaunchFailure, "out-of-bounds", "free() of what malloc() did not give");
  runtime().checkedSites.forget();
}

//===-- Threads together ----------------------------------------------------===//

void warplintReplayBarrier(uint32_t Barrier, uint32_t Threads) {
  scheduler().barrier(Barrier, Threads, false);
}

void warplintReplayBarrierArrive(uint32_t Barrier, uint32_t Threads) {
  scheduler().barrierArrive(Barrier, Threads);
}

uint32_t warplintReplayBarrierReduce(uint32_t Kind, uint32_t Barrier, uint32_t Threads, uint32_t Predicate) {
  Scheduler &S = scheduler();
  S.barrier(Barrier, Threads, Predicate != 0);
  const Lane &L = *S.current();
  switch (Kind) {
  case 0:
    return L.barrierOnes;
  case 1:
    return L.barrierOnes == L.barrierTotal;
  default:
    return L.barrierOnes != 0;
  }
}

void warplintReplayClusterArrive(void) { scheduler().clusterArrive(); }
void warplintReplayClusterWait(void) { scheduler().clusterWait(); }

void warplintReplaySyncWarp(uint32_t Mask, uint64_t Key) {
  GroupOperation O;
  O.kind = GroupOperation::SyncWarp;
  O.mask = Mask;
  O.key = Key;
  scheduler().group(O);
}

uint64_t warplintReplayShuffle(uint32_t Mode, uint32_t Mask, uint32_t Value, uint32_t B, uint32_t C,
                               uint64_t Key) {
  GroupOperation O;
  O.kind = GroupOperation::Shuffle;
  O.mode = Mode;
  O.mask = Mask;
  O.key = Key;
  O.value = Value;
  O.b = B;
  O.c = C;
  return scheduler().group(O);
}

static uint64_t groupOf(GroupOperation::Kind Kind, uint32_t Mode, uint32_t Mask, uint64_t Value,
                        uint64_t Key) {
  GroupOperation O;
  O.kind = Kind;
  O.mode = Mode;
  O.mask = Mask;
  O.key = Key;
  O.value = Value;
  return scheduler().group(O);
}

uint32_t warplintReplayVote(uint32_t Kind, uint32_t Mask, uint32_t Predicate, uint64_t Key) {
  return uint32_t(groupOf(GroupOperation::Vote, Kind, Mask, Predicate, Key));
}

uint32_t warplintReplayMatchAny(uint32_t Mask, uint64_t Value, uint64_t Key) {
  return uint32_t(groupOf(GroupOperation::MatchAny, 0, Mask, Value, Key));
}

uint64_t warplintReplayMatchAll(uint32_t Mask, uint64_t Value, uint64_t Key) {
  return groupOf(GroupOperation::MatchAll, 0, Mask, Value, Key);
}

uint32_t warplintReplayRedux(uint32_t Kind, uint32_t Mask, uint32_t Value, uint64_t Key) {
  return uint32_t(groupOf(GroupOperation::Redux, Kind, Mask, Value, Key));
}

uint32_t warplintReplayActiveMask(uint64_t Key) { return scheduler().meet(Key); }

void warplintReplayYield(void) { scheduler().yield(); }

//===-- The rest ------------------------------------------------------------===//

void warplintReplayAssertFail(const char *Message, const char *File, uint32_t Line, const char *Function) {
  const Thread &T = *warplintReplayThread;
  std::fflush(stdout);
  // As a GPU's driver prints it.
  std::fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", File,
               Line, Function, T.blockIdx[0], T.blockIdx[1], T.blockIdx[2], T.threadIdx[0], T.threadIdx[1],
               T.threadIdx[2], Message);
  Failure F = failureHere(ErrorAssert, "assert", std::string("assertion `") + Message + "` failed");
  F.file = File;
  F.line = Line;
  scheduler().fail(std::move(F));
}

void warplintReplayTrap(void) { failHere(ErrorLaunchFailure, "trap", "the kernel executed a trap"); }

void warplintReplayUnsupported(const char *Construct, const char *File, uint32_t Line) {
  Runtime &R = runtime();
  Failure F = warplintReplayThread
                  ? failureHere(ErrorNotSupported, "unsupported", "")
                  : Failure{ErrorNotSupported, "unsupported", "", nullptr, "", 0, false, {}, {}};
  F.message = std::string(Construct) + " cannot be replayed";
  F.file = File ? File : "";
  F.line = Line;
  R.report(F, R.running);
  endProgram("unsupported", UnsupportedStatus);
}

uint64_t warplintReplayClock(void) {
  Runtime &R = runtime();
  // A loop that waits for a time must see it pass, and let the others run.
  constexpr uint64_t TicksPerRead = 40, ReadsPerYield = 64;
  R.clock += TicksPerRead;
  if (R.clock / TicksPerRead % ReadsPerYield == 0)
    scheduler().yield();
  return R.clock;
}

uint32_t warplintReplayEnvironmentRegister(uint32_t Number) {
  if (!scheduler().launch().together)
    return 0;
  const uint64_t Workspace = uint64_t(&runtime().gridWorkspace);
  return Number == 1 ? uint32_t(Workspace >> 32) : Number == 2 ? uint32_t(Workspace) : 0;
}

uint32_t warplintReplaySharedAddress(const void *Generic) {
  const Block &B = *scheduler().current()->warp->block;
  if (const Block *Other = clusterBlock(B, uint64_t(Generic)))
    // shared::cluster addresses have the block's rank above the window's 24 bits.
    return uint32_t(uint64_t(Generic) - uint64_t(Other->shared)) | (Other->clusterRank + 1) << 24;
  return uint32_t(uint64_t(Generic) - uint64_t(B.shared));
}

void *warplintReplaySharedPointer(uint32_t Address) {
  const Block *B = scheduler().current()->warp->block;
  // A little below the window wraps, and stays in the block.
  const int32_t Signed = int32_t(Address);
  if (Signed >= 1 << 24 && uint32_t(Signed >> 24) <= B->cluster->blocks.size()) {
    B = B->cluster->blocks[size_t((Signed >> 24) - 1)];
    return B->shared + (Address & 0xffffff);
  }
  return B->shared + Signed;
}

uint32_t warplintReplayIsSpace(uint32_t Wanted, const void *Address) {
  const uint64_t A = uint64_t(Address);
  const Lane &L = *scheduler().current();
  const Block &B = *L.warp->block;
  const bool Shared = isShared(B, A) || clusterBlock(B, A), Local = L.stack->contains(A);
  switch (Wanted) {
  case 3:
    return Shared;
  case 5:
    return Local;
  }
  const Object *O = runtime().memory.find(A);
  const bool Constant = O && O->kind == ObjectKind::Constant;
  return Wanted == 4 ? Constant : Wanted == 1 && !Shared && !Local && !Constant;
}

void *warplintReplayClusterShared(const void *Address, uint32_t Rank) {
  const Block &B = *scheduler().current()->warp->block;
  const Block *Owner = isShared(B, uint64_t(Address)) ? &B : clusterBlock(B, uint64_t(Address));
  if (!Owner || Rank >= B.cluster->blocks.size())
    failHere(ErrorIllegalAddress, "out-of-bounds",
             "mapa of an address that is not in shared memory, or of a block "
             "that the cluster does not have");
  return B.cluster->blocks[Rank]->shared + (uint64_t(Address) - uint64_t(Owner->shared));
}
