//===-- Device.h - Device code written by hand ---------------------------------------*- C++ -*-===//
//
// What tools/replay/device makes of a kernel, as C++: functions that call the hooks of Abi.h. A kernel is a lambda
// without captures that is given its argument, one pointer.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_TEST_UNIT_REPLAY_RUNTIME_DEVICE_H
#define WARPLINT_TEST_UNIT_REPLAY_RUNTIME_DEVICE_H

#include "tools/replay/runtime/Runtime.h"
#include "tools/replay/runtime/Sampling.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

extern "C" {
int cudaMalloc(void **, size_t);
int cudaFree(void *);
int cudaGetLastError(void);
int cudaDeviceReset(void);
}

namespace warplint::replay::test {

inline uint32_t thread() { return warplintReplayThread->threadIdx[0]; }
inline uint32_t lane() { return warplintReplayThread->lane; }
inline uint32_t block() { return warplintReplayThread->blockIdx[0]; }

/// The key of iteration `I` of loop `Loop` at a place, as the device side computes it.
inline uint64_t key(uint64_t Place, uint64_t I = 0, uint64_t J = 0) {
  return Place * 0x9E3779B97F4A7C15u + I * 0xD1B54A32D192ED03u + J * 0x8CB92BA72F3D8DD7u;
}

inline Site site(SiteOperation Operation = SiteOperation::Load, uint32_t Width = 4,
                 SiteMechanism Mechanism = SiteMechanism::Plain) {
  return {"/kernel.cu", "kernel", 7, 3, Operation, Mechanism, Width, 0, 0, 0, {}};
}

template <typename T> T load(Site &S, uint64_t Key, const T *From) {
  warplintReplayAccess(&S, Key, From);
  return *From;
}
template <typename T> void store(Site &S, uint64_t Key, T *To, T Value) {
  warplintReplayAccess(&S, Key, To);
  *To = Value;
}
/// A store of code that checks and records nothing.
template <typename T> void storeChecked(Site &S, T *To, T Value) {
  const CheckedRange &C = S.checked;
  if (uint64_t(To) - C.begin >= C.starts || (uint64_t(To) & C.misaligned))
    warplintReplayCheck(&S, uint64_t(To));
  *To = Value;
}
template <typename T> volatile T &touchVolatile(volatile T *At, uint64_t Key) {
  warplintReplayVolatile(const_cast<const T *>(At), Key);
  return *At;
}
inline uint32_t shuffle(uint32_t Mode, uint32_t Value, uint32_t B, uint64_t Key, uint32_t Mask = ~0u) {
  return uint32_t(warplintReplayShuffle(Mode, Mask, Value, B, Mode == 0 ? 0 : 31, Key));
}

struct Shapes {
  BlockIndex grid{1, 1, 1}, block{32, 1, 1}, cluster{1, 1, 1};
  uint64_t staticShared = 0, dynamicShared = 0;
  bool together = false;
  bool recorded = true;
};

/// What a launch left behind.
struct Outcome {
  std::optional<Failure> failure;
  Configuration configuration;

  const SiteCounts *counts(const Site &S, Space Where) const {
    for (const SiteCounts &C : configuration.counts)
      if (C.site == &S && C.space == Where)
        return &C;
    return nullptr;
  }
};

/// Runs a kernel with one pointer as its argument. All blocks are recorded unless the shape says otherwise.
inline Outcome run(void (*Body)(void **), void *Argument, Shapes S = {}) {
  static const Parameter Pointer{8, 1};
  Kernel K{"_Z6kernelPv", "kernel(void *)", "/kernel.cu", 5, 1, &Pointer, S.staticShared, Body, Body};
  Outcome O;
  O.configuration.shape.kernel = &K;
  LaunchRequest L;
  L.kernel = &K;
  void *Arguments[] = {&Argument};
  L.arguments = Arguments;
  L.grid = S.grid;
  L.block = S.block;
  L.cluster = S.cluster;
  L.dynamicShared = S.dynamicShared;
  L.together = S.together;
  L.configuration = &O.configuration;
  if (S.recorded)
    L.recordedBlocks = spread(uint64_t(S.grid.x) * S.grid.y * S.grid.z, ~uint64_t(0));
  O.failure = scheduler().run(L);
  O.configuration.recordedWarps = scheduler().recordedWarps();
  return O;
}

/// Device memory that is freed at the end of a test.
template <typename T> struct Buffer {
  explicit Buffer(size_t Count) {
    void *P = nullptr;
    EXPECT_EQ(cudaMalloc(&P, Count * sizeof(T)), 0);
    data = static_cast<T *>(P);
    for (size_t I = 0; I < Count; ++I)
      data[I] = T();
  }
  Buffer(const Buffer &) = delete;
  ~Buffer() { cudaFree(data); }
  T *data;
};

template <typename T> T *argument(void **Arguments) { return *static_cast<T **>(Arguments[0]); }

} // namespace warplint::replay::test

#endif
