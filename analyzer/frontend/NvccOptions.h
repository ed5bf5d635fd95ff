//===-- NvccOptions.h - Compile commands in clang's words ----------*- C++ -*-===//
//
// nvcc's options mean nothing to clang, or something else. This turns the words of a compile command,
// whichever compiler it was written for, into the few options that decide how a file parses.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_FRONTEND_NVCCOPTIONS_H
#define WARPLINT_ANALYZER_FRONTEND_NVCCOPTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace warplint::frontend {

/// What a compile command says about parsing.
struct Translation {
  std::vector<std::string> options; ///< for clang's driver; no input file, no output, folders absolute
  std::vector<std::string> archs;   ///< as named: "sm_80", "compute_90a", in order
  std::string unnamedArch;          ///< "native", "all" or "all-major": -arch names none; "" otherwise
  std::string compiler;             ///< the program behind launchers; "" when the words are flags alone
  std::string cudaPath;             ///< --cuda-path of a command written for clang
  std::string language;             ///< value of the last -x; "" when none
  std::vector<std::string> inputs;  ///< words that are input files, as written
  bool compiles = true;             ///< the inputs are compiled; not only preprocessed, listed or linked
  std::vector<std::string> notes;   ///< what was dropped although it may matter
};

/// Translates `Words`. `HasProgram`: the first word is the program (or a launcher in front of it).
/// Relative folders and response files are taken from `Directory`.
Translation translate(llvm::ArrayRef<std::string> Words, bool HasProgram, llvm::StringRef Directory);

/// The highest of `Archs` that Clang knows, as "sm_90a"; "" when there is none.
std::string highestArch(llvm::ArrayRef<std::string> Archs);

} // namespace warplint::frontend

#endif
