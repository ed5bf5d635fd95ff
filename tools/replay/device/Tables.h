//===-- Tables.h - What a module says of itself to the runtime ------*- C++ -*-===//
#ifndef WARPLINT_TOOLS_REPLAY_DEVICE_TABLES_H
#define WARPLINT_TOOLS_REPLAY_DEVICE_TABLES_H

#include "tools/replay/device/Emitter.h"
#include "llvm/ADT/DenseMap.h"

namespace warplint::replay {

/// As the host registers them: taken down before the retargeting renames.
struct KernelNames {
  llvm::Function *function;
  std::string name;
  Place place;
};
struct VariableNames {
  llvm::GlobalVariable *variable;
  std::string name;
};

std::vector<KernelNames> namesOf(Emitter &, llvm::ArrayRef<llvm::Function *> Kernels);
std::vector<VariableNames> variablesOf(llvm::Module &);

/// Versions of the code that record nothing, the kernels' entries, the tables and the constructor that
/// registers them.
void addTables(Emitter &, llvm::ArrayRef<KernelNames>, llvm::ArrayRef<VariableNames>,
               const llvm::DenseMap<const llvm::Function *, uint64_t> &StaticShared);

} // namespace warplint::replay

#endif
