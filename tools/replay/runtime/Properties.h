//===-- Properties.h - The GPU that the program sees ---------------------------------*- C++ -*-===//
//
// Values by the names of cudaDeviceProp's fields. An A100 unless the tool says otherwise.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_TOOLS_REPLAY_RUNTIME_PROPERTIES_H
#define WARPLINT_TOOLS_REPLAY_RUNTIME_PROPERTIES_H

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace warplint::replay {

class Properties {
public:
  /// `Changes`: "name=NVIDIA H100;major=9".
  explicit Properties(std::string_view Changes);
  /// 0 for a name that it does not know.
  int64_t get(const std::string &Name) const;
  const std::string &name() const { return Name; }

private:
  std::string Name = "NVIDIA A100-SXM4-40GB";
  std::map<std::string, int64_t> Values;
};

/// Those of the running program.
const Properties &properties();

} // namespace warplint::replay

#endif
