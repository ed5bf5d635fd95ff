//===-- ExprTest.cpp - Index expressions, text to text --------------------===//
//
// Each table row is what a person might write and the canonical form that comes out. A row of the second kind
// ("must not fire") differs from one of the first by a missing fact.
//
//===----------------------------------------------------------------------===//
#include "analyzer/index/Expr.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace warplint::index;

namespace {
constexpr int64_t Max64 = std::numeric_limits<int64_t>::max();

class ExprTest : public testing::Test {
protected:
  ExprTest() {
    constexpr auto Lane = AtomSort::LaneVarying, Uniform = AtomSort::Uniform;
    C.atom("threadIdx.x", Lane, {0, 31, 1});
    C.atom("threadIdx.y", Lane, {0, 7, 1});
    C.atom("threadIdx.z", Lane, {0, 0x7fffffff, 1}); // of no use as a range
    C.atom("gathered", Lane, {INT32_MIN, INT32_MAX, 1});
    C.atom("blockIdx.x", Uniform, {0, 0x7ffffff, 1});
    C.atom("w", Uniform, {0, 1000, 1});
    C.atom("j", Uniform, {0, 7, 1});
    C.atom("n", Uniform, {INT32_MIN, INT32_MAX, 1});
    C.atom("long", Uniform);
    C.atom("pitch", Uniform, {0, 1 << 20, 4});
    C.atom("rows", Uniform, {1, 1 << 10, 32});
    C.atom("W", Uniform, {1, 1024, 1});
    C.atom("flag", Uniform, {0, 1, 1});
  }
  Expr parse(llvm::StringRef Text) {
    llvm::Expected<Expr> E = C.parse(Text);
    if (!E) {
      ADD_FAILURE() << Text.str() << ": " << llvm::toString(E.takeError());
      return Expr();
    }
    return *E;
  }
  std::string canonical(llvm::StringRef Text) { return C.print(parse(Text)); }
  std::string error(llvm::StringRef Text) {
    llvm::Expected<Expr> E = C.parse(Text);
    return E ? "no error: " + C.print(*E) : llvm::toString(E.takeError());
  }

  struct Row {
    const char *Written, *Canonical;
  };
  void check(std::initializer_list<Row> Rows) {
    for (const Row &R : Rows) {
      Expr E = parse(R.Written);
      EXPECT_EQ(C.print(E), R.Canonical) << "from " << R.Written;
      EXPECT_TRUE(parse(R.Canonical) == E) << "from " << R.Written;
    }
  }
  /// Nothing fires: what is written is canonical already.
  void checkUnchanged(std::initializer_list<const char *> Texts) {
    for (const char *Text : Texts)
      EXPECT_EQ(canonical(Text), Text);
  }

