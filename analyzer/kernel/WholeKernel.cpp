#include "analyzer/kernel/WholeKernel.h"
#include "analyzer/kernel/Footprint.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InstIterator.h"
#include <set>

using namespace llvm;
using namespace warplint;
using namespace warplint::kernel;
using result::Amount;
using result::Operation;
using result::Space;

/// Blocks along each axis; one that is not known is a symbol where the kernel asks for its index.
static std::array<Amount, 3> gridOf(const result::Kernel &K, const Machine &M) {
  std::array<Amount, 3> Grid{1, 1, 1};
  for (unsigned Axis = 0; Axis < 3; ++Axis)
    if (K.grid)
      Grid[Axis] = double((*K.grid)[Axis]);
  if (K.grid)
    return Grid;
  std::array<bool, 3> Asked{true, false, false};
  for (const Function *Fn : M.entered)
    for (const Instruction &I : instructions(Fn))
      if (const auto *Call = dyn_cast<CallBase>(&I); Call && Call->getCalledFunction()) {
        StringRef Name = Call->getCalledFunction()->getName();
        if (Name.consume_front("llvm.nvvm.read.ptx.sreg.ctaid.") && Name.size() == 1)
          Asked[unsigned(Name[0] - 'x')] = true;
      }
  for (unsigned Axis = 0; Axis < 3; ++Axis)
    if (Asked[Axis])
      Grid[Axis] = Amount::symbol(std::string("gridDim.") + "xyz"[Axis]);
  return Grid;
}

/// The edge of square tiles that a loop walks along, where the same loop touches no global memory: its trip
/// count is the edge, and all of the loop's work grows with it.
static void noteTileEdge(result::Kernel &K) {
  std::set<int> Streams; // loops that global memory is touched in
  for (const result::Access &A : K.accesses)
    if (A.space == Space::Global)
      for (int L = A.loop; L >= 0; L = K.loops[size_t(L)].parent)
        Streams.insert(L);
  std::optional<unsigned> Edge;
  std::string Name;
  unsigned Operands = 0;
  for (const result::Access &A : K.accesses) {
    if (A.space != Space::Shared || A.operation != Operation::Load || A.loop < 0 || Streams.contains(A.loop))
      continue;
    const auto Trips = K.loops[size_t(A.loop)].tripCount;
    uint64_t Elements = A.tile ? 1 : 0;
    for (uint64_t Extent : A.tile ? A.tile->extents : std::vector<uint64_t>())
      Elements *= Extent;
    // A row may be one element longer, against bank conflicts.
    if (!Trips || *Trips < 2 || (Elements != *Trips * *Trips && Elements != *Trips * (*Trips + 1)) ||
        (Edge && *Edge != *Trips))
      return;
    Edge = unsigned(*Trips);
    ++Operands;
    const StringRef Text = StringRef(A.tile->declarationText).ltrim("[( ");
    Name = Text.take_while([](char C) { return isAlnum(C) || C == '_'; }).str();
  }
  if (!Edge || Operands < 2)
    return;
  K.work.tileEdge = Edge;
  K.work.tileName = Name.empty() || isDigit(Name[0]) ? "" : Name;
}

void kernel::fillWholeKernel(result::Kernel &K, Machine &M, World &W, const Recorder &Records,
                             function_ref<std::optional<SiteWords>(const Site &)> WordsOf) {
  constexpr double SectorBytes = 32, LineBytes = 128;
  result::Work Sum = M.work.work();
  const auto Requested = [&](const Site &S) {
    return M.work.factorOf(S.loop, S.inLoopTest) * (S.traffic.lanes * S.first.width);
  };
  const auto Named = [&](const Site &S) {
    const auto Words = WordsOf(S);
    return Words && !Words->expression.empty() ? Words->expression + " at " + Words->line : "an access";
  };
  for (const auto &S : Records.sites) {
    if (S->attempt || !S->reached || S->removed || S->joined)
      continue;
    // Of fragments and bulk copies not even the bytes of a lane are known.
    if ((S->first.space == Space::Unknown || (S->first.space == Space::Global && !S->first.width)) &&
        Sum.incomplete.empty())
      Sum.incomplete = "what " + Named(*S) + " touches is not known";
    if (S->first.space != Space::Global)
      continue;
    const Amount Factor = M.work.factorOf(S->loop, S->inLoopTest);
    Sum.requested += Requested(*S);
    Sum.hauled += Factor * (S->traffic.sectors * SectorBytes);
    Sum.lines += Factor * (S->traffic.lines * LineBytes);
    Sum.useful += Factor * S->traffic.usefulBytes;
    if (S->traffic.unknownLanes > 0 && Sum.unknownIndex.empty())
      Sum.unknownIndex = "the index of " + Named(*S) + " is not known";
  }
  if (K.partial)
    Sum.incomplete = K.partialReason;
  if (M.followedBothSides)
    Sum.assumptions.push_back("both sides of conditions on data count");
  // Forced accesses show how a side costs, not how often it is taken.
  const auto Dark = find_if(Records.sites, [](const auto &S) {
    return S->attempt && S->reached && !S->removed && !S->joined && S->first.space == Space::Global;
  });
  if (Dark != Records.sites.end())
    Sum.assumptions.push_back("what is done only where " + Named(**Dark) +
                              " is reached does not count: large sizes make its condition unlikely");

  const std::array<Amount, 3> Grid = gridOf(K, M);
  Sum.threads = Amount(double(K.block[0]) * K.block[1] * K.block[2]) * Grid[0] * Grid[1] * Grid[2];
  Footprint Touched = footprint(W, Records, M.work, K.block, Grid, Requested);
  if (Sum.incomplete.empty())
    Sum.distinct = std::move(Touched.distinct);
  for (const Footprint::Read &R : Touched.reads)
    if (const auto Words = WordsOf(*R.site))
      K.reuse.push_back({R.site->first.base, Words->expression, Words->place, R.threads, R.sameFor,
                         R.site->loop >= 0, R.site->first.width});
  K.work = std::move(Sum);
  noteTileEdge(K);
}
