//===-- Target.h - What fuzz targets share -------------------------*- C++ -*-===//
//
// A target is libFuzzer's function: it gets bytes, makes an input of them and checks properties of the
// result. With WARPLINT_FUZZ libFuzzer drives it; otherwise Standalone.cpp replays the seeds and some
// mutations of them.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_TEST_FUZZ_TARGETS_TARGET_H
#define WARPLINT_TEST_FUZZ_TARGETS_TARGET_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size);

namespace warplint::fuzz {

/// Ends the process when a property does not hold, as libFuzzer expects.
inline void require(bool Holds, const llvm::Twine &Property) {
  if (Holds)
    return;
  llvm::errs() << "property does not hold: " << Property << '\n';
  abort();
}

inline llvm::StringRef textOf(const uint8_t *Data, size_t Size) {
  return {reinterpret_cast<const char *>(Data), Size};
}

/// Words of a command as a fuzzer can write them: one per line. A word cannot hold a zero, as in a real
/// command.
inline std::vector<std::string> wordsOf(llvm::StringRef Text) {
  llvm::SmallVector<llvm::StringRef> Lines;
  Text.split(Lines, '\n');
  std::vector<std::string> Words;
  for (llvm::StringRef Line : Lines)
    Words.push_back(Line.take_until([](char C) { return C == 0; }).str());
  return Words;
}

inline std::string shown(const std::vector<std::string> &Words) {
  std::string Result;
  for (const std::string &Word : Words)
    Result += "[" + Word + "]";
  return Result;
}

} // namespace warplint::fuzz

#endif
