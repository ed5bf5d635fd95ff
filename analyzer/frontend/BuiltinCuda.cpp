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
    {"__warplint_runtime_types.h",
#include "analyzer/frontend/builtin/RuntimeTypes.inc"
    },
    {"__warplint_device.h",
#include "analyzer/frontend/builtin/Device.inc"
    },
    {"__warplint_texture.h",
#include "analyzer/frontend/builtin/Texture.inc"
    },
    {"__warplint_small_float.h",
#include "analyzer/frontend/builtin/SmallFloat.inc"
    },
    {"__warplint_cxx.h",
#include "analyzer/frontend/builtin/CudaCxx.inc"
    },
    {"cooperative_groups.h",
#include "analyzer/frontend/builtin/Groups.inc"
    },
    {"cuda.h",
#include "analyzer/frontend/builtin/Driver.inc"
    },
    {"cuda_bf16.h",
#include "analyzer/frontend/builtin/Bfloat.inc"
    },
    {"cuda_fp16.h",
#include "analyzer/frontend/builtin/Half.inc"
    },
    {"cuda_fp8.h",
#include "analyzer/frontend/builtin/Fp8.inc"
    },
    {"cuda_pipeline.h",
#include "analyzer/frontend/builtin/Pipeline.inc"
    },
    {"curand_kernel.h",
#include "analyzer/frontend/builtin/CurandKernel.inc"
    },
    {"library_types.h",
#include "analyzer/frontend/builtin/LibraryTypes.inc"
    },
    {"math_constants.h",
#include "analyzer/frontend/builtin/MathConstants.inc"
    },
    {"mma.h",
#include "analyzer/frontend/builtin/Mma.inc"
    },
    {"crt/sm_70_rt.hpp",
#include "analyzer/frontend/builtin/Match.inc"
    },
    {"cooperative_groups/memcpy_async.h", "#include <cooperative_groups.h>\n"},
    {"cooperative_groups/reduce.h", "#include <cooperative_groups.h>\n"},
    {"cooperative_groups/scan.h", "#include <cooperative_groups.h>\n"},
    {"cuda_awbarrier.h", "#include <cuda_pipeline.h>\n"},
    {"cuda_awbarrier_primitives.h", "#include <cuda_pipeline.h>\n"},
    {"cuda_bf16.hpp", "#include <cuda_bf16.h>\n"},
    {"cuda_fp16.hpp", "#include <cuda_fp16.h>\n"},
    {"cuda_fp4.h", "#include <cuda_fp8.h>\n"},
    {"cuda_fp6.h", "#include <cuda_fp8.h>\n"},
    {"cuda_pipeline_helpers.h", "#include <cuda_pipeline.h>\n"},
    {"cuda_pipeline_primitives.h", "#include <cuda_pipeline.h>\n"},
    {"crt/mma.h", "#include <mma.h>\n"},
};

