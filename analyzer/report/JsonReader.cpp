//===-- JsonReader.cpp - The JSON report, read back ----------------------------===//
//
// The counterpart of JsonWriter.cpp: one function per object of the schema. Strict: what is missing, of
// another type or unknown is an error with its path, so that nothing of a report is lost in silence.
//
//===----------------------------------------------------------------------===//
#include "analyzer/report/CostKeys.h"
#include "analyzer/report/ParseJson.h"
#include "analyzer/report/Report.h"
#include "llvm/Support/JSON.h"
#include <limits>
#include <set>

using namespace warplint;
using namespace warplint::result;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

//===-- Values -----------------------------------------------------------------===//

/// The texts of the elements of the top object's array `Key`. The text is known to be JSON.
std::vector<StringRef> elementsOf(StringRef Text, StringRef Key) {
  std::vector<StringRef> Elements;
  int Depth = 0;
  bool Inside = false; // the array
  StringRef Last;      // string of the top object
  size_t Start = 0;    // of the element, or what stands before it
  const auto Finish = [&](size_t End) {
    if (const StringRef Element = Text.slice(Start, End).trim(); !Element.empty())
      Elements.push_back(Element);
    Start = End + 1;
  };
  for (size_t I = 0; I < Text.size(); ++I) {
    const char C = Text[I];
    if (C == '"') {
      const size_t Begin = ++I;
      while (Text[I] != '"')
        I += Text[I] == '\\' ? 2 : 1;
      if (Depth == 1)
        Last = Text.slice(Begin, I);
    } else if (C == '{' || C == '[') {
      if (++Depth == 2 && C == '[' && Last == Key) {
        Inside = true;
        Start = I + 1;
      }
    } else if (C == '}' || C == ']') {
      if (Depth-- == 2 && Inside) {
        Finish(I);
        Inside = false;
      }
    } else if (C == ',' && Depth == 2 && Inside) {
      Finish(I);
    }
  }
  return Elements;
}

bool complain(json::Path P, llvm::StringLiteral Message) {
  P.report(Message);
  return false;
}

bool read(const json::Value &V, std::string &To, json::Path P) {
  if (std::optional<StringRef> Text = V.getAsString()) {
    To = Text->str();
    return true;
  }
  return complain(P, "expected a string");
}
bool read(const json::Value &V, bool &To, json::Path P) {
  if (std::optional<bool> Flag = V.getAsBoolean()) {
    To = *Flag;
    return true;
  }
  return complain(P, "expected true or false");
}
bool read(const json::Value &V, double &To, json::Path P) {
  if (std::optional<double> Number = V.getAsNumber()) {
    To = *Number;
    return true;
  }
  return complain(P, "expected a number");
}
bool read(const json::Value &V, int64_t &To, json::Path P) {
  if (std::optional<int64_t> Number = V.getAsInteger()) {
    To = *Number;
    return true;
  }
  return complain(P, "expected an integer");
}
bool read(const json::Value &V, uint64_t &To, json::Path P) {
  if (std::optional<uint64_t> Number = V.getAsUINT64()) {
    To = *Number;
    return true;
  }
  return complain(P, "expected an integer from 0 on");
}
bool read(const json::Value &V, unsigned &To, json::Path P) {
  uint64_t Number = 0;
  if (!read(V, Number, P))
    return false;
  if (Number > std::numeric_limits<unsigned>::max())
    return complain(P, "the number is too large");
  To = unsigned(Number);
  return true;
}

/// An enumeration whose last value is `Last`, by its spelling.
template <typename Enum> bool readEnum(const json::Value &V, Enum Last, Enum &To, json::Path P) {
  if (std::optional<StringRef> Text = V.getAsString())
    for (int I = 0; I <= int(Last); ++I)
      if (*Text == spelling(Enum(I))) {
        To = Enum(I);
        return true;
      }
  return complain(P, "expected one of the values that the schema has for it");
}
bool read(const json::Value &V, Space &To, json::Path P) { return readEnum(V, Space::Unknown, To, P); }
bool read(const json::Value &V, Operation &To, json::Path P) { return readEnum(V, Operation::Atomic, To, P); }
bool read(const json::Value &V, Mechanism &To, json::Path P) {
  return readEnum(V, Mechanism::Ldmatrix, To, P);
}
bool read(const json::Value &V, Confidence &To, json::Path P) {
  return readEnum(V, Confidence::Unknown, To, P);
}
bool read(const json::Value &V, BlockOrigin &To, json::Path P) {
  return readEnum(V, BlockOrigin::Assumed, To, P);
}
bool read(const json::Value &V, Severity &To, json::Path P) { return readEnum(V, Severity::Error, To, P); }
bool read(const json::Value &V, Impact &To, json::Path P) { return readEnum(V, Impact::High, To, P); }
bool read(const json::Value &V, FixSafety &To, json::Path P) {
  return readEnum(V, FixSafety::Display, To, P);
}

