#include "analyzer/driver/GivenValues.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;

namespace warplint::driver {

Expected<std::array<unsigned, 3>> blockOf(StringRef Text) {
  SmallVector<StringRef, 3> Items;
  Text.split(Items, ',');
  std::array<unsigned, 3> Shape{1, 1, 1};
  bool Bad = Items.size() > Shape.size();
  for (size_t I = 0; I < Items.size() && !Bad; ++I)
    Bad = Items[I].getAsInteger(10, Shape[I]) || Shape[I] == 0 || Shape[I] > 1024;
  if (Bad || uint64_t(Shape[0]) * Shape[1] * Shape[2] > 1024)
    return createStringError("expected X, X,Y or X,Y,Z with at most 1024 threads");
  return Shape;
}

Error addAssumption(StringRef Text, std::map<std::string, int64_t> &To) {
  auto [Name, Number] = Text.rsplit('=');
  int64_t Value = 0;
  if (Name.empty() || Name.starts_with(':') || Name.ends_with(':') || Number.getAsInteger(0, Value))
    return createStringError("expected NAME=V or KERNEL:NAME=V with an integer");
  To[Name.str()] = Value;
  return Error::success();
}

} // namespace warplint::driver
