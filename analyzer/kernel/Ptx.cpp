#include "analyzer/kernel/Ptx.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace warplint;
using namespace warplint::kernel;
using warplint::result::Operation;
using warplint::result::Space;

bool PtxInstruction::has(StringRef Part) const { return is_contained(opcode, Part); }

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// The text up to `End` outside brackets and braces; `Text` becomes what follows it.
static StringRef takeItem(StringRef &Text, char End) {
  unsigned Depth = 0;
  for (size_t I = 0; I < Text.size(); ++I) {
    const char C = Text[I];
    if (C == '{' || C == '[' || C == '(')
      ++Depth;
    else if ((C == '}' || C == ']' || C == ')') && Depth)
      --Depth;
    else if (C == End && !Depth) {
      StringRef Item = Text.take_front(I);
      Text = Text.drop_front(I + 1);
      return Item;
    }
  }
  return std::exchange(Text, {});
}

static PtxOperand parseOperand(StringRef Text) {
  PtxOperand Operand;
  Text = Text.trim();
  Operand.address = Text.consume_front("[");
  if (Operand.address)
    Text = Text.take_until([](char C) { return C == ']'; });
  if (Text.consume_front("{"))
    Text = Text.take_until([](char C) { return C == '}'; });
  while (!Text.empty()) {
    StringRef Item = takeItem(Text, ',').trim();
    if (Operand.address && Operand.names.empty()) {
      auto [Register, Offset] = Item.split('+');
      Item = Register.trim();
      Offset.trim().getAsInteger(0, Operand.offset);
    }
    Operand.names.push_back(Item);
  }
  return Operand;
}

std::vector<PtxInstruction> kernel::parsePtx(StringRef Text) {
  std::vector<PtxInstruction> Result;
  // Scopes bring nothing but names of their own; vectors' braces stand inside an instruction.
  auto Blank = [](char C) { return isSpace(C); };
  while (!Text.empty()) {
    Text = Text.drop_while(Blank);
    if (Text.consume_front("{") || Text.consume_front("}") || Text.consume_front(";"))
      continue;
    if (Text.consume_front("//")) {
      Text = Text.drop_until([](char C) { return C == '\n'; });
      continue;
    }
    StringRef Statement = takeItem(Text, ';').trim();
    if (Statement.empty() || Statement.starts_with("."))
      continue; // declarations
    PtxInstruction Instruction;
    StringRef Word = Statement.take_until(Blank);
    while (Word.ends_with(":")) { // labels
      Statement = Statement.drop_front(Word.size()).ltrim();
      Word = Statement.take_until(Blank);
    }
    if (Statement.consume_front("@")) {
      Instruction.predicateNegated = Statement.consume_front("!");
      Instruction.predicate = Statement.take_until(Blank);
      Statement = Statement.drop_front(Instruction.predicate.size()).ltrim();
    }
    StringRef Opcode = Statement.take_until([](char C) { return isSpace(C) || C == '[' || C == '{'; });
    Opcode.split(Instruction.opcode, '.');
    StringRef Operands = Statement.drop_front(Opcode.size());
    while (!Operands.trim().empty())
      Instruction.operands.push_back(parseOperand(takeItem(Operands, ',')));
    Result.push_back(std::move(Instruction));
  }
  return Result;
}

//===----------------------------------------------------------------------===//
// Meaning
//===----------------------------------------------------------------------===//

static std::optional<unsigned> bitsOfType(StringRef Part) {
  unsigned Number = 0, Count = 1;
  if (Part == "pred")
    return 1;
  Part.consume_front("b"); // bf16, and b32
  if (Part.empty() || (!isDigit(Part[0]) && !StringRef("usfe").contains(Part[0])))
    return std::nullopt;
  auto [Type, Lanes] = Part.split('x');
  if (!Lanes.empty() && Lanes.getAsInteger(10, Count))
    return std::nullopt;
  if (Type.drop_while([](char C) { return isAlpha(C); }).getAsInteger(10, Number) || Number < 8 ||
      Number > 128)
    return std::nullopt;
  return Number * Count;
}

