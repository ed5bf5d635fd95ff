//===-- Generator.h - Random kernels as LLVM IR text --------------------------*- C++ -*-===//
#ifndef WARPLINT_TEST_UNIT_KERNEL_GENERATOR_H
#define WARPLINT_TEST_UNIT_KERNEL_GENERATOR_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace warplint::test {

struct Program {
  std::string text;
  std::array<unsigned, 3> block{1, 1, 1}, grid{1, 1, 1};
  std::vector<std::optional<int64_t>> arguments; ///< p, n, m, q
};

class Generator {
public:
  /// `Unknowns`: the kernel's parameters have no known values.
  Generator(uint64_t Seed, bool Unknowns) : Random(Seed), Unknowns(Unknowns) {}

  Program program() {
    Program P;
    static constexpr std::array<unsigned, 3> Blocks[] = {
        {256, 1, 1}, {32, 8, 1}, {16, 16, 1}, {8, 4, 4},  {48, 1, 1}, {7, 5, 3},  {33, 1, 1}, {24, 2, 1}, {32, 1, 1},
        {64, 1, 1},  {1, 1, 1},  {20, 1, 1},  {16, 3, 1}, {8, 8, 1},  {4, 4, 8},  {2, 3, 20}, {64, 2, 1}, {1, 64, 1},
        {128, 1, 1}, {32, 4, 1}, {16, 8, 2},  {96, 1, 1}, {8, 2, 6},  {12, 8, 1}, {5, 1, 13}, {16, 4, 1}, {4, 16, 1}};
    P.block = Blocks[below(std::size(Blocks))];
    unsigned Threads = P.block[0] * P.block[1] * P.block[2];
    unsigned Limit = std::max(1u, std::min(50u, (chance(8) ? 6000u : 1200u) / Threads));
    P.grid[0] = 1 + below(Limit);
    P.grid[1] = chance(3) ? 1 + below(std::max(1u, Limit / P.grid[0])) : 1;
    P.grid[2] = chance(8) ? 1 + below(std::max(1u, Limit / (P.grid[0] * P.grid[1]))) : 1;
    P.arguments = {std::nullopt, std::nullopt, std::nullopt, std::nullopt};
    if (!Unknowns)
      P.arguments = {std::nullopt, parameter(), parameter(), parameter()};

    Text = "target datalayout = \"e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64\"\n"
           "target triple = \"nvptx64-nvidia-cuda\"\n"
           "@s = internal addrspace(3) global [4096 x i32] undef, align 16\n"
           "@t = internal addrspace(4) constant [8 x i32] [i32 3, i32 64, i32 1, i32 0, i32 32, i32 -7, i32 33, i32 1000]\n";
    for (const char *R : {"tid.x", "tid.y", "tid.z", "ctaid.x", "ctaid.y", "ctaid.z", "ntid.x", "ntid.y", "ntid.z",
                          "nctaid.x", "nctaid.y", "nctaid.z", "laneid"})
      Text += std::string("declare i32 @llvm.nvvm.read.ptx.sreg.") + R + "()\n";
    for (const char *R : {"smin", "smax", "umin", "umax"})
      Text += std::string("declare i32 @llvm.") + R + ".i32(i32, i32)\n";
    Text += "declare i32 @llvm.abs.i32(i32, i1)\ndeclare i32 @llvm.ctpop.i32(i32)\n"
            "declare i32 @llvm.nvvm.mulhi.ui(i32, i32)\ndeclare i32 @llvm.nvvm.mulhi.i(i32, i32)\n"
            "declare i64 @llvm.nvvm.mulhi.ull(i64, i64)\ndeclare i64 @llvm.nvvm.mulhi.ll(i64, i64)\n"
            "declare i32 @llvm.bitreverse.i32(i32)\n"
            "declare i32 @llvm.ctlz.i32(i32, i1)\ndeclare i32 @llvm.cttz.i32(i32, i1)\n";
    for (const char *R : {"fshl", "fshr"})
      Text += std::string("declare i32 @llvm.") + R + ".i32(i32, i32, i32)\n";
    for (const char *R : {"mul24", "umul24", "hadd", "rhadd", "uhadd", "urhadd"})
      Text += std::string("declare i32 @__nv_") + R + "(i32, i32) #0\n";
    for (const char *R : {"sad", "usad"})
      Text += std::string("declare i32 @__nv_") + R + "(i32, i32, i32) #0\n";
    Text += "attributes #0 = { nounwind willreturn memory(none) }\n";
    Helpers = below(3);
    for (unsigned H = Helpers; H-- > 0;) {
      HelperNumber = int(H);
      function("define internal i32 @f" + std::to_string(H) + "(ptr %p, ptr %local, i32 %n, i32 %m, i32 %q)", false);
    }
    HelperNumber = -1;
    function("define ptx_kernel void @k(ptr %p, i32 %n, i32 %m, i32 %q)", true);
    P.text = std::move(Text);
    return P;
  }

private:
  struct Var {
    std::string name;
    bool wide;
    int64_t low, high; ///< estimate, for nsw
  };
  std::mt19937_64 Random;
  bool Unknowns;
  std::string Text, Label;
  std::vector<Var> Pool;
  std::vector<std::string> Booleans;
  unsigned Next = 0, Helpers = 0, Statements = 0;
  int HelperNumber = -1;
  bool Kernel = false;

