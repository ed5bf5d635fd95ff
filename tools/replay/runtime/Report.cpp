//===-- Report.cpp - The file that the tool reads ---------------------------------------===//
//
// README.md has its format.
//
//===----------------------------------------------------------------------===//
#include "tools/replay/runtime/JsonWriter.h"
#include "tools/replay/runtime/Properties.h"
#include "tools/replay/runtime/Runtime.h"
#include <cerrno>
#include <cstring>
#include <unistd.h>

using namespace warplint;
using namespace warplint::replay;

static void writeTriple(JsonWriter &J, const char *Name, uint32_t X, uint32_t Y, uint32_t Z) {
  J.arrayAt(Name, [&] {
    J.value(X);
    J.value(Y);
    J.value(Z);
  });
}

static void writeTriple(JsonWriter &J, const char *Name, BlockIndex B) {
  writeTriple(J, Name, B.x, B.y, B.z);
}

/// The keys of a cost that mean something in its space, each times `Factor`.
static void writeCost(JsonWriter &J, Space S, const Cost &C, double Factor) {
  switch (S) {
  case Space::Shared:
    J.at("wavefronts", C.wavefronts * Factor);
    J.at("idealWavefronts", C.idealWavefronts * Factor);
    J.at("conflictWays", C.conflictWays * Factor);
    return;
  case Space::Constant:
    J.at("distinctAddresses", C.distinctAddresses * Factor);
    return;
  case Space::Global:
  case Space::Local:
    J.at("lines", C.lines * Factor);
    J.at("sectors", C.sectors * Factor);
    J.at("idealSectors", C.idealSectors * Factor);
    J.at("efficiency", C.efficiency * Factor);
    J.at("sectorEfficiency", C.sectorEfficiency * Factor);
    return;
  }
}

static std::string objectText(const SiteCounts &S) {
  const Whereabouts &W = S.worstPlace;
  if (S.space == Space::Shared || S.space == Space::Local)
    return spelling(S.space);
  if (W.objectName)
    return std::string("variable ") + W.objectName;
  if (W.objectBegin)
    return "allocation of " + std::to_string(W.objectSize) + " bytes";
  return "";
}

static const char *operationText(const Site &S) {
  static constexpr const char *Names[] = {"load", "store", "atomic"};
  return Names[unsigned(S.operation)];
}

static const char *mechanismText(const Site &S) {
  static constexpr const char *Names[] = {"plain", "memcpy", "cp.async", "ldmatrix"};
  return Names[unsigned(S.mechanism)];
}

static void writeAccess(JsonWriter &J, const SiteCounts &S) {
  const Site &At = *S.site;
  J.object([&] {
    J.at("file", At.file ? At.file : "");
    J.at("line", At.line);
    J.at("column", At.column);
    J.at("function", At.function ? At.function : "");
    J.at("operation", operationText(At));
    J.at("instruction", mechanismText(At));
    J.at("volatile", At.isVolatile != 0);
    J.at("space", spelling(S.space));
    J.at("width", At.width);
    J.at("activeLanes", unsigned(__builtin_popcount(S.worstRequest.active)));
    J.at("activeMask", S.worstRequest.active);
    J.arrayAt("laneOffsets", [&] {
      for (unsigned L = 0; L < model::WarpLanes; ++L)
        if (S.worstRequest.active >> L & 1)
          J.value(S.worstRequest.address[L]);
        else
          J.null();
    });
    J.at("object", objectText(S));
    writeTriple(J, "worstBlock", S.worstPlace.block);
    J.at("worstWarp", S.worstPlace.warp);
    writeCost(J, S.space, S.worst, 1);
    J.at("maxActiveLanes", S.maxLanes);
    J.at("meanActiveLanes", double(S.lanes) / double(S.requests));
    J.objectAt("mean", [&] { writeCost(J, S.space, S.sum, 1 / double(S.requests)); });
    J.objectAt("total", [&] {
      J.at("requests", S.requests);
      J.at("lines", S.sum.lines);
      J.at("sectors", S.sum.sectors);
      J.at("idealSectors", S.sum.idealSectors);
      J.at("wavefronts", S.sum.wavefronts);
      J.at("idealWavefronts", S.sum.idealWavefronts);
      J.at("distinctAddresses", S.sum.distinctAddresses);
    });
    if (At.operation == SiteOperation::Atomic) {
      J.at("lanesPerAddress", S.lanesPerAddress);
      J.at("atomicAddresses", S.atomicAddresses);
    }
  });
}

