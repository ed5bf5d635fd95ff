//===-- Memory.h - What device code may touch ---------------------------------*- C++ -*-===//
//
// Every object that has an address of its own on the device: allocations of all kinds and variables. Objects
// of the runtime's own making are 256-byte aligned, as cudaMalloc's are, with room between them that belongs
// to nobody.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_TOOLS_REPLAY_RUNTIME_MEMORY_H
#define WARPLINT_TOOLS_REPLAY_RUNTIME_MEMORY_H

#include <array>
#include <cstdint>
#include <map>
#include <string>

namespace warplint::replay {

enum class ObjectKind : uint8_t {
  Device,     ///< cudaMalloc and its kin
  Managed,    ///< cudaMallocManaged
  Host,       ///< cudaMallocHost, cudaHostAlloc
  Registered, ///< cudaHostRegister: the program's own memory
  Heap,       ///< malloc and new in device code
  Variable,   ///< __device__, __managed__
  Constant,   ///< __constant__
};

struct Object {
  uint64_t begin = 0, size = 0;
  ObjectKind kind = ObjectKind::Device;
  void *block = nullptr; ///< what the runtime got from the host's heap; null when the memory is not its own
  const char *name = nullptr; ///< of a variable
  uint64_t number = 0;        ///< in order of creation

  uint64_t end() const { return begin + size; }
  bool contains(uint64_t Address, uint64_t Bytes) const {
    return Address >= begin && Address - begin <= size && Bytes <= size - (Address - begin);
  }
  /// What addresses are counted from where alignment matters: the object's start, but for memory whose
  /// alignment is the program's.
  uint64_t base() const { return kind == ObjectKind::Registered ? begin & ~uint64_t(255) : begin; }
  /// "allocation of 4096 bytes", "variable table".
  std::string describe() const;
};

class Memory {
public:
  /// Null when the host has no room for it. Size 0 gives an object that nothing may be read from.
  void *allocate(uint64_t Size, ObjectKind);
  /// False when no allocation of the runtime's begins there.
  bool release(void *);
  /// Memory that somebody else owns.
  void add(uint64_t Begin, uint64_t Size, ObjectKind, const char *Name);
  bool remove(uint64_t Begin, ObjectKind);

  /// The object that has this address; null when there is none.
  const Object *find(uint64_t Address) const;
  /// The same, quick when what has the same hint is mostly in the same object.
  const Object *find(uint64_t Address, uint64_t Hint) {
    const Object *&Known = Recent[Hint % Recent.size()];
    if (Known && Address - Known->begin < Known->size)
      return Known;
    if (const Object *Found = find(Address))
      return Known = Found;
    return nullptr;
  }
  /// The object that is nearest to an address that no object has.
  const Object *nearest(uint64_t Address) const;
  uint64_t bytesOf(ObjectKind) const;

private:
  std::map<uint64_t, Object> Objects;
  std::array<const Object *, 256> Recent{};
  uint64_t Made = 0;
};

/// The sentence about an access outside: "8 bytes behind the end of an allocation of 4096 bytes (element 1026
/// of 1024)".
std::string describeDistance(const Object *Nearest, uint64_t Address, uint64_t Width);

} // namespace warplint::replay

#endif