  unsigned below(size_t N) { return unsigned(Random() % N); }
  bool chance(unsigned OneIn) { return below(OneIn) == 0; }
  std::string fresh() { return "%v" + std::to_string(Next++); }
  std::string label() { return "l" + std::to_string(Next++); }
  void line(const std::string &S) { Text += "  " + S + "\n"; }
  void begin(const std::string &L) {
    Text += L + ":\n";
    Label = L;
  }
  int64_t parameter() {
    static constexpr int64_t Some[] = {0, 1, 2, 3, 7, 16, 31, 32, 33, 64, 100, 127, 128, 255, 256, 1000, 1024, 4096, -1, -5};
    return chance(4) ? int64_t(below(5000)) : Some[below(std::size(Some))];
  }
  int64_t number() {
    static constexpr int64_t Some[] = {0,  1,  2,  3,  4,  5,   7,   8,   12,  15,  16,   17,  24, 31,
                                       32, 33, 48, 63, 64, 100, 127, 128, 255, 256, 1000, 1023, 1024};
    if (chance(12))
      return -int64_t(1 + below(40));
    if (chance(30)) {
      static constexpr int64_t Large[] = {0x7fffffff, -0x7fffffff - 1, 65535, 65536, 0x9e3779b9 - (int64_t(1) << 32), 1 << 24,
                                          0x7ffffff0, -0x7ffffff0, 1 << 30};
      return Large[below(std::size(Large))];
    }
    return Some[below(std::size(Some))];
  }
  Var constant(int64_t V) { return {std::to_string(V), false, V, V}; }
  Var define(const std::string &Right, bool Wide, int64_t Low, int64_t High, bool Keep = true) {
    Var V{fresh(), Wide, Low, High};
    line(V.name + " = " + Right);
    if (Keep)
      Pool.push_back(V);
    return V;
  }
  static constexpr int64_t Least = -0x80000000LL, Most = 0x7fffffff;
  Var pick(bool Wide) {
    for (unsigned Try = 0; Try < 8; ++Try) {
      // Later values more often: chains grow.
      const Var &V = chance(2) ? Pool[Pool.size() - 1 - below(std::min<size_t>(Pool.size(), 5))] : Pool[below(Pool.size())];
      if (V.wide == Wide)
        return V;
    }
    if (!Wide)
      return Pool[0];
    Var V = pick(false);
    bool Zero = chance(2);
    return define((Zero ? "zext i32 " : "sext i32 ") + V.name + " to i64", true,
                  Zero && V.low < 0 ? 0 : V.low, Zero && V.low < 0 ? 0xffffffffLL : V.high);
  }
  Var operand(bool Wide) { return chance(3) ? constant(number()) : pick(Wide); }

  Var boolean() {
    if (!Booleans.empty() && chance(4))
      return {Booleans[below(Booleans.size())], false, 0, 1};
    bool Wide = chance(6);
    Var A = pick(Wide), B = chance(2) ? pick(Wide) : constant(number());
    static const char *const P[] = {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};
    Var V{fresh(), false, 0, 1};
    if (chance(12)) {
      line(V.name + " = trunc " + (Wide ? "i64 " : "i32 ") + A.name + " to i1");
    } else
      line(V.name + " = icmp " + P[below(10)] + (Wide ? " i64 " : " i32 ") + A.name + ", " + B.name);
    if (!Booleans.empty() && chance(5)) {
      Var C{fresh(), false, 0, 1};
      static const char *const Ops[] = {"and", "or", "xor"};
      line(C.name + " = " + Ops[below(3)] + " i1 " + V.name + ", " +
           (chance(4) ? std::string("true") : Booleans[below(Booleans.size())]));
      V = C;
    }
    Booleans.push_back(V.name);
    return V;
  }

