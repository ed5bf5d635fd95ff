//===-- HostMemory.cpp - Allocations and copies ------------------------------------------===//
//
// Device memory is the host's memory at the same address, so that copies are copies. What they touch on the
// device is checked as kernels' accesses are.
//
//===----------------------------------------------------------------------===//
#include "tools/replay/runtime/HostCall.h"
#include "tools/replay/runtime/Properties.h"
#include <algorithm>
#include <cstring>

using namespace warplint::replay;

//===-- Allocations ---------------------------------------------------------===//

static int allocate(void **Pointer, size_t Bytes, ObjectKind Kind) {
  return call([&](Runtime &R) -> int {
    if (!Pointer)
      return ErrorInvalidValue;
    *Pointer = nullptr;
    if (!Bytes)
      return Success;
    if (Kind == ObjectKind::Device &&
        Bytes > uint64_t(properties().get("totalGlobalMem")) - R.memory.bytesOf(ObjectKind::Device))
      return ErrorMemoryAllocation;
    *Pointer = R.memory.allocate(Bytes, Kind);
    return *Pointer ? Success : ErrorMemoryAllocation;
  });
}

static int release(void *Pointer) {
  return call(
      [&](Runtime &R) -> int { return !Pointer || R.memory.release(Pointer) ? Success : ErrorInvalidValue; });
}

extern "C" int cudaMalloc(void **P, size_t Bytes) { return allocate(P, Bytes, ObjectKind::Device); }
extern "C" int cudaMallocAsync(void **P, size_t Bytes, Stream) { return cudaMalloc(P, Bytes); }
extern "C" int cudaMallocAsync_ptsz(void **P, size_t Bytes, Stream) { return cudaMalloc(P, Bytes); }
extern "C" int cudaMallocFromPoolAsync(void **P, size_t Bytes, void *, Stream) {
  return cudaMalloc(P, Bytes);
}
extern "C" int cudaMallocManaged(void **P, size_t Bytes, unsigned) {
  return allocate(P, Bytes, ObjectKind::Managed);
}
extern "C" int cudaMallocHost(void **P, size_t Bytes) { return allocate(P, Bytes, ObjectKind::Host); }
extern "C" int cudaHostAlloc(void **P, size_t Bytes, unsigned) {
  return allocate(P, Bytes, ObjectKind::Host);
}
extern "C" int cudaFree(void *P) { return release(P); }
extern "C" int cudaFreeAsync(void *P, Stream) { return release(P); }
extern "C" int cudaFreeAsync_ptsz(void *P, Stream) { return release(P); }
extern "C" int cudaFreeHost(void *P) { return release(P); }

/// Rows start at multiples of this (textureAlignment).
static size_t pitchOf(size_t Width) { return (Width + 511) / 512 * 512; }

extern "C" int cudaMallocPitch(void **P, size_t *Pitch, size_t Width, size_t Height) {
  *Pitch = pitchOf(Width);
  return cudaMalloc(P, *Pitch * Height);
}

namespace {
/// driver_types.h
struct PitchedPointer {
  void *pointer;
  size_t pitch, xSize, ySize;
};
struct Extent {
  size_t width, height, depth;
};
struct Position {
  size_t x, y, z;
};
struct Copy3D {
  void *fromArray;
  Position fromPosition;
  PitchedPointer from;
  void *toArray;
  Position toPosition;
  PitchedPointer to;
  Extent extent;
  int kind;
};
} // namespace

extern "C" int cudaMalloc3D(PitchedPointer *P, Extent E) {
  *P = {nullptr, pitchOf(E.width), E.width, E.height};
  return cudaMalloc(&P->pointer, P->pitch * E.height * E.depth);
}

