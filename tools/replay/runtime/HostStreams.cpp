//===-- HostStreams.cpp - Streams and events --------------------------------------------===//
//
// Everything is done when it is asked for, so streams are always empty and events have always happened. Time
// does not pass.
//
//===----------------------------------------------------------------------===//
#include "tools/replay/runtime/HostCall.h"

using namespace warplint::replay;

/// Of any two events: a program that divides by it must not divide by zero.
static constexpr float ElapsedMilliseconds = 0.001f;

//===-- Streams -------------------------------------------------------------===//

namespace {
struct StreamState {
  unsigned flags = 0;
  int priority = 0;
  unsigned long long id = 0;
};
} // namespace

/// Handles of the default streams are small numbers.
static StreamState *stateOf(Stream S) { return uint64_t(S) < 16 ? nullptr : static_cast<StreamState *>(S); }

static int createStream(Stream *S, unsigned Flags, int Priority) {
  return call([&](Runtime &) {
    static unsigned long long Count = 16;
    *S = new StreamState{Flags, Priority, ++Count};
    return Success;
  });
}

extern "C" int cudaStreamCreate(Stream *S) { return createStream(S, 0, 0); }
extern "C" int cudaStreamCreateWithFlags(Stream *S, unsigned Flags) { return createStream(S, Flags, 0); }
extern "C" int cudaStreamCreateWithPriority(Stream *S, unsigned Flags, int Priority) {
  return createStream(S, Flags, Priority);
}
extern "C" int cudaStreamDestroy(Stream S) {
  return call([&](Runtime &) {
    delete stateOf(S);
    return Success;
  });
}
extern "C" int cudaStreamGetFlags(Stream S, unsigned *Flags) {
  return call([&](Runtime &) {
    *Flags = stateOf(S) ? stateOf(S)->flags : 0;
    return Success;
  });
}
extern "C" int cudaStreamGetPriority(Stream S, int *Priority) {
  return call([&](Runtime &) {
    *Priority = stateOf(S) ? stateOf(S)->priority : 0;
    return Success;
  });
}
extern "C" int cudaStreamGetId(Stream S, unsigned long long *Id) {
  return call([&](Runtime &) {
    *Id = stateOf(S) ? stateOf(S)->id : uint64_t(S);
    return Success;
  });
}
extern "C" int cudaStreamIsCapturing(Stream, int *Status) {
  return call([&](Runtime &) {
    *Status = 0;
    return Success;
  });
}
extern "C" int cudaStreamIsCapturing_ptsz(Stream S, int *Status) { return cudaStreamIsCapturing(S, Status); }
extern "C" int cudaThreadExchangeStreamCaptureMode(int *) { return Success; }

WARPLINT_REPLAY_NOTHING(cudaStreamSynchronize)
WARPLINT_REPLAY_NOTHING(cudaStreamSynchronize_ptsz)
WARPLINT_REPLAY_NOTHING(cudaStreamQuery)
WARPLINT_REPLAY_NOTHING(cudaStreamQuery_ptsz)
WARPLINT_REPLAY_NOTHING(cudaStreamWaitEvent)
WARPLINT_REPLAY_NOTHING(cudaStreamWaitEvent_ptsz)
WARPLINT_REPLAY_NOTHING(cudaStreamAttachMemAsync)
WARPLINT_REPLAY_NOTHING(cudaStreamAttachMemAsync_ptsz)
WARPLINT_REPLAY_NOTHING(cudaStreamSetAttribute)
WARPLINT_REPLAY_NOTHING(cudaStreamCopyAttributes)
WARPLINT_REPLAY_NOTHING(cudaCtxResetPersistingL2Cache)
WARPLINT_REPLAY_NOTHING(cudaProfilerStart)
WARPLINT_REPLAY_NOTHING(cudaProfilerStop)

extern "C" int cudaStreamAddCallback(Stream S, void (*Callback)(Stream, int, void *), void *Data, unsigned) {
  const int Status = call([](Runtime &) { return 0; });
  Callback(S, Status, Data);
  return Status;
}

extern "C" int cudaLaunchHostFunc(Stream, void (*Function)(void *), void *Data) {
  if (const int Status = call([](Runtime &) { return 0; }))
    return Status;
  Function(Data);
  return Success;
}
extern "C" int cudaLaunchHostFunc_ptsz(Stream S, void (*Function)(void *), void *Data) {
  return cudaLaunchHostFunc(S, Function, Data);
}

//===-- Events --------------------------------------------------------------===//

namespace warplint::replay {
struct EventState {
  bool recorded = false;
};
} // namespace warplint::replay

extern "C" int cudaEventCreateWithFlags(Event *E, unsigned) {
  return call([&](Runtime &) {
    *E = new EventState;
    return Success;
  });
}
extern "C" int cudaEventCreate(Event *E) { return cudaEventCreateWithFlags(E, 0); }
extern "C" int cudaEventDestroy(Event E) {
  return call([&](Runtime &) {
    delete E;
    return Success;
  });
}
extern "C" int cudaEventRecord(Event E, Stream) {
  return call([&](Runtime &) -> int {
    if (!E)
      return ErrorInvalidResourceHandle;
    E->recorded = true;
    return Success;
  });
}
extern "C" int cudaEventRecord_ptsz(Event E, Stream S) { return cudaEventRecord(E, S); }
extern "C" int cudaEventRecordWithFlags(Event E, Stream S, unsigned) { return cudaEventRecord(E, S); }
extern "C" int cudaEventElapsedTime(float *Milliseconds, Event Start, Event End) {
  return call([&](Runtime &) -> int {
    if (!Start || !End || !Start->recorded || !End->recorded)
      return ErrorInvalidResourceHandle;
    *Milliseconds = ElapsedMilliseconds;
    return Success;
  });
}
extern "C" int cudaEventElapsedTime_v2(float *Milliseconds, Event Start, Event End) {
  return cudaEventElapsedTime(Milliseconds, Start, End);
}
WARPLINT_REPLAY_NOTHING(cudaEventSynchronize)
WARPLINT_REPLAY_NOTHING(cudaEventQuery)
