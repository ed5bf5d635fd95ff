//===-- DependenciesTest.cpp - The files that an answer rests on ----------===//
#include "analyzer/frontend/Dependencies.h"
#include "Scratch.h"
#include "gtest/gtest.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace warplint::frontend;
namespace fs = llvm::sys::fs;

namespace {

class Dependencies : public testing::Test {
protected:
  Dependencies() {
    Disk = llvm::vfs::createPhysicalFileSystem();
    (void)Disk->setCurrentWorkingDirectory(Place.folder());
    Recorder = llvm::makeIntrusiveRefCnt<DependencyRecorder>(Disk);
  }
  std::string read(const llvm::Twine &Name) {
    auto Buffer = Recorder->getBufferForFile(Name);
    return Buffer ? (*Buffer)->getBuffer().str() : "(none)";
  }
  /// What a later run says, which has looked at nothing yet.
  bool unchanged() const { return DependencyChecker().unchanged(Recorder->dependencies()); }
  /// Moves a file's own times an hour back, so that only the change time tells.
  static void backdate(const std::string &File) {
    struct stat S;
    ASSERT_EQ(::stat(File.c_str(), &S), 0);
    timespec Times[] = {{1'000'000, 0}, {1'000'000, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, File.c_str(), Times, 0), 0);
  }
  void link(llvm::StringRef Target, llvm::StringRef Name) {
    std::string File = Place.path(Name);
    ::unlink(File.c_str());
    ASSERT_EQ(::symlink(Target.str().c_str(), File.c_str()), 0);
  }

