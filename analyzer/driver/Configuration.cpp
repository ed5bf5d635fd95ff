#include "analyzer/driver/Configuration.h"
#include "analyzer/model/Gpu.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"
#include <set>

using namespace llvm;
using namespace warplint;
using namespace warplint::driver;

void Configuration::mergeWith(const Configuration &Nearer) {
  const auto Join = [](std::optional<std::string> &Into, const std::optional<std::string> &Globs) {
    if (Globs && !Globs->empty())
      Into = Into && !Into->empty() ? *Into + "," + *Globs : *Globs;
  };
  const auto Replace = [](auto &Into, const auto &By) {
    if (By)
      Into = By;
  };
  Join(checks, Nearer.checks);
  Join(warningsAsErrors, Nearer.warningsAsErrors);
  Replace(headerFilter, Nearer.headerFilter);
  Replace(excludeHeaderFilter, Nearer.excludeHeaderFilter);
  Replace(useColor, Nearer.useColor);
  Replace(gpu, Nearer.gpu);
  append_range(extraArgs, Nearer.extraArgs);
  append_range(extraArgsBefore, Nearer.extraArgsBefore);
  kernels.insert(kernels.begin(), Nearer.kernels.begin(), Nearer.kernels.end());
  for (const auto &[Key, Value] : Nearer.checkOptions)
    checkOptions[Key] = Value;
  for (const auto &[Key, Value] : Nearer.assume)
    assume[Key] = Value;
  inheritParent = Nearer.inheritParent;
}

//===-- Reading ------------------------------------------------------------===//

namespace {

constexpr size_t MostBytes = 1 << 20; ///< of a configuration: more is some other file
constexpr size_t MostErrors = 20;     ///< said of one configuration

/// May the regular expression library be asked? It writes out every repetition `{m,n}`, those inside others
/// too.
bool repeatsTooMuch(StringRef Regex) {
  constexpr uint64_t Most = 1000000;
  uint64_t Product = 1;
  while (!Regex.empty()) {
    Regex = Regex.drop_until([](char C) { return C == '{'; }).drop_front(Regex.contains('{') ? 1 : 0);
    const StringRef Bounds = Regex.take_until([](char C) { return C == '}'; });
    uint64_t Bound;
    if (Bounds.rsplit(',').second.getAsInteger(10, Bound) && Bounds.split(',').first.getAsInteger(10, Bound))
      continue;
    Product *= std::clamp<uint64_t>(Bound, 1, Most);
    if (Product > Most)
      return true;
  }
  return false;
}

/// Walks the YAML by what is expected where. After a node of another kind nothing more is read: to step over
/// what is nested without end would take a stack without end.
class Reader {
public:
  Reader(StringRef Text, StringRef Name, std::vector<std::string> &Errors)
      : Whole(Text), Name(Name), Errors(Errors), Input(Text, Sources, /*ShowColors=*/false) {
    Sources.setDiagHandler(
        [](const SMDiagnostic &D, void *Self) {
          auto *R = static_cast<Reader *>(Self);
          const unsigned Line = unsigned(std::max(D.getLineNo(), 1)),
                         Column = unsigned(std::max(D.getColumnNo(), 0)) + 1;
          if (R->Reported.insert({Line, Column}).second) // some things are said twice
            R->error(Line, Column, "this is no YAML: " + D.getMessage());
        },
        this);
  }

  Configuration read() {
    yaml::document_iterator Document = Input.begin();
    if (Document == Input.end())
      return std::move(Result);
    yaml::Node *Root = Document->getRoot();
    if (!Root || Input.failed())
      return std::move(Result);
    if (!isa<yaml::NullNode>(Root))
      mapping(Root, "a configuration is a mapping of keys to values, like 'Checks: -global-gather'",
              [&](const Entry &E) { topLevel(E); });
    if (Stopped || Input.failed())
      return std::move(Result);
    if (++Document != Input.end() && Document->getRoot() && !isa<yaml::NullNode>(Document->getRoot()))
      error(Document->getRoot(), "a second document; a configuration is one");
    return std::move(Result);
  }

private:
  /// One key of a mapping with its value.
  struct Entry {
    yaml::ScalarNode *keyNode;
    std::string key;
    yaml::Node *value;
  };

