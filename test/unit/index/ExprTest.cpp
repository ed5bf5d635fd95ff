#include "analyzer/index/Expr.h"
#include "gtest/gtest.h"
TEST(Expr, Smoke) {
  warplint::index::Context C;
  auto E = C.parse("threadIdx.x*4 + 1");
  ASSERT_TRUE(bool(E));
  EXPECT_EQ(C.print(*E), "4*threadIdx.x + 1");
}
