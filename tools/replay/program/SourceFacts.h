//===-- SourceFacts.h - What the source says of what a program did -----*- C++ -*-===//
//
// Replayed code knows mangled names, and places as the compiler gives them. The report speaks of signatures,
// parameters' names and the expressions that are accesses. This has the one for the other, and prepares a
// module so that what a library's header does for a call of the user's belongs to that call.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_TOOLS_REPLAY_PROGRAM_SOURCEFACTS_H
#define WARPLINT_TOOLS_REPLAY_PROGRAM_SOURCEFACTS_H

#include "analyzer/frontend/Frontend.h"
#include "analyzer/result/Result.h"
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace warplint::kernel {
class Sources;
}

namespace warplint::replay {

struct ParameterFacts {
  std::string name;
  bool isInteger = false, isSigned = false;
};

struct KernelFacts {
  std::string name, signature; ///< as in the report
  result::Place place;
  std::vector<ParameterFacts> parameters;
};

struct AccessFacts {
  result::Place place;
  std::string expression, base;
};

class SourceFacts {
public:
  /// Inlines what system headers define into the user's functions, whose places it gets, and takes note of
  /// every kernel and access. To be called before the module becomes host code.
  void prepare(frontend::Unit &, const kernel::Sources &);

  /// By mangled name and file, as static kernels of several files may share the name; null when it is none of the source's.
  const KernelFacts *kernel(const std::string &Mangled, const std::string &File) const;
  /// By the place as debug information has it; null when nothing is known of it.
  const AccessFacts *access(const result::Place &, result::Operation) const;
  /// The architecture of the units, "sm_80".
  std::string arch;

private:
  using Key = std::tuple<std::string, unsigned, unsigned, result::Operation>;
  std::map<std::pair<std::string, std::string>, KernelFacts> Kernels;
  std::map<Key, AccessFacts> Accesses;
};

} // namespace warplint::replay

#endif
