#include "tools/options/ManualOptions.h"
#include "tools/options/Options.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include <map>

using namespace llvm;
using namespace warplint;
using namespace warplint::options;

static Opt<bool> ManualOptions("manual-options", cl::desc("Print the options as the manual page has them"),
                               cl::Hidden, cl::cat(Category));

std::vector<Shown> options::shownOptions(ChoicesOf Choices) {
  std::map<std::string, Shown> ByName;
  for (const auto &[Name, Option] : cl::getRegisteredOptions()) {
    if (Option->getOptionHiddenFlag() != cl::NotHidden)
      continue;
    Shown S;
    S.name = Name.str();
    S.help = Option->HelpStr.str();
    S.choices = Choices(Name);
    S.group = Option->Categories.front()->getName().str();
    if (Option->getValueExpectedFlag() == cl::ValueRequired)
      S.value = Option->ValueStr.empty() ? "VALUE" : Option->ValueStr.str();
    ByName.emplace(S.name, std::move(S));
  }
  std::vector<Shown> Result;
  for (auto &[Name, S] : ByName)
    Result.push_back(std::move(S));
  return Result;
}

/// Text in the language of manual pages.
static std::string roff(StringRef Text) {
  std::string Result;
  for (char C : Text)
    if (C == '\\')
      Result += "\\e";
    else if (C == '-')
      Result += "\\-";
    else if (C == '\'')
      Result += "\\(aq";
    else
      Result += C;
  if (StringRef(Result).starts_with("."))
    Result.insert(0, "\\&");
  return Result;
}

bool options::writeManualOptions(raw_ostream &OS, ChoicesOf Choices) {
  if (!ManualOptions)
    return false;
  std::map<std::string, std::vector<Shown>> ByGroup;
  for (Shown &S : shownOptions(Choices))
    ByGroup[S.group].push_back(std::move(S));
  for (const auto &[Group, Members] : ByGroup) {
    OS << ".SS " << (StringRef(Group).contains(' ') ? '"' + Group + '"' : Group) << '\n';
    for (const Shown &S : Members) {
      OS << ".TP\n\\fB" << roff(S.dashed()) << "\\fR";
      if (S.takesValue())
        OS << (S.name.size() > 1 ? "=" : " ") << "\\fI" << roff(S.value) << "\\fR";
      OS << '\n' << roff(S.help);
      if (S.name == "format")
        OS << ": " << roff(join(S.choices, ", "));
      OS << '\n';
    }
  }
  return true;
}
