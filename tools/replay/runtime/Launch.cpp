#include "tools/replay/runtime/Properties.h"
#include "tools/replay/runtime/Runtime.h"
#include "tools/replay/runtime/Sampling.h"
#include <algorithm>
#include <chrono>
#include <cstring>

using namespace warplint::replay;

//===-- Sampling ------------------------------------------------------------===//

std::vector<uint64_t> warplint::replay::spread(uint64_t Blocks, uint64_t Count) {
  Count = std::min(Blocks, Count);
  std::vector<uint64_t> Chosen(Count);
  for (uint64_t I = 0; I < Count; ++I)
    Chosen[I] = Count == 1 ? 0 : uint64_t((unsigned __int128)I * (Blocks - 1) / (Count - 1));
  return Chosen;
}

uint64_t WarpBudget::blocks(uint64_t Blocks, uint64_t WarpsPerBlock, uint64_t Used,
                            bool FirstOfItsKind) const {
  uint64_t Warps = perLaunch ? perLaunch : ~uint64_t(0);
  if (total)
    Warps = std::min(Warps, total - std::min(total, Used));
  const uint64_t Whole = Warps / WarpsPerBlock;
  // A block is recorded as a whole or not at all, and of each configuration one is.
  return std::min(Blocks, std::max<uint64_t>(Whole, FirstOfItsKind));
}

//===-- Launches ------------------------------------------------------------===//

/// Of what cudaMalloc gives, in bytes.
constexpr uint64_t AllocationAlignment = 256;

namespace {
/// Copies of a kernel's arguments, which the host may change once the launch returned.
class Arguments {
public:
  Arguments(const Kernel &K, void **From) {
    constexpr size_t Alignment = 64;
    size_t Bytes = 0;
    std::vector<size_t> Offsets;
    for (uint32_t I = 0; I < K.parameterCount; ++I) {
      Offsets.push_back(Bytes);
      Bytes += (K.parameters[I].size + Alignment - 1) / Alignment * Alignment;
    }
    Storage.resize(Bytes + Alignment);
    Begin = reinterpret_cast<char *>((uint64_t(Storage.data()) + Alignment - 1) / Alignment * Alignment);
    End = Begin + Bytes;
    for (uint32_t I = 0; I < K.parameterCount; ++I) {
      char *To = Begin + Offsets[I];
      std::memcpy(To, From[I], K.parameters[I].size);
      Pointers.push_back(To);
      if (!K.parameters[I].isPointer)
        Scalars.append(To, K.parameters[I].size);
      else if (uint64_t Value; std::memcpy(&Value, To, sizeof Value), Value % AllocationAlignment)
        Unaligned = true;
    }
  }
  std::vector<char> Storage;
  char *Begin, *End;
  std::vector<void *> Pointers;
  std::string Scalars;
  bool Unaligned = false; ///< a pointer is none that cudaMalloc gives
};
} // namespace

static uint64_t volume(BlockIndex B) { return uint64_t(B.x) * B.y * B.z; }

/// A cudaError_t for a shape that no GPU accepts.
static int checkShape(const KernelState &K, const LaunchRequest &L) {
  const uint64_t Threads = volume(L.block);
  const Properties &P = properties();
  if (!Threads || !volume(L.grid) || L.block.x > 1024 || L.block.y > 1024 || L.block.z > 64 ||
      Threads > uint64_t(P.get("maxThreadsPerBlock")) || L.grid.x > 0x7fffffff || L.grid.y > 65535 ||
      L.grid.z > 65535)
    return ErrorInvalidConfiguration;
  const BlockIndex C = L.cluster;
  if (!volume(C) || L.grid.x % C.x || L.grid.y % C.y || L.grid.z % C.z || volume(C) > 16)
    return ErrorInvalidConfiguration;
  if (K.kernel->staticShared + L.dynamicShared > uint64_t(P.get("sharedMemPerBlockOptin")) ||
      L.dynamicShared > K.maxDynamicShared)
    return ErrorInvalidValue;
  return Success;
}

