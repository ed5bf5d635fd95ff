#include "rules/CostContract.h"
#include "Builders.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <random>

using namespace warplint::rules;
using namespace warplint::rules::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

static CostTerms terms(llvm::StringRef Text) {
  auto Parsed = parseCostTerms(Text);
  EXPECT_TRUE(std::holds_alternative<CostTerms>(Parsed)) << Text.str();
  return std::get<CostTerms>(Parsed);
}

/// A contract on line 9 of /src/a.cu, where the builders' accesses are, or before their kernel on line 3.
static Contract onLine(llvm::StringRef Terms, unsigned Line = 9) {
  Contract C;
  C.terms = terms(Terms);
  C.place = {"/src/a.cu", Line, 60, Line, 70};
  C.files = {"/src/a.cu"};
  C.firstLine = C.lastLine = Line;
  return C;
}
static Contract beforeKernel(llvm::StringRef Terms) {
  Contract C = onLine(Terms, 3);
  C.beforeKernel = true;
  return C;
}
static Contract ofOption(std::string Kernel, llvm::StringRef Terms) {
  Contract C;
  C.terms = terms(Terms);
  C.kernel = std::move(Kernel);
  return C;
}

static Access stride(double Sectors, double Efficiency, unsigned Line = 9) {
  Access A = global([](int L) { return 8 * L; }, {1 / Efficiency, Sectors, 4, 4 / Sectors}, Line);
  A.worst.efficiency = A.mean.efficiency = Efficiency;
  return A;
}
static Access column(double Ways) {
  return shared([](int L) { return 128 * L; }, Ways, 1, Ways);
}
static Access unknown(Access A, std::string Reason) {
  A.confidence = Confidence::Unknown;
  A.reason = std::move(Reason);
  return A;
}
static Kernel with(std::vector<Access> Accesses, Kernel K = kernel()) {
  K.accesses = std::move(Accesses);
  return K;
}
static std::vector<std::string> messages(const std::vector<Kernel> &Kernels, const std::vector<Contract> &Contracts) {
  std::vector<std::string> Result;
  for (const Finding &F : checkContracts(Kernels, Contracts)) {
    EXPECT_EQ(F.rule, "cost-contract");
    EXPECT_FALSE(F.fingerprint.empty());
    Result.push_back(F.message);
  }
  return Result;
}

//===-- Words --------------------------------------------------------------------------===//

TEST(CostTerms, ReadBack) {
  for (const char *Text : {"sectors<=4", "[tile[i][j]] conflictWays==1, wavefronts<2", "efficiency>=0.95", "lines>0"})
    EXPECT_EQ(spelling(terms(Text)), Text);
  EXPECT_EQ(spelling(terms("[ tile [i] ]conflictWays == 1 ,lines>  3")), "[tile[i]] conflictWays==1, lines>3");
}

TEST(CostTerms, AnyMutantReadsBackOrHasAProblemInside) {
  std::mt19937 Random(1);
  unsigned Read = 0, Refused = 0;
  for (int I = 0; I != 20000; ++I) {
    std::string Text = I % 2 ? "[a[i]] sectors<=4, efficiency>=0.9" : "lines==1,distinctAddresses < 2";
    for (int Edits = int(Random() % 3); Edits >= 0; --Edits)
      Text.replace(Random() % Text.size(), Random() % 3, std::string(Random() % 2, "[]<=>,. 0a"[Random() % 10]));
    auto Parsed = parseCostTerms(Text);
    if (const auto *Problem = std::get_if<ContractProblem>(&Parsed)) {
      ++Refused;
      ASSERT_LE(Problem->offset, Text.size()) << Text;
      ASSERT_FALSE(Problem->message.empty()) << Text;
      continue;
    }
    ++Read;
    const std::string Once = spelling(std::get<CostTerms>(Parsed));
    ASSERT_EQ(spelling(terms(Once)), Once) << Text;
  }
  EXPECT_GT(Read, 1000u);
  EXPECT_GT(Refused, 1000u);
}

//===-- Accesses ------------------------------------------------------------------------===//

