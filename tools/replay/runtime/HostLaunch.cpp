//===-- HostLaunch.cpp - Registration and launches, as compiled host code calls them ------===//
#include "tools/replay/runtime/HostCall.h"
#include "tools/replay/runtime/Properties.h"
#include <algorithm>
#include <cstring>

using namespace warplint::replay;

//===-- Registration --------------------------------------------------------===//

namespace {
/// What clang emits for a unit's device code.
struct FatbinWrapper {
  int magic, version;
  const void *data;
  void *unused;
};
} // namespace

extern "C" void **__cudaRegisterFatBinary(void *Wrapper) {
  Runtime &R = runtime();
  const std::lock_guard Lock(R.mutex);
  const Module *M = R.moduleOf(static_cast<FatbinWrapper *>(Wrapper)->data);
  return reinterpret_cast<void **>(const_cast<Module *>(M));
}

extern "C" void __cudaRegisterFatBinaryEnd(void **) {}
extern "C" void __cudaUnregisterFatBinary(void **) {}
extern "C" char __cudaInitModule(void **) { return 1; }

extern "C" int __cudaRegisterFunction(void **Handle, const char *HostStub, char *, const char *DeviceName,
                                      int, void *, void *, void *, void *, int *) {
  Runtime &R = runtime();
  const std::lock_guard Lock(R.mutex);
  R.kernels[HostStub].kernel = R.kernelNamed(reinterpret_cast<const Module *>(Handle), DeviceName);
  return 0;
}

extern "C" void __cudaRegisterVar(void **Handle, char *HostVariable, char *, const char *DeviceName, int,
                                  size_t, int, int) {
  Runtime &R = runtime();
  const std::lock_guard Lock(R.mutex);
  if (const Variable *V = R.variableNamed(reinterpret_cast<const Module *>(Handle), DeviceName))
    R.variables[HostVariable] = V;
}

extern "C" void __cudaRegisterManagedVar(void **Handle, void **HostPointer, char *HostVariable,
                                         const char *DeviceName, int, size_t Size, int, int) {
  Runtime &R = runtime();
  const std::lock_guard Lock(R.mutex);
  const Variable *V = R.variableNamed(reinterpret_cast<const Module *>(Handle), DeviceName);
  if (!V)
    return;
  R.variables[HostPointer] = V;
  if (HostVariable && HostVariable != V->address)
    std::memcpy(V->address, HostVariable, std::min<size_t>(Size, V->size));
  *HostPointer = V->address;
}

// References to textures and surfaces: what reads them says that it cannot be replayed.
extern "C" void __cudaRegisterTexture() {}
extern "C" void __cudaRegisterSurface() {}
extern "C" void __cudaRegisterHostVar() {}

//===-- <<<>>> --------------------------------------------------------------===//

namespace {
struct CallConfiguration {
  Dim3 grid, block;
  size_t shared;
  Stream stream;
};
} // namespace

static std::vector<CallConfiguration> &configurations() {
  static thread_local std::vector<CallConfiguration> Stack;
  return Stack;
}

extern "C" unsigned __cudaPushCallConfiguration(Dim3 Grid, Dim3 Block, size_t Shared, Stream S) {
  configurations().push_back({Grid, Block, Shared, S});
  return 0;
}

extern "C" int __cudaPopCallConfiguration(Dim3 *Grid, Dim3 *Block, size_t *Shared, void *S) {
  auto &Stack = configurations();
  if (Stack.empty())
    return ErrorInvalidConfiguration;
  *Grid = Stack.back().grid;
  *Block = Stack.back().block;
  *Shared = Stack.back().shared;
  *static_cast<Stream *>(S) = Stack.back().stream;
  Stack.pop_back();
  return Success;
}

static LaunchRequest requestOf(Dim3 Grid, Dim3 Block, size_t Shared) {
  LaunchRequest L;
  L.grid = indexOf(Grid);
  L.block = indexOf(Block);
  L.dynamicShared = Shared;
  return L;
}

