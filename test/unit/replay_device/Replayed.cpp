#include "Replayed.h"
#include "analyzer/frontend/Frontend.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Support/TargetSelect.h"
#include "gtest/gtest.h"
#include <csetjmp>

using namespace llvm;
using namespace warplint;
using namespace warplint::replay;

Told told;

static const warplint::replay::Module *Registered;
static Thread Current;
static std::vector<std::pair<uint64_t, Request>> Requests; ///< by key, in order
static unsigned CurrentWarp;
static std::jmp_buf AfterUnsupported;

//===----------------------------------------------------------------------===//
// Hooks
//===----------------------------------------------------------------------===//

extern "C" {
Thread *warplintReplayThread = &Current;

void warplintReplayRegister(const warplint::replay::Module *M) { Registered = M; }

void warplintReplayAccess(Site *S, uint64_t Key, const void *Address) {
  const uint64_t Whole = Key + CurrentWarp;
  auto It = find_if(Requests, [&](const auto &R) { return R.first == Whole; });
  if (It == Requests.end())
    It = Requests.insert(Requests.end(), {Whole, {}});
  Request &R = It->second;
  EXPECT_TRUE(!R.site || R.site == S) << "two sites with one key";
  EXPECT_FALSE(R.addresses.active >> Current.lane & 1) << "a lane comes twice with one key";
  R.site = S;
  ++R.lanes;
  R.addresses.width = S->width;
  R.addresses.active |= 1u << Current.lane;
  R.addresses.address[Current.lane] = int64_t(reinterpret_cast<uintptr_t>(Address));
}

void warplintReplayCheck(Site *S, uint64_t Address) {
  told.checks.push_back({S->line, Address});
  S->checked = told.allowed;
}
void warplintReplayCheckRows(Site *S, const void *Address, uint32_t Rows) {
  if (Current.lane < Rows)
    warplintReplayCheck(S, uint64_t(Address));
}

void warplintReplayVolatile(const void *, uint64_t) { ++told.volatileAccesses; }
void warplintReplayAtomic(const void *, uint32_t Failed) {
  ++told.atomics;
  told.failedAtomics += Failed;
}
void warplintReplayMatrixRows(Site *S, uint64_t Key, const void *Address, uint32_t Rows) {
  if (Current.lane < Rows)
    warplintReplayAccess(S, Key, Address);
}
void warplintReplayBarrier(uint32_t, uint32_t) { ++told.barriers; }
void warplintReplaySyncWarp(uint32_t, uint64_t Key) { told.warpKeys.push_back(Key); }
uint64_t warplintReplayShuffle(uint32_t, uint32_t, uint32_t Value, uint32_t, uint32_t, uint64_t Key) {
  told.warpKeys.push_back(Key);
  return Value | uint64_t(1) << 32; // every lane its own
}
uint32_t warplintReplayVote(uint32_t Kind, uint32_t, uint32_t Predicate, uint64_t Key) {
  told.warpKeys.push_back(Key);
  return Kind == 3 ? Predicate << Current.lane : Predicate;
}
uint32_t warplintReplayActiveMask(uint64_t Key) {
  told.warpKeys.push_back(Key);
  return 1u << Current.lane;
}
void warplintReplayYield(void) {}
void warplintReplayTrap(void) { told.unsupported.push_back("trap"); }
void warplintReplayUnsupported(const char *Construct, const char *, uint32_t Line) {
  told.unsupported.push_back(std::to_string(Line) + ": " + Construct);
  std::longjmp(AfterUnsupported, 1);
}
uint32_t warplintReplaySharedAddress(const void *Generic) {
  return uint32_t(static_cast<const char *>(Generic) - Current.shared) + 0x400;
}
void *warplintReplaySharedPointer(uint32_t Address) { return Current.shared + (Address - 0x400); }
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

Replayed::Replayed(StringRef Text, DeviceOptions How) : shared(1 << 16) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  told = {};
  Requests.clear();
  frontend::Options Options;
  Options.noCuda = true;
  Options.hasFixedFlags = true;
  const std::string File = "/replayed/test.cu";
  Options.overlay[File] = Text.str();
  Expected<frontend::Command> Command = frontend::commandFor(File, Options);
  if (!Command) {
    problem = toString(Command.takeError());
    return;
  }
  SmallString<0> Code;
  const auto Outcome = frontend::parse(*Command, Options, [&](frontend::Unit &Unit) {
    if (Error E = toHostModule(Unit.module, How)) {
      problem = toString(std::move(E));
      return;
    }
    raw_svector_ostream OS(Code);
    WriteBitcodeToFile(Unit.module, OS);
  });
  for (const auto &E : Outcome.errors)
    problem += E.message + "\n";
  if (!problem.empty())
    return;
  auto Context = std::make_unique<LLVMContext>();
  auto Loaded = parseBitcodeFile(MemoryBufferRef(Code, "device"), *Context);
  auto Made = orc::LLJITBuilder().create();
  if (!Loaded || !Made) {
    problem = "cannot be loaded";
    consumeError(Loaded.takeError());
    consumeError(Made.takeError());
    return;
  }
  Jit = std::move(*Made);
  auto &Library = Jit->getMainJITDylib();
  Library.addGenerator(cantFail(
      orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(Jit->getDataLayout().getGlobalPrefix())));
  Registered = nullptr;
  Error E = Jit->addIRModule(orc::ThreadSafeModule(std::move(*Loaded), std::move(Context)));
  if (!E)
    E = Jit->initialize(Library);
  if (E)
    problem = toString(std::move(E));
  module = Registered;
}

