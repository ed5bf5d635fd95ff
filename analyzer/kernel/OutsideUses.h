//===-- OutsideUses.h - What other files do with a file's functions -*- C++ -*-===//
//
// A kernel's launches, and the calls of the functions that launch it, may be in other files than the kernel.
// This is what such a file says about functions that it declares and does not define, as plain data.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_KERNEL_OUTSIDEUSES_H
#define WARPLINT_ANALYZER_KERNEL_OUTSIDEUSES_H

#include "analyzer/result/Result.h"
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warplint::kernel {

/// A launch or a call of a function that is defined elsewhere.
struct OutsideUse {
  std::string symbol; ///< the function, as the linker knows it
  result::Place place;
  bool launch = false;
  // Of a launch, as in kernel::Launch:
  std::optional<std::array<unsigned, 3>> block, likelyBlock;
  std::optional<std::array<uint64_t, 3>> grid;
  std::optional<uint64_t> dynamicShared;
  std::vector<std::optional<int64_t>> arguments;
  std::string reason;
  /// Of a call: integers, by the number of their parameter; members of records by number and name, "1.x".
  std::map<std::string, int64_t> values;
  std::map<std::string, int64_t> likelyValues; ///< of those that are not certain
};

/// All of one file.
struct OutsideUses {
  std::vector<OutsideUse> uses;
  std::vector<std::string> defined; ///< symbols of the functions that it defines for all files
};

/// A function of which a file would like to know more.
struct WantedFunction {
  std::string symbol;
  std::string name; ///< the last part of it, as sources spell it
  bool kernel = false;
};

} // namespace warplint::kernel

#endif
