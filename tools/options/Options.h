//===-- Options.h - What the command lines have in common -----------------------*- C++ -*-===//
#ifndef WARPLINT_TOOLS_OPTIONS_OPTIONS_H
#define WARPLINT_TOOLS_OPTIONS_OPTIONS_H

#include "analyzer/frontend/Frontend.h"
#include "llvm/Support/CommandLine.h"
#include <string>

namespace warplint::options {

extern llvm::cl::OptionCategory Category;

template <typename T> using Opt = llvm::cl::opt<T>;

enum class Format { Text, Json, Sarif, GitHub, GitLab, Html };

/// LLVM's parsers say that a value is wrong; these also say what would be right.
struct FormatParser : llvm::cl::parser<Format> {
  using parser::parser;
  bool parse(llvm::cl::Option &, llvm::StringRef Name, llvm::StringRef Text, Format &);
};
struct NumberParser : llvm::cl::parser<unsigned> {
  using parser::parser;
  bool parse(llvm::cl::Option &, llvm::StringRef Name, llvm::StringRef Text, unsigned &);
};
using NumberOpt = llvm::cl::opt<unsigned, false, NumberParser>;

/// For the end of main(): the status. Leaves at once where a file is still being worked on that nobody waits
/// for.
int leaveMain(int Status);

/// -p
extern Opt<std::string> BuildPath;

/// How files are compiled, from -p, --arch, --cuda-path, --no-cuda and --extra-arg. `Program` is argv[0].
frontend::Options frontendOptions(const char *Program);
/// Of --cache-dir and --no-cache; "" where nothing is to be kept.
std::string cacheFolder();

} // namespace warplint::options

#endif