  /// A new value; i32 mostly.
  Var expression() {
    bool Wide = chance(7);
    const std::string T = Wide ? "i64 " : "i32 ";
    const __int128 Low = Wide ? INT64_MIN : Least, High = Wide ? INT64_MAX : Most;
    auto Ranged = [&](const char *Op, const Var &A, const std::string &B, __int128 L, __int128 H) {
      bool Fits = Low <= L && H <= High;
      bool Nsw = Fits && chance(2);
      return define(std::string(Op) + (Nsw ? " nsw " : " ") + T + A.name + ", " + B, Wide, int64_t(Fits ? L : Low),
                    int64_t(Fits ? H : High));
    };
    if (chance(10))
      return function();
    Var A = pick(Wide);
    switch (below(20)) {
    case 0:
    case 1:
    case 2: {
      Var B = operand(Wide);
      return Ranged("add", A, B.name, __int128(A.low) + B.low, __int128(A.high) + B.high);
    }
    case 3: {
      Var B = operand(Wide);
      return Ranged("sub", A, B.name, __int128(A.low) - B.high, __int128(A.high) - B.low);
    }
    case 4:
    case 5:
    case 6: {
      Var B = chance(3) ? pick(Wide) : constant(number());
      __int128 P[] = {__int128(A.low) * B.low, __int128(A.low) * B.high, __int128(A.high) * B.low,
                      __int128(A.high) * B.high};
      return Ranged("mul", A, B.name, *std::min_element(P, P + 4), *std::max_element(P, P + 4));
    }
    case 7: {
      unsigned Amount = below(chance(6) ? (Wide ? 64 : 32) : 8);
      return Ranged("shl", A, std::to_string(Amount), __int128(A.low) * (__int128(1) << Amount),
                    __int128(A.high) * (__int128(1) << Amount));
    }
    case 8:
    case 9: {
      std::string Amount = std::to_string(below(chance(6) ? (Wide ? 64 : 32) : 8));
      if (chance(6))
        Amount = define("and " + T + pick(Wide).name + ", 7", Wide, 0, 7).name;
      bool Logical = chance(2);
      return define((Logical ? "lshr " : "ashr ") + T + A.name + ", " + Amount, Wide,
                    A.low < 0 && Logical ? int64_t(Low) : std::min<int64_t>(A.low, 0),
                    A.low < 0 && Logical ? int64_t(High) : std::max<int64_t>(A.high, 0));
    }
    case 10:
    case 11: {
      static constexpr int64_t Divisors[] = {1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 33, 100, 128, 1000, -1, -3, -128};
      std::string B = std::to_string(Divisors[below(std::size(Divisors))]);
      if (chance(8))
        B = define("or " + T + pick(Wide).name + ", 1", Wide, int64_t(Low), int64_t(High)).name;
      static const char *const Ops[] = {"sdiv ", "udiv ", "srem ", "urem "};
      unsigned Op = below(4);
      bool Plain = A.low >= 0;
      return define(Ops[Op] + T + A.name + ", " + B, Wide, Plain && Op % 2 ? 0 : int64_t(Low),
                    Plain && Op % 2 ? A.high : int64_t(High));
    }
    case 12:
    case 13: {
      static constexpr int64_t Masks[] = {1, 3, 7, 15, 31, 63, 127, 255, 1023, -2, -4, -32, 5, 12, 0xf0};
      if (chance(3)) {
        int64_t M = Masks[below(std::size(Masks))];
        return define("and " + T + A.name + ", " + std::to_string(M), Wide, M >= 0 ? 0 : int64_t(Low),
                      M >= 0 ? M : int64_t(High));
      }
      static const char *const Ops[] = {"and ", "or ", "xor "};
      return define(Ops[below(3)] + T + A.name + ", " + operand(Wide).name, Wide, int64_t(Low), int64_t(High));
    }
    case 14:
    case 15: {
      Var C = boolean(), B = operand(Wide);
      return define("select i1 " + C.name + ", " + T + A.name + ", " + T + B.name, Wide, std::min(A.low, B.low),
                    std::max(A.high, B.high));
    }
    case 16: {
      if (Wide)
        return define("trunc i64 " + A.name + " to i32", false, A.low < Least || A.high > Most ? Least : A.low,
                      A.low < Least || A.high > Most ? Most : A.high);
      std::string Bits = chance(2) ? "i8" : "i16", N = fresh();
      line(N + " = trunc i32 " + A.name + " to " + Bits);
      return define((chance(2) ? "sext " : "zext ") + Bits + " " + N + " to i32", false, -65536, 65535);
    }
    case 17: {
      Var C = boolean();
      return define((chance(3) ? "sext i1 " : "zext i1 ") + C.name + " to i32", false, -1, 1);
    }
    case 18: {
      static const char *const Ops[] = {"smin", "smax", "umin", "umax"};
      Var X = pick(false), Y = operand(false);
      return define(std::string("call i32 @llvm.") + Ops[below(4)] + ".i32(i32 " + X.name + ", i32 " + Y.name + ")", false,
                    std::min(X.low, Y.low), std::max(X.high, Y.high));
    }
    default: {
      Var X = pick(false), Y = operand(false);
      if (chance(3))
        return define("call i32 @llvm.abs.i32(i32 " + X.name + ", i1 false)", false, Least, Most);
      if (chance(3))
        return define("call i32 @llvm.nvvm.mulhi.ui(i32 " + X.name + ", i32 " + Y.name + ")", false, Least, Most);
      if (chance(4))
        return define("call i32 @llvm.ctpop.i32(i32 " + X.name + ")", false, 0, 32);
      return define("add i32 " + X.name + ", " + Y.name, false, Least, Most);
    }
    }
  }

