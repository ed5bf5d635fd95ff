//===-- Measurement.cpp - What a replayed program did -------------------------===//
#include "tools/replay/program/Measurement.h"
#include "analyzer/kernel/Recorder.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>
#include <cstring>
#include <map>

using namespace llvm;
using namespace warplint;
using namespace warplint::replay;
using result::Operation;
using result::Space;

namespace {

template <typename Value, size_t N> Value named(StringRef Name, const Value (&All)[N], Value Otherwise) {
  for (Value Each : All)
    if (Name == spelling(Each))
      return Each;
  return Otherwise;
}

constexpr Space Spaces[] = {Space::Global, Space::Shared, Space::Constant, Space::Local};
constexpr Operation Operations[] = {Operation::Load, Operation::Store, Operation::Atomic};
constexpr result::Mechanism Mechanisms[] = {result::Mechanism::Plain, result::Mechanism::Memcpy,
                                            result::Mechanism::CpAsync, result::Mechanism::Ldmatrix};

//===-- Values, absent ones as 0 -------------------------------------------------===//

std::string text(const json::Object &O, StringRef Key) { return O.getString(Key).value_or("").str(); }
double real(const json::Object &O, StringRef Key) { return O.getNumber(Key).value_or(0); }
uint64_t whole(const json::Object &O, StringRef Key) {
  const json::Value *V = O.get(Key);
  return V ? V->getAsUINT64().value_or(0) : 0;
}
bool flag(const json::Object &O, StringRef Key) { return O.getBoolean(Key).value_or(false); }

template <typename Number> std::optional<std::array<Number, 3>> triple(const json::Object &O, StringRef Key) {
  const json::Array *A = O.getArray(Key);
  if (!A || A->size() != 3)
    return std::nullopt;
  std::array<Number, 3> Result{};
  for (size_t I = 0; I < 3; ++I)
    Result[I] = Number((*A)[I].getAsUINT64().value_or(0));
  return Result;
}

result::Place place(const json::Object &O) {
  const unsigned Line = unsigned(whole(O, "line")), Column = unsigned(whole(O, "column"));
  return {text(O, "file"), Line, Column, Line, Column};
}

template <typename Use> void objects(const json::Object &In, StringRef Key, Use Each) {
  if (const json::Array *All = In.getArray(Key))
    for (const json::Value &V : *All)
      if (const json::Object *O = V.getAsObject())
        Each(*O);
}

//===-- The file's objects --------------------------------------------------------===//

result::Cost cost(const json::Object &O) {
  result::Cost C;
  C.lines = real(O, "lines");
  C.sectors = real(O, "sectors");
  C.idealSectors = real(O, "idealSectors");
  C.efficiency = real(O, "efficiency");
  C.sectorEfficiency = real(O, "sectorEfficiency");
  C.wavefronts = real(O, "wavefronts");
  C.idealWavefronts = real(O, "idealWavefronts");
  C.conflictWays = real(O, "conflictWays");
  C.distinctAddresses = real(O, "distinctAddresses");
  return C;
}

Sums sums(const json::Object &O) {
  return {whole(O, "requests"),     whole(O, "lines"),      whole(O, "sectors"),
          whole(O, "idealSectors"), whole(O, "wavefronts"), whole(O, "idealWavefronts")};
}

MeasuredAccess access(const json::Object &O, const SourceFacts &Facts) {
  MeasuredAccess M;
  result::Access &A = M.access;
  A.place = place(O);
  A.operation = named(text(O, "operation"), Operations, Operation::Load);
  A.mechanism = named(text(O, "instruction"), Mechanisms, result::Mechanism::Plain);
  A.space = named(text(O, "space"), Spaces, Space::Unknown);
  A.width = unsigned(whole(O, "width"));
  A.base = text(O, "object");
  if (const AccessFacts *Known = Facts.access(A.place, A.operation)) {
    A.place = Known->place;
    A.expression = Known->expression;
    if (!Known->base.empty())
      A.base = Known->base;
  }
  A.activeLanes = unsigned(whole(O, "activeLanes"));
  A.activeMask = uint32_t(whole(O, "activeMask"));
  A.maxActiveLanes = unsigned(whole(O, "maxActiveLanes"));
  A.meanActiveLanes = real(O, "meanActiveLanes");
  if (const json::Array *Offsets = O.getArray("laneOffsets"))
    for (size_t L = 0; L < std::min<size_t>(32, Offsets->size()); ++L)
      A.laneOffsets[L] = (*Offsets)[L].getAsInteger().value_or(0);
  A.worst = cost(O);
  if (const json::Object *Mean = O.getObject("mean"))
    A.mean = cost(*Mean);
  if (const json::Object *Total = O.getObject("total"))
    M.sums = sums(*Total);
  M.function = text(O, "function");
  M.isVolatile = flag(O, "volatile");
  M.worstBlock = triple<uint64_t>(O, "worstBlock").value_or(std::array<uint64_t, 3>{});
  M.worstWarp = unsigned(whole(O, "worstWarp"));
  return M;
}

/// An integer argument from its bytes in memory.
std::optional<int64_t> argument(const json::Object &O, const ParameterFacts &Known) {
  std::string Bytes;
  if (!Known.isInteger || !tryGetFromHex(text(O, "bytes"), Bytes) || Bytes.empty() || Bytes.size() > 8)
    return std::nullopt;
  uint64_t Value = 0;
  for (size_t I = Bytes.size(); I-- > 0;)
    Value = Value << 8 | uint8_t(Bytes[I]);
  return Known.isSigned ? SignExtend64(Value, unsigned(8 * Bytes.size())) : int64_t(Value);
}

MeasuredKernel readKernel(const json::Object &O, const SourceFacts &Facts) {
  MeasuredKernel M;
  result::Kernel &K = M.kernel;
  M.function = K.signature = text(O, "signature");
  K.name = K.signature.substr(0, K.signature.find('('));
  K.place = place(O);
  const KernelFacts *Known = Facts.kernel(text(O, "name"), K.place.file);
  if (Known) {
    K.name = Known->name;
    K.signature = Known->signature;
    K.place = Known->place;
  }
  K.arch = Facts.arch;
  K.grid = triple<uint64_t>(O, "grid");
  K.block = triple<unsigned>(O, "block").value_or(K.block);
  K.blockOrigin = result::BlockOrigin::Launch;
  K.dynamicShared = whole(O, "dynamicShared");
  K.staticShared = whole(O, "staticShared");
  M.argumentsVary = flag(O, "argumentsVary");
  size_t Number = 0;
  objects(O, "arguments", [&](const json::Object &Each) {
    if (Known && Number < Known->parameters.size() && !M.argumentsVary)
      if (std::optional<int64_t> Value = argument(Each, Known->parameters[Number]))
        K.arguments[Known->parameters[Number].name] = *Value;
    ++Number;
  });
  M.cluster = triple<unsigned>(O, "cluster").value_or(M.cluster);
  M.launches = whole(O, "launches");
  M.recordedLaunches = whole(O, "recordedLaunches");
  M.warps = whole(O, "warps");
  M.recordedWarps = whole(O, "recordedWarps");
  M.duplicates = whole(O, "duplicates");
  M.complete = flag(O, "complete");
  M.unalignedPointers = flag(O, "unalignedPointers");
  objects(O, "accesses", [&](const json::Object &Each) { M.accesses.push_back(access(Each, Facts)); });
  return M;
}

/// What the source has at one place once, the compiled code may have several times.
void mergePlaces(MeasuredKernel &K) {
  std::vector<MeasuredAccess> Merged;
  std::map<std::tuple<std::string, unsigned, unsigned, Operation, Space, unsigned>, size_t> Seen;
  for (MeasuredAccess &M : K.accesses) {
    const result::Access &A = M.access;
    auto [It, New] = Seen.try_emplace(
        {A.place.file, A.place.line, A.place.column, A.operation, A.space, A.width}, Merged.size());
    if (New)
      Merged.push_back(std::move(M));
    else
      merge(Merged[It->second], M);
  }
  K.accesses = std::move(Merged);
  llvm::stable_sort(K.accesses, [](const MeasuredAccess &L, const MeasuredAccess &R) {
    const result::Place &A = L.access.place, &B = R.access.place;
    return std::tie(A.file, A.line, A.column) < std::tie(B.file, B.line, B.column);
  });
}

void addMean(result::Cost &Into, const result::Cost &From, double Share) {
  auto Mix = [&](double result::Cost::*Field) {
    Into.*Field = Into.*Field * (1 - Share) + From.*Field * Share;
  };
  for (double result::Cost::*Field :
       {&result::Cost::lines, &result::Cost::sectors, &result::Cost::idealSectors, &result::Cost::efficiency,
        &result::Cost::sectorEfficiency, &result::Cost::wavefronts, &result::Cost::idealWavefronts,
        &result::Cost::conflictWays, &result::Cost::distinctAddresses})
    Mix(Field);
}

} // namespace

