//===-- Abi.h - What replayed device code and the runtime say to each other --------*- C++ -*-===//
//
// Device code that was turned into host code (tools/replay/device) registers its tables through a constructor and calls the
// hooks below; the runtime (tools/replay/runtime), which is linked to every replayed program, runs the threads,
// groups accesses into warp requests and writes what it measured. Plain C types: the device side emits them as LLVM IR.
//
// The grouping rule. A key names the dynamic instance of an instruction as one thread sees it: its call context, its place, and
// the iteration of every loop around it. Lanes of a warp whose keys are equal execute the instruction together, as
// hardware with reconvergence at the earliest point does.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_TOOLS_REPLAY_RUNTIME_ABI_H
#define WARPLINT_TOOLS_REPLAY_RUNTIME_ABI_H

#include <cstdint>

namespace warplint::replay {

enum class SiteOperation : uint32_t { Load, Store, Atomic };
enum class SiteMechanism : uint32_t { Plain, Memcpy, CpAsync, Ldmatrix };

/// Where a site's accesses were found to be allowed, for code that checks and records nothing.
struct CheckedRange {
  uint64_t begin = 0;
  uint64_t starts = 0; ///< addresses from `begin` on where an access fits; 0: none is known
  uint64_t misaligned = 0; ///< bits that no address may have
};

/// A place of the source that accesses memory. Several may have the same place: fields of a copied structure, two
/// accesses of one expression.
struct Site {
  const char *file;     ///< absolute
  const char *function; ///< demangled; the one whose source it is
  uint32_t line, column; ///< from 1; 0: the compiler names none
  SiteOperation operation;
  SiteMechanism mechanism;
  uint32_t width;      ///< bytes per lane of one request
  uint32_t isVolatile; ///< 0 or 1
  uint64_t scratch;    ///< the runtime's own; 0 to begin with
  /// 1: through a pointer from elsewhere. Should that lead to the thread's own memory, it is a variable that the GPU has in a
  /// register, not an access of local memory.
  uint64_t throughPointer;
  CheckedRange checked; ///< the runtime's to write
};

enum class VariableSpace : uint32_t { Global = 1, Constant = 4, Managed = 5 };

/// A __device__, __constant__ or __managed__ variable.
struct Variable {
  const char *name; ///< mangled, as the host registers it
  void *address;
  uint64_t size; ///< bytes
  VariableSpace space;
};

struct Parameter {
  uint32_t size;      ///< bytes
  uint32_t isPointer; ///< its value differs from run to run
};

struct Kernel {
  const char *name;      ///< mangled, as the host registers it
  const char *signature; ///< demangled
  const char *file;      ///< absolute
  uint32_t line;
  uint32_t parameterCount;
  const Parameter *parameters;
  uint64_t staticShared; ///< bytes of __shared__ variables in the layout below, rounded up to 128
  void (*recorded)(void **arguments); ///< one thread; calls the hooks
  void (*plain)(void **arguments);    ///< the same with warplintReplayCheck instead, for what is not sampled
};

/// One translation unit's device code.
struct Module {
  const char *id; ///< what the host's "GPU binary" of the same unit consists of
  Site *sites;
  uint64_t siteCount;
  const Kernel *kernels;
  uint64_t kernelCount;
  const Variable *variables;
  uint64_t variableCount;
};

/// What device code reads of the thread it runs as. A field's offset is part of the interface.
struct Thread {
  uint32_t threadIdx[3], blockIdx[3], blockDim[3], gridDim[3]; ///< bytes 0, 12, 24, 36
  uint32_t lane, warp;           ///< 48, 52: warp within the block
  uint32_t clusterDim[3];        ///< 56: in blocks; 1 1 1 without a cluster
  uint32_t clusterRank;          ///< 68: of the block in its cluster
  char *shared;                  ///< 72: the block's shared memory: static variables at their offsets, then the dynamic array
  uint64_t dynamicSharedOffset;  ///< 80: of the dynamic array in `shared`, a multiple of 128
  uint64_t dynamicSharedBytes;   ///< 88
  uint64_t context;              ///< 96: key of the call that led to the running function; 0 in the kernel
};

} // namespace warplint::replay

