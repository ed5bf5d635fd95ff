//===-- Machine.h - Runs a kernel's IR, one warp in lockstep, abstractly ---------*- C++ -*-===//
//
// Executes unoptimised device IR for the 32 lanes of a warp. Each lane has its own next block; the earliest
// waiting block runs, with all lanes that wait there, so lanes come together again where they should and
// guards and early returns need no rule of their own: the mask is what arrives.
//
// Conditions that rest on an assumption follow the sample (the likely side). Conditions on data send their
// lanes both ways. Loops end by their condition, or by a cap that becomes an assumption of whatever depends
// on it.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_KERNEL_MACHINE_H
#define WARPLINT_ANALYZER_KERNEL_MACHINE_H

#include "analyzer/kernel/PrivateArrays.h"
#include "analyzer/kernel/Program.h"
#include "analyzer/kernel/Recorder.h"
#include "analyzer/kernel/Work.h"
#include "analyzer/kernel/World.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Operator.h"
#include <deque>
#include <map>
#include <memory>
#include <string>

namespace warplint::kernel {

struct PtxAccess;
struct PtxInstruction;

/// What makes a value unknown.
struct Cause {
  enum Kind {
    Memory,     ///< read from memory that other threads or the host write
    Contents,   ///< a local whose contents are not known
    Atomic,     ///< the old value
    Exchange,   ///< shuffles and votes
    Call,       ///< of a function that is not followed
    Recursion,  ///< of one that calls itself too often
    Assembly,   ///< inline assembly that is not computed
    Comparison, ///< between unknown sizes, decided lane by lane
    Choice,     ///< a phi or select, by a condition on `inner`
    Forced,     ///< a condition of which both sides are followed
    Pointers,   ///< a choice between pointers into different objects
    Floating,   ///< floating-point arithmetic
    Operation   ///< anything else
  };
  Kind kind = Operation;
  const llvm::Instruction *instruction = nullptr;
  llvm::SmallVector<const llvm::CallBase *, 4> path;
  uint32_t inner = 0;
  std::string name; ///< of the local or the sizes; of a call, why it is not followed
};

/// Something that pointers point into.
struct Object {
  /// Mixed: pointers whose lanes point into different objects of global memory. Their lanes hold the number
  /// of the object above MixedShift, the offset below: objects are as aligned as that, and no two share a
  /// line.
  /// Code: a function.
  enum Kind { Parameter, Pointed, Variable, Local, ByValue, Mixed, Code };
  Kind kind = Parameter;
  result::Space space = result::Space::Global;
  std::string name;
  const llvm::GlobalVariable *variable = nullptr;
  llvm::Function *function = nullptr; ///< Code
  AssumptionSet soft = 0; ///< of the pointer itself

