//===-- Help.cpp - The options, for people and their shells ----------------------===//
//
// --help, the manual page and the shells' completions are made of the same data: the options as they are
// declared. Nothing has to be kept in step by hand but the table of groups.
//
//===----------------------------------------------------------------------===//
#include "tools/warplint/Help.h"
#include "rules/Rules.h"
#include "tools/options/ManualOptions.h"
#include "tools/options/Options.h"
#include "tools/warplint/ReportOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include <deque>
#include <map>

using namespace llvm;
using namespace warplint;
using namespace warplint::options;

namespace {

enum class Shell { None, Bash, Zsh, Fish };

cl::opt<Shell>
    Completion("completion", cl::desc("Print the completion of a shell, e.g. for ~/.bashrc"),
               cl::init(Shell::None), cl::value_desc("SHELL"),
               cl::values(clEnumValN(Shell::Bash, "bash", "source <(warplint --completion=bash)"),
                          clEnumValN(Shell::Zsh, "zsh", "_warplint, for a folder of $fpath"),
                          clEnumValN(Shell::Fish, "fish", "warplint.fish, for ~/.config/fish/completions")),
               cl::cat(Category));
/// Known to LLVM by its address.
struct Group {
  Group(StringRef Name, std::vector<StringRef> Names) : category(Name), names(std::move(Names)) {}
  Group(const Group &) = delete;