extern "C" int cudaLaunchKernel(const void *Stub, Dim3 Grid, Dim3 Block, void **Arguments, size_t Shared,
                                Stream) {
  return launch(Stub, requestOf(Grid, Block, Shared), Arguments);
}
extern "C" int cudaLaunchKernel_ptsz(const void *Stub, Dim3 Grid, Dim3 Block, void **Arguments, size_t Shared,
                                     Stream S) {
  return cudaLaunchKernel(Stub, Grid, Block, Arguments, Shared, S);
}

//===-- Occupancy -----------------------------------------------------------===//

/// Registers of one thread: the compiler that would know does not run. It is what small kernels need.
static constexpr int AssumedRegisters = 32;

static uint64_t roundUp(uint64_t V, uint64_t To) { return (V + To - 1) / To * To; }

/// Resident blocks of a multiprocessor (CUDA Occupancy Calculator).
static int activeBlocks(const Kernel &K, int BlockSize, uint64_t DynamicShared) {
  const Properties &P = properties();
  if (BlockSize <= 0 || BlockSize > P.get("maxThreadsPerBlock"))
    return 0;
  const uint64_t Warps = (uint64_t(BlockSize) + 31) / 32;
  constexpr uint64_t Partitions = 4, RegisterUnit = 256;
  const uint64_t RegistersOfWarp = roundUp(AssumedRegisters * 32, RegisterUnit);
  uint64_t Blocks =
      uint64_t(P.get("regsPerMultiprocessor")) / Partitions / RegistersOfWarp * Partitions / Warps;
  const uint64_t Unit = P.get("major") >= 8 ? 128 : 256;
  const uint64_t Shared =
      roundUp(K.staticShared + DynamicShared + uint64_t(P.get("reservedSharedMemPerBlock")), Unit);
  if (Shared)
    Blocks = std::min(Blocks, uint64_t(P.get("sharedMemPerMultiprocessor")) / Shared);
  Blocks = std::min(Blocks, uint64_t(P.get("maxThreadsPerMultiProcessor")) / 32 / Warps);
  return int(std::min(Blocks, uint64_t(P.get("maxBlocksPerMultiProcessor"))));
}

static const Kernel *kernelOf(Runtime &R, const void *Stub) {
  auto It = R.kernels.find(Stub);
  return It == R.kernels.end() ? nullptr : It->second.kernel;
}

extern "C" int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *Blocks, const void *Stub, int BlockSize,
                                                             size_t DynamicShared) {
  return call([&](Runtime &R) -> int {
    const Kernel *K = kernelOf(R, Stub);
    if (!K)
      return ErrorInvalidDeviceFunction;
    *Blocks = activeBlocks(*K, BlockSize, DynamicShared);
    return Success;
  });
}
extern "C" int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *Blocks, const void *Stub,
                                                                      int BlockSize, size_t DynamicShared,
                                                                      unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(Blocks, Stub, BlockSize, DynamicShared);
}

extern "C" int cudaOccupancyAvailableDynamicSMemPerBlock(size_t *Bytes, const void *Stub, int Blocks, int) {
  return call([&](Runtime &R) -> int {
    const Kernel *K = kernelOf(R, Stub);
    if (!K || Blocks <= 0)
      return K ? ErrorInvalidValue : ErrorInvalidDeviceFunction;
    const Properties &P = properties();
    const uint64_t Each = uint64_t(P.get("sharedMemPerMultiprocessor")) / uint64_t(Blocks);
    const uint64_t Taken = K->staticShared + uint64_t(P.get("reservedSharedMemPerBlock"));
    *Bytes = Each > Taken ? std::min<uint64_t>(Each - Taken, uint64_t(P.get("sharedMemPerBlockOptin"))) : 0;
    return Success;
  });
}