TEST(CostContract, HoldsOrNot) {
  const std::vector<Kernel> K = {with({stride(8, 0.5)})};
  for (const char *Kept : {"sectors<=8", "sectors>=8", "sectors==8", "sectors<9", "sectors>7", "efficiency>=0.5", "sectorEfficiency==0.5",
                           "lines==2", "idealSectors==4", "sectors<=8, lines<=2"})
    EXPECT_THAT(messages(K, {onLine(Kept)}), IsEmpty()) << Kept;
  for (const char *Broken : {"sectors<=7", "sectors>=9", "sectors==7", "sectors<8", "sectors>8", "efficiency>=0.51", "sectors<=8, lines<=1"})
    EXPECT_EQ(messages(K, {onLine(Broken)}).size(), 1u) << Broken;
  EXPECT_THAT(messages(K, {onLine("sectors<=4")}), ElementsAre("expected sectors<=4 of 'in[i]', found 8"));
  EXPECT_THAT(messages(K, {onLine("sectors<=4", 8)}), ElementsAre(HasSubstr("no analysed memory access is where this contract stands")));
}

TEST(CostContract, IsAnErrorWithTheContractInItsNotes) {
  const Finding F = checkContracts({with({stride(8, 0.5)})}, {onLine("sectors<=4")}).at(0);
  EXPECT_EQ(text(F), "error: expected sectors<=4 of 'in[i]', found 8 [cost-contract]\n"
                     "9: in 'k(const float *, float *, int)', block 256 from the launch at line 12\n"
                     "9: the contract: expect sectors<=4");
  EXPECT_EQ(F.place.column, 11u);
}

TEST(CostContract, SpeaksOfTheSpacesThatHaveTheKey) {
  const std::vector<Kernel> K = {with({stride(4, 1), column(32)})};
  EXPECT_THAT(messages(K, {onLine("sectors<=4")}), IsEmpty());
  EXPECT_THAT(messages(K, {onLine("conflictWays==1")}), ElementsAre("expected conflictWays==1 of 'tile[i]', found 32"));
  EXPECT_THAT(messages(K, {onLine("distinctAddresses==1")}),
              ElementsAre("expected distinctAddresses==1, but only accesses of global and shared memory are here, which have no distinctAddresses"));
}

TEST(CostContract, ASubjectIsABaseOrAnExpression) {
  Access Other = stride(8, 0.5);
  Other.base = "out";
  Other.expression = "out[ 2*i ]";
  const std::vector<Kernel> K = {with({stride(4, 1), Other})};
  EXPECT_THAT(messages(K, {onLine("[in] sectors<=4")}), IsEmpty());
  EXPECT_EQ(messages(K, {onLine("[out] sectors<=4")}).size(), 1u);
  EXPECT_EQ(messages(K, {onLine("[out[2 * i]] sectors<=4")}).size(), 1u);
  EXPECT_THAT(messages(K, {onLine("[inn] sectors<=4")}), ElementsAre(HasSubstr("no access here has the base or the expression 'inn'; there is in, in[i], out, out[2*i]")));
}

TEST(CostContract, WhatIsNotKnownCannotBeChecked) {
  EXPECT_THAT(messages({with({unknown(stride(4, 1), "the index comes from memory")})}, {onLine("sectors<=4")}),
              ElementsAre("cannot be checked: expected sectors<=4 of 'in[i]', whose cost is not known: the index comes from memory"));
  Access Anywhere = unknown(stride(4, 1), "the object is not known");
  Anywhere.space = Space::Unknown;
  EXPECT_THAT(messages({with({column(1), Anywhere})}, {onLine("conflictWays==1")}), ElementsAre(HasSubstr("cannot be checked")));
  EXPECT_THAT(messages({with({column(1), Anywhere})}, {onLine("[tile] conflictWays==1")}), IsEmpty());
}

TEST(CostContract, ACallStandsForTheAccessesOfTheHelper) {
  Access A = stride(8, 0.5, 40);
  A.place.file = "/src/helper.cuh";
  EXPECT_THAT(messages({with({A})}, {onLine("sectors<=4")}), ElementsAre(HasSubstr("no analysed memory access")));
  A.calledFrom = {"/src/a.cu", 9, 5, 9, 20};
  const auto F = checkContracts({with({A})}, {onLine("sectors<=4")});
  ASSERT_EQ(F.size(), 1u);
  EXPECT_EQ(F[0].message, "expected sectors<=4 of 'in[i]', found 8");
  EXPECT_EQ(F[0].place.line, 9u);
  EXPECT_THAT(messages({with({A})}, {onLine("sectors<=8")}), IsEmpty());
}

