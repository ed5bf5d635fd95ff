//===-- Gpu.cpp - GPUs by name and by hand -----------------------------------===//
#include "analyzer/model/Gpu.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace warplint::model;

namespace {

/// What of a name tells GPUs apart.
std::string essence(StringRef Name) {
  std::string Kept;
  for (char C : Name)
    if (!isSpace(C) && C != '-' && C != '_')
      Kept += toLower(C);
  // nvidia-smi puts it before newer names and not before older ones.
  if (StringRef(Kept).starts_with("nvidia"))
    Kept.erase(0, StringRef("nvidia").size());
  return Kept;
}

SmallVector<StringRef, 5> namesOf(const Gpu &G) {
  SmallVector<StringRef, 5> Names = {G.key, G.name};
  copy_if(G.aliases, std::back_inserter(Names), [](StringRef Alias) { return !Alias.empty(); });
  return Names;
}

/// Characters to change; a part of a name ("orin", "4090") is as near as one slip.
unsigned distance(StringRef Wanted, StringRef Known) {
  return Known.contains(Wanted) ? 1 : Wanted.edit_distance(Known);
}

/// The GPU that was probably meant; nullptr when none is near.
const Gpu *nearestGpu(StringRef Name) {
  const std::string Wanted = essence(Name);
  if (Wanted.size() < 2) // every name contains some letter
    return nullptr;
  const Gpu *Nearest = nullptr;
  unsigned Least = unsigned(Wanted.size()) / 3 + 2;
  for (const Gpu &G : gpus())
    for (StringRef Known : namesOf(G))
      if (unsigned Distance = distance(Wanted, essence(Known)); Distance < Least) {
        Least = Distance;
        Nearest = &G;
      }
  return Nearest;
}

constexpr StringLiteral ByHand = "peak=20e12,bw=1e12";

/// What any GPU lies between, with room: a value outside was meant in other units (20 for 20 TFLOP/s).
constexpr double LeastRate = 1e9, GreatestRate = 1e18;

Error parseRate(StringRef Key, StringRef Value, StringRef Unit, double &Rate) {
  if (Value.getAsDouble(Rate) || !std::isfinite(Rate))
    return createStringError(
        formatv("GPU {0}: '{1}' is not a number; write {2}, for example", Key, Value, ByHand));
  if (Rate < LeastRate || Rate > GreatestRate)
    return createStringError(
        formatv("GPU {0}={1} is not the rate of any GPU; it is in {2}: write {3}, for example", Key, Value,
                Unit, ByHand));
  return Error::success();
}

struct Rates {
  std::optional<double> peak, bw, fp64;

  /// nullptr when no rate is called so.
  std::optional<double> *named(StringRef Key) {
    return Key == "peak" ? &peak : Key == "bw" ? &bw : Key == "fp64" ? &fp64 : nullptr;
  }
};

/// One `key=value`.
Error parseProperty(StringRef Property, Rates &Known) {
  const auto [Key, Value] = Property.split('=');
  std::optional<double> *Rate = Known.named(Key);
  if (!Rate)
    return createStringError(formatv(
        "'{0}' is not known of a GPU; peak (FLOP/s), bw (byte/s) and fp64 (FLOP/s) are: {1}", Key, ByHand));
  if (*Rate)
    return createStringError(formatv("GPU {0} is given twice; leave one out", Key));
  return parseRate(Key, Value, Key == "bw" ? "byte/s" : "FLOP/s", Rate->emplace());
}

Expected<Gpu> parseByHand(StringRef Text) {
  Rates Known;
  SmallVector<StringRef, 3> Properties;
  Text.split(Properties, ',');
  for (StringRef Property : Properties)
    if (Error Problem = parseProperty(Property.trim(), Known))
      return Problem;
  if (!Known.peak || !Known.bw)
    return createStringError(formatv("GPU '{0}' has no {1}; write {2}, for example", Text,
                                     Known.peak ? "bw (byte/s)" : "peak (FLOP/s)", ByHand));
  Gpu G;
  G.key = "custom";
  G.name = "given by its rates";
  G.fp32FlopsPerSecond = *Known.peak;
  G.bytesPerSecond = *Known.bw;
  G.fp64FlopsPerSecond = Known.fp64;
  return G;
}

constexpr double Tera = 1e12, Giga = 1e9;

/// Consumer GPUs have a fraction of a TFLOP/s in FP64, so two digits.
std::string teraflops(std::optional<double> FlopsPerSecond) {
  return FlopsPerSecond ? formatv("{0:f2}", *FlopsPerSecond / Tera).str() : "-";
}

using Cells = SmallVector<std::string, 8>;

Cells cellsOf(const Gpu &G) {
  return {G.key.str(),
          G.name.str(),
          G.sm ? "sm_" + utostr(G.sm) : "-",
          G.smCount ? utostr(G.smCount) : "-",
          formatv("{0:f1}", G.fp32FlopsPerSecond / Tera).str(),
          teraflops(G.fp64FlopsPerSecond),
          formatv("{0:f0}", G.bytesPerSecond / Giga).str(),
          formatv("{0:f1}", G.fp32FlopsPerSecond / G.bytesPerSecond).str()};
}

/// Key, name and architecture to the left, numbers to the right.
std::string aligned(const Cells &Row, ArrayRef<size_t> Widths) {
  constexpr size_t TextColumns = 3;
  std::string Line;
  raw_string_ostream Out(Line);
  for (size_t Column = 0; Column < Row.size(); ++Column) {
    if (Column != 0)
      Out << "  ";
    Out << (Column < TextColumns ? left_justify(Row[Column], unsigned(Widths[Column]))
                                 : right_justify(Row[Column], unsigned(Widths[Column])));
  }
  return Line;
}

} // namespace

const Gpu *warplint::model::findGpu(StringRef Name) {
  const std::string Wanted = essence(Name);
  if (Wanted.empty())
    return nullptr;
  for (const Gpu &G : gpus())
    if (any_of(namesOf(G), [&](StringRef Known) { return essence(Known) == Wanted; }))
      return &G;
  return nullptr;
}

Expected<Gpu> warplint::model::parseGpu(StringRef Text) {
  if (Text.contains('='))
    return parseByHand(Text);
  if (const Gpu *Found = findGpu(Text))
    return *Found;
  const Gpu *Nearest = nearestGpu(Text);
  return createStringError(formatv(
      "unknown GPU '{0}'{1} (--list-gpus names all that are known; {2}, in FLOP/s and byte/s, is any other)",
      Text, Nearest ? "; did you mean '" + Nearest->key.str() + "'?" : "", ByHand));
}

std::vector<std::string> warplint::model::gpuListing() {
  std::vector<Cells> Rows = {
      {"key", "name", "arch", "SMs", "FP32 TFLOP/s", "FP64 TFLOP/s", "GB/s", "FLOP/byte"}};
  for (const Gpu &G : gpus())
    Rows.push_back(cellsOf(G));
  SmallVector<size_t, 8> Widths(Rows.front().size(), 0);
  for (const Cells &Row : Rows)
    for (auto [Width, Cell] : zip(Widths, Row))
      Width = std::max(Width, Cell.size());
  std::vector<std::string> Lines;
  Lines.reserve(Rows.size());
  for (const Cells &Row : Rows)
    Lines.push_back(aligned(Row, Widths));
  return Lines;
}
