//===-- Configuration.cpp - Fuzz target: .warplint files ------------------===//
//
// The input is the text of a configuration. One without errors reads the same after it was written.
//
//===----------------------------------------------------------------------===//
#include "analyzer/driver/Configuration.h"
#include "test/fuzz/targets/Target.h"

using namespace llvm;
using namespace warplint;
using namespace warplint::fuzz;

int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::vector<std::string> Errors;
  const driver::Configuration Read = driver::readConfiguration(textOf(Data, Size), "/f/.warplint", Errors);
  for (const std::string &Error : Errors)
    require(StringRef(Error).starts_with("/f/.warplint:"), "errors name the place: " + Error);
  if (!Errors.empty())
    return 0;
  const std::string Text = driver::dump(Read);
  const driver::Configuration Again = driver::readConfiguration(Text, "/f/.warplint", Errors);
  require(Errors.empty(), "what was written can be read: " + (Errors.empty() ? "" : Errors.front()));
  require(driver::dump(Again) == Text, "the same when read again: " + Text);
  require(Again.checks.value_or("") == Read.checks.value_or("") && Again.headerFilter == Read.headerFilter &&
              Again.extraArgs == Read.extraArgs && Again.assume == Read.assume &&
              Again.kernels.size() == Read.kernels.size(),
          "nothing is lost: " + Text);
  return 0;
}
