#include "analyzer/driver/Verdict.h"
#include "analyzer/model/Occupancy.h"
#include "analyzer/model/Roofline.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>
#include <set>

using namespace llvm;
using namespace warplint;
using namespace warplint::driver;
using result::Amount;
using result::dominantRatio;
using result::Kernel;

namespace {

unsigned threadsOf(const Kernel &K) { return K.block[0] * K.block[1] * K.block[2]; }

/// "0.25", "1.5": what divides or is divided, without digits that nobody reads.
std::string shortNumber(double Value) { return formatv("{0}", format("%.4g", Value)).str(); }

//===-- Roofline ----------------------------------------------------------------===//

Amount flopsOf(const result::Work &W) { return W.fp32 + W.fp64 + W.fp16 + W.tensor; }

/// The kernel's work beside one requested byte, taking unknown sizes as large. Nothing when that depends on
/// them.
struct PerByte {
  model::Work rated;
  model::OtherWork other;

  static std::optional<PerByte> of(const result::Work &W) {
    PerByte P;
    P.rated.bytes = 1;
    const std::pair<const Amount *, double *> Parts[] = {
        {&W.fp32, &P.rated.fp32Flops},         {&W.fp64, &P.rated.fp64Flops},
        {&W.tensor, &P.rated.tensorFp16Flops}, {&W.fp16, &P.other.fp16Flops},
        {&W.special, &P.other.specialOps},     {&W.integer, &P.other.integerOps}};
    for (const auto &[Of, To] : Parts) {
      const std::optional<double> Ratio = dominantRatio(*Of, W.requested);
      if (!Ratio)
        return std::nullopt;
      *To = *Ratio;
    }
    return P;
  }
};

bool isAt(const result::Place &A, const result::Place &B) {
  return A.line == B.line && A.column == B.column && A.file == B.file;
}

/// The innermost loop that reused data is read in; nothing outside loops.
std::optional<int> loopOf(const Kernel &K, const result::Reuse &R) {
  for (const result::Access &A : K.accesses)
    if (R.inLoop && A.loop >= 0 && isAt(A.place, R.place))
      return A.loop;
  return std::nullopt;
}

/// Reads of one array that all threads of a row share, and of another that all threads of a column share, at
/// each iteration of one loop: what tiles of both turn into one read each. The arrays, or none.
std::vector<const result::Reuse *> productOperands(const Kernel &K) {
  std::map<int, std::vector<const result::Reuse *>> ByLoop;
  for (const result::Reuse &R : K.reuse)
    if (const std::optional<int> Loop = loopOf(K, R); Loop && R.threads > 1 && R.elementSize)
      if (auto &Known = ByLoop[*Loop];
          none_of(Known, [&](const result::Reuse *O) { return O->base == R.base; }))
        Known.push_back(&R);
  for (const auto &[Loop, Operands] : ByLoop)
    if (any_of(Operands, [&](const result::Reuse *O) { return O->sameFor != Operands.front()->sameFor; }))
      return Operands;
  return {};
}

/// Is all that its loops read and write reused, so that traffic falls as tiles grow?
bool loopsOnlyReuse(const Kernel &K) {
  return all_of(K.accesses, [&](const result::Access &A) {
    if (A.removed || A.loop < 0 || (A.space != result::Space::Global && A.space != result::Space::Unknown))
      return true;
    return any_of(K.reuse, [&](const result::Reuse &R) { return R.inLoop && isAt(R.place, A.place); });
  });
}

/// Intensity grows with the edge of square tiles that the kernel has, or could have (an edge of 1).
std::optional<unsigned> scalingEdge(const Kernel &K) {
  if (K.work.tileEdge)
    return K.work.tileEdge;
  if (!productOperands(K).empty() && loopsOnlyReuse(K))
    return 1;
  return std::nullopt;
}

/// "T/4" where intensity grows with a tile's edge, else the ratio in symbols.
std::string intensityText(const result::Work &W, std::optional<double> Intensity) {
  if (Intensity && W.tileEdge && *W.tileEdge > 1 && *Intensity > 0) {
    const std::string Edge = W.tileName.empty() ? "T" : W.tileName;
    const double Divisor = *W.tileEdge / *Intensity;
    if (Divisor >= 1)
      return Divisor == 1 ? Edge : Edge + "/" + shortNumber(Divisor);
    return shortNumber(1 / Divisor) + "*" + Edge;
  }
  if (Intensity)
    return shortNumber(*Intensity);
  if (W.requested.isZero())
    return "";
  const Amount Flops = flopsOf(W).dominant(), Bytes = W.requested.dominant();
  const auto Bracketed = [](const Amount &A) {
    const std::string Text = result::text(A);
    return A.number() ? Text : "(" + Text + ")";
  };
  return Bracketed(Flops) + "/" + Bracketed(Bytes);
}

/// Why there is no intensity, and so no verdict.
std::string reasonWithoutIntensity(const result::Work &W) {
  if (W.requested.isZero())
    return "no traffic with global memory is known of it";
  return "intensity is " + intensityText(W, std::nullopt) + ": give the sizes with --assume";
}

/// A pair of tiles of the edge, one for each array.
uint64_t tileBytes(size_t Arrays, uint64_t Edge, unsigned ElementSize) {
  return model::tilePairBytes(Edge, ElementSize) / 2 * Arrays;
}

constexpr unsigned WarpEdge = 32;
/// Accumulators that leave a thread registers for everything else.
constexpr unsigned MaxResultsPerThread = 64;

/// Whole warps fill rows, or rows fill whole warps: 8, 16, 32, then multiples of 32.
std::optional<unsigned> nextEdge(unsigned Edge) {
  if (Edge > 1024)
    return std::nullopt;
  return Edge < WarpEdge ? Edge * 2 : Edge + WarpEdge;
}

std::optional<result::TileSuggestion> suggestTile(const Kernel &K, uint64_t SharedBudget, unsigned MaxThreads,
                                                  std::optional<double> Intensity) {
  const std::vector<const result::Reuse *> Operands = productOperands(K);
  // What does no arithmetic is no product, whatever it shares.
  if (Operands.empty() || Intensity == 0)
    return std::nullopt;
  result::TileSuggestion S;
  for (const result::Reuse *R : Operands) {
    S.arrays.push_back(R->base);
    S.elementSize = std::max(S.elementSize, R->elementSize);
  }
  S.budget = SharedBudget;
  for (std::optional<unsigned> Edge = 8; Edge; Edge = nextEdge(*Edge)) {
    const uint64_t Bytes = tileBytes(Operands.size(), *Edge, S.elementSize);
    const unsigned Results = unsigned(divideCeil(uint64_t(*Edge) * *Edge, uint64_t(MaxThreads)));
    if (Bytes > S.budget || Results > MaxResultsPerThread)
      break;
    if (Results == 1) {
      S.edge = *Edge;
      S.bytes = Bytes;
    } else {
      S.largerEdge = *Edge;
      S.largerBytes = Bytes;
      S.resultsPerThread = Results;
    }
  }
  if (Intensity && S.edge && scalingEdge(K) == 1)
    S.intensity = *Intensity * S.edge;
  return S;
}

void setVerdict(const Kernel &K, const model::Gpu &G, const PerByte &Each, result::Roofline &R) {
  model::Work Rated = Each.rated;
  Rated.more = model::mayOutlastMemory(G, Rated, Each.other);
  const std::optional<model::Roofline> M = model::roofline(G, Rated);
  if (!M)
    return;
  R.machineBalance = M->machineBalance;
  R.attainableFlops = M->attainableFlopsPerSecond;
  if (M->bound)
    R.boundBy = *M->bound == model::Bound::Memory ? "memory" : "compute";
  else if (!M->machineBalance)
    R.reason = "the peak of its arithmetic is not known of this GPU (give fp64= with peak= and bw=)";
  else
    R.reason = std::string(Each.other.specialOps > 0  ? "special functions"
                           : Each.other.fp16Flops > 0 ? "half-precision arithmetic"
                                                      : "integer arithmetic") +
               " may take longer than the memory";
  if (const std::optional<unsigned> Edge = scalingEdge(K); Edge && R.intensity && R.machineBalance)
    R.crossoverTile = model::crossoverEdge(*R.intensity, *Edge, *R.machineBalance);
}

std::optional<double> totalOf(const Amount &PerThread, const result::Work &W) {
  const auto Each = PerThread.number(), Threads = W.threads.number();
  return Each && Threads ? std::optional(*Each * *Threads) : std::nullopt;
}

/// What a launch takes at least: each distinct byte fetched once, all arithmetic at its peak.
void setFloor(const model::Gpu &G, const result::Work &W, result::Roofline &R) {
  if (!W.distinct)
    return;
  const auto Fp32 = totalOf(W.fp32, W), Fp64 = totalOf(W.fp64, W), Tensor = totalOf(W.tensor, W);
  if (const auto Bytes = W.distinct->number(); Bytes && Fp32 && Fp64 && Tensor) {
    model::Work Launch;
    Launch.fp32Flops = *Fp32;
    Launch.fp64Flops = *Fp64;
    Launch.tensorFp16Flops = *Tensor;
    Launch.bytes = *Bytes;
    if (const auto M = model::roofline(G, Launch); M && M->secondsFloor > 0)
      R.secondsFloor = M->secondsFloor;
  }
  // Distinct bytes are a lower bound, so this intensity is an upper one.
  if (const auto Most = dominantRatio(flopsOf(W) * W.threads, *W.distinct); Most && R.machineBalance)
    R.evenWhenCached = R.boundBy == "memory" && *Most < *R.machineBalance;
}

result::Roofline rooflineOf(const Kernel &K, const Machine &M) {
  const result::Work &W = K.work;
  result::Roofline R;
  if (M.gpu)
    R.gpu = M.gpu->key.str();
  if (!W.incomplete.empty()) {
    R.reason = W.incomplete;
    return R;
  }
  R.intensity = dominantRatio(flopsOf(W), W.requested);
  R.intensityText = intensityText(W, R.intensity);
  if (!R.intensity)
    R.reason = reasonWithoutIntensity(W);
  else if (!M.gpu)
    R.reason = "no GPU is chosen (--gpu=NAME; --list-gpus names them)";
  else if (const std::optional<PerByte> Each = PerByte::of(W))
    setVerdict(K, *M.gpu, *Each, R);
  else
    R.reason = "other arithmetic grows faster than the bytes";
  if (M.gpu)
    setFloor(*M.gpu, W, R);
  return R;
}

//===-- Occupancy -----------------------------------------------------------------===//

const model::SmLimits *limitsFor(const Kernel &K, const Machine &M) {
  if (M.gpu)
    if (const model::SmLimits *L = M.gpu->limits())
      return L;
  StringRef Arch = K.arch;
  unsigned Sm = 0;
  if (!Arch.consume_front("sm_") || Arch.consumeInteger(10, Sm))
    return nullptr;
  return model::smLimits(Sm);
}

/// Does a name that the user gave mean this kernel?
bool isNamed(const Kernel &K, StringRef Name) {
  if (Name == K.name || Name == K.signature)
    return true;
  StringRef Rest = K.signature;
  return Rest.consume_front(Name) && (Rest.starts_with("(") || Rest.starts_with("<"));
}

std::string archOf(const Kernel &K, const Machine &M) {
  return M.gpu && M.gpu->sm ? "sm_" + utostr(M.gpu->sm) : K.arch;
}

/// What is known of the registers; and of shared memory and barriers, where a log tells them.
void setRegisters(const Kernel &K, const Machine &M, model::BlockNeeds &Needs, result::Occupancy &O) {
  const auto Known = [&](unsigned Registers, const char *Origin) {
    Needs.registersPerThread = O.registers = Registers;
    O.registersOrigin = Origin;
  };
  for (const auto &[Name, Registers] : M.registersOf)
    if (isNamed(K, Name))
      return Known(Registers, "--registers");
  if (const auto Found = M.ptxas ? M.ptxas->find(K.symbol, archOf(K, M)) : std::nullopt) {
    Known(Found->entry.registers, "ptxas log");
    Needs.staticSharedBytes = Found->entry.sharedBytes;
    Needs.barriers = Found->entry.barriers;
    if (Found->otherArch)
      O.assumptions.push_back("registers as the log has them for " + Found->entry.arch);
    if (Found->severalMatch)
      O.assumptions.push_back("of several kernels of this name in the log, the one with most registers");
    return;
  }
  if (M.registers)
    Known(*M.registers, "--registers");
}

/// The most registers that ptxas may give a thread, by what the kernel asks for; sets where that comes from.
std::optional<unsigned> registerLimit(const Kernel &K, const model::SmLimits &L, std::string &Origin) {
  if (K.maxRegisters) {
    Origin = "maxnreg";
    return K.maxRegisters;
  }
  if (!K.launchBoundsThreads)
    return std::nullopt;
  Origin = "__launch_bounds__";
  const unsigned Limit = model::registersWithin(L, *K.launchBoundsThreads, K.launchBoundsBlocks.value_or(1));
  return Limit ? std::optional(Limit) : std::nullopt;
}

std::vector<std::string> limitersOf(const model::Occupancy &O) {
  static constexpr std::pair<model::Resource, const char *> Names[] = {
      {model::Resource::Warps, "warps"},
      {model::Resource::Registers, "registers"},
      {model::Resource::SharedMemory, "shared memory"},
      {model::Resource::Blocks, "blocks"},
      {model::Resource::Barriers, "barriers"}};
  std::vector<std::string> Limiters;
  for (const auto &[Resource, Name] : Names)
    if (O.limitedBy(Resource))
      Limiters.push_back(Name);
  return Limiters;
}

void setDynamicShared(const Kernel &K, model::BlockNeeds &Needs, result::Occupancy &O) {
  Needs.dynamicSharedBytes = K.dynamicShared;
  if (K.dynamicShared || !K.usesDynamicShared) {
    Needs.dynamicSharedBytes = K.dynamicShared.value_or(0);
    return;
  }
  Needs.dynamicSharedBytes.reset();
  O.assumptions.push_back("no dynamic shared memory: how much a launch gives is not known");
}

std::optional<result::Occupancy> occupancyOf(const Kernel &K, const Machine &M) {
  const model::SmLimits *L = limitsFor(K, M);
  if (!L || threadsOf(K) == 0)
    return std::nullopt;
  result::Occupancy O;
  O.gpu = M.gpu && M.gpu->limits() ? M.gpu->key.str() : "sm_" + utostr(L->sm);
  model::BlockNeeds Needs;
  Needs.threads = threadsOf(K);
  Needs.staticSharedBytes = K.staticShared;
  setDynamicShared(K, Needs, O);
  setRegisters(K, M, Needs, O);
  if (K.blockOrigin == result::BlockOrigin::Assumed)
    O.assumptions.push_back("the block shape");

  const model::Occupancy Most = model::occupancy(*L, Needs);
  O.blocksPerSm = Most.activeBlocks;
  O.warpsPerSm = Most.activeWarps;
  O.maxWarps = Most.maxWarps;
  O.fraction = Most.fraction();
  O.atMost = Most.atMost;
  O.limiters = limitersOf(Most);
  O.sharedBytes = Needs.staticSharedBytes + Needs.dynamicSharedBytes.value_or(0);
  if (Most.needsSharedOptIn)
    O.assumptions.push_back("cudaFuncSetAttribute allows more than 48 KiB of dynamic shared memory");
  if (O.registers)
    return O;

  // A limit says how much is left at least; where that is all there is, it is all that is lost.
  O.registerLimit = registerLimit(K, *L, O.registersOrigin);
  if (!O.registerLimit || !Most.activeBlocks) {
    O.registersOrigin = "";
    return O;
  }
  Needs.registersPerThread = O.registerLimit;
  const model::Occupancy Least = model::occupancy(*L, Needs);
  if (Least.activeBlocks == Most.activeBlocks) {
    O.atMost = Least.atMost;
  } else if (Needs.dynamicSharedBytes) { // else nothing is certain to be left
    O.leastBlocksPerSm = Least.activeBlocks;
    O.leastFraction = Least.fraction();
  }
  return O;
}

//===-- Efficiency --------------------------------------------------------------===//

result::Eta etaOf(const Kernel &K, const Machine &M) {
  model::Efficiency E;
  if (K.work.incomplete.empty() && K.work.unknownIndex.empty())
    E.coalesce = dominantRatio(K.work.useful, K.work.lines);
  E.cache = M.cacheHit;
  if (K.occupancy)
    E.occupancy = K.occupancy->fraction;
  result::Eta Eta;
  Eta.atMost = E.atMost();
  Eta.coalesce = E.coalesce;
  Eta.cache = E.cache;
  if (K.occupancy && !K.occupancy->atMost) {
    Eta.occupancy = E.occupancy;
    Eta.total = E.total();
  }
  return Eta;
}

/// Work is counted on likely paths. Where these touch no global memory though the kernel does, it is not what
/// the kernel does.
void noteUncountedTraffic(Kernel &K) {
  const bool HasTraffic = any_of(
      K.accesses, [](const result::Access &A) { return A.space == result::Space::Global && !A.removed; });
  if (K.work.incomplete.empty() && K.work.requested.isZero() && HasTraffic)
    K.work.incomplete = "its accesses of global memory are under conditions that could not be decided";
}

constexpr uint64_t UsualSharedBytes = 48 * 1024;
constexpr unsigned UsualThreads = 1024;

} // namespace

