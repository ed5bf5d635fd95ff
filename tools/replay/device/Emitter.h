//===-- Emitter.h - Pieces of host code -----------------------------*- C++ -*-===//
//
// What the stages of the translation have in common: calls of the runtime's hooks, the thread's record,
// places of the source, keys that are filled in once the loops are known.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_TOOLS_REPLAY_DEVICE_EMITTER_H
#define WARPLINT_TOOLS_REPLAY_DEVICE_EMITTER_H

#include "tools/replay/device/Device.h"
#include "tools/replay/runtime/Abi.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include <vector>

namespace warplint::replay {

/// A place of the source.
struct Place {
  std::string file, function;
  unsigned line = 0, column = 0;
};

class Emitter {
public:
  Emitter(llvm::Module &M, const DeviceOptions &Options);

  llvm::Module &module;
  const DeviceOptions &options;
  llvm::IntegerType *const i1, *const i8, *const i16, *const i32, *const i64;
  llvm::PointerType *const pointer;

  /// The user's place of an instruction: of the calls that were inlined, the innermost in a file of the
  /// user's.
  Place placeOf(const llvm::DebugLoc &) const;
  bool isUserFile(llvm::StringRef Absolute) const;

  /// A constant string, each text once.
  llvm::Constant *text(llvm::StringRef);
  /// Address of a new element of the table of sites.
  llvm::Constant *site(const Place &, SiteOperation, SiteMechanism, unsigned Width, bool Volatile,
                       bool ThroughPointer);

  llvm::CallInst *call(llvm::IRBuilderBase &, llvm::StringRef Function, llvm::Type *Result,
                       llvm::ArrayRef<llvm::Value *> Arguments);
  llvm::Value *thread(llvm::IRBuilderBase &);
  /// A field of the thread's record by its offset.
  llvm::Value *field(llvm::IRBuilderBase &, uint64_t Offset, llvm::Type *);
  /// The key of a new instruction: a call of KeyName that is replaced when the loops are known.
  llvm::Value *key(llvm::IRBuilderBase &);
  /// Ends the program when it is reached.
  void unsupported(llvm::IRBuilderBase &, const llvm::Twine &Construct, const llvm::DebugLoc &);
  /// Number of all threads of a block.
  llvm::Value *blockThreads(llvm::IRBuilderBase &);

  static constexpr llvm::StringLiteral KeyName = "warplint.key";
  /// Metadata on instructions that access memory: how the source says it (a SiteMechanism), how many bytes,
  /// no access at all.
  static constexpr llvm::StringLiteral MechanismNode = "warplint.mechanism";
  static constexpr llvm::StringLiteral SilentNode = "warplint.silent";
  void setMechanism(llvm::Instruction &, SiteMechanism) const;
  void setSilent(llvm::Instruction &) const;

  /// Makes the tables' definition; sites cannot be added afterwards.
  llvm::GlobalVariable *finishSites();
  uint64_t siteCount() const { return Sites.size(); }
  llvm::StructType *siteType() const { return SiteType; }

private:
  llvm::StructType *SiteType;
  std::vector<llvm::Constant *> Sites;
  llvm::GlobalVariable *SiteTable = nullptr; ///< stands for the table until its length is known
  llvm::StringMap<llvm::Constant *> Texts;
};

/// Stages, in order.
void lowerAssembly(Emitter &);
void lowerIntrinsics(Emitter &);
void resolveFunctions(Emitter &);
void lowerSharedPointers(Emitter &);

} // namespace warplint::replay

#endif