TEST(CostContract, AssumedNumbersCount) {
  Access A = stride(8, 0.5);
  A.confidence = Confidence::Assumed;
  A.assumptions = {"n is a multiple of 32"};
  EXPECT_THAT(messages({with({A})}, {onLine("sectors<=8")}), IsEmpty());
  const Finding F = checkContracts({with({A})}, {onLine("sectors<=4")}).at(0);
  EXPECT_EQ(F.confidence, Confidence::Assumed);
  EXPECT_THAT(text(F), HasSubstr("assumed: n is a multiple of 32"));
}

TEST(CostContract, RemovedAccessesCostNothing) {
  Access Removed = stride(32, 0.1);
  Removed.removed = true;
  EXPECT_THAT(messages({with({Removed, stride(4, 1)})}, {onLine("sectors<=4")}), IsEmpty());
  EXPECT_THAT(messages({with({Removed})}, {onLine("sectors<=4")}), ElementsAre("cannot be checked: the compiler removes what is here"));
}

TEST(CostContract, EveryInstanceIsCheckedAndTheWorstNamed) {
  Kernel Two = with({stride(8, 0.5)}), Eight = with({stride(32, 0.125)}), One = with({stride(4, 1)});
  Eight.signature = "k<8>()";
  const auto F = checkContracts({One, Two, Eight}, {onLine("sectors<=4")});
  ASSERT_EQ(F.size(), 1u);
  EXPECT_EQ(F[0].message, "expected sectors<=4 of 'in[i]', found 32");
  EXPECT_THAT(text(F[0]), HasSubstr("so it is in 2 instances and launches; the worst is in 'k<8>()'"));
}

TEST(CostContract, UnderAConditionMissingCodeIsANote) {
  Contract C = onLine("sectors<=4", 8);
  C.conditional = true;
  const auto F = checkContracts({with({stride(8, 0.5)})}, {C});
  ASSERT_EQ(F.size(), 1u);
  EXPECT_EQ(F[0].severity, Severity::Note);
  C.firstLine = C.lastLine = 9;
  EXPECT_EQ(checkContracts({with({stride(8, 0.5)})}, {C}).at(0).severity, Severity::Error);
}

TEST(CostContract, OtherFilesAreNotMeant) {
  Contract C = onLine("sectors<=4");
  C.files = {"/src/b.cu"};
  EXPECT_THAT(messages({with({stride(8, 0.5)})}, {C}), ElementsAre(HasSubstr("no analysed memory access")));
}

//===-- Kernels -------------------------------------------------------------------------===//

TEST(CostContract, OfAKernelAllBytesThatMoveCount) {
  // 128 of 128 bytes and 128 of 256; in sectors 4 of 4 and 4 of 16.
  const std::vector<Kernel> K = {with({stride(4, 1), stride(16, 0.5), column(32)})};
  EXPECT_THAT(messages(K, {beforeKernel("efficiency>=0.666")}), IsEmpty());
  EXPECT_THAT(messages(K, {beforeKernel("efficiency>=0.67")}),
              ElementsAre("expected efficiency>=0.67 of the kernel 'k', over 2 global accesses, found 0.666667"));
  EXPECT_THAT(messages(K, {beforeKernel("sectorEfficiency==0.4")}), IsEmpty());
  EXPECT_THAT(messages(K, {onLine("efficiency>=0.66", 3)}), IsEmpty()) << "on the line of the kernel's name";
}

TEST(CostContract, ExecutionsWeigh) {
  Access Often = stride(32, 0.5), Once = stride(4, 1);
  Often.loop = 0;
  Often.iterations = 3; // 128 of 128 bytes, and 384 of 768
  EXPECT_THAT(messages({with({Once, Often})}, {beforeKernel("efficiency>=0.58")}), ElementsAre(HasSubstr("found 0.571429")));
  EXPECT_THAT(messages({with({Once, Often})}, {beforeKernel("efficiency>=0.57")}), IsEmpty());
  Often.total = Total{1, 0, 0, 0}, Once.total = Total{2, 0, 0, 0}; // 256 of 256, and 128 of 256
  EXPECT_THAT(messages({with({Once, Often})}, {beforeKernel("efficiency>=0.75")}), IsEmpty());
  EXPECT_THAT(messages({with({Once, Often})}, {beforeKernel("efficiency>=0.76")}), ElementsAre(HasSubstr("found 0.75")));
}

