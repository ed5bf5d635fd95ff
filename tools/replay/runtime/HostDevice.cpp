//===-- HostDevice.cpp - The one GPU that the program sees -----------------------------------===//
#include "tools/replay/runtime/HostCall.h"
#include "tools/replay/runtime/Properties.h"
#include <cstring>

using namespace warplint::replay;

/// Version of CUDA that the program is told of.
static constexpr int Version = 13000;

//===-- Properties ----------------------------------------------------------===//

// cudaDeviceProp differs from version to version. HostSupport.h, compiled into the program, knows how to fill
// it.
static void (*FillProperties)(void *) = nullptr;
extern "C" void warplintReplayDeviceProperties(void (*Fill)(void *)) { FillProperties = Fill; }

extern "C" int cudaGetDeviceProperties(void *P, int Device) {
  return call([&](Runtime &R) -> int {
    if (Device != 0)
      return ErrorInvalidDevice;
    if (FillProperties)
      FillProperties(P);
    else
      R.warn("cudaGetDeviceProperties: no host file told the layout of cudaDeviceProp; nothing is filled in");
    return FillProperties ? Success : ErrorNotSupported;
  });
}
extern "C" int cudaGetDeviceProperties_v2(void *P, int Device) { return cudaGetDeviceProperties(P, Device); }
extern "C" int cudaChooseDevice(int *Device, const void *) {
  return call([&](Runtime &) {
    *Device = 0;
    return Success;
  });
}

namespace {
/// cudaDeviceAttr, and the property that has its value.
struct AttributeName {
  int number;
  const char *property;
};
} // namespace

static constexpr AttributeName Attributes[] = {
    {1, "maxThreadsPerBlock"},
    {2, "maxThreadsDim[0]"},
    {3, "maxThreadsDim[1]"},
    {4, "maxThreadsDim[2]"},
    {5, "maxGridSize[0]"},
    {6, "maxGridSize[1]"},
    {7, "maxGridSize[2]"},
    {8, "sharedMemPerBlock"},
    {9, "totalConstMem"},
    {10, "warpSize"},
    {11, "memPitch"},
    {12, "regsPerBlock"},
    {13, "clockRate"},
    {14, "textureAlignment"},
    {15, "deviceOverlap"},
    {16, "multiProcessorCount"},
    {18, "integrated"},
    {19, "canMapHostMemory"},
    {21, "maxTexture1D"},
    {30, "surfaceAlignment"},
    {31, "concurrentKernels"},
    {32, "ECCEnabled"},
    {36, "memoryClockRate"},
    {37, "memoryBusWidth"},
    {38, "l2CacheSize"},
    {39, "maxThreadsPerMultiProcessor"},
    {40, "asyncEngineCount"},
    {41, "unifiedAddressing"},
    {51, "texturePitchAlignment"},
    {75, "major"},
    {76, "minor"},
    {78, "streamPrioritiesSupported"},
    {79, "globalL1CacheSupported"},
    {80, "localL1CacheSupported"},
    {81, "sharedMemPerMultiprocessor"},
    {82, "regsPerMultiprocessor"},
    {83, "managedMemory"},
    {87, "singleToDoublePrecisionPerfRatio"},
    {89, "concurrentManagedAccess"},
    {90, "computePreemptionSupported"},
    {91, "canUseHostPointerForRegisteredMem"},
    {95, "cooperativeLaunch"},
    {97, "sharedMemPerBlockOptin"},
    {99, "hostRegisterSupported"},
    {106, "maxBlocksPerMultiProcessor"},
    {108, "persistingL2CacheMaxSize"},
    {109, "accessPolicyMaxWindowSize"},
    {111, "reservedSharedMemPerBlock"},
    {115, "memoryPoolsSupported"},
    {120, "clusterLaunch"},
};

extern "C" int cudaDeviceGetAttribute(int *Value, int Attribute, int Device) {
  return call([&](Runtime &) -> int {
    if (Device != 0)
      return ErrorInvalidDevice;
    *Value = 0; // what is not listed is a feature that this GPU does without
    for (const AttributeName &A : Attributes)
      if (A.number == Attribute)
        *Value = int(properties().get(A.property));
    return Success;
  });
}

//===-- Which device --------------------------------------------------------===//

extern "C" int cudaGetDeviceCount(int *Count) {
  return call([&](Runtime &) {
    *Count = 1;
    return Success;
  });
}
extern "C" int cudaGetDevice(int *Device) {
  return call([&](Runtime &) {
    *Device = 0;
    return Success;
  });
}
extern "C" int cudaSetDevice(int Device) {
  return call([&](Runtime &) { return Device == 0 ? Success : ErrorInvalidDevice; });
}
extern "C" int cudaInitDevice(int Device, unsigned, unsigned) { return cudaSetDevice(Device); }

static int version(int *Number) {
  *Number = Version;
  return Success;
}
extern "C" int cudaDriverGetVersion(int *Number) { return version(Number); }
extern "C" int cudaRuntimeGetVersion(int *Number) { return version(Number); }

