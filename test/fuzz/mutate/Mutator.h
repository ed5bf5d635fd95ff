//===-- Mutator.h - Source files with small random damage -----------*- C++ -*-===//
//
// Mutant i of a seed is always the same text, whatever else runs. Two families: damage of the syntax, which
// tries the parser's recovery and what is kept of broken code, and changes of numbers, operators, thread
// indices and launch shapes, which parse and so reach the analysis.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_TEST_FUZZ_MUTATE_MUTATOR_H
#define WARPLINT_TEST_FUZZ_MUTATE_MUTATOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace warplint::fuzz {

/// A token with the blanks and comments in front of it, so that the pieces of a file add up to its text.
struct Piece {
  enum Kind { Number, Word, Operator, Other } kind = Other;
  std::string before, text;
};

struct Mutant {
  std::string origin; ///< the input's name
  std::string text;
  std::string edits; ///< in words, for people who look for the cause
};

class Mutator {
public:
  /// Adds an input; the order of inputs is part of what a seed means.
  void addInput(llvm::StringRef Name, llvm::StringRef Text);
  size_t inputs() const { return Inputs.size(); }
  Mutant mutant(uint64_t Seed, uint64_t Number) const;

private:
  struct Input {
    std::string name;
    std::vector<Piece> pieces;
  };
  std::vector<Input> Inputs;
};

} // namespace warplint::fuzz

#endif