  //--- Errors

  void error(unsigned Line, unsigned Column, const Twine &Message) {
    if (Told++ < MostErrors)
      Errors.push_back((Name + ":" + Twine(Line) + ":" + Twine(Column) + ": " + Message).str());
    else
      Stopped = true;
  }

  void error(SMLoc At, const Twine &Message) {
    const auto [Line, Column] = isInText(At) ? Sources.getLineAndColumn(At) : std::pair(1u, 1u);
    error(Line, Column, Message);
  }
  void error(yaml::Node *Node, const Twine &Message) { error(startOf(Node), Message); }

  /// Nodes at a place that is no YAML have a range elsewhere.
  bool isInText(SMLoc At) const {
    return At.isValid() && Whole.begin() <= At.getPointer() && At.getPointer() <= Whole.end();
  }

  /// The range of `[...]` and `{...}` starts behind the bracket: this is where the bracket is.
  SMLoc startOf(yaml::Node *Node) {
    const SMLoc Start = Node->getSourceRange().Start;
    if (!isInText(Start) || !isa<yaml::MappingNode, yaml::SequenceNode>(Node))
      return Start;
    const StringRef Before = Whole.take_front(size_t(Start.getPointer() - Whole.data())).rtrim();
    return Before.ends_with("[") || Before.ends_with("{") ? SMLoc::getFromPointer(Before.end() - 1) : Start;
  }

  /// A node of a kind that has no place here.
  void stop(yaml::Node *Node, const Twine &Message) {
    if (!Input.failed())
      error(Node, isa<yaml::AliasNode>(Node)
                      ? Twine("aliases ('*name') are not supported; write the value again")
                      : Message);
    Stopped = true;
  }

  static std::string didYouMean(StringRef Word, ArrayRef<StringRef> Known) {
    const StringRef Near = rules::nearest(Word, Known);
    return Near.empty() ? "; expected " + join(Known, ", ") : ("; did you mean '" + Near + "'?").str();
  }

  //--- Nodes

  std::optional<std::string> scalar(yaml::Node *Node, const Twine &Expected) {
    if (auto *Block = dyn_cast<yaml::BlockScalarNode>(Node))
      return Block->getValue().str();
    auto *Scalar = dyn_cast<yaml::ScalarNode>(Node);
    if (!Scalar) {
      stop(Node, Expected);
      return std::nullopt;
    }
    SmallString<64> Storage;
    std::string Text = Scalar->getValue(Storage).str();
    if (Input.failed()) // of an escape that is none
      return std::nullopt;
    return Text;
  }

  template <typename Function> void mapping(yaml::Node *Node, const Twine &Expected, Function Use) {
    auto *Map = dyn_cast<yaml::MappingNode>(Node);
    if (!Map)
      return stop(Node, Expected);
    std::set<std::string> Seen;
    for (auto It = Map->begin(); It != Map->end(); ++It) {
      yaml::Node *Key = It->getKey();
      if (Input.failed() || !Key)
        return;
      auto *Scalar = dyn_cast<yaml::ScalarNode>(Key);
      if (!Scalar)
        return stop(Key, "a key must be a word");
      SmallString<64> Storage;
      Entry E{Scalar, Scalar->getValue(Storage).str(), It->getValue()};
      if (Input.failed() || !E.value)
        return;
      if (!Seen.insert(E.key).second)
        error(Key, "'" + E.key + "' is there twice");
      Use(E);
      if (Stopped || Input.failed())
        return;
    }
  }

  template <typename Function> void sequence(yaml::Node *Node, const Twine &Expected, Function Use) {
    auto *List = dyn_cast<yaml::SequenceNode>(Node);
    if (!List)
      return stop(Node, Expected);
    for (auto It = List->begin(); It != List->end(); ++It) {
      Use(&*It);
      if (Stopped || Input.failed())
        return;
    }
  }

