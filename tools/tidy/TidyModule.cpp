//===-- TidyModule.cpp - warplint's rules as checks of clang-tidy -----------------------------===//
//
// One check per rule, all served by one analysis of the tree that clang-tidy parsed.
//
//===----------------------------------------------------------------------===//
#include "analyzer/driver/GivenValues.h"
#include "analyzer/model/Gpu.h"
#include "clang-tidy/ClangTidyCheck.h"
#include "clang-tidy/ClangTidyModule.h"
#include "rules/Rules.h"
#include "tools/tidy/UnitLint.h"
#include "clang/AST/ASTContext.h"
#include "clang/ASTMatchers/ASTMatchFinder.h"
#include "clang/Basic/FileManager.h"
#include "llvm/Support/YAMLParser.h"

using namespace clang;
using namespace llvm;
using namespace warplint;

namespace {

/// What holds for all checks: keys of CheckOptions with the module's name in place of a check's.
/// --verify-config knows them; --dump-config shows what belongs to one check alone.
struct ModuleKey {
  llvm::StringLiteral name, preset;
};
constexpr ModuleKey BlockKey{"warplint.Block", ""}, AssumeKey{"warplint.Assume", ""},
    GpuKey{"warplint.GPU", ""}, VerifyFixesKey{"warplint.VerifyFixes", "false"},
    TimeLimitKey{"warplint.FileTimeLimit", "300"};

StringRef given(clang::tidy::ClangTidyContext &Context, const ModuleKey &Key) {
  if (StringSet<> *Known = Context.getOptionsCollector())
    Known->insert(Key.name);
  const clang::tidy::ClangTidyOptions::OptionMap &All = Context.getOptions().CheckOptions;
  const auto At = All.find(Key.name);
  return At == All.end() ? StringRef(Key.preset) : StringRef(At->second.Value);
}

/// Reads them; what is wrong is a warning about the configuration, and has no effect.
warplint::tidy::ModuleOptions readOptions(clang::tidy::ClangTidyContext &Context) {
  warplint::tidy::ModuleOptions Options;
  const auto Complain = [&](const ModuleKey &Key, StringRef Value, Error Why) {
    Context.configurationDiag("%0: '%1': %2") << Key.name << Value << toString(std::move(Why));
  };
  if (const StringRef Block = given(Context, BlockKey); !Block.empty()) {
    if (auto Shape = driver::blockOf(Block))
      Options.block = *Shape;
    else
      Complain(BlockKey, Block, Shape.takeError());
  }
  SmallVector<StringRef> Items;
  given(Context, AssumeKey).split(Items, ';', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef Item : Items)
    if (Error Bad = driver::addAssumption(Item.trim(), Options.assume))
      Complain(AssumeKey, Item.trim(), std::move(Bad));
  if (const StringRef Gpu = given(Context, GpuKey); !Gpu.empty()) {
    if (auto Known = model::parseGpu(Gpu))
      Options.gpu = Gpu.str();
    else
      Complain(GpuKey, Gpu, Known.takeError());
  }
  if (const StringRef Limit = given(Context, TimeLimitKey); Limit.getAsInteger(10, Options.timeLimitSeconds))
    Complain(TimeLimitKey, Limit, createStringError("expected a number of seconds; 0 is no limit"));
  const StringRef Verify = given(Context, VerifyFixesKey);
  if (std::optional<bool> Wanted = yaml::parseBool(Verify))
    Options.verifyFixes = *Wanted;
  else
    Complain(VerifyFixesKey, Verify, createStringError("expected true or false"));
  return Options;
}

class RuleCheck : public clang::tidy::ClangTidyCheck {
public:
  RuleCheck(StringRef Name, clang::tidy::ClangTidyContext *Context, const rules::Rule &R,
            std::shared_ptr<warplint::tidy::UnitLint> Shared)
      : ClangTidyCheck(Name, Context), R(R), Unit(std::move(Shared)) {
    Unit->enable(R);
    for (const auto &[Key, Preset] : ruleOptions()) {
      const std::optional<StringRef> Value = Options.get(StringRef(Key).split('.').second);
      if (!Value)
        continue;
      if (Error Wrong = RuleOptions.set(Key, *Value))
        configurationDiag("%0") << toString(std::move(Wrong));
      else
        Unit->setRuleOption(Key, Value->str());
    }
  }

  bool isLanguageVersionSupported(const LangOptions &Language) const override {
    return Language.CUDA && !Language.HIP;
  }

  void storeOptions(clang::tidy::ClangTidyOptions::OptionMap &All) override {
    for (const auto &[Key, Value] : ruleOptions())
      Options.store(All, StringRef(Key).split('.').second, StringRef(Value));
  }

