#include "tools/replay/runtime/Memory.h"
#include <cstdlib>

using namespace warplint::replay;

static constexpr uint64_t Alignment = 256;
/// Between two objects, so that an index just outside one is not inside the next.
static constexpr uint64_t RedZone = 256;

std::string Object::describe() const {
  const std::string Bytes = std::to_string(size) + " bytes";
  switch (kind) {
  case ObjectKind::Variable:
    return std::string("variable ") + (name ? name : "?");
  case ObjectKind::Constant:
    return std::string("constant variable ") + (name ? name : "?");
  case ObjectKind::Managed:
    return "managed allocation of " + Bytes;
  case ObjectKind::Host:
    return "host allocation of " + Bytes;
  case ObjectKind::Registered:
    return "registered host memory of " + Bytes;
  case ObjectKind::Heap:
    return "device heap allocation of " + Bytes;
  case ObjectKind::Device:
    break;
  }
  return "allocation of " + Bytes;
}

void *Memory::allocate(uint64_t Size, ObjectKind Kind) {
  if (Size > uint64_t(1) << 46)
    return nullptr;
  const uint64_t Whole = (Size + Alignment - 1) / Alignment * Alignment + 2 * RedZone;
  void *Block = std::aligned_alloc(Alignment, Whole);
  if (!Block)
    return nullptr;
  const uint64_t Begin = uint64_t(Block) + RedZone;
  Objects[Begin] = {Begin, Size, Kind, Block, nullptr, Made++};
  return reinterpret_cast<void *>(Begin);
}

bool Memory::release(void *Pointer) {
  auto It = Objects.find(uint64_t(Pointer));
  if (It == Objects.end() || !It->second.block)
    return false;
  std::free(It->second.block);
  Objects.erase(It);
  Recent.fill(nullptr);
  return true;
}

void Memory::add(uint64_t Begin, uint64_t Size, ObjectKind Kind, const char *Name) {
  Objects[Begin] = {Begin, Size, Kind, nullptr, Name, Made++};
}

bool Memory::remove(uint64_t Begin, ObjectKind Kind) {
  auto It = Objects.find(Begin);
  if (It == Objects.end() || It->second.kind != Kind)
    return false;
  Objects.erase(It);
  Recent.fill(nullptr);
  return true;
}

const Object *Memory::find(uint64_t Address) const {
  auto It = Objects.upper_bound(Address);
  if (It == Objects.begin())
    return nullptr;
  --It;
  return Address - It->second.begin < It->second.size ? &It->second : nullptr;
}

const Object *Memory::nearest(uint64_t Address) const {
  if (Objects.empty())
    return nullptr;
  auto Above = Objects.lower_bound(Address);
  if (Above == Objects.begin())
    return &Above->second;
  auto Below = std::prev(Above);
  if (Above == Objects.end())
    return &Below->second;
  const uint64_t Behind = Address >= Below->second.end() ? Address - Below->second.end() : 0;
  return Above->first - Address < Behind ? &Above->second : &Below->second;
}

uint64_t Memory::bytesOf(ObjectKind Kind) const {
  uint64_t Sum = 0;
  for (const auto &[Begin, O] : Objects)
    Sum += O.kind == Kind ? O.size : 0;
  return Sum;
}

std::string warplint::replay::describeDistance(const Object *Nearest, uint64_t Address, uint64_t Width) {
  if (Address < 4096)
    return "a null pointer";
  /// Farther than this says nothing about the object.
  constexpr uint64_t Near = uint64_t(1) << 32;
  if (!Nearest)
    return "nothing is allocated";
  const bool Before = Address < Nearest->begin;
  const uint64_t Offset = Before ? Nearest->begin - Address : Address - Nearest->begin;
  if (Offset > Nearest->size + Near)
    return "no allocation is near";
  std::string Text;
  if (Before)
    Text = std::to_string(Offset) + " bytes before the start of ";
  else if (Address >= Nearest->end())
    Text = std::to_string(Address - Nearest->end()) + " bytes behind the end of ";
  else
    Text = "over the end of ";
  const std::string Name = Nearest->describe();
  Text += (Nearest->name ? "" : Name[0] == 'a' ? "an " : "a ") + Name;
  if (Nearest->name)
    Text += " of " + std::to_string(Nearest->size) + " bytes";
  if (Width && Offset % Width == 0 && Nearest->size % Width == 0)
    Text += std::string(" (element ") + (Before ? "-" : "") + std::to_string(Offset / Width) + " of " +
            std::to_string(Nearest->size / Width) + ")";
  return Text;
}