  std::optional<int64_t> number(yaml::Node *Node, const Twine &What, int64_t Least, int64_t Most) {
    const std::string Range = "a whole number from " + itostr(Least) + " to " + itostr(Most);
    const std::optional<std::string> Text = scalar(Node, What + " is " + Range);
    int64_t Value;
    if (!Text)
      return std::nullopt;
    if (StringRef(*Text).getAsInteger(0, Value) || Value < Least || Value > Most) {
      error(Node, What + " is " + Range + ", not '" + *Text + "'");
      return std::nullopt;
    }
    return Value;
  }

  std::optional<bool> flag(const Entry &E) {
    const std::string Expected = "'" + E.key + "' is true or false";
    const std::optional<std::string> Text = scalar(E.value, Expected);
    if (!Text)
      return std::nullopt;
    const std::optional<bool> Value = yaml::parseBool(*Text);
    if (!Value)
      error(E.value, Expected + ", not '" + *Text + "'");
    return Value;
  }

  std::vector<std::string> words(const Entry &E) {
    std::vector<std::string> Words;
    sequence(E.value, "'" + E.key + "' is a list of strings, like [-DNDEBUG, -Iinclude]",
             [&](yaml::Node *Item) {
               if (auto Text = scalar(Item, "'" + E.key + "' is a list of strings"))
                 Words.push_back(*Text);
             });
    return Words;
  }

  //--- Keys

  void unknown(const Entry &E, ArrayRef<StringRef> Known) {
    static constexpr StringRef OfClangTidy[] = {
        "SystemHeaders", "FormatStyle",          "User",
        "RemovedArgs",   "HeaderFileExtensions", "ImplementationFileExtensions",
        "CustomChecks"};
    if (is_contained(OfClangTidy, StringRef(E.key)))
      error(E.keyNode, "'" + E.key + "' is a key of clang-tidy that warplint does not have; take it out");
    else
      error(E.keyNode, "unknown key '" + E.key + "'" + didYouMean(E.key, Known));
    if (!isa<yaml::ScalarNode, yaml::NullNode>(E.value))
      Stopped = true; // what it holds may be nested without end
  }

  void topLevel(const Entry &E) {
    static constexpr StringRef Known[] = {"Checks",
                                          "WarningsAsErrors",
                                          "HeaderFilterRegex",
                                          "ExcludeHeaderFilterRegex",
                                          "CheckOptions",
                                          "InheritParentConfig",
                                          "ExtraArgs",
                                          "ExtraArgsBefore",
                                          "UseColor",
                                          "Kernels",
                                          "Assume",
                                          "GPU"};
    const StringRef Key = E.key;
    if (!is_contained(Known, Key))
      return unknown(E, Known);
    if (isa<yaml::NullNode>(E.value))
      return; // a key whose list is commented out
    if (Key == "Checks")
      Result.checks = globs(E);
    else if (Key == "WarningsAsErrors")
      Result.warningsAsErrors = globs(E);
    else if (Key == "HeaderFilterRegex")
      Result.headerFilter = regex(E);
    else if (Key == "ExcludeHeaderFilterRegex")
      Result.excludeHeaderFilter = regex(E);
    else if (Key == "CheckOptions")
      checkOptions(E);
    else if (Key == "InheritParentConfig")
      Result.inheritParent = flag(E).value_or(false);
    else if (Key == "UseColor")
      Result.useColor = flag(E);
    else if (Key == "ExtraArgs")
      Result.extraArgs = words(E);
    else if (Key == "ExtraArgsBefore")
      Result.extraArgsBefore = words(E);
    else if (Key == "Kernels")
      sequence(E.value, "'Kernels' is a list, like [{name: 'turn*', block: [32, 8]}]",
               [&](yaml::Node *Item) { kernelEntry(Item); });
    else if (Key == "Assume")
      mapping(E.value, "'Assume' is a mapping, like {n: 1024, 'turn:rows': 32}",
              [&](const Entry &Given) { assumption(Given); });
    else
      gpu(E);
  }

