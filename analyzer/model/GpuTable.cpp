//===-- GpuTable.cpp - The numbers of each GPU -------------------------------===//
//
// Two tables: GPUs, and what an SM of each compute capability holds. A new GPU is one row here and one in
// test/unit/model/data/gpus.json, which holds the same figures in the data sheets' units with their sources.
//
//===----------------------------------------------------------------------===//
#include "analyzer/model/Gpu.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace warplint::model;

namespace {

constexpr unsigned KiB = 1024, MiB = 1024 * KiB;

// Columns as in SmLimits: sm, partitions, warps, blocks, threads and registers, barriers, shared memory.
constexpr SmLimits Limits[] = {
    {60, 2, 64, 32, 1024, 65536, 255, 0, 64 * KiB, 48 * KiB, 48 * KiB, 0, 256},
    {61, 4, 64, 32, 1024, 65536, 255, 0, 96 * KiB, 48 * KiB, 48 * KiB, 0, 256},
    {70, 4, 64, 32, 1024, 65536, 255, 0, 96 * KiB, 48 * KiB, 96 * KiB, 0, 256},
    {75, 4, 32, 16, 1024, 65536, 255, 0, 64 * KiB, 48 * KiB, 64 * KiB, 0, 256},
    {80, 4, 64, 32, 1024, 65536, 255, 0, 164 * KiB, 48 * KiB, 163 * KiB, 1 * KiB, 128},
    {86, 4, 48, 16, 1024, 65536, 255, 0, 100 * KiB, 48 * KiB, 99 * KiB, 1 * KiB, 128},
    {87, 4, 48, 16, 1024, 65536, 255, 0, 164 * KiB, 48 * KiB, 163 * KiB, 1 * KiB, 128},
    {89, 4, 48, 24, 1024, 65536, 255, 0, 100 * KiB, 48 * KiB, 99 * KiB, 1 * KiB, 128},
    {90, 4, 64, 32, 1024, 65536, 255, 64, 228 * KiB, 48 * KiB, 227 * KiB, 1 * KiB, 128},
    {100, 4, 64, 32, 1024, 65536, 255, 64, 228 * KiB, 48 * KiB, 227 * KiB, 1 * KiB, 128},
    {120, 4, 48, 24, 1024, 65536, 255, 24, 100 * KiB, 48 * KiB, 99 * KiB, 1 * KiB, 128},
};

// A GPU is a row. Columns as in Gpu: key, name, aliases, sm, SMs, L2, byte/s, and FLOP/s in FP32, FP64 and
// (tensor cores) FP16.
// clang-format off
constexpr Gpu Gpus[] = {
    // No document at hand: fp64.
    {"gtx1080ti", "GeForce GTX 1080 Ti", {}, 61, 28, 2816 * KiB, 484e9, 11.3e12, 0.354e12, std::nullopt},
    // No document at hand: fp32, fp64.
    {"p100-sxm2", "Tesla P100 SXM2 16GB", {"Tesla P100-SXM2-16GB", "p100"},
     60, 56, 4 * MiB, 732e9, 10.6e12, 5.3e12, std::nullopt},
    {"v100-sxm2", "Tesla V100 SXM2", {"v100", "Tesla V100-SXM2-16GB"},
     70, 80, 6 * MiB, 900e9, 15.7e12, 7.8e12, 125e12},
    {"v100-pcie", "Tesla V100 PCIe", {"Tesla V100-PCIE-16GB"}, 70, 80, 6 * MiB, 900e9, 14e12, 7e12, 112e12},
    // No document at hand: fp64.
    // Sustained clocks are far below boost: 8.1 TFLOPS is a peak.
    {"t4", "Tesla T4", {}, 75, 40, 4 * MiB, 320e9, 8.1e12, 0.253e12, 65e12},
    // No document at hand: SMs, L2, fp64.
    {"a10", "A10", {}, 86, 72, 6 * MiB, 600e9, 31.2e12, 0.488e12, 125e12},
    {"a100-40-pcie", "A100 40GB PCIe", {"A100-PCIE-40GB"},
     80, 108, 40 * MiB, 1555e9, 19.5e12, 9.7e12, 312e12},
    {"a100-40-sxm", "A100 40GB SXM4", {"a100-40", "A100-SXM4-40GB"},
     80, 108, 40 * MiB, 1555e9, 19.5e12, 9.7e12, 312e12},
    {"a100-80-pcie", "A100 80GB PCIe", {}, 80, 108, 40 * MiB, 1935e9, 19.5e12, 9.7e12, 312e12},
    {"a100-80-sxm", "A100 80GB SXM4", {"a100", "a100-80", "A100-SXM4-80GB"},
     80, 108, 40 * MiB, 2039e9, 19.5e12, 9.7e12, 312e12},
    // No document at hand: fp64.
    {"rtx3090", "GeForce RTX 3090", {}, 86, 82, 6 * MiB, 936e9, 35.6e12, 0.556e12, 71e12},
    {"rtx4090", "GeForce RTX 4090", {}, 89, 128, 72 * MiB, 1008e9, 82.6e12, 1.29e12, 165.2e12},
    // No document at hand: SMs, L2, fp64.
    {"l4", "L4", {}, 89, 58, 48 * MiB, 300e9, 30.3e12, 0.473e12, 121e12},
    // No document at hand: L2.
    {"l40s", "L40S", {}, 89, 142, 96 * MiB, 864e9, 91.6e12, 1.43e12, 362e12},
    // NVIDIA prints 2 TB/s; some whitepaper revisions 2039 GB/s.
    {"h100-pcie", "H100 PCIe 80GB", {"H100 PCIe"}, 90, 114, 50 * MiB, 2000e9, 51e12, 26e12, 756e12},
    {"h100-sxm", "H100 SXM5 80GB", {"h100", "H100 80GB HBM3"},
     90, 132, 50 * MiB, 3350e9, 67e12, 34e12, 989e12},
    // NVIDIA documents H100/H200 L2 as 50 MB; PyTorch reported 60 MB on an H200.
    {"h200-sxm", "H200 SXM 141GB", {"h200"}, 90, 132, 60 * MiB, 4800e9, 67e12, 34e12, 989e12},
    // Earlier NVIDIA sheets: 80/40 TFLOPS and 8 TB/s (192 GB).
    {"b200", "B200 SXM (HGX, 180GB)", {}, 100, 148, 129536 * KiB, 7700e9, 75e12, 37e12, 2250e12},
    // No document at hand: L2.
    {"rtx5090", "GeForce RTX 5090", {}, 120, 170, 96 * MiB, 1792e9, 104.8e12, 1.64e12, 209.5e12},
    // No document at hand: fp64, fp16 tensor = INT8 dense 85/2, L2.
    // Bandwidth is shared with the CPU.
    {"orin-agx-64", "Jetson AGX Orin 64GB", {"orin"}, 87, 16, 4 * MiB, 204.8e9, 5.3e12, 0.083e12, 42.5e12},
    {"seed-20-1", "worked examples: 20 TFLOP/s, 1 TB/s", {},
     0, 0, 0, 1000e9, 20e12, std::nullopt, std::nullopt},
};
// clang-format on

} // namespace

ArrayRef<SmLimits> warplint::model::allSmLimits() { return Limits; }

const SmLimits *warplint::model::smLimits(unsigned Sm) {
  const SmLimits *Found = find_if(Limits, [Sm](const SmLimits &L) { return L.sm == Sm; });
  return Found == std::end(Limits) ? nullptr : Found;
}

ArrayRef<Gpu> warplint::model::gpus() { return Gpus; }
