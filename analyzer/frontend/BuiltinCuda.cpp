//===-- BuiltinCuda.cpp - CUDA's declarations without a toolkit -----------===//
#include "analyzer/frontend/BuiltinCuda.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace warplint::frontend {

namespace {

struct Header {
  StringLiteral name;
  StringLiteral text;
};

// clang-format off
/// The declarations, by theme; builtin/ holds their text.
constexpr Header Headers[] = {
    {"__warplint_cuda.h",
#include "analyzer/frontend/builtin/Main.inc"
    },
    {"__warplint_keywords.h",
#include "analyzer/frontend/builtin/Keywords.inc"
    },
    {"__warplint_types.h",
#include "analyzer/frontend/builtin/Types.inc"
    },
    {"__warplint_runtime.h",
#include "analyzer/frontend/builtin/Runtime.inc"
    },
    {"__warplint_device.h",
#include "analyzer/frontend/builtin/Device.inc"
    },
    {"__warplint_texture.h",
#include "analyzer/frontend/builtin/Texture.inc"
    },
    {"cooperative_groups.h",
#include "analyzer/frontend/builtin/Groups.inc"
    },
    {"cooperative_groups/reduce.h", "#include <cooperative_groups.h>\n"},
    {"cuda_fp16.h",
#include "analyzer/frontend/builtin/Half.inc"
    },
    {"cuda_fp16.hpp", "#include <cuda_fp16.h>\n"},
    {"crt/sm_70_rt.hpp",
#include "analyzer/frontend/builtin/Match.inc"
    },
};

/// Headers around CUDA's own.
constexpr Header Supplements[] = {
    {"/__warplint/before.h",
#include "analyzer/frontend/builtin/Before.inc"
    },
    {"/__warplint/supplement.h",
#include "analyzer/frontend/builtin/Supplement.inc"
    },
    {"/__warplint/old.h",
#include "analyzer/frontend/builtin/Old.inc"
    },
};

/// Stand-ins for headers that are often not installed.
constexpr Header Fallbacks[] = {
    {"omp.h",
#include "analyzer/frontend/builtin/Omp.inc"
    },
    {"cutil.h",
#include "analyzer/frontend/builtin/Cutil.inc"
    },
};
// clang-format on

/// Names by which sources include what the parse has included already.
constexpr StringLiteral Aliases[] = {
    "builtin_types.h",
    "channel_descriptor.h",
    "cuda.h",
    "cuda_device_runtime_api.h",
    "cuda_profiler_api.h",
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "device_atomic_functions.h",
    "device_functions.h",
    "device_launch_parameters.h",
    "device_types.h",
    "driver_types.h",
    "host_defines.h",
    "math_functions.h",
    "sm_20_atomic_functions.h",
    "sm_30_intrinsics.h",
    "sm_32_intrinsics.h",
    "sm_60_atomic_functions.h",
    "vector_functions.h",
    "vector_types.h",
    "crt/device_functions.h",
    "crt/host_defines.h",
    "crt/math_functions.h",
};

} // namespace

void addSupplement(vfs::InMemoryFileSystem &Files) {
  auto Add = [&](const Twine &Name, StringRef Text) {
    Files.addFile(Name, 0, MemoryBuffer::getMemBuffer(Text, Name.str()));
  };
  for (const Header &Each : Supplements)
    Add(Each.name, Each.text);
  for (const Header &Each : Fallbacks)
    Add(FallbackIncludeFolder + "/" + Each.name, Each.text);
}

void addBuiltinCuda(vfs::InMemoryFileSystem &Files) {
  auto Add = [&](StringRef Name, StringRef Text) {
    Files.addFile(BuiltinIncludeFolder + "/" + Name, 0, MemoryBuffer::getMemBuffer(Text, Name));
  };
  for (const Header &Each : Headers)
    Add(Each.name, Each.text);
  for (StringRef Alias : Aliases)
    Add(Alias, "#include \"__warplint_cuda.h\"\n");
}

} // namespace warplint::frontend