bool read(const json::Value &, Place &, json::Path);
bool read(const json::Value &, Total &, json::Path);

template <typename T, size_t N> bool read(const json::Value &V, std::array<T, N> &To, json::Path P) {
  const json::Array *List = V.getAsArray();
  if (!List || List->size() != N)
    return complain(P, "expected an array of another size");
  for (size_t I = 0; I < N; ++I)
    if (!read((*List)[I], To[I], P.index(unsigned(I))))
      return false;
  return true;
}
template <typename T> bool read(const json::Value &V, std::optional<T> &To, json::Path P) {
  if (V.kind() == json::Value::Null) {
    To.reset();
    return true;
  }
  return read(V, To.emplace(), P);
}
template <typename T, typename Reader>
bool readList(const json::Value &V, std::vector<T> &To, json::Path P, Reader Read) {
  const json::Array *List = V.getAsArray();
  if (!List)
    return complain(P, "expected an array");
  for (size_t I = 0; I < List->size(); ++I)
    if (!Read((*List)[I], To.emplace_back(), P.index(unsigned(I))))
      return false;
  return true;
}
bool read(const json::Value &V, std::vector<std::string> &To, json::Path P) {
  return readList(V, To, P, [](const json::Value &Item, std::string &Text, json::Path At) {
    return read(Item, Text, At);
  });
}
bool read(const json::Value &V, std::map<std::string, int64_t> &To, json::Path P) {
  const json::Object *Object = V.getAsObject();
  if (!Object)
    return complain(P, "expected an object");
  for (const auto &[Key, Value] : *Object)
    if (!read(Value, To[StringRef(Key).str()], P.field(Key)))
      return false;
  return true;
}

/// The members of an object. After the first error nothing more is read.
class Members {
public:
  Members(const json::Value &V, json::Path P) : Object(V.getAsObject()), P(P) {
    if (!Object)
      Good = complain(P, "expected an object");
  }

  template <typename T> Members &get(StringRef Key, T &To) {
    return with(Key, [&](const json::Value &V, json::Path At) { return read(V, To, At); });
  }
  template <typename T, typename Reader> Members &list(StringRef Key, std::vector<T> &To, Reader Read) {
    return with(Key, [&](const json::Value &V, json::Path At) { return readList(V, To, At, Read); });
  }
  /// `Read` takes the value and its path.
  template <typename Reader> Members &with(StringRef Key, Reader Read) {
    const json::Value *V = find(Key);
    if (Good && !V)
      Good = complain(P.field(Key), "is missing");
    else if (Good)
      Good = Read(*V, P.field(Key));
    return *this;
  }
  template <typename Reader> Members &optional(StringRef Key, Reader Read) {
    const json::Value *V = find(Key);
    if (Good && V)
      Good = Read(*V, P.field(Key));
    return *this;
  }

  bool good() const { return Good; }
  /// True when all went well and no member is left over.
  bool done() {
    if (Good)
      for (const auto &[Key, Value] : *Object)
        if (!Known.count(StringRef(Key)))
          return complain(P.field(Key), "is not known to this version of warplint");
    return Good;
  }

private:
  const json::Value *find(StringRef Key) {
    if (!Good)
      return nullptr;
    Known.insert(Key);
    return Object->get(Key);
  }

  const json::Object *Object;
  json::Path P;
  bool Good = true;
  std::set<StringRef> Known;
};

//===-- Objects ------------------------------------------------------------------===//

Members &start(Members &M, Place &P) {
  return M.get("file", P.file).get("line", P.line).get("column", P.column);
}
Members &end(Members &M, Place &P) { return M.get("endLine", P.endLine).get("endColumn", P.endColumn); }

bool read(const json::Value &V, Place &To, json::Path P) {
  Members M(V, P);
  return start(M, To).done();
}

void cost(Members &M, Space S, Cost &To) {
  for (const report::CostKey &Key : report::costKeys(S))
    M.get(Key.name, To.*Key.member);
}
bool readCost(const json::Value &V, Space S, Cost &To, json::Path P) {
  Members M(V, P);
  cost(M, S, To);
  return M.done();
}

/// The space whose keys a cost has.
Space spaceOf(const json::Value &V) {
  const json::Object *Object = V.getAsObject();
  const auto Has = [&](StringRef Key) { return Object && Object->get(Key); };
  return Has("lines")               ? Space::Global
         : Has("sectors")           ? Space::Local
         : Has("wavefronts")        ? Space::Shared
         : Has("distinctAddresses") ? Space::Constant
                                    : Space::Unknown;
}