  /// Contents of locals and by-value parameters, by offset. A reference cell stands for bytes copied from
  /// elsewhere, read when they are needed.
  struct Cell {
    unsigned size = 0; ///< bytes
    bool reference = false;
    WarpValue value; ///< the contents, or the address they were copied from
    uint64_t stamp = 0;
    uint64_t region =
        0; ///< it had no contents but for what was written in this region (Frame::region); 0: it may have had
    /// What is there for code of the region that wrote it last, where whether it was written is in doubt.
    std::shared_ptr<const WarpValue> inside;
    uint64_t insideRegion = 0;
    void rests(AssumptionSet On);
  };
  std::map<int64_t, Cell> cells;
  bool clobbered = false; ///< written at an offset that is not known
  bool escaped =
      false; ///< reached through pointers that are not followed: its contents are not known from then on
  AssumptionSet contents = 0; ///< what it rests on that nothing else was written
  uint64_t written = 0;       ///< stamp of the last write
  unsigned parameter = 0;     ///< ByValue: its number
  uint64_t size = 0;          ///< ByValue: bytes
  const llvm::AllocaInst *array = nullptr; ///< Local: it is an array in local memory, whose accesses count
  bool readInPlace = false;                ///< ByValue: it stays in the constant bank, no thread has a copy
  /// Has each thread contents of its own? A by-value parameter is read as it was passed until it is written.
  bool hasContents() const { return kind == Local || (kind == ByValue && (!cells.empty() || clobbered)); }
};

/// The launch as the machine sees it.
struct Setting {
  std::array<unsigned, 3> block{1, 1, 1};
  std::optional<std::array<uint64_t, 3>> grid;
  std::vector<std::optional<int64_t>> arguments; ///< known integers, by parameter
  std::vector<std::string> parameterNames;
  /// Text for the bytes at an offset of a by-value parameter.
  std::function<std::string(unsigned Parameter, uint64_t Offset)> memberPath;
  std::map<std::string, int64_t> members; ///< known members of by-value parameters, by that text
  /// Source text of a load, to name what it gives.
  std::function<std::string(const llvm::Instruction &)> textOf;
  /// The innermost instruction of a call path that a user wrote.
  std::function<const llvm::Instruction *(const llvm::Instruction &, llvm::ArrayRef<const llvm::CallBase *>)>
      userInstruction;
  std::function<unsigned(const llvm::Instruction &)> typeAlignment; ///< bytes; 0: not known
  const LocalArrays *localArrays = nullptr;                         ///< may be null
};

/// The threads of the warps that run together, as lanes: thread index = lane part + scale * warp dimension.
struct WarpShape {
  std::array<std::array<int64_t, 32>, 3> thread{}; ///< x, y, z by lane at warp 0
  std::array<int64_t, 3> scale{};                  ///< of WarpX, WarpY, WarpZ respectively
  LaneMask lanes = AllLanes;                       ///< threads that exist
  Box warps; ///< WarpX..WarpZ intervals (the block's are filled by the caller)
};

struct Budget {
  uint64_t steps = 400'000; ///< instructions, all runs of a kernel together
  uint64_t recursionSteps = 50'000; ///< within a function that calls itself
  unsigned callDepth = 40;
  size_t blocks = 8192; ///< of one function: preparing it is quadratic in them
  /// Iterations of one loop: `hardIterations` at least where its end is known, more while they take few steps.
  unsigned dataIterations = 3, softIterations = 33, hardIterations = 1024, shortIterations = 4096;
  std::function<bool()> timeUp; ///< asked now and then; may be null
};

class Machine {
public:
  Machine(Program &P, World &W, Recorder &R, const llvm::DataLayout &Layout, const Setting &S,
          const Budget &B)
      : work(W, R), TheProgram(P), W(W), Records(R), Layout(Layout), TheSetting(S), TheBudget(B) {}

  /// Runs the kernel for the box in the world, which narrows it.
  void run(llvm::Function &Kernel, const WarpShape &Shape);

  /// Where a value of a site that is not known begins; null where that was not noted.
  const Cause *originOf(uint32_t Why) const;