unsigned kernel::typeBits(const PtxInstruction &I) {
  for (StringRef Part : reverse(I.opcode))
    if (auto Bits = bitsOfType(Part))
      return *Bits;
  return 0;
}

static unsigned vectorLength(const PtxInstruction &I) {
  return I.has("v2") ? 2 : I.has("v4") ? 4 : I.has("v8") ? 8 : 1;
}

static Space spaceOf(const PtxInstruction &I) {
  for (StringRef Part : I.opcode) {
    if (Part.starts_with("shared"))
      return Space::Shared;
    if (Part == "global")
      return Space::Global;
    if (Part == "const")
      return Space::Constant;
    if (Part == "local")
      return Space::Local;
  }
  return Space::Unknown;
}

static std::optional<unsigned> addressOperand(const PtxInstruction &I) {
  for (auto [Number, Operand] : enumerate(I.operands))
    if (Operand.address)
      return unsigned(Number);
  return std::nullopt;
}

std::optional<PtxAccess> kernel::accessOf(const PtxInstruction &I) {
  const StringRef Name = I.name();
  const auto Address = addressOperand(I);
  if (!Address)
    return std::nullopt;
  PtxAccess A;
  A.address = *Address;
  A.space = spaceOf(I);
  A.width = typeBits(I) / 8 * vectorLength(I);
  auto Opaque = [&](const char *Reason, Operation Does = Operation::Load) {
    A.kind = PtxAccess::Opaque;
    A.operation = Does;
    A.reason = Reason;
    return A;
  };
  const bool Store = Name.starts_with("st") || Name.starts_with("sust"),
             Reduces = Name == "red" || Name == "atom" || Name.starts_with("sured");
  const Operation Does = Reduces ? Operation::Atomic : Store ? Operation::Store : Operation::Load;
  if (I.has("shared::cluster") && !I.has("bulk"))
    return Opaque("shared memory of another block of the cluster is not analysed", Does);
  if (Name.starts_with("tex") || Name == "tld4")
    return Opaque("texture fetches are not analysed: the layout of a texture in memory is not known");
  if (Name.starts_with("suld") || Name.starts_with("sust") || Name.starts_with("sured"))
    return Opaque("surface accesses are not analysed: the layout of a surface in memory is not known", Does);
  if (Name == "wmma" && (I.has("load") || I.has("store")))
    return Opaque("matrix fragments are not analysed: which lane moves which element is not specified",
                  I.has("store") ? Operation::Store : Operation::Load);
  if (Name == "multimem" || (Name == "cp" && I.has("reduce")))
    return Opaque("reductions of several devices or blocks are not analysed", Operation::Atomic);
  if (Name == "cp" && I.has("bulk"))
    return I.has("prefetch")
               ? std::nullopt
               : std::optional(Opaque("bulk copies (TMA) are not analysed: one lane moves a whole tile"));
  if (Name == "cp" && I.has("async") && I.operands.size() >= 3 && I.operands[0].address &&
      I.operands[1].address) {
    A.kind = PtxAccess::Copy;
    A.width = 0; // an operand
    return A;
  }
  if (Name == "ldmatrix" || Name == "stmatrix") {
    A.operation = Name == "ldmatrix" ? Operation::Load : Operation::Store;
    A.space = Space::Shared;
    if (!I.has("m8n8"))
      return Opaque("matrices of this shape are not analysed", A.operation);
    A.kind = PtxAccess::Matrix;
    A.width = 16;
    A.lanes = I.has("x4") ? 32 : I.has("x2") ? 16 : 8;
    return A;
  }
  if (Name == "ld" || Name == "ldu" || Name == "st" || Reduces) {
    if (any_of(I.opcode, [](StringRef Part) { return Part.starts_with("param"); }))
      return std::nullopt;
    A.operation = Does;
    if (!A.width)
      return Opaque("its width is not known", Does);
    return A;
  }
  return std::nullopt;
}
