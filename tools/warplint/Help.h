//===-- Help.h - The options, for people and their shells -----------------*- C++ -*-===//
#ifndef WARPLINT_TOOLS_WARPLINT_HELP_H
#define WARPLINT_TOOLS_WARPLINT_HELP_H

#include "llvm/Support/raw_ostream.h"

namespace warplint::options {

/// Sorts the options into the groups that --help shows, and hides those that are not ours. To be called
/// before the command line is parsed.
void groupOptions();

/// Was a text asked for that is made of the options: --completion, or what the manual page needs? Writes it
/// then.
bool writeOptionTexts(llvm::raw_ostream &);

} // namespace warplint::options

#endif