static void writeArguments(JsonWriter &J, const Shape &S) {
  size_t Offset = 0;
  for (uint32_t I = 0; I < S.kernel->parameterCount; ++I) {
    const Parameter &P = S.kernel->parameters[I];
    J.object([&] {
      J.at("size", P.size);
      if (P.isPointer) {
        J.at("pointer", true);
        return;
      }
      if (S.anyScalars)
        return;
      std::string Hex;
      for (uint32_t Byte = 0; Byte < P.size; ++Byte) {
        char Text[3];
        std::snprintf(Text, sizeof Text, "%02x", uint8_t(S.scalars[Offset + Byte]));
        Hex += Text;
      }
      J.at("bytes", Hex);
      Offset += P.size;
    });
  }
}

static void writeConfiguration(JsonWriter &J, const Configuration &C) {
  const Shape &S = C.shape;
  J.object([&] {
    J.at("name", S.kernel->name);
    J.at("signature", S.kernel->signature);
    J.at("file", S.kernel->file);
    J.at("line", S.kernel->line);
    writeTriple(J, "grid", S.grid);
    writeTriple(J, "block", S.block);
    writeTriple(J, "cluster", S.cluster);
    J.at("dynamicShared", S.dynamicShared);
    J.at("staticShared", S.kernel->staticShared);
    J.arrayAt("arguments", [&] { writeArguments(J, S); });
    J.at("argumentsVary", S.anyScalars);
    J.at("launches", C.launches);
    J.at("recordedLaunches", C.recordedLaunches);
    J.at("warps", C.warps);
    J.at("recordedWarps", C.recordedWarps);
    J.at("complete", C.complete());
    J.at("duplicates", C.duplicates);
    J.at("unalignedPointers", C.unaligned);
    J.at("seconds", C.seconds);
    J.arrayAt("accesses", [&] {
      for (const SiteCounts &Counts : C.counts)
        if (Counts.requests)
          writeAccess(J, Counts);
    });
  });
}

static void writeFailure(JsonWriter &J, const ReportedFailure &R) {
  const Failure &F = R.failure;
  J.object([&] {
    J.at("kind", F.kind);
    J.at("code", F.code);
    J.at("message", F.message);
    if (R.kernel)
      J.at("kernel", R.kernel->signature);
    if (F.site || !F.file.empty()) {
      J.at("file", F.site ? F.site->file : F.file.c_str());
      J.at("line", F.site ? F.site->line : F.line);
      J.at("column", F.site ? F.site->column : 0);
    }
    if (F.hasThread) {
      writeTriple(J, "block", F.block[0], F.block[1], F.block[2]);
      writeTriple(J, "thread", F.thread[0], F.thread[1], F.thread[2]);
    }
  });
}

static void writeAll(std::FILE *Out, const Runtime &R, const char *Ended) {
  JsonWriter J(Out);
  J.object([&] {
    J.at("schema", "warplint-replay-measurement/1");
    J.at("ended", Ended);
    J.at("gpu", properties().name());
    J.arrayAt("kernels", [&] {
      for (const Configuration &C : R.recorder.configurations())
        writeConfiguration(J, C);
    });
    J.arrayAt("errors", [&] {
      for (const ReportedFailure &F : R.failures)
        writeFailure(J, F);
    });
    J.arrayAt("warnings", [&] {
      for (const std::string &Text : R.warnings)
        J.object([&] { J.at("message", Text); });
    });
    J.objectAt("summary", [&] {
      J.at("launches", R.launches);
      J.at("recordedLaunches", R.recordedLaunches);
      J.at("warps", R.warps);
      J.at("recordedWarps", R.recordedWarps);
    });
  });
  std::fputc('\n', Out);
}

/// The time limit's thread and the program's own may both come to the end.
enum class Progress { NotBegun, Begun, Done };
static std::atomic<Progress> Written{Progress::NotBegun};

void replay::writeOutput(const char *Ended) {
  Runtime &R = runtime();
  auto Expected = Progress::NotBegun;
  if (!R.options.output || !Written.compare_exchange_strong(Expected, Progress::Begun))
    return;
  if (std::FILE *Out = std::fopen(R.options.output, "w")) {
    writeAll(Out, R, Ended);
    std::fclose(Out);
  } else {
    std::fprintf(stderr, "warplint-replay: error: cannot write %s: %s\n", R.options.output, std::strerror(errno));
  }
  Written = Progress::Done;
}

void replay::endProgram(const char *Ended, int Status) {
  std::fflush(stdout);
  std::fflush(stderr);
  writeOutput(Ended);
  while (Written == Progress::Begun) // by another thread
    usleep(1000);
  _exit(Status);
}
