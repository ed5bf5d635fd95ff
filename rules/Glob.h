//===-- Glob.h - Names of rules against globs -----------------------*- C++ -*-===//
//
// The globs of --checks and NOLINT: `*` stands for any characters, everything else for itself. A rule answers
// to its name and to its name inside clang-tidy, which has the prefix `warplint-`.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_RULES_GLOB_H
#define WARPLINT_RULES_GLOB_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace warplint::rules {

/// Does `Glob` match the whole of `Text`?
inline bool matches(llvm::StringRef Glob, llvm::StringRef Text) {
  // On a mismatch, let the last star swallow one character more: linear in practice, no recursion.
  size_t G = 0, T = 0, Star = llvm::StringRef::npos, Resume = 0;
  while (T < Text.size()) {
    if (G < Glob.size() && Glob[G] == '*') {
      Star = G++;
      Resume = T;
    } else if (G < Glob.size() && Glob[G] == Text[T]) {
      ++G;
      ++T;
    } else if (Star != llvm::StringRef::npos) {
      G = Star + 1;
      T = ++Resume;
    } else {
      return false;
    }
  }
  while (G < Glob.size() && Glob[G] == '*')
    ++G;
  return G == Glob.size();
}

/// The same for a rule's name, with and without clang-tidy's prefix.
inline bool matchesRule(llvm::StringRef Glob, llvm::StringRef Rule) {
  return matches(Glob, Rule) || matches(Glob, "warplint-" + Rule.str());
}

} // namespace warplint::rules

#endif