WARPLINT_REPLAY_NOTHING(cudaSetDeviceFlags)
WARPLINT_REPLAY_NOTHING(cudaSetValidDevices)
WARPLINT_REPLAY_NOTHING(cudaDeviceSynchronize)
WARPLINT_REPLAY_NOTHING(cudaThreadSynchronize)
WARPLINT_REPLAY_NOTHING(cudaDeviceSetCacheConfig)
WARPLINT_REPLAY_NOTHING(cudaThreadSetCacheConfig)
WARPLINT_REPLAY_NOTHING(cudaDeviceSetSharedMemConfig)

extern "C" int cudaGetDeviceFlags(unsigned *Flags) {
  *Flags = 0;
  return Success;
}
extern "C" int cudaDeviceGetCacheConfig(int *Config) {
  *Config = 0;
  return Success;
}
extern "C" int cudaDeviceGetSharedMemConfig(int *Config) {
  *Config = 1; // banks of four bytes
  return Success;
}
extern "C" int cudaDeviceGetStreamPriorityRange(int *Least, int *Greatest) {
  if (Least)
    *Least = 0;
  if (Greatest)
    *Greatest = -5;
  return Success;
}

extern "C" int cudaDeviceReset(void) {
  // What was allocated stays: to free it is the program's business, to read it no crime of the device's.
  Runtime &R = runtime();
  const std::lock_guard Lock(R.mutex);
  R.stickyError = R.lastError = Success;
  return Success;
}
extern "C" int cudaThreadExit(void) { return cudaDeviceReset(); }

//===-- Limits --------------------------------------------------------------===//

static size_t *limitOf(int Number) {
  // Stack, printf's buffer, heap, depth of launches, pending launches, L2 granularity, persisting L2.
  static size_t Limits[] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0};
  return Number >= 0 && size_t(Number) < std::size(Limits) ? &Limits[Number] : nullptr;
}

extern "C" int cudaDeviceSetLimit(int Number, size_t Value) {
  return call([&](Runtime &) -> int {
    size_t *Limit = limitOf(Number);
    if (Limit)
      *Limit = Value;
    return Limit ? Success : ErrorInvalidValue;
  });
}
extern "C" int cudaDeviceGetLimit(size_t *Value, int Number) {
  return call([&](Runtime &) -> int {
    const size_t *Limit = limitOf(Number);
    if (Limit)
      *Value = *Limit;
    return Limit ? Success : ErrorInvalidValue;
  });
}
extern "C" int cudaThreadSetLimit(int Number, size_t Value) { return cudaDeviceSetLimit(Number, Value); }

//===-- Other devices: there are none ---------------------------------------===//

extern "C" int cudaDeviceCanAccessPeer(int *Can, int, int) {
  return call([&](Runtime &) {
    *Can = 0;
    return Success;
  });
}
extern "C" int cudaDeviceEnablePeerAccess(int, unsigned) {
  return call([](Runtime &) { return ErrorPeerAccessUnsupported; });
}
extern "C" int cudaDeviceDisablePeerAccess(int) {
  return call([](Runtime &) { return ErrorPeerAccessUnsupported; });
}
extern "C" int cudaDeviceGetP2PAttribute(int *Value, int, int, int) {
  return call([&](Runtime &) {
    *Value = 0;
    return Success;
  });
}
extern "C" int cudaDeviceGetPCIBusId(char *Text, int Length, int Device) {
  return call([&](Runtime &) -> int {
    if (Device != 0 || Length < 13)
      return Device ? ErrorInvalidDevice : ErrorInvalidValue;
    std::strcpy(Text, "0000:00:00.0");
    return Success;
  });
}

//===-- Driver API: what programs ask before they use the runtime's ------------===//

extern "C" int cuInit(unsigned) { return Success; }
extern "C" int cuDriverGetVersion(int *Number) { return version(Number); }
extern "C" int cuDeviceGetCount(int *Count) { return cudaGetDeviceCount(Count); }
extern "C" int cuDeviceGet(int *Device, int Ordinal) {
  *Device = 0;
  return Ordinal == 0 ? Success : ErrorInvalidDevice;
}
extern "C" int cuDeviceGetName(char *Text, int Length, int) {
  if (Length > 0)
    std::snprintf(Text, size_t(Length), "%s", properties().name().c_str());
  return Success;
}
extern "C" int cuDeviceGetAttribute(int *Value, int Attribute, int Device) {
  return cudaDeviceGetAttribute(Value, Attribute, Device);
}
extern "C" int cuDeviceTotalMem_v2(size_t *Bytes, int) {
  *Bytes = size_t(properties().get("totalGlobalMem"));
  return Success;
}
extern "C" int cuDeviceComputeCapability(int *Major, int *Minor, int) {
  *Major = int(properties().get("major"));
  *Minor = int(properties().get("minor"));
  return Success;
}