  /// Integer functions, tables, digits of numbers, and detours over floating point.
  Var function() {
    Var X = pick(false), Y = operand(false);
    auto Call = [&](const std::string &Name, const std::string &Rest, int64_t L = Least, int64_t H = Most) {
      return define("call i32 @" + Name + "(i32 " + X.name + Rest + ")", false, L, H);
    };
    const std::string Second = ", i32 " + Y.name, Third = ", i32 " + operand(false).name;
    static const char *const Two[] = {"mul24", "umul24", "hadd", "rhadd", "uhadd", "urhadd"};
    switch (below(12)) {
    case 0: return Call(chance(2) ? "llvm.fshl.i32" : "llvm.fshr.i32", Second + Third);
    case 1: return Call("llvm.bitreverse.i32", "");
    case 2: return Call(chance(2) ? "llvm.ctlz.i32" : "llvm.cttz.i32", ", i1 false", 0, 32);
    case 3:
    case 4: return Call(std::string("__nv_") + Two[below(6)], Second);
    case 5: return Call(chance(2) ? "__nv_sad" : "__nv_usad", Second + Third);
    case 6: return Call("llvm.nvvm.mulhi.i", Second);
    case 7: {
      Var A = pick(true), B = operand(true);
      return define(std::string("call i64 @llvm.nvvm.mulhi.") + (chance(2) ? "ull" : "ll") + "(i64 " + A.name + ", i64 " +
                        B.name + ")",
                    true, INT64_MIN, INT64_MAX);
    }
    case 8: { // a table
      Var I = define("and i32 " + X.name + ", 7", false, 0, 7);
      std::string P = fresh();
      line(P + " = getelementptr i32, ptr addrspace(4) @t, i32 " + I.name);
      return define("load i32, ptr addrspace(4) " + P, false, -7, 1000);
    }
    case 9: { // (x / w) * pitch + x % w, by division or by shift and mask
      unsigned Shift = 1 + below(6);
      std::string W = std::to_string(chance(3) ? 3 + below(40) : 1u << Shift), Q, R;
      bool Plain = chance(2) && X.low >= 0;
      Q = define((Plain ? "sdiv i32 " : "udiv i32 ") + X.name + ", " + W, false, Least, Most).name;
      R = define((Plain ? "srem i32 " : "urem i32 ") + X.name + ", " + W, false, Least, Most).name;
      Q = define("mul i32 " + Q + ", " + (chance(2) ? W : std::to_string(number())), false, Least, Most).name;
      return define("add i32 " + Q + ", " + R, false, Least, Most);
    }
    case 10: { // a fast division: the high half of a product, shifted
      static const char *const Multipliers[] = {"-1431655765", "1431655766", "858993460", "-858993459", "613566757"};
      std::string H = define(std::string("call i32 @llvm.nvvm.mulhi.ui(i32 ") + X.name + ", i32 " + Multipliers[below(5)] + ")",
                             false, Least, Most)
                          .name;
      return define("lshr i32 " + H + ", " + std::to_string(below(6)), false, Least, Most);
    }
    default: return overFloat(X);
    }
  }