  /// Where a word stands inside a node; the node's start where that cannot be told.
  SMLoc placeOf(yaml::Node *Node, StringRef Word) {
    const SMRange Range = Node->getSourceRange();
    if (!isInText(Range.Start) || !isInText(Range.End) || Range.End.getPointer() < Range.Start.getPointer())
      return Range.Start;
    const StringRef Source(Range.Start.getPointer(),
                           size_t(Range.End.getPointer() - Range.Start.getPointer()));
    const size_t At = Source.find(Word);
    return At == StringRef::npos ? Range.Start : SMLoc::getFromPointer(Source.data() + At);
  }

  void checkGlobs(yaml::Node *Node, const std::string &Globs) {
    std::vector<std::string> Unmatched;
    rules::Selection(Globs, &Unmatched);
    std::vector<StringRef> Checks;
    for (const rules::Rule &R : rules::all())
      Checks.push_back(R.name);
    for (StringRef Glob : Unmatched) {
      if (Stopped)
        return;
      const StringRef Check = Glob.ltrim("- \t");
      const StringRef Near = rules::nearest(Check, Checks);
      error(placeOf(Node, Check),
            "unknown check '" + Check + "'" +
                (Near.empty() ? Twine("; --list-checks shows all") : "; did you mean '" + Near + "'?"));
    }
  }

  std::optional<std::string> globs(const Entry &E) {
    const std::string Expected =
        "'" + E.key + "' is a string of globs with commas between them, or a list of globs";
    std::string All;
    const auto Add = [&](yaml::Node *Node) {
      if (auto Text = scalar(Node, Expected)) {
        checkGlobs(Node, *Text);
        All += (All.empty() ? "" : ",") + *Text;
      }
    };
    if (isa<yaml::SequenceNode>(E.value))
      sequence(E.value, Expected, Add);
    else
      Add(E.value);
    return All;
  }

  std::optional<std::string> regex(const Entry &E) {
    std::optional<std::string> Text = scalar(E.value, "'" + E.key + "' is a regular expression");
    std::string Problem;
    if (Text && repeatsTooMuch(*Text))
      error(E.value, "'" + *Text + "' repeats too much");
    else if (Text && !Regex(*Text).isValid(Problem))
      error(E.value, "'" + *Text + "' is no regular expression: " + Problem);
    return Text;
  }

  void checkOption(yaml::Node *KeyNode, const std::string &Key, yaml::Node *Value) {
    const std::optional<std::string> Text = scalar(Value, "the value of '" + Key + "' is a number or a word");
    if (!Text)
      return;
    rules::Options Trial;
    if (Error Problem = Trial.set(Key, *Text)) {
      const std::string Message = toString(std::move(Problem));
      error(StringRef(Message).starts_with("'" + *Text + "' is no value") ? Value : KeyNode, Message);
    }
    // The prefix that checks have inside clang-tidy is no part of their name.
    Result.checkOptions[StringRef(Key).starts_with("warplint-") ? Key.substr(9) : Key] = *Text;
  }

  void checkOptions(const Entry &E) {
    if (!isa<yaml::SequenceNode>(E.value))
      return mapping(E.value,
                     "'CheckOptions' is a mapping, like {shared-bank-conflict.MinWays: 4}, or a list of "
                     "{key: ..., value: ...}",
                     [&](const Entry &Option) { checkOption(Option.keyNode, Option.key, Option.value); });
    sequence(E.value, "", [&](yaml::Node *Item) {
      yaml::Node *KeyNode = nullptr, *Value = nullptr;
      std::string Key;
      mapping(Item, "each of the list 'CheckOptions' is {key: ..., value: ...}", [&](const Entry &Half) {
        // The value may stand before the key, and a node can be read once only.
        if (Half.key == "key") {
          KeyNode = Half.value;
          Key = scalar(Half.value, "'key' is the name of an option").value_or("");
        } else if (Half.key == "value") {
          Value = Half.value;
          if (!isa<yaml::ScalarNode, yaml::BlockScalarNode>(Value))
            stop(Value, "'value' is a number or a word");
        } else {
          unknown(Half, {"key", "value"});
        }
      });
      if (Stopped || Input.failed())
        return;
      if (!KeyNode || !Value)
        return error(Item, "each of the list 'CheckOptions' is {key: ..., value: ...}");
      checkOption(KeyNode, Key, Value);
    });
  }

