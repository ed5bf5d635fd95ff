//===-- runtime.cpp - Counts the requests of a kernel that runs on the CPU ------------------===//
//
// Not instrumented itself. The counting follows the description of the hardware, not the tool's code.
//
//===----------------------------------------------------------------------------------------===//
#include "host.h"
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <sys/mman.h>
#include <tuple>
#include <vector>

extern "C" char __start_warp_shared[], __stop_warp_shared[];
__attribute__((section("warp_shared"), used, aligned(128))) static char Anchor[128]; // the section exists

namespace truth {
namespace {
struct Key {
  uintptr_t pc;
  bool shared, store;
  unsigned width;
  auto operator<=>(const Key &) const = default;
};
struct Cost {
  bool seen = false;
  std::tuple<unsigned, unsigned, unsigned, int> rank;
  unsigned lines = 0, sectors = 0, ideal = 0, ways = 0, wavefronts = 0, lanes = 0;
  uint64_t requests = 0, allSectors = 0, allIdeal = 0, allWavefronts = 0;
};
using Request = std::vector<std::pair<unsigned, uintptr_t>>; ///< lane, address
std::map<Key, std::vector<Request>> warp;             ///< by occurrence
std::map<Key, unsigned> occurrence;                   ///< of the running thread
std::map<Key, Cost> costs;
unsigned lane;
bool running = false;

/// Most distinct words in one bank over the given lanes.
unsigned ways(const Request &R, unsigned Width, uint32_t Lanes) {
  std::map<unsigned, std::set<uintptr_t>> Banks;
  for (auto [L, A] : R)
    if (Lanes >> L & 1)
      for (uintptr_t W = A / 4; W <= (A + Width - 1) / 4; ++W)
        Banks[W % 32].insert(W);
  unsigned Most = 0;
  for (auto &[B, Words] : Banks)
    Most = max(Most, unsigned(Words.size()));
  return Most;
}

/// Every active lane's partner (lane xor Distance) is inactive or reads the same address.
bool paired(const Request &R, unsigned Distance) {
  std::map<unsigned, uintptr_t> At(R.begin(), R.end());
  for (auto [L, A] : R)
    if (auto It = At.find(L ^ Distance); It != At.end() && It->second != A)
      return false;
  return true;
}

void fold(const Key &K, const Request &R) {
  Cost &C = costs[K];
  const unsigned Active = unsigned(R.size());
  unsigned Lines = 0, Sectors = 0, Ideal = 0, Ways = 0, Wavefronts = 0;
  if (K.shared) {
    std::vector<uint32_t> Phases = K.width <= 4   ? std::vector<uint32_t>{~0u}
                                   : K.width == 8 ? std::vector<uint32_t>{0xffff, 0xffff0000}
                                                  : std::vector<uint32_t>{0xff, 0xff00, 0xff0000, 0xff000000};
    if (K.width > 4 && !K.store && (paired(R, 1) || paired(R, 2)))
      Phases = K.width == 8 ? std::vector<uint32_t>{~0u} : std::vector<uint32_t>{0xffff, 0xffff0000};
    for (uint32_t P : Phases) {
      unsigned W = ways(R, K.width, P);
      Ways = max(Ways, W);
      Wavefronts += W;
    }
  } else {
    std::set<uintptr_t> L, S;
    for (auto [Lane, A] : R)
      for (uintptr_t B = A; B < A + K.width; ++B)
        L.insert(B / 128), S.insert(B / 32);
    Lines = unsigned(L.size()), Sectors = unsigned(S.size()), Ideal = (Active * K.width + 31) / 32;
  }
  std::tuple<unsigned, unsigned, unsigned, int> Rank =
      K.shared ? std::tuple(0u, Ways, Wavefronts, 0) : std::tuple(unsigned(Sectors > Ideal), Sectors, Lines, -int(Active));
  if (!C.seen || Rank > C.rank) {
    C.seen = true, C.rank = Rank, C.lines = Lines, C.sectors = Sectors, C.ideal = Ideal, C.ways = Ways;
    C.wavefronts = Wavefronts, C.lanes = Active;
  }
  ++C.requests, C.allSectors += Sectors, C.allIdeal += Ideal, C.allWavefronts += Wavefronts;
}

void access(void *Address, uintptr_t PC, unsigned Width, bool Store) {
  if (!running)
    return;
  uintptr_t A = reinterpret_cast<uintptr_t>(Address);
  bool Shared = Address >= __start_warp_shared && Address < __stop_warp_shared;
  bool Global = A >= GlobalBase && A < GlobalBase + Buffers * GlobalRoom;
  if (!Shared && !Global)
    return; // the thread's own
  Key K{PC, Shared, Store, Width};
  unsigned N = occurrence[K]++;
  auto &Requests = warp[K];
  if (Requests.size() <= N)
    Requests.resize(N + 1);
  Requests[N].push_back({lane, A});
}


std::string Kernel;

void foldWarp() {
  for (auto &[K, Requests] : warp)
    for (const Request &R : Requests)
      fold(K, R);
  warp.clear();
}
} // namespace

void begin(const char *Name) {
  static bool Prepared = [] {
    void *Want = reinterpret_cast<void *>(GlobalBase);
    if (mmap(Want, Buffers * GlobalRoom, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) != Want)
      std::abort();
    return true;
  }();
  (void)Prepared;
  Kernel = Name;
  costs.clear();
}
void thread(unsigned Linear) {
  if (Linear % 32 == 0)
    foldWarp();
  lane = Linear % 32;
  occurrence.clear();
  running = true;
}
void endThread() { running = false; }
void endBlock() { foldWarp(); }
void end() {
  for (auto &[K, C] : costs)
    std::printf("%s 0x%zx %s %s %u %u %u %u %u %u %u %llu %llu %llu %llu\n", Kernel.c_str(), size_t(K.pc),
                K.shared ? "shared" : "global", K.store ? "store" : "load", K.width, C.lines, C.sectors, C.ways,
                C.wavefronts, C.lanes, C.ideal, (unsigned long long)C.requests, (unsigned long long)C.allSectors,
                (unsigned long long)C.allIdeal, (unsigned long long)C.allWavefronts);
}
} // namespace truth

#define HOOK(Kind, Store, Width)                                                                              \
  extern "C" void __sanitizer_cov_##Kind##Width(void *A) {                                                    \
    truth::access(A, reinterpret_cast<uintptr_t>(__builtin_return_address(0)) - 1, Width, Store);              \
  }
extern "C" void __sanitizer_cov_trace_pc() {} // asked for with the others
HOOK(load, false, 1)
HOOK(load, false, 2)
HOOK(load, false, 4)
HOOK(load, false, 8)
HOOK(load, false, 16)
HOOK(store, true, 1)
HOOK(store, true, 2)
HOOK(store, true, 4)
HOOK(store, true, 8)
HOOK(store, true, 16)