  void registerPPCallbacks(const SourceManager &, Preprocessor *Macros, Preprocessor *) override {
    Unit->setPreprocessor(Macros);
  }

  void registerMatchers(ast_matchers::MatchFinder *Finder) override {
    Finder->addMatcher(ast_matchers::translationUnitDecl(), this);
  }

  void check(const ast_matchers::MatchFinder::MatchResult &Result) override {
    Unit->setTree(Result.Context);
    Sources = Result.SourceManager;
  }

  void onEndOfTranslationUnit() override {
    if (!Sources)
      return;
    for (const result::Finding &F : Unit->findings())
      if (F.rule == R.name)
        report(F);
    for (const result::Error &E : Unit->takeProblems()) {
      const SourceLocation Where = locate(E.place);
      diag(Where.isValid() ? Where : Sources->getLocForStartOfFile(Sources->getMainFileID()), "%0")
          << E.message;
    }
  }

private:
  /// The options of this check as they are, by their names in full.
  std::vector<std::pair<std::string, std::string>> ruleOptions() const {
    std::vector<std::pair<std::string, std::string>> Own = RuleOptions.list();
    erase_if(Own, [&](const auto &Each) { return StringRef(Each.first).split('.').first != R.name; });
    return Own;
  }

  /// Remarks are what clang-tidy has for findings below a warning; errors would not heed NOLINT.
  static DiagnosticIDs::Level levelOf(result::Severity S) {
    return S == result::Severity::Note ? DiagnosticIDs::Remark : DiagnosticIDs::Warning;
  }

  void report(const result::Finding &F) {
    const SourceLocation Where = locate(F.place);
    {
      DiagnosticBuilder Builder = diag(Where, "%0", levelOf(F.severity));
      // Messages may hold what a format string gives a meaning to.
      Builder << F.message;
      if (const SourceLocation End = locate(F.place.file, F.place.endLine, F.place.endColumn); End.isValid())
        Builder << CharSourceRange::getCharRange(Where, End);
      if (!F.fixes.empty())
        for (const result::Edit &E : F.fixes.front().edits)
          addEdit(Builder, E);
    }
    for (const result::Note &N : F.notes)
      diag(N.place.valid() ? locate(N.place) : Where, "%0", DiagnosticIDs::Note) << N.message;
  }

  void addEdit(const DiagnosticBuilder &Builder, const result::Edit &E) const {
    const SourceLocation Start = locate(E.file, 1, 1);
    if (Start.isInvalid())
      return;
    const SourceLocation Begin = Start.getLocWithOffset(int(E.offset));
    Builder << FixItHint::CreateReplacement(
        CharSourceRange::getCharRange(Begin, Begin.getLocWithOffset(int(E.length))), E.text);
  }

  SourceLocation locate(const result::Place &P) const { return locate(P.file, P.line, P.column); }

  /// Where the file is first included, as clang-tidy wants it.
  SourceLocation locate(StringRef File, unsigned Line, unsigned Column) const {
    if (File.empty() || !Line)
      return {};
    const OptionalFileEntryRef Entry = Sources->getFileManager().getOptionalFileRef(File);
    return Entry ? Sources->translateFileLineCol(*Entry, Line, std::max(Column, 1u)) : SourceLocation();
  }

  const rules::Rule &R;
  rules::Options RuleOptions;
  const std::shared_ptr<warplint::tidy::UnitLint> Unit;
  const SourceManager *Sources = nullptr;
};

class WarplintModule : public clang::tidy::ClangTidyModule {
public:
  void addCheckFactories(clang::tidy::ClangTidyCheckFactories &Factories) override {
    // The checks of one translation unit live at the same time; the last takes what they share along.
    auto Current = std::make_shared<std::weak_ptr<warplint::tidy::UnitLint>>();
    for (const rules::Rule &R : rules::all())
      Factories.registerCheckFactory(std::string("warplint-") + R.name,
                                     [&R, Current](StringRef Name, clang::tidy::ClangTidyContext *Context) {
                                       std::shared_ptr<warplint::tidy::UnitLint> Unit = Current->lock();
                                       if (!Unit)
                                         *Current = Unit = std::make_shared<warplint::tidy::UnitLint>(
                                             readOptions(*Context));
                                       return std::make_unique<RuleCheck>(Name, Context, R, Unit);
                                     });
  }
};

} // namespace

static const clang::tidy::ClangTidyModuleRegistry::Add<WarplintModule>
    Registered("warplint-module", "Memory accesses of CUDA kernels: sectors, lines and bank conflicts.");
