#include "analyzer/driver/KernelMerge.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace warplint;
using namespace warplint::driver;
using llvm::utostr;

/// What makes two kernels of different files one, whatever they are launched with.
static std::string kernelOf(const result::Kernel &K) {
  return K.place.file + ":" + utostr(K.place.line) + ":" + K.signature;
}

/// A kernel and the place that launches it.
static std::string launchOf(const result::Kernel &K) {
  return kernelOf(K) + "|" + K.launch.file + ":" + utostr(K.launch.line) + ":" + utostr(K.launch.column);
}

/// What a report says of the accesses. Macros and flags may make other code of a kernel in another file.
static std::string accessesOf(const result::Kernel &K) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  for (const result::Access &A : K.accesses) {
    OS << A.place.file << ':' << A.place.line << ':' << A.place.column << ' ' << A.expression << ' '
       << spelling(A.operation) << spelling(A.space) << spelling(A.confidence) << A.removed << ' ' << A.width
       << ' ' << A.offset << ' ' << A.activeLanes;
    const result::Cost &C = A.worst;
    for (double Value : {C.lines, C.sectors, C.idealSectors, C.wavefronts, C.idealWavefronts, C.conflictWays,
                         C.distinctAddresses})
      OS << ' ' << Value;
    OS << '\n';
  }
  return Text;
}

std::string warplint::driver::keyOf(const result::Kernel &K) {
  std::string Key = kernelOf(K) + "|";
  for (unsigned B : K.block)
    Key += utostr(B) + ",";
  if (K.grid)
    for (uint64_t G : *K.grid)
      Key += utostr(G) + ",";
  for (auto &[Name, Value] : K.arguments)
    Key += Name + "=" + llvm::itostr(Value) + ",";
  return Key + spelling(K.blockOrigin) + launchOf(K) + "\n" + accessesOf(K);
}

std::string warplint::driver::keyOf(const result::Error &E) {
  return E.place.file + ":" + utostr(E.place.line) + ":" + utostr(E.place.column) + E.message;
}

bool KernelMerge::add(const result::Kernel &K) {
  if (K.blockOrigin != result::BlockOrigin::Assumed) {
    WithShape.insert(kernelOf(K));
    WithShape.insert(launchOf(K));
  }
  return Kernels.insert(keyOf(K)).second;
}

bool KernelMerge::isNeeded(const result::Kernel &K) const {
  return K.blockOrigin != result::BlockOrigin::Assumed ||
         !WithShape.contains(K.launch.valid() ? launchOf(K) : kernelOf(K));
}