bool read(const json::Value &V, Total &To, json::Path P) {
  return Members(V, P)
      .get("requests", To.requests)
      .get("sectors", To.sectors)
      .get("idealSectors", To.idealSectors)
      .get("wavefronts", To.wavefronts)
      .done();
}

bool readAccess(const json::Value &V, Access &A, json::Path P) {
  Members M(V, P);
  start(M, A.place)
      .get("expression", A.expression)
      .get("operation", A.operation)
      .get("instruction", A.mechanism)
      .get("removed", A.removed)
      .get("space", A.space)
      .get("base", A.base)
      .get("width", A.width)
      .get("offset", A.offset)
      .get("confidence", A.confidence)
      .get("assumptions", A.assumptions)
      .get("activeLanes", A.activeLanes)
      .get("iterations", A.iterations);
  if (A.confidence == Confidence::Unknown)
    return M.get("reason", A.reason).good();
  cost(M, A.space, A.worst);
  return M
      .with("mean",
            [&](const json::Value &Mean, json::Path At) { return readCost(Mean, A.space, A.mean, At); })
      .get("total", A.total)
      .good();
}

bool readKernel(const json::Value &V, Kernel &K, json::Path P) {
  return Members(V, P)
      .get("name", K.name)
      .get("signature", K.signature)
      .get("file", K.place.file)
      .get("line", K.place.line)
      .get("block", K.block)
      .get("grid", K.grid)
      .get("blockOrigin", K.blockOrigin)
      .get("dynamicShared", K.dynamicShared)
      .get("arguments", K.arguments)
      .get("arch", K.arch)
      .optional("partial", [&](const json::Value &Flag, json::Path At) { return read(Flag, K.partial, At); })
      .optional("partialReason",
                [&](const json::Value &Text, json::Path At) { return read(Text, K.partialReason, At); })
      .list("accesses", K.accesses, readAccess)
      .good();
}

bool readEdit(const json::Value &V, Edit &E, json::Path P) {
  return Members(V, P)
      .get("file", E.file)
      .get("offset", E.offset)
      .get("length", E.length)
      .get("text", E.text)
      .done();
}

/// A report has no fix that was not tried out.
bool readFix(const json::Value &V, Fix &X, json::Path P) {
  X.verified = true;
  const auto Costs = [](Cost &To) {
    return [&To](const json::Value &Of, json::Path At) { return readCost(Of, spaceOf(Of), To, At); };
  };
  return Members(V, P)
      .get("title", X.title)
      .get("safety", X.safety)
      .list("edits", X.edits, readEdit)
      .with("before", Costs(X.before))
      .with("after", Costs(X.after))
      .done();
}

/// Only a fix shows which space a finding of a report is about.
Space spaceOfFixes(const json::Value &Finding) {
  const json::Object *Object = Finding.getAsObject();
  const json::Array *Fixes = Object ? Object->getArray("fixes") : nullptr;
  const json::Object *First = Fixes && !Fixes->empty() ? Fixes->front().getAsObject() : nullptr;
  const json::Value *Before = First ? First->get("before") : nullptr;
  return Before ? spaceOf(*Before) : Space::Unknown;
}

bool readFinding(const json::Value &V, Finding &F, bool NotesEnd, json::Path P) {
  const auto ReadNote = [&](const json::Value &Of, Note &N, json::Path At) {
    Members M(Of, At);
    start(M.get("message", N.message), N.place);
    return (NotesEnd ? end(M, N.place) : M).done();
  };
  F.space = spaceOfFixes(V);
  Members M(V, P);
  M.get("rule", F.rule).get("severity", F.severity).get("impact", F.impact).get("message", F.message);
  end(start(M, F.place), F.place);
  return M.get("kernel", F.kernel)
      .get("confidence", F.confidence)
      .list("notes", F.notes, ReadNote)
      .list("fixes", F.fixes, readFix)
      .get("fingerprint", F.fingerprint)
      .done();
}

bool readError(const json::Value &V, Error &E, json::Path P) {
  Members M(V, P);
  return start(M, E.place).get("message", E.message).done();
}

//===-- What it takes to put reports together -----------------------------------===//

bool readCandidate(const json::Value &V, Candidate &C, size_t Kernels, json::Path P) {
  Members M(V, P);
  uint64_t Kernel = 0;
  std::string Base, Expression;
  double Excess = 0;
  Space S = Space::Unknown;
  M.get("kernel", Kernel)
      .get("reported", C.reported)
      .get("inHelper", C.inHelper)
      .get("base", Base)
      .get("expression", Expression)
      .get("excess", Excess)
      .get("space", S)
      .with("cost", [&](const json::Value &Of, json::Path At) { return readCost(Of, S, C.finding.cost, At); })
      .with("finding", [&](const json::Value &Of, json::Path At) {
        return readFinding(Of, C.finding, /*NotesEnd=*/true, At);
      });
  if (!M.done())
    return false;
  if (Kernel >= Kernels)
    return complain(P.field("kernel"), "there is no such kernel");
  C.kernel = Kernel;
  C.finding.base = Base;
  C.finding.expression = Expression;
  C.finding.excess = Excess;
  C.finding.space = S;
  return true;
}

