//===-- Storage.h - Nodes and tables behind index expressions ----*- C++ -*-===//
//
// Private to analyzer/index. Every expression is a polynomial, held as its summands in canonical order. A
// named atom or an operation is the polynomial that has itself as only factor, so that an atom and "1*atom"
// are one handle. Nodes, lists of factors and lists of summands are unique within a context.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_INDEX_STORAGE_H
#define WARPLINT_ANALYZER_INDEX_STORAGE_H

#include "analyzer/index/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Allocator.h"

namespace warplint::index {

enum class NodeKind : uint8_t { Polynomial, Atom, Operation };

struct Node {
  NodeKind Kind = NodeKind::Polynomial;
  AtomSort Sort = AtomSort::Uniform; ///< of a polynomial or operation: lane-varying when any atom inside is
  Op Operation = Op::DivTrunc;
  uint8_t Bits = 0;
  uint8_t NumOperands = 0;
  uint16_t Depth = 0;    ///< nested operations
  uint32_t Hash = 0;     ///< of a polynomial's summands
  uint32_t Weight = 1;   ///< size when written out as a tree
  uint64_t AtomMask = 0; ///< a Bloom filter of the named atoms inside
  Facts Known;
  llvm::StringRef Name;
  Expr Operands[3];
  Expr Self;     ///< the only factor of SelfTerm
  Term SelfTerm; ///< the only summand of an atom or operation
  llvm::ArrayRef<Term> Terms;

  bool isFactor() const { return Kind != NodeKind::Polynomial; }
  llvm::ArrayRef<Expr> operands() const { return {Operands, NumOperands}; }
  bool isConstant() const {
    return Kind == NodeKind::Polynomial && (Terms.empty() || (Terms.size() == 1 && Terms[0].factors.empty()));
  }
  int64_t constantValue() const { return Terms.empty() ? 0 : Terms[0].coefficient; }

  static const Node &of(Expr E) { return *E.Impl; }
  static Expr handle(const Node *N) { return Expr(N); }
};

/// Operations nested deeper, or expressions that would be longer when written out, become invalid: whoever
/// walks expressions may recurse, and no input makes the work explode.
constexpr unsigned MaxDepth = 100;
constexpr unsigned MaxWeight = 4096;
constexpr unsigned MaxProducts = 16384;
/// Products of more terms than `ManyProducts` are counted, and given up after so many terms in one context: code
/// that multiplies long numbers makes ever longer ones, and no index comes of them.
constexpr unsigned ManyProducts = 8;
constexpr unsigned MaxManyProducts = 4 << 20;

/// Identifies an operation on operands; unused operands are null.
struct OperationKey {
  const void *Operands[3];
  unsigned OpAndBits;
  bool operator==(const OperationKey &) const = default;
};

struct OperationKeyInfo {
  static OperationKey getEmptyKey() { return {{nullptr, nullptr, nullptr}, ~0u}; }
  static OperationKey getTombstoneKey() { return {{nullptr, nullptr, nullptr}, ~0u - 1}; }
  static unsigned getHashValue(const OperationKey &K) {
    return unsigned(size_t(llvm::hash_combine(K.Operands[0], K.Operands[1], K.Operands[2], K.OpAndBits)));
  }
  static bool isEqual(const OperationKey &A, const OperationKey &B) { return A == B; }
};

struct FactorListInfo : llvm::DenseMapInfo<llvm::ArrayRef<Expr>> {
  static unsigned getHashValue(llvm::ArrayRef<Expr> List) {
    llvm::hash_code Hash(List.size());
    for (Expr E : List)
      Hash = llvm::hash_combine(Hash, E.key());
    return unsigned(size_t(Hash));
  }
  static bool isEqual(llvm::ArrayRef<Expr> A, llvm::ArrayRef<Expr> B) {
    return llvm::DenseMapInfo<llvm::ArrayRef<Expr>>::isEqual(A, B);
  }
};

struct TermListInfo {
  static const Node *getEmptyKey() { return llvm::DenseMapInfo<const Node *>::getEmptyKey(); }
  static const Node *getTombstoneKey() { return llvm::DenseMapInfo<const Node *>::getTombstoneKey(); }
  static unsigned getHashValue(llvm::ArrayRef<Term> Terms) {
    llvm::hash_code Hash(Terms.size());
    for (const Term &T : Terms)
      Hash = llvm::hash_combine(Hash, T.coefficient, T.factors.data(), T.factors.size());
    return unsigned(size_t(Hash));
  }
  static unsigned getHashValue(const Node *N) { return N->Hash; }
  static bool isEqual(llvm::ArrayRef<Term> A, const Node *B) {
    if (B == getEmptyKey() || B == getTombstoneKey() || A.size() != B->Terms.size())
      return false;
    for (size_t I = 0; I < A.size(); ++I)
      if (A[I].coefficient != B->Terms[I].coefficient || A[I].factors.data() != B->Terms[I].factors.data() ||
          A[I].factors.size() != B->Terms[I].factors.size())
        return false;
    return true;
  }
  static bool isEqual(const Node *A, const Node *B) { return A == B; }
};

using TermVector = llvm::SmallVector<Term, 8>;

struct Context::Storage {
  llvm::BumpPtrAllocator Arena;
  unsigned ManyProductsMade = 0; ///< terms
  llvm::StringMap<const Node *> Atoms;
  llvm::DenseSet<llvm::ArrayRef<Expr>, FactorListInfo> FactorLists;
  llvm::DenseSet<const Node *, TermListInfo> Polynomials;
  /// LLVM's own hash keeps the low bits alone, and sizes are multiples of large powers of two.
  struct ConstantInfo : llvm::DenseMapInfo<int64_t> {
    static unsigned getHashValue(int64_t Value) { return unsigned(size_t(llvm::hash_value(Value))); }
  };
  llvm::DenseMap<int64_t, Expr, ConstantInfo> Constants;
  llvm::DenseMap<OperationKey, Expr, OperationKeyInfo> Applied;
  llvm::DenseMap<std::pair<const void *, const void *>, Expr> Sums, Products;
  llvm::DenseMap<std::pair<const void *, int64_t>, Expr> Scaled;