void warplint::driver::judge(Kernel &K, const Machine &M) {
  noteUncountedTraffic(K);
  K.roofline = rooflineOf(K, M);
  K.occupancy = occupancyOf(K, M);
  K.eta = etaOf(K, M);
  const model::SmLimits *L = limitsFor(K, M);
  const uint64_t Shared = L ? L->sharedBytesPerBlock : UsualSharedBytes;
  const uint64_t Used = K.staticShared + K.dynamicShared.value_or(0);
  K.roofline->suggestedTile = suggestTile(K, Shared - std::min(Shared, Used),
                                          L ? L->maxThreadsPerBlock : UsualThreads, K.roofline->intensity);
}

std::vector<std::string> warplint::driver::notesOn(const Machine &M, const std::vector<Kernel> &Kernels) {
  std::vector<std::string> Notes;
  for (const auto &[Name, Registers] : M.registersOf)
    if (none_of(Kernels, [&](const Kernel &K) { return isNamed(K, Name); }))
      Notes.push_back("--registers=" + Name + "=" + utostr(Registers) +
                      ": no kernel that was analysed has this name");
  if (!M.ptxas)
    return Notes;
  std::vector<std::string> Symbols;
  for (const Kernel &K : Kernels)
    Symbols.push_back(K.symbol);
  const std::vector<std::string> Unmet = M.ptxas->namesWithout(Symbols);
  if (!Unmet.empty()) {
    constexpr size_t Shown = 3;
    const std::string Names = join(ArrayRef(Unmet).take_front(std::min(Shown, Unmet.size())), ", ");
    Notes.push_back(formatv("{0}: {1} of {2} kernels in this log {3} not among those analysed: {4}{5}",
                            M.ptxasFile, Unmet.size(), M.ptxas->kernels(), Unmet.size() == 1 ? "is" : "are",
                            Names, Unmet.size() > Shown ? ", ..." : ""));
  }
  if (const unsigned Lost = M.ptxas->mixedUp())
    Notes.push_back(formatv("{0}: the lines of several compilations are mixed up; {1} left out", M.ptxasFile,
                            Lost == 1 ? std::string("1 kernel is") : utostr(Lost) + " kernels are"));
  return Notes;
}