WARPLINT_REPLAY_UNSUPPORTED(cudaOccupancyMaxActiveClusters, "the occupancy of clusters")
WARPLINT_REPLAY_UNSUPPORTED(cudaOccupancyMaxPotentialClusterSize, "the occupancy of clusters")

//===-- Other launches ------------------------------------------------------===//

/// All blocks run together, so they must fit the GPU together.
static int launchTogether(const void *Stub, LaunchRequest L, void **Arguments) {
  L.together = true;
  Runtime &R = runtime();
  {
    const std::lock_guard Lock(R.mutex);
    if (const Kernel *K = kernelOf(R, Stub)) {
      const uint64_t Threads = uint64_t(L.block.x) * L.block.y * L.block.z;
      const uint64_t Blocks = uint64_t(L.grid.x) * L.grid.y * L.grid.z;
      if (Threads <= 1024 && Blocks > uint64_t(activeBlocks(*K, int(Threads), L.dynamicShared)) *
                                          uint64_t(properties().get("multiProcessorCount")))
        return R.fail(ErrorCooperativeLaunchTooLarge);
    }
  }
  return launch(Stub, std::move(L), Arguments);
}

extern "C" int cudaLaunchCooperativeKernel(const void *Stub, Dim3 Grid, Dim3 Block, void **Arguments,
                                           size_t Shared, Stream) {
  return launchTogether(Stub, requestOf(Grid, Block, Shared), Arguments);
}
extern "C" int cudaLaunchCooperativeKernel_ptsz(const void *Stub, Dim3 Grid, Dim3 Block, void **Arguments,
                                                size_t Shared, Stream S) {
  return cudaLaunchCooperativeKernel(Stub, Grid, Block, Arguments, Shared, S);
}

namespace {
/// cudaLaunchAttribute and cudaLaunchConfig_t, CUDA 11.8 and later.
struct LaunchAttribute {
  int id;
  char padding[4];
  union {
    char whole[64];
    Dim3 clusterDim;
    int cooperative;
  };
};
struct LaunchConfig {
  Dim3 grid, block;
  size_t shared;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};
enum { AttributeCooperative = 2, AttributeClusterDimension = 4 };
} // namespace

extern "C" int cudaLaunchKernelExC(const LaunchConfig *C, const void *Stub, void **Arguments) {
  LaunchRequest L = requestOf(C->grid, C->block, C->shared);
  bool Together = false;
  for (unsigned I = 0; I < C->attributeCount; ++I) {
    const LaunchAttribute &A = C->attributes[I];
    if (A.id == AttributeCooperative)
      Together = A.cooperative != 0;
    else if (A.id == AttributeClusterDimension)
      L.cluster = indexOf(A.clusterDim);
  }
  return Together ? launchTogether(Stub, std::move(L), Arguments) : launch(Stub, std::move(L), Arguments);
}
extern "C" int cudaLaunchKernelExC_ptsz(const LaunchConfig *C, const void *Stub, void **Arguments) {
  return cudaLaunchKernelExC(C, Stub, Arguments);
}

//===-- Attributes of kernels -----------------------------------------------===//

namespace {
/// What cudaFuncAttributes begins with since CUDA 9.
struct FunctionAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes,
      preferredShmemCarveout;
};
enum { MaxDynamicSharedMemorySize = 8 };
} // namespace

extern "C" int cudaFuncGetAttributes(FunctionAttributes *A, const void *Stub) {
  return call([&](Runtime &R) -> int {
    const Kernel *K = kernelOf(R, Stub);
    if (!K)
      return ErrorInvalidDeviceFunction;
    const Properties &P = properties();
    const int Version = int(P.get("major") * 10 + P.get("minor"));
    *A = {K->staticShared, 0,       0, int(P.get("maxThreadsPerBlock")),      AssumedRegisters,
          Version,         Version, 0, int(R.kernels[Stub].maxDynamicShared), -1};
    return Success;
  });
}

