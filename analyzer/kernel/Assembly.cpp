//===-- Assembly.cpp - Runs inline PTX -----------------------------------------===//
//
// Small integer code (conversions of addresses, predicates, sums) is computed, so that the accesses between
// are known; what has no meaning here makes its result unknown. An access that cannot be costed is recorded
// without numbers, never left out.
//
//===----------------------------------------------------------------------===//

#include "analyzer/kernel/Machine.h"
#include "analyzer/kernel/Ptx.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InlineAsm.h"

using namespace llvm;
using namespace warplint;
using namespace warplint::kernel;
using result::Mechanism;
using result::Operation;

/// One asm statement: its registers, and which $ operand is which argument or result.
struct Machine::AssemblyState {
  Frame &frame;
  const CallBase &call;
  StringMap<WarpValue> registers;
  std::vector<int> argument, output; ///< by $ number; -1: none
  unsigned accesses = 0;             ///< so far: they are the components of the call's site
};

WarpValue Machine::readRegister(AssemblyState &S, StringRef Name) {
  if (auto It = S.registers.find(Name); It != S.registers.end())
    return It->second;
  if (Name.consume_front("$")) {
    unsigned Number = 0;
    if (!Name.trim("{}").getAsInteger(10, Number) && Number < S.argument.size() && S.argument[Number] >= 0)
      return operand(S.frame, S.call.getArgOperand(unsigned(S.argument[Number])));
    return WarpValue::unknownLanes();
  }
  int64_t Value = 0;
  if (!Name.getAsInteger(0, Value))
    return WarpValue::constant(Value);
  if (Name == "%laneid")
    return laneId();
  if (Name.starts_with("%lanemask_"))
    return laneMask(Name.drop_front(StringRef("%lanemask_").size()));
  if (Name == "WARP_SZ")
    return WarpValue::constant(32);
  for (auto [Prefix, Kind] : {std::pair("%tid.", 0), std::pair("%ctaid.", 1), std::pair("%ntid.", 2)}) {
    StringRef Axis = Name;
    if (!Axis.consume_front(Prefix) || Axis.size() != 1 || Axis[0] < 'x' || Axis[0] > 'z')
      continue;
    const unsigned Number = unsigned(Axis[0] - 'x');
    return Kind == 0   ? thread(Number)
           : Kind == 1 ? blockIndex(Number)
                       : WarpValue::constant(TheSetting.block[Number]);
  }
  // Other special registers are the same in all lanes, but for the clock.
  return Name.starts_with("%") && !Name.starts_with("%clock") ? WarpValue::unknownUniform()
                                                              : WarpValue::unknownLanes();
}