  WorkCounter work;
  uint64_t steps = 0; ///< of all runs
  bool outOfBudget = false; ///< everything stops
  std::string budgetReason; ///< set without outOfBudget: only some calls were not followed
  /// Branch sides that assumptions made no lane take, and those that the next run is to take as well.
  using Side = std::pair<const llvm::Instruction *, unsigned>;
  llvm::DenseSet<Side> untaken, taken, forced;
  bool followedBothSides = false; ///< of a condition on data, by the same lanes
  bool onlyForced = false; ///< where a side is forced, no lane takes another
  llvm::DenseSet<const llvm::Function *> entered;
  llvm::DenseSet<const llvm::Argument *> memoryArguments; ///< that led elsewhere than to locals
  llvm::DenseSet<const llvm::BasicBlock *> executed;
  llvm::DenseSet<const llvm::BasicBlock *> unfinished; ///< of those: the budget ended in them
  uint64_t wordDisagreements = 0; ///< index expressions that do not give the lanes: faults of ours

private:
  struct Frame {
    const FunctionInfo *info = nullptr;
    Frame *parent = nullptr;
    const llvm::CallBase *call = nullptr; ///< in the parent
    uint64_t pathHash = 0;
    std::vector<WarpValue> slots;
    std::vector<WarpValue> next; ///< phis of blocks that wait, by slot
    llvm::DenseMap<unsigned, std::vector<WarpValue>> aggregates;
    std::vector<LaneMask> pending;
    std::vector<LaneMask> pendingForced; ///< of those: lanes that come by forced sides alone
    llvm::BitVector waiting;
    std::vector<AssumptionSet> branchSoft; ///< per block: what its branch rests on
    std::vector<LaneMask> branchData;      ///< per block: lanes whose condition is data
    std::vector<bool> branchVaries;        ///< per block: that condition differs between lanes
    llvm::DenseMap<unsigned, uint32_t> branchWhy; ///< per block: what its condition on data comes from
    llvm::SmallDenseMap<unsigned, unsigned, 4>
        leaderSide; ///< per block: the successor that one lane at most takes
    std::vector<uint64_t> branchStamp;            ///< per block: when its branch was executed last
    bool anySoft = false;
    std::vector<uint64_t> iteration;   ///< per loop, in the current entry
    std::vector<uint64_t> loopEntered; ///< stamp at entry
    std::vector<uint64_t> loopSteps;   ///< steps at entry
    std::vector<int> loopIds;          ///< the recorder's numbers; -1: not asked for yet
    AssumptionSet entrySoft = 0;
    LaneMask entryMaybe = 0;
    uint64_t entryRegion = 0;
    int outerLoop = -1; ///< recorder's loop around the call
    LaneMask alive = 0;
    std::vector<uint32_t> locals; ///< objects that end with the frame
    // Being executed.
    unsigned block = 0;
    LaneMask mask = 0, maybe = 0, forced = 0;
    AssumptionSet control = 0;
    /// Which lanes that may not be here at all (`maybe`) are here together: what is executed in one region
    /// either happens altogether or not at all. 0 where no lane is in doubt.
    uint64_t region = 0;
    WarpValue result;
    std::vector<WarpValue> resultParts;
    LaneMask returned = 0;
    llvm::DenseMap<const llvm::Value *, index::Expr> words;
    std::vector<std::pair<std::string, unsigned>>
        atoms; ///< names of loop variables in words, with their slots
  };

  Program &TheProgram;
  World &W;
  Recorder &Records;
  const llvm::DataLayout &Layout;
  const Setting &TheSetting;
  const Budget &TheBudget;
  const WarpShape *Shape = nullptr;

  std::vector<std::vector<WarpValue>> SpareValues; ///< of calls that have returned: values take much memory
  std::deque<Object> Objects;        ///< 0 is none
  std::vector<uint32_t> FreeObjects; ///< numbers of locals that are gone
  llvm::DenseMap<const llvm::GlobalVariable *, uint32_t> VariableObject;
  llvm::DenseMap<const llvm::Function *, uint32_t> FunctionObject;
  std::map<std::string, uint32_t> PointedObject;
  std::map<std::string, std::vector<std::string>> TextKeys; ///< loads that one text names, by key
  llvm::SmallVector<const llvm::CallBase *, 8> Path;
  const llvm::Function *RootFunction = nullptr; ///< the kernel
  uint64_t PathHash = 0;
  uint64_t Stamp = 0;
  unsigned Epoch = 0; ///< counts writes to shared and global memory: loads on both sides may differ
  std::map<std::pair<uint64_t, int>, int> LoopIds;
  /// By call path and block, all runs: what it rests on that the block is reached or not.
  llvm::DenseMap<std::pair<uint64_t, const llvm::BasicBlock *>, AssumptionSet> ControlOfRuns;
  llvm::DenseMap<const llvm::Constant *, WarpValue> Constants;
  llvm::DenseMap<const llvm::Value *, std::string> ValueNames;
  std::vector<Cause> Causes{1}; ///< 0 is none
  llvm::DenseMap<std::tuple<const llvm::Instruction *, uint64_t, unsigned>, uint32_t> CauseNumber;
  std::map<std::string, unsigned> FreshCounts; ///< unknowns made in this run, by name
  uint32_t MixedGlobal = 0;                    ///< the object of pointers into several objects; 0: none yet
  /// Steps at the outermost entry of functions that are being called.
  llvm::DenseMap<const llvm::Function *, std::pair<unsigned, uint64_t>> ActiveCalls;
  std::map<std::string, WarpValue> AtomValues; ///< what the atoms of index expressions stand for in this run

