#include "analyzer/kernel/Ptx.h"
#include "gtest/gtest.h"

using namespace warplint;
using namespace warplint::kernel;

namespace {

PtxAccess only(llvm::StringRef Text) {
  std::vector<PtxInstruction> All = parsePtx(Text);
  EXPECT_EQ(All.size(), 1u) << Text.str();
  auto Access = All.empty() ? std::nullopt : accessOf(All[0]);
  EXPECT_TRUE(Access) << Text.str();
  return Access.value_or(PtxAccess());
}

TEST(Ptx, TakesStatementsApart) {
  auto All = parsePtx("{\n .reg .pred p; // a predicate\n setp.ne.b32 p, $2, 0;\n LAB: @!p ld.global.v2.f32 "
                      "{$0, $1}, [$3+16];\n}");
  ASSERT_EQ(All.size(), 2u);
  EXPECT_EQ(All[0].name(), "setp");
  EXPECT_EQ(All[0].operands.size(), 3u);
  EXPECT_TRUE(All[0].predicate.empty());
  EXPECT_EQ(All[1].predicate, "p");
  EXPECT_TRUE(All[1].predicateNegated);
  ASSERT_EQ(All[1].operands.size(), 2u);
  EXPECT_EQ(All[1].operands[0].names.size(), 2u);
  EXPECT_TRUE(All[1].operands[1].address);
  EXPECT_EQ(All[1].operands[1].names[0], "$3");
  EXPECT_EQ(All[1].operands[1].offset, 16);
}

TEST(Ptx, SurvivesTornText) {
  for (const char *Text :
       {"", ";", "{", "}", "@", "@p", "ld.global.f32", "ld.global.f32 $0, [", "ld.global.f32 $0, [];",
        "LAB:", "{{{", "ld.global.f32 {$0, [$1]", ".reg", "cp.async.ca.shared.global [$0];", ", , [", "//"})
    for (const PtxInstruction &I : parsePtx(Text))
      accessOf(I);
}

TEST(Ptx, KnowsWidths) {
  EXPECT_EQ(only("ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {$0,$1,$2,$3}, [$4];").width, 16u);
  EXPECT_EQ(only("ld.global.b128 $0, [$1];").width, 16u);
  EXPECT_EQ(only("st.relaxed.gpu.global.u8 [$0], $1;").width, 1u);
  EXPECT_EQ(only("atom.add.noftz.f16x2 $0, [$1], $2;").width, 4u);
  EXPECT_EQ(only("red.global.add.noftz.bf16x2 [$0], $1;").width, 4u);
  EXPECT_EQ(only("atom.exch.acq_rel.cta.b64 $0,[$1],$2;").width, 8u);
}

TEST(Ptx, KnowsOperationsAndSpaces) {
  EXPECT_EQ(only("red.global.add.f32 [$0], $1;").operation, result::Operation::Atomic);
  EXPECT_EQ(only("st.shared::cta.f32 [$0], $1;").operation, result::Operation::Store);
  EXPECT_EQ(only("st.shared::cta.f32 [$0], $1;").space, result::Space::Shared);
  const PtxAccess Matrix = only("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {$0,$1}, [$2];");
  EXPECT_EQ(Matrix.kind, PtxAccess::Matrix);
  EXPECT_EQ(Matrix.lanes, 16u);
  EXPECT_EQ(Matrix.width, 16u);
  EXPECT_EQ(only("stmatrix.sync.aligned.m8n8.x1.shared.b16 [$0], {$1};").operation, result::Operation::Store);
  EXPECT_EQ(only("cp.async.cg.shared.global.L2::128B [$0], [$1], 16;").kind, PtxAccess::Copy);
  for (const char *Text :
       {"tex.1d.v4.f32.s32 {$0,$1,$2,$3}, [$4, {$5}];", "sust.b.2d.b32.trap [$0, {$1, $2}], {$3};",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], $2, [$3];",
        "wmma.load.a.sync.aligned.row.m16n16k16.f16 {$0}, [$1], $2;", "ld.shared::cluster.u32 $0, [$1];"})
    EXPECT_EQ(only(Text).kind, PtxAccess::Opaque) << Text;
}

TEST(Ptx, LeavesOtherInstructionsAlone) {
  for (const char *Text :
       {"mov.u32 $0, %laneid;", "ld.param.u32 $0, [p];", "mbarrier.arrive.shared.b64 _, [$0];", "bar.sync 0;",
        "prefetch.global.L2 [$0];", "fence.proxy.async;", "cp.async.commit_group;", "cp.async.wait_group 0;",
        "cvta.to.shared.u64 $0, $1;"})
    for (const PtxInstruction &I : parsePtx(Text))
      EXPECT_FALSE(accessOf(I)) << Text;
}

} // namespace
