//===-- ReportOptions.h - In which form a run's result leaves -----------*- C++ -*-===//
#ifndef WARPLINT_TOOLS_WARPLINT_REPORTOPTIONS_H
#define WARPLINT_TOOLS_WARPLINT_REPORTOPTIONS_H

#include "analyzer/driver/Run.h"
#include "tools/options/Options.h"
#include "llvm/ADT/Twine.h"

namespace warplint::options {

enum Exit { Clean = 0, Findings = 1, Failed = 2 };

/// `warplint merge`. A function, since options of several files name it while they are set up.
llvm::cl::SubCommand &mergeCommand();

/// --quiet
extern Opt<bool> Quiet;
/// --fail-on-errors
extern Opt<bool> FailOnErrors;

/// A message on stderr, clang's way, and the exit status for it.
int fail(const llvm::Twine &Message);
/// The exit status once what was written to stdout has arrived there.
int finish(int Status);

/// What a run's outcome means for the exit status.
int statusOf(const driver::RunOutcome &);

/// Writes the report in the form of --format to stdout or to the file of --output. `FirstFile` is one of the
/// run's, or "": the repository that it lies in is the one that code hosts' names are relative to. The exit
/// status for what went wrong. --use-color goes before what is configured.
int writeReport(const driver::RunOutcome &, llvm::StringRef FirstFile, std::optional<bool> ConfiguredColor = std::nullopt);
/// The text of a file on disk, for snippets.
std::optional<std::string> readFile(const std::string &File);
/// Writes what is a report already.
int writeText(llvm::StringRef Text);
/// From here on, reports that would go to stdout go to stderr.
void reportToStderr();

/// Of --output; "" for stdout.
const std::string &outputFile();
/// The form that was asked for; nothing where none was.
std::optional<Format> givenFormat();
void setFormat(Format);
std::vector<std::string> formatNames();

/// --shard; false when its value makes no sense, which was said then.
bool readShard(driver::RunOptions &);

/// Runs `warplint merge`.
int mergeReports();

} // namespace warplint::options

#endif
