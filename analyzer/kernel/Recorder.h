//===-- Recorder.h - Requests seen by the machine, folded into costs -----------*- C++ -*-===//
//
// Every access that the machine executes is an event: 32 offsets, a mask, and how they move over the box.
// Events of one site (an instruction on one call path) with the same geometry are counted together; at the
// end of a run each geometry is weighed over all blocks and warps that the run stands for.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_KERNEL_RECORDER_H
#define WARPLINT_ANALYZER_KERNEL_RECORDER_H

#include "analyzer/kernel/World.h"
#include "analyzer/result/Result.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <functional>
#include <memory>

namespace llvm {
class AllocaInst;
class CallBase;
class GlobalVariable;
class Instruction;
} // namespace llvm

namespace warplint::kernel {

/// Components of a site from here on are the side of a copy that is written.
inline constexpr unsigned WrittenSide = 1000;

/// Where the machine stands: a call path and an instruction.
struct SiteKey {
  const llvm::Instruction *instruction;
  uint64_t path;      ///< hash of the call path
  unsigned component; ///< piece of a copy; +1000 for the side that is written
};

struct Event {
  result::Space space = result::Space::Unknown;
  result::Operation operation = result::Operation::Load;
  result::Mechanism mechanism = result::Mechanism::Plain;
  unsigned width = 0; ///< bytes per lane
  std::string base;
  const llvm::GlobalVariable *variable = nullptr;
  const llvm::AllocaInst *array = nullptr; ///< the private array, when it is one in local memory
  WarpValue offset;                        ///< bytes from the base
  LaneMask mask = 0;
  AssumptionSet control = 0; ///< what it rests on that these lanes arrive
  unsigned epoch = 0;        ///< writes to shared and global memory so far in the run
  std::string unknownReason; ///< set when no address is known
  bool dataIndex = false;   ///< the object is known, and the index is not
  uint32_t why = 0;         ///< what makes the address unknown, a number of the machine's
  AssumptionSet parted = 0; ///< set when that is only because unknown sizes part the lanes: what rules it out
  bool valueVaries = false; ///< of an atomic: the lanes bring different values
  bool byOneLane = false;   ///< of an atomic: a leader does it, whichever lane that is
  uint64_t unrolled = 0;    ///< which entry of an unrolled loop this is an iteration of; 0: of none
};

/// Where an access lies in a structure that is as long as it is aligned: 8 or 16 bytes that one instruction
/// can move.
struct VectorField {
  unsigned structSize = 0; ///< bytes; 0: no such structure
  unsigned offset = 0, size = 0;
};

/// A geometry that occurred in the current run.
struct Pattern {
  std::array<int64_t, 32> lanes{}; ///< bytes, lowest line at 0
  int64_t origin = 0;              ///< what was subtracted
  LaneMask mask = 0;
  index::Expr shift;
  AssumptionSet soft = 0; ///< what the lanes rest on
  AssumptionSet control = 0;
  uint64_t count = 0;
  std::string iteration; ///< "s = 16": where it occurred first
  uint64_t unrolled = 0; ///< of that: the entry of an unrolled loop
};

struct Site {
  SiteKey key;
  llvm::SmallVector<const llvm::CallBase *, 4> path; ///< outermost first
  Event first;                                       ///< space, width, base ... of the first execution
  int loop = -1;                                     ///< index into Recorder::loops
  bool inLoopTest = false; ///< in the block that is executed once more than that loop has iterations
  index::Expr words;                                 ///< offset in bytes, as an index expression
  unsigned wordTrials = 0;                           ///< how often one was tried for
  uint64_t region = 0;                               ///< equal for sites of one straight-line region

  // Current run.
  std::vector<Pattern> patterns;
  llvm::DenseMap<uint64_t, unsigned> patternByHash;
  uint64_t executions = 0;
  AssumptionSet control = 0; ///< what the number of executions rests on beyond what its patterns know
  std::string runReason;     ///< why it has no numbers in this run
  uint64_t runUnknownLanes = 0; ///< of executions without numbers

