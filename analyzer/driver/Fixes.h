//===-- Fixes.h - Fixes are re-analysed before they are offered --------------------*- C++ -*-===//
#ifndef WARPLINT_ANALYZER_DRIVER_FIXES_H
#define WARPLINT_ANALYZER_DRIVER_FIXES_H

#include "analyzer/driver/Run.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace warplint::driver {

/// A file's text: the overlay's, else the disk's; "" when it cannot be read.
std::string readSource(const std::string &File, const frontend::Options &);

/// Rates the kernels as a whole, runs the selected rules, takes away what NOLINT silences and raises what --warnings-as-errors names.
/// Returns how many NOLINT comments are at fault: unmatched ones, which are then errors of the report. `Unused`
/// takes those that name a check and silence nothing.
unsigned lint(result::Report &, const RunOptions &, std::vector<std::string> *Unused = nullptr);

/// The first half of that: what the selected rules say, silenced or not.
void applyRules(result::Report &, const RunOptions &);

/// What is to be said of the kernels of a file.
using SettingsOf = std::function<const rules::Settings &(const std::string &File)>;
SettingsOf settingsOf(const RunOptions &);

/// The parts of that: what the rules say of each kernel, before what they say of one place is merged; and NOLINT.
std::vector<result::Candidate> candidatesOf(const result::Report &, const RunOptions &);
unsigned silence(result::Report &, const RunOptions &, std::vector<std::string> *Unused = nullptr);

/// Re-analyses the files with the report's fixes applied to copies in memory. A fix after which its access
/// does not cost less, or after which anything else got worse (another access, the alignment of a vector
/// access, shared memory over 48 KiB per block, a new error or finding), is removed; the others are marked
/// verified, with the cost afterwards. All edits that do not overlap are tried together; on failure each half
/// on its own. False when `Interrupted` said so before all were tried: the others are removed.
bool verifyFixes(result::Report &, const std::vector<std::string> &Files, const RunOptions &,
                 const std::function<bool()> &Interrupted);

/// What fixes make of a file.
struct FixedFile {
  std::string name; ///< links looked through
  std::string before, after;
  std::vector<result::Edit> edits; ///< in ascending order
};
struct FixedFiles {
  std::vector<FixedFile> files;
  unsigned fixes = 0;
};

/// The files with the verified fixes in them: the safe ones, and the unsafe ones too if asked.
llvm::Expected<FixedFiles> fixedFiles(const result::Report &, bool Unsafe, const frontend::Options &);

/// The same as a unified diff.
struct FixDiff {
  std::string text;
  std::string folder; ///< the current one, or the nearest above it that has all the files: names are relative to it
  unsigned fixes = 0;
};
llvm::Expected<FixDiff> diffOfFixes(const result::Report &, bool Unsafe, const frontend::Options &);

/// Writes the verified fixes into the files: the safe ones, and the unsafe ones too if asked. Returns how
/// many were applied. Files are replaced as a whole or not at all.
llvm::Expected<unsigned> applyFixes(const result::Report &, bool Unsafe, const frontend::Options &);

/// Writes the verified fixes as Clang's replacements YAML, for clang-apply-replacements.
llvm::Error exportFixes(const result::Report &, bool Unsafe, llvm::StringRef MainFile,
                        llvm::StringRef OutputFile, const frontend::Options &);

} // namespace warplint::driver

#endif