static void chooseBlocks(Runtime &R, LaunchRequest &L) {
  Configuration &C = *L.configuration;
  const uint64_t Blocks = volume(L.grid), WarpsPerBlock = (volume(L.block) + 31) / 32;
  const bool Enough = R.options.firstLaunches && C.recordedLaunches >= R.options.firstLaunches;
  if (R.options.output && !Enough) {
    const WarpBudget Budget{R.options.maxWarps, R.options.maxTotalWarps};
    L.recordedBlocks =
        spread(Blocks, Budget.blocks(Blocks, WarpsPerBlock, R.recordedWarps, C.recordedLaunches == 0));
  }
  ++R.launches;
  ++C.launches;
  R.warps += Blocks * WarpsPerBlock;
  C.warps += Blocks * WarpsPerBlock;
  R.recordedLaunches += !L.recordedBlocks.empty();
  C.recordedLaunches += !L.recordedBlocks.empty();
}

static std::string shapeText(BlockIndex B) {
  return std::to_string(B.x) + "x" + std::to_string(B.y) + "x" + std::to_string(B.z);
}

/// A launch that a GPU refuses is the program's fault, and easily missed.
static int refuse(Runtime &R, const Kernel *K, const LaunchRequest &L, int Code) {
  Failure F;
  F.code = Code;
  F.kind = "launch";
  if (!K)
    F.message = "the program launches a kernel that is in none of the replayed files";
  else
    F.message = "the launch is refused: grid " + shapeText(L.grid) + ", block " + shapeText(L.block) + ", " +
                std::to_string(L.dynamicShared) + " bytes of dynamic shared memory";
  R.report(F, K);
  return R.fail(Code);
}

int warplint::replay::launch(const void *HostStub, LaunchRequest L, void **From) {
  Runtime &R = runtime();
  const std::lock_guard Lock(R.mutex);
  if (R.stickyError)
    return R.stickyError;
  auto It = R.kernels.find(HostStub);
  if (It == R.kernels.end() || !It->second.kernel)
    return refuse(R, nullptr, L, ErrorInvalidDeviceFunction);
  const KernelState &State = It->second;
  if (int Code = checkShape(State, L))
    return refuse(R, State.kernel, L, Code);
  if (warplintReplayThread) {
    Failure F;
    F.code = ErrorNotSupported;
    F.kind = "unsupported";
    F.message = "a launch from device code (dynamic parallelism) cannot be replayed";
    R.report(F, State.kernel);
    endProgram("unsupported", UnsupportedStatus);
  }
  prepareThreadForSignals();
  Arguments Copies(*State.kernel, From);
  L.kernel = State.kernel;
  L.arguments = Copies.Pointers.data();
  L.argumentBegin = Copies.Begin;
  L.argumentEnd = Copies.End;
  Shape S;
  S.kernel = State.kernel;
  S.grid = L.grid;
  S.block = L.block;
  S.cluster = L.cluster;
  S.dynamicShared = L.dynamicShared;
  S.scalars = Copies.Scalars;
  Configuration &C = R.recorder.configuration(std::move(S));
  L.configuration = &C;
  C.unaligned |= Copies.Unaligned;
  chooseBlocks(R, L);

  R.running = State.kernel;
  R.gridWorkspace = {};
  R.checkedSites.forget();
  const auto Start = std::chrono::steady_clock::now();
  std::optional<Failure> Failed = R.scheduler.run(L);
  C.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - Start).count();
  R.running = nullptr;
  C.recordedWarps += R.scheduler.recordedWarps();
  R.recordedWarps += R.scheduler.recordedWarps();
  if (!Failed)
    return Success;
  C.failed = true;
  R.report(*Failed, State.kernel);
  if (Failed->kind == "time-limit")
    endProgram("time limit", TimeLimitStatus);
  R.stickyError = R.lastError = Failed->code;
  return Success; // launches are asynchronous: the next call tells
}
