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
#include "analyzer/kernel/World.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Operator.h"
#include <deque>
#include <map>
#include <string>

namespace warplint::kernel {

/// Something that pointers point into.
struct Object {
  enum Kind { Parameter, Pointed, Variable, Local, ByValue };
  Kind kind = Parameter;
  result::Space space = result::Space::Global;
  std::string name;
  const llvm::GlobalVariable *variable = nullptr;
  AssumptionSet soft = 0; ///< of the pointer itself

  /// Contents of locals and by-value parameters, by offset. A reference cell stands for bytes copied from
  /// elsewhere, read when they are needed.
  struct Cell {
    unsigned size = 0; ///< bytes
    bool reference = false;
    WarpValue value; ///< the contents, or the address they were copied from
    uint64_t stamp = 0;
  };
  std::map<int64_t, Cell> cells;
  bool clobbered = false; ///< written at an offset that is not known
  bool escaped =
      false; ///< reached through pointers that are not followed: its contents are not known from then on
  AssumptionSet contents = 0; ///< what it rests on that nothing else was written
  uint64_t written = 0;       ///< stamp of the last write
  unsigned parameter = 0;     ///< ByValue: its number
  const llvm::AllocaInst *array = nullptr; ///< Local: it is an array in local memory, whose accesses count
  bool readInPlace = false;                ///< ByValue: it stays in the constant bank, no thread has a copy
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
  unsigned callDepth = 40;
  size_t blocks = 8192; ///< of one function: preparing it is quadratic in them
  unsigned dataIterations = 3, softIterations = 33, hardIterations = 1024;
  std::function<bool()> timeUp; ///< asked now and then; may be null
};

class Machine {
public:
  Machine(Program &P, World &W, Recorder &R, const llvm::DataLayout &Layout, const Setting &S,
          const Budget &B)
      : TheProgram(P), W(W), Records(R), Layout(Layout), TheSetting(S), TheBudget(B) {}

  /// Runs the kernel for the box in the world, which narrows it.
  void run(llvm::Function &Kernel, const WarpShape &Shape);

  uint64_t steps = 0; ///< of all runs
  bool outOfBudget = false;
  std::string budgetReason;
  /// Branch sides that assumptions made no lane take, and those that the next run is to take as well.
  llvm::DenseSet<std::pair<const llvm::Instruction *, unsigned>> untaken, taken, forced;
  llvm::DenseSet<const llvm::Function *> entered;
  llvm::DenseSet<const llvm::BasicBlock *> executed;
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
    llvm::BitVector waiting;
    std::vector<AssumptionSet> branchSoft; ///< per block: what its branch rests on
    std::vector<LaneMask> branchData;      ///< per block: lanes whose condition is data
    std::vector<bool> branchVaries;        ///< per block: that condition differs between lanes
    bool anySoft = false;
    std::vector<uint64_t> iteration;   ///< per loop, in the current entry
    std::vector<uint64_t> loopEntered; ///< stamp at entry
    AssumptionSet entrySoft = 0;
    LaneMask entryMaybe = 0;
    int outerLoop = -1; ///< recorder's loop around the call
    LaneMask alive = 0;
    std::vector<uint32_t> locals; ///< objects that end with the frame
    // Being executed.
    unsigned block = 0;
    LaneMask mask = 0, maybe = 0;
    AssumptionSet control = 0;
    WarpValue result;
    std::vector<WarpValue> resultParts;
    bool returned = false;
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
  std::map<std::string, uint32_t> PointedObject;
  std::map<std::string, std::vector<std::string>> TextKeys; ///< loads that one text names, by key
  llvm::SmallVector<const llvm::CallBase *, 8> Path;
  uint64_t PathHash = 0;
  uint64_t Stamp = 0;
  unsigned Epoch = 0; ///< counts writes to shared and global memory: loads on both sides may differ
  std::map<std::pair<uint64_t, int>, int> LoopIds;
  /// By call path and block, all runs: what it rests on that the block is reached or not.
  llvm::DenseMap<std::pair<uint64_t, const llvm::BasicBlock *>, AssumptionSet> ControlOfRuns;
  llvm::DenseMap<const llvm::Constant *, WarpValue> Constants;
  llvm::DenseMap<const llvm::Value *, std::string> ValueNames;
  std::map<std::string, WarpValue> AtomValues; ///< what the atoms of index expressions stand for in this run

