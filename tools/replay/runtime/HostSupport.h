//===-- HostSupport.h - Compiled into host code of replayed programs ----------------*- C++ -*-===//
//
// Force-included behind the CUDA headers. cudaDeviceProp has other members in each version of CUDA; here they
// are set by name, those that there are.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_REPLAY_HOST_SUPPORT_H
#define WARPLINT_REPLAY_HOST_SUPPORT_H
#if defined(__cplusplus) && __cplusplus >= 201103L && !defined(__CUDA_ARCH__)

extern "C" long long warplintReplayProperty(const char *);
extern "C" const char *warplintReplayDeviceName(void);
extern "C" void warplintReplayDeviceProperties(void (*)(void *));

// The built-in declarations have this name stand for several fields; the structure is declared now.
#undef persistingL2CacheMaxSize

namespace warplint_replay_host {
namespace { // not shared with units whose structure is another

// The second overload is taken where the structure has no such member.
#define WARPLINT_REPLAY_FIELD(Name)                                                                          \
  template <typename P> auto set_##Name(P &p, int)->decltype(static_cast<void>(p.Name = 0)) {                \
    p.Name = static_cast<decltype(+p.Name)>(warplintReplayProperty(#Name));                                  \
  }                                                                                                          \
  template <typename P> void set_##Name(P &, long) {}
#define WARPLINT_REPLAY_FIELDS(X)                                                                            \
  X(totalGlobalMem)                                                                                          \
  X(sharedMemPerBlock) X(regsPerBlock) X(warpSize) X(memPitch) X(maxThreadsPerBlock) X(clockRate)            \
      X(totalConstMem) X(major) X(minor) X(textureAlignment) X(texturePitchAlignment) X(deviceOverlap) X(    \
          multiProcessorCount) X(kernelExecTimeoutEnabled) X(integrated) X(canMapHostMemory) X(computeMode)  \
          X(maxTexture1D) X(surfaceAlignment) X(concurrentKernels) X(ECCEnabled) X(pciBusID) X(pciDeviceID)  \
              X(pciDomainID) X(tccDriver) X(asyncEngineCount) X(unifiedAddressing) X(memoryClockRate)        \
                  X(memoryBusWidth) X(l2CacheSize) X(persistingL2CacheMaxSize)                               \
                      X(maxThreadsPerMultiProcessor) X(streamPrioritiesSupported) X(globalL1CacheSupported)  \
                          X(localL1CacheSupported) X(sharedMemPerMultiprocessor) X(regsPerMultiprocessor)    \
                              X(managedMemory) X(isMultiGpuBoard) X(multiGpuBoardGroupID)                    \
                                  X(hostNativeAtomicSupported) X(singleToDoublePrecisionPerfRatio)           \
                                      X(pageableMemoryAccess) X(concurrentManagedAccess)                     \
                                          X(computePreemptionSupported) X(canUseHostPointerForRegisteredMem) \
                                              X(cooperativeLaunch) X(cooperativeMultiDeviceLaunch)           \
                                                  X(sharedMemPerBlockOptin)                                  \
                                                      X(pageableMemoryAccessUsesHostPageTables)              \
                                                          X(directManagedMemAccessFromHost)                  \
                                                              X(maxBlocksPerMultiProcessor)                  \
                                                                  X(accessPolicyMaxWindowSize)               \
                                                                      X(reservedSharedMemPerBlock)           \
                                                                          X(hostRegisterSupported)           \
                                                                              X(memoryPoolsSupported)        \
                                                                                  X(clusterLaunch)
WARPLINT_REPLAY_FIELDS(WARPLINT_REPLAY_FIELD)

template <typename P> void fill(void *to) {
  P &p = *static_cast<P *>(to);
  char *bytes = static_cast<char *>(to);
  for (unsigned long i = 0; i < sizeof(P); ++i)
    bytes[i] = 0;
  const char *name = warplintReplayDeviceName();
  for (unsigned i = 0; i + 1 < sizeof(p.name) && name[i]; ++i)
    p.name[i] = name[i];
  for (int i = 0; i < 3; ++i) {
    const char threads[] = {'m', 'a', 'x', 'T', 'h', 'r',           'e', 'a', 'd',
                            's', 'D', 'i', 'm', '[', char('0' + i), ']', 0};
    const char grid[] = {'m', 'a', 'x', 'G', 'r', 'i', 'd', 'S', 'i', 'z', 'e', '[', char('0' + i), ']', 0};
    p.maxThreadsDim[i] = static_cast<int>(warplintReplayProperty(threads));
    p.maxGridSize[i] = static_cast<int>(warplintReplayProperty(grid));
  }
#define WARPLINT_REPLAY_SET(Name) set_##Name(p, 0);
  WARPLINT_REPLAY_FIELDS(WARPLINT_REPLAY_SET)
#undef WARPLINT_REPLAY_SET
}
#undef WARPLINT_REPLAY_FIELDS
#undef WARPLINT_REPLAY_FIELD

// Units of one program may see different structures: each says which is its own with every call.
template <typename P> ::cudaError_t deviceProperties(P *p, int device) {
  warplintReplayDeviceProperties(&fill<P>);
  return ::cudaGetDeviceProperties(p, device);
}

__attribute__((constructor, used)) void registerProperties() {
  warplintReplayDeviceProperties(&fill<struct ::cudaDeviceProp>);
}
} // namespace

} // namespace warplint_replay_host

#undef cudaGetDeviceProperties // newer versions of CUDA have a number behind it
#define cudaGetDeviceProperties(...) warplint_replay_host::deviceProperties(__VA_ARGS__)

#endif
#endif