extern "C" int cudaHostRegister(void *P, size_t Bytes, unsigned) {
  return call([&](Runtime &R) -> int {
    if (!P || !Bytes)
      return ErrorInvalidValue;
    if (R.memory.find(uint64_t(P)))
      return ErrorHostMemoryAlreadyRegistered;
    R.memory.add(uint64_t(P), Bytes, ObjectKind::Registered, nullptr);
    return Success;
  });
}
extern "C" int cudaHostUnregister(void *P) {
  return call([&](Runtime &R) -> int {
    return R.memory.remove(uint64_t(P), ObjectKind::Registered) ? Success : ErrorHostMemoryNotRegistered;
  });
}
extern "C" int cudaHostGetDevicePointer(void **Device, void *Host, unsigned) {
  return call([&](Runtime &R) -> int {
    *Device = nullptr;
    if (!R.memory.find(uint64_t(Host)))
      return ErrorInvalidValue;
    *Device = Host;
    return Success;
  });
}
extern "C" int cudaHostGetFlags(unsigned *Flags, void *Host) {
  return call([&](Runtime &R) -> int {
    *Flags = 0;
    return R.memory.find(uint64_t(Host)) ? Success : ErrorInvalidValue;
  });
}

extern "C" int cudaMemGetInfo(size_t *Free, size_t *Total) {
  return call([&](Runtime &R) {
    *Total = size_t(properties().get("totalGlobalMem"));
    *Free = *Total - std::min<size_t>(*Total, R.memory.bytesOf(ObjectKind::Device));
    return Success;
  });
}

namespace {
/// What cudaPointerAttributes begins with since CUDA 11.
struct PointerAttributes {
  int type, device;
  void *devicePointer, *hostPointer;
};
enum { Unregistered, HostType, DeviceType, ManagedType };
} // namespace

extern "C" int cudaPointerGetAttributes(PointerAttributes *A, const void *P) {
  return call([&](Runtime &R) {
    void *Here = const_cast<void *>(P);
    const Object *O = R.memory.find(uint64_t(P));
    if (!O)
      *A = {Unregistered, -2, nullptr, Here}; // cudaInvalidDeviceId
    else if (O->kind == ObjectKind::Managed)
      *A = {ManagedType, 0, Here, Here};
    else if (O->kind == ObjectKind::Host || O->kind == ObjectKind::Registered)
      *A = {HostType, 0, Here, Here};
    else
      *A = {DeviceType, 0, Here, nullptr};
    return Success;
  });
}

//===-- Copies --------------------------------------------------------------===//

namespace {
enum Direction { HostToHost, HostToDevice, DeviceToHost, DeviceToDevice, ByAddress };
} // namespace

static int outside(Runtime &R, const char *What, const void *P, uint64_t Bytes) {
  const Object *O = R.memory.find(uint64_t(P));
  Failure F;
  F.code = ErrorInvalidValue;
  F.kind = "out-of-bounds";
  char Text[96];
  std::snprintf(Text, sizeof Text, "%s of %llu bytes at %p: ", What, static_cast<unsigned long long>(Bytes),
                P);
  F.message = Text + describeDistance(O ? O : R.memory.nearest(uint64_t(P)), uint64_t(P), 0);
  R.report(F, nullptr);
  return ErrorInvalidValue;
}

/// Are these bytes within one object of the device? A pointer of which the host's side is meant is not asked
/// about.
static int check(Runtime &R, const char *What, const void *P, uint64_t Bytes, bool MustBeDevice) {
  if (!Bytes)
    return Success;
  const Object *O = R.memory.find(uint64_t(P));
  if (!O)
    return MustBeDevice ? outside(R, What, P, Bytes) : int(Success);
  return O->contains(uint64_t(P), Bytes) ? int(Success) : outside(R, What, P, Bytes);
}

/// Bytes from the first of the first row to the last of the last.
static uint64_t span(size_t Pitch, size_t Width, size_t Height) {
  return Height && Width ? Pitch * (Height - 1) + Width : 0;
}

static int copyRows(void *To, size_t ToPitch, const void *From, size_t FromPitch, size_t Width, size_t Height,
                    int Kind) {
  return call([&](Runtime &R) -> int {
    if (Kind < HostToHost || Kind > ByAddress)
      return ErrorInvalidMemcpyDirection;
    if (Height > 1 && (Width > ToPitch || Width > FromPitch))
      return 12; // cudaErrorInvalidPitchValue
    if (int Code = check(R, "copy to the device", To, span(ToPitch, Width, Height),
                         Kind == HostToDevice || Kind == DeviceToDevice))
      return Code;
    if (int Code = check(R, "copy from the device", From, span(FromPitch, Width, Height),
                         Kind == DeviceToHost || Kind == DeviceToDevice))
      return Code;
    for (size_t Row = 0; Row < Height; ++Row)
      std::memmove(static_cast<char *>(To) + Row * ToPitch, static_cast<const char *>(From) + Row * FromPitch,
                   Width);
    return Success;
  });
}