  Scratch Place;
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Disk;
  llvm::IntrusiveRefCntPtr<DependencyRecorder> Recorder;
};

TEST_F(Dependencies, Contents) {
  std::string File = Place.write("a.h", "one");
  EXPECT_EQ(read("a.h"), "one");
  EXPECT_TRUE(unchanged());
  Place.write("a.h", "one"); // written anew, to the same end
  EXPECT_TRUE(unchanged());
  backdate(File);
  EXPECT_TRUE(unchanged());
  Place.write("a.h", "two"); // same size, same second
  EXPECT_FALSE(unchanged());
  backdate(File);
  EXPECT_FALSE(unchanged());
  Place.write("a.h", "one");
  EXPECT_TRUE(unchanged());
  ASSERT_FALSE(fs::remove(File));
  EXPECT_FALSE(unchanged());
}

/// Times prove nothing about a file written a moment ago; a file of old has them remembered.
TEST_F(Dependencies, Freshness) {
  Place.write("fresh.h", "x");
  read("fresh.h");
  std::vector<Dependency> All = Recorder->dependencies();
  ASSERT_EQ(All.size(), 1u);
  EXPECT_EQ(All[0].stamp, 0u);
  read("/proc/self/exe"); // any file that nobody writes to
  for (const Dependency &D : Recorder->dependencies())
    EXPECT_EQ(D.stamp != 0, D.path == "/proc/self/exe") << D.path;
}

TEST_F(Dependencies, WhatWasNotThere) {
  EXPECT_EQ(read("later.h"), "(none)");
  EXPECT_FALSE(Recorder->exists("folder/later.h"));
  EXPECT_FALSE(bool(Recorder->status("third.h")));
  EXPECT_EQ(Recorder->dependencies().size(), 3u);
  EXPECT_TRUE(unchanged());
  for (const char *Name : {"later.h", "folder/later.h", "third.h"}) {
    Place.write(Name, "");
    EXPECT_FALSE(unchanged()) << Name;
    ASSERT_FALSE(fs::remove(Place.path(Name)));
    EXPECT_TRUE(unchanged()) << Name;
  }
}

/// A file that was only asked for may change; it may not go.
TEST_F(Dependencies, OnlyAskedFor) {
  std::string File = Place.write("a.h", "one");
  EXPECT_TRUE(bool(Recorder->status("a.h")));
  Place.write("a.h", "two");
  EXPECT_TRUE(unchanged());
  ASSERT_FALSE(fs::remove(File));
  EXPECT_FALSE(unchanged());
}

TEST_F(Dependencies, ReplacedByRename) {
  Place.write("a.h", "one");
  std::string New = Place.write("new.h", "two"), Same = Place.write("same.h", "one");
  read("a.h");
  ASSERT_FALSE(fs::rename(Same, Place.path("a.h")));
  EXPECT_TRUE(unchanged());
  ASSERT_FALSE(fs::rename(New, Place.path("a.h")));
  EXPECT_FALSE(unchanged());
}

TEST_F(Dependencies, Links) {
  Place.write("one/a.h", "one");
  Place.write("two/a.h", "two");
  link("one", "current");
  link("one/a.h", "a.h");
  link("nowhere", "dangling.h");
  EXPECT_EQ(read("current/a.h"), "one");
  EXPECT_EQ(read("a.h"), "one");
  EXPECT_EQ(read("dangling.h"), "(none)");
  EXPECT_TRUE(unchanged());
  link("two", "current");
  EXPECT_FALSE(unchanged());
  link("one", "current");
  EXPECT_TRUE(unchanged());
  link("two/a.h", "a.h");
  EXPECT_FALSE(unchanged());
  link("one/a.h", "a.h");
  Place.write("nowhere", "");
  EXPECT_FALSE(unchanged());
  ASSERT_FALSE(fs::remove(Place.path("nowhere")));
  Place.write("one/a.h", "six"); // behind the link
  EXPECT_FALSE(unchanged());
}

TEST_F(Dependencies, CaseMatters) {
  Place.write("A.h", "one");
  EXPECT_EQ(read("A.h"), "one");
  EXPECT_EQ(read("a.h"), "(none)");
  EXPECT_TRUE(unchanged());
  Place.write("a.h", "two");
  EXPECT_FALSE(unchanged());
}

TEST_F(Dependencies, Folders) {
  Place.write("gcc/11/a.h", "");
  EXPECT_TRUE(Recorder->exists("gcc"));
  EXPECT_TRUE(unchanged());
  Place.write("gcc/12/a.h", ""); // nobody looked inside
  EXPECT_TRUE(unchanged());
  std::error_code Problem;
  (void)Recorder->dir_begin("gcc", Problem);
  EXPECT_TRUE(unchanged());
  Place.write("gcc/12/b.h", ""); // deeper down
  EXPECT_TRUE(unchanged());
  Place.write("gcc/13/a.h", "");
  EXPECT_FALSE(unchanged());
  ASSERT_FALSE(fs::remove_directories(Place.path("gcc/13")));
  EXPECT_TRUE(unchanged());
  ASSERT_FALSE(fs::remove_directories(Place.path("gcc")));
  EXPECT_FALSE(unchanged());
}

TEST_F(Dependencies, FolderThatAppears) {
  std::error_code Problem;
  (void)Recorder->dir_begin("gcc", Problem);
  EXPECT_TRUE(unchanged());
  Place.write("gcc/12/a.h", "");
  EXPECT_FALSE(unchanged());
}

TEST_F(Dependencies, NamesAreAbsoluteAndLong) {
  std::string Folder = "f";
  for (int I = 0; I < 14; ++I)
    Folder += "/" + std::string(200, char('a' + I));
  Place.write(Folder + "/a.h", "one");
  EXPECT_EQ(read(Folder + "/a.h"), "one");
  ASSERT_EQ(Recorder->dependencies().size(), 1u);
  EXPECT_EQ(Recorder->dependencies()[0].path, Place.path(Folder + "/a.h"));
  EXPECT_TRUE(unchanged());
  Place.write(Folder + "/a.h", "two");
  EXPECT_FALSE(unchanged());
  // Longer than the system takes.
  EXPECT_EQ(read(std::string(5000, 'x')), "(none)");
}

/// One run gives one answer, and looks at a file once.
TEST_F(Dependencies, OneCheckerPerRun) {
  Place.write("a.h", "one");
  read("a.h");
  DependencyChecker Now;
  EXPECT_TRUE(Now.unchanged(Recorder->dependencies()));
  Place.write("a.h", "two");
  EXPECT_TRUE(Now.unchanged(Recorder->dependencies()));
  EXPECT_FALSE(unchanged());
}

} // namespace
