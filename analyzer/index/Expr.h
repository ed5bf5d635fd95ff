//===-- Expr.h - Index expressions --------------------------------*- C++ -*-===//
//
// Immutable integer expressions over the values that make up a CUDA index. Two sorts of atoms are kept
// apart, as MLIR keeps dims and symbols apart: lane-varying ones (threadIdx, gathered values) and
// warp-uniform ones (blockIdx, blockDim, parameters, loop variables, uniform loads).
//
// Sums are polynomials in the atoms, with integer coefficients and in a canonical order, so that
// structural equality of handles is equality of polynomials:
//
//     128*threadIdx.x + 4*threadIdx.y + 4*j
//
// Everything else (division, remainder, shifts, bit operations, min/max, comparisons, select, extension)
// is a node over polynomials, and a node is itself an atom of the polynomial above it. Facts attached to
// atoms (range, "is a multiple of") drive simplification: (i/W)*W + i%W is i for i >= 0, and tid & 31 is
// tid when tid is in [0, 31].
//
// Arithmetic of + - * is that of the mathematical integers: a sum or product that only feeds an address is
// taken not to wrap. Operations for which a wrap would matter take the bit width of the machine operation
// and are simplified only where the operands' ranges are proved to fit.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_INDEX_EXPR_H
#define WARPLINT_ANALYZER_INDEX_EXPR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warplint::index {

enum class AtomSort {
  LaneVarying, ///< differs between the lanes of a warp
  Uniform      ///< the same in all lanes
};

/// What is known of an atom's (or expression's) value.
struct Facts {
  int64_t minimum = std::numeric_limits<int64_t>::min(); ///< inclusive
  int64_t maximum = std::numeric_limits<int64_t>::max(); ///< inclusive
  uint64_t multipleOf = 1;                               ///< 0 only for the constant zero
  bool operator==(const Facts &) const = default;
};

/// Facts.cpp, evaluateOperation(), says exactly how operands are read, what results are, and what has no value.
enum class Op {
  DivTrunc, ///< C's signed /
  RemTrunc, ///< C's signed %
  DivFloor,
  Mod, ///< never negative for a positive divisor
  Shl,
  AShr,
  LShr, ///< of the value taken modulo 2^bits
  And,
  Or,
  Xor,
  Min,
  Max,
  Eq, Ne, Lt, Le, ///< signed, 0 or 1
  ULt, ULe,       ///< of the values taken modulo 2^bits
  Select,         ///< operands: condition, value if nonzero, value if zero
  SExt,           ///< the low `bits` bits, sign-extended
  ZExt            ///< the low `bits` bits, zero-extended
};

class Context;
struct Node; // private: Storage.h

/// A handle to a canonical expression; equal expressions of one context have equal handles.
/// A default-constructed handle is invalid ("no expression is known").
class Expr {
public:
  Expr() = default;
  explicit operator bool() const { return Impl != nullptr; }
  bool operator==(const Expr &) const = default;

  std::optional<int64_t> constant() const; ///< the value, if it is a constant
  bool isAtom() const;                     ///< exactly one named atom with coefficient 1
  llvm::StringRef atomName() const;        ///< valid when isAtom()
  bool isUniform() const;                  ///< no lane-varying atom anywhere inside
  Facts facts() const;                     ///< proved range and divisor
  const void *key() const { return Impl; }

private:
  friend class Context;
  friend struct Node;
  explicit Expr(const Node *N) : Impl(N) {}
  const Node *Impl = nullptr;
};

/// One summand of a polynomial: coefficient times a product of factors. A factor is a named atom or an
/// operation node (each given as an expression of its own, repeated for powers). No factors: the constant term.
struct Term {
  int64_t coefficient;
  llvm::ArrayRef<Expr> factors;
};

/// Owns expressions; handles live as long as their context. Not thread-safe.
/// Coefficients that overflow 64 bits make the result invalid; an invalid operand makes the result invalid.
/// So do more than 100 nested operations, and expressions that would have more than 4096 parts when written out.
class Context {
public:
  Context();
  ~Context();
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  Expr constant(int64_t Value);
  /// The atom of that name. Sort and facts are set at the first call; a later call with the same name returns the
  /// same atom whatever sort and facts it names. Names are C++-like: identifiers with . -> [] () :: inside;
  /// anything that the parser could not read back is printed in backquotes.
  Expr atom(llvm::StringRef Name, AtomSort Sort, Facts Known = {});

  /// The atom of that name if the context has it, else an invalid expression.
  Expr findAtom(llvm::StringRef Name) const;

  Expr add(Expr A, Expr B);
  Expr sub(Expr A, Expr B);
  Expr mul(Expr A, Expr B);
  Expr neg(Expr A);
  Expr scale(Expr A, int64_t Factor);
  /// All of them added up; faster than one by one for many.
  Expr sum(llvm::ArrayRef<Expr> Summands);
  /// Any operation but + - *. `Bits` is the width of the machine operation (1..64). Simplifies; division by a constant zero
  /// is left as a node.
  Expr apply(Op Operation, unsigned Bits, llvm::ArrayRef<Expr> Operands);

  /// The summands in canonical order: lane-varying ones first (threadIdx.x, .y, .z, then others by name), then
  /// uniform ones, the constant last. The zero polynomial has none.
  llvm::ArrayRef<Term> terms(Expr A);
  /// The coefficient of an atom in an expression that is linear in it: A = coefficient * Atom + rest, with neither
  /// coefficient nor rest containing the atom, also not inside nodes. Nothing when A is not linear in Atom.
  std::optional<Expr> coefficient(Expr A, Expr Atom);
  /// Is the atom anywhere in A, inside nodes included?
  bool contains(Expr A, Expr Atom);
  /// All named atoms inside A, each once, in order of name.
  std::vector<Expr> atoms(Expr A);
  /// A with every occurrence of an atom replaced, simplified again. The replacement must satisfy the atom's facts.
  Expr substitute(Expr A, Expr Atom, Expr Replacement);

  /// The value under an assignment of the named atoms. + - * in 64-bit two's complement, the rest at the node's width.
  /// Nothing if an atom has no value, a divisor is zero or a shift is out of range.
  std::optional<int64_t> evaluate(Expr A, llvm::function_ref<std::optional<int64_t>(llvm::StringRef)> Value) const;

  std::string print(Expr A) const;
  /// Reads what print() writes, and ordinary C operators and parentheses. Atoms that the context does not
  /// know yet become lane-varying when named threadIdx.{x,y,z}, uniform otherwise. Bits of operations
  /// are 32 unless given after the operator or function name: a /@64 b, min@64(a, b). Errors name the column.
  llvm::Expected<Expr> parse(llvm::StringRef Text);

private:
  struct Storage;
  std::unique_ptr<Storage> S;
};

} // namespace warplint::index

#endif