/// libcu++, all of which is one header here.
constexpr StringLiteral CxxHeaders[] = {
    "cuda/access_property", "cuda/annotated_ptr", "cuda/atomic", "cuda/barrier", "cuda/cmath",
    "cuda/functional", "cuda/latch", "cuda/memory", "cuda/memory_resource", "cuda/numeric",
    "cuda/pipeline", "cuda/ptx", "cuda/semaphore", "cuda/std/version", "cuda/type_traits",
    "cuda/utility", "cuda/version", "cuda/std/array", "cuda/std/atomic", "cuda/std/barrier",
    "cuda/std/bit", "cuda/std/cassert", "cuda/std/chrono", "cuda/std/climits", "cuda/std/cmath",
    "cuda/std/complex", "cuda/std/concepts", "cuda/std/cstddef", "cuda/std/cstdint", "cuda/std/cstdlib",
    "cuda/std/cstring", "cuda/std/expected", "cuda/std/functional", "cuda/std/initializer_list",
    "cuda/std/iterator", "cuda/std/latch", "cuda/std/limits", "cuda/std/memory", "cuda/std/mdspan",
    "cuda/std/numeric", "cuda/std/optional", "cuda/std/ratio", "cuda/std/semaphore", "cuda/std/span",
    "cuda/std/string_view", "cuda/std/tuple", "cuda/std/type_traits", "cuda/std/utility",
    "cuda/std/variant", "nv/target",
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

/// Stand-ins for headers that are often not installed, the libraries' among them.
constexpr Header Fallbacks[] = {
    {"cublas_v2.h",
#include "analyzer/frontend/builtin/Cublas.inc"
    },
    {"cuComplex.h",
#include "analyzer/frontend/builtin/Complex.inc"
    },
    {"cub/cub.cuh",
#include "analyzer/frontend/builtin/Cub.inc"
    },
    {"cudaGL.h",
#include "analyzer/frontend/builtin/Graphics.inc"
    },
    {"cufft.h",
#include "analyzer/frontend/builtin/Cufft.inc"
    },
    {"curand.h",
#include "analyzer/frontend/builtin/Curand.inc"
    },
    {"cusolver_common.h",
#include "analyzer/frontend/builtin/Cusolver.inc"
    },
    {"cusparse.h",
#include "analyzer/frontend/builtin/Cusparse.inc"
    },
    {"cutil.h",
#include "analyzer/frontend/builtin/Cutil.inc"
    },
    {"helper_cuda.h",
#include "analyzer/frontend/builtin/Helpers.inc"
    },
    {"helper_math.h",
#include "analyzer/frontend/builtin/HelperMath.inc"
    },
    {"nccl.h",
#include "analyzer/frontend/builtin/Nccl.inc"
    },
    {"nvrtc.h",
#include "analyzer/frontend/builtin/Nvrtc.inc"
    },
    {"nvToolsExt.h",
#include "analyzer/frontend/builtin/Nvtx.inc"
    },
    {"omp.h",
#include "analyzer/frontend/builtin/Omp.inc"
    },
    {"thrust/device_vector.h",
#include "analyzer/frontend/builtin/Thrust.inc"
    },
};

/// Other names of the same, and the header that stands for them.
struct Alias {
  StringLiteral name;
  StringLiteral target;
};
constexpr Alias FallbackAliases[] = {
    {"cuda_texture_types.h", "cuda_runtime.h"},
    {"surface_functions.h", "cuda_runtime.h"},
    {"texture_fetch_functions.h", "cuda_runtime.h"},
    {"cublas.h", "cublas_v2.h"},
    {"cublasLt.h", "cublas_v2.h"},
    {"cublasXt.h", "cublas_v2.h"},
    {"cublas_api.h", "cublas_v2.h"},
    {"cuda_gl_interop.h", "cudaGL.h"},
    {"cuda_egl_interop.h", "cudaGL.h"},
    {"cudaEGL.h", "cudaGL.h"},
    {"cuda_vdpau_interop.h", "cudaGL.h"},
    {"cufftXt.h", "cufft.h"},
    {"cufftw.h", "cufft.h"},
    {"cudalibxt.h", "cufft.h"},
    {"cusolverDn.h", "cusolver_common.h"},
    {"cusolverRf.h", "cusolver_common.h"},
    {"cusolverSp.h", "cusolver_common.h"},
    {"cusolverMg.h", "cusolver_common.h"},
    {"cusolverSp_LOWLEVEL_PREVIEW.h", "cusolver_common.h"},
    {"cusparse_v2.h", "cusparse.h"},
    {"cutil_inline.h", "cutil.h"},
    {"cutil_inline_runtime.h", "cutil.h"},
    {"cutil_gl_inline.h", "cutil.h"},
    {"sdkHelper.h", "cutil.h"},
    {"shrQATest.h", "cutil.h"},
    {"shrUtils.h", "cutil.h"},
    {"exception.h", "helper_cuda.h"},
    {"helper_cuda_drvapi.h", "helper_cuda.h"},
    {"helper_cuda_gl.h", "helper_cuda.h"},
    {"helper_functions.h", "helper_cuda.h"},
    {"helper_gl.h", "helper_cuda.h"},
    {"helper_image.h", "helper_cuda.h"},
    {"helper_string.h", "helper_cuda.h"},
    {"helper_timer.h", "helper_cuda.h"},
    {"nvrtc_helper.h", "helper_cuda.h"},
    {"rendercheck_gl.h", "helper_cuda.h"},
    {"cutil_math.h", "helper_math.h"},
    {"nvToolsExtCuda.h", "nvToolsExt.h"},
    {"nvToolsExtCudaRt.h", "nvToolsExt.h"},
    {"nvtx3/nvToolsExt.h", "nvToolsExt.h"},
    {"nvtx3/nvToolsExtCuda.h", "nvToolsExt.h"},
    {"nvtx3/nvToolsExtCudaRt.h", "nvToolsExt.h"},
    {"cub/block/block_adjacent_difference.cuh", "cub/cub.cuh"},
    {"cub/block/block_discontinuity.cuh", "cub/cub.cuh"},
    {"cub/block/block_exchange.cuh", "cub/cub.cuh"},
    {"cub/block/block_histogram.cuh", "cub/cub.cuh"},
    {"cub/block/block_load.cuh", "cub/cub.cuh"},
    {"cub/block/block_radix_sort.cuh", "cub/cub.cuh"},
    {"cub/block/block_reduce.cuh", "cub/cub.cuh"},
    {"cub/block/block_scan.cuh", "cub/cub.cuh"},
    {"cub/block/block_store.cuh", "cub/cub.cuh"},
    {"cub/device/device_histogram.cuh", "cub/cub.cuh"},
    {"cub/device/device_radix_sort.cuh", "cub/cub.cuh"},
    {"cub/device/device_reduce.cuh", "cub/cub.cuh"},
    {"cub/device/device_run_length_encode.cuh", "cub/cub.cuh"},
    {"cub/device/device_scan.cuh", "cub/cub.cuh"},
    {"cub/device/device_segmented_radix_sort.cuh", "cub/cub.cuh"},
    {"cub/device/device_segmented_reduce.cuh", "cub/cub.cuh"},
    {"cub/device/device_select.cuh", "cub/cub.cuh"},
    {"cub/util_allocator.cuh", "cub/cub.cuh"},
    {"cub/util_type.cuh", "cub/cub.cuh"},
    {"cub/warp/warp_reduce.cuh", "cub/cub.cuh"},
    {"cub/warp/warp_scan.cuh", "cub/cub.cuh"},
    {"thrust/adjacent_difference.h", "thrust/device_vector.h"},
    {"thrust/advance.h", "thrust/device_vector.h"},
    {"thrust/binary_search.h", "thrust/device_vector.h"},
    {"thrust/complex.h", "thrust/device_vector.h"},
    {"thrust/copy.h", "thrust/device_vector.h"},
    {"thrust/count.h", "thrust/device_vector.h"},
    {"thrust/device_allocator.h", "thrust/device_vector.h"},
    {"thrust/device_delete.h", "thrust/device_vector.h"},
    {"thrust/device_free.h", "thrust/device_vector.h"},
    {"thrust/device_malloc.h", "thrust/device_vector.h"},
    {"thrust/device_new.h", "thrust/device_vector.h"},
    {"thrust/device_ptr.h", "thrust/device_vector.h"},
    {"thrust/device_reference.h", "thrust/device_vector.h"},
    {"thrust/distance.h", "thrust/device_vector.h"},
    {"thrust/equal.h", "thrust/device_vector.h"},
    {"thrust/execution_policy.h", "thrust/device_vector.h"},
    {"thrust/extrema.h", "thrust/device_vector.h"},
    {"thrust/fill.h", "thrust/device_vector.h"},
    {"thrust/find.h", "thrust/device_vector.h"},
    {"thrust/for_each.h", "thrust/device_vector.h"},
    {"thrust/functional.h", "thrust/device_vector.h"},
    {"thrust/gather.h", "thrust/device_vector.h"},
    {"thrust/generate.h", "thrust/device_vector.h"},
    {"thrust/host_vector.h", "thrust/device_vector.h"},
    {"thrust/inner_product.h", "thrust/device_vector.h"},
    {"thrust/logical.h", "thrust/device_vector.h"},
    {"thrust/memory.h", "thrust/device_vector.h"},
    {"thrust/merge.h", "thrust/device_vector.h"},
    {"thrust/pair.h", "thrust/device_vector.h"},
    {"thrust/partition.h", "thrust/device_vector.h"},
    {"thrust/random.h", "thrust/device_vector.h"},
    {"thrust/reduce.h", "thrust/device_vector.h"},
    {"thrust/remove.h", "thrust/device_vector.h"},
    {"thrust/replace.h", "thrust/device_vector.h"},
    {"thrust/reverse.h", "thrust/device_vector.h"},
    {"thrust/scan.h", "thrust/device_vector.h"},
    {"thrust/scatter.h", "thrust/device_vector.h"},
    {"thrust/sequence.h", "thrust/device_vector.h"},
    {"thrust/set_operations.h", "thrust/device_vector.h"},
    {"thrust/shuffle.h", "thrust/device_vector.h"},
    {"thrust/sort.h", "thrust/device_vector.h"},
    {"thrust/swap.h", "thrust/device_vector.h"},
    {"thrust/system_error.h", "thrust/device_vector.h"},
    {"thrust/tabulate.h", "thrust/device_vector.h"},
    {"thrust/transform.h", "thrust/device_vector.h"},
    {"thrust/transform_reduce.h", "thrust/device_vector.h"},
    {"thrust/transform_scan.h", "thrust/device_vector.h"},
    {"thrust/tuple.h", "thrust/device_vector.h"},
    {"thrust/unique.h", "thrust/device_vector.h"},
    {"thrust/universal_vector.h", "thrust/device_vector.h"},
    {"thrust/version.h", "thrust/device_vector.h"},
    {"thrust/iterator/constant_iterator.h", "thrust/device_vector.h"},
    {"thrust/iterator/counting_iterator.h", "thrust/device_vector.h"},
    {"thrust/iterator/discard_iterator.h", "thrust/device_vector.h"},
    {"thrust/iterator/iterator_traits.h", "thrust/device_vector.h"},
    {"thrust/iterator/permutation_iterator.h", "thrust/device_vector.h"},
    {"thrust/iterator/reverse_iterator.h", "thrust/device_vector.h"},
    {"thrust/iterator/transform_iterator.h", "thrust/device_vector.h"},
    {"thrust/iterator/zip_iterator.h", "thrust/device_vector.h"},
    {"thrust/random/linear_congruential_engine.h", "thrust/device_vector.h"},
    {"thrust/random/uniform_int_distribution.h", "thrust/device_vector.h"},
    {"thrust/random/uniform_real_distribution.h", "thrust/device_vector.h"},
    {"thrust/system/cuda/execution_policy.h", "thrust/device_vector.h"},
    {"thrust/system/cuda/error.h", "thrust/device_vector.h"},
    {"thrust/system/omp/execution_policy.h", "thrust/device_vector.h"},
    {"thrust/detail/config.h", "thrust/device_vector.h"},
    {"thrust/detail/type_traits.h", "thrust/device_vector.h"},
};
// clang-format on

/// Names by which sources include what the parse has included already.
constexpr StringLiteral Aliases[] = {
    "builtin_types.h",
    "channel_descriptor.h",
    "common_functions.h",
    "cuda_device_runtime_api.h",
    "cuda_occupancy.h",
    "cuda_profiler_api.h",
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "cudaProfiler.h",
    "device_atomic_functions.h",
    "device_double_functions.h",
    "device_functions.h",
    "device_launch_parameters.h",
    "device_types.h",
    "driver_functions.h",
    "driver_types.h",
    "host_config.h",
    "host_defines.h",
    "math_functions.h",
    "sm_20_atomic_functions.h",
    "sm_20_intrinsics.h",
    "sm_30_intrinsics.h",
    "sm_32_atomic_functions.h",
    "sm_32_intrinsics.h",
    "sm_35_atomic_functions.h",
    "sm_35_intrinsics.h",
    "sm_60_atomic_functions.h",
    "sm_61_intrinsics.h",
    "surface_indirect_functions.h",
    "surface_types.h",
    "texture_indirect_functions.h",
    "texture_types.h",
    "vector_functions.h",
    "vector_functions.hpp",
    "vector_types.h",
    "crt/common_functions.h",
    "crt/device_double_functions.h",
    "crt/device_functions.h",
    "crt/host_config.h",
    "crt/host_defines.h",
    "crt/math_functions.h",
};

/// A header that only includes another.
void addInclude(vfs::InMemoryFileSystem &Files, StringRef Folder, StringRef Name, StringRef Target) {
  Files.addFile(Folder + "/" + Name, 0,
                MemoryBuffer::getMemBufferCopy(("#include <" + Target + ">\n").str(), Name));
}

} // namespace