  Var overFloat(const Var &X) {
    const bool Double = chance(2), Signed = chance(2);
    const std::string T = Double ? "double " : "float ";
    static const char *const Numbers[] = {"5.000000e-01", "2.500000e-01", "1.500000e+00", "2.000000e+00", "-7.500000e-01",
                                          "3.000000e+00", "1.000000e+00", "-8.000000e+00"};
    std::string V = fresh();
    line(V + " = " + (Signed ? "sitofp i32 " : "uitofp i32 ") + X.name + " to " + T);
    for (unsigned N = 1 + below(3); N > 0; --N) {
      static const char *const Ops[] = {"fmul", "fadd", "fsub", "fdiv", "fmul"};
      std::string R = fresh();
      line(R + " = " + Ops[below(5)] + (chance(2) ? " contract " : " ") + T + V + ", " + Numbers[below(8)]);
      V = R;
    }
    return define(std::string(Signed || chance(2) ? "fptosi " : "fptoui ") + T + V + " to i32", false, Least, Most);
  }

  void access() {
    static const char *const Types[] = {"i8", "i16", "i32", "i32", "i32", "i64", "<4 x i32>", "<2 x i32>"};
    unsigned Kind = below(8);
    bool Wide = chance(4);
    Var Index = pick(Wide);
    std::string IndexType = Wide ? "i64 " : "i32 ";
    if (chance(3)) {
      static constexpr int64_t Masks[] = {63, 255, 1023, 4095};
      Index = define("and " + IndexType + Index.name + ", " + std::to_string(Masks[below(4)]), Wide, 0, 4095, false);
    } else if (Wide)
      Index = define("and i64 " + Index.name + ", 1099511627775", true, 0, 1099511627775, false);
    bool Shared = chance(3);
    std::string Pointer = fresh(), P = Shared ? "ptr addrspace(3) " : "ptr ", Base = Shared ? "@s" : "%p";
    if (chance(40)) {
      Base = fresh();
      line(Base + " = select i1 " + boolean().name + ", ptr %p, ptr addrspacecast (ptr addrspace(3) @s to ptr)");
      P = "ptr ";
    }
    line(Pointer + " = getelementptr " + Types[Kind] + ", " + P + Base + ", " + IndexType + Index.name);
    if (chance(2)) {
      static const char *const Stored[] = {"0", "0", "7", "7", "7", "9", "zeroinitializer", "zeroinitializer"};
      line(std::string("store ") + Types[Kind] + " " + Stored[Kind] + ", " + P + Pointer + ", align 1");
      return;
    }
    std::string V = fresh();
    line(V + " = load " + Types[Kind] + ", " + P + Pointer + ", align 1");
    if (chance(12) && Kind >= 2 && Kind <= 4) // data as an index
      define("and i32 " + V + ", 1023", false, 0, 1023);
  }

  void local() {
    // Words mostly; bytes and double words overlap them.
    unsigned Kind = chance(4) ? 1 + below(2) : 0;
    static const char *const Types[] = {"i32", "i8", "i64"};
    static constexpr unsigned Count[] = {8, 32, 4};
    std::string Index;
    if (chance(2))
      Index = std::to_string(below(Count[Kind]));
    else
      Index = define("and i32 " + pick(false).name + ", " + std::to_string(Count[Kind] - 1), false, 0, Count[Kind] - 1).name;
    std::string Pointer = fresh(), T = Types[Kind];
    line(Pointer + " = getelementptr " + T + ", ptr %local, i32 " + Index);
    if (chance(2)) {
      std::string V;
      if (Kind == 1) {
        V = fresh();
        line(V + " = trunc i32 " + pick(false).name + " to i8");
      } else
        V = operand(Kind == 2).name;
      line("store " + T + " " + V + ", ptr " + Pointer + ", align 1");
      return;
    }
    std::string V = fresh();
    line(V + " = load " + T + ", ptr " + Pointer + ", align 1");
    if (Kind == 1)
      define("zext i8 " + V + " to i32", false, 0, 255);
    else
      Pool.push_back({V, Kind == 2, Kind == 2 ? INT64_MIN : Least, Kind == 2 ? INT64_MAX : Most});
  }

