//===-- PtxasLogTest.cpp - Real logs, and what builds do to them -------------===//
//
// data/ has what nvcc 13.0 printed: two-architectures.log for -maxrregcount=32 and two -gencode, the others
// for kernels with internal linkage without and with -rdc=true. Older layouts are written here as CUDA's
// documents show them.
//
//===----------------------------------------------------------------------===//
#include "analyzer/driver/PtxasLog.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace warplint::driver;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

PtxasLog parsed(llvm::StringRef Text) {
  llvm::Expected<PtxasLog> Log = PtxasLog::parse(Text);
  if (Log)
    return std::move(*Log);
  ADD_FAILURE() << llvm::toString(Log.takeError());
  return {};
}

PtxasLog ofFile(const char *Name) {
  auto Text = llvm::MemoryBuffer::getFile(WARPLINT_SOURCE_DIR "/test/unit/verdict/data/" + llvm::Twine(Name));
  return parsed((*Text)->getBuffer());
}

std::string errorOf(llvm::StringRef Text) {
  llvm::Expected<PtxasLog> Log = PtxasLog::parse(Text);
  return Log ? "" : llvm::toString(Log.takeError());
}

/// "32 registers of sm_80", with the rest where there is some.
std::string found(const PtxasLog &Log, llvm::StringRef Symbol, llvm::StringRef Arch) {
  const auto M = Log.find(Symbol, Arch);
  if (!M)
    return "nothing";
  std::string Text = llvm::utostr(M->entry.registers) + " registers of " + M->entry.arch;
  if (M->entry.barriers)
    Text += ", " + llvm::utostr(M->entry.barriers) + " barriers";
  if (M->entry.sharedBytes)
    Text += ", " + llvm::utostr(M->entry.sharedBytes) + " bytes";
  if (M->entry.spillBytes)
    Text += ", " + llvm::utostr(M->entry.spillBytes) + " spilled";
  return Text + (M->otherArch ? ", other" : "") + (M->severalMatch ? ", several" : "");
}

constexpr const char *Tiled16 = "_Z2mmILi16EEvPKfS1_Pfi", *Tiled32 = "_Z2mmILi32EEvPKfS1_Pfi";

TEST(PtxasLog, RealLogOfTwoArchitectures) {
  const PtxasLog Log = ofFile("two-architectures.log");
  EXPECT_EQ(Log.kernels(), 6u);
  EXPECT_EQ(Log.mixedUp(), 0u);
  EXPECT_EQ(found(Log, Tiled16, "sm_80"), "32 registers of sm_80, 1 barriers, 2048 bytes");
  EXPECT_EQ(found(Log, Tiled32, "sm_90"), "32 registers of sm_90, 1 barriers, 8192 bytes");
  EXPECT_EQ(found(Log, "_Z7boundedPf", "sm_80"), "8 registers of sm_80");
  EXPECT_EQ(found(Log, "plain", "sm_90"), "32 registers of sm_90");
  EXPECT_EQ(found(Log, "_ZN2ns5spillEPNS_1PEi", "sm_80"), "32 registers of sm_80, 3544 spilled");
  EXPECT_EQ(found(Log, "_ZN2ns5spillEPNS_1PEi", "sm_90"), "32 registers of sm_90, 4532 spilled");
}

TEST(PtxasLog, TheNearestArchitectureIsTakenAndSaid) {
  const PtxasLog Log = ofFile("two-architectures.log");
  EXPECT_EQ(found(Log, "_Z7boundedPf", "sm_89"), "8 registers of sm_80, other");
  EXPECT_EQ(found(Log, "_Z7boundedPf", "sm_120"), "8 registers of sm_90, other");
  EXPECT_EQ(found(Log, "_Z7boundedPf", "sm_75"), "8 registers of sm_80, other");
}

TEST(PtxasLog, OtherKernelsAreNotFound) {
  const PtxasLog Log = ofFile("two-architectures.log");
  EXPECT_EQ(found(Log, "_Z2mmILi8EEvPKfS1_Pfi", "sm_80"), "nothing");
  EXPECT_EQ(found(Log, "_Z5spillPN2ns1PEi", "sm_80"), "nothing");
  EXPECT_EQ(found(Log, "", "sm_80"), "nothing");
}

// clang's names of kernels with internal linkage are others than nvcc's.
TEST(PtxasLog, InternalLinkage) {
  for (const char *Name : {"internal-linkage.log", "relocatable.log"}) {
    SCOPED_TRACE(Name);
    const PtxasLog Log = ofFile(Name);
    EXPECT_EQ(Log.kernels(), 4u);
    for (const char *Symbol :
         {"_ZN12_GLOBAL__N_14anonEPf", "_ZL6hiddenPf", "_ZN12_GLOBAL__N_12in4deepIfEEvPT_",
          "_Z5applyI5TwiceEvT_Pf", "_ZL6hiddenPf__static__0123456789abcdef",
          "_ZN12_GLOBAL__N_14anonEPf__intern__9a"})
      EXPECT_THAT(found(Log, Symbol, "sm_80"), HasSubstr("registers of sm_80")) << Symbol;
    EXPECT_EQ(found(Log, "_ZN12_GLOBAL__N_14deepIfEEvPT_", "sm_80"), "nothing");
  }
}

