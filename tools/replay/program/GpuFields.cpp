//===-- GpuFields.cpp - The GPU that a replayed program sees ---------------------===//
#include "tools/replay/program/GpuFields.h"
#include "analyzer/model/Gpu.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace warplint;

Expected<std::string> replay::gpuFields(StringRef Text) {
  if (Text.empty() || Text.contains('='))
    return Text.str();
  Expected<model::Gpu> Gpu = model::parseGpu(Text);
  if (!Gpu)
    return Gpu.takeError();
  const model::SmLimits *Limits = Gpu->limits();
  if (!Limits)
    return createStringError("nothing is known of the multiprocessors of '" + Text + "'");
  std::string Fields;
  raw_string_ostream OS(Fields);
  OS << "name=" << Gpu->name << ";major=" << Gpu->sm / 10 << ";minor=" << Gpu->sm % 10
     << ";regsPerBlock=" << Limits->registers << ";regsPerMultiprocessor=" << Limits->registers
     << ";maxThreadsPerBlock=" << Limits->maxThreadsPerBlock << ";maxThreadsPerMultiProcessor=" << 32 * Limits->maxWarps
     << ";maxBlocksPerMultiProcessor=" << Limits->maxBlocks << ";sharedMemPerMultiprocessor=" << Limits->sharedBytes
     << ";sharedMemPerBlock=" << Limits->sharedBytesPerBlock
     << ";sharedMemPerBlockOptin=" << Limits->sharedBytesPerBlockOptIn
     << ";reservedSharedMemPerBlock=" << Limits->reservedSharedBytes;
  if (Gpu->smCount)
    OS << ";multiProcessorCount=" << Gpu->smCount;
  if (Gpu->l2Bytes)
    OS << ";l2CacheSize=" << Gpu->l2Bytes;
  return Fields;
}