  /// What a block of statements leaves behind is out of scope after it.
  template <typename Fn> void scoped(Fn F) {
    size_t P = Pool.size(), B = Booleans.size();
    F();
    Pool.resize(P, Var{"0", false, 0, 0});
    Booleans.resize(B);
  }

  void leave() {
    if (Kernel)
      line("ret void");
    else
      line("ret i32 " + pick(false).name);
  }

  /// a && b, or a || b, as the front end writes it.
  std::string shortCircuit() {
    std::string A = boolean().name, Right = label(), End = label(), Left = Label;
    bool And = chance(2);
    line("br i1 " + A + ", label %" + (And ? Right : End) + ", label %" + (And ? End : Right));
    std::string B, From;
    scoped([&] {
      begin(Right);
      if (chance(4))
        access();
      B = boolean().name;
      From = Label;
      line("br label %" + End);
    });
    begin(End);
    std::string R = fresh();
    line(R + " = phi i1 [ " + (And ? "false" : "true") + ", %" + Left + " ], [ " + B + ", %" + From + " ]");
    Booleans.push_back(R);
    return R;
  }

  void conditional(unsigned Depth) {
    std::string C = chance(4) ? shortCircuit() : boolean().name, Then = label(), Else = label(), Join = label();
    bool HaveElse = chance(2), Returns = chance(8);
    std::string Before = Label, A, B, FromThen, FromElse;
    line("br i1 " + C + ", label %" + Then + ", label %" + (HaveElse ? Else : Join));
    std::string Default = operand(false).name;
    bool Constant = Default[0] != '%';
    if (!Constant)
      Default = Pool[0].name;
    scoped([&] {
      begin(Then);
      statements(Depth - 1);
      A = pick(false).name;
      FromThen = Label;
      if (Returns)
        leave();
      else
        line("br label %" + Join);
    });
    B = Default, FromElse = Before;
    if (HaveElse)
      scoped([&] {
        begin(Else);
        statements(Depth - 1);
        B = pick(false).name;
        FromElse = Label;
        line("br label %" + Join);
      });
    begin(Join);
    if (!Returns && chance(2))
      define("phi i32 [ " + A + ", %" + FromThen + " ], [ " + B + ", %" + FromElse + " ]", false, Least, Most);
  }

  void choice(unsigned Depth) {
    std::string V = define("and i32 " + pick(false).name + ", 3", false, 0, 3).name;
    std::string L[3] = {label(), label(), label()}, Join = label();
    line("switch i32 " + V + ", label %" + L[0] + " [ i32 1, label %" + L[1] + " i32 2, label %" + L[chance(2) ? 1 : 2] +
         " i32 3, label %" + L[2] + " ]");
    std::string In;
    for (const std::string &X : L)
      scoped([&] {
        begin(X);
        statements(Depth - 1);
        In += (In.empty() ? "[ " : ", [ ") + pick(false).name + ", %" + Label + " ]";
        line("br label %" + Join);
      });
    begin(Join);
    define("phi i32 " + In, false, Least, Most);
  }

