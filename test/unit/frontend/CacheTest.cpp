//===-- CacheTest.cpp - A folder of entries that runs share ---------------===//
#include "analyzer/frontend/Cache.h"
#include "Scratch.h"
#include "llvm/Support/Chrono.h"
#include "gtest/gtest.h"
#include <set>
#include <thread>

using namespace warplint::frontend;
namespace fs = llvm::sys::fs;

namespace {

std::string textOf(const Cache &C, llvm::StringRef Key) {
  Cache::Entry Found = C.load(Key);
  return Found ? Found.bytes.str() : "(none)";
}

/// The folder's files, by what follows the prefix that all entries have.
std::set<std::string> entriesIn(llvm::StringRef Folder) {
  std::set<std::string> Result;
  std::error_code Problem;
  for (fs::directory_iterator At(Folder, Problem), End; At != End && !Problem; At.increment(Problem))
    if (llvm::StringRef Name = llvm::sys::path::filename(At->path()); Name.consume_front("llvmcache-"))
      Result.insert(Name.str());
  return Result;
}

/// As if the entry had last been used so many minutes ago.
void age(llvm::StringRef Folder, llvm::StringRef Key, unsigned Minutes) {
  int Handle;
  llvm::SmallString<128> File(Folder);
  llvm::sys::path::append(File, "llvmcache-" + Key);
  ASSERT_FALSE(fs::openFileForReadWrite(File, Handle, fs::CD_OpenExisting, fs::OF_None));
  auto Then = std::chrono::system_clock::now() - std::chrono::minutes(Minutes);
  ASSERT_FALSE(fs::setLastAccessAndModificationTime(Handle, Then, Then));
  fs::closeFile(*reinterpret_cast<fs::file_t *>(&Handle));
}

TEST(Cache, KeysDifferWithEveryPart) {
  const std::vector<std::vector<llvm::StringRef>> All{
      {},          {""},        {"", ""},    {"ab", "c"},  {"a", "bc"},   {"abc"},       {"abc", ""},
      {"", "abc"}, {"c", "ab"}, {"Ab", "c"}, {"ab", "c "}, {"2:ab", "c"}, {"ab\0001:c"}, {"ab", "1:c"}};
  std::set<std::string> Keys;
  for (const auto &Parts : All) {
    Keys.insert(Cache::key(Parts));
    EXPECT_EQ(Cache::key(Parts), Cache::key(Parts));
  }
  EXPECT_EQ(Keys.size(), All.size());
  EXPECT_NE(Cache::key({llvm::StringRef("a\0b", 3)}), Cache::key({llvm::StringRef("a\0c", 3)}));
}

TEST(Cache, GivesBackWhatWasStored) {
  Scratch Place;
  // '%' is a wildcard to some of LLVM's functions.
  for (const char *Name : {"plain", "a/b/c", "100%25 %%", "with blank", "\xc3\xa9"}) {
    Cache C(Place.path(Name));
    EXPECT_EQ(textOf(C, "k"), "(none)");
    for (const std::string &Bytes : {std::string(), std::string("x"), std::string(1 << 16, '\0')}) {
      EXPECT_TRUE(C.store("k", Bytes));
      EXPECT_EQ(textOf(C, "k"), Bytes);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(C.load("k").bytes.data()) % 8, 0u);
    }
    EXPECT_EQ(textOf(C, "K"), "(none)");
    EXPECT_EQ(entriesIn(C.folder()), std::set<std::string>{"k"}) << "temporary files stay behind";
  }
}

TEST(Cache, DamageCountsAsAbsence) {
  Scratch Place;
  Cache C(Place.path("c"));
  ASSERT_TRUE(C.store("k", "some bytes to damage"));
  auto Buffer = llvm::MemoryBuffer::getFile(Place.path("c/llvmcache-k"));
  ASSERT_TRUE(bool(Buffer));
  const std::string Whole = (*Buffer)->getBuffer().str();
  std::vector<std::string> Damaged{Whole + "x", "x" + Whole, Whole + Whole};
  for (size_t I = 0; I < Whole.size(); ++I) {
    Damaged.push_back(Whole.substr(0, I));
    Damaged.push_back(Whole);
    Damaged.back()[I] ^= 0x10;
  }
  for (const std::string &Bytes : Damaged) {
    Place.write("c/llvmcache-k", Bytes);
    EXPECT_EQ(textOf(C, "k"), "(none)");
    EXPECT_TRUE(entriesIn(C.folder()).empty()) << "a damaged entry goes away";
  }
  Place.write("c/llvmcache-k", Whole);
  EXPECT_EQ(textOf(C, "k"), "some bytes to damage");
}

