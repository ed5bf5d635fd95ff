//===-- Parsed.h - Parses text for a test --------------------------*- C++ -*-===//
#ifndef WARPLINT_TEST_UNIT_FRONTEND_PARSED_H
#define WARPLINT_TEST_UNIT_FRONTEND_PARSED_H

#include "analyzer/frontend/Frontend.h"
#include "analyzer/frontend/Toolkit.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "gtest/gtest.h"

namespace warplint::frontend {

constexpr const char *TestFile = "/warplint-test/k.cu";

inline bool haveToolkit() {
  llvm::Expected<Toolkit> Found = findToolkit(Options());
  if (!Found) {
    llvm::consumeError(Found.takeError());
    return false;
  }
  return Found->found();
}

/// Parses `Text` as if it were a file, with built-in declarations unless `WithToolkit`.
inline ParseOutcome parseText(
    llvm::StringRef Text, llvm::function_ref<void(Unit &)> Use = [](Unit &) {}, bool WithToolkit = false,
    std::vector<std::string> Flags = {}, unsigned TimeLimit = 300) {
  Options Opts;
  Opts.timeLimitSeconds = TimeLimit;
  Opts.noCuda = !WithToolkit;
  Opts.hasFixedFlags = true;
  Opts.fixedFlags = std::move(Flags);
  Opts.overlay[TestFile] = Text.str();
  llvm::Expected<Command> Cmd = commandFor(TestFile, Opts);
  if (!Cmd) {
    ADD_FAILURE() << llvm::toString(Cmd.takeError());
    return {};
  }
  return parse(*Cmd, Opts, Use);
}

/// The kernels' qualified names, in source order.
inline std::vector<std::string> kernelsOf(llvm::StringRef Text, bool WithToolkit = false,
                                          ParseOutcome *Outcome = nullptr) {
  std::vector<std::string> Result;
  ParseOutcome Got = parseText(
      Text,
      [&](Unit &U) {
        for (auto &[Function, Source] : U.kernels) {
          EXPECT_FALSE(Function->isDeclaration());
          Result.push_back(Source->getQualifiedNameAsString());
        }
      },
      WithToolkit);
  EXPECT_TRUE(Got.parsed);
  if (Outcome)
    *Outcome = std::move(Got);
  else
    for (const result::Error &Each : Got.errors)
      ADD_FAILURE() << Each.place.file << ":" << Each.place.line << ": " << Each.message;
  return Result;
}

/// The calls of a kernel and of what it calls, by the callee's name, in order.
inline void collectCallees(const llvm::Function &Function, std::vector<std::string> &Out,
                           unsigned Depth = 0) {
  for (const llvm::BasicBlock &Block : Function)
    for (const llvm::Instruction &Instruction : Block)
      if (const auto *Call = llvm::dyn_cast<llvm::CallBase>(&Instruction))
        if (const llvm::Function *Callee = Call->getCalledFunction()) {
          if (Callee->isDeclaration())
            Out.push_back(Callee->getName().str());
          else if (Depth < 16)
            collectCallees(*Callee, Out, Depth + 1);
        }
}

} // namespace warplint::frontend

#endif
