//===-- ErrorCollector.h - A parse's errors, few and telling -------*- C++ -*-===//
//
// One missing header makes hundreds of errors. Each distinct message of a file is kept once, with the number
// of places it came up at; missing headers come first; what is beyond the limit is counted.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_FRONTEND_ERRORCOLLECTOR_H
#define WARPLINT_ANALYZER_FRONTEND_ERRORCOLLECTOR_H

#include "analyzer/frontend/Frontend.h"
#include "analyzer/frontend/Soundness.h"
#include "clang/Basic/Diagnostic.h"
#include <map>
#include <set>

namespace clang {
class CompilerInstance;
}

namespace warplint::frontend {

/// Errors beyond this many are counted, not kept.
constexpr size_t MaxErrors = 100;

class ErrorCollector : public clang::DiagnosticConsumer {
public:
  ErrorCollector(const Command &Cmd, std::vector<result::Error> &Errors) : Cmd(Cmd), Errors(Errors) {}

  /// From now on `S` hears of each error as well.
  void start(clang::CompilerInstance &Instance, Soundness &S) {
    CI = &Instance;
    Sound = &S;
  }
  /// What comes from now on is not about the user's code.
  void stop() { Stopped = true; }
  /// Hands out what was collected; once.
  void close();

  void HandleDiagnostic(clang::DiagnosticsEngine::Level, const clang::Diagnostic &) override;
  result::Place placeOf(const clang::SourceManager &, clang::SourceLocation) const;

private:
  struct Entry {
    result::Error error;
    bool missingHeader = false;
    unsigned more = 0; ///< further places with the same message
  };
  static constexpr size_t NotKept = size_t(-1);

  const clang::FunctionDecl *instanceBeingBuilt() const;

  const Command &Cmd;
  std::vector<result::Error> &Errors;
  clang::CompilerInstance *CI = nullptr;
  Soundness *Sound = nullptr;
  std::vector<Entry> Entries;
  std::map<std::pair<std::string, std::string>, size_t> ByMessage; ///< by file and message
  std::set<std::tuple<std::string, unsigned, unsigned, std::string>> Seen;
  size_t Dropped = 0; ///< distinct messages beyond the limit
  bool Stopped = false;
};

} // namespace warplint::frontend

#endif
