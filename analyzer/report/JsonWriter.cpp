//===-- JsonWriter.cpp - The JSON report -------------------------------------===//
//
// One function per object of the schema, keys in the schema's order.
//
//===----------------------------------------------------------------------===//
#include "analyzer/report/Counts.h"
#include "analyzer/report/Report.h"
#include "llvm/Support/JSON.h"
#include <charconv>
#include <cmath>

using namespace warplint;
using namespace warplint::result;
namespace json = llvm::json;

namespace {

class JsonWriter {
  json::OStream J;

public:
  explicit JsonWriter(llvm::raw_ostream &OS) : J(OS, /*IndentSize=*/2) {}

  void report(const Report &R, const char *Version) {
    J.object([&] {
      text("schema", "warplint-report/1");
      text("version", Version);
      list("kernels", R.kernels, [&](const Kernel &K) { kernel(K); });
      list("findings", R.findings, [&](const Finding &F) { finding(F); });
      list("errors", R.errors, [&](const Error &E) {
        J.object([&] {
          start(E.place);
          text("message", E.message);
        });
      });
      J.attributeObject("summary", [&] { summary(R); });
    });
  }

private:
  //===-- Values -------------------------------------------------------------===//

  /// Source text need not be UTF-8, JSON must be.
  void text(llvm::StringRef Key, llvm::StringRef Text) { J.attribute(Key, json::fixUTF8(Text)); }

  void number(llvm::StringRef Key, double Number) {
    constexpr double ExactIntegers = 9007199254740992.0; // 2^53
    J.attributeBegin(Key);
    if (!std::isfinite(Number)) { // JSON has no such number; the schema refuses null, so this does not hide
      J.value(nullptr);
    } else if (Number == std::trunc(Number) && std::fabs(Number) < ExactIntegers) {
      J.value(int64_t(Number));
    } else {
      char Digits[32];
      const char *End = std::to_chars(Digits, Digits + sizeof(Digits), Number).ptr;
      J.rawValue(llvm::StringRef(Digits, size_t(End - Digits)));
    }
    J.attributeEnd();
  }

  void integerOrNull(llvm::StringRef Key, std::optional<uint64_t> Number) {
    if (Number)
      J.attribute(Key, *Number);
    else
      J.attribute(Key, nullptr);
  }

  template <typename Elements, typename Writer>
  void list(llvm::StringRef Key, const Elements &List, Writer Write) {
    J.attributeArray(Key, [&] {
      for (const auto &Element : List)
        Write(Element);
    });
  }

  /// Keys of a place that is a point.
  void start(const Place &P) {
    text("file", P.file);
    J.attribute("line", P.line);
    J.attribute("column", P.column);
  }

  //===-- Kernels and accesses -----------------------------------------------===//

  void kernel(const Kernel &K) {
    J.object([&] {
      text("name", K.name);
      text("signature", K.signature);
      text("file", K.place.file);
      J.attribute("line", K.place.line);
      list("block", K.block, [&](unsigned Extent) { J.value(Extent); });
      if (K.grid)
        list("grid", *K.grid, [&](uint64_t Extent) { J.value(Extent); });
      else
        J.attribute("grid", nullptr);
      text("blockOrigin", spelling(K.blockOrigin));
      integerOrNull("dynamicShared", K.dynamicShared);
      J.attributeObject("arguments", [&] {
        for (const auto &[Name, Value] : K.arguments)
          J.attribute(json::fixUTF8(Name), Value);
      });
      text("arch", K.arch);
      if (K.partial) {
        J.attribute("partial", true);
        text("partialReason", K.partialReason);
      }
      list("accesses", K.accesses, [&](const Access &A) { access(A); });
    });
  }

