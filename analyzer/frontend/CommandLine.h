//===-- CommandLine.h - Words of a command line --------------------*- C++ -*-===//
//
// A command line as its shell takes it apart, and the compiler among its words. Nothing is expanded or run.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_FRONTEND_COMMANDLINE_H
#define WARPLINT_ANALYZER_FRONTEND_COMMANDLINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace warplint::frontend {

/// Splits a command as a POSIX shell would.
std::vector<std::string> splitForShell(llvm::StringRef Line);
/// Splits a command as Windows programs do.
std::vector<std::string> splitForWindows(llvm::StringRef Line);

/// Absolute, and written as on Windows: "C:\x", "C:/x", "\\server\x".
bool isWindowsPath(llvm::StringRef Path);
/// Was the command written on Windows? Its first word, as a line or split, and its folder tell.
bool isWindowsCommand(llvm::StringRef Line, llvm::StringRef Directory);

/// "C:\cuda\bin\NVCC.exe" and "/opt/bin/nvcc" are "nvcc".
std::string programName(llvm::StringRef Word);

/// The index of the compiler behind launchers ("ccache nvcc", "env X=Y nvcc", "cmake -E env nvcc"); the
/// number of words when there is none.
size_t findCompiler(llvm::ArrayRef<std::string> Words);

/// A line may hold several commands ("cd build && nvcc -c k.cu && touch k.stamp"): the words of the one that
/// compiles. `Directory` follows a "cd" in front of it.
std::vector<std::string> compilingPart(std::vector<std::string> Words, std::string &Directory);

} // namespace warplint::frontend

#endif
