#include "tools/replay/runtime/Recorder.h"
#include <algorithm>
#include <bit>
#include <tuple>

using namespace warplint;
using namespace warplint::replay;

/// Sets of arguments that a kernel's launches are told apart by.
static constexpr unsigned MaxVariants = 64;

//===-- Configurations ------------------------------------------------------===//

static auto tied(const BlockIndex &B) { return std::tie(B.x, B.y, B.z); }

bool Shape::operator<(const Shape &B) const {
  auto Key = [](const Shape &S) {
    return std::tuple(S.kernel, tied(S.grid), tied(S.block), tied(S.cluster), S.dynamicShared, S.anyScalars,
                      std::string_view(S.scalars));
  };
  return Key(*this) < Key(B);
}

Configuration &Recorder::configuration(Shape S) {
  auto It = ByShape.find(S);
  if (It == ByShape.end() && Variants[S.kernel] >= MaxVariants) {
    S.scalars.clear();
    S.anyScalars = true;
    It = ByShape.find(S);
  }
  if (It != ByShape.end())
    return *It->second;
  ++Variants[S.kernel];
  Configuration &New = All.emplace_back();
  New.shape = S;
  ByShape[std::move(S)] = &New;
  return New;
}

namespace {
/// What Site::scratch points to: the counts of the configuration that met the site last.
struct Cached {
  Configuration *owner = nullptr;
  std::array<SiteCounts *, SpaceCount> counts{};
};
} // namespace

SiteCounts &Configuration::countsOf(Site &S, Space Where) {
  auto *Cache = reinterpret_cast<Cached *>(S.scratch);
  if (!Cache) {
    Cache = new Cached; // as long as the site, which is as long as the program
    S.scratch = uint64_t(Cache);
  }
  if (Cache->owner != this)
    *Cache = {this, {}};
  SiteCounts *&Known = Cache->counts[unsigned(Where)];
  if (Known)
    return *Known;
  SiteCounts *&Mine = BySite[{&S, Where}];
  if (!Mine) {
    Mine = &counts.emplace_back();
    Mine->site = &S;
    Mine->space = Where;
  }
  return *(Known = Mine);
}

//===-- Open requests -------------------------------------------------------===//

void OpenRequests::begin(Configuration &C, BlockIndex B, uint32_t W) {
  Config = &C;
  Block = B;
  Warp = W;
  Begun = 0;
}

static uint64_t hashOf(const Site *S, uint64_t Key, Space Where) {
  return (Key ^ uint64_t(S) ^ uint64_t(Where) << 60) * 0x9E3779B97F4A7C15u;
}

void OpenRequests::add(const LaneAccess &A, uint32_t Expected) {
  if (Slots.empty() || 2 * (Used + 1) > Slots.size())
    growSlots();
  const uint32_t Bit = uint32_t(1) << A.lane;
  size_t Slot = home(hashOf(A.site, A.key, A.space));
  for (;; Slot = (Slot + 1) & (Slots.size() - 1)) {
    if (!Slots[Slot])
      break;
    Open &O = Pool[Slots[Slot] - 1];
    if (O.key != A.key || O.site != A.site || O.space != A.space)
      continue;
    if (O.mask & Bit) {
      // The same lane again with the same key: the key does not tell the two apart, time does.
      ++Config->duplicates;
      count(O);
      O.mask = 0;
      setObject(O, A.object);
      O.order = Begun++;
    }
    O.address[A.lane] = A.offset;
    if (A.object && O.objectBegin != A.object->begin && !O.severalObjects) {
      // From addresses in one object to absolute ones.
      for (uint32_t Left = O.mask; Left; Left &= Left - 1)
        O.address[unsigned(std::countr_zero(Left))] += int64_t(O.objectBase);
      O.severalObjects = true;
    }
    if (O.severalObjects && A.object)
      O.address[A.lane] += int64_t(A.object->base());
    O.mask |= Bit;
    if ((O.mask & Expected) == Expected) {
      count(O);
      erase(Slot);
    }
    return;
  }
  const uint32_t Index = take();
  Open &O = Pool[Index];
  O.site = A.site;
  O.key = A.key;
  setObject(O, A.object);
  O.mask = Bit;
  O.order = Begun++;
  O.space = A.space;
  O.address.fill(0);
  O.address[A.lane] = A.offset;
  if ((Bit & Expected) == Expected) {
    count(O);
    Free.push_back(Index);
    return;
  }
  Slots[Slot] = Index + 1;
  ++Used;
}

