#include "analyzer/driver/ResultCache.h"
#include "analyzer/result/Archive.h"
#include "llvm/ADT/StringExtras.h"
#include <cstdlib>

using namespace llvm;

//--- The members of what is stored ----------------------------------------------
// Each function unpacks its whole structure, so that one with a new member does not compile until the member
// is listed here.

namespace warplint::frontend {
static auto members(Dependency &D) {
  auto &[path, exists, read, hash, stamp] = D;
  return std::tie(path, exists, read, hash, stamp);
}
} // namespace warplint::frontend

namespace warplint::result {

static auto members(Place &P) {
  auto &[file, line, column, endLine, endColumn] = P;
  return std::tie(file, line, column, endLine, endColumn);
}
static auto members(Cost &C) {
  auto &[lines, sectors, idealSectors, efficiency, sectorEfficiency, wavefronts, idealWavefronts, conflictWays,
         distinctAddresses] = C;
  return std::tie(lines, sectors, idealSectors, efficiency, sectorEfficiency, wavefronts, idealWavefronts,
                  conflictWays, distinctAddresses);
}
static auto members(Total &T) {
  auto &[requests, sectors, idealSectors, wavefronts] = T;
  return std::tie(requests, sectors, idealSectors, wavefronts);
}
static auto members(FieldInfo &F) {
  auto &[structName, field, structSize, fieldOffset, fieldSize, fieldCount, structAlignment, scalarSize] = F;
  return std::tie(structName, field, structSize, fieldOffset, fieldSize, fieldCount, structAlignment,
                  scalarSize);
}
static auto members(TileInfo &T) {
  auto &[name, extents, elementSize, declaration, declarationText, innermostExtent, innermostOffset,
         innermostText, usedFlat] = T;
  return std::tie(name, extents, elementSize, declaration, declarationText, innermostExtent, innermostOffset,
                  innermostText, usedFlat);
}
static auto members(Companions &C) {
  auto &[accesses, lines, sectors, sectorEfficiency, sameRegion] = C;
  return std::tie(accesses, lines, sectors, sectorEfficiency, sameRegion);
}
static auto members(AtomicInfo &A) {
  auto &[operation, lanesPerAddress, addresses, resultUsed, valueVaries, addressVaries] = A;
  return std::tie(operation, lanesPerAddress, addresses, resultUsed, valueVaries, addressVaries);
}
static auto members(IndexSource &S) {
  auto &[expression, place] = S;
  return std::tie(expression, place);
}
static auto members(PrivateArray &P) {
  auto &[declaration, size, cause, open] = P;
  return std::tie(declaration, size, cause, open);
}
static auto members(Access &A) {
  auto &[place, expression, operation, mechanism, removed, space, base, width, offset, confidence, assumptions,
         reason, activeLanes, iterations, worst, mean, total, laneOffsets, activeMask, laneStride,
         laneStrideText, strideIsSymbolic, laneIsSlowIndex, alignedSectors, alignedLines, field, tile,
         companions, faultOffset, atomic, indexSource, privateArray, laneSelectsRow, loop, blockSize,
         maxActiveLanes, meanActiveLanes, forced, worstIteration, calledFrom, unknownCall, macros] = A;
  return std::tie(place, expression, operation, mechanism, removed, space, base, width, offset, confidence,
                  assumptions, reason, activeLanes, iterations, worst, mean, total, laneOffsets, activeMask,
                  laneStride, laneStrideText, strideIsSymbolic, laneIsSlowIndex, alignedSectors, alignedLines,
                  field, tile, companions, faultOffset, atomic, indexSource, privateArray, laneSelectsRow,
                  loop, blockSize, maxActiveLanes, meanActiveLanes, forced, worstIteration, calledFrom,
                  unknownCall, macros);
}
static auto members(Loop &L) {
  auto &[place, parent, tripCount] = L;
  return std::tie(place, parent, tripCount);
}
static auto members(Amount &A) {
  auto &[terms] = A;
  return std::tie(terms);
}
static auto members(Work &W) {
  auto &[fp32, fp64, fp16, tensor, special, integer, requested, hauled, lines, useful, threads, distinct,
         assumptions, incomplete, unknownIndex, tileEdge, tileName] = W;
  return std::tie(fp32, fp64, fp16, tensor, special, integer, requested, hauled, lines, useful, threads, distinct,
                  assumptions, incomplete, unknownIndex, tileEdge, tileName);
}
static auto members(Reuse &R) {
  auto &[base, expression, place, threads, sameFor, inLoop, elementSize] = R;
  return std::tie(base, expression, place, threads, sameFor, inLoop, elementSize);
}
/// Without what is filled for the GPU of a run, and what is so of one run: the same kernels serve all of them.
static auto members(Kernel &K) {
  auto &[name, signature, symbol, place, block, grid, blockOrigin, blockNote, launch, dynamicShared, staticShared,
         arguments, arch, accesses, loops, partial, partialReason, launchBoundsThreads, launchBoundsBlocks,
         maxRegisters, usesDynamicShared, work, reuse, roofline, occupancy, eta, unit, written] = K;
  return std::tie(name, signature, symbol, place, block, grid, blockOrigin, blockNote, launch, dynamicShared,
                  staticShared, arguments, arch, accesses, loops, partial, partialReason, launchBoundsThreads,
                  launchBoundsBlocks, maxRegisters, usesDynamicShared, work, reuse);
}
static auto members(Error &E) {
  auto &[place, message, unit] = E;
  return std::tie(place, message);
}

} // namespace warplint::result