  // Machine.cpp
  std::vector<WarpValue> freshValues(unsigned Count);
  WarpValue callFunction(llvm::Function &F, Frame *Parent, const llvm::CallBase *Call,
                         std::vector<WarpValue> Arguments, std::vector<std::vector<WarpValue>> ArgumentParts,
                         std::vector<WarpValue> *Parts);
  WarpValue refuseCall(const llvm::Function &Callee, const llvm::CallBase *Call,
                       llvm::ArrayRef<WarpValue> Arguments, std::string Reason);
  int nextBlock(const Frame &F) const;
  void noteControl(const Frame &F);
  AssumptionSet controlInOtherRuns(const Frame &F) const;
  void noteWrites(Frame &F, AssumptionSet Soft);
  void noteWrite(Object &O, AssumptionSet Soft, std::optional<Interval> Bytes);
  std::vector<uint32_t> reachable(Frame &F, llvm::ArrayRef<const llvm::Value *> Pointers);
  void execute(Frame &F);
  void executeBlock(Frame &F);
  bool isLoopTest(const Frame &F) const;
  void step(Frame &F, const llvm::Instruction &I);
  void branch(Frame &F, const llvm::Instruction &Terminator);
  void compareAtExit(Frame &F, const llvm::Instruction &Terminator, int Loop);
  void go(Frame &F, unsigned From, unsigned To, LaneMask Mask, AssumptionSet ExitSoft, LaneMask Forced);
  AssumptionSet controlOf(const Frame &F, unsigned Block) const;
  LaneMask maybeOf(const Frame &F, unsigned Block) const;
  /// Does only a leader come here: one lane, whichever it is?
  bool byOneLane(const Frame &F) const;
  uint64_t regionOf(const Frame &F, unsigned Block) const;
  int loopCap(Frame &F, int Loop, bool Soft, bool Data) const;
  int recorderLoop(Frame &F, int Loop);
  /// The entry of the outermost loop around this place of which all down to here are unrolled; 0: none.
  uint64_t unrolledEntry(const Frame &F) const;
  std::string iterationText(Frame &F);

  WarpValue operand(Frame &F, const llvm::Value *V);
  WarpValue constantValue(const llvm::Constant *C);
  /// The scalars of an aggregate, in order, nested ones flattened.
  std::vector<WarpValue> parts(Frame &F, const llvm::Value *V);
  void set(Frame &F, const llvm::Instruction &I, WarpValue V);
  WarpValue binary(Frame &F, const llvm::BinaryOperator &I);
  WarpValue cast(Frame &F, const llvm::CastInst &I);
  WarpValue comparison(Frame &F, const llvm::CmpInst &I);
  Relation relationOf(Frame &F, const llvm::BinaryOperator &I);
  Relation relationOf(Frame &F, const llvm::CmpInst &I);
  WarpValue address(Frame &F, const llvm::GEPOperator &G);
  /// An integer that is the same unknown in every lane, as a symbol of its own.
  WarpValue named(const llvm::Value &Of, const WarpValue &V);
  std::string sourceName(const llvm::Value &V, unsigned Depth = 0);
  /// Where lanes meet a number that they share but that is not known, it moves them all alike.
  void nameShared(Frame &F, const llvm::Instruction &I, WarpValue &A, WarpValue &B);

  // Causes.cpp
  uint32_t causeOf(const llvm::Instruction &I, Cause::Kind Kind, uint32_t Inner = 0, std::string Name = "");
  /// What makes the result of an instruction unknown: an operand that is, or the instruction itself.
  uint32_t whyUnknown(Frame &F, const llvm::Instruction &I);
  std::string causeText(uint32_t Why);
  /// What decides that a block is reached: the cause of a condition that is not known; 0: none.
  uint32_t branchCause(const Frame &F, unsigned Block) const;
  /// The sizes that part the lanes of a warp, when nothing else makes a value unknown.
  std::optional<std::string> partingSizes(uint32_t Why) const;
  std::string placeOf(const llvm::Instruction &I, llvm::ArrayRef<const llvm::CallBase *> Path);
  std::string placeOf(const llvm::Instruction &I) { return placeOf(I, Path); }
  /// "line 12", with the file where that is not the kernel's; of a library's, the user's call.
  std::string lineOf(const llvm::Instruction &I);

