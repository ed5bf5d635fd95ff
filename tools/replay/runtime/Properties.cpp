#include "tools/replay/runtime/Properties.h"
#include "tools/replay/runtime/Runtime.h"
#include <charconv>

using namespace warplint::replay;

/// A100-SXM4-40GB: cudaGetDeviceProperties' values, as NVIDIA's deviceQuery prints them.
/// No object: what is written at exit reads it.
static constexpr std::pair<const char *, int64_t> Defaults[] = {
    {"totalGlobalMem", 42285268992},
    {"sharedMemPerBlock", 49152},
    {"regsPerBlock", 65536},
    {"warpSize", 32},
    {"memPitch", 2147483647},
    {"maxThreadsPerBlock", 1024},
    {"maxThreadsDim[0]", 1024},
    {"maxThreadsDim[1]", 1024},
    {"maxThreadsDim[2]", 64},
    {"maxGridSize[0]", 2147483647},
    {"maxGridSize[1]", 65535},
    {"maxGridSize[2]", 65535},
    {"clockRate", 1410000},
    {"totalConstMem", 65536},
    {"major", 8},
    {"minor", 0},
    {"textureAlignment", 512},
    {"texturePitchAlignment", 32},
    {"deviceOverlap", 1},
    {"multiProcessorCount", 108},
    {"integrated", 0},
    {"canMapHostMemory", 1},
    {"maxTexture1D", 131072},
    {"surfaceAlignment", 512},
    {"concurrentKernels", 1},
    {"ECCEnabled", 1},
    {"asyncEngineCount", 3},
    {"unifiedAddressing", 1},
    {"memoryClockRate", 1215000},
    {"memoryBusWidth", 5120},
    {"l2CacheSize", 41943040},
    {"persistingL2CacheMaxSize", 31457280},
    {"maxThreadsPerMultiProcessor", 2048},
    {"streamPrioritiesSupported", 1},
    {"globalL1CacheSupported", 1},
    {"localL1CacheSupported", 1},
    {"sharedMemPerMultiprocessor", 167936},
    {"regsPerMultiprocessor", 65536},
    {"managedMemory", 1},
    {"singleToDoublePrecisionPerfRatio", 2},
    {"concurrentManagedAccess", 1},
    {"computePreemptionSupported", 1},
    {"canUseHostPointerForRegisteredMem", 1},
    {"cooperativeLaunch", 1},
    {"sharedMemPerBlockOptin", 166912},
    {"maxBlocksPerMultiProcessor", 32},
    {"accessPolicyMaxWindowSize", 134213632},
    {"reservedSharedMemPerBlock", 1024},
    {"hostRegisterSupported", 1},
    {"memoryPoolsSupported", 1},
};

Properties::Properties(std::string_view Changes) : Values(std::begin(Defaults), std::end(Defaults)) {
  while (!Changes.empty()) {
    const size_t End = Changes.find(';');
    const std::string_view Entry = Changes.substr(0, End);
    Changes = End == std::string_view::npos ? std::string_view() : Changes.substr(End + 1);
    const size_t Equal = Entry.find('=');
    if (Equal == std::string_view::npos)
      continue;
    const std::string Key(Entry.substr(0, Equal));
    const std::string_view Value = Entry.substr(Equal + 1);
    int64_t Number;
    if (Key == "name")
      Name = Value;
    else if (std::from_chars(Value.data(), Value.data() + Value.size(), Number).ec == std::errc())
      Values[Key] = Number;
  }
}

int64_t Properties::get(const std::string &Wanted) const {
  auto It = Values.find(Wanted);
  return It == Values.end() ? 0 : It->second;
}

const Properties &warplint::replay::properties() {
  static const Properties &P = *new Properties(runtime().options.gpu);
  return P;
}

extern "C" long long warplintReplayProperty(const char *Name) { return properties().get(Name); }
extern "C" const char *warplintReplayDeviceName(void) { return properties().name().c_str(); }