extern "C" {

/// Called by each device module's constructor, before any host registration.
void warplintReplayRegister(const warplint::replay::Module *);

/// The running thread. Changes at every hook that may let another thread run; never keep it over a call.
extern warplint::replay::Thread *warplintReplayThread;

//--- Memory -------------------------------------------------------------------
/// Before a lane touches site->width bytes at `address`. Does not return when the address is outside every allocation:
/// the launch ends with cudaErrorIllegalAddress and a message that names kernel, place and index.
void warplintReplayAccess(warplint::replay::Site *site, uint64_t key, const void *address);
/// The same without recording, in blocks that are not sampled: called for what lies outside of site->checked. Lets no other
/// thread run and touches nothing of the program's.
void warplintReplayCheck(warplint::replay::Site *site, uint64_t address);
/// Before a volatile access (in both versions of the code): volatile shared accesses are where legacy code expects its warp to
/// move together; a thread that reads a volatile global again and again lets others run.
void warplintReplayVolatile(const void *address, uint64_t key);
/// After an atomic (in both versions). `failed`: a compare-and-swap that did not swap; the others must get a turn.
void warplintReplayAtomic(const void *address, uint32_t failed);
/// ldmatrix: lane l < rows has the address of a row of 16 bytes. One request.
void warplintReplayMatrixRows(warplint::replay::Site *site, uint64_t key, const void *address, uint32_t rows);
void warplintReplayCheckRows(warplint::replay::Site *site, const void *address, uint32_t rows);
/// malloc and free of device code.
void *warplintReplayMalloc(uint64_t bytes);
void warplintReplayFree(void *pointer);

//--- Threads together ---------------------------------------------------------
/// bar.sync / barrier.sync: `threads` is 0 for the whole block.
void warplintReplayBarrier(uint32_t barrier, uint32_t threads);
void warplintReplayBarrierArrive(uint32_t barrier, uint32_t threads);
/// bar.red over the whole block. kind: 0 popc, 1 and, 2 or.
uint32_t warplintReplayBarrierReduce(uint32_t kind, uint32_t barrier, uint32_t threads, uint32_t predicate);
/// barrier.cluster arrive and wait in one; the block alone when there is no cluster.
void warplintReplayClusterArrive(void);
void warplintReplayClusterWait(void);
void warplintReplaySyncWarp(uint32_t mask, uint64_t key);
/// mode: 0 up, 1 down, 2 bfly, 3 idx, with PTX's c operand. Bits 0-31: the value; bit 32: the predicate.
uint64_t warplintReplayShuffle(uint32_t mode, uint32_t mask, uint32_t value, uint32_t b, uint32_t c, uint64_t key);
/// kind: 0 all, 1 any, 2 uni, 3 ballot.
uint32_t warplintReplayVote(uint32_t kind, uint32_t mask, uint32_t predicate, uint64_t key);
/// match.any; match.all gives the mask in bits 0-31 and the predicate in bit 32.
uint32_t warplintReplayMatchAny(uint32_t mask, uint64_t value, uint64_t key);
uint64_t warplintReplayMatchAll(uint32_t mask, uint64_t value, uint64_t key);
/// redux.sync. kind: 0 add, 1 umin, 2 umax, 3 min, 4 max, 5 and, 6 or, 7 xor.
uint32_t warplintReplayRedux(uint32_t kind, uint32_t mask, uint32_t value, uint64_t key);
/// The lanes that wait at the same key once no other lane of the warp can come.
uint32_t warplintReplayActiveMask(uint64_t key);
/// nanosleep, spinning on clocks: lets the other threads run.
void warplintReplayYield(void);

//--- The rest -----------------------------------------------------------------
int32_t warplintReplayPrintf(const char *format, const void *arguments);
void warplintReplayAssertFail(const char *message, const char *file, uint32_t line, const char *function);
/// __trap() and llvm.trap: the launch ends with cudaErrorLaunchFailure.
void warplintReplayTrap(void);
/// A construct that cannot be replayed was reached: ends the program with a message naming it and the place.
void warplintReplayUnsupported(const char *construct, const char *file, uint32_t line);
uint64_t warplintReplayClock(void);
/// %envreg1 and %envreg2: the high and low half of the address where blocks of a cooperative launch meet; 0 in other
/// launches, and for other numbers.
uint32_t warplintReplayEnvironmentRegister(uint32_t number);
/// 32-bit addresses of the shared window, as cvta makes and takes them.
uint32_t warplintReplaySharedAddress(const void *generic);
void *warplintReplaySharedPointer(uint32_t address);
/// isspacep. space: 1 global, 3 shared, 4 constant, 5 local.
uint32_t warplintReplayIsSpace(uint32_t space, const void *address);
/// mapa: the same place in the shared memory of another block of the cluster.
void *warplintReplayClusterShared(const void *address, uint32_t rank);
}

#endif