void addToolkitHeader(vfs::InMemoryFileSystem &Files) {
  StringRef Text =
#include "analyzer/frontend/builtin/Toolkit.inc"
      ;
  Files.addFile(ToolkitHeader, 0, MemoryBuffer::getMemBuffer(Text, ToolkitHeader));
}

void addSupplement(vfs::InMemoryFileSystem &Files) {
  auto Add = [&](const Twine &Name, StringRef Text) {
    Files.addFile(Name, 0, MemoryBuffer::getMemBuffer(Text, Name.str()));
  };
  for (const Header &Each : Supplements)
    Add(Each.name, Each.text);
  for (const Header &Each : Fallbacks)
    Add(FallbackIncludeFolder + "/" + Each.name, Each.text);
  for (const Alias &Each : FallbackAliases)
    addInclude(Files, FallbackIncludeFolder, Each.name, Each.target);
}

void addBuiltinCuda(vfs::InMemoryFileSystem &Files) {
  for (const Header &Each : Headers)
    Files.addFile(BuiltinIncludeFolder + "/" + Each.name, 0,
                  MemoryBuffer::getMemBuffer(Each.text, Each.name));
  for (StringRef Name : Aliases)
    addInclude(Files, BuiltinIncludeFolder, Name, "__warplint_cuda.h");
  for (StringRef Name : CxxHeaders)
    addInclude(Files, BuiltinIncludeFolder, Name, "__warplint_cxx.h");
}

} // namespace warplint::frontend