  // Memory.cpp
  uint32_t newObject(Object O);
  uint32_t newLocal(std::string Name);
  void freeLocals(llvm::ArrayRef<uint32_t> Locals);
  /// The pointer becomes one of several that a lane may hold.
  void escape(const WarpValue &Pointer);
  /// Code that is not known may write what the pointer leads to, directly or through pointers kept there.
  void clobber(const WarpValue &Pointer);
  /// Before the first write to a by-value parameter: its bytes come from the parameter as it was passed.
  void materialize(Object &O);
  uint32_t objectOf(const llvm::GlobalVariable &G);
  uint32_t objectOf(const llvm::Function &);
  /// Lanes of NewLanes from New, those of OldLanes from Old, which may point into another object.
  WarpValue mixPointers(const llvm::Instruction &I, const WarpValue &Old, LaneMask OldLanes,
                        const WarpValue &New, LaneMask NewLanes);
  std::optional<WarpValue> eitherPointer(const llvm::Instruction &I, const WarpValue &A, const WarpValue &B);
  bool isGlobal(const WarpValue &Pointer) const;
  std::string mixedName(const WarpValue &Pointer, LaneMask Mask) const;
  WarpValue pointerTo(uint32_t Object, int64_t Offset = 0);
  WarpValue load(Frame &F, const llvm::Instruction &I, const WarpValue &Pointer, llvm::Type *T,
                 bool Silent = false);
  void store(Frame &F, const llvm::Instruction &I, const WarpValue &Pointer, const WarpValue &V,
             llvm::Type *T);
  void loadAggregate(Frame &F, const llvm::Instruction &I, const WarpValue &Pointer, llvm::Type *T,
                     std::vector<WarpValue> &Out);
  void storeAggregate(Frame &F, const llvm::Instruction &I, const WarpValue &Pointer,
                      llvm::ArrayRef<WarpValue> Parts, llvm::Type *T);
  void copy(Frame &F, const llvm::Instruction &I, const WarpValue &To, const WarpValue &From, uint64_t Size);
  void fill(Frame &F, const llvm::Instruction &I, const WarpValue &To, const WarpValue &Byte, uint64_t Size);
  void recordPieces(Frame &F, const llvm::Instruction &I, const WarpValue &Pointer, unsigned Size,
                    result::Operation Operation, bool Folded = false);
  /// The function whose address a table that nothing changes has there; nothing where it is not a single one.
  std::optional<WarpValue> functionInTable(Frame &F, const WarpValue &Pointer, llvm::Type *T);
  WarpValue loadedValue(Frame &F, const llvm::Instruction &I, const WarpValue &Pointer, llvm::Type *T);
  WarpValue readCells(Frame &F, const llvm::Instruction &I, Object &O, int64_t Offset, unsigned Size,
                      llvm::Type *T);
  void writeCell(Frame &F, Object &O, int64_t Offset, unsigned Size, const WarpValue &V, LaneMask Mask,
                 bool Reference);
  Object::Cell partOf(const Object::Cell &Whole, unsigned Start, unsigned Size);
  void splitCells(Object &O, int64_t Offset, unsigned Size);
  /// What the caller of recordAccess knows better.
  struct Knowledge {
    std::string reason;                   ///< why the access has no numbers
    const llvm::Value *address = nullptr; ///< the operand that is the address
    int64_t offset = 0;                   ///< of the access from it
    bool removed = false;                 ///< by the compiler
    bool unknownCall = false;             ///< it stands for all that a call does which is not followed
    bool valueVaries = false;             ///< of an atomic: the lanes bring different values
  };
  void recordAccess(Frame &F, const llvm::Instruction &I, const WarpValue &Pointer, unsigned Width,
                    result::Operation Operation, result::Mechanism Mechanism, unsigned Component) {
    recordAccess(F, I, Pointer, Width, Operation, Mechanism, Component, Knowledge());
  }
  void recordAccess(Frame &F, const llvm::Instruction &I, const WarpValue &Pointer, unsigned Width,
                    result::Operation Operation, result::Mechanism Mechanism, unsigned Component,
                    const Knowledge &Known);

