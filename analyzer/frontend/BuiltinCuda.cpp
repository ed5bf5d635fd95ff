//===-- BuiltinCuda.cpp - CUDA's declarations without a toolkit -----------===//
#include "analyzer/frontend/BuiltinCuda.h"

namespace warplint::frontend {
void addBuiltinCuda(llvm::vfs::InMemoryFileSystem &) {}
} // namespace warplint::frontend
