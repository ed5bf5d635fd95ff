//===-- LinkTest.cpp - What linkers say ------------------------------------------===//
#include "tools/replay/program/Link.h"
#include "gmock/gmock.h"

using warplint::replay::undefinedNames;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(UndefinedNames, OfGnuGoldAndLld) {
  EXPECT_THAT(undefinedNames("/usr/bin/ld: a.o: in function `main':\na.cu:(.text+0x1): undefined reference to `cudaFoo'\n"
                             "a.cu:(.text+0x9): undefined reference to `cudaFoo'\n"),
              ElementsAre("cudaFoo"));
  EXPECT_THAT(undefinedNames("a.o:a.cu:function main: error: undefined reference to 'helper(int)'\n"),
              ElementsAre("helper(int)"));
  EXPECT_THAT(undefinedNames("ld.lld: error: undefined symbol: _Z6helperi\n>>> referenced by a.cu\n"),
              ElementsAre("helper(int)"));
}

TEST(UndefinedNames, NoneInOtherWords) {
  EXPECT_THAT(undefinedNames("/usr/bin/ld: cannot find -lfoo: No such file or directory\n"), IsEmpty());
}
