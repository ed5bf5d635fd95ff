//===-- Amount.h - Counts in sizes that may not be known ---------*- C++ -*-===//
//
// How much a kernel does may depend on sizes that only the run knows: 2*n FLOP for 8*n + 4 bytes. An amount is
// a sum of products of such sizes. What it tells without them is the ratio of its dominant terms to those of
// another.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_RESULT_AMOUNT_H
#define WARPLINT_ANALYZER_RESULT_AMOUNT_H

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warplint::result {

/// A sum of products of symbols. Unknown sizes are taken as large, so terms of a lower degree count for nothing
/// beside those of the highest.
struct Amount {
  /// Exponents by symbol; none is 0. The empty product is a plain number.
  using Product = std::map<std::string, int>;
  std::map<Product, double> terms; ///< coefficients; none is 0

  Amount() = default;
  Amount(double Number);
  static Amount symbol(const std::string &Name);

  bool isZero() const { return terms.empty(); }
  /// The value where no symbol is in it.
  std::optional<double> number() const;
  Amount &operator+=(const Amount &);
  /// The terms of the highest degree: the sum of the exponents of what is multiplied with; what is divided by counts
  /// where there is nothing else.
  Amount dominant() const;
};

Amount operator+(Amount, const Amount &);
Amount operator*(const Amount &, const Amount &);
/// By one product; nothing for a sum, or 0.
std::optional<Amount> operator/(const Amount &, const Amount &);

/// How many times `Of` is `Over` when all symbols are large. 0 when `Of` is of a lower degree. Nothing when that
/// depends on the symbols, when it has no bound, or when `Over` is 0.
std::optional<double> dominantRatio(const Amount &Of, const Amount &Over);

/// "2*n*m + 8": highest degree first; a symbol with blanks stands in brackets. "0" for none.
std::string text(const Amount &);

} // namespace warplint::result

#endif