void OpenRequests::setObject(Open &O, const Object *From) {
  O.severalObjects = false;
  O.objectBegin = From ? From->begin : 0;
  O.objectBase = From ? From->base() : 0;
  O.objectSize = From ? From->size : 0;
  O.objectName = From ? From->name : nullptr;
}

uint32_t OpenRequests::take() {
  if (Free.empty()) {
    Pool.emplace_back();
    return uint32_t(Pool.size() - 1);
  }
  const uint32_t Index = Free.back();
  Free.pop_back();
  return Index;
}

/// Frees a slot, and moves up what had to be put behind it.
void OpenRequests::erase(size_t Slot) {
  Free.push_back(Slots[Slot] - 1);
  --Used;
  const size_t Mask = Slots.size() - 1;
  size_t Hole = Slot;
  for (size_t Next = (Slot + 1) & Mask; Slots[Next]; Next = (Next + 1) & Mask) {
    const Open &O = Pool[Slots[Next] - 1];
    const size_t Home = home(hashOf(O.site, O.key, O.space));
    if (((Next - Home) & Mask) < ((Next - Hole) & Mask))
      continue; // it is at its home, or between it and the hole
    Slots[Hole] = Slots[Next];
    Hole = Next;
  }
  Slots[Hole] = 0;
}

void OpenRequests::growSlots() {
  std::vector<uint32_t> Old(std::max<size_t>(64, Slots.size() * 2));
  Old.swap(Slots);
  Used = 0;
  for (uint32_t Index : Old)
    if (Index)
      insert(Index);
}

void OpenRequests::flush(uint32_t Lanes) {
  std::vector<std::pair<uint32_t, size_t>> InOrder; // so that the worst of equals does not hang on hashes
  for (size_t Slot = 0; Used && Slot < Slots.size(); ++Slot)
    if (Slots[Slot] && (Pool[Slots[Slot] - 1].mask & Lanes))
      InOrder.push_back({Pool[Slots[Slot] - 1].order, Slots[Slot] - 1});
  if (InOrder.empty())
    return;
  std::sort(InOrder.begin(), InOrder.end());
  for (auto [Order, Index] : InOrder) {
    count(Pool[Index]);
    Pool[Index].mask = 0;
  }
  // What stays finds its place again.
  std::vector<uint32_t> Old(Slots.size());
  Old.swap(Slots);
  Used = 0;
  for (uint32_t Index : Old) {
    if (!Index)
      continue;
    if (Pool[Index - 1].mask)
      insert(Index);
    else
      Free.push_back(Index - 1);
  }
}

/// Into a slot of its own; there is room.
void OpenRequests::insert(uint32_t IndexPlusOne) {
  const Open &O = Pool[IndexPlusOne - 1];
  size_t Slot = home(hashOf(O.site, O.key, O.space));
  while (Slots[Slot])
    Slot = (Slot + 1) & (Slots.size() - 1);
  Slots[Slot] = IndexPlusOne;
  ++Used;
}

void OpenRequests::count(Open &O) {
  model::Request R;
  R.address = O.address;
  R.active = O.mask;
  R.width = O.site->width;
  Config->countsOf(*O.site, O.space).add(R, [&] {
    if (O.severalObjects)
      return Whereabouts{Block, Warp, nullptr, 0, 0};
    return Whereabouts{Block, Warp, O.objectName, O.objectBegin, O.objectSize};
  });
}
