//===-- ResultCacheTest.cpp - Results come back as they were --------------===//
#include "analyzer/driver/ResultCache.h"
#include "../frontend/Scratch.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <cstring>

using namespace warplint;
using namespace warplint::driver;

namespace {

//--- Every member, by number ----------------------------------------------------
// The count is the language's to check: a new member does not compile until it is here.

template <typename V> void each(frontend::Dependency &S, V Visit) {
  auto &[M0, M1, M2, M3, M4] = S;
  Visit(M0, M1, M2, M3, M4);
}
template <typename V> void each(result::Place &S, V Visit) {
  auto &[M0, M1, M2, M3, M4] = S;
  Visit(M0, M1, M2, M3, M4);
}
template <typename V> void each(result::Cost &S, V Visit) {
  auto &[M0, M1, M2, M3, M4, M5, M6, M7, M8] = S;
  Visit(M0, M1, M2, M3, M4, M5, M6, M7, M8);
}
template <typename V> void each(result::Total &S, V Visit) {
  auto &[M0, M1, M2, M3] = S;
  Visit(M0, M1, M2, M3);
}
template <typename V> void each(result::FieldInfo &S, V Visit) {
  auto &[M0, M1, M2, M3, M4, M5, M6, M7] = S;
  Visit(M0, M1, M2, M3, M4, M5, M6, M7);
}
template <typename V> void each(result::TileInfo &S, V Visit) {
  auto &[M0, M1, M2, M3, M4, M5, M6, M7, M8] = S;
  Visit(M0, M1, M2, M3, M4, M5, M6, M7, M8);
}
template <typename V> void each(result::Companions &S, V Visit) {
  auto &[M0, M1, M2, M3, M4] = S;
  Visit(M0, M1, M2, M3, M4);
}
template <typename V> void each(result::AtomicInfo &S, V Visit) {
  auto &[M0, M1, M2, M3, M4, M5] = S;
  Visit(M0, M1, M2, M3, M4, M5);
}
template <typename V> void each(result::IndexSource &S, V Visit) {
  auto &[M0, M1] = S;
  Visit(M0, M1);
}
template <typename V> void each(result::PrivateArray &S, V Visit) {
  auto &[M0, M1, M2, M3] = S;
  Visit(M0, M1, M2, M3);
}
template <typename V> void each(result::Access &S, V Visit) {
  auto &[M0, M1, M2, M3, M4, M5, M6, M7, M8, M9, M10, M11, M12, M13, M14, M15, M16, M17, M18, M19, M20, M21,
         M22, M23, M24, M25, M26, M27, M28, M29, M30, M31, M32, M33, M34, M35, M36, M37, M38, M39, M40, M41] = S;
  Visit(M0, M1, M2, M3, M4, M5, M6, M7, M8, M9, M10, M11, M12, M13, M14, M15, M16, M17, M18, M19, M20, M21,
        M22, M23, M24, M25, M26, M27, M28, M29, M30, M31, M32, M33, M34, M35, M36, M37, M38, M39, M40, M41);
}
template <typename V> void each(result::Loop &S, V Visit) {
  auto &[M0, M1, M2] = S;
  Visit(M0, M1, M2);
}
template <typename V> void each(result::Work &S, V Visit) {
  auto &[M0, M1, M2, M3, M4, M5, M6, M7, M8, M9, M10, M11, M12, M13, M14, M15, M16] = S;
  Visit(M0, M1, M2, M3, M4, M5, M6, M7, M8, M9, M10, M11, M12, M13, M14, M15, M16);
}
template <typename V> void each(result::Reuse &S, V Visit) {
  auto &[M0, M1, M2, M3, M4, M5, M6] = S;
  Visit(M0, M1, M2, M3, M4, M5, M6);
}
/// The last five are of a run, three of them of its GPU, and are not kept.
template <typename V> void each(result::Kernel &S, V Visit) {
  auto &[M0, M1, M2, M3, M4, M5, M6, M7, M8, M9, M10, M11, M12, M13, M14, M15, M16, M17, M18, M19, M20, M21,
         M22, OfGpu0, OfGpu1, OfGpu2, OfRun0, OfRun1] = S;
  Visit(M0, M1, M2, M3, M4, M5, M6, M7, M8, M9, M10, M11, M12, M13, M14, M15, M16, M17, M18, M19, M20, M21,
        M22);
}
template <typename V> void each(result::Error &S, V Visit) {
  auto &[M0, M1, OfRun] = S;
  Visit(M0, M1);
}
template <typename V> void each(UnitResult &S, V Visit) {
  auto &[M0, M1, M2, M3, M4] = S;
  Visit(M0, M1, M2, M3, M4);
}
template <typename V> void each(kernel::WantedFunction &S, V Visit) {
  auto &[M0, M1, M2] = S;
  Visit(M0, M1, M2);
}

/// Gives every number and text in a result a value of its own.
class Fill {
public:
  template <typename T> void operator()(T &Value) {
    if constexpr (std::is_same_v<T, bool>)
      Value = !Value; // not what it is by default
    else if constexpr (std::is_enum_v<T>)
      Value = T(int(Value) == 0 ? 1 : 0);
    else if constexpr (std::is_integral_v<T>)
      Value = T(++Next) | (T(1) << (8 * sizeof(T) - 2)); // no byte less
    else if constexpr (std::is_floating_point_v<T>)
      Value = ++Next + 1 / 3.0;
    else
      object(Value);
  }

private:
  void object(std::string &Text) { Text = std::string("\0 text \n", 8) + std::to_string(++Next); }
  template <typename T> void object(std::vector<T> &Items) {
    Items.resize(2);
    for (T &Item : Items)
      (*this)(Item);
  }
  template <typename T, size_t N> void object(std::array<T, N> &Items) {
    for (T &Item : Items)
      (*this)(Item);
  }
  void object(std::map<std::string, int64_t> &Items) {
    for (int I = 0; I < 3; ++I)
      (*this)(Items[std::to_string(++Next)]);
  }
  void object(result::Amount &A) {
    for (int I = 0; I < 2; ++I)
      (*this)(A.terms[{{"symbol " + std::to_string(++Next), int(++Next)}}]);
  }
  template <typename T> void object(std::optional<T> &Item) { (*this)(Item.emplace()); }
  template <typename T> void object(T &Structure) {
    each(Structure, [this](auto &...Members) { ((*this)(Members), ...); });
  }

