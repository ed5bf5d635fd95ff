//===-- JsonWriter.cpp - The JSON report -------------------------------------===//
//
// One function per object of the schema, keys in the schema's order.
//
//===----------------------------------------------------------------------===//
#include "analyzer/report/CostKeys.h"
#include "analyzer/report/Counts.h"
#include "analyzer/report/Report.h"
#include "analyzer/report/ShownWork.h"
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
      // What was read is written as it was: not all of it can be made from the kernel's members again.
      list("kernels", R.kernels, [&](const Kernel &K) { K.written.empty() ? kernel(K) : J.rawValue(K.written); });
      list("findings", R.findings, [&](const Finding &F) { finding(F); });
      list("errors", R.errors, [&](const Error &E) {
        J.object([&] {
          start(E.place);
          text("message", E.message);
        });
      });
      J.attributeObject("summary", [&] { summary(R); });
      if (R.shard)
        J.attributeObject("shard", [&] { shard(R); });
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

  void numberOrNull(llvm::StringRef Key, std::optional<double> Number) {
    if (Number)
      number(Key, *Number);
    else
      J.attribute(Key, nullptr);
  }

  void textOrNull(llvm::StringRef Key, llvm::StringRef Text) {
    if (Text.empty())
      J.attribute(Key, nullptr);
    else
      text(Key, Text);
  }

  void texts(llvm::StringRef Key, const std::vector<std::string> &Texts) {
    list(Key, Texts, [&](const std::string &Text) { J.value(json::fixUTF8(Text)); });
  }

  /// A number, or text where it depends on sizes that are not known; null where it is not known at all.
  void amount(llvm::StringRef Key, const std::optional<Amount> &Of) {
    const std::optional<double> Number = Of ? Of->number() : std::nullopt;
    if (Of && !Number)
      text(Key, result::text(*Of));
    else
      numberOrNull(Key, Number);
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

  void end(const Place &P) {
    J.attribute("endLine", P.endLine);
    J.attribute("endColumn", P.endColumn);
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
      objectOrNull("roofline", K.roofline, [&](const Roofline &R) { roofline(K, R); });
      objectOrNull("occupancy", K.occupancy, [&](const Occupancy &O) { occupancy(O); });
      objectOrNull("eta", K.eta, [&](const Eta &E) {
        numberOrNull("coalesce", E.coalesce);
        numberOrNull("cache", E.cache);
        numberOrNull("occupancy", E.occupancy);
        numberOrNull("total", E.total);
        number("atMost", E.atMost);
      });
    });
  }

  template <typename Object, typename Writer>
  void objectOrNull(llvm::StringRef Key, const std::optional<Object> &Of, Writer Write) {
    if (Of)
      J.attributeObject(Key, [&] { Write(*Of); });
    else
      J.attribute(Key, nullptr);
  }

  //===-- The kernel as a whole ----------------------------------------------===//

  void roofline(const Kernel &K, const Roofline &R) {
    const report::ShownWork W(K.work);
    textOrNull("gpu", R.gpu);
    amount("flopsPerThread", W.flops);
    J.attributeObject("operationsPerThread", [&] {
      amount("fp32", W.fp32);
      amount("fp64", W.fp64);
      amount("fp16", W.fp16);
      amount("tensor", W.tensor);
      amount("special", W.special);
      amount("integer", W.integer);
    });
    amount("bytesPerThread", W.requested);
    amount("hauledPerThread", W.hauled);
    amount("distinctPerThread", W.distinctPerThread);
    J.attributeObject("launch", [&] {
      amount("threads", W.threads);
      amount("flops", W.launchFlops);
      amount("bytes", W.launchBytes);
      amount("hauled", W.launchHauled);
      amount("distinct", W.distinct);
    });
    if (R.intensity)
      number("intensity", *R.intensity);
    else
      textOrNull("intensity", R.intensityText);
    textOrNull("intensityText", R.intensityText);
    numberOrNull("machineBalance", R.machineBalance);
    textOrNull("boundBy", R.boundBy);
    J.attribute("evenWhenCached", R.evenWhenCached);
    integerOrNull("crossoverTile", R.crossoverTile);
    numberOrNull("attainableFlopsPerSecond", R.attainableFlops);
    numberOrNull("secondsFloor", R.secondsFloor);
    textOrNull("reason", R.reason);
    texts("assumptions", K.work.assumptions);
    list("reuse", K.reuse, [&](const Reuse &Each) { J.object([&] { reuse(Each); }); });
    objectOrNull("suggestedTile", R.suggestedTile, [&](const TileSuggestion &S) { suggestedTile(S); });
  }

  void reuse(const Reuse &R) {
    start(R.place);
    text("base", R.base);
    text("expression", R.expression);
    J.attribute("threads", R.threads);
    text("sameFor", R.sameFor);
    J.attribute("inLoop", R.inLoop);
    J.attribute("elementSize", R.elementSize);
  }

  void suggestedTile(const TileSuggestion &S) {
    texts("arrays", S.arrays);
    J.attribute("elementSize", S.elementSize);
    J.attribute("edge", S.edge);
    J.attribute("bytes", S.bytes);
    J.attribute("budget", S.budget);
    numberOrNull("intensity", S.intensity);
    J.attribute("largerEdge", S.largerEdge);
    J.attribute("largerBytes", S.largerBytes);
    J.attribute("resultsPerThread", S.resultsPerThread);
  }

  void occupancy(const Occupancy &O) {
    text("gpu", O.gpu);
    J.attribute("blocksPerSm", O.blocksPerSm);
    J.attribute("warpsPerSm", O.warpsPerSm);
    J.attribute("maxWarps", O.maxWarps);
    number("fraction", O.fraction);
    J.attribute("atMost", O.atMost);
    integerOrNull("leastBlocksPerSm", O.leastBlocksPerSm);
    numberOrNull("leastFraction", O.leastBlocksPerSm ? std::optional(O.leastFraction) : std::nullopt);
    texts("limiters", O.limiters);
    integerOrNull("registers", O.registers);
    integerOrNull("registerLimit", O.registerLimit);
    textOrNull("registersOrigin", O.registersOrigin);
    J.attribute("sharedBytes", O.sharedBytes);
    texts("assumptions", O.assumptions);
  }

  //===-- Accesses -----------------------------------------------------------===//

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
    for (const report::CostKey &Key : report::costKeys(S))
      number(Key.name, C.*Key.member);
  }

  //===-- Findings -----------------------------------------------------------===//

  void finding(const Finding &F) {
    J.object([&] { finding(F, /*NotesEnd=*/false); });
  }

  /// Notes are points in the report, and have an end where reports are yet to be put together.
  void finding(const Finding &F, bool NotesEnd) {
    text("rule", F.rule);
    text("severity", spelling(F.severity));
    text("impact", spelling(F.impact));
    text("message", F.message);
    start(F.place);
    end(F.place);
    text("kernel", F.kernel);
    text("confidence", spelling(F.confidence));
    list("notes", F.notes, [&](const Note &N) {
      J.object([&] {
        text("message", N.message);
        start(N.place);
        if (NotesEnd)
          end(N.place);
      });
    });
    list("fixes", F.fixes, [&](const Fix &X) {
      if (X.verified)
        fix(X, F.space);
    });
    text("fingerprint", F.fingerprint);
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

  //===-- What it takes to put reports together ---------------------------------===//

  void shard(const Report &R) {
    const Shard &S = *R.shard;
    J.attribute("index", S.index);
    J.attribute("count", S.count);
    J.attribute("files", S.files);
    list("units", S.units, [&](const Shard::Unit &U) {
      J.object([&] {
        J.attribute("position", U.position);
        text("file", U.file);
      });
    });
    // Of each kernel and error above, what the report does not say of it.
    list("kernels", R.kernels, [&](const Kernel &K) {
      J.object([&] {
        integerOrNull("unit", K.unit);
        if (K.launch.valid())
          J.attributeObject("launch", [&] { start(K.launch); });
        else
          J.attribute("launch", nullptr);
      });
    });
    list("errors", R.errors, [&](const Error &E) {
      J.object([&] {
        integerOrNull("unit", E.unit);
        end(E.place);
      });
    });
    list("candidates", S.candidates, [&](const Candidate &C) { candidate(C); });
    list("failures", S.failures, [&](const std::string &Text) { J.value(json::fixUTF8(Text)); });
    J.attribute("badSuppressions", S.badSuppressions);
    J.attribute("wholeProject", S.wholeProject);
    J.attribute("filtered", S.filtered);
    text("checks", S.checks);
    if (S.configuration)
      text("configuration", *S.configuration);
    else
      J.attribute("configuration", nullptr);
  }

  void candidate(const Candidate &C) {
    J.object([&] {
      J.attribute("kernel", uint64_t(C.kernel));
      if (C.reported)
        text("reported", spelling(*C.reported));
      else
        J.attribute("reported", nullptr);
      J.attribute("inHelper", C.inHelper);
      text("base", C.finding.base);
      text("expression", C.finding.expression);
      number("excess", C.finding.excess);
      text("space", spelling(C.finding.space));
      J.attributeObject("cost", [&] { cost(C.finding.space, C.finding.cost); });
      J.attributeObject("finding", [&] { finding(C.finding, /*NotesEnd=*/true); });
    });
  }
};

} // namespace

void warplint::report::writeJson(llvm::raw_ostream &OS, const result::Report &Report, const char *Version) {
  JsonWriter(OS).report(Report, Version);
  OS << '\n';
}