Replayed::~Replayed() = default;

const Kernel *Replayed::kernel(StringRef Part) const {
  for (uint64_t I = 0; module && I < module->kernelCount; ++I)
    if (StringRef(module->kernels[I].name).contains(Part))
      return &module->kernels[I];
  return nullptr;
}

void Replayed::run(StringRef Name, std::vector<void *> Arguments, unsigned Threads, bool Recorded) {
  const Kernel *K = kernel(Name);
  ASSERT_TRUE(K) << problem;
  for (unsigned T = 0; T < Threads; ++T) {
    Current = {};
    Current.threadIdx[0] = T;
    Current.blockDim[0] = Threads;
    Current.blockDim[1] = Current.blockDim[2] = 1;
    for (unsigned Axis = 0; Axis < 3; ++Axis)
      Current.gridDim[Axis] = Current.clusterDim[Axis] = 1;
    Current.lane = T % 32;
    Current.warp = CurrentWarp = T / 32;
    Current.shared = shared.data();
    Current.dynamicSharedOffset = K->staticShared;
    if (setjmp(AfterUnsupported) == 0)
      (Recorded ? K->recorded : K->plain)(Arguments.data());
  }
}

std::vector<Request> Replayed::at(unsigned Line) const {
  std::vector<Request> Result;
  for (const auto &[Key, R] : Requests)
    if (R.site->line == Line)
      Result.push_back(R);
  return Result;
}

std::vector<unsigned> Replayed::lanesAt(unsigned Line) const {
  std::vector<unsigned> Result;
  for (const Request &R : at(Line))
    Result.push_back(R.lanes);
  return Result;
}

unsigned Replayed::sharedWavefronts() const {
  unsigned Sum = 0;
  for (const auto &[Key, R] : Requests) {
    model::Request Inside = R.addresses;
    if (Inside.address[unsigned(countr_zero(Inside.active))] - int64_t(uintptr_t(shared.data())) >=
            int64_t(shared.size()) ||
        Inside.address[unsigned(countr_zero(Inside.active))] < int64_t(uintptr_t(shared.data())))
      continue;
    for (int64_t &Address : Inside.address)
      Address -= int64_t(uintptr_t(shared.data()));
    Sum += model::sharedCost(Inside, R.site->operation == SiteOperation::Load).wavefronts;
  }
  return Sum;
}
