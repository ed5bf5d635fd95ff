#include "analyzer/driver/FindingFilter.h"
#include "analyzer/report/ParseJson.h"
#include "rules/CostContract.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Regex.h"

using namespace llvm;
using namespace warplint;
using namespace warplint::driver;

//===-- --line-filter ----------------------------------------------------------===//

static Error wrong(const json::Path::Root &Root) { return Root.getError(); }

static bool readRanges(const json::Value &Value, std::vector<LineRange> &Into, json::Path Where) {
  const json::Array *Pairs = Value.getAsArray();
  if (!Pairs)
    return Where.report("expected a list of pairs of lines"), false;
  for (size_t I = 0; I < Pairs->size(); ++I) {
    const json::Array *Pair = (*Pairs)[I].getAsArray();
    const std::optional<int64_t> First = Pair && Pair->size() == 2 ? (*Pair)[0].getAsInteger() : std::nullopt;
    const std::optional<int64_t> Last = Pair && Pair->size() == 2 ? (*Pair)[1].getAsInteger() : std::nullopt;
    if (!First || !Last || *First < 1 || *Last < *First || *Last > UINT32_MAX)
      return Where.index(unsigned(I)).report("expected two lines from 1 on, the first not after the last"),
             false;
    Into.push_back({unsigned(*First), unsigned(*Last)});
  }
  return true;
}

static bool readFile(const json::Value &Value, FileLines &Into, json::Path Where) {
  const json::Object *Object = Value.getAsObject();
  if (!Object)
    return Where.report("expected an object with a name"), false;
  for (const auto &[Key, Each] : *Object) {
    json::Path Here = Where.field(Key);
    if (Key == "name") {
      if (const std::optional<StringRef> Name = Each.getAsString())
        Into.name = Name->str();
      else
        return Here.report("expected a string"), false;
    } else if (Key != "lines") {
      return Here.report("unknown key: expected name or lines"), false;
    } else if (!readRanges(Each, Into.ranges, Here)) {
      return false;
    }
  }
  return !Into.name.empty() || (Where.report("expected a name that is not empty"), false);
}

Expected<std::vector<FileLines>> warplint::driver::parseLineFilter(StringRef Text) {
  std::vector<FileLines> Result;
  if (Text.trim().empty())
    return Result;
  Expected<json::Value> Value = report::parseJson(Text);
  if (!Value)
    return Value.takeError();
  json::Path::Root Root("filter");
  const json::Array *Files = Value->getAsArray();
  if (!Files) {
    json::Path(Root).report("expected a list of files");
    return wrong(Root);
  }
  for (size_t I = 0; I < Files->size(); ++I) {
    FileLines File;
    if (!readFile((*Files)[I], File, json::Path(Root).index(unsigned(I))))
      return wrong(Root);
    Result.push_back(std::move(File));
  }
  return Result;
}

//===-- What passes --------------------------------------------------------------===//

namespace {

/// Real names, each looked up once.
class RealNames {
public:
  const std::string &of(StringRef File) {
    auto [At, New] = Known.try_emplace(File);
    if (New) {
      SmallString<256> Real;
      At->second = sys::fs::real_path(File, Real) ? File.str() : std::string(Real);
    }
    return At->second;
  }

private:
  StringMap<std::string> Known;
};

/// As clang-tidy has it: the first file whose name fits decides.
bool passes(const result::Place &P, const std::vector<FileLines> &Files) {
  const auto File = find_if(Files, [&](const FileLines &F) { return StringRef(P.file).ends_with(F.name); });
  if (File == Files.end())
    return false;
  return File->ranges.empty() || LineSet{false, File->ranges}.overlaps(P.line, std::max(P.line, P.endLine));
}

bool touches(const result::Place &P, const ChangedLines &Changed, RealNames &Names) {
  if (!P.valid())
    return false;
  const auto At = Changed.find(Names.of(P.file));
  return At != Changed.end() && At->second.overlaps(P.line, std::max(P.line, P.endLine));
}

} // namespace

Error warplint::driver::checkRegex(StringRef Text) {
  std::string Problem;
  if (Text.empty() || Regex(Text).isValid(Problem))
    return Error::success();
  return createStringError(Problem);
}

bool warplint::driver::showsHeader(const FindingFilter &Filter, StringRef File) {
  if (Filter.headers && (Filter.headers->empty() || !Regex(*Filter.headers).match(File)))
    return false;
  return Filter.excludedHeaders.empty() || !Regex(Filter.excludedHeaders).match(File);
}

void warplint::driver::keepHeaders(std::vector<result::Finding> &Findings, const FindingFilter &Filter,
                                   const std::vector<std::string> &MainFiles) {
  if (!Filter.headers && Filter.excludedHeaders.empty())
    return;
  RealNames Names;
  StringSet<> Main;
  for (const std::string &File : MainFiles)
    Main.insert(Names.of(File));
  erase_if(Findings, [&](const result::Finding &F) {
    return F.place.valid() && !Main.contains(Names.of(F.place.file)) && !showsHeader(Filter, F.place.file);
  });
}

void warplint::driver::keepLines(std::vector<result::Finding> &Findings, const FindingFilter &Filter) {
  RealNames Names;
  erase_if(Findings, [&](const result::Finding &F) {
    if (F.rule == rules::CostContractName)
      return false;
    if (!Filter.lines.empty() && !passes(F.place, Filter.lines))
      return true;
    return Filter.changed && !touches(F.place, *Filter.changed, Names) &&
           none_of(F.notes, [&](const result::Note &N) { return touches(N.place, *Filter.changed, Names); });
  });
}
