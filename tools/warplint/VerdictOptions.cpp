//===-- VerdictOptions.cpp - The command line about kernels as a whole -------------------===//
#include "tools/warplint/VerdictOptions.h"
#include "tools/options/Options.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include <sys/ioctl.h>
#include <unistd.h>

using namespace llvm;
using namespace warplint;
using namespace warplint::options;

namespace {

Opt<std::string>
    GpuName("gpu",
            cl::desc("GPU to rate kernels for: a name of --list-gpus, or its rates in FLOP/s and byte/s"),
            cl::value_desc("NAME|peak=..,bw=.."), cl::cat(Category));
Opt<bool> ListGpus("list-gpus", cl::desc("List the GPUs that --gpu knows"), cl::cat(Category));
cl::list<std::string> Registers("registers",
                                cl::desc("Registers per thread, of every kernel or of the kernel NAME"),
                                cl::value_desc("[NAME=]N"), cl::cat(Category));
Opt<std::string> PtxasFile("ptxas-log",
                           cl::desc("Output of nvcc -Xptxas -v, for the registers of each kernel"),
                           cl::value_desc("FILE"), cl::cat(Category));
Opt<std::string> CacheHit("cache-hit",
                          cl::desc("Share of the bandwidth that the caches keep, 0 to 1, for the efficiency"),
                          cl::value_desc("SHARE"), cl::cat(Category));
Opt<bool> Tables("report",
                 cl::desc("After the findings: tables of all accesses and of each kernel as a whole"),
                 cl::cat(Category));

constexpr unsigned MaxRegisters = 255; // of a thread, on every architecture

Error readRegisters(driver::Machine &M) {
  for (const std::string &Item : Registers) {
    // Signatures may hold '='; numbers do not.
    const auto [Before, After] = StringRef(Item).rsplit('=');
    const bool HasName = StringRef(Item).contains('=');
    const StringRef Name = HasName ? Before.trim() : "", Text = HasName ? After : StringRef(Item);
    unsigned Number = 0;
    if ((HasName && Name.empty()) || Text.trim().getAsInteger(10, Number) || Number == 0 ||
        Number > MaxRegisters)
      return createStringError("--registers=" + Item + ": expected N or NAME=N with a number from 1 to " +
                               utostr(MaxRegisters) + ", e.g. --registers=transpose=32");
    if (HasName)
      M.registersOf[Name.str()] = Number;
    else
      M.registers = Number;
  }
  return Error::success();
}

Error readLog(driver::Machine &M) {
  if (!PtxasFile.getNumOccurrences())
    return Error::success();
  auto Text = MemoryBuffer::getFile(PtxasFile, /*IsText=*/true);
  if (!Text)
    return createStringError("--ptxas-log=" + PtxasFile + ": cannot be read: " + Text.getError().message());
  Expected<driver::PtxasLog> Log = driver::PtxasLog::parse((*Text)->getBuffer());
  if (!Log)
    return createStringError("--ptxas-log=" + PtxasFile + ": " + toString(Log.takeError()));
  M.ptxas = std::make_shared<driver::PtxasLog>(std::move(*Log));
  M.ptxasFile = PtxasFile;
  return Error::success();
}

Error readCacheHit(driver::Machine &M) {
  if (!CacheHit.getNumOccurrences())
    return Error::success();
  double Share = 0;
  if (StringRef(CacheHit).getAsDouble(Share) || !(Share >= 0 && Share <= 1))
    return createStringError("--cache-hit=" + CacheHit +
                             ": expected a share from 0 to 1, e.g. --cache-hit=0.8");
  M.cacheHit = Share;
  return Error::success();
}

/// 0 where the standard output is no terminal. LLVM's function knows of COLUMNS alone.
unsigned terminalColumns() {
  winsize Size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &Size) == 0 ? Size.ws_col : 0;
}

} // namespace

bool warplint::listGpusIsAsked() { return ListGpus; }

std::string warplint::gpuList() { return join(model::gpuListing(), "\n") + "\n"; }

Expected<driver::Machine> warplint::machineOfOptions() {
  driver::Machine M;
  if (GpuName.getNumOccurrences()) {
    Expected<model::Gpu> G = model::parseGpu(GpuName);
    if (!G)
      return createStringError("--gpu: " + toString(G.takeError()));
    M.gpu = *G;
  }
  for (auto Read : {readRegisters, readLog, readCacheHit})
    if (Error E = Read(M))
      return E;
  return M;
}

bool warplint::tablesAreAsked() { return Tables; }

unsigned warplint::tableWidth() {
  constexpr unsigned Usual = 80, Least = 40;
  unsigned Columns = 0;
  if (auto Given = sys::Process::GetEnv("COLUMNS"); !Given || StringRef(*Given).getAsInteger(10, Columns))
    Columns = terminalColumns();
  return Columns ? std::max(Columns, Least) : Usual;
}