/// A pure instruction's value; nothing when it has no meaning here.
std::optional<WarpValue> Machine::assemblyValue(AssemblyState &S, const PtxInstruction &I) {
  auto In = [&](unsigned Number) {
    return Number < I.operands.size() && !I.operands[Number].names.empty()
               ? readRegister(S, I.operands[Number].names[0])
               : WarpValue::unknownLanes();
  };
  const StringRef Name = I.name();
  if (any_of(I.opcode, [](StringRef Part) {
        return Part == "f16" || Part == "f32" || Part == "f64" || Part == "f16x2";
      }))
    return std::nullopt;
  const unsigned Bits = typeBits(I) ? typeBits(I) : 64;
  const bool Signed =
      any_of(I.opcode, [](StringRef Part) { return Part.size() > 1 && Part[0] == 's' && isDigit(Part[1]); });
  if (Bits > 64)
    return std::nullopt;
  if (Name == "mov" || Name == "cvta")
    return In(1);
  if (Name == "cvt" && I.opcode.size() == 3) {
    const StringRef From = I.opcode[2], To = I.opcode[1];
    unsigned FromBits = 0, ToBits = 0;
    if (From.drop_front(1).getAsInteger(10, FromBits) || To.drop_front(1).getAsInteger(10, ToBits))
      return std::nullopt;
    return ToBits < FromBits ? W.truncate(In(1), ToBits)
           : From[0] == 'u'  ? W.zeroExtend(In(1), FromBits)
                             : In(1);
  }
  const bool Wide = I.has("wide");
  if (Name == "add" && I.opcode.size() == 2)
    return W.add(In(1), In(2), Bits, Signed);
  if (Name == "sub" && I.opcode.size() == 2)
    return W.sub(In(1), In(2), Bits, Signed);
  if ((Name == "mul" || Name == "mad") && (I.has("lo") || Wide) && !I.has("cc")) {
    WarpValue A = In(1), B = In(2);
    if (Wide && !Signed)
      A = W.zeroExtend(A, Bits), B = W.zeroExtend(B, Bits);
    const unsigned Width = Wide ? 2 * Bits : Bits;
    WarpValue Product = W.mul(A, B, Width, Wide || Signed);
    return Name == "mul" ? Product : W.add(Product, In(3), Width, Signed);
  }
  if (Name == "shl")
    return W.shiftLeft(In(1), In(2), Bits, false);
  if (Name == "shr")
    return W.shiftRight(In(1), In(2), Bits, Signed);
  if (Name == "and" || Name == "or" || Name == "xor")
    return W.bitwise(Name == "and"  ? index::Op::And
                     : Name == "or" ? index::Op::Or
                                    : index::Op::Xor,
                     In(1), In(2), Bits);
  if ((Name == "min" || Name == "max") && I.opcode.size() == 2)
    return W.minimumMaximum(Name == "max", Signed, In(1), In(2), Bits);
  if (Name == "setp" && I.opcode.size() == 3) {
    const StringRef Test = I.opcode[1];
    const bool Unsigned =
        I.opcode[2].starts_with("u") || Test == "lo" || Test == "ls" || Test == "hi" || Test == "hs";
    const bool Swap = Test == "gt" || Test == "ge" || Test == "hi" || Test == "hs";
    const bool Less = Test == "lt" || Test == "gt" || Test == "lo" || Test == "hi";
    const index::Op Op = Test == "eq"   ? index::Op::Eq
                         : Test == "ne" ? index::Op::Ne
                         : Less         ? (Unsigned ? index::Op::ULt : index::Op::Lt)
                                        : (Unsigned ? index::Op::ULe : index::Op::Le);
    return Swap ? W.compare(Op, In(2), In(1), Bits) : W.compare(Op, In(1), In(2), Bits);
  }
  if (Name == "selp")
    return W.select(W.pin(In(3)), In(1), In(2));
  return std::nullopt;
}

/// The lanes that a predicate lets take part, all of them where it is data, which `Soft` then says.
LaneMask Machine::predicateLanes(AssemblyState &S, const PtxInstruction &I, AssumptionSet &Soft) {
  if (I.predicate.empty())
    return S.frame.mask;
  WarpValue P = W.pin(readRegister(S, I.predicate));
  Soft |= P.soft;
  LaneMask Take = 0;
  forLanes(S.frame.mask & ~P.unknown, [&](unsigned L) {
    if ((P.at(L) != 0) != I.predicateNegated)
      Take |= LaneMask(1) << L;
  });
  if (P.unknown & S.frame.mask) {
    Soft |= W.bit(W.assume({Assumption::Sentence, "the predicate in the assembly at " + placeOf(S.call) +
                                                      " depends on data: it is taken to hold"}));
    Take |= S.frame.mask & P.unknown;
  }
  return Take;
}