extern "C" int cudaMemcpy(void *To, const void *From, size_t Bytes, int Kind) {
  return copyRows(To, Bytes, From, Bytes, Bytes, 1, Kind);
}
extern "C" int cudaMemcpy_ptds(void *To, const void *From, size_t Bytes, int Kind) {
  return cudaMemcpy(To, From, Bytes, Kind);
}
extern "C" int cudaMemcpyAsync(void *To, const void *From, size_t Bytes, int Kind, Stream) {
  return cudaMemcpy(To, From, Bytes, Kind);
}
extern "C" int cudaMemcpyAsync_ptsz(void *To, const void *From, size_t Bytes, int Kind, Stream) {
  return cudaMemcpy(To, From, Bytes, Kind);
}
extern "C" int cudaMemcpyPeer(void *To, int, const void *From, int, size_t Bytes) {
  return cudaMemcpy(To, From, Bytes, DeviceToDevice);
}
extern "C" int cudaMemcpyPeerAsync(void *To, int, const void *From, int, size_t Bytes, Stream) {
  return cudaMemcpy(To, From, Bytes, DeviceToDevice);
}
extern "C" int cudaMemcpy2D(void *To, size_t ToPitch, const void *From, size_t FromPitch, size_t Width,
                            size_t Height, int Kind) {
  return copyRows(To, ToPitch, From, FromPitch, Width, Height, Kind);
}
extern "C" int cudaMemcpy2DAsync(void *To, size_t ToPitch, const void *From, size_t FromPitch, size_t Width,
                                 size_t Height, int Kind, Stream) {
  return copyRows(To, ToPitch, From, FromPitch, Width, Height, Kind);
}
extern "C" int cudaMemcpy3D(const Copy3D *C) {
  if (C->fromArray || C->toArray)
    unsupportedCall("a CUDA array (cudaMemcpy3D)");
  auto At = [](const PitchedPointer &P, const Position &Where, size_t Slice) {
    return static_cast<char *>(P.pointer) + ((Where.z + Slice) * P.ySize + Where.y) * P.pitch + Where.x;
  };
  for (size_t Slice = 0; Slice < C->extent.depth; ++Slice)
    if (int Code = copyRows(At(C->to, C->toPosition, Slice), C->to.pitch, At(C->from, C->fromPosition, Slice),
                            C->from.pitch, C->extent.width, C->extent.height, C->kind))
      return Code;
  return Success;
}
extern "C" int cudaMemcpy3DAsync(const Copy3D *C, Stream) { return cudaMemcpy3D(C); }

//===-- Filling -------------------------------------------------------------===//

static int fillRows(void *P, size_t Pitch, int Value, size_t Width, size_t Height) {
  return call([&](Runtime &R) -> int {
    if (int Code = check(R, "cudaMemset", P, span(Pitch, Width, Height), true))
      return Code;
    for (size_t Row = 0; Row < Height; ++Row)
      std::memset(static_cast<char *>(P) + Row * Pitch, Value, Width);
    return Success;
  });
}

