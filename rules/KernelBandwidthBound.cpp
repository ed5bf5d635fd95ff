//===-- KernelBandwidthBound.cpp - Data that is fetched again and again ----------------===//
// # kernel-bandwidth-bound
//
// ## What it finds
// Kernels that spend their time on memory on the chosen GPU (`--gpu=NAME`) although their threads read the
// same data: products of matrices without tiles in shared memory, or with tiles that are too small.
//
// ## Why it costs
// A kernel does some number of FLOP for each byte it asks for, its intensity: 0.25 for a matrix product in
// which each thread reads its own row and column. A GPU does some number of FLOP in the time of a byte, its
// balance: 10 to 80. Below that the arithmetic units wait. Tiles of T x T elements in shared memory are
// fetched once and used T times: intensity T / 4 (with float elements).
//
// ## Example
// ```cuda
// for (int k = 0; k < n; ++k)
//   sum += a[row * n + k] * b[k * n + column]; // each element is read by a whole row or column of threads
// ```
//
// ## Write instead
// ```cuda
// __shared__ float ta[T][T], tb[T][T];
// for (int k0 = 0; k0 < n; k0 += T) {
//   ta[y][x] = a[row * n + k0 + x];
//   tb[y][x] = b[(k0 + y) * n + column];
//   __syncthreads();
//   for (int k = 0; k < T; ++k)
//     sum += ta[y][k] * tb[k][x];
//   __syncthreads();
// }
// ```
// Where the edge that would be enough does not fit into shared memory, let each thread compute several
// results, so that registers hold what is read several times.
//
// ## When it stays silent
// It is off by default, and silent without a GPU. When on: for kernels with nothing to share (streaming ones
// like a sum of vectors are bound by memory for good), that are bound by arithmetic, and of which accesses or
// loops are not known well enough. What caches keep is not counted: a small matrix is in L2 after its first
// reads.
//
// ## Options
// - `Severity`: note, warning or error; `default`: by impact.
//===----------------------------------------------------------------------===//
#include "rules/AllRules.h"
#include "rules/Wording.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

namespace warplint::rules {

using namespace result;

/// "0.25", "8", "32.9".
static std::string ratio(double Value) { return llvm::formatv("{0}", llvm::format("%.3g", Value)).str(); }

static std::string joined(const std::vector<std::string> &Names) {
  std::string Text;
  for (size_t I = 0; I != Names.size(); ++I)
    Text += (I == 0 ? "" : I + 1 == Names.size() ? " and " : ", ") + ("'" + Names[I] + "'");
  return Text;
}

/// Can anything be done: has it operands to share, or tiles that could be larger?
static bool canShareMore(const Kernel &K) {
  return K.roofline->suggestedTile || (K.work.tileEdge && K.roofline->crossoverTile > *K.work.tileEdge);
}

static void noteTile(Finding &F, const TileSuggestion &S) {
  std::string Text = llvm::formatv("threads of a block read the same elements of {0}: ", joined(S.arrays));
  if (S.edge)
    Text += llvm::formatv("tiles of {0} x {0} in shared memory, {1} of {2} bytes, would be read once{3}",
                          S.edge, S.bytes, S.budget,
                          S.intensity ? ": " + ratio(*S.intensity) + " FLOP for each byte" : std::string());
  else
    Text += llvm::formatv("tiles in shared memory would be read once, but only {0} bytes of it are left",
                          S.budget);
  remedy(F, Text);
}

/// From which tile on arithmetic bounds, and how to get there where no such tile fits.
static void noteCrossover(Finding &F, const Kernel &K) {
  const Roofline &R = *K.roofline;
  if (!R.crossoverTile)
    return;
  std::string Text = llvm::formatv("from tiles of {0} x {0} on, it is bound by arithmetic", *R.crossoverTile);
  const unsigned Fits = R.suggestedTile ? R.suggestedTile->edge : K.work.tileEdge.value_or(0);
  if (*R.crossoverTile > Fits)
    Text += "; a block has no room or no threads for one result each: let each thread compute several "
            "results from "
            "registers (register blocking), which counts like a larger tile";
  remedy(F, Text);
}

static std::optional<Finding> inspect(const Kernel &K, const Values &) {
  if (!K.roofline || K.roofline->boundBy != "memory" || !K.roofline->intensity ||
      !K.roofline->machineBalance || !canShareMore(K))
    return std::nullopt;
  const Roofline &R = *K.roofline;
  Finding F;
  F.rule = "kernel-bandwidth-bound";
  const double Share = *R.intensity / *R.machineBalance;
  F.impact = Share <= 0.25 ? Impact::High : Share <= 0.5 ? Impact::Medium : Impact::Low;
  F.severity = severityOf(F.impact);
  F.message =
      llvm::formatv("'{0}' is bound by memory on {1}: it does {2} FLOP for each byte it asks for, {3} would "
                    "keep the arithmetic busy",
                    K.name, R.gpu, ratio(*R.intensity), ratio(*R.machineBalance));
  F.place = K.place;
  F.kernel = K.signature;
  // Amounts in sizes that are not known are compared as if these were large.
  const bool Rests =
      !K.work.assumptions.empty() || !K.work.requested.number() || K.blockOrigin == BlockOrigin::Assumed;
  F.confidence = Rests ? Confidence::Assumed : Confidence::Exact;
  F.expression = K.name;
  if (R.suggestedTile)
    noteTile(F, *R.suggestedTile);
  noteCrossover(F, K);
  return F;
}

const Rule KernelBandwidthBound = {
    "kernel-bandwidth-bound",
    "The kernel waits for memory on the chosen GPU, and its threads read the same data again and again",
    /*onByDefault=*/false,
    /*globalGeometry=*/false,
    nullptr,
    inspect};

} // namespace warplint::rules
