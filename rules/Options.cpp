#include "rules/Options.h"
#include "rules/Rules.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/YAMLParser.h"
#include <cassert>

using namespace llvm;

namespace warplint::rules {

static constexpr StringRef SeverityName = "Severity";

static const OptionInfo *find(ArrayRef<OptionInfo> Known, StringRef Name) {
  const auto *At = find_if(Known, [&](const OptionInfo &I) { return Name == I.name; });
  return At == Known.end() ? nullptr : At;
}

int64_t Values::operator[](StringRef Name) const {
  if (auto At = Set.find(Name); At != Set.end())
    return At->second;
  const OptionInfo *Info = rules::find(Known, Name);
  assert(Info && "a rule asks for an option that its table does not have");
  return Info ? Info->preset : 0;
}

Options::Options() {
  for (const Rule &R : all())
    ByRule.emplace_back(R.options);
}

static size_t indexOf(const Rule &R) {
  for (size_t I = 0; I != all().size(); ++I)
    if (StringRef(all()[I].name) == R.name)
      return I;
  llvm_unreachable("a rule that is in no table");
}

const Values &Options::of(const Rule &R) const { return ByRule[indexOf(R)]; }

StringRef nearest(StringRef Name, ArrayRef<StringRef> Known) {
  StringRef Best;
  unsigned Least = unsigned(Name.size()) / 2 + 1;
  for (StringRef Candidate : Known)
    if (unsigned Distance = Name.edit_distance(Candidate, /*AllowReplacements=*/true, Least);
        Distance < Least)
      Least = Distance, Best = Candidate;
  return Best;
}

static std::string didYouMean(StringRef Name, ArrayRef<StringRef> Known, const Twine &Otherwise) {
  const StringRef Near = nearest(Name, Known);
  return Near.empty() ? ("; " + Otherwise).str() : ("; did you mean '" + Near + "'?").str();
}

static std::vector<StringRef> optionNames(const Rule &R) {
  std::vector<StringRef> Names{SeverityName};
  for (const OptionInfo &I : R.options)
    Names.push_back(I.name);
  return Names;
}

static std::optional<int64_t> valueOf(const OptionInfo &Info, StringRef Text) {
  if (Info.isFlag)
    if (std::optional<bool> Flag = yaml::parseBool(Text))
      return *Flag;
  int64_t Value;
  if (!to_integer(Text, Value, 10) || Value < Info.least || Value > Info.most)
    return std::nullopt;
  return Value;
}

Error Options::set(StringRef Key, StringRef Value) {
  auto [Check, Name] = Key.split('.');
  const Rule *R = rules::find(std::string_view(Check.data(), Check.size()));
  if (!R || Name.empty()) {
    std::vector<StringRef> Checks;
    for (const Rule &Each : all())
      Checks.push_back(Each.name);
    if (R)
      return createStringError("option '" + Key + "' of check '" + Check +
                               "' has no name; expected CHECK.OPTION");
    return createStringError("unknown check '" + Check + "' in option '" + Key + "'" +
                             didYouMean(Check, Checks, "--list-checks shows all"));
  }
  Values &Of = ByRule[indexOf(*R)];
  if (Name == SeverityName) {
    std::optional<result::Severity> Severity;
    if (Value != "default") {
      Severity = StringSwitch<std::optional<result::Severity>>(Value)
                     .Case("note", result::Severity::Note)
                     .Case("warning", result::Severity::Warning)
                     .Case("error", result::Severity::Error)
                     .Default(std::nullopt);
      if (!Severity)
        return createStringError("'" + Value + "' is no value for '" + Key +
                                 "'; expected note, warning, error or default");
    }
    Of.severity = Severity;
    return Error::success();
  }
  const OptionInfo *Info = find(R->options, Name);
  if (!Info)
    return createStringError("check '" + Twine(R->name) + "' has no option '" + Name + "'" +
                             didYouMean(Name, optionNames(*R), "it has " + join(optionNames(*R), ", ")));
  const std::optional<int64_t> Number = valueOf(*Info, Value);
  if (!Number)
    return createStringError("'" + Value + "' is no value for '" + Key + "'; expected " +
                             (Info->isFlag
                                  ? std::string("true or false")
                                  : "a number from " + itostr(Info->least) + " to " + itostr(Info->most)));
  Of.Set[Info->name] = *Number;
  return Error::success();
}

std::vector<std::pair<std::string, std::string>> Options::list() const {
  std::vector<std::pair<std::string, std::string>> Result;
  for (size_t I = 0; I != all().size(); ++I) {
    const Rule &R = all()[I];
    const Values &Of = ByRule[I];
    for (const OptionInfo &Info : R.options) {
      const int64_t Value = Of[Info.name];
      Result.emplace_back((Twine(R.name) + "." + Info.name).str(), !Info.isFlag ? itostr(Value)
                                                                   : Value      ? "true"
                                                                                : "false");
    }
    Result.emplace_back((Twine(R.name) + "." + SeverityName).str(),
                        Of.severity ? result::spelling(*Of.severity) : "default");
  }
  return Result;
}

} // namespace warplint::rules
