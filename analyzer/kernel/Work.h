//===-- Work.h - How much a kernel does, with trip counts ------------------------*- C++ -*-===//
//
// The machine follows loops whose end depends on an unknown size for some iterations only. Work is therefore
// counted per loop: what its blocks did in the iterations that were followed, divided by their number, times
// the trip count, which may be an amount in unknown sizes. Where every loop was followed to its end this is
// the plain count.
//
// A trip count that was not followed to its end is read off the condition that ends the loop: the distance of
// the two values it compares, at the first iteration, over what the distance loses in one.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_KERNEL_WORK_H
#define WARPLINT_ANALYZER_KERNEL_WORK_H

#include "analyzer/kernel/Operations.h"
#include "analyzer/kernel/Recorder.h"
#include "analyzer/kernel/World.h"
#include "llvm/ADT/DenseMap.h"
#include <functional>
#include <map>
#include <optional>

namespace llvm {
class BasicBlock;
}

namespace warplint::kernel {

/// All counts are of lanes, weighted by the blocks and warps that a run stands for.
class WorkCounter {
public:
  WorkCounter(World &W, Recorder &R) : W(W), Records(R) {}

  /// Of the current run; runs that take unlikely sides count for nothing.
  bool counts = true;

  //--- What the machine tells, of the current run -----------------------------
  void start(LaneMask Lanes);
  /// `Loop`: a number of the recorder's, of the innermost loop; -1: none. `Test`: it is the block that is
  /// executed once more than the loop has iterations.
  void execute(int Loop, bool Test, const llvm::BasicBlock &, LaneMask);
  /// A call whose body is counted as a whole: nothing inside counts until it ends.
  void enterWhole(int Loop, const Operations &, LaneMask);
  void leaveWhole() { --Whole; }
  void iterate(int Loop, bool First, LaneMask);
  /// Lanes leave by the header: what they did there was no iteration.
  void leaveByHeader(int Loop, LaneMask);
  /// The condition of a branch that can leave the loop. `Inclusive`: it holds for equal values. `Entry`: a
  /// number of this entry into the loop.
  void compareAtExit(int Loop, const llvm::Instruction &Branch, uint64_t Entry, const WarpValue &Left,
                     const WarpValue &Right, bool Inclusive, LaneMask);
  /// Lanes are made to leave though the loop goes on; `Branch`: where.
  void cutShort(int Loop, const llvm::Instruction &Branch, bool ByData);
  /// Lanes leave since an unknown size, at its sample, makes them.
  void leaveBySize(int Loop, const llvm::Instruction &Branch);
  void leave(int Loop, uint64_t Iterations);
  void endRun();

  //--- What came out ------------------------------------------------------------
  /// Everything but what needs the source: reuse, tiles, reasons.
  result::Work work();
  /// How often a loop's iterations happen per thread, for each that was counted: what a site's own counts are
  /// multiplied with. `Test` as in execute().
  result::Amount factorOf(int Loop, bool Test);
  /// Iterations of each entry into the loop.
  result::Amount tripsOf(int Loop);
  /// Lines of loops that end by data: text for "iterations of the loop at line 12".
  std::function<std::string(const LoopRecord &)> lineOf;

private:
  /// How far two compared values are apart: the mean over lanes, and how that moves.
  struct Distance {
    double mean = 0;
    index::Expr shift;
  };
  struct Exit {
    uint64_t entry = 0;
    unsigned visits = 0;
    std::optional<Distance> first, second;
    bool inclusive = false;
  };
  struct Loop {
    Operations done, doneInTest;
    double iterations = 0, entries = 0, visits = 0;
    // All runs.
    Operations allDone, allDoneInTest;
    double allIterations = 0, allEntries = 0, allVisits = 0;
    bool cut = false;                     ///< not always followed to its end
    bool unclear = false;                 ///< nor is its trip count one amount
    std::optional<result::Amount> trips;  ///< where it was cut
    std::optional<uint64_t> followed;     ///< iterations of each entry, where alike
    bool followedDiffers = false;
    std::optional<result::Amount> total;  ///< iterations per thread, once computed
    // Current run.
    std::map<const llvm::Instruction *, Exit> exits;
    std::optional<result::Amount> runTrips; ///< with what does not matter beside large sizes
  };

  World &W;
  Recorder &Records;
  std::vector<Loop> Loops; ///< by the recorder's number
  Loop Outside;            ///< what is in no loop
  double Threads = 0, RunThreads = 0;
  std::map<std::string, std::vector<int>> LoopsNamed; ///< whose trip counts are symbols, by the name
  unsigned Whole = 0; ///< calls entered that are counted as a whole
  llvm::DenseMap<const llvm::BasicBlock *, Operations> Known;
  llvm::DenseMap<const llvm::Function *, llvm::SmallPtrSet<const llvm::Value *, 32>> AddressesOf;

  Loop &loop(int Number);
  const Operations &operationsIn(const llvm::BasicBlock &);
  std::optional<Distance> distance(const WarpValue &Left, const WarpValue &Right, LaneMask);
  std::optional<result::Amount> amount(const Distance &);
  void note(Loop &, const result::Amount &Trips);
  std::optional<result::Amount> trips(const Exit &);
  result::Amount iterationsOf(int Number);
  bool isCut(int Number);
};

/// "n", "n / 32", "(n + 31) / 32": the size itself, and with a divisor its share, leaving out what does not
/// matter beside a large size.
result::Amount amountOfSize(llvm::StringRef Name);

} // namespace warplint::kernel

#endif
