#include "analyzer/kernel/LastWrites.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Analysis/CFG.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace warplint::kernel {

static bool catches(const Stmt *S) {
  if (isa<CXXTryStmt>(S))
    return true;
  if (isa<LambdaExpr>(S)) // another body
    return false;
  return llvm::any_of(S->children(), [](const Stmt *Child) { return Child && catches(Child); });
}

LastWrites::LastWrites(const FunctionDecl &Function, ASTContext &Context) {
  Stmt *Body = Function.getBody();
  if (!Body || Function.isDependentContext() || catches(Body))
    return;
  CFG::BuildOptions Options;
  Options.setAllAlwaysAdd();
  Graph = CFG::buildCFG(&Function, Body, &Context, Options);
  if (!Graph)
    return;
  for (const CFGBlock *Block : *Graph) {
    unsigned Index = 0;
    for (const CFGElement &Element : *Block) {
      if (const auto Statement = Element.getAs<CFGStmt>())
        Positions.try_emplace(Statement->getStmt(), Block, Index);
      ++Index;
    }
  }
}

LastWrites::~LastWrites() = default;

bool LastWrites::declares(const Stmt *S, const VarDecl *Variable) const {
  const auto *Decls = dyn_cast<DeclStmt>(S);
  return Decls && llvm::is_contained(Decls->decls(), Variable);
}

std::optional<SmallVector<LastWrites::Source, 2>> LastWrites::before(const Expr *Use, const VarDecl *Variable,
                                                                     ArrayRef<const Stmt *> Writes) const {
  const auto Start = Positions.find(Use);
  if (!Graph || Start == Positions.end())
    return std::nullopt;
  const llvm::SmallPtrSet<const Stmt *, 4> Wanted(Writes.begin(), Writes.end());
  for (const Stmt *Write : Writes)
    if (!Positions.contains(Write))
      return std::nullopt;
  SmallVector<Source, 2> Found;
  llvm::SmallPtrSet<const CFGBlock *, 16> Seen;
  SmallVector<std::pair<const CFGBlock *, unsigned>, 16> Work{Start->second};
  const auto Walk = [&](const CFGBlock *Block, unsigned End) {
    while (End--) {
      const auto Statement = (*Block)[End].getAs<CFGStmt>();
      if (!Statement)
        continue;
      const Stmt *S = Statement->getStmt();
      if (!Wanted.contains(S) && !declares(S, Variable))
        continue;
      Found.push_back({Wanted.contains(S) ? S : nullptr, Block});
      return;
    }
    if (Block == &Graph->getEntry()) {
      Found.push_back({nullptr, Block});
      return;
    }
    for (const CFGBlock *Before : Block->preds())
      if (Before && Seen.insert(Before).second)
        Work.emplace_back(Before, Before->size());
  };
  while (!Work.empty()) {
    const auto [Block, End] = Work.pop_back_val();
    Walk(Block, End);
  }
  // In the order of the graph's numbers, which fall from the entry to the exit.
  llvm::stable_sort(
      Found, [](const Source &A, const Source &B) { return A.block->getBlockID() > B.block->getBlockID(); });
  Found.erase(llvm::unique(Found, [](const Source &A,
                                     const Source &B) { return A.write == B.write && A.block == B.block; }),
              Found.end());
  return Found;
}

const CFGBlock *LastWrites::declarationBlock(const VarDecl *Variable) const {
  for (const CFGBlock *Block : *Graph)
    for (const CFGElement &Element : *Block)
      if (const auto Statement = Element.getAs<CFGStmt>();
          Statement && declares(Statement->getStmt(), Variable))
        return Block;
  return nullptr;
}

bool LastWrites::exclusive(const VarDecl *Variable, ArrayRef<Source> Sources) const {
  const CFGBlock *Declared = declarationBlock(Variable);
  for (const Source &From : Sources) {
    // Where the declaration is passed, another life of the variable begins.
    llvm::SmallPtrSet<const CFGBlock *, 16> Seen;
    SmallVector<const CFGBlock *, 16> Work{From.block};
    while (!Work.empty())
      for (const CFGBlock *Next : Work.pop_back_val()->succs()) {
        if (!Next || (Next == Declared && Next != From.block))
          continue;
        if (Next == From.block && Next != Declared)
          return false;
        if (Next != From.block && Seen.insert(Next).second)
          Work.push_back(Next);
      }
  }
  return true;
}

} // namespace warplint::kernel