uint64_t MeasuredAccess::excess() const {
  if (access.space == Space::Shared)
    return sums.wavefronts - std::min(sums.wavefronts, sums.idealWavefronts);
  return sums.sectors - std::min(sums.sectors, sums.idealSectors);
}

bool warplint::replay::worse(Space Where, const result::Cost &A, const result::Cost &B) {
  return kernel::worseThan(Where, A, 0, B, 0);
}

void warplint::replay::merge(MeasuredAccess &Into, const MeasuredAccess &From) {
  const uint64_t Requests = Into.sums.requests + From.sums.requests;
  const double Share = Requests ? double(From.sums.requests) / double(Requests) : 0;
  addMean(Into.access.mean, From.access.mean, Share);
  Into.access.meanActiveLanes =
      Into.access.meanActiveLanes * (1 - Share) + From.access.meanActiveLanes * Share;
  if (worse(From.access.space, From.access.worst, Into.access.worst)) {
    Into.access.worst = From.access.worst;
    Into.access.activeLanes = From.access.activeLanes;
    Into.access.activeMask = From.access.activeMask;
    Into.access.laneOffsets = From.access.laneOffsets;
    Into.worstBlock = From.worstBlock;
    Into.worstWarp = From.worstWarp;
  }
  Into.access.maxActiveLanes = std::max(Into.access.maxActiveLanes, From.access.maxActiveLanes);
  for (uint64_t Sums::*Field : {&Sums::requests, &Sums::lines, &Sums::sectors, &Sums::idealSectors,
                                &Sums::wavefronts, &Sums::idealWavefronts})
    Into.sums.*Field += From.sums.*Field;
}