void Machine::assemblyAccess(AssemblyState &S, const PtxInstruction &I, const PtxAccess &A) {
  Frame &F = S.frame;
  const unsigned Component = S.accesses++;
  auto Record = [&](unsigned Number, unsigned Width, Operation Does, Mechanism How, unsigned Side,
                    const std::string &Reason) {
    const PtxOperand &Operand = I.operands[Number];
    const StringRef Register = Operand.names.empty() ? StringRef() : Operand.names[0];
    Knowledge Known;
    Known.reason = Reason;
    Known.offset = Operand.offset;
    unsigned Place = 0; // an operand of the statement, not a register that the assembly computes
    if (!S.registers.count(Register) && Register.starts_with("$") &&
        !Register.drop_front().getAsInteger(10, Place) && Place < S.argument.size() && S.argument[Place] >= 0)
      Known.address = S.call.getArgOperand(unsigned(S.argument[Place]));
    const WarpValue Pointer = W.add(readRegister(S, Register), WarpValue::constant(Operand.offset), 64, true);
    recordAccess(F, S.call, Pointer, Width, Does, How, Side + Component, Known);
  };
  switch (A.kind) {
  case PtxAccess::Opaque: {
    const bool Copies =
        I.name() == "cp" && I.operands.size() > 1 && I.operands[0].address && I.operands[1].address;
    Record(A.address, A.width, Copies ? Operation::Store : A.operation, Mechanism::Plain,
           Copies ? WrittenSide : 0, A.reason);
    if (Copies)
      Record(1, A.width, Operation::Load, Mechanism::Plain, 0, A.reason);
    return;
  }
  case PtxAccess::Matrix: {
    const LaneMask Rows = A.lanes >= 32 ? AllLanes : (LaneMask(1) << A.lanes) - 1;
    const LaneMask All = std::exchange(F.mask, F.mask & Rows);
    if (F.mask)
      Record(A.address, A.width, A.operation, Mechanism::Ldmatrix, 0, "");
    F.mask = All;
    return;
  }
  case PtxAccess::Copy: {
    WarpValue Size = readRegister(S, I.operands[2].names.empty() ? "" : I.operands[2].names[0]);
    const bool Known = Size.uniform && Size.known() && !Size.soft && !Size.shift &&
                       (Size.lane[0] == 4 || Size.lane[0] == 8 || Size.lane[0] == 16);
    const unsigned Bytes = Known ? unsigned(Size.lane[0]) : 0;
    const char *Reason = Known ? "" : "the size of the copy is not known";
    // Bytes beyond the source size are filled with zeroes: lanes with none read nothing.
    const LaneMask All = F.mask;
    const AssumptionSet Control = F.control;
    if (I.operands.size() > 3 && !I.operands[3].names.empty() && !I.has("L2::cache_hint")) {
      WarpValue Source = W.pin(readRegister(S, I.operands[3].names[0]));
      if (Source.unknown & All)
        F.control |=
            W.bit(W.assume({Assumption::Sentence, "the source size of the copy at " + placeOf(S.call) +
                                                      " depends on data: it is taken to be the whole"}));
      F.control |= Source.soft;
      forLanes(All & ~Source.unknown, [&](unsigned L) {
        if (Source.at(L) == 0)
          F.mask &= ~(LaneMask(1) << L);
      });
    }
    if (F.mask)
      Record(1, Bytes, Operation::Load, Mechanism::CpAsync, 0, Reason);
    F.mask = All;
    F.control = Control;
    Record(0, Bytes, Operation::Store, Mechanism::CpAsync, WrittenSide, Reason);
    return;
  }
  case PtxAccess::Plain:
    Record(A.address, A.width, A.operation, Mechanism::Plain, 0, "");
  }
}

