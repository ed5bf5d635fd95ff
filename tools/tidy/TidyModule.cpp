//===-- TidyModule.cpp - warplint's rules as checks of clang-tidy -----------------------------===//
//
// One check per rule, all served by one analysis of the tree that clang-tidy parsed.
//
//===----------------------------------------------------------------------===//
#include "analyzer/driver/GivenValues.h"
#include "rules/Rules.h"
#include "tools/tidy/UnitLint.h"
#include "clang-tidy/ClangTidyCheck.h"
#include "clang-tidy/ClangTidyModule.h"
#include "clang/AST/ASTContext.h"
#include "clang/ASTMatchers/ASTMatchFinder.h"
#include "clang/Basic/FileManager.h"
#include "llvm/Support/YAMLParser.h"

using namespace clang;
using namespace llvm;
using namespace warplint;

namespace {

/// What holds for all checks: keys of CheckOptions with the module's name in place of a check's.
constexpr llvm::StringLiteral BlockKey = "warplint.Block", AssumeKey = "warplint.Assume", VerifyFixesKey = "warplint.VerifyFixes";

StringRef given(clang::tidy::ClangTidyContext &Context, StringRef Key, StringRef Preset) {
  if (StringSet<> *Known = Context.getOptionsCollector())
    Known->insert(Key);
  const clang::tidy::ClangTidyOptions::OptionMap &All = Context.getOptions().CheckOptions;
  const auto At = All.find(Key);
  return At == All.end() ? Preset : StringRef(At->second.Value);
}

/// Reads them; what is wrong is a warning about the configuration, and has no effect.
void readOptions(clang::tidy::ClangTidyContext &Context, warplint::tidy::UnitLint &Unit) {
  kernel::AnalysisOptions Facts;
  const auto Complain = [&](StringRef Key, StringRef Value, Error Why) {
    Context.configurationDiag("%0: '%1': %2") << Key << Value << toString(std::move(Why));
  };
  if (const StringRef Block = given(Context, BlockKey, ""); !Block.empty()) {
    if (auto Shape = driver::blockOf(Block))
      Facts.block = *Shape;
    else
      Complain(BlockKey, Block, Shape.takeError());
  }
  SmallVector<StringRef> Items;
  given(Context, AssumeKey, "").split(Items, ';', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef Item : Items)
    if (Error Bad = driver::addAssumption(Item.trim(), Facts.assume))
      Complain(AssumeKey, Item, std::move(Bad));
  const StringRef Verify = given(Context, VerifyFixesKey, "false");
  const std::optional<bool> Wanted = yaml::parseBool(Verify);
  if (!Wanted)
    Complain(VerifyFixesKey, Verify, createStringError("expected true or false"));
  Unit.setVerifyFixes(Wanted.value_or(false));
  Unit.setFacts(std::move(Facts));
}

class RuleCheck : public clang::tidy::ClangTidyCheck {
public:
  RuleCheck(StringRef Name, clang::tidy::ClangTidyContext *Context, const rules::Rule &R,
            std::shared_ptr<warplint::tidy::UnitLint> Shared)
      : ClangTidyCheck(Name, Context), Context(*Context), R(R), Unit(std::move(Shared)) {
    Unit->enable(R);
  }

  bool isLanguageVersionSupported(const LangOptions &Language) const override {
    return Language.CUDA && !Language.HIP;
  }

  void storeOptions(clang::tidy::ClangTidyOptions::OptionMap &All) override {
    All[BlockKey] = given(Context, BlockKey, "");
    All[AssumeKey] = given(Context, AssumeKey, "");
    All[VerifyFixesKey] = given(Context, VerifyFixesKey, "false");
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
      diag(Where.isValid() ? Where : Sources->getLocForStartOfFile(Sources->getMainFileID()), "%0") << E.message;
    }
  }

private:
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

  clang::tidy::ClangTidyContext &Context;
  const rules::Rule &R;
  const std::shared_ptr<warplint::tidy::UnitLint> Unit;
  const SourceManager *Sources = nullptr;
};

class WarplintModule : public clang::tidy::ClangTidyModule {
public:
  void addCheckFactories(clang::tidy::ClangTidyCheckFactories &Factories) override {
    // The checks of one translation unit live at the same time; the last takes what they share along.
    auto Current = std::make_shared<std::weak_ptr<warplint::tidy::UnitLint>>();
    for (const rules::Rule &R : rules::all())
      Factories.registerCheckFactory(
          std::string("warplint-") + R.name,
          [&R, Current](StringRef Name, clang::tidy::ClangTidyContext *Context) {
            std::shared_ptr<warplint::tidy::UnitLint> Unit = Current->lock();
            if (!Unit) {
              *Current = Unit = std::make_shared<warplint::tidy::UnitLint>();
              readOptions(*Context, *Unit);
            }
            return std::make_unique<RuleCheck>(Name, Context, R, Unit);
          });
  }
};

} // namespace

static const clang::tidy::ClangTidyModuleRegistry::Add<WarplintModule>
    Registered("warplint-module", "Memory accesses of CUDA kernels: sectors, lines and bank conflicts.");