  cl::OptionCategory category;
  std::vector<StringRef> names;
};

/// An option that is in none stays under "warplint options", where a test finds it.
std::deque<Group> &groups() {
  static std::deque<Group> All;
  if (!All.empty())
    return All;
  All.emplace_back("Cache", std::vector<StringRef>{"cache-dir", "no-cache", "no-result-cache"});
  All.emplace_back("Checks",
                   std::vector<StringRef>{"checks", "config", "config-file", "dump-config", "expect",
                                          "explain", "fail-on-errors", "list-checks",
                                          "report-unused-suppressions", "verify-config",
                                          "warnings-as-errors"});
  All.emplace_back("Fixes", std::vector<StringRef>{"export-fixes", "fix", "fix-diff", "show-fixes", "unsafe-fixes"});
  All.emplace_back("GPU",
                   std::vector<StringRef>{"arch", "cache-hit", "gpu", "list-gpus", "ptxas-log", "registers"});
  All.emplace_back("Input",
                   std::vector<StringRef>{"cuda-path", "extra-arg", "extra-arg-before", "file-time-limit",
                                          "j", "launcher", "no-cuda", "p", "shard"});
  All.emplace_back("Launches and sizes", std::vector<StringRef>{"assume", "block"});
  All.emplace_back("Output", std::vector<StringRef>{"completion", "dependency-file", "explain-access",
                                                    "format", "output", "quiet", "report", "use-color"});
  All.emplace_back("Which findings",
                   std::vector<StringRef>{"baseline", "diff", "exclude-header-filter", "header-filter",
                                          "line-filter", "write-baseline"});
  return All;
}

std::vector<std::string> choicesOf(StringRef Name) {
  std::vector<std::string> Names;
  if (Name == "format")
    Names = formatNames();
  else if (Name == "completion")
    Names = {"bash", "zsh", "fish"};
  else if (is_contained({"checks", "explain", "warnings-as-errors"}, Name))
    for (const rules::Rule &R : rules::all())
      Names.emplace_back(R.name);
  return Names;
}

std::vector<Shown> shownOptions() { return options::shownOptions(choicesOf); }

/// Puts a backslash in front of each of some characters.
std::string escaped(StringRef Text, StringRef Characters) {
  std::string Result;
  for (char C : Text) {
    if (Characters.contains(C))
      Result += '\\';
    Result += C;
  }
  return Result;
}

/// For a word in single quotes.
std::string quoted(StringRef Text) {
  std::string Result = "'";
  for (char C : Text)
    Result += C == '\'' ? std::string("'\\''") : std::string(1, C);
  return Result + "'";
}

void writeBash(raw_ostream &OS) {
  OS << "# bash completion of warplint\n_warplint() {\n"
        "  local line=${COMP_LINE:0:COMP_POINT} word value before=\n"
        "  word=${line##*[[:space:]]}\n"
        "  value=${word#*=}\n"
        "  # What stands in front of the '=' is a word of its own where '=' breaks words, as it usually "
        "does.\n"
        "  [[ $COMP_WORDBREAKS == *=* ]] || before=${word%\"$value\"}\n"
        "  COMPREPLY=()\n"
        "  case $word in\n";
  std::string Files, Folders, Words = "merge";
  for (const Shown &S : shownOptions()) {
    Words += " " + S.dashed() + (S.takesValue() && S.name.size() > 1 ? "=" : "");
    if (S.name.size() == 1)
      continue; // its value is a word of its own
    if (!S.choices.empty())
      OS << "    " << S.dashed() << "=*) COMPREPLY=($(compgen -P \"$before\" -W '" << join(S.choices, " ")
         << "' -- \"$value\")) ;;\n";
    else if (S.wantsFolder())
      Folders += (Folders.empty() ? "" : " | ") + S.dashed() + "=*";
    else if (S.wantsFile())
      Files += (Files.empty() ? "" : " | ") + S.dashed() + "=*";
  }
  OS << "    " << Folders
     << ") compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -P \"$before\" -d -- \"$value\")) ;;\n"
     << "    " << Files
     << ") compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -P \"$before\" -f -- \"$value\")) ;;\n"
     << "    --*=*) ;;\n"
     << "    -*)\n      COMPREPLY=($(compgen -W '" << Words << "' -- \"$word\"))\n"
     << "      [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null\n      ;;\n"
     << "    *)\n      compopt -o filenames 2>/dev/null\n"
        "      mapfile -t COMPREPLY < <(compgen -f -X '!*.cu' -- \"$word\"; compgen -f -X '!*.cuh' -- \"$word\"; compgen -d -- \"$word\")\n"
        "      [[ ${COMP_CWORD} == 1 && merge == \"$word\"* ]] && COMPREPLY+=(merge)\n      ;;\n"
        "  esac\n  return 0\n}\n"
        "complete -o bashdefault -F _warplint warplint\n";
}

void writeZsh(raw_ostream &OS) {
  OS << "#compdef warplint\n# zsh completion of warplint\n_arguments -S \\\n";
  for (const Shown &S : shownOptions()) {
    std::string Spec =
        S.dashed() + (S.takesValue() && S.name.size() > 1 ? "=" : "") + "[" + escaped(S.help, "[]\\:") + "]";
    if (S.takesValue()) {
      Spec += ":" + escaped(S.value, ":\\") + ":";
      if (!S.choices.empty())
        Spec += "(" + join(S.choices, " ") + ")";
      else if (S.wantsFolder())
        Spec += "_files -/";
      else if (S.wantsFile())
        Spec += "_files";
      else
        Spec += " "; // something that cannot be listed
    }
    OS << "  " << quoted(Spec) << " \\\n";
  }
  OS << "  " << quoted("*:CUDA file:_files -g \"*.(cu|cuh)(-.)\"") << '\n';
}

void writeFish(raw_ostream &OS) {
  OS << "# fish completion of warplint\n"
        "complete -c warplint -n __fish_use_subcommand -a merge -d 'Put reports together'\n";
  for (const Shown &S : shownOptions()) {
    OS << "complete -c warplint " << (S.name.size() == 1 ? "-s " : "-l ") << S.name;
    if (!S.choices.empty())
      OS << " -x -a " << quoted(join(S.choices, " "));
    else if (S.wantsFolder())
      OS << " -x -a '(__fish_complete_directories)'";
    else if (S.wantsFile())
      OS << " -r -F";
    else if (S.takesValue())
      OS << " -x";
    // In single quotes, fish takes these two alone as special.
    OS << " -d '" << escaped(S.help, "\\'") << "'\n";
  }
}

} // namespace

void options::groupOptions() {
  const auto &Known = cl::getRegisteredOptions();
  std::vector<const cl::OptionCategory *> Ours = {&Category};
  for (Group &G : groups()) {
    Ours.push_back(&G.category);
    for (StringRef Name : G.names)
      if (auto At = Known.find(Name); At != Known.end())
        At->second->Categories = {&G.category};
  }
  cl::HideUnrelatedOptions(Ours);
  cl::HideUnrelatedOptions(Ours, mergeCommand());
}

bool options::writeOptionTexts(raw_ostream &OS) {
  switch (Completion) {
  case Shell::Bash:
    writeBash(OS);
    return true;
  case Shell::Zsh:
    writeZsh(OS);
    return true;
  case Shell::Fish:
    writeFish(OS);
    return true;
  case Shell::None:
    break;
  }
  return writeManualOptions(OS, choicesOf);
}