  // Machine.cpp
  std::vector<WarpValue> freshValues(unsigned Count);
  WarpValue callFunction(llvm::Function &F, Frame *Parent, const llvm::CallBase *Call,
                         std::vector<WarpValue> Arguments, std::vector<std::vector<WarpValue>> ArgumentParts,
                         std::vector<WarpValue> *Parts);
  int nextBlock(const Frame &F) const;
  void noteControl(const Frame &F);
  AssumptionSet controlInOtherRuns(const Frame &F) const;
  void noteWrites(const Frame &F, AssumptionSet Soft);
  void execute(Frame &F);
  void executeBlock(Frame &F);
  void step(Frame &F, const llvm::Instruction &I);
  void branch(Frame &F, const llvm::Instruction &Terminator);
  void go(Frame &F, unsigned From, unsigned To, LaneMask Mask, AssumptionSet ExitSoft);
  AssumptionSet controlOf(const Frame &F, unsigned Block) const;
  LaneMask maybeOf(const Frame &F, unsigned Block) const;
  int loopCap(Frame &F, int Loop, bool Soft, bool Data) const;
  int recorderLoop(Frame &F, int Loop);
  std::string iterationText(Frame &F);

  WarpValue operand(Frame &F, const llvm::Value *V);
  WarpValue constantValue(const llvm::Constant *C);
  /// The scalars of an aggregate, in order, nested ones flattened.
  std::vector<WarpValue> parts(Frame &F, const llvm::Value *V);
  void set(Frame &F, const llvm::Instruction &I, WarpValue V);
  WarpValue binary(Frame &F, const llvm::BinaryOperator &I);
  WarpValue cast(Frame &F, const llvm::CastInst &I);
  WarpValue comparison(Frame &F, const llvm::CmpInst &I);
  WarpValue address(Frame &F, const llvm::GEPOperator &G);

  // Memory.cpp
  uint32_t newObject(Object O);
  uint32_t newLocal(std::string Name);
  void freeLocals(llvm::ArrayRef<uint32_t> Locals);
  /// The pointer becomes one of several that a lane may hold.
  void escape(const WarpValue &Pointer);
  /// Code that is not known may write what the pointer leads to, directly or through pointers kept there.
  void clobber(const WarpValue &Pointer);
  uint32_t objectOf(const llvm::GlobalVariable &G);
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
  void fill(Frame &F, const llvm::Instruction &I, const WarpValue &To, const WarpValue &Byte,
            std::optional<uint64_t> Size);
  WarpValue loadedValue(Frame &F, const llvm::Instruction &I, const WarpValue &Pointer, llvm::Type *T);
  WarpValue readCells(Frame &F, const llvm::Instruction &I, Object &O, int64_t Offset, unsigned Size,
                      llvm::Type *T);
  void writeCell(Frame &F, Object &O, int64_t Offset, unsigned Size, const WarpValue &V, LaneMask Mask,
                 bool Reference);
  Object::Cell partOf(const Object::Cell &Whole, unsigned Start, unsigned Size);
  void splitCells(Object &O, int64_t Offset, unsigned Size);
  void recordAccess(Frame &F, const llvm::Instruction &I, const WarpValue &Pointer, unsigned Width,
                    result::Operation Operation, result::Mechanism Mechanism, unsigned Component,
                    bool ValueVaries = false);

  // Calls.cpp
  void call(Frame &F, const llvm::CallBase &C);
  bool intrinsic(Frame &F, const llvm::CallBase &C, llvm::StringRef Name, WarpValue &Result);
  bool assembly(Frame &F, const llvm::CallBase &C, WarpValue &Result);
  WarpValue thread(unsigned Axis);
  WarpValue blockIndex(unsigned Axis);
  WarpValue laneId();
  /// `Operand`: what the lanes bring; null when there is none.
  WarpValue atomic(Frame &F, const llvm::Instruction &I, const llvm::Value *Pointer,
                   const llvm::Value *Operand, llvm::Type *T);

  // Words.cpp
  index::Expr wordsOf(Frame &F, const llvm::Value *V);
  index::Expr computeWords(Frame &F, const llvm::Value *V);
  index::Expr phiWords(Frame &F, const llvm::PHINode &Phi);
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