  unsigned Next = 0;
};

/// All values, as text.
class Dump {
public:
  std::string text;

  template <typename T> void operator()(T &Value) {
    if constexpr (std::is_enum_v<T>)
      text += std::to_string(int(Value)) + ";";
    else if constexpr (std::is_arithmetic_v<T>)
      text += std::to_string(Value) + ";";
    else
      object(Value);
  }

private:
  void object(std::string &Text) { text += "'" + Text + "';"; }
  template <typename T> void object(std::vector<T> &Items) {
    text += std::to_string(Items.size()) + "[";
    for (T &Item : Items)
      (*this)(Item);
  }
  template <typename T, size_t N> void object(std::array<T, N> &Items) {
    for (T &Item : Items)
      (*this)(Item);
  }
  void object(result::Amount &A) {
    for (auto &[Product, Coefficient] : A.terms) {
      for (const auto &[Symbol, Exponent] : Product)
        text += Symbol + "^" + std::to_string(Exponent) + "*";
      (*this)(Coefficient);
    }
  }
  void object(std::map<std::string, int64_t> &Items) {
    text += std::to_string(Items.size()) + "{";
    for (auto &[Name, Value] : Items)
      text += Name + "=" + std::to_string(Value) + ";";
  }
  template <typename T> void object(std::optional<T> &Item) {
    text += Item ? "some " : "none ";
    if (Item)
      (*this)(*Item);
  }
  template <typename T> void object(T &Structure) {
    each(Structure, [this](auto &...Members) { ((*this)(Members), ...); });
  }
};

std::string textOf(UnitResult &R) {
  Dump Into;
  Into(R);
  return Into.text;
}

class ResultCacheTest : public testing::Test {
protected:
  frontend::Scratch Place;
  std::shared_ptr<frontend::Cache> Disk = std::make_shared<frontend::Cache>(Place.path("cache"));
  ResultCache Results{Disk, std::make_shared<frontend::DependencyChecker>()};
};

TEST_F(ResultCacheTest, EveryMemberComesBack) {
  UnitResult Before;
  Fill()(Before);
  // Only a dependency that holds lets a result come back.
  for (frontend::Dependency &D : Before.dependencies)
    D.exists = false, D.path = Place.path("absent" + std::to_string(D.hash));
  Results.store("k", Before);
  std::optional<UnitResult> After = Results.load("k");
  ASSERT_TRUE(After);
  EXPECT_EQ(textOf(*After), textOf(Before));
  UnitResult Empty;
  EXPECT_NE(textOf(Empty), textOf(Before));
  Results.store("k", Empty);
  ASSERT_TRUE(After = Results.load("k"));
  EXPECT_EQ(textOf(*After), textOf(Empty));
}

TEST_F(ResultCacheTest, GoesWithItsDependencies) {
  UnitResult R;
  R.dependencies.push_back({Place.write("a.h", ""), false, false, 0, 0});
  Results.store("k", R);
  EXPECT_FALSE(Results.load("k")) << "the file was not there, and is";
}

TEST_F(ResultCacheTest, OtherBytesAreNoResult) {
  for (const std::string &Bytes :
       {std::string(), std::string(3, 'x'), std::string(500, '\xff'), std::string(500, '\0')}) {
    ASSERT_TRUE(Disk->store("k", Bytes));
    EXPECT_FALSE(Results.load("k"));
  }
}

TEST(ResultCacheKey, DependsOnEverythingThatCounts) {
  using Change = void (*)(frontend::Command &, kernel::AnalysisOptions &);
  const Change Changes[] = {
      [](auto &C, auto &) { C.directory = "/other"; },
      [](auto &C, auto &) { C.file = "/other"; },
      [](auto &C, auto &) { C.requested = "/other"; },
      [](auto &C, auto &) { C.arguments.push_back("-DX"); },
      [](auto &C, auto &) {
        C.arguments = {"clang", "-Ia-Ib"};
      },
      [](auto &C, auto &) { std::swap(C.arguments[1], C.arguments[2]); },
      [](auto &C, auto &) { C.arch = "sm_90"; },
      [](auto &C, auto &) { C.toolkit = "/other"; },
      [](auto &, auto &O) {
        O.block = {{64, 1, 1}};
      },
      [](auto &, auto &O) {
        O.block = {{1, 64, 1}};
      },
      [](auto &, auto &O) {
        O.assume = {{"n", 1}};
      },
      [](auto &, auto &O) {
        O.assume = {{"n", -1}};
      },
      [](auto &, auto &O) {
        O.assume = {{"m", 1}};
      },
      [](auto &, auto &O) {
        O.assume = {{"m", 1}, {"n", 1}};
      },
      [](auto &, auto &O) { O.kernels.resize(1); },
      [](auto &, auto &O) { O.kernels.resize(2); },
      [](auto &, auto &O) {
        O.kernels.resize(1);
        O.kernels[0].pattern = "turn*";
      },
      [](auto &, auto &O) {
        O.kernels.resize(1);
        O.kernels[0].block = {{64, 1, 1}};
      },
      [](auto &, auto &O) {
        O.kernels.resize(1);
        O.kernels[0].grid = {{64, 1, 1}};
      },
      [](auto &, auto &O) {
        O.kernels.resize(1);
        O.kernels[0].origin = ".warplint:2";
      },
      [](auto &, auto &O) { O.outside = {{}}; },
      [](auto &, auto &O) {
        O.outside = {{}, {}};
      },
      [](auto &, auto &O) {
        O.outside = {{}};
        O.outside[0].block = {{64, 1, 1}};
      },
      [](auto &, auto &O) {
        O.outside = {{}};
        O.outside[0].values["0"] = 64;
      },
      [](auto &, auto &) { setenv("CPATH", "/other", 1); },
      [](auto &, auto &) { setenv("CPATH", "", 1); },
      [](auto &, auto &) { setenv("CPLUS_INCLUDE_PATH", "/other", 1); },
      [](auto &, auto &) { setenv("SOURCE_DATE_EPOCH", "1", 1); },
  };
  std::map<std::string, int> Keys;
  const auto Key = [&](Change Each) {
    frontend::Command Command;
    Command.directory = "/d";
    Command.file = Command.requested = "/d/a.cu";
    Command.arguments = {"clang", "-Ia", "-Ib"};
    Command.arch = "sm_80";
    kernel::AnalysisOptions Options;
    if (Each)
      Each(Command, Options);
    std::string Result = ResultCache::key(Command, Options);
    for (const char *Name : {"CPATH", "CPLUS_INCLUDE_PATH", "SOURCE_DATE_EPOCH"})
      unsetenv(Name);
    return Result;
  };
  EXPECT_EQ(Key(nullptr), Key(nullptr));
  Keys[Key(nullptr)] = -1;
  for (int I = 0; I < int(std::size(Changes)); ++I) {
    auto [At, New] = Keys.try_emplace(Key(Changes[I]), I);
    EXPECT_TRUE(New) << "changes " << At->second << " and " << I << " have one key";
  }
  // What a person is told beside the result is no part of it.
  EXPECT_EQ(Key(nullptr), Key([](auto &C, auto &) { C.notes.push_back("dropped -foo"); }));
}

} // namespace
