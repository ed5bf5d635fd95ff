//===-- Standalone.cpp - A fuzz target without libFuzzer ------------------===//
//
//   warplint_fuzz_NAME [--mutations N] [--dictionary FILE] SEEDS...
//
// Runs the target on every seed (files, and files of folders), then on N mutations of them, always the same
// ones.
//
//===----------------------------------------------------------------------===//
#include "test/fuzz/targets/Target.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Signals.h"
#include <algorithm>
#include <random>

using namespace llvm;

namespace {

cl::list<std::string> Seeds(cl::Positional, cl::desc("SEEDS..."), cl::OneOrMore);
cl::opt<unsigned> Mutations("mutations", cl::desc("Mutations to run after the seeds"), cl::init(10000));
cl::opt<std::string> Dictionary("dictionary", cl::desc("Words for mutations, as libFuzzer has them"));

using Inputs = std::vector<std::string>;

void read(StringRef Name, Inputs &Into) {
  if (auto Buffer = MemoryBuffer::getFile(Name))
    Into.push_back((*Buffer)->getBuffer().str());
}

Inputs readSeeds() {
  std::vector<std::string> Names;
  for (const std::string &Seed : Seeds) {
    if (!sys::fs::is_directory(Seed)) {
      Names.push_back(Seed);
      continue;
    }
    std::error_code Problem;
    for (sys::fs::directory_iterator It(Seed, Problem), End; It != End && !Problem; It.increment(Problem))
      Names.push_back(It->path());
  }
  std::sort(Names.begin(), Names.end()); // the order of a folder is no order
  Inputs Result;
  for (const std::string &Name : Names)
    read(Name, Result);
  return Result;
}

/// The words in quotes; escapes are left as they are.
Inputs readDictionary() {
  Inputs Files, Result;
  if (!Dictionary.empty())
    read(Dictionary, Files);
  for (StringRef Rest : Files)
    while (!Rest.empty()) {
      auto [Line, Next] = Rest.split('\n');
      if (size_t Start = Line.find('"'); Start != StringRef::npos && !Line.starts_with("#"))
        Result.push_back(Line.drop_front(Start + 1).rsplit('"').first.str());
      Rest = Next;
    }
  return Result;
}

class Mutants {
public:
  Mutants(const Inputs &Corpus, const Inputs &Words) : Corpus(Corpus), Words(Words) {}

  std::string next() {
    std::string Text = any(Corpus);
    for (size_t Edits = 1 + pick(6); Edits; --Edits)
      edit(Text);
    return Text;
  }

private:
  size_t pick(size_t Count) { return size_t(Random() % Count); }
  const std::string &any(const Inputs &From) { return From[pick(From.size())]; }

  void edit(std::string &Text) {
    const size_t At = pick(Text.size() + 1), Length = std::min(Text.size() - At, 1 + pick(8));
    switch (pick(7)) {
    case 0:
      Text.erase(At, Length);
      break;
    case 1:
      Text.insert(At, 1, char(Random()));
      break;
    case 2:
      Text.insert(At, Text.substr(pick(Text.size() + 1), 1 + pick(40)));
      break;
    case 3: {
      const std::string &Other = any(Corpus);
      Text.insert(At, Other.substr(pick(Other.size() + 1), 1 + pick(40)));
      break;
    }
    case 4:
      if (At < Text.size())
        Text[At] = char(Text[At] ^ (1 << pick(8)));
      break;
    default:
      if (!Words.empty())
        Text.replace(At, pick(2) ? Length : 0, any(Words));
    }
  }

  const Inputs &Corpus, &Words;
  std::mt19937_64 Random{1};
};

std::string Current;

/// So that a failure can be run again by itself.
void saveInput(void *) {
  std::error_code Problem;
  raw_fd_ostream("fuzz-failure", Problem) << Current;
  errs() << "the input is in the file 'fuzz-failure' of the current folder\n";
}

void run(std::string Text) {
  Current = std::move(Text);
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(Current.data()), Current.size());
}

} // namespace

int main(int Argc, char **Argv) {
  InitLLVM Init(Argc, Argv);
  cl::ParseCommandLineOptions(Argc, Argv, "A fuzz target on its seeds\n");
  sys::AddSignalHandler(saveInput, nullptr);
  const Inputs Corpus = readSeeds(), Words = readDictionary();
  if (Corpus.empty()) {
    errs() << Argv[0] << ": no seeds\n";
    return 2;
  }
  for (const std::string &Seed : Corpus)
    run(Seed);
  Mutants Mutated(Corpus, Words);
  for (unsigned I = 0; I < Mutations; ++I)
    run(Mutated.next());
  outs() << Corpus.size() << " seeds and " << Mutations << " mutations hold\n";
  return 0;
}