TEST(PtxasLog, OlderLayouts) {
  const PtxasLog Log = parsed("ptxas info    : Compiling entry function '_Z3oldPf' for 'sm_20'\n"
                              "ptxas info    : Used 24 registers, 8192+16 bytes smem, 56 bytes cmem[0]\n"
                              "ptxas info    : Compiling entry function '_Z5newerPf' for 'sm_70'\n"
                              "ptxas info    : Function properties for _Z5newerPf\n"
                              "    16 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads\n"
                              "ptxas info    : Used 40 registers, 4096 bytes smem, 380 bytes cmem[0]\r\n");
  EXPECT_EQ(found(Log, "_Z3oldPf", "sm_20"), "24 registers of sm_20, 8192 bytes");
  EXPECT_EQ(found(Log, "_Z5newerPf", "sm_70"), "40 registers of sm_70, 4096 bytes, 20 spilled");
}

TEST(PtxasLog, AmongOtherOutputOfABuild) {
  const PtxasLog Log = parsed("[1/9] Building CUDA object a.o\n"
                              "17:03 ptxas info    : Compiling entry function '_Z1aPf' for 'sm_80'\n"
                              "a.cu(3): warning #177-D: variable \"x\" was declared but never referenced\n"
                              "17:03 ptxas info    : Used 10 registers, used 0 barriers\n"
                              "ptxas info    : Used 99 registers, of what is not said\n");
  EXPECT_EQ(found(Log, "_Z1aPf", "sm_80"), "10 registers of sm_80");
  EXPECT_EQ(Log.kernels(), 1u);
}

TEST(PtxasLog, MixedUpCompilationsAreNotGuessedAt) {
  const char *Mixed = "ptxas info    : Compiling entry function '_Z1aPf' for 'sm_80'\n"
                      "ptxas info    : Compiling entry function '_Z1bPf' for 'sm_80'\n"
                      "ptxas info    : Used 10 registers\n"
                      "ptxas info    : Used 20 registers\n";
  EXPECT_THAT(errorOf(Mixed), HasSubstr("mixed up"));
  const PtxasLog Log =
      parsed(std::string(Mixed) + "ptxas info    : Compiling entry function '_Z1cPf' for 'sm_80'\n"
                                  "ptxas info    : Used 30 registers\n");
  EXPECT_EQ(Log.mixedUp(), 2u);
  EXPECT_EQ(found(Log, "_Z1aPf", "sm_80"), "nothing");
  EXPECT_EQ(found(Log, "_Z1cPf", "sm_80"), "30 registers of sm_80");
}

TEST(PtxasLog, KernelsOfOneNameInSeveralFiles) {
  const auto Twice = [](unsigned First, unsigned Second) {
    std::string Text;
    for (unsigned Registers : {First, Second})
      Text += "ptxas info    : Compiling entry function '_Z1aPf' for 'sm_80'\nptxas info    : Used " +
              llvm::utostr(Registers) + " registers\n";
    return Text;
  };
  EXPECT_EQ(found(parsed(Twice(40, 20)), "_Z1aPf", "sm_80"), "40 registers of sm_80, several");
  EXPECT_EQ(found(parsed(Twice(20, 40)), "_Z1aPf", "sm_80"), "40 registers of sm_80, several");
  EXPECT_EQ(found(parsed(Twice(40, 40)), "_Z1aPf", "sm_80"), "40 registers of sm_80");
}

TEST(PtxasLog, WhatIsNoLogIsAnErrorWithTheRemedy) {
  for (const char *Text :
       {"", "hello\n", "ptxas info    : 0 bytes gmem\n",
        "nvcc warning : Resource usage is not shown as the final resource allocation is not done.\n"})
    EXPECT_THAT(errorOf(Text), HasSubstr("nvcc -Xptxas -v")) << Text;
  // Cut off in the middle.
  EXPECT_NE(errorOf("ptxas info    : Compiling entry function '_Z1aPf' for 'sm_80'\n"), "");
  // Whatever is in it.
  for (const char *Text :
       {"Compiling entry function '", "Compiling entry function '' for ''\nUsed 1 registers",
        "Compiling entry function 'a' for '\nUsed registers\nUsed 99999999999999999999999 registers"})
    EXPECT_NE(errorOf(Text), "") << Text;
}

TEST(PtxasLog, NamesWithout) {
  const PtxasLog Log = ofFile("two-architectures.log");
  EXPECT_THAT(Log.namesWithout({Tiled16, Tiled32, "_ZN2ns5spillEPNS_1PEi", "plain", "_ZL6hiddenPf"}),
              ElementsAre("bounded(float*)"));
  EXPECT_THAT(
      Log.namesWithout({Tiled16, Tiled32, "_ZN2ns5spillEPNS_1PEi", "plain", "_Z6hiddenPf", "_Z7boundedPf"}),
      IsEmpty());
}

} // namespace