extern "C" int cudaMemset(void *P, int Value, size_t Bytes) { return fillRows(P, Bytes, Value, Bytes, 1); }
extern "C" int cudaMemset_ptds(void *P, int Value, size_t Bytes) { return cudaMemset(P, Value, Bytes); }
extern "C" int cudaMemsetAsync(void *P, int Value, size_t Bytes, Stream) {
  return cudaMemset(P, Value, Bytes);
}
extern "C" int cudaMemsetAsync_ptsz(void *P, int Value, size_t Bytes, Stream) {
  return cudaMemset(P, Value, Bytes);
}
extern "C" int cudaMemset2D(void *P, size_t Pitch, int Value, size_t Width, size_t Height) {
  return fillRows(P, Pitch, Value, Width, Height);
}
extern "C" int cudaMemset2DAsync(void *P, size_t Pitch, int Value, size_t Width, size_t Height, Stream) {
  return fillRows(P, Pitch, Value, Width, Height);
}
extern "C" int cudaMemset3D(PitchedPointer P, int Value, Extent E) {
  for (size_t Slice = 0; Slice < E.depth; ++Slice)
    if (int Code = fillRows(static_cast<char *>(P.pointer) + Slice * P.pitch * P.ySize, P.pitch, Value,
                            E.width, E.height))
      return Code;
  return Success;
}
extern "C" int cudaMemset3DAsync(PitchedPointer P, int Value, Extent E, Stream) {
  return cudaMemset3D(P, Value, E);
}

//===-- Variables -----------------------------------------------------------===//

/// The bytes of a variable; null when there is no such variable, or it is too small.
static char *symbolBytes(Runtime &R, const void *Symbol, size_t Bytes, size_t Offset, int &Code) {
  auto It = R.variables.find(Symbol);
  Code = It == R.variables.end() ? ErrorInvalidSymbol : ErrorInvalidValue;
  if (It == R.variables.end() || Offset > It->second->size || Bytes > It->second->size - Offset)
    return nullptr;
  return static_cast<char *>(It->second->address) + Offset;
}

extern "C" int cudaMemcpyToSymbol(const void *Symbol, const void *From, size_t Bytes, size_t Offset,
                                  int Kind) {
  return call([&](Runtime &R) {
    int Code;
    char *To = symbolBytes(R, Symbol, Bytes, Offset, Code);
    return To ? cudaMemcpy(To, From, Bytes, Kind) : Code;
  });
}
extern "C" int cudaMemcpyToSymbolAsync(const void *Symbol, const void *From, size_t Bytes, size_t Offset,
                                       int Kind, Stream) {
  return cudaMemcpyToSymbol(Symbol, From, Bytes, Offset, Kind);
}
extern "C" int cudaMemcpyFromSymbol(void *To, const void *Symbol, size_t Bytes, size_t Offset, int Kind) {
  return call([&](Runtime &R) {
    int Code;
    const char *From = symbolBytes(R, Symbol, Bytes, Offset, Code);
    return From ? cudaMemcpy(To, From, Bytes, Kind) : Code;
  });
}
extern "C" int cudaMemcpyFromSymbolAsync(void *To, const void *Symbol, size_t Bytes, size_t Offset, int Kind,
                                         Stream) {
  return cudaMemcpyFromSymbol(To, Symbol, Bytes, Offset, Kind);
}
extern "C" int cudaGetSymbolAddress(void **P, const void *Symbol) {
  return call([&](Runtime &R) -> int {
    int Code;
    *P = symbolBytes(R, Symbol, 0, 0, Code);
    return *P ? int(Success) : Code;
  });
}
extern "C" int cudaGetSymbolSize(size_t *Bytes, const void *Symbol) {
  return call([&](Runtime &R) -> int {
    auto It = R.variables.find(Symbol);
    if (It == R.variables.end())
      return ErrorInvalidSymbol;
    *Bytes = It->second->size;
    return Success;
  });
}

//===-- Hints, pools --------------------------------------------------------===//

WARPLINT_REPLAY_NOTHING(cudaMemAdvise)
WARPLINT_REPLAY_NOTHING(cudaMemAdvise_v2)
WARPLINT_REPLAY_NOTHING(cudaMemPrefetchAsync)
WARPLINT_REPLAY_NOTHING(cudaMemPrefetchAsync_v2)
WARPLINT_REPLAY_NOTHING(cudaMemPrefetchAsync_ptsz)
WARPLINT_REPLAY_NOTHING(cudaMemPoolDestroy)
WARPLINT_REPLAY_NOTHING(cudaMemPoolTrimTo)
WARPLINT_REPLAY_NOTHING(cudaMemPoolSetAttribute)
WARPLINT_REPLAY_NOTHING(cudaMemPoolSetAccess)
WARPLINT_REPLAY_NOTHING(cudaDeviceSetMemPool)