result::Report Measurement::report() const {
  result::Report Report;
  for (const MeasuredKernel &M : kernels) {
    Report.kernels.push_back(M.kernel);
    for (const MeasuredAccess &Each : M.accesses) {
      result::Access A = Each.access;
      A.confidence = M.complete ? result::Confidence::Exact : result::Confidence::Assumed;
      if (!M.complete)
        A.assumptions.push_back(utostr(M.recordedWarps) + " of " + utostr(M.warps) +
                                " warps were recorded, the others are like them");
      A.total = {Each.sums.requests, Each.sums.sectors, Each.sums.idealSectors, Each.sums.wavefronts};
      Report.kernels.back().accesses.push_back(std::move(A));
    }
  }
  for (const ReplayError &E : errors)
    Report.errors.push_back({E.place, E.message});
  return Report;
}

Expected<Measurement> warplint::replay::readMeasurement(StringRef File, const SourceFacts &Facts) {
  auto Buffer = MemoryBuffer::getFile(File);
  if (!Buffer)
    return createStringError(Buffer.getError(), "the program wrote no measurement");
  Expected<json::Value> Parsed = json::parse((*Buffer)->getBuffer());
  if (!Parsed)
    return joinErrors(createStringError(inconvertibleErrorCode(), "the program's measurement is damaged"),
                      Parsed.takeError());
  const json::Object *Root = Parsed->getAsObject();
  if (!Root || text(*Root, "schema") != "warplint-replay-measurement/1")
    return createStringError(inconvertibleErrorCode(),
                             "the program's measurement is of another version; rebuild warplint-replay");
  Measurement Result;
  Result.ended = text(*Root, "ended");
  Result.gpu = text(*Root, "gpu");
  objects(*Root, "kernels", [&](const json::Object &O) {
    Result.kernels.push_back(readKernel(O, Facts));
    mergePlaces(Result.kernels.back());
  });
  objects(*Root, "errors", [&](const json::Object &O) {
    Result.errors.push_back({text(O, "kind"), text(O, "message"), text(O, "kernel"), place(O),
                             triple<uint64_t>(O, "block"), triple<uint64_t>(O, "thread")});
  });
  objects(*Root, "warnings", [&](const json::Object &O) { Result.warnings.push_back(text(O, "message")); });
  return Result;
}