extern "C" int cudaFuncSetAttribute(const void *Stub, int Attribute, int Value) {
  return call([&](Runtime &R) -> int {
    const Kernel *K = kernelOf(R, Stub);
    if (!K)
      return ErrorInvalidDeviceFunction;
    if (Attribute != MaxDynamicSharedMemorySize)
      return Success;
    if (Value < 0 || K->staticShared + uint64_t(Value) > uint64_t(properties().get("sharedMemPerBlockOptin")))
      return ErrorInvalidValue;
    R.kernels[Stub].maxDynamicShared = uint64_t(Value);
    return Success;
  });
}

extern "C" int cudaFuncGetName(const char **Name, const void *Stub) {
  return call([&](Runtime &R) -> int {
    const Kernel *K = kernelOf(R, Stub);
    if (!K)
      return ErrorInvalidDeviceFunction;
    *Name = K->name;
    return Success;
  });
}

WARPLINT_REPLAY_NOTHING(cudaFuncSetCacheConfig)
WARPLINT_REPLAY_NOTHING(cudaFuncSetSharedMemConfig)

#define GRAPHS "CUDA graphs"
WARPLINT_REPLAY_UNSUPPORTED(cudaStreamBeginCapture, GRAPHS)
WARPLINT_REPLAY_UNSUPPORTED(cudaStreamBeginCapture_ptsz, GRAPHS)
WARPLINT_REPLAY_UNSUPPORTED(cudaStreamBeginCaptureToGraph, GRAPHS)
WARPLINT_REPLAY_UNSUPPORTED(cudaStreamEndCapture, GRAPHS)
WARPLINT_REPLAY_UNSUPPORTED(cudaGraphCreate, GRAPHS)
WARPLINT_REPLAY_UNSUPPORTED(cudaGraphInstantiate, GRAPHS)
WARPLINT_REPLAY_UNSUPPORTED(cudaGraphInstantiateWithFlags, GRAPHS)
WARPLINT_REPLAY_UNSUPPORTED(cudaGraphLaunch, GRAPHS)
WARPLINT_REPLAY_UNSUPPORTED(cudaGraphDestroy, GRAPHS)
WARPLINT_REPLAY_UNSUPPORTED(cudaGraphExecDestroy, GRAPHS)
WARPLINT_REPLAY_UNSUPPORTED(cudaGraphExecUpdate, GRAPHS)
WARPLINT_REPLAY_UNSUPPORTED(cudaGraphGetNodes, GRAPHS)
WARPLINT_REPLAY_UNSUPPORTED(cudaGraphClone, GRAPHS)
WARPLINT_REPLAY_UNSUPPORTED(cudaGraphAddKernelNode, GRAPHS)
WARPLINT_REPLAY_UNSUPPORTED(cudaGraphAddMemcpyNode, GRAPHS)
WARPLINT_REPLAY_UNSUPPORTED(cudaGraphAddMemcpyNode1D, GRAPHS)
WARPLINT_REPLAY_UNSUPPORTED(cudaGraphAddMemsetNode, GRAPHS)
WARPLINT_REPLAY_UNSUPPORTED(cudaGraphAddHostNode, GRAPHS)
WARPLINT_REPLAY_UNSUPPORTED(cudaGraphAddEmptyNode, GRAPHS)
WARPLINT_REPLAY_UNSUPPORTED(cudaGraphAddChildGraphNode, GRAPHS)
WARPLINT_REPLAY_UNSUPPORTED(cudaGraphAddMemAllocNode, GRAPHS)
WARPLINT_REPLAY_UNSUPPORTED(cudaGraphAddMemFreeNode, GRAPHS)
WARPLINT_REPLAY_UNSUPPORTED(cudaGraphAddDependencies, GRAPHS)
WARPLINT_REPLAY_UNSUPPORTED(cudaGraphAddNode, GRAPHS)
WARPLINT_REPLAY_UNSUPPORTED(cudaGraphUpload, GRAPHS)
