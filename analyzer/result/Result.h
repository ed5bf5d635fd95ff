//===-- Result.h - What an analysis found, as plain data ---------*- C++ -*-===//
//
// The vocabulary that the kernel layer fills and that rules and reports read: kernels, their memory
// accesses with the cost of one warp's request, launches, findings and fixes. Free of Clang and LLVM IR,
// so that rules and writers build fast and can be tested on data written by hand.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_RESULT_RESULT_H
#define WARPLINT_ANALYZER_RESULT_RESULT_H

#include "analyzer/result/Amount.h"
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warplint::result {

/// A stretch of source. Lines and columns count from 1; 0 means "not known". Columns count bytes;
/// endColumn is exclusive. File names are absolute.
struct Place {
  std::string file;
  unsigned line = 0, column = 0, endLine = 0, endColumn = 0;
  bool valid() const { return line != 0; }
};

/// An edit of a file: replaces `length` bytes at byte `offset` by `text`.
struct Edit {
  std::string file;
  unsigned offset = 0, length = 0;
  std::string text;
};

enum class Space { Global, Shared, Constant, Local, Unknown };
enum class Operation { Load, Store, Atomic };
enum class Mechanism { Plain, Memcpy, CpAsync, Ldmatrix }; ///< JSON key "instruction"
enum class Confidence { Exact, Assumed, Unknown };
enum class BlockOrigin { Launch, Reqntid, Config, Option, Assumed };

/// The cost of one warp's request (worst case), or a mean of it over all requests.
/// Which members mean something depends on the space: see the comments.
struct Cost {
  double lines = 0;            ///< global: distinct aligned 128-byte lines
  double sectors = 0;          ///< global: distinct aligned 32-byte sectors
  double idealSectors = 0;     ///< global: ceil(active lanes * width / 32)
  double efficiency = 0;       ///< global: distinct bytes / (lines * 128)
  double sectorEfficiency = 0; ///< global: distinct bytes / (sectors * 32)
  double wavefronts = 0;       ///< shared: cycles
  double idealWavefronts = 0;  ///< shared: ceil(active lanes * width / 128)
  double conflictWays = 0;     ///< shared: most distinct words in one bank within one phase
  double distinctAddresses = 0; ///< constant
};

/// Sums over a whole launch, present only when grid, guards and trip counts are known.
struct Total {
  uint64_t requests = 0, sectors = 0, idealSectors = 0, wavefronts = 0;
};

/// The field of a structure that an access names, when it walks an array of structures.
struct FieldInfo {
  std::string structName; ///< as the source spells the type
  std::string field;      ///< "x"; nested: "pos.x"
  unsigned structSize = 0, fieldOffset = 0, fieldSize = 0; ///< bytes
  unsigned fieldCount = 0;                                 ///< direct members of the structure
  unsigned structAlignment = 0;                            ///< bytes
  unsigned scalarSize = 0; ///< bytes of the field, or of one element of an array; 0: it is no scalar
};

/// A declared multi-dimensional __shared__ array, for the rules that know about tiles.
struct TileInfo {
  std::string name;
  std::vector<uint64_t> extents; ///< outermost first, elements
  unsigned elementSize = 0;      ///< bytes
  Place declaration;
  std::string declarationText;                ///< "[EDGE][EDGE]": the extents as written
  std::optional<Place> innermostExtent;       ///< source of the last extent; nothing if it is not in plain sight
  unsigned innermostOffset = 0;               ///< byte offset of that text in its file
  std::string innermostText;                  ///< "EDGE"
  bool usedFlat = false; ///< its address escapes as a pointer, or sizeof is taken: padding may change meaning
};

/// What the accesses of the same straight-line region (or loop body) do to the lines that this access
/// touches, this access included: the worst request and its companions, lane masks alike.
struct Companions {
  unsigned accesses = 0;       ///< other accesses counted
  double lines = 0, sectors = 0; ///< of the union
  double sectorEfficiency = 0; ///< distinct bytes of the union / (sectors of the union * 32)
  bool sameRegion = true;      ///< false: they are in the same loop body but only meet across iterations
};

/// What an atomic does, for the rule about lanes that update one address.
struct AtomicInfo {
  std::string operation;        ///< "add", "max", "cas", "fadd", ...; "" when it is not known
  unsigned lanesPerAddress = 0; ///< most lanes of one request that update the same bytes, over all requests
  unsigned addresses = 0;       ///< distinct addresses of that request
  bool resultUsed = false;      ///< the old value is wanted
  bool valueVaries = false;     ///< the lanes bring different values
  bool addressVaries = false;   ///< the address is an expression of the lane, even where some lanes agree
};

/// The read that an unknown index came from.
struct IndexSource {
  std::string expression; ///< its source text; "" when it is not known
  Place place;
};

/// A private array that is too irregularly indexed for registers.
struct PrivateArray {
  Place declaration;
  uint64_t size = 0; ///< bytes of one thread
  std::string cause; ///< why its elements cannot be registers
  bool open = false; ///< is it this access whose index the compiler does not know?
};

/// How the assumption ends that a pointer of which only its own place is known leads to global memory.
inline constexpr const char *LeadsToGlobal = " and leads to global memory";

struct Access {
  Place place;            ///< the subscript, dereference or call
  std::string expression; ///< its source text
  Operation operation = Operation::Load;
  Mechanism mechanism = Mechanism::Plain;
  bool removed = false; ///< the compiler removes it (kept for completeness)
  Space space = Space::Unknown;
  std::string base;   ///< the object: parameter, array or pointer expression
  unsigned width = 0; ///< bytes per lane
  std::string offset; ///< index expression in bytes from the base; "" when none is known
  Confidence confidence = Confidence::Unknown;
  std::vector<std::string> assumptions; ///< what an `assumed` result rests on
  std::string reason;                   ///< why `unknown`
  unsigned activeLanes = 0;             ///< of the worst request
  std::optional<uint64_t> iterations;   ///< executions by one warp, when known and in a loop

  Cost worst, mean; ///< meaningless when confidence is Unknown
  std::optional<Total> total;

  //--- Geometry of the worst request, for rules -----------------------------
  std::array<int64_t, 32> laneOffsets{}; ///< bytes from the base; only active lanes mean something
  uint32_t activeMask = 0;               ///< bit l: lane l takes part
  std::optional<int64_t> laneStride;     ///< bytes between neighbouring active lanes where that is one number
  /// Symbolic lane stride as text, in elements of `width` ("n", "32", "2*n"), when threadIdx.x is multiplied by it.
  std::string laneStrideText;
  bool strideIsSymbolic = false;   ///< the stride is not a compile-time or launch constant
  bool laneIsSlowIndex = false;    ///< threadIdx.x scales a row: a symbol or >= 32 elements multiplies it
  double alignedSectors = 0;       ///< global: sectors if the lowest address were 128-byte aligned
  double alignedLines = 0;         ///< global: lines, likewise
  std::optional<FieldInfo> field;  ///< set when the access walks an array of structures
  std::optional<TileInfo> tile;    ///< set when the object is a declared shared array
  std::optional<Companions> companions;
  /// An offset of an active lane that is not a multiple of the accessed type's size: the access faults at run time. Only where
  /// no assumed size is part of the offset.
  std::optional<int64_t> faultOffset;
  std::optional<AtomicInfo> atomic;         ///< set for atomics of a known address
  std::optional<IndexSource> indexSource;   ///< set when the index depends on data
  std::optional<PrivateArray> privateArray; ///< set for accesses of a private array in local memory
  /// Shared arrays of one or more dimensions: does threadIdx.x select the row (not the last index)?
  bool laneSelectsRow = false;

  //--- Where it stands, for rules ---------------------------------------------
  int loop = -1;                ///< index into Kernel::loops of the innermost loop; -1: none
  unsigned blockSize = 0;       ///< threads per block of the kernel's shape
  unsigned maxActiveLanes = 0;  ///< most lanes that any request of this access had
  double meanActiveLanes = 0;
  bool forced = false; ///< only reached by forcing a condition that the launch's facts make unlikely
  std::string worstIteration; ///< words for the worst request's place in the loops, e.g. "s = 16"; "" when all are alike
  Place calledFrom; ///< the kernel's call that leads to it, when it stands in a helper; else not valid
  bool unknownCall = false; ///< no access: a call that is not followed, whose function's accesses are missing
  std::vector<Place> macros; ///< where the macros that it comes from spell it, innermost first: NOLINT may stand there
};

/// A loop of a kernel, or of a function that it calls.
struct Loop {
  Place place;
  int parent = -1; ///< index into Kernel::loops
  std::optional<uint64_t> tripCount;
};

/// What a kernel does and moves. Per thread: the mean over the threads of the launch (lanes that a guard turns away
/// count too). Symbols are sizes that are not known ("n", "gridDim.x") or loops whose end is not ("iterations of
/// the loop at line 12"). FMA counts 2.
struct Work {
  Amount fp32, fp64, fp16; ///< FLOP; fp16: half and bfloat16
  Amount tensor;           ///< FLOP of tensor cores
  Amount special;          ///< special functions (division, roots, exp, sin ...), one each
  Amount integer;          ///< integer operations, those of addresses included
  Amount data;             ///< of those: that make data, and not only addresses, conditions and loops
  Amount requested;        ///< bytes of global memory that lanes ask for
  Amount hauled;           ///< bytes: sectors * 32
  Amount lines;            ///< bytes: lines * 128
  Amount useful;           ///< bytes: distinct within each request
  Amount threads;          ///< threads of one launch
  /// Bytes of one launch, however often they are touched: what no cache avoids. A lower bound where footprints of
  /// several accesses may overlap. Nothing where an index is not known.
  std::optional<Amount> distinct;
  std::vector<std::string> assumptions;
  /// Why FLOP and requested bytes are not all there is ("the kernel takes more steps than are allowed"); "" where they
  /// are.
  std::string incomplete;
  /// Why hauled, lines and useful are not ("the index of x[col[j]] comes from memory"); "" where they are.
  std::string unknownIndex;
  /// Edge of the square shared tiles that the kernel reads its operands from, where all its work grows with it, and
  /// its spelling ("TILE"): intensity is proportional to it.
  std::optional<unsigned> tileEdge;
  std::string tileName;
};

/// Global data that several threads of a block read: an array that a shared tile would read once.
struct Reuse {
  std::string base, expression;
  Place place;
  unsigned threads = 0;     ///< of one block read the same element
  std::string sameFor;      ///< "threadIdx.x": the index that does not matter
  bool inLoop = false;      ///< read at each iteration of a loop, so that it can be tiled
  unsigned elementSize = 0; ///< bytes
};

/// Square tiles in shared memory that a block would read reused data through, each element once.
struct TileSuggestion {
  std::vector<std::string> arrays; ///< what is reused; two at least
  unsigned elementSize = 0;        ///< bytes
  unsigned edge = 0;               ///< with one result per thread; 0: not even a small pair of tiles fits
  uint64_t bytes = 0;              ///< of one tile per array
  uint64_t budget = 0;             ///< bytes of shared memory that are left without opting in to more
  std::optional<double> intensity; ///< FLOP/byte with that edge
  /// The largest edge that fits when each thread computes several results.
  unsigned largerEdge = 0;
  uint64_t largerBytes = 0;
  unsigned resultsPerThread = 0;
};

/// The roofline of one kernel on one GPU.
struct Roofline {
  std::string gpu;                   ///< its key; "": none is chosen, and there is no balance and no verdict
  std::optional<double> intensity;   ///< FLOP/byte, of requested bytes; the ratio of the dominant terms
  std::string intensityText;         ///< in symbols where it has some: "T/4"
  std::optional<double> machineBalance; ///< FLOP/byte
  std::string boundBy;               ///< "memory", "compute"; "" when it is not proved
  bool evenWhenCached = false;       ///< bound by memory even if a launch fetches each byte once
  std::optional<uint64_t> crossoverTile; ///< the tile edge from which on arithmetic bounds
  std::optional<double> attainableFlops; ///< FLOP/s, if no cache saves a byte
  std::optional<double> secondsFloor; ///< of one launch, when its totals are known
  std::string reason;                ///< why there is no verdict
  std::optional<TileSuggestion> suggestedTile; ///< where tiles would help
};

/// What keeps more blocks from an SM, and how many there are.
struct Occupancy {
  std::string gpu; ///< key of the GPU, or the architecture
  unsigned blocksPerSm = 0, warpsPerSm = 0, maxWarps = 0;
  double fraction = 0; ///< 0 to 1
  /// What a limit on registers leaves at least, where they are not known themselves; at most are the above.
  std::optional<unsigned> leastBlocksPerSm;
  double leastFraction = 0;
  std::vector<std::string> limiters; ///< "registers", "shared memory", "warps", "blocks", "barriers"
  std::optional<unsigned> registers; ///< per thread
  std::string registersOrigin;       ///< "--registers", "ptxas log"; of a limit: "maxnreg", "__launch_bounds__"
  std::optional<unsigned> registerLimit; ///< per thread, where the number itself is not known
  uint64_t sharedBytes = 0;          ///< per block, static and dynamic
  bool atMost = false;               ///< a need is not known
  std::vector<std::string> assumptions;
};

/// Shares of the peak; nothing where not known.
struct Eta {
  std::optional<double> coalesce, cache, occupancy, total;
  double atMost = 1; ///< the product of what is known, and of what is known to be less
};

struct Kernel {
  std::string name;      ///< unqualified
  std::string signature; ///< with namespaces, template arguments and parameter types
  std::string symbol;    ///< mangled
  Place place;
  std::array<unsigned, 3> block{1, 1, 1};
  std::optional<std::array<uint64_t, 3>> grid;
  BlockOrigin blockOrigin = BlockOrigin::Assumed;
  std::string blockNote; ///< why this block shape: "launch at line 12", "--block", "assumed: only threadIdx.x is used"
  Place launch;          ///< the launch; invalid when there is none
  std::optional<uint64_t> dynamicShared; ///< bytes
  uint64_t staticShared = 0;             ///< bytes
  std::map<std::string, int64_t> arguments; ///< parameters whose values are known
  std::string arch;
  std::vector<Access> accesses; ///< in source order
  std::vector<Loop> loops;
  bool partial = false;      ///< the analysis ran out of budget
  std::string partialReason; ///< which one
  std::optional<unsigned> launchBoundsThreads, launchBoundsBlocks; ///< __launch_bounds__; blocks per SM
  std::optional<unsigned> maxRegisters;                            ///< __maxnreg__
  bool usesDynamicShared = false; ///< names an extern __shared__ array
  Work work;
  std::vector<Reuse> reuse; ///< most threads first
  // Filled for the GPU of the run, not by the kernel layer.
  std::optional<Roofline> roofline;
  std::optional<Occupancy> occupancy;
  std::optional<Eta> eta;
  std::optional<unsigned> unit; ///< which of the run's files gave it, from 0 on
  std::string written;          ///< its text in the report that it was read from; "" where it was not read
};

enum class Severity { Note, Warning, Error };
enum class Impact { Low, Medium, High };
enum class FixSafety {
  Safe,   ///< keeps the meaning; applied by --fix
  Unsafe, ///< may change meaning (sizeof, flat use of the tile); applied by --unsafe-fixes
  Display ///< shown only
};

struct Note {
  std::string message;
  Place place;
};

/// A change of the source with what it does to the cost, before and after.
struct Fix {
  std::string title;
  FixSafety safety = FixSafety::Display;
  std::vector<Edit> edits;
  Cost before, after;
  bool verified = false; ///< re-analysed: the cost fell and nothing else got worse
};

struct Finding {
  std::string rule;
  Severity severity = Severity::Warning;
  Impact impact = Impact::Medium;
  std::string message;
  Place place;
  std::string kernel; ///< signature of the worst instance
  Confidence confidence = Confidence::Assumed;
  std::vector<Note> notes;
  std::vector<Fix> fixes;
  std::string fingerprint; ///< stable over unrelated edits
  /// What baselines count: equal for repeats of one text in a file, and whichever rule about global geometry speaks,
  /// since the worst of an access's instances decides that, and not every run sees all of them.
  std::string identity;
  std::string expression;  ///< the access's text: with rule and place, what findings are merged by
  std::string base;        ///< the access's object
  Space space = Space::Unknown;
  Cost cost;          ///< of the access it speaks of
  double most = 0;    ///< sectors, conflict ways or addresses, by its space: the most of all its instances
  double excess = 0;  ///< excess sectors or wavefronts times executions: what reports rank by
  std::vector<Place> macros; ///< as Access has them
};

/// A diagnostic of the compiler, or of warplint about a file.
struct Error {
  Place place;
  std::string message;
  std::optional<unsigned> unit = std::nullopt; ///< which of the run's files gave it; nothing: the run as a whole
};

/// What a rule says of one access or kernel, before what it says of one place is merged.
struct Candidate {
  Finding finding;    ///< without a fingerprint
  size_t kernel = 0;  ///< index of its kernel
  bool inHelper = false; ///< it stands in a function that the kernel calls
  std::optional<Severity> reported; ///< as it leaves the run; nothing where it is silenced
};

/// Beside the report of some of a run's files: what it takes to put such reports together to the one of all files.
struct Shard {
  struct Unit {
    unsigned position = 0; ///< in the list of the run's files
    std::string file;
  };
  unsigned index = 1, count = 1;     ///< from 1 on
  unsigned files = 0;                ///< of all shards
  std::vector<Unit> units;           ///< the files of this one
  std::vector<Candidate> candidates; ///< in the order of the kernels
  std::vector<std::string> failures; ///< files that could not be analysed at all
  unsigned badSuppressions = 0;      ///< comments at fault, which are errors of the report
  bool wholeProject = false;         ///< the files of all shards are all that there are
  bool filtered = false;        ///< options asked to leave findings out, of lines or headers
  std::string checks;                ///< globs of the command line
  std::optional<std::string> configuration; ///< YAML in place of the configuration files
};

/// How the findings of a run stand to those of a baseline, which are not shown.
struct BaselineCount {
  unsigned added = 0;     ///< new, or worse than in the baseline
  unsigned fixed = 0;     ///< of the baseline, looked for and no longer there
  unsigned remaining = 0; ///< of the baseline, still there
};

/// Everything one run has to say.
struct Report {
  std::vector<Kernel> kernels;
  std::vector<Finding> findings;
  std::vector<Error> errors;
  unsigned files = 0;
  std::optional<Shard> shard; ///< set where these are not all files of the run
  std::optional<BaselineCount> baseline;
};

//--- Spellings, as in the JSON report ------------------------------------------
const char *spelling(Space);
const char *spelling(Operation);
const char *spelling(Mechanism);
const char *spelling(Confidence);
const char *spelling(BlockOrigin);
const char *spelling(Severity);
const char *spelling(Impact);
const char *spelling(FixSafety);

} // namespace warplint::result

#endif
