//===-- DependencyOptions.cpp - What a report rests on, for build systems -------------===//
#include "tools/warplint/DependencyOptions.h"
#include "analyzer/driver/WriteFile.h"
#include "tools/options/Options.h"
#include "tools/warplint/ConfigurationOptions.h"
#include "tools/warplint/ReportOptions.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include <set>

using namespace llvm;
using namespace warplint;
using namespace warplint::options;

static Opt<std::string>
    DependencyFile("dependency-file",
                   cl::desc("With --output: list the files that the report rests on, for make and ninja"),
                   cl::value_desc("FILE"), cl::cat(Category));

/// As make and ninja take names apart.
static std::string escaped(StringRef Name) {
  std::string Text;
  for (char C : Name) {
    if (C == ' ' || C == '#')
      Text += '\\';
    else if (C == '$')
      Text += '$';
    Text += C;
  }
  return Text;
}

/// Each file once. Names with ".." are resolved: build systems take such parts out as if no folder were a
/// link. Folders change whenever anything in them does, and say nothing.
static std::set<std::string> plainNames(const std::vector<std::string> &Names) {
  std::set<std::string> Result;
  for (StringRef Name : Names) {
    SmallString<256> Real(Name);
    if (Name.contains("/../"))
      (void)sys::fs::real_path(Name, Real);
    if (sys::fs::is_regular_file(Real) && !Real.str().contains('\n')) // which neither make nor ninja can say
      Result.insert(Real.str().str());
  }
  return Result;
}

std::string options::readDependencyOptions(driver::RunOptions &Options) {
  Options.listDependencies = DependencyFile.getNumOccurrences() != 0;
  return Options.listDependencies && outputFile().empty()
             ? "--dependency-file needs --output=FILE: the report is what depends on the files"
             : "";
}

int options::writeDependencies(const driver::RunOutcome &Outcome) {
  if (!DependencyFile.getNumOccurrences() || Outcome.interrupted)
    return Clean;
  std::vector<std::string> Names = Outcome.dependencies;
  if (const std::string Given = configurationFile(); !Given.empty())
    Names.push_back(Given);
  std::string Text = escaped(outputFile()) + ":";
  for (const std::string &Name : plainNames(Names))
    Text += " \\\n  " + escaped(Name);
  if (Error E = driver::writeFile(DependencyFile, Text + "\n"))
    return fail(DependencyFile + ": cannot write the list of files: " + toString(std::move(E)));
  return Clean;
}