namespace warplint::kernel {

static auto members(OutsideUse &U) {
  auto &[symbol, place, launch, block, likelyBlock, grid, dynamicShared, arguments, reason, values, likelyValues] = U;
  return std::tie(symbol, place, launch, block, likelyBlock, grid, dynamicShared, arguments, reason, values,
                  likelyValues);
}
static auto members(GivenLaunch &G) {
  auto &[pattern, block, grid, dynamicShared, registers, origin] = G;
  return std::tie(pattern, block, grid, dynamicShared, registers, origin);
}
static auto members(OutsideUses &U) {
  auto &[uses, defined] = U;
  return std::tie(uses, defined);
}
static auto members(WantedFunction &W) {
  auto &[symbol, name, kernel] = W;
  return std::tie(symbol, name, kernel);
}

} // namespace warplint::kernel

namespace warplint::driver {

namespace {

struct StoredUses {
  std::vector<frontend::Dependency> dependencies;
  kernel::OutsideUses uses;
};

auto members(StoredUses &S) {
  auto &[dependencies, uses] = S;
  return std::tie(dependencies, uses);
}

} // namespace

static auto members(UnitResult &R) {
  auto &[kernels, errors, hasKernels, dependencies, wanted] = R;
  return std::tie(dependencies, kernels, errors, hasKernels, wanted); // what decides first, first
}

std::string ResultCache::key(const frontend::Command &Command, const kernel::AnalysisOptions &Options) {
  // Unpacked whole as well: what is new is to be thought about here.
  const auto &[Directory, File, Requested, Arguments, Arch, Toolkit, Preamble, Notes, Others] = Command;
  const auto &[Block, Kernels, Assume, Outside] = Options;
  std::vector<std::string> Parts{"result", Directory, File, Requested, Arch, Toolkit};
  Parts.insert(Parts.end(), Arguments.begin(), Arguments.end());
  for (const char *Variable : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "GCC_EXEC_PREFIX",
                               "COMPILER_PATH", "SOURCE_DATE_EPOCH"})
    if (const char *Value = std::getenv(Variable))
      Parts.push_back(std::string(Variable) + "=" + Value);
  if (Block)
    for (unsigned Extent : *Block)
      Parts.push_back("block=" + utostr(Extent));
  for (const kernel::GivenLaunch &Given : Kernels) {
    Parts.push_back("kernel");
    result::ArchiveWriter(Parts.back()).put(Given);
  }
  for (const auto &[Name, Value] : Assume)
    Parts.push_back("assume=" + Name + "=" + itostr(Value));
  for (const kernel::OutsideUse &Use : Outside) {
    Parts.push_back("outside");
    result::ArchiveWriter(Parts.back()).put(Use);
  }
  return frontend::Cache::key(SmallVector<StringRef>(Parts.begin(), Parts.end()));
}

std::optional<UnitResult> ResultCache::load(const std::string &Key) const {
  frontend::Cache::Entry Entry = Disk->load(Key);
  if (!Entry)
    return std::nullopt;
  result::ArchiveReader Reader(Entry.bytes);
  UnitResult Result;
  Reader.get(Result);
  if (!Reader.complete() || !Checker->unchanged(Result.dependencies))
    return std::nullopt;
  return Result;
}

void ResultCache::store(const std::string &Key, const UnitResult &Result) const {
  std::string Bytes;
  result::ArchiveWriter(Bytes).put(Result);
  Disk->store(Key, Bytes);
}

static std::string usesKey(const frontend::Command &Command) {
  return frontend::Cache::key({"uses", ResultCache::key(Command, {})});
}

std::optional<kernel::OutsideUses> UsesCache::load(const frontend::Command &Command) const {
  frontend::Cache::Entry Entry = Disk ? Disk->load(usesKey(Command)) : frontend::Cache::Entry();
  if (!Entry)
    return std::nullopt;
  result::ArchiveReader Reader(Entry.bytes);
  StoredUses Stored;
  Reader.get(Stored);
  if (!Reader.complete() || !Checker->unchanged(Stored.dependencies))
    return std::nullopt;
  return std::move(Stored.uses);
}

void UsesCache::store(const frontend::Command &Command, const kernel::OutsideUses &Uses,
                      const std::vector<frontend::Dependency> &Dependencies) const {
  if (!Disk)
    return;
  std::string Bytes;
  result::ArchiveWriter(Bytes).put(StoredUses{Dependencies, Uses});
  Disk->store(usesKey(Command), Bytes);
}

} // namespace warplint::driver