  Expr constant(int64_t Value);
  Expr atom(llvm::StringRef Name, AtomSort Sort, Facts Known);
  Expr add(Expr A, Expr B);
  Expr sub(Expr A, Expr B) { return A && A == B ? constant(0) : add(A, scale(B, -1)); }
  Expr mul(Expr A, Expr B);
  Expr scale(Expr A, int64_t Factor);
  Expr sum(llvm::ArrayRef<Expr> Summands);
  Expr apply(Op Operation, unsigned Bits, llvm::ArrayRef<Expr> Operands);

  /// The unique copy of a list of factors, put in canonical order.
  llvm::ArrayRef<Expr> product(llvm::SmallVectorImpl<Expr> &Factors);
  /// The polynomial of summands in any order, equal ones merged, simplified.
  Expr polynomial(TermVector &Terms);
  Expr single(const Term &T);

  /// \name Simplify.cpp
  /// @{
  Expr simplify(Op Operation, unsigned Bits, llvm::ArrayRef<Expr> Operands);
  Expr simplifyDivision(Op Operation, unsigned Bits, Expr A, Expr B);
  Expr simplifyRemainder(Op Operation, unsigned Bits, Expr A, Expr B);
  Expr simplifyShift(Op Operation, unsigned Bits, Expr A, Expr B);
  Expr simplifyBits(Op Operation, unsigned Bits, Expr A, Expr B);
  Expr simplifyComparison(Op Operation, unsigned Bits, Expr A, Expr B);
  Expr simplifyMinMax(Op Operation, unsigned Bits, Expr A, Expr B);
  Expr simplifySelect(Expr Condition, Expr IfTrue, Expr IfFalse);
  Expr simplifyExtension(Op Operation, unsigned Bits, Expr A);
  Expr negated(Expr Comparison);
  struct Split;
  Split splitByModulus(Expr A, int64_t Modulus);
  std::optional<Split> splitByTerm(Expr A, const Term &Divisor);
  Expr stripModulo(Expr A, int64_t Modulus);
  Expr splitBits(Op Operation, unsigned Bits, Expr A, Expr Low);
  /// The node, or the one value that it can have.
  Expr decidedOr(Op Operation, unsigned Bits, llvm::ArrayRef<Expr> Operands);
  Expr operation(Op Operation, unsigned Bits, llvm::ArrayRef<Expr> Operands);
  /// One step of (i/W)*W + i%W -> i and its relatives; true if Terms changed (they are then unsorted).
  bool combineQuotients(TermVector &Terms);
  /// @}
};

/// Total and independent of the order of creation: lane-varying before uniform, threadIdx.{x,y,z} first,
/// atoms by name, then operations.
int compareFactors(const Node &A, const Node &B);
int comparePolynomials(const Node &A, const Node &B);
int compareFactorLists(llvm::ArrayRef<Expr> A, llvm::ArrayRef<Expr> B);

/// The value of one operation; the semantics of every Op are written there.
std::optional<int64_t> evaluateOperation(Op Operation, unsigned Bits, llvm::ArrayRef<int64_t> Values);
Facts operationFacts(Op Operation, unsigned Bits, llvm::ArrayRef<Expr> Operands);
Facts termFacts(const Term &T);
Facts sumFacts(llvm::ArrayRef<Term> Terms);

/// The length of the atom at the start of Text that is written without backquotes; 0 if there is none. Sets
/// Missing to the bracket that a name cut short lacks.
size_t plainAtomLength(llvm::StringRef Text, char &Missing);
bool isFunctionName(llvm::StringRef Identifier);

inline bool isLaneVarying(llvm::ArrayRef<Expr> Factors) {
  // Lane-varying factors come first.
  return !Factors.empty() && Node::of(Factors[0]).Sort == AtomSort::LaneVarying;
}

} // namespace warplint::index

#endif