TEST(Cache, FoldersThatCannotBe) {
  Scratch Place;
  std::string File = Place.write("file", "");
  for (const std::string &Folder :
       {File, File + "/below", std::string("/proc/warplint"), std::string("/dev/null")}) {
    Cache C(Folder);
    EXPECT_FALSE(C.store("k", "x"));
    EXPECT_EQ(textOf(C, "k"), "(none)");
    C.prune();
  }
  // The entry's own name is taken.
  Cache C(Place.path("c"));
  ASSERT_FALSE(fs::create_directories(Place.path("c/llvmcache-k/full")));
  EXPECT_FALSE(C.store("k", "x"));
  EXPECT_EQ(textOf(C, "k"), "(none)");
  EXPECT_TRUE(C.store("other", "x"));
  EXPECT_FALSE(Cache(Place.path(std::string(300, 'n'))).store("k", "x")) << "a name too long for the disk";
}

TEST(Cache, AnEntryLivesWhileItIsUsed) {
  Scratch Place;
  Cache C(Place.path("c"));
  const std::string Old(1 << 20, 'o'), New(1 << 20, 'n');
  ASSERT_TRUE(C.store("k", Old));
  Cache::Entry Used = C.load("k");
  ASSERT_TRUE(C.store("k", New));
  EXPECT_EQ(Used.bytes, Old);
  ASSERT_FALSE(fs::remove_directories(C.folder()));
  EXPECT_EQ(Used.bytes, Old);
  EXPECT_EQ(textOf(C, "k"), "(none)");
  EXPECT_TRUE(C.store("k", New)) << "the folder is made again";
  EXPECT_EQ(textOf(C, "k"), New);
}

TEST(Cache, WritersAtTheSameTime) {
  Scratch Place;
  Cache C(Place.path("c"));
  std::atomic<unsigned> Wrong = 0;
  std::vector<std::thread> All;
  for (char Which = 'a'; Which < 'g'; ++Which)
    All.emplace_back([&, Which] {
      for (int I = 0; I < 50; ++I) {
        C.store("k", std::string(50'000 + Which, Which));
        if (Cache::Entry Found = C.load("k"))
          // One writer's bytes, whole.
          Wrong += Found.bytes.size() != size_t(50'000 + Found.bytes[0]) ||
                   Found.bytes.find_first_not_of(Found.bytes[0]) != llvm::StringRef::npos;
        else
          ++Wrong;
      }
    });
  for (std::thread &Each : All)
    Each.join();
  EXPECT_EQ(Wrong, 0u);
  EXPECT_EQ(entriesIn(C.folder()), std::set<std::string>{"k"});
}

TEST(Cache, PruningKeepsTheBoundAndTheNewest) {
  Scratch Place;
  Cache C(Place.path("c"));
  Place.write("c/notes.txt", std::string(200'000, 'x')); // no entry: none of its business
  for (const char *Key : {"a", "b", "c", "d"})
    ASSERT_TRUE(C.store(Key, std::string(10'000, 'x')));
  age(C.folder(), "a", 20);
  age(C.folder(), "b", 40);
  age(C.folder(), "c", 10);
  age(C.folder(), "d", 30);
  C.prune(25'000);
  EXPECT_EQ(entriesIn(C.folder()), (std::set<std::string>{"a", "c"}));
  EXPECT_TRUE(fs::exists(Place.path("c/notes.txt")));
}

TEST(Cache, PruningLeavesWhatFits) {
  Scratch Place;
  Cache C(Place.path("c"));
  for (const char *Key : {"a", "b"})
    ASSERT_TRUE(C.store(Key, std::string(10'000, 'x')));
  age(C.folder(), "a", 60 * 24 * 29);
  age(C.folder(), "b", 60 * 24 * 31); // nobody wants it any more
  C.prune();
  EXPECT_EQ(entriesIn(C.folder()), std::set<std::string>{"a"});
}

/// Sets a variable of the environment for one test.
class Variable {
public:
  Variable(const char *Name, const char *Value) : Name(Name) {
    if (const char *Old = std::getenv(Name))
      Before = Old;
    Value ? setenv(Name, Value, 1) : unsetenv(Name);
  }
  ~Variable() { Before ? setenv(Name, Before->c_str(), 1) : unsetenv(Name); }

private:
  const char *Name;
  std::optional<std::string> Before;
};

TEST(Cache, DefaultFolder) {
  Variable Home("HOME", "/somewhere");
  for (const char *None : {static_cast<const char *>(nullptr), "", "relative", "./relative"}) {
    Variable Xdg("XDG_CACHE_HOME", None);
    EXPECT_EQ(Cache::defaultFolder(), "/somewhere/.cache/warplint");
    Variable Nowhere("HOME", "relative");
    EXPECT_EQ(Cache::defaultFolder(), "");
  }
  Variable Xdg("XDG_CACHE_HOME", "/elsewhere");
  EXPECT_EQ(Cache::defaultFolder(), "/elsewhere/warplint");
}

} // namespace
