//===-- ExplainOptions.cpp - --explain-access ----------------------------------------===//
#include "tools/warplint/ExplainOptions.h"
#include "tools/options/Options.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include <algorithm>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace llvm;
using namespace warplint;
using namespace warplint::options;

namespace {

Opt<std::string>
    ExplainAccess("explain-access",
                  cl::desc("Draw what a warp does at the accesses of a line, and how the numbers follow"),
                  cl::value_desc("FILE:LINE[:COLUMN]"), cl::cat(Category));

/// Takes ":N" off the end of a text, N from 1 on.
std::optional<unsigned> takeNumber(StringRef &Text) {
  const auto [Before, Digits] = Text.rsplit(':');
  unsigned Number = 0;
  if (Before.empty() || Before.size() == Text.size() || Digits.getAsInteger(10, Number) || Number == 0)
    return std::nullopt;
  Text = Before;
  return Number;
}

/// From the right, since names may hold colons: of `a:3:5`, a file named `a:3` counts where there is no `a`.
std::optional<driver::AccessQuery> parsePlace(StringRef Text) {
  driver::AccessQuery Query;
  const std::optional<unsigned> Last = takeNumber(Text);
  if (!Last)
    return std::nullopt;
  StringRef Name = Text;
  const std::optional<unsigned> Before = takeNumber(Name);
  if (!Before || (!sys::fs::exists(Name) && sys::fs::exists(Text))) {
    Query.file = Text.str();
    Query.line = *Last;
  } else {
    Query.file = Name.str();
    Query.line = *Before;
    Query.column = Last;
  }
  return Query;
}

std::optional<std::string> readFile(const std::string &File) {
  auto Buffer = MemoryBuffer::getFile(File);
  return Buffer ? std::optional((*Buffer)->getBuffer().str()) : std::nullopt;
}

/// Columns of the terminal; 80 where the text goes elsewhere.
unsigned pictureWidth() {
  constexpr unsigned Usual = 80, Least = 40;
  if (!sys::Process::StandardOutIsDisplayed())
    return Usual;
  unsigned Columns = sys::Process::StandardOutColumns(); // knows the environment's COLUMNS alone
  if (winsize Size = {}; !Columns && ioctl(STDOUT_FILENO, TIOCGWINSZ, &Size) == 0)
    Columns = Size.ws_col;
  return Columns ? std::max(Columns, Least) : Usual;
}

} // namespace

std::optional<driver::AccessQuery> options::accessQuery(std::string &Problem) {
  if (!ExplainAccess.getNumOccurrences())
    return std::nullopt;
  const std::string Given = "--explain-access=" + ExplainAccess;
  std::optional<driver::AccessQuery> Query = parsePlace(ExplainAccess);
  if (!Query)
    Problem = Given + ": expected FILE:LINE or FILE:LINE:COLUMN, e.g. --explain-access=kernel.cu:12";
  else if (!sys::fs::exists(Query->file))
    Problem = Given + ": no such file: '" + Query->file + "'";
  else if (sys::fs::is_directory(Query->file))
    Problem = Given + ": '" + Query->file + "' is a folder; expected FILE:LINE or FILE:LINE:COLUMN";
  return Query;
}

std::vector<std::string> options::inputsFor(const driver::AccessQuery &Query,
                                            const frontend::Options &Front) {
  std::vector<std::string> Inputs = {Query.file};
  Expected<frontend::Command> Command = frontend::commandFor(Query.file, Front);
  if (!Command)
    consumeError(Command.takeError()); // the run says so
  else if (Command->file != Command->requested)
    Inputs.push_back(Command->file);
  return Inputs;
}

std::vector<std::string> options::explainAccess(raw_ostream &OS, const result::Report &Report,
                                                const driver::AccessQuery &Query) {
  const std::string Source = readFile(Query.file).value_or("");
  const unsigned Lines =
      unsigned(std::count(Source.begin(), Source.end(), '\n')) + (!Source.empty() && Source.back() != '\n');
  const driver::ExplainOutcome Outcome = driver::explain(Report, Query, Lines);
  if (!Outcome.problem.empty())
    return Outcome.problem;
  report::PictureOptions Picture;
  Picture.width = pictureWidth();
  SmallString<128> Here;
  if (!sys::fs::current_path(Here))
    Picture.relativeTo = Here.str().str();
  report::writeExplanation(OS, Outcome.explanation, readFile, Picture);
  return {};
}