bool readUnit(const json::Value &V, Shard::Unit &U, json::Path P) {
  return Members(V, P).get("position", U.position).get("file", U.file).done();
}

bool readShard(const json::Value &V, Report &R, json::Path P) {
  Shard &S = R.shard.emplace();
  struct KernelPart {
    std::optional<unsigned> unit;
    std::optional<Place> launch;
  };
  std::vector<KernelPart> Kernels;
  std::vector<Error> Errors;
  Members M(V, P);
  M.get("index", S.index)
      .get("count", S.count)
      .get("files", S.files)
      .list("units", S.units, readUnit)
      .list("kernels", Kernels,
            [](const json::Value &Of, KernelPart &Part, json::Path At) {
              return Members(Of, At).get("unit", Part.unit).get("launch", Part.launch).done();
            })
      .list("errors", Errors,
            [](const json::Value &Of, Error &Part, json::Path At) {
              Members OfError(Of, At);
              return end(OfError.get("unit", Part.unit), Part.place).done();
            })
      .list("candidates", S.candidates,
            [&](const json::Value &Of, Candidate &C, json::Path At) {
              return readCandidate(Of, C, R.kernels.size(), At);
            })
      .get("failures", S.failures)
      .get("badSuppressions", S.badSuppressions)
      .get("wholeProject", S.wholeProject)
      .get("filtered", S.filtered)
      .get("checks", S.checks)
      .get("configuration", S.configuration);
  if (!M.done())
    return false;
  if (Kernels.size() != R.kernels.size() || Errors.size() != R.errors.size())
    return complain(P, "is of another report: the numbers of kernels or errors differ");
  for (size_t I = 0; I < Kernels.size(); ++I) {
    R.kernels[I].unit = Kernels[I].unit;
    R.kernels[I].launch = Kernels[I].launch.value_or(Place());
  }
  for (size_t I = 0; I < Errors.size(); ++I) {
    R.errors[I].unit = Errors[I].unit;
    R.errors[I].place.endLine = Errors[I].place.endLine;
    R.errors[I].place.endColumn = Errors[I].place.endColumn;
  }
  return true;
}

bool readBaselineCount(const json::Value &V, BaselineCount &Count, json::Path P) {
  return Members(V, P)
      .get("new", Count.added)
      .get("fixed", Count.fixed)
      .get("remaining", Count.remaining)
      .done();
}

/// The rest of the summary is counted again.
bool readSummary(const json::Value &V, Report &R, json::Path P) {
  Members M(V, P);
  uint64_t Count = 0;
  M.get("files", R.files);
  for (const char *Key : {"kernels", "accesses", "exact", "assumed", "unknown", "findings"})
    M.get(Key, Count);
  M.optional("baseline", [&](const json::Value &Of, json::Path At) {
    return readBaselineCount(Of, R.baseline.emplace(), At);
  });
  return M.done();
}

bool readReport(const json::Value &V, Report &R, std::string &Version, json::Path P) {
  std::string Schema;
  Members M(V, P);
  M.get("schema", Schema)
      .get("version", Version)
      .list("kernels", R.kernels, readKernel)
      .list("findings", R.findings,
            [](const json::Value &Of, Finding &F, json::Path At) {
              return readFinding(Of, F, /*NotesEnd=*/false, At);
            })
      .list("errors", R.errors, readError)
      .with("summary", [&](const json::Value &Of, json::Path At) { return readSummary(Of, R, At); })
      .optional("shard", [&](const json::Value &Of, json::Path At) { return readShard(Of, R, At); });
  return M.done();
}

} // namespace

llvm::Expected<result::Report> warplint::report::readJson(StringRef Text, std::string &Version) {
  llvm::Expected<json::Value> Value = parseJson(Text);
  if (!Value)
    return Value.takeError();
  result::Report Report;
  json::Path::Root Root("report");
  if (!readReport(*Value, Report, Version, Root))
    return Root.getError();
  const std::vector<StringRef> Texts = elementsOf(Text, "kernels");
  if (Texts.size() != Report.kernels.size())
    return llvm::createStringError("report.kernels: is there twice, or spelt in an unusual way");
  for (size_t I = 0; I < Texts.size(); ++I)
    Report.kernels[I].written = Texts[I].str();
  return Report;
}