/// One pool for all: memory comes from the same place.
static char ThePool;

extern "C" int cudaMemPoolCreate(void **Pool, const void *) {
  return call([&](Runtime &) {
    *Pool = &ThePool;
    return Success;
  });
}
extern "C" int cudaDeviceGetDefaultMemPool(void **Pool, int) { return cudaMemPoolCreate(Pool, nullptr); }
extern "C" int cudaDeviceGetMemPool(void **Pool, int) { return cudaMemPoolCreate(Pool, nullptr); }

namespace {
/// cudaChannelFormatDesc. It is made for textures, and harmless without one.
struct ChannelFormat {
  int x, y, z, w, kind;
};
} // namespace
extern "C" ChannelFormat cudaCreateChannelDesc(int X, int Y, int Z, int W, int Kind) { return {X, Y, Z, W, Kind}; }

#define ARRAYS "a texture, surface or CUDA array"
WARPLINT_REPLAY_UNSUPPORTED(cudaMallocArray, ARRAYS)
WARPLINT_REPLAY_UNSUPPORTED(cudaMalloc3DArray, ARRAYS)
WARPLINT_REPLAY_UNSUPPORTED(cudaMallocMipmappedArray, ARRAYS)
WARPLINT_REPLAY_UNSUPPORTED(cudaFreeArray, ARRAYS)
WARPLINT_REPLAY_UNSUPPORTED(cudaFreeMipmappedArray, ARRAYS)
WARPLINT_REPLAY_UNSUPPORTED(cudaGetMipmappedArrayLevel, ARRAYS)
WARPLINT_REPLAY_UNSUPPORTED(cudaArrayGetInfo, ARRAYS)
WARPLINT_REPLAY_UNSUPPORTED(cudaMemcpy2DArrayToArray, ARRAYS)
WARPLINT_REPLAY_UNSUPPORTED(cudaBindSurfaceToArray, ARRAYS)
WARPLINT_REPLAY_UNSUPPORTED(cudaGetSurfaceReference, ARRAYS)
WARPLINT_REPLAY_UNSUPPORTED(cudaGetTextureReference, ARRAYS)
WARPLINT_REPLAY_UNSUPPORTED(cudaMemcpyToArray, ARRAYS)
WARPLINT_REPLAY_UNSUPPORTED(cudaMemcpyFromArray, ARRAYS)
WARPLINT_REPLAY_UNSUPPORTED(cudaMemcpy2DToArray, ARRAYS)
WARPLINT_REPLAY_UNSUPPORTED(cudaMemcpy2DToArrayAsync, ARRAYS)
WARPLINT_REPLAY_UNSUPPORTED(cudaMemcpy2DFromArray, ARRAYS)
WARPLINT_REPLAY_UNSUPPORTED(cudaBindTexture, ARRAYS)
WARPLINT_REPLAY_UNSUPPORTED(cudaBindTexture2D, ARRAYS)
WARPLINT_REPLAY_UNSUPPORTED(cudaBindTextureToArray, ARRAYS)
WARPLINT_REPLAY_UNSUPPORTED(cudaUnbindTexture, ARRAYS)
WARPLINT_REPLAY_UNSUPPORTED(cudaCreateTextureObject, ARRAYS)
WARPLINT_REPLAY_UNSUPPORTED(cudaCreateTextureObject_v2, ARRAYS)
WARPLINT_REPLAY_UNSUPPORTED(cudaDestroyTextureObject, ARRAYS)
WARPLINT_REPLAY_UNSUPPORTED(cudaCreateSurfaceObject, ARRAYS)
WARPLINT_REPLAY_UNSUPPORTED(cudaDestroySurfaceObject, ARRAYS)
WARPLINT_REPLAY_UNSUPPORTED(cudaGetChannelDesc, ARRAYS)
WARPLINT_REPLAY_UNSUPPORTED(cudaIpcGetMemHandle, "memory shared between processes")
WARPLINT_REPLAY_UNSUPPORTED(cudaIpcOpenMemHandle, "memory shared between processes")