  /// Up to three numbers; the others are 1.
  template <typename T>
  std::optional<std::array<T, 3>> extents(const Entry &E, std::array<int64_t, 3> Most, StringRef Example) {
    const std::string Expected = "'" + E.key + "' is a list of one to three numbers, like " + Example.str();
    std::array<T, 3> Extents{1, 1, 1};
    size_t Count = 0;
    bool Good = true;
    const auto Add = [&](yaml::Node *Item) {
      if (Count == 3) {
        error(Item, Expected);
        return void(Stopped = true);
      }
      const auto Value = number(Item, "an extent of '" + E.key + "'", 1, Most[Count]);
      Good &= Value.has_value();
      Extents[Count++] = T(Value.value_or(1));
    };
    if (isa<yaml::ScalarNode>(E.value))
      Add(E.value);
    else
      sequence(E.value, Expected, Add);
    if (!Good || Stopped || Input.failed())
      return std::nullopt;
    if (Count == 0) {
      error(E.value, Expected);
      return std::nullopt;
    }
    return Extents;
  }

  void kernelEntry(yaml::Node *Item) {
    static constexpr StringRef Known[] = {"name", "block", "grid", "dynamicShared", "registers"};
    kernel::GivenLaunch Given;
    const SMLoc Start = startOf(Item);
    const unsigned Line = isInText(Start) ? Sources.getLineAndColumn(Start).first : 1;
    Given.origin = (sys::path::filename(Name) + ":" + Twine(Line)).str();
    mapping(Item, "each of the list 'Kernels' is a mapping, like {name: 'turn*', block: [32, 8]}",
            [&](const Entry &E) {
              const StringRef Key = E.key;
              if (!is_contained(Known, Key))
                return unknown(E, Known);
              if (isa<yaml::NullNode>(E.value))
                return;
              if (Key == "name") {
                Given.pattern =
                    scalar(E.value, "'name' is a kernel's name or signature, or a glob").value_or("");
                if (Error Problem = GlobPattern::create(Given.pattern).takeError())
                  error(E.value, "'" + Given.pattern + "' is no glob: " + toString(std::move(Problem)));
              } else if (Key == "block") {
                Given.block = extents<unsigned>(E, {1024, 1024, 64}, "[32, 8]");
                if (Given.block && uint64_t((*Given.block)[0]) * (*Given.block)[1] * (*Given.block)[2] > 1024)
                  error(E.value, "a block has at most 1024 threads");
              } else if (Key == "grid") {
                Given.grid = extents<uint64_t>(E, {INT32_MAX, 65535, 65535}, "[64, 64]");
              } else if (Key == "dynamicShared") {
                Given.dynamicShared = number(E.value, "'dynamicShared'", 0, 1 << 20);
              } else if (auto Registers = number(E.value, "'registers'", 1, 255)) {
                Given.registers = unsigned(*Registers);
              }
            });
    if (Stopped || Input.failed())
      return;
    if (Given.pattern.empty())
      error(Item, "a kernel has no 'name': a name, a signature or a glob of either");
    else
      Result.kernels.push_back(std::move(Given));
  }

  void assumption(const Entry &E) {
    const auto [Kernel, Parameter] = StringRef(E.key).rsplit(':');
    if (E.key.empty() || Kernel.empty() || (E.key.find(':') != std::string::npos && Parameter.empty()))
      error(E.keyNode, "'" + E.key + "' names no parameter; expected NAME or KERNEL:NAME");
    const auto Value = number(E.value, "the value of '" + E.key + "'", INT64_MIN, INT64_MAX);
    if (Value)
      Result.assume[E.key] = *Value;
  }