  // Calls.cpp
  void call(Frame &F, const llvm::CallBase &C);
  /// The function that is called, directly or through a pointer; null where it is not known.
  llvm::Function *resolveCallee(Frame &F, const llvm::CallBase &C);
  void recordUnknownCall(Frame &F, const llvm::CallBase &C, const llvm::Twine &Why);
  bool intrinsic(Frame &F, const llvm::CallBase &C, llvm::StringRef Name, WarpValue &Result);
  void unknownLength(Frame &F, const llvm::CallBase &C, const WarpValue &Pointer, const WarpValue &Size,
                     result::Operation Operation, unsigned Component);
  /// Accesses of intrinsics whose lanes give no addresses of their own, and the rows of ldmatrix.
  bool matrixIntrinsic(Frame &F, const llvm::CallBase &C, llvm::StringRef Name);
  WarpValue thread(unsigned Axis);
  WarpValue blockIndex(unsigned Axis);
  WarpValue laneId();
  WarpValue laneMask(llvm::StringRef Relation); ///< "lt", "le" ...
  /// `Operand`: what the lanes bring; null when there is none.
  WarpValue atomic(Frame &F, const llvm::Instruction &I, const llvm::Value *Pointer,
                   const llvm::Value *Operand, llvm::Type *T);

  // Floats.cpp
  /// The integers that a floating-point number was computed from, by the conversion.
  using FloatLeaves = std::map<std::pair<const Frame *, const llvm::Instruction *>, WarpValue>;
  static Frame overFrame(Frame &F, const llvm::CallBase &C);
  /// Collects them; false where something else takes part.
  bool floatLeaves(Frame &F, const llvm::Value *V, FloatLeaves &Leaves, unsigned Depth);
  std::optional<llvm::APFloat> floatAt(Frame &F, const llvm::Value *V, const FloatLeaves &Leaves, unsigned Lane);
  /// The integer that a floating-point number becomes, where it is known.
  std::optional<WarpValue> converted(Frame &F, const llvm::Value *From, llvm::RoundingMode Rounding, unsigned Bits,
                                     bool Signed);
  std::optional<WarpValue> convertedByCall(Frame &F, const llvm::CallBase &C, llvm::StringRef Name);
  // Assembly.cpp
  struct AssemblyState;
  bool assembly(Frame &F, const llvm::CallBase &C, WarpValue &Result);
  void assemblyAccess(AssemblyState &S, const PtxInstruction &I, const PtxAccess &A);
  std::optional<WarpValue> assemblyValue(AssemblyState &S, const PtxInstruction &I);
  WarpValue readRegister(AssemblyState &S, llvm::StringRef Name);
  LaneMask predicateLanes(AssemblyState &S, const PtxInstruction &I, AssumptionSet &Soft);

  // Words.cpp
  index::Expr wordsOf(Frame &F, const llvm::Value *V);
  index::Expr computeWords(Frame &F, const llvm::Value *V);
  index::Expr phiWords(Frame &F, const llvm::PHINode &Phi);
  void noteLoopAtom(Frame &F, int Loop, const std::string &Name, std::optional<int64_t> Step);
  index::Expr atomFor(Frame &F, const std::string &Name, unsigned Slot);
  index::Expr uniformWords(const WarpValue &V);
  index::Expr threadWords(unsigned Axis);
  const std::string &nameOfValue(const llvm::Value &V);
  /// Does the expression give the value in every lane of the mask?
  bool agrees(Frame &F, index::Expr Words, const WarpValue &V, LaneMask Mask);
};

/// 0, 1 or 2 for "threadIdx.x", ".y", ".z" with the prefix "threadIdx."; nothing for other names.
std::optional<unsigned> axisOf(llvm::StringRef Name, llvm::StringRef Prefix);

/// The scalars inside a type with their byte offsets, in order: a scalar itself, or what a structure or array
/// is made of.
std::vector<std::pair<llvm::Type *, int64_t>> scalarsOf(const llvm::DataLayout &, llvm::Type *);
/// Where the part that extractvalue's indices name begins among the scalars of a type, and how many scalars
/// it has.
std::pair<unsigned, unsigned> scalarRange(const llvm::DataLayout &, llvm::Type *,
                                          llvm::ArrayRef<unsigned> Indices);

} // namespace warplint::kernel

#endif