  void loop(unsigned Depth) {
    std::string Head = label(), Body = label(), Latch = label(), Exit = label();
    std::string Bound = chance(2) ? std::to_string(below(6))
                                  : define("and i32 " + pick(false).name + ", 7", false, 0, 7).name;
    if (Unknowns && chance(3))
      Bound = pick(false).name;
    unsigned Kind = below(5); // 0, 1: counting up; 2: doubling; 3: halving; 4: body first
    bool LaneStart = (Kind == 2 || Kind == 3) && chance(3);
    std::string Start = LaneStart   ? define("add i32 " + define("and i32 " + pick(false).name + ", 63", false, 0, 63).name + ", 1",
                                             false, 1, 64)
                                        .name
                        : Kind == 2 ? "1"
                        : Kind == 3 ? std::to_string(1 << below(7))
                        : chance(2) ? "0"
                                    : define("and i32 " + pick(false).name + ", 3", false, 0, 3).name;
    std::string Sum0 = operand(false).name;
    std::string I = fresh(), Sum = fresh(), Step = fresh(), NewSum = fresh(), Before = Label;
    // A second variable that goes its own way, and a pointer that walks.
    std::string Other0 = operand(false).name, Other = fresh(), NewOther = fresh(), Walk = fresh(), NewWalk = fresh();
    std::string Stride = chance(2) ? std::to_string(number()) : pick(false).name;
    std::string WalkFrom = fresh();
    line(WalkFrom + " = getelementptr i32, ptr %p, i32 " + pick(false).name);
    static const char *const OtherOps[] = {"add", "add", "sub", "mul", "xor", "shl"};
    const std::string OtherOp = OtherOps[below(6)];
    const std::string OtherBy = OtherOp == "shl" ? "1" : OtherOp == "mul" ? "3" : chance(3) ? I : std::to_string(number());
    std::string HeadOther, HeadWalk;
    line("br label %" + Head);
    begin(Head);
    size_t Hole = Text.size();
    std::string ExitIn, Breaks, HeadIn, HeadSum;
    size_t P = Pool.size(), B = Booleans.size();
    Pool.push_back({I, false, Least, Most});
    Pool.push_back({Sum, false, Least, Most});
    Pool.push_back({Other, false, Least, Most});
    std::string Cond = fresh();
    if (Kind != 4) {
      static const char *const Up[] = {"slt", "ult", "ne", "sle"};
      if (Kind == 3)
        line(Cond + " = icmp sgt i32 " + I + ", 0");
      else if (Kind == 2)
        line(Cond + " = icmp slt i32 " + I + ", " + std::to_string(1 << below(8)));
      else
        line(Cond + " = icmp " + Up[below(4)] + " i32 " + I + ", " + Bound);
      line("br i1 " + Cond + ", label %" + Body + ", label %" + Exit);
      ExitIn = "[ " + Sum + ", %" + Head + " ]";
    } else {
      line("br label %" + Body);
    }
    begin(Body);
    if (chance(3))
      line((chance(2) ? fresh() + " = load i32, ptr " + Walk : "store i32 7, ptr " + Walk) + ", align 4");
    statements(Depth - 1);
    auto StepText = [&](const std::string &Name) {
      return Name + (Kind == 2   ? " = shl i32 " + I + ", 1"
                     : Kind == 3 ? " = ashr i32 " + I + ", " + std::string(chance(2) ? "1" : "2")
                                 : " = add " + std::string(chance(2) ? "nsw " : "") + "i32 " + I + ", " +
                                       std::string(chance(3) ? "2" : "1"));
    };
    if (chance(3)) { // break
      std::string C = boolean().name, Stay = label();
      ExitIn += (ExitIn.empty() ? "[ " : ", [ ") + pick(false).name + ", %" + Label + " ]";
      line("br i1 " + C + ", label %" + Exit + ", label %" + Stay);
      begin(Stay);
      statements(0);
    }
    if (chance(3)) { // continue, straight to the header
      std::string C = boolean().name, Stay = label(), Again = label(), X = fresh();
      line("br i1 " + C + ", label %" + Again + ", label %" + Stay);
      Text += Again + ":\n";
      line(StepText(X));
      line("br label %" + Head);
      HeadIn += ", [ " + X + ", %" + Again + " ]";
      HeadSum += ", [ " + pick(false).name + ", %" + Again + " ]";
      HeadOther += ", [ " + Other + ", %" + Again + " ]";
      HeadWalk += ", [ " + Walk + ", %" + Again + " ]";
      begin(Stay);
      statements(0);
    }
    if (chance(8)) { // return
      std::string C = boolean().name, Stay = label(), Out = label();
      line("br i1 " + C + ", label %" + Out + ", label %" + Stay);
      Text += Out + ":\n";
      leave();
      begin(Stay);
    }
    line("br label %" + Latch);
    begin(Latch);
    line(NewSum + " = add i32 " + Sum + ", " + operand(false).name);
    line(StepText(Step));
    line(NewOther + " = " + OtherOp + " i32 " + Other + ", " + OtherBy);
    line(NewWalk + " = getelementptr i32, ptr " + Walk + ", i32 " + Stride);
    if (Kind == 4) {
      line(Cond + " = icmp slt i32 " + Step + ", " + Bound);
      line("br i1 " + Cond + ", label %" + Head + ", label %" + Exit);
      ExitIn += (ExitIn.empty() ? "[ " : ", [ ") + NewSum + ", %" + Latch + " ]";
    } else {
      line("br label %" + Head);
    }
    Text.insert(Hole, "  " + I + " = phi i32 [ " + Start + ", %" + Before + " ], [ " + Step + ", %" + Latch + " ]" + HeadIn +
                          "\n  " + Sum + " = phi i32 [ " + Sum0 + ", %" + Before + " ], [ " + NewSum + ", %" + Latch +
                          " ]" + HeadSum + "\n  " + Other + " = phi i32 [ " + Other0 + ", %" + Before + " ], [ " + NewOther +
                          ", %" + Latch + " ]" + HeadOther + "\n  " + Walk + " = phi ptr [ " + WalkFrom + ", %" + Before +
                          " ], [ " + NewWalk + ", %" + Latch + " ]" + HeadWalk + "\n");
    begin(Exit);
    Pool.resize(P, Var{"0", false, 0, 0});
    Booleans.resize(B);
    define("phi i32 " + ExitIn, false, Least, Most);
    Pool.push_back({I, false, Least, Most}); // the header dominates the exit
    if (chance(2))
      Pool.push_back({Sum, false, Least, Most});
    if (chance(3))
      Pool.push_back({Other, false, Least, Most});
  }