  Context C;
};

TEST_F(ExprTest, Polynomials) {
  check({
      {"0", "0"},
      {"-5", "-5"},
      {"2 + 3*4 - 1", "13"},
      {"threadIdx.x", "threadIdx.x"},
      {"4*j + 4*threadIdx.y + threadIdx.x*128", "128*threadIdx.x + 4*threadIdx.y + 4*j"},
      {"j - j", "0"},
      {"31 - threadIdx.x", "31 - threadIdx.x"},
      {"-threadIdx.x - n", "-threadIdx.x - n"},
      {"n - threadIdx.x*2", "n - 2*threadIdx.x"},
      {"threadIdx.x*n", "n*threadIdx.x"},
      {"(threadIdx.y + j)*n + threadIdx.x", "threadIdx.x + n*threadIdx.y + j*n"},
      {"(n + 1)*(n - 1)", "n*n - 1"},
      {"a*b - b*a", "0"},
      {"0x20*j + 3u", "32*j + 3"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"j - 9223372036854775807 - 1", "j + -9223372036854775808"},
      {"-(j + n)", "-j - n"},
      {"- - j", "j"},
      {"threadIdx.z + threadIdx.y + threadIdx.x + gathered + 1 + n",
       "threadIdx.x + threadIdx.y + threadIdx.z + gathered + n + 1"},
  });
}

TEST_F(ExprTest, QuotientsAndRemainders) {
  check({
      {"(n / 32)*32 + n % 32", "n"},
      {"(threadIdx.z / W)*W + threadIdx.z % W", "threadIdx.z"},
      {"2*W*(threadIdx.z / W)*n + 2*n*(threadIdx.z % W)", "2*n*threadIdx.z"},
      {"128*(threadIdx.z / 32) + 4*(threadIdx.z % 32) + j", "4*threadIdx.z + j"},
      {"threadIdx.z - threadIdx.z % 32", "32*(threadIdx.z / 32)"},
      {"(32*w + threadIdx.x) % 32", "threadIdx.x"},
      {"(32*w + threadIdx.x) / 32", "w"},
      {"(32*w + threadIdx.x) >> 5", "w"},
      {"(32*w + threadIdx.x) & 31", "threadIdx.x"},
      {"(64*w + threadIdx.x) / 32", "2*w"},
      {"(8*threadIdx.x + threadIdx.y) / 8 % 4", "threadIdx.x % 4"},
      {"(33*w + 4) % 32", "(w + 4) % 32"},
      {"threadIdx.x / 32", "0"},
      {"threadIdx.x % 32", "threadIdx.x"},
      {"threadIdx.x % 16", "threadIdx.x % 16"},
      {"pitch % 4", "0"},
      {"(pitch + j) % 4", "j % 4"},
      {"4*(pitch / 4)", "pitch"},
      {"(rows*w + threadIdx.x) % 32", "threadIdx.x"},
      {"(W*w + 0) / W", "w"},
      {"(rows*w) / rows", "w"},
      {"W / W", "1"},
      {"threadIdx.z / 4 / 8", "threadIdx.z / 32"},
      {"n / 4 / 8", "n / 32"},
      {"threadIdx.z % 64 % 16", "threadIdx.z % 16"},
      {"(threadIdx.x - 1) & 31", "(threadIdx.x + 31) % 32"},
      {"(4*n) /@64 4", "n"},
      {"floordiv(threadIdx.z, 8)", "threadIdx.z / 8"},
      {"mod(threadIdx.z, 8)", "threadIdx.z % 8"},
      {"-7 / 2", "-3"},
      {"-7 % 2", "-1"},
      {"floordiv(-7, 2)", "-4"},
      {"mod(-7, 2)", "1"},
      {"n % -8", "n % 8"},
  });
}

TEST_F(ExprTest, QuotientsThatMustStay) {
  checkUnchanged({
      "n / 32",           // may be negative: no shift, no mask
      "n % 32",           // likewise
      "(n + 32*w) % 32",  // does not fit 32 bits, and a negative dividend keeps its sign
      "(n + 32*w) / 32",  // rounds towards zero
      "(n / 16) / w",     // not a constant
      "n / 0",            // has no value
      "n % 0",            //
      "long / 32",        // may not fit 32 bits
      "n / -1",           // wraps at the smallest integer
      "pitch % 8",        // known to be a multiple of 4 only
      "threadIdx.z / W",  // nothing to cancel
      "floordiv(n, 8)",   // not n / 8
      "mod(n, 8)",        // not n % 8
      "threadIdx.x % 31", // 31 itself becomes 0
      "threadIdx.x / 31", //
      "(8*n) / 8",        // 8*n may wrap at 32 bits
      "(8*n) % 8",        //
      "w % n",            // n may be small, or 0
      "(n*w) / n",        // wraps at 32 bits
      "(long*w) / long",  //
  });
  // At 32 bits a sum may fit although its parts do not: each divided alone would wrap.
  Expr Half = C.atom("half", AtomSort::Uniform, {0, 1 << 30, 1});
  Expr More = C.atom("more", AtomSort::Uniform, {0, 1 << 30, 1});
  Expr Sum = C.sub(C.scale(Half, 3), C.scale(More, 3));
  EXPECT_EQ(C.print(C.apply(Op::Mod, 32, {Sum, C.constant(7)})), "mod(3*half - 3*more, 7)");
  // The sums of these stay, too.
  check({
      {"(n / 16)*32 + n % 32", "32*(n / 16) + n % 32"},
      {"(long / 32)*32 + long % 32", "32*(long / 32) + long % 32"},
      {"(n / W)*W - n % W", "W*(n / W) - n % W"},
      {"32*floordiv(n, 32) + n % 32", "n % 32 + 32*floordiv(n, 32)"},
      {"(n / -1)*-1 + n % -1", "-(n / -1)"},
  });
}

TEST_F(ExprTest, BitOperations) {
  check({
      {"threadIdx.x & 31", "threadIdx.x"},
      {"threadIdx.x & 63", "threadIdx.x"},
      {"threadIdx.x & 7", "threadIdx.x % 8"},
      {"n & 7", "mod(n, 8)"},
      {"long & 7", "mod(long, 8)"},
      {"n & ~31", "32*floordiv(n, 32)"},
      {"threadIdx.z & ~31", "32*(threadIdx.z / 32)"},
      {"threadIdx.x << 2", "4*threadIdx.x"},
      {"threadIdx.z >> 3", "threadIdx.z / 8"},
      {"n >> 3", "floordiv(n, 8)"},
      {"lshr(threadIdx.z, 3)", "threadIdx.z / 8"},
      {"(w << 5) | threadIdx.x", "threadIdx.x + 32*w"},
      {"(w << 5) ^ threadIdx.x", "threadIdx.x + 32*w"},
      {"(w << 5) & threadIdx.x", "0"},
      {"(32*w + threadIdx.y) ^ threadIdx.x", "(threadIdx.x ^ threadIdx.y) + 32*w"},
      {"(32*w + threadIdx.x) ^ 31", "32*w - threadIdx.x + 31"},
      {"threadIdx.x ^ 31", "31 - threadIdx.x"},
      {"threadIdx.x ^ 5 ^ 4", "threadIdx.x ^ 1"},
      {"n ^ n", "0"},
      {"n | n", "n"},
      {"n & n", "n"},
      {"~n", "-n - 1"},
      {"n & -1", "n"},
      {"n | -1", "-1"},
      {"n & 0", "0"},
      {"pitch & 3", "0"},
      {"pitch | 3", "pitch + 3"},
      {"5 ^ n", "n ^ 5"},
      {"threadIdx.x ^ (threadIdx.y << 1)", "threadIdx.x ^ (2*threadIdx.y)"},
  });
}

TEST_F(ExprTest, BitOperationsThatMustStay) {
  checkUnchanged({
      "n << 2",               // bits may be lost
      "blockIdx.x << 5",      //
      "lshr(n, 3)",           // a negative n is a large number
      "lshr(long, 3)",        //
      "long >> 3",            // sees the low 32 bits only
      "n << w",               // an unknown amount
      "n << 40",              // no value
      "n ^ 31",               // more than five bits
      "threadIdx.x ^ 15",     //
      "threadIdx.x | (16*w)", // one bit in common
      "long | 0",             // keeps 32 bits of 64
      "n | 4",                // the bit may be set already
      "long & -32",           //
  });
  // The rest reaches into the high bits: up to 35, where the other operand has five bits.
  check({{"(32*w + 5*threadIdx.y) ^ threadIdx.x", "threadIdx.x ^ (5*threadIdx.y + 32*w)"},
         {"(32*w + j - 8) | threadIdx.x", "threadIdx.x | (j + 32*w - 8)"}});
  // The same at the width that holds the values.
  check({
      {"long >>@64 3", "floordiv@64(long, 8)"},
      {"long |@64 0", "long"},
      {"blockIdx.x <<@64 5", "32*blockIdx.x"},
      {"long &@64 -32", "32*floordiv@64(long, 32)"},
      {"n <<@64 2", "4*n"},
      {"long <<@64 2", "long <<@64 2"},
  });
}

TEST_F(ExprTest, ComparisonsAndChoices) {
  check({
      {"threadIdx.x < 32", "1"},
      {"threadIdx.x >= 32", "0"},
      {"threadIdx.x == 32", "0"},
      {"threadIdx.x != -1", "1"},
      {"threadIdx.x == 0", "threadIdx.x == 0"},
      {"0 == threadIdx.x", "threadIdx.x == 0"},
      {"threadIdx.x > 4", "4 < threadIdx.x"},
      {"w + 1 > w", "1"},
      {"w <= w", "1"},
      {"2*w == 2*j + 1", "0"},
      {"pitch == 6", "0"},
      {"long == long + 1", "0"},
      {"long ==@8 long + 256", "1"},
      {"ult(threadIdx.x, w)", "threadIdx.x < w"},
      {"ule(w, 1000)", "1"},
      {"min(threadIdx.x, 31)", "threadIdx.x"},
      {"max(threadIdx.x, 0)", "threadIdx.x"},
      {"min(w, w + j)", "w"},
      {"max(w, w + j)", "j + w"},
      {"1 ? n : w", "n"},
      {"threadIdx.x - 40 ? n : w", "n"},
      {"n ? w : w", "w"},
      {"(n < w) ? 1 : 0", "n < w"},
      {"(n < w) ? 0 : 1", "w <= n"},
      {"(n < w) != 0", "n < w"},
      {"(n < w) == 0", "w <= n"},
      {"!(n == w)", "n != w"},
      {"(n < w) ^ 1", "w <= n"},
      {"n != 0 ? w : j", "n ? w : j"},
      {"n < w && j < w", "(j < w) & (n < w)"},
  });
  checkUnchanged({
      "threadIdx.x < 31",     // reaches 31
      "n < w",                //
      "long < long + 1",      // wraps at 32 bits
      "pitch == 8",           // may be
      "ult(n, w)",            // n may be negative, so large
      "min(threadIdx.x, 30)", //
      "min(long, long + 1)",  // at 32 bits the second may be the smaller
      "n ? w : j",            // may be 0
      "n ? 1 : 0",            // may be 2
  });
}

TEST_F(ExprTest, Extensions) {
  check({
      {"sext32(n)", "n"},
      {"zext8(w % 200)", "w % 200"},
      {"zext32(threadIdx.x)", "threadIdx.x"},
      {"sext64(long)", "long"},
      {"sext1(flag)", "-flag"},
      {"zext16(long + 65536)", "zext16(long)"},
      {"sext8(sext16(long))", "sext8(long)"},
      {"zext8(300)", "44"},
      {"sext8(200)", "-56"},
  });
  checkUnchanged({"zext32(n)", "sext8(w)", "sext32(long)", "zext32(long)", "sext16(long + zext8(long))"});
}

TEST_F(ExprTest, Widths) {
  checkUnchanged({"long /@64 W", "long %@64 32", "n <<@16 3", "long <@8 n", "min@64(long, n)",
                  "lshr@64(long, 3)", "ult@64(long, n)"});
  // Where everything fits, the width says nothing.
  check({{"w /@64 3", "w / 3"}, {"min@64(n, w)", "min(n, w)"}, {"w <@16 n", "w <@16 n"}});
}

TEST_F(ExprTest, Parentheses) {
  checkUnchanged({
      "4*(threadIdx.x / 2)",
      "4*(threadIdx.x % 3) + n % 3",
      "w - n % 3",
      "-(n % 3)",
      "(threadIdx.x & w) ^ (j | n)",
      "(n + w) << j",
      "4*(n < w) + 1",
      "n + 1 < 2*w",
      "j == (n < w)",
      "n < w ? n : w + 1",
      "n < w ? (n ? j : w) : 4",
      "(n ? j : w) + 1",
      "2*min(n, w + 1)",
      "n % (w + 1)",
      "(2*n) / w",
      "n / -3",
  });
}

TEST_F(ExprTest, Names) {
  checkUnchanged({"c.pos3[0]", "rows->start[blockIdx.x]", "rows->start[blockIdx.x + 1] + 1", "a::b",
                  "laneid()", "`ns::value<3>`", "`min` + `sext8`", "`a b`", "`tick``s`", "minimum", "x1",
                  "`1x`", "``", "2*`a - b`", "s[f(1)[2]].y", "`a[`", "$x", "p->q.r"});
  EXPECT_TRUE(parse("rows->start[blockIdx.x]").isAtom());
  EXPECT_EQ(parse("`a b`").atomName(), "a b");
  EXPECT_EQ(C.print(C.atom("mod", AtomSort::Uniform)), "`mod`");
  EXPECT_FALSE(parse("threadIdx.x").isUniform());
  EXPECT_TRUE(parse("`ns::value<3>`").isUniform());
}

TEST_F(ExprTest, ParseErrors) {
  EXPECT_EQ(error("(a + b"), "column 7: expected ')'");
  EXPECT_EQ(error(""), "column 1: expected an operand");
  EXPECT_EQ(error("a +"), "column 4: expected an operand");
  EXPECT_EQ(error("a b"), "column 3: expected an operator or the end");
  EXPECT_EQ(error("a ? b"), "column 6: expected ':'");
  EXPECT_EQ(error("min(a)"), "column 6: expected ','");
  EXPECT_EQ(error("min(a, b, c)"), "column 9: expected ')'");
  EXPECT_EQ(error("min"), "column 4: expected '('");
  EXPECT_EQ(error("12x"), "column 1: expected a number");
  EXPECT_EQ(error("a + 9223372036854775808"), "column 5: number does not fit 64 bits");
  EXPECT_EQ(error("a /@65 b"), "column 5: expected a width of 1 to 64 bits");
  EXPECT_EQ(error("a /@ b"), "column 5: expected a width of 1 to 64 bits");
  EXPECT_EQ(error("a[1"), "column 2: unfinished name, expected ']'");
  EXPECT_EQ(error("`a"), "column 1: unfinished name, expected '`'");
  EXPECT_EQ(error("9223372036854775807 + 1"), "column 21: expression too large");
  EXPECT_EQ(error(std::string(100000, '(')), "column 401: nested too deeply");
  EXPECT_THAT(error(std::string(100000, '-') + "x"), testing::HasSubstr("nested too deeply"));
}

TEST_F(ExprTest, ParserSurvivesAnything) {
  const std::string Repeated[] = {"x / ",
                                  "x ? ",
                                  "x ? x : ",
                                  "!",
                                  "~",
                                  "- ",
                                  "f(",
                                  "f[",
                                  "min(",
                                  "sext8(",
                                  "x | x ^ x & x == x < x << x + x * (",
                                  "(x + y + z)*",
                                  "x % y / ",
                                  "`",
                                  "1+",
                                  "x,",
                                  "a[]",
                                  "x->",
                                  "x.",
                                  "2*x + "};
  for (const std::string &Piece : Repeated) {
    std::string Text;
    for (int I = 0; I < 3000; ++I)
      Text += Piece;
    for (const char *Tail : {"", "x", "x)", "1"}) {
      Context Fresh;
      llvm::Expected<Expr> E = Fresh.parse(Text + Tail);
      if (!E) {
        EXPECT_THAT(llvm::toString(E.takeError()), testing::StartsWith("column ")) << Piece;
      }
    }
  }
  // Random text over the language's tokens.
  const char *Tokens[] = {"a", "b", "1",   "0x",  "(",     ")", "[",  "]",  "+",    "-",
                          "*", "/", "%",   "<<",  ">>",    "&", "|",  "^",  "?",    ":",
                          "<", ">", "=",   "!",   "~",     "@", "8",  "`",  "->",   "::",
                          ".", ",", "min", "mod", "sext8", " ", "\n", "\0", "\x80", "9223372036854775807"};
  uint32_t State = 1;
  auto Next = [&] { return State = State * 1664525u + 1013904223u, State >> 8; };
  for (int I = 0; I < 20000; ++I) {
    std::string Text;
    for (size_t Length = Next() % 24; Length; --Length)
      Text += Tokens[Next() % std::size(Tokens)];
    llvm::Expected<Expr> E = C.parse(Text);
    if (E) {
      llvm::Expected<Expr> Again = C.parse(C.print(*E));
      EXPECT_TRUE(Again && *Again == *E) << Text;
      if (!Again)
        llvm::consumeError(Again.takeError());
    } else {
      EXPECT_THAT(llvm::toString(E.takeError()), testing::StartsWith("column "));
    }
  }
}

TEST_F(ExprTest, FactsOfResults) {
  struct {
    const char *Text;
    Facts Expected;
  } Rows[] = {
      {"128*threadIdx.x + 4*threadIdx.y + 4*j", {0, 31 * 128 + 28 + 28, 4}},
      {"0", {0, 0, 0}},
      {"-12", {-12, -12, 12}},
      {"pitch*rows", {0, 1 << 30, 128}},
      {"long*2", {-Max64 - 1, Max64, 2}},
      {"n*n", {0, int64_t(1) << 62, 1}},
      {"n % 32", {-31, 31, 1}},
      {"mod(n, 32)", {0, 31, 1}},
      {"pitch / 2", {0, 1 << 19, 2}},
      {"pitch % 24", {0, 23, 4}},
      {"n & 48", {0, 48, 16}},
      {"n << 4", {INT32_MIN, INT32_MAX, 16}},
      {"lshr(n, 4)", {0, 0xfffffff, 1}},
      {"zext8(n)", {0, 255, 1}},
      {"sext8(n)", {-128, 127, 1}},
      {"n < w", {0, 1, 1}},
      {"n ? pitch : rows", {0, 1 << 20, 4}},
      {"min(n, w)", {INT32_MIN, 1000, 1}},
      {"threadIdx.x ^ j", {0, 31, 1}},
  };
  for (const auto &R : Rows) {
    Facts F = parse(R.Text).facts();
    EXPECT_EQ(F.minimum, R.Expected.minimum) << R.Text;
    EXPECT_EQ(F.maximum, R.Expected.maximum) << R.Text;
    EXPECT_EQ(F.multipleOf, R.Expected.multipleOf) << R.Text;
  }
}

TEST_F(ExprTest, Coefficients) {
  auto Coefficient = [&](const char *Text, const char *Atom) -> std::string {
    std::optional<Expr> E = C.coefficient(parse(Text), parse(Atom));
    return E ? C.print(*E) : "none";
  };
  EXPECT_EQ(Coefficient("128*threadIdx.x + 4*threadIdx.y", "threadIdx.x"), "128");
  EXPECT_EQ(Coefficient("128*threadIdx.x + 4*threadIdx.y", "j"), "0");
  EXPECT_EQ(Coefficient("4*n*threadIdx.x + 8*threadIdx.x + n", "threadIdx.x"), "4*n + 8");
  EXPECT_EQ(Coefficient("n*n", "n"), "none");
  EXPECT_EQ(Coefficient("threadIdx.x + threadIdx.x % 3", "threadIdx.x"), "none");
  EXPECT_EQ(Coefficient("(w % 3)*threadIdx.x", "threadIdx.x"), "w % 3");
  EXPECT_EQ(Coefficient("(w % 3)*w", "w"), "none");
}

TEST_F(ExprTest, Queries) {
  Expr E = parse("4*threadIdx.x + (w % 3)*n + 1");
  EXPECT_TRUE(C.contains(E, parse("w")));
  EXPECT_FALSE(C.contains(E, parse("j")));
  std::vector<std::string> Names;
  for (Expr A : C.atoms(E))
    Names.push_back(A.atomName().str());
  EXPECT_THAT(Names, testing::ElementsAre("n", "threadIdx.x", "w"));
  EXPECT_EQ(C.terms(E).size(), 3u);
  EXPECT_TRUE(C.terms(E).back().factors.empty());
  EXPECT_TRUE(C.terms(C.constant(0)).empty());

  EXPECT_EQ(C.print(C.substitute(E, parse("w"), C.constant(5))), "4*threadIdx.x + 2*n + 1");
  EXPECT_EQ(
      C.print(C.substitute(parse("threadIdx.z % 32"), parse("threadIdx.z"), parse("32*w + threadIdx.x"))),
      "threadIdx.x");
  EXPECT_EQ(C.substitute(E, parse("j"), C.constant(5)), E);

  EXPECT_TRUE(C.findAtom("w"));
  EXPECT_FALSE(C.findAtom("no such atom"));
  EXPECT_TRUE(C.atom("w", AtomSort::LaneVarying, {5, 5, 5}).isUniform()); // the first call decides
  EXPECT_EQ(C.sum({parse("w"), parse("n"), parse("-w")}), parse("n"));
}

TEST_F(ExprTest, EvaluationWithoutValue) {
  auto Value = [&](const char *Text) {
    return C.evaluate(parse(Text), [](llvm::StringRef Name) -> std::optional<int64_t> {
      if (Name == "n")
        return 0;
      if (Name == "w")
        return 40;
      return std::nullopt;
    });
  };
  EXPECT_EQ(Value("w / n"), std::nullopt);
  EXPECT_EQ(Value("1 << w"), std::nullopt);
  EXPECT_EQ(Value("j + 1"), std::nullopt);
  EXPECT_EQ(Value("n ? j : w"), 40);
  EXPECT_EQ(Value("w <<@8 2"), -96);
}

TEST_F(ExprTest, BeyondTheLimits) {
  Expr Invalid;
  EXPECT_FALSE(C.add(Invalid, parse("n")));
  EXPECT_FALSE(C.apply(Op::And, 32, {Invalid, parse("n")}));
  EXPECT_FALSE(C.apply(Op::And, 0, {parse("n"), parse("w")}));
  EXPECT_FALSE(C.apply(Op::And, 65, {parse("n"), parse("w")}));
  EXPECT_FALSE(C.apply(Op::And, 32, {parse("n")}));
  EXPECT_FALSE(C.scale(C.scale(parse("n"), int64_t(1) << 40), int64_t(1) << 40));
  EXPECT_FALSE(C.add(C.scale(parse("n"), Max64), parse("n")));
  EXPECT_EQ(C.print(Invalid), "<invalid>");
  for (int64_t Value : {Max64, Max64 - 1, -Max64 - 1, -Max64, int64_t(0), int64_t(-1)}) {
    EXPECT_EQ(C.constant(Value).constant(), Value);
    EXPECT_EQ(C.constant(Value), C.constant(Value));
  }

  // Doubling at each step would be 2^200 long when printed.
  Expr Growing = parse("n");
  for (int I = 0; I < 200 && Growing; ++I)
    Growing = C.apply(Op::Xor, 32, {C.apply(Op::Shl, 32, {Growing, parse("w")}), Growing});
  EXPECT_FALSE(Growing);
  Expr Deep = parse("n");
  int Depth = 0;
  for (Expr Next = Deep; Next; ++Depth)
    Next = C.apply(Op::DivTrunc, 32, {Deep = Next, parse("w")});
  EXPECT_EQ(Depth, 101);
  EXPECT_TRUE(parse(C.print(Deep)) == Deep);

  // What takes most nesting to write at each level still reads back.
  Expr Tangled = parse("n");
  for (Expr Next = Tangled; Next;) {
    Tangled = Next;
    Expr Remainder = C.apply(Op::RemTrunc, 32, {C.add(C.scale(Tangled, 2), parse("w")), parse("W")});
    Next = Remainder ? C.apply(Op::Select, 32, {parse("n"), parse("w"), C.scale(Remainder, -1)}) : Expr();
  }
  EXPECT_GT(C.print(Tangled).size(), 1000u);
  EXPECT_TRUE(parse(C.print(Tangled)) == Tangled);
}

} // namespace
