//===-- KernelMerge.h - A kernel that several files include is one ------*- C++ -*-===//
#ifndef WARPLINT_ANALYZER_DRIVER_KERNELMERGE_H
#define WARPLINT_ANALYZER_DRIVER_KERNELMERGE_H

#include "analyzer/result/Result.h"
#include <set>
#include <string>

namespace warplint::driver {

/// Everything about a kernel's launch that tells its results apart from those of the same kernel elsewhere, and
/// its accesses: they differ where macros make other code of it.
std::string keyOf(const result::Kernel &);

/// What makes two errors one.
std::string keyOf(const result::Error &);

class KernelMerge {
public:
  /// True for the first of its kind.
  bool add(const result::Kernel &);
  /// After all were added. A kernel of a header is launched in some of the files that include it, or the
  /// function of the header that launches it is called in some: what the others had to assume about its block
  /// is of no interest then.
  bool isNeeded(const result::Kernel &) const;

private:
  std::set<std::string> Kernels, WithShape;
};

} // namespace warplint::driver

#endif