  // All runs.
  bool reached = false;
  unsigned attempt = 0; ///< the first that reached it
  std::string unknownReason;
  std::string partedReason; ///< of requests that are left out, since unknown sizes part their lanes
  result::Cost worst;
  Pattern worstPattern;
  int64_t worstResidue = 0;
  bool haveWorst = false, variesOverIterations = false;
  bool worstIsNew = false; ///< it is one of the current run
  double weight = 0, weightedLanes = 0;
  result::Cost sum; ///< weighted
  /// Added up over requests, weighted by workVolume(); of a site that no ordinary run reached, none.
  struct Traffic {
    double lanes = 0; ///< those of executions without numbers included
    double sectors = 0, lines = 0;
    double usefulBytes = 0;  ///< distinct bytes of each request
    double unknownLanes = 0; ///< of executions without numbers
  } traffic;
  AssumptionSet soft = 0;
  AssumptionSet patternSoft = 0;          ///< the part of `soft` that the lanes' distances rest on
  std::map<unsigned, uint64_t> multiples; ///< symbol assumption -> needed multiple
  std::optional<result::Companions>
      companions; ///< what its straight-line region does to the worst request's lines
  std::optional<result::Companions> reuse; ///< what its other iterations do to the worst request's sectors
  std::optional<VectorField> field;       ///< asked for once
  bool leadsJoin = false;                 ///< moves a whole structure for other accesses to its fields
  bool joined = false;                    ///< moved by another access
  bool removed = false;                   ///< by the compiler: nothing uses it
  bool unknownCall = false;               ///< stands for all that a call does which is not followed
  std::optional<int64_t> misaligned;      ///< an offset that is not a multiple of the width
  unsigned maxLanes = 0;
  bool dataIndex = false;                           ///< the object is known, and the index was not once
  uint32_t why = 0;                                 ///< what made it unknown then
  bool valueVaries = false;                         ///< of an atomic: the lanes bring different values
  bool severalLanes = false;                        ///< more than a leader reaches it
  unsigned lanesPerAddress = 0, atomicAddresses = 0; ///< of an atomic: the most contended request
  std::optional<uint64_t> executionsPerWarp;         ///< when the same in all runs
  bool executionsDiffer = false;
};

struct LoopRecord {
  llvm::SmallVector<const llvm::CallBase *, 4> path;
  const void *function = nullptr;
  int number = 0, parent = -1;
  const llvm::Instruction *header = nullptr; ///< first instruction of the header
  std::optional<uint64_t> tripCount;
  bool tripCountDiffers = false;
  /// Atoms of index expressions that step with it, and by how much; nothing: not by a constant.
  std::map<std::string, std::optional<int64_t>> atoms;
};

class Recorder {
public:
  explicit Recorder(World &W) : W(W) {}

  /// The site of an event; made on first use.
  Site &site(const SiteKey &Key, llvm::ArrayRef<const llvm::CallBase *> Path);
  /// Counts an execution in the current run. `Iteration`: words for where in the loops it is, asked for once
  /// per pattern.
  void record(Site &, const Event &, llvm::function_ref<std::string()> Iteration);
  /// Weighs the run's patterns over the final box. `Attempt` is 0 in ordinary runs; runs that take unlikely
  /// sides only count for sites that no ordinary run and no earlier attempt reached.
  void endRun(unsigned Attempt);

  /// Blocks and warps that the current run stands for, as whole-kernel counts weigh it. Of a grid that is not
  /// known, the blocks from 1 to `likelyBlocks` alone: the first may be special, and further ones may be beyond what
  /// guards let through.
  double workVolume() const;
  std::optional<std::array<int64_t, 3>> likelyBlocks;

  std::vector<std::unique_ptr<Site>> sites; ///< in order of first execution
  std::vector<LoopRecord> loops;
  std::function<VectorField(const Site &)> fieldOf; ///< from the source; may be empty

private:
  World &W;
  llvm::DenseMap<std::pair<const llvm::Instruction *, uint64_t>, llvm::SmallVector<Site *, 2>> ByKey;

  void weigh(Site &, const Pattern &, double Volume, double WorkVolume);
  void noteCompanions(unsigned Attempt);
  /// nvcc joins what a straight-line region reads of one structure that is as aligned as it is long into one
  /// access (two components or more), and stores that fill it. Such sites become one wide access, the others
  /// removed.
  void joinFields(unsigned Attempt);
};

/// The cost of 32 offsets at a residue, in the space's own numbers.
result::Cost costOf(result::Space, bool IsLoad, unsigned Width, const std::array<int64_t, 32> &Lanes,
                    LaneMask Mask, int64_t Residue);
/// Is A a worse request than B? Inefficient before efficient, then most sectors, most lines, fewest lanes;
/// shared memory: most conflict ways, then wavefronts.
bool worseThan(result::Space, const result::Cost &A, unsigned LanesA, const result::Cost &B, unsigned LanesB);

} // namespace warplint::kernel

#endif
