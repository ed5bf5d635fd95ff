#include "analyzer/result/Amount.h"
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <functional>

namespace warplint::result {

Amount::Amount(double Number) {
  if (Number != 0)
    terms[{}] = Number;
}

Amount Amount::symbol(const std::string &Name) {
  Amount A;
  A.terms[{{Name, 1}}] = 1;
  return A;
}

std::optional<double> Amount::number() const {
  if (terms.empty())
    return 0;
  if (terms.size() > 1 || !terms.begin()->first.empty())
    return std::nullopt;
  return terms.begin()->second;
}

Amount &Amount::operator+=(const Amount &Other) {
  for (const auto &[Product, Coefficient] : Other.terms)
    if ((terms[Product] += Coefficient) == 0)
      terms.erase(Product);
  return *this;
}

/// A share of a size, n / gridDim.x, is a size too.
static int degree(const Amount::Product &P) {
  int Over = 0, Under = 0;
  for (const auto &[Name, Power] : P)
    (Power > 0 ? Over : Under) += Power;
  return Over ? Over : Under;
}

Amount Amount::dominant() const {
  Amount Result;
  int Highest = 0;
  for (const auto &[Product, Coefficient] : terms) {
    const int D = degree(Product);
    if (Result.terms.empty() || D > Highest) {
      Result.terms.clear();
      Highest = D;
    }
    if (D == Highest)
      Result.terms[Product] = Coefficient;
  }
  return Result;
}

Amount operator+(Amount A, const Amount &B) { return A += B; }

static Amount::Product times(Amount::Product A, const Amount::Product &B, int Sign) {
  for (const auto &[Name, Power] : B)
    if ((A[Name] += Sign * Power) == 0)
      A.erase(Name);
  return A;
}

Amount operator*(const Amount &A, const Amount &B) {
  Amount Result;
  for (const auto &[P, X] : A.terms)
    for (const auto &[Q, Y] : B.terms) {
      Amount Each;
      Each.terms[times(P, Q, 1)] = X * Y;
      Result += Each;
    }
  return Result;
}

std::optional<Amount> operator/(const Amount &A, const Amount &B) {
  if (B.terms.size() != 1)
    return std::nullopt;
  const auto &[Divisor, Coefficient] = *B.terms.begin();
  Amount Result;
  for (const auto &[P, X] : A.terms)
    Result.terms[times(P, Divisor, -1)] = X / Coefficient;
  return Result;
}

std::optional<double> dominantRatio(const Amount &Of, const Amount &Over) {
  if (Over.isZero())
    return std::nullopt;
  if (Of.isZero())
    return 0;
  const Amount A = Of.dominant(), B = Over.dominant();
  const int DegreeA = degree(A.terms.begin()->first), DegreeB = degree(B.terms.begin()->first);
  if (DegreeA != DegreeB)
    return DegreeA < DegreeB ? std::optional(0.0) : std::nullopt;
  // The same products in the same proportion: (2*n + 4*m) / (n + 2*m).
  if (A.terms.size() != B.terms.size())
    return std::nullopt;
  std::optional<double> Ratio;
  for (const auto &[Product, Coefficient] : A.terms) {
    auto It = B.terms.find(Product);
    if (It == B.terms.end())
      return std::nullopt;
    const double Each = Coefficient / It->second;
    if (Ratio && std::abs(Each - *Ratio) > 1e-9 * std::abs(*Ratio))
      return std::nullopt;
    Ratio = Ratio ? *Ratio : Each;
  }
  return Ratio;
}

static std::string numberText(double Value) {
  constexpr double ExactIntegers = 9007199254740992.0; // 2^53
  char Buffer[32];
  std::snprintf(Buffer, sizeof Buffer, Value == std::trunc(Value) && std::abs(Value) < ExactIntegers ? "%.0f" : "%.6g",
                Value);
  return Buffer;
}

static std::string shown(const std::string &Symbol) {
  const bool Plain = std::all_of(Symbol.begin(), Symbol.end(), [](unsigned char C) {
    return std::isalnum(C) || C == '_' || C == '.' || C == '>' || C == '-' || C >= 0x80;
  });
  return Plain ? Symbol : "(" + Symbol + ")";
}

static std::string productText(const Amount::Product &P, double Coefficient) {
  std::string Over, Under;
  for (const auto &[Name, Power] : P)
    for (int I = 0; I < std::abs(Power); ++I) {
      std::string &Side = Power > 0 ? Over : Under;
      Side += (Side.empty() ? "" : "*") + shown(Name);
    }
  std::string Text = numberText(Coefficient);
  if (!Over.empty())
    Text = Coefficient == 1 ? Over : Text + "*" + Over;
  if (!Under.empty())
    Text += Under.find('*') == std::string::npos ? "/" + Under : "/(" + Under + ")";
  return Text;
}

std::string text(const Amount &A) {
  struct Term {
    bool negative;
    std::string text;
  };
  std::map<int, std::vector<Term>, std::greater<>> ByDegree;
  for (const auto &[Product, Coefficient] : A.terms)
    ByDegree[degree(Product)].push_back({Coefficient < 0, productText(Product, std::abs(Coefficient))});
  std::string Text;
  for (const auto &[Degree, Terms] : ByDegree)
    for (const auto &[Negative, Words] : Terms)
      Text += (Text.empty() ? Negative ? "-" : "" : Negative ? " - " : " + ") + Words;
  return Text.empty() ? "0" : Text;
}

} // namespace warplint::result
