//===-- DeviceUnit.h - Parses CUDA text as the front end does -------*- C++ -*-===//
//
// One device-side parse with code generation of the same AST, over declarations that stand in for the
// toolkit's.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_TEST_UNIT_KERNEL_AST_DEVICEUNIT_H
#define WARPLINT_TEST_UNIT_KERNEL_AST_DEVICEUNIT_H

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Utils/Mem2Reg.h"
#include <functional>
#include <string>
#include <vector>

namespace warplint::test {

/// Included before every source, as /mock/cuda.h on the system include path.
inline const char *const CudaDeclarations = R"cuda(
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
typedef unsigned long size_t;
struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1) : x(vx), y(vy), z(vz) {}
};
struct uint3 { unsigned x, y, z; };
extern const __device__ uint3 threadIdx;
extern const __device__ uint3 blockIdx;
struct __attribute__((aligned(16))) float4 { float x, y, z, w; };
typedef struct CUstream_st *cudaStream_t;
typedef int cudaError_t;
extern "C" cudaError_t cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, cudaStream_t = 0);
extern "C" cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
struct cudaLaunchConfig_t { dim3 gridDim; dim3 blockDim; size_t dynamicSmemBytes; cudaStream_t stream; };
extern "C" cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *, const void *, void **);
template <class... P, class... A> cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *, void (*)(P...), A &&...);
extern "C" __device__ cudaError_t cudaLaunchDevice(void *, void *, dim3, dim3, unsigned, cudaStream_t);
extern "C" __device__ void *cudaGetParameterBuffer(size_t, size_t);
extern "C" cudaError_t cudaMemcpyToSymbol(const void *, const void *, size_t);
extern "C" double ceil(double);
namespace std {
template <class T> constexpr const T &min(const T &a, const T &b) { return b < a ? b : a; }
template <class T> struct remove_reference { typedef T type; };
template <class T> struct remove_reference<T &> { typedef T type; };
template <class T> constexpr T &&forward(typename remove_reference<T>::type &t) { return static_cast<T &&>(t); }
template <class T> constexpr const T &max(const T &a, const T &b) { return a < b ? b : a; }
}
__device__ inline float __ldg(const float *p) { return *p; }
__device__ inline float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
)cuda";

struct DeviceUnit {
  clang::ASTContext &ast;
  llvm::Module &module;
};

/// Calls `Use` with the AST and the IR of the device side of `Code`, the file /src/test.cu. False: errors.
inline bool withDeviceUnit(const std::string &Code, const std::function<void(DeviceUnit &)> &Use) {
  using namespace clang;
  class Consumer : public MultiplexConsumer {
  public:
    Consumer(CodeGenerator *Generator, const std::function<void(DeviceUnit &)> &Use)
        : MultiplexConsumer(owning(Generator)), Generator(Generator), Use(Use) {}
    void HandleTranslationUnit(ASTContext &Context) override {
      MultiplexConsumer::HandleTranslationUnit(Context);
      if (Context.getDiagnostics().hasErrorOccurred())
        return;
      llvm::Module &Module = *Generator->GetModule();
      promote(Module);
      DeviceUnit Unit{Context, Module};
      Use(Unit);
    }

  private:
    static std::vector<std::unique_ptr<ASTConsumer>> owning(CodeGenerator *Generator) {
      std::vector<std::unique_ptr<ASTConsumer>> Consumers;
      Consumers.emplace_back(Generator);
      return Consumers;
    }
    static void promote(llvm::Module &Module) {
      llvm::PassBuilder Builder;
      llvm::LoopAnalysisManager Loops;
      llvm::FunctionAnalysisManager Functions;
      llvm::CGSCCAnalysisManager Graph;
      llvm::ModuleAnalysisManager Modules;
      Builder.registerModuleAnalyses(Modules);
      Builder.registerCGSCCAnalyses(Graph);
      Builder.registerFunctionAnalyses(Functions);
      Builder.registerLoopAnalyses(Loops);
      Builder.crossRegisterProxies(Loops, Functions, Graph, Modules);
      llvm::ModulePassManager Passes;
      Passes.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::PromotePass()));
      Passes.run(Module, Modules);
    }
    CodeGenerator *Generator;
    const std::function<void(DeviceUnit &)> &Use;
  };
  class Action : public ASTFrontendAction {
  public:
    explicit Action(const std::function<void(DeviceUnit &)> &Use) : Use(Use) {}
    std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI, StringRef File) override {
      return std::make_unique<Consumer>(CreateLLVMCodeGen(CI, File, Context).release(), Use);
    }

  private:
    llvm::LLVMContext Context;
    const std::function<void(DeviceUnit &)> &Use;
  };
  return tooling::runToolOnCodeWithArgs(
      std::make_unique<Action>(Use), Code,
      {"-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "--cuda-gpu-arch=sm_80", "-fgpu-rdc",
       "-std=c++17", "-g", "-O0", "-Xclang", "-disable-O0-optnone", "-fno-discard-value-names", "-isystem",
       "/mock", "-include", "cuda.h", "-fsyntax-only", "-Wno-everything"},
      "/src/test.cu", "warplint-test", std::make_shared<PCHContainerOperations>(),
      {{"/mock/cuda.h", CudaDeclarations}});
}

} // namespace warplint::test

#endif