  void gpu(const Entry &E) {
    Result.gpu = scalar(E.value, "'GPU' is the name of a GPU, like 'A100'");
    if (!Result.gpu)
      return;
    if (Error Problem = model::parseGpu(*Result.gpu).takeError())
      error(E.value, toString(std::move(Problem)));
  }

  const StringRef Whole, Name;
  std::vector<std::string> &Errors;
  std::set<std::pair<unsigned, unsigned>> Reported; ///< where the text is no YAML
  SourceMgr Sources;
  yaml::Stream Input;
  Configuration Result;
  size_t Told = 0; ///< errors
  bool Stopped = false;
};

} // namespace

Configuration warplint::driver::readConfiguration(StringRef Text, StringRef Name,
                                                  std::vector<std::string> &Errors) {
  const auto Refuse = [&](const Twine &Why) {
    Errors.push_back((Name + ":1:1: " + Why).str());
    return Configuration();
  };
  Text.consume_front("\xef\xbb\xbf");
  if (Text.size() > MostBytes)
    return Refuse("more than 1 MiB: this is no configuration");
  const auto *Bytes = reinterpret_cast<const UTF8 *>(Text.data());
  if (Text.contains('\0') || !isLegalUTF8String(&Bytes, Bytes + Text.size()))
    return Refuse("this is no text in UTF-8; save it as such");
  return Reader(Text, Name, Errors).read();
}

//===-- Writing ------------------------------------------------------------===//

/// A string in quotes: whatever it holds, it is read back as the string that it is.
static std::string quoted(StringRef Text) {
  if (all_of(Text, [](char C) { return isPrint(C); })) {
    std::string Result = "'";
    for (char C : Text)
      Result += C == '\'' ? "''" : std::string(1, C);
    return Result + "'";
  }
  return "\"" + yaml::escape(Text, /*EscapePrintable=*/false) + "\"";
}

template <typename T> static std::string list(const T &Items) {
  std::string Text;
  for (uint64_t Item : Items)
    Text += (Text.empty() ? "" : ", ") + utostr(Item);
  return "[" + Text + "]";
}

static void dumpKernels(raw_ostream &OS, ArrayRef<kernel::GivenLaunch> Kernels) {
  if (!Kernels.empty())
    OS << "Kernels:\n";
  for (const kernel::GivenLaunch &Given : Kernels) {
    OS << "  - name: " << quoted(Given.pattern) << '\n';
    if (Given.block)
      OS << "    block: " << list(*Given.block) << '\n';
    if (Given.grid)
      OS << "    grid: " << list(*Given.grid) << '\n';
    if (Given.dynamicShared)
      OS << "    dynamicShared: " << *Given.dynamicShared << '\n';
    if (Given.registers)
      OS << "    registers: " << *Given.registers << '\n';
  }
}

static rules::Options optionsOf(const Configuration &C) {
  rules::Options Options;
  for (const auto &[Key, Value] : C.checkOptions)
    consumeError(Options.set(Key, Value)); // said when it was read
  return Options;
}

std::string warplint::driver::dump(const Configuration &C) {
  std::string Text;
  raw_string_ostream OS(Text);
  const auto Scalar = [&](StringRef Key, const std::optional<std::string> &Value) {
    if (Value)
      OS << Key << ": " << quoted(*Value) << '\n';
  };
  const auto Words = [&](StringRef Key, const std::vector<std::string> &Items) {
    if (!Items.empty())
      OS << Key << ":\n";
    for (const std::string &Item : Items)
      OS << "  - " << quoted(Item) << '\n';
  };
  OS << "---\n";
  OS << "Checks: " << quoted(C.checks.value_or("")) << '\n';
  OS << "WarningsAsErrors: " << quoted(C.warningsAsErrors.value_or("")) << '\n';
  Scalar("HeaderFilterRegex", C.headerFilter);
  Scalar("ExcludeHeaderFilterRegex", C.excludeHeaderFilter);
  OS << "CheckOptions:\n";
  for (const auto &[Key, Value] : optionsOf(C).list())
    OS << "  " << Key << ": " << quoted(Value) << '\n';
  Words("ExtraArgs", C.extraArgs);
  Words("ExtraArgsBefore", C.extraArgsBefore);
  if (C.useColor)
    OS << "UseColor: " << (*C.useColor ? "true" : "false") << '\n';
  Scalar("GPU", C.gpu);
  dumpKernels(OS, C.kernels);
  if (!C.assume.empty())
    OS << "Assume:\n";
  for (const auto &[Key, Value] : C.assume)
    OS << "  " << quoted(Key) << ": " << Value << '\n';
  OS << "...\n";
  return Text;
}

