//===-- Replayed.h - Runs translated kernels without the runtime ----*- C++ -*-===//
//
// Compiles a text, translates it, loads it into this process and runs the threads of one warp one after
// another: what has no barrier in between is the same that way. Hooks write down what they are told.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_TEST_UNIT_REPLAY_DEVICE_REPLAYED_H
#define WARPLINT_TEST_UNIT_REPLAY_DEVICE_REPLAYED_H

#include "analyzer/model/Model.h"
#include "tools/replay/device/Device.h"
#include "tools/replay/runtime/Abi.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// A request: the lanes that came with one key.
struct Request {
  uint32_t lanes = 0;
  warplint::model::Request addresses;
  const warplint::replay::Site *site = nullptr;
};

class Replayed {
public:
  explicit Replayed(llvm::StringRef Text, warplint::replay::DeviceOptions Options = {});
  ~Replayed();

  std::string problem; ///< of compiling and translating; "" when there is none
  const warplint::replay::Module *module = nullptr;

  const warplint::replay::Kernel *kernel(llvm::StringRef Part) const;
  /// One block of `Threads` threads. Arguments: pointers to the values.
  void run(llvm::StringRef Kernel, std::vector<void *> Arguments, unsigned Threads = 32,
           bool Recorded = true);

  /// Of the accesses at a line, in the order of their coming.
  std::vector<Request> at(unsigned Line) const;
  std::vector<unsigned> lanesAt(unsigned Line) const; ///< how many of each request
  unsigned sharedWavefronts() const;

  std::vector<char> shared; ///< of the block

private:
  std::unique_ptr<llvm::orc::LLJIT> Jit;
};

/// What hooks other than those of accesses were told.
struct Told {
  std::vector<std::string> unsupported;
  unsigned volatileAccesses = 0, atomics = 0, failedAtomics = 0, barriers = 0;
  std::vector<uint64_t> warpKeys; ///< of warp-wide operations, in order
  std::vector<std::pair<uint32_t, uint64_t>> checks; ///< lines and addresses that a plain version asked about
  warplint::replay::CheckedRange allowed;            ///< what each of them is answered
};
extern Told told;

#endif
