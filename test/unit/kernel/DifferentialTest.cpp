//===-- DifferentialTest.cpp - The abstract machine against one that knows every thread -----===//
//
// Random kernels (Generator.h) are run by the machine over all boxes, and thread by thread (Concrete.h). Whatever
// the machine calls exact must be what the threads do.
//
//   WARPLINT_FUZZ_COUNT   how many kernels (default: what takes some seconds)
//   WARPLINT_FUZZ_SEED    the first seed
//
//===----------------------------------------------------------------------===//
#include "Concrete.h"
#include "Generator.h"
#include "analyzer/kernel/Machine.h"
#include "analyzer/kernel/Shapes.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <deque>

using namespace llvm;
using namespace warplint;
using namespace warplint::kernel;
using warplint::test::AccessCost;
using warplint::test::AccessKey;
using warplint::test::Concrete;
using warplint::test::Generator;

namespace {

uint64_t environment(const char *Name, uint64_t Default) {
  const char *V = std::getenv(Name);
  return V ? std::strtoull(V, nullptr, 10) : Default;
}

std::unique_ptr<Module> parse(LLVMContext &Context, const std::string &Text) {
  SMDiagnostic Error;
  std::unique_ptr<Module> M = parseAssemblyString(Text, Error, Context);
  if (!M) {
    std::string Message;
    raw_string_ostream OS(Message);
    Error.print("fuzz", OS);
    ADD_FAILURE() << Message << "\n" << Text;
  }
  return M;
}

struct Abstract {
  struct Result {
    bool exact = false, unknown = false;
    AccessCost cost;
    std::string text;
  };
  std::map<AccessKey, Result> sites;
  bool complete = false, assumptions = false;
  uint64_t runs = 0, steps = 0;
  std::optional<double> integers, floatingPoint; ///< operations per thread
};

/// What Analysis.cpp does with one kernel and launch.
Abstract runMachine(Module &M, const test::Program &P) {
  Abstract Out;
  auto Number = test::numberInstructions(M);
  index::Context Words;
  World W(Words);
  Recorder Records(W);
  Setting Set;
  Set.block = P.block;
  Set.grid = {{P.grid[0], P.grid[1], P.grid[2]}};
  Set.arguments = P.arguments;
  Set.parameterNames = {"p", "n", "m", "q"};
  Program TheProgram;
  Budget Limits;
  Function &F = *M.getFunction("k");
  Machine TheMachine(TheProgram, W, Records, M.getDataLayout(), Set, Limits);
  std::vector<WarpShape> Shapes = warpShapes(P.block);
  struct Piece {
    size_t shape;
    Box box;
  };
  std::deque<Piece> Work;
  auto Whole = [&](size_t S) {
    Box B{};
    for (unsigned Axis = 0; Axis < 3; ++Axis) {
      B[BlockX + Axis] = {0, int64_t(P.grid[Axis]) - 1};
      B[WarpX + Axis] = Shapes[S].warps[WarpX + Axis];
    }
    return B;
  };
  for (size_t S = 0; S < Shapes.size(); ++S)
    Work.push_back({S, Whole(S)});
  auto Run = [&](const Piece &Of, bool Forced) {
    W.box = Of.box;
    for (unsigned D = 0; D < DimensionCount; ++D)
      W.sample[D] = Of.box[D].low;
    TheMachine.work.counts = !Forced;
    TheMachine.run(F, Shapes[Of.shape]);
    TheMachine.work.endRun();
    Records.endRun(Forced);
    ++Out.runs;
  };
  for (unsigned Runs = 0; !Work.empty() && Runs < 3000 && !TheMachine.outOfBudget; ++Runs) {
    Piece Next = Runs % 3 == 2 ? Work.back() : Work.front();
    Runs % 3 == 2 ? Work.pop_back() : Work.pop_front();
    Run(Next, false);
    for (Box &Rest : without(Next.box, W.box))
      Work.push_back({Next.shape, Rest});
  }
  Out.complete = Work.empty() && !TheMachine.outOfBudget;
  for (unsigned Round = 0; Round < 4 && !TheMachine.outOfBudget; ++Round) {
    for (auto &Side : TheMachine.untaken)
      if (!TheMachine.taken.contains(Side))
        TheMachine.forced.insert(Side);
    if (TheMachine.forced.empty())
      break;
    size_t Before = TheMachine.executed.size();
    Run({0, Whole(0)}, true);
    if (TheMachine.executed.size() == Before)
      break;
  }
  Out.complete &= !TheMachine.outOfBudget;
  Out.steps = TheMachine.steps;
  Out.assumptions = !W.assumptions().empty();
  const result::Work Done = TheMachine.work.work();
  Out.integers = Done.integer.number();
  Out.floatingPoint = (Done.fp32 + Done.fp64).number();
  for (auto &S : Records.sites) {
    AccessKey Key;
    for (const CallBase *C : S->path)
      Key.first.push_back(Number.lookup(C));
    Key.second = Number.lookup(S->key.instruction);
    Abstract::Result R;
    R.unknown = !S->unknownReason.empty() || !S->haveWorst;
    R.exact = Out.complete && !R.unknown && !S->soft && S->first.space != result::Space::Local &&
              S->first.space != result::Space::Constant;
    R.cost.shared = S->first.space == result::Space::Shared;
    R.cost.sectors = unsigned(S->worst.sectors);
    R.cost.lines = unsigned(S->worst.lines);
    R.cost.ways = unsigned(S->worst.conflictWays);
    R.cost.wavefronts = unsigned(S->worst.wavefronts);
    R.cost.requests = uint64_t(S->weight + 0.5);
    R.cost.allSectors = uint64_t(S->sum.sectors + 0.5);
    R.cost.allIdeal = uint64_t(S->sum.idealSectors + 0.5);
    R.cost.allWavefronts = uint64_t(S->sum.wavefronts + 0.5);
    R.text = S->unknownReason;
    for (unsigned N : W.members(S->soft))
      R.text += "; " + W.assumptions()[N].text;
    Out.sites[Key] = R;
  }
  return Out;
}

std::string keyText(const AccessKey &K) {
  std::string T = "access";
  for (unsigned C : K.first)
    T += " " + std::to_string(C) + ">";
  return T + " " + std::to_string(K.second);
}

struct Counts {
  uint64_t programs = 0, undefined = 0, incomplete = 0, sites = 0, exact = 0, assumed = 0, unknown = 0, runs = 0, counted = 0;
};

/// The values of unknown parameters that are tried: nothing in them is a multiple of anything, or everything.
std::vector<std::vector<int64_t>> trials(const test::Program &P) {
  if (P.arguments[1])
    return {{0, *P.arguments[1], *P.arguments[2], *P.arguments[3]}};
  return {{0, 20480, 28672, 45056}, {0, 1, 2, 3}, {0, 7, 7, 7}, {0, 33, 64, 100}, {0, 1000, 999, 1}, {0, 4097, 5, 31}, {0, 0x7fffffff, 0x40000001, -33}};
}

/// What differs, or nothing. `Defined`: at least one trial has a defined result.
std::string compare(const test::Program &P, Counts *Count, bool &Defined) {
  Defined = false;
  LLVMContext Context;
  std::unique_ptr<Module> Reference = parse(Context, P.text), Subject = parse(Context, P.text);
  if (!Reference || !Subject)
    return "";
  std::vector<std::map<AccessKey, AccessCost>> Expected;
  std::vector<std::pair<double, double>> Done; // integer and floating-point operations per thread
  double Threads = 1;
  for (unsigned Axis = 0; Axis < 3; ++Axis)
    Threads *= P.block[Axis] * P.grid[Axis];
  for (const std::vector<int64_t> &Arguments : trials(P)) {
    Concrete C(*Reference, P.block, P.grid);
    if (auto R = C.run(*Reference->getFunction("k"), Arguments)) {
      Expected.push_back(std::move(*R));
      Done.emplace_back(C.IntegerWork / Threads, C.FloatWork / Threads);
    }
  }
  if (Count) {
    ++Count->programs;
    Count->undefined += Expected.empty();
  }
  if (Expected.empty())
    return "";
  Defined = true;
  Abstract A = runMachine(*Subject, P);
  std::string Text;
  for (auto &[Key, R] : A.sites) {
    if (Count) {
      ++Count->sites;
      Count->exact += R.exact;
      Count->unknown += R.unknown;
      Count->assumed += !R.exact && !R.unknown;
    }
    if (!R.exact)
      continue;
    for (auto &E : Expected) {
      auto It = E.find(Key);
      AccessCost Here = It == E.end() ? AccessCost() : It->second;
      if (Here.severalSpaces)
        Text += keyText(Key) + " reaches several memory spaces, and is called exact\n";
      else if (Here.all() != R.cost.all())
        Text += keyText(Key) + "\n  machine: " + R.cost.text() + "\n  threads: " + Here.text() + "\n";
    }
  }
  if (Count) {
    Count->incomplete += !A.complete;
    Count->runs += A.runs;
  }
  if (A.complete && !A.assumptions)
    for (auto [Integers, Floats] : Done) {
      const auto Same = [](std::optional<double> Counted, double Executed) {
        return Counted && std::abs(*Counted - Executed) <= 1e-9 * (1 + Executed);
      };
      if (Same(A.integers, Integers) && Same(A.floatingPoint, Floats)) {
        if (Count)
          ++Count->counted;
        continue;
      }
      Text += "operations per thread: " + std::to_string(Integers) + " of integers, " + std::to_string(Floats) +
              " of floating point; counted " + std::to_string(A.integers.value_or(-1)) + ", " +
              std::to_string(A.floatingPoint.value_or(-1)) + "\n";
    }
  if (A.complete && !A.assumptions)
    for (auto &E : Expected)
      for (auto &[Key, Cost] : E)
        if (!A.sites.contains(Key))
          Text += keyText(Key) + " happens, but not in the machine\n";
  return Text;
}

//===----------------------------------------------------------------------===//
// Reduction
//===----------------------------------------------------------------------===//

/// Applies the K-th simplification; false when there are no more.
bool simplify(Module &M, unsigned K) {
  for (Function &F : M)
    for (BasicBlock &B : F)
      for (Instruction &I : B) {
        if (auto *Br = dyn_cast<BranchInst>(&I); Br && Br->isConditional()) {
          for (unsigned Keep : {0u, 1u})
            if (K-- == 0) {
              BasicBlock *To = Br->getSuccessor(Keep), *Other = Br->getSuccessor(1 - Keep);
              if (To != Other)
                Other->removePredecessor(&B);
              BranchInst::Create(To, Br->getIterator());
              Br->eraseFromParent();
              removeUnreachableBlocks(F);
              return true;
            }
          continue;
        }
        if (I.isTerminator())
          continue;
        if (I.getType()->isVoidTy()) {
          if (K-- == 0) {
            I.eraseFromParent();
            return true;
          }
          continue;
        }
        if (I.getType()->isIntegerTy()) {
          SmallVector<llvm::Value *, 4> Replacements{ConstantInt::get(I.getType(), 0), ConstantInt::get(I.getType(), 1)};
          for (llvm::Value *V : I.operands())
            if (V->getType() == I.getType() && V != &I)
              Replacements.push_back(V);
          for (llvm::Value *V : Replacements)
            if (K-- == 0) {
              I.replaceAllUsesWith(V);
              I.eraseFromParent();
              return true;
            }
        } else if (I.use_empty() && K-- == 0) {
          I.eraseFromParent();
          return true;
        }
        for (Use &U : I.operands())
          if (auto *C = dyn_cast<ConstantInt>(U);
              C && !isa<CallBase, SwitchInst>(I) && C->getBitWidth() > 1 && !C->isZero() && !C->isOne())
            if (K-- == 0) {
              U.set(ConstantInt::get(C->getType(), C->getValue().sdiv(APInt(C->getBitWidth(), 2))));
              return true;
            }
      }
  return false;
}

test::Program reduce(test::Program P) {
  bool Defined;
  unsigned Budget = 4000;
  for (bool Progress = true; Progress && Budget;) {
    Progress = false;
    for (unsigned Axis = 0; Axis < 3; ++Axis)
      for (auto *Size : {&P.grid[Axis], &P.block[Axis]})
        while (*Size > 1) {
          unsigned Old = *Size;
          *Size = Old / 2;
          if (compare(P, nullptr, Defined).empty()) {
            *Size = Old;
            break;
          }
          Progress = true;
        }
    for (unsigned K = 0; Budget; --Budget) {
      LLVMContext Context;
      std::unique_ptr<Module> M = parse(Context, P.text);
      if (!simplify(*M, K))
        break;
      test::Program Smaller = P;
      Smaller.text.clear();
      raw_string_ostream OS(Smaller.text);
      M->print(OS, nullptr);
      if (!verifyModule(*M) && !compare(Smaller, nullptr, Defined).empty()) {
        P = Smaller;
        Progress = true;
      } else {
        ++K;
      }
    }
  }
  return P;
}

void fuzz(bool Unknowns, uint64_t Count, uint64_t Seed) {
  Counts Total;
  unsigned Failures = 0;
  for (uint64_t N = 0; N < Count && Failures < environment("WARPLINT_FUZZ_FAILURES", 3); ++N) {
    test::Program P = Generator(Seed + N, Unknowns).program();
    bool Defined;
    std::string Difference = compare(P, &Total, Defined);
    if (::testing::Test::HasFatalFailure())
      return;
    if (Difference.empty())
      continue;
    ++Failures;
    test::Program Small = reduce(P);
    std::string Arguments;
    for (size_t I = 1; I < 4; ++I)
      Arguments += Small.arguments[I] ? " " + std::to_string(*Small.arguments[I]) : " unknown";
    std::string Text;
    for (StringRef Line : split(Small.text, '\n'))
      if (!Line.starts_with("declare") && !Line.starts_with("target") && !Line.starts_with(";") &&
          !Line.starts_with("attributes") && !Line.empty())
        Text += Line.str() + "\n";
    ADD_FAILURE() << "seed " << Seed + N << ", block " << Small.block[0] << "x" << Small.block[1] << "x"
                  << Small.block[2] << ", grid " << Small.grid[0] << "x" << Small.grid[1] << "x" << Small.grid[2]
                  << ", arguments" << Arguments << "\n"
                  << compare(Small, nullptr, Defined) << Text;
  }
  auto Share = [&](uint64_t Part, uint64_t Of) { return std::to_string(Of ? Part * 1000 / Of / 10.0 : 0).substr(0, 5) + "%"; };
  std::printf("%llu kernels (%s undefined, %s not followed to the end), %llu accesses: exact %s, assumed %s, unknown %s; "
              "%.1f runs a kernel; operations counted in %s\n",
              (unsigned long long)Total.programs, Share(Total.undefined, Total.programs).c_str(),
              Share(Total.incomplete, Total.programs).c_str(), (unsigned long long)Total.sites,
              Share(Total.exact, Total.sites).c_str(), Share(Total.assumed, Total.sites).c_str(),
              Share(Total.unknown, Total.sites).c_str(), double(Total.runs) / double(std::max<uint64_t>(1, Total.programs)),
              Share(Total.counted, Total.programs).c_str());
  EXPECT_TRUE(Unknowns || Total.counted * 4 > Total.programs) << "work is compared too rarely";
}

} // namespace

TEST(Differential, KnownLaunches) {
  fuzz(false, environment("WARPLINT_FUZZ_COUNT", 600), environment("WARPLINT_FUZZ_SEED", 1));
}

TEST(Differential, UnknownParameters) {
  fuzz(true, environment("WARPLINT_FUZZ_COUNT", 100), environment("WARPLINT_FUZZ_SEED", 1));
}