//===-- By file ------------------------------------------------------------===//

/// Puts the nearest configuration above a folder first, then those that it inherits from.
void Configurations::addFilesAbove(const std::string &Folder, std::vector<Configuration> &Nearest) {
  for (StringRef Above = Folder; !Above.empty(); Above = sys::path::parent_path(Above)) {
    SmallString<256> Name(Above);
    sys::path::append(Name, ConfigurationFile);
    auto [Known, New] = ByFile.try_emplace(Name.str().str());
    // A link that leads nowhere was to be a configuration: to pass over it would lose what that says.
    if (New && sys::fs::is_symlink_file(Name) && !sys::fs::exists(Name))
      Errors.push_back((Name + ": this link leads to no file; mend it or take it away").str());
    // Nothing else is opened: a pipe would wait for ever.
    if (New && sys::fs::is_regular_file(Name)) {
      auto Buffer = MemoryBuffer::getFile(Name);
      if (Buffer)
        Known->second = readConfiguration((*Buffer)->getBuffer(), Name, Errors);
      else
        Errors.push_back((Name + ": cannot be read: " + Buffer.getError().message()).str());
    }
    if (!Known->second)
      continue;
    Nearest.push_back(*Known->second);
    if (!Nearest.back().inheritParent)
      break;
  }
}

const Configurations::Entry &Configurations::entryOf(StringRef File) {
  SmallString<256> Absolute(File.empty() ? "any" : File);
  (void)sys::fs::make_absolute(Absolute);
  sys::path::remove_dots(Absolute, /*remove_dot_dot=*/true);
  const std::string Folder = sys::path::parent_path(Absolute).str();
  std::lock_guard<std::mutex> Guard(Lock);
  std::unique_ptr<Entry> &Known = ByFolder[Folder];
  if (Known)
    return *Known;
  std::vector<Configuration> Nearest;
  if (Given)
    Nearest.push_back(*Given);
  if (!Given || Given->inheritParent)
    addFilesAbove(Folder, Nearest);
  Known = std::make_unique<Entry>();
  for (const Configuration &C : reverse(Nearest))
    Known->configuration.mergeWith(C);
  Known->configuration.mergeWith(CommandLine);
  const Configuration &All = Known->configuration;
  Known->settings.selected = rules::Selection(All.checks.value_or(""));
  Known->settings.options = optionsOf(All);
  Known->settings.errors = rules::Selection("-*," + All.warningsAsErrors.value_or(""));
  return *Known;
}

std::vector<std::string> Configurations::files() const {
  std::lock_guard<std::mutex> Guard(Lock);
  std::vector<std::string> Files;
  for (const auto &[File, Content] : ByFile)
    if (Content)
      Files.push_back(File);
  return Files;
}

std::vector<std::pair<std::string, Configuration>> Configurations::contents() const {
  std::lock_guard<std::mutex> Guard(Lock);
  std::vector<std::pair<std::string, Configuration>> All;
  if (Given)
    All.emplace_back("the configuration that was given", *Given);
  for (const auto &[File, Content] : ByFile)
    if (Content)
      All.emplace_back(File, *Content);
  return All;
}

const Configuration &Configurations::of(StringRef File) { return entryOf(File).configuration; }

const rules::Settings &Configurations::settingsOf(StringRef File) { return entryOf(File).settings; }

std::vector<std::string> Configurations::errors() const {
  std::lock_guard<std::mutex> Guard(Lock);
  return Errors;
}
