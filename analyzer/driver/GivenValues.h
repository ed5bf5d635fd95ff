//===-- GivenValues.h - What users say of launches, as text ------------------------*- C++ -*-===//
#ifndef WARPLINT_ANALYZER_DRIVER_GIVENVALUES_H
#define WARPLINT_ANALYZER_DRIVER_GIVENVALUES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <map>
#include <string>

namespace warplint::driver {

/// "32,8": threads of a block. Errors say what would be right.
llvm::Expected<std::array<unsigned, 3>> blockOf(llvm::StringRef Text);
/// "n=1024" or "turn:n=1024": adds the value of a kernel parameter.
llvm::Error addAssumption(llvm::StringRef Text, std::map<std::string, int64_t> &To);

} // namespace warplint::driver

#endif
