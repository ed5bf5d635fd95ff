//===-- Frontend.h - One device-side parse per file ---------------*- C++ -*-===//
//
// From a file name to Clang's AST and the device LLVM IR of the same parse: finds the compile command, the
// CUDA toolkit and Clang's resource directory, translates nvcc's options, and keeps every sound kernel of a
// file that has errors.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_FRONTEND_FRONTEND_H
#define WARPLINT_ANALYZER_FRONTEND_FRONTEND_H

#include "analyzer/frontend/Dependencies.h"
#include "analyzer/result/Result.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class FunctionDecl;
class Preprocessor;
class SourceLocation;
} // namespace clang
namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace warplint::frontend {

class Deadline;
class HeaderCache;

struct Options {
  std::string buildPath; ///< -p: the folder of compile_commands.json; "" searches upward from the file
  std::vector<std::string> fixedFlags; ///< after --: used instead of any database
  bool hasFixedFlags = false;
  /// The fixed flags are the file's whole compile command, with its program in front.
  bool fixedFlagsAreCommand = false;
  std::vector<std::string> extraArgs, extraArgsBefore;
  /// What a configuration beside a file adds to the options of that file; null: nothing.
  std::function<void(llvm::StringRef File, Options &)> configure;
  std::string cudaPath;    ///< --cuda-path
  bool noCuda = false;     ///< built-in declarations even if a toolkit is there
  std::string arch;        ///< --arch=sm_80; "" takes the compile command's highest, else sm_80
  std::string programPath; ///< argv[0], to find Clang's resource directory beside an installed tool
  /// File contents that replace what is on disk, by absolute name (fix verification, unsaved editor buffers).
  std::map<std::string, std::string> overlay;
  unsigned timeLimitSeconds = 300;       ///< of processor time for one file, parse and analysis; 0: none
  uint64_t sizeLimitBytes = 64ull << 20; ///< of any one source file or header; 0: none
  std::shared_ptr<HeaderCache> headers; ///< precompiled forced headers; null: every parse reads them itself
};

/// A compile command ready for Clang's cc1 driver: nvcc's spellings translated, toolkit and resource
/// directory named.
struct Command {
  std::string directory;
  std::string file;                   ///< the translation unit that is parsed; absolute
  std::string requested;              ///< the file that was asked for: a header is analysed through `file`
  std::vector<std::string> arguments; ///< arguments[0] is a program name; never executed
  std::string arch;                   ///< "sm_80"
  std::string toolkit;                ///< folder of the CUDA toolkit; "" when the built-in declarations serve
  std::vector<std::string> preamble;  ///< the headers that every parse is forced to include first
  std::vector<std::string> notes;     ///< options dropped, assumptions made: for stderr
  std::vector<Command> others;        ///< that differ; of a header: through units to try if this has no kernel
};

/// The command for one file: from fixed flags, the database, or defaults. A file without one of its own is
/// analysed through a unit that includes it (Command::file). Errors say what is wrong and what
/// to do (no such file, not a CUDA file, no or empty database at -p, file not in the database given by -p).
llvm::Expected<Command> commandFor(llvm::StringRef File, const Options &);
/// The requested file as a translation unit of its own, with the options of the unit that includes it.
Command alone(const Command &);
/// Every CUDA file of the database at Options::buildPath, absolute, each once, in the database's order.
llvm::Expected<std::vector<std::string>> filesOfDatabase(const Options &);

/// The CUDA files of the database at Options::buildPath that include `File`, directly or not, by their #include
/// lines. None without a database.
std::vector<std::string> cudaFilesIncluding(llvm::StringRef File, const Options &);

/// The translation units, CUDA or not, of the database that `File`'s command is looked up in: absolute, each
/// once, in the database's order. None without a database.
std::vector<std::string> unitsOfDatabase(llvm::StringRef File, const Options &);

/// Attribute of a function that user code declares and this unit does not define: another file of the program
/// does, or its body could not be built.
inline constexpr llvm::StringLiteral DefinedElsewhere = "warplint-defined-elsewhere";

/// What one parse gives; valid only during the callback of parse().
struct Unit {
  const Command &command;
  clang::ASTContext &ast;
  clang::Preprocessor &preprocessor;
  llvm::Module &module; ///< unoptimised device IR, full debug info, value names kept; see DefinedElsewhere
  /// IR functions with a body that the source declares __global__, in source order; instances of templates
  /// each.
  std::vector<std::pair<llvm::Function *, const clang::FunctionDecl *>> kernels;
  std::vector<result::Error> &errors; ///< the parse's errors, each once; later stages add theirs
  /// Is the time for this file up, and what is to be told then? Later stages ask now and then.
  const Deadline *deadline = nullptr;
  /// Does the '(' at this place stand for the '{' of a launch's list of dimensions, `<<<{8, 8}, n>>>`?
  std::function<bool(clang::SourceLocation)> isLaunchList;
};

struct ParseOutcome {
  std::vector<result::Error> errors; ///< diagnostics at error level, in order
  bool parsed = false;               ///< the callback ran
  bool crashed = false;              ///< it, or the parse, was left by a crash or for its time; an error says so
  bool restsOnTime = false;          ///< the program asks for the date or the time of day
  double parseSeconds = 0;           ///< until the syntax tree stood
  double codegenSeconds = 0;         ///< from there until the module stood
  std::vector<Dependency> dependencies; ///< the files on disk that all of this rests on; none when it also rests on time
};

/// Parses the device side and calls `Use` once with the AST and the module. Code generation problems and
/// errors in user code end up in the outcome; sound functions are there all the same.
ParseOutcome parse(const Command &, const Options &, llvm::function_ref<void(Unit &)> Use);

} // namespace warplint::frontend

#endif