bool Machine::assembly(Frame &F, const CallBase &C, WarpValue &Result) {
  const auto *Asm = cast<InlineAsm>(C.getCalledOperand());
  AssemblyState S{F, C, {}, {}, {}, 0};
  unsigned Arguments = 0, Outputs = 0;
  const InlineAsm::ConstraintInfoVector Constraints = Asm->ParseConstraints();
  for (const InlineAsm::ConstraintInfo &Each : Constraints) {
    if (Each.Type == InlineAsm::isClobber || Each.Type == InlineAsm::isLabel)
      continue;
    const bool IsOutput = Each.Type == InlineAsm::isOutput && !Each.isIndirect;
    S.output.push_back(IsOutput ? int(Outputs++) : -1);
    S.argument.push_back(IsOutput ? -1 : int(Arguments++));
  }
  for (auto [Number, Each] : enumerate(Constraints)) // "+r": the value that goes in is another argument
    if (Number < S.argument.size() && Each.hasMatchingInput() &&
        size_t(Each.MatchingInput) < S.argument.size())
      S.argument[Number] = S.argument[size_t(Each.MatchingInput)];

  bool OperandsUniform = true;
  for (const Use &U : C.args())
    OperandsUniform &= operand(F, U).uniform;
  bool Understood = true;
  for (const PtxInstruction &I : parsePtx(Asm->getAsmString())) {
    AssumptionSet Soft = 0;
    const LaneMask All = F.mask, Take = predicateLanes(S, I, Soft);
    WarpValue Value;
    const auto Access = accessOf(I);
    bool Writes = !I.operands.empty() && !I.operands[0].address;
    if (Access) {
      const AssumptionSet Control = F.control;
      F.control |= Soft;
      F.mask = Take;
      if (Take)
        assemblyAccess(S, I, *Access);
      F.mask = All;
      F.control = Control;
      Writes &= Access->operation == Operation::Load || I.name() == "atom";
      if (Access->operation != Operation::Load || Access->kind == PtxAccess::Copy)
        ++Epoch;
      const bool Same = Access->kind == PtxAccess::Plain && Access->operation == Operation::Load &&
                        !I.operands[Access->address].names.empty() &&
                        W.isUniform(readRegister(S, I.operands[Access->address].names[0]), F.mask);
      Value = Same ? WarpValue::unknownUniform() : WarpValue::unknownLanes();
    } else if (auto Known = assemblyValue(S, I)) {
      Value = *Known;
    } else {
      // As its operands are, but for what tells lanes apart.
      const bool Lanes = StringSwitch<bool>(I.name()).Cases({"elect", "shfl", "match"}, true).Default(false);
      bool Same = OperandsUniform && !Lanes;
      for (size_t Number = 1; Number < I.operands.size(); ++Number)
        for (StringRef Register : I.operands[Number].names)
          Same &= readRegister(S, Register).uniform;
      if (I.name() == "vote" || I.name() == "activemask")
        Same = true;
      Value = Same ? WarpValue::unknownUniform() : WarpValue::unknownLanes();
      Understood &= none_of(I.operands, [](const PtxOperand &O) { return O.address; });
    }
    if (!Writes)
      continue;
    Value.soft |= Soft;
    Value.words = {};
    for (StringRef Register : I.operands[0].names) {
      if (I.operands[0].names.size() > 1 && !Access)
        Value = WarpValue::unknownLanes(); // packed
      const auto [First, Second] = Register.split('|');
      S.registers[First] = Take == All ? Value : W.merge(readRegister(S, First), Value, Take);
      if (!Second.empty()) // the other predicate of setp
        S.registers[Second] = WarpValue::unknownLanes();
    }
  }

  std::vector<WarpValue> Results(Outputs, WarpValue::unknownLanes());
  for (auto [Number, Output] : enumerate(S.output))
    if (Output >= 0)
      Results[size_t(Output)] = readRegister(S, "$" + utostr(Number));
  for (auto [Number, Value] : enumerate(Results)) {
    const Type *T =
        C.getType()->isStructTy() ? C.getType()->getStructElementType(unsigned(Number)) : C.getType();
    if (!T->isIntegerTy() && !T->isPointerTy())
      Value = Value.uniform ? WarpValue::unknownUniform() : WarpValue::unknownLanes();
    if ((Value.unknown & F.mask) && !Value.why)
      Value.why = causeOf(C, S.accesses ? Cause::Memory : Cause::Assembly);
  }
  if (C.getType()->isAggregateType())
    F.aggregates[F.info->slot.lookup(&C)] = std::move(Results);
  else if (Outputs == 1)
    Result = Results[0];
  if (C.mayHaveSideEffects())
    ++Epoch;
  return Understood;
}