  void helperCall() {
    unsigned H = unsigned(HelperNumber + 1) + below(Helpers - unsigned(HelperNumber + 1));
    std::string Call = "call i32 @f" + std::to_string(H) + "(ptr %p, ptr %local, i32 " + operand(false).name + ", i32 " +
                       operand(false).name + ", i32 " + pick(false).name + ")";
    define(Call, false, Least, Most);
  }

  void statements(unsigned Depth) {
    for (unsigned N = 1 + below(4); N > 0 && Statements < 60; --N) {
      ++Statements;
      unsigned Kind = below(16);
      if (Kind < 6)
        expression();
      else if (Kind < 10)
        access();
      else if (Kind < 12)
        local();
      else if (Kind == 12 && Depth)
        conditional(Depth);
      else if (Kind == 13 && Depth)
        chance(4) ? choice(Depth) : conditional(Depth);
      else if (Kind == 14 && Depth)
        loop(Depth);
      else if (Kind == 15 && unsigned(HelperNumber + 1) < Helpers)
        helperCall();
      else
        expression();
    }
  }

  void function(const std::string &Signature, bool IsKernel) {
    Kernel = IsKernel;
    Statements = 0;
    Pool.clear();
    Booleans.clear();
    Text += Signature + " {\n";
    begin("entry");
    if (Kernel)
      line("%local = alloca [8 x i32], align 8");
    for (const char *N : {"%n", "%m", "%q"})
      Pool.push_back({N, false, Unknowns ? 0 : Least, Most});
    auto Register = [&](const char *Name, int64_t Low, int64_t High) {
      Var V{fresh(), false, Low, High};
      line(V.name + " = call i32 @llvm.nvvm.read.ptx.sreg." + Name + "()");
      Pool.push_back(V);
      return V;
    };
    Var X = Register("tid.x", 0, 255);
    if (chance(2))
      Register("tid.y", 0, 64);
    if (chance(3))
      Register("tid.z", 0, 64);
    if (chance(8))
      Register("laneid", 0, 31);
    Var B = Register("ctaid.x", 0, 50);
    if (chance(3))
      Register("ctaid.y", 0, 50);
    if (chance(6))
      Register("ctaid.z", 0, 50);
    if (chance(4))
      Register("nctaid.x", 1, 50);
    if (chance(2)) {
      Var N = Register("ntid.x", 1, 256);
      Var R = define("mul i32 " + B.name + ", " + N.name, false, 0, 12800);
      define("add i32 " + R.name + ", " + X.name, false, 0, 13100);
    }
    if (Kernel)
      for (unsigned N = 0; N < 8; ++N) {
        std::string P = fresh();
        line(P + " = getelementptr i32, ptr %local, i32 " + std::to_string(N));
        line("store i32 " + operand(false).name + ", ptr " + P + ", align 4");
      }
    for (unsigned Round = 1 + below(3); Round > 0; --Round)
      statements(3);
    access();
    leave();
    Text += "}\n";
  }
};

} // namespace warplint::test

#endif