  void access(const Access &A) {
    const bool Known = A.confidence != Confidence::Unknown;
    J.object([&] {
      start(A.place);
      text("expression", A.expression);
      text("operation", spelling(A.operation));
      text("instruction", spelling(A.mechanism));
      J.attribute("removed", A.removed);
      text("space", spelling(A.space));
      text("base", A.base);
      J.attribute("width", A.width);
      text("offset", A.offset);
      text("confidence", spelling(A.confidence));
      list("assumptions", A.assumptions, [&](const std::string &Text) { J.value(json::fixUTF8(Text)); });
      if (!Known)
        text("reason", A.reason);
      J.attribute("activeLanes", A.activeLanes);
      integerOrNull("iterations", A.iterations);
      if (!Known)
        return;
      cost(A.space, A.worst);
      J.attributeObject("mean", [&] { cost(A.space, A.mean); });
      if (A.total)
        J.attributeObject("total", [&] {
          J.attribute("requests", A.total->requests);
          J.attribute("sectors", A.total->sectors);
          J.attribute("idealSectors", A.total->idealSectors);
          J.attribute("wavefronts", A.total->wavefronts);
        });
      else
        J.attribute("total", nullptr);
    });
  }

  /// The keys that mean something in a space.
  void cost(Space S, const Cost &C) {
    switch (S) {
    case Space::Global:
      number("lines", C.lines);
      number("sectors", C.sectors);
      number("idealSectors", C.idealSectors);
      number("efficiency", C.efficiency);
      number("sectorEfficiency", C.sectorEfficiency);
      break;
    case Space::Shared:
      number("wavefronts", C.wavefronts);
      number("idealWavefronts", C.idealWavefronts);
      number("conflictWays", C.conflictWays);
      break;
    case Space::Constant:
      number("distinctAddresses", C.distinctAddresses);
      break;
    case Space::Local:
      number("sectors", C.sectors);
      number("idealSectors", C.idealSectors);
      number("sectorEfficiency", C.sectorEfficiency);
      break;
    case Space::Unknown:
      break;
    }
  }

  //===-- Findings -----------------------------------------------------------===//

  void finding(const Finding &F) {
    J.object([&] {
      text("rule", F.rule);
      text("severity", spelling(F.severity));
      text("impact", spelling(F.impact));
      text("message", F.message);
      start(F.place);
      J.attribute("endLine", F.place.endLine);
      J.attribute("endColumn", F.place.endColumn);
      text("kernel", F.kernel);
      text("confidence", spelling(F.confidence));
      list("notes", F.notes, [&](const Note &N) {
        J.object([&] {
          text("message", N.message);
          start(N.place);
        });
      });
      list("fixes", F.fixes, [&](const Fix &X) {
        if (X.verified)
          fix(X, F.space);
      });
      text("fingerprint", F.fingerprint);
    });
  }

  void fix(const Fix &X, Space S) {
    J.object([&] {
      text("title", X.title);
      text("safety", spelling(X.safety));
      list("edits", X.edits, [&](const Edit &E) {
        J.object([&] {
          text("file", E.file);
          J.attribute("offset", E.offset);
          J.attribute("length", E.length);
          text("text", E.text);
        });
      });
      J.attributeObject("before", [&] { cost(S, X.before); });
      J.attributeObject("after", [&] { cost(S, X.after); });
    });
  }

  void summary(const Report &R) {
    const report::Counts Counts(R);
    J.attribute("files", R.files);
    J.attribute("kernels", uint64_t(R.kernels.size()));
    J.attribute("accesses", Counts.accesses);
    J.attribute("exact", Counts.exact);
    J.attribute("assumed", Counts.assumed);
    J.attribute("unknown", Counts.unknown);
    J.attribute("findings", uint64_t(R.findings.size()));
    if (R.baseline)
      J.attributeObject("baseline", [&] {
        J.attribute("new", R.baseline->added);
        J.attribute("fixed", R.baseline->fixed);
        J.attribute("remaining", R.baseline->remaining);
      });
  }
};

} // namespace

void warplint::report::writeJson(llvm::raw_ostream &OS, const result::Report &Report, const char *Version) {
  JsonWriter(OS).report(Report, Version);
  OS << '\n';
}