TEST(CostContract, WhateverTheExecutionsAre) {
  Access Loop = stride(32, 0.5);
  Loop.loop = 0;
  const std::vector<Kernel> K = {with({stride(4, 1), Loop})};
  EXPECT_THAT(messages(K, {beforeKernel("efficiency>=0.5")}), IsEmpty());
  EXPECT_THAT(messages(K, {beforeKernel("efficiency<0.5")}), ElementsAre(HasSubstr("found 0.5 to 1")));
  for (const char *Open : {"efficiency>=0.9", "efficiency<=0.9", "efficiency==0.9"})
    EXPECT_THAT(messages(K, {beforeKernel(Open)}), ElementsAre(HasSubstr("which is between 0.5 and 1: how often they are executed is not known"))) << Open;
}

TEST(CostContract, UnknownCostsLeaveTheMeanOpen) {
  const std::vector<Kernel> K = {with({stride(4, 1), unknown(stride(4, 1), "data")})};
  EXPECT_THAT(messages(K, {beforeKernel("efficiency>=0.9")}),
              ElementsAre(HasSubstr("which is between 0 and 1: the cost of 'in[i]' is not known")));
  EXPECT_THAT(messages({with({stride(4, 1)})}, {beforeKernel("efficiency>=0.9")}), IsEmpty());
}

TEST(CostContract, OtherKeysHoldForEveryAccess) {
  Access Far = stride(8, 0.5, 20);
  const std::vector<Kernel> K = {with({stride(4, 1), Far, column(1)})};
  EXPECT_THAT(messages(K, {beforeKernel("sectors<=8, conflictWays==1")}), IsEmpty());
  const auto F = checkContracts(K, {beforeKernel("sectors<=4")});
  ASSERT_EQ(F.size(), 1u);
  EXPECT_EQ(F[0].place.line, 20u);
}

TEST(CostContract, AKernelWithoutSuchAccessesIsAnErrorUnlessAPatternMetIt) {
  const std::vector<Kernel> K = {with({stride(4, 1)})};
  EXPECT_THAT(messages(K, {beforeKernel("conflictWays==1")}), ElementsAre(HasSubstr("no access of the kernel 'k' has that")));
  EXPECT_THAT(messages(K, {ofOption("k", "conflictWays==1")}), ElementsAre(HasSubstr("has that (--expect)")));
  EXPECT_THAT(messages(K, {ofOption("*", "conflictWays==1")}), IsEmpty());
}

TEST(CostContract, AnalysesThatAreNotCompleteProveNothing) {
  Kernel K = with({stride(4, 1), column(1)});
  K.partial = true;
  K.partialReason = "too many steps";
  EXPECT_THAT(messages({K}, {beforeKernel("efficiency>=0.9")}), ElementsAre(HasSubstr("not complete: too many steps")));
  EXPECT_THAT(messages({K}, {beforeKernel("conflictWays==1")}), ElementsAre(HasSubstr("not complete: too many steps")));
  EXPECT_THAT(messages({K}, {onLine("conflictWays==1")}), ElementsAre(HasSubstr("not complete: too many steps")));
  EXPECT_THAT(messages({K}, {onLine("conflictWays==2")}), ElementsAre(HasSubstr("found 1"))) << "what breaks it, breaks it";
}

TEST(CostContract, OptionsNameKernels) {
  const std::vector<Kernel> K = {with({stride(8, 0.5)}, kernel("copy"))};
  EXPECT_EQ(messages(K, {ofOption("copy", "sectors<=4")}).size(), 1u);
  EXPECT_EQ(messages(K, {ofOption("c*y", "sectors<=4")}).size(), 1u);
  EXPECT_THAT(messages(K, {ofOption("cop", "sectors<=4")}), IsEmpty());
  EXPECT_FALSE(namesKernel(ofOption("cop", "sectors<=4"), K[0]));
}
