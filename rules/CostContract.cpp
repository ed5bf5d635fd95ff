//===-- CostContract.cpp - What the source says an access must cost --------------------===//
// # cost-contract
//
// ## What it finds
// Accesses and kernels that do not keep to what the source, or `--expect`, says they cost:
//
// - `// warplint: expect sectors<=4` on the access's line, or on a line of its own before the statement. The
//   call of a helper function stands for the accesses in it.
// - `// warplint: expect conflictWays==1, wavefronts<=2` for several, all of which must hold
// - `// warplint: expect[tile] conflictWays==1` where a line has several accesses: those whose base or whose
//   expression is `tile`. Without brackets all accesses whose space has the key are meant.
// - `// warplint: expect efficiency>=0.9` before a kernel, or behind the line with its name
// - `--expect='KERNEL: efficiency>=0.9'` on the command line; `*` in the name stands for anything
//
// Keys are those of the JSON report, of the access's worst request: `lines`, `efficiency` (global memory),
// `sectors`, `idealSectors`, `sectorEfficiency` (global and local), `wavefronts`, `idealWavefronts`,
// `conflictWays` (shared), `distinctAddresses` (constant). Comparisons are `<=`, `>=`, `==`, `<` and `>`.
//
// Of a kernel, `efficiency` and `sectorEfficiency` are the share of used bytes in the lines, or sectors, that
// all its global accesses move: the mean over its requests, weighted by lines or sectors and by how often
// each access is executed (by a warp, where the launch's totals are not known). Any other key must hold for
// every access that has it. Where executions are not known, the contract is broken or kept if it is so
// whatever they are.
//
// Every instance and launch of a kernel is checked. It is an error too when a cost is not known, so that the
// contract cannot be checked, when no analysed access is where the contract stands, and when its words are
// not understood. A number that rests on assumptions counts like any other. An access that a launch is proved
// never to make costs nothing there; where no launch makes it, the contract cannot be checked.
//
// ## Why it costs
// A cost that was paid for with work (padding, another layout) is lost silently by a later edit elsewhere: of
// the block shape, of a structure, of a tile's declaration.
//
// ## Example
// ```cuda
// __global__ void copy(float *out, const float *in) { // warplint: expect efficiency>=0.9
//   out[threadIdx.x] = in[2 * threadIdx.x]; // warplint: expect sectors<=4
// }
// ```
//
// ## Write instead
// ```cuda
// out[threadIdx.x] = in[threadIdx.x]; // warplint: expect sectors<=4
// ```
// Or change the contract, where the new cost is meant.
//
// ## When it stays silent
// In code that the compiler removes. Under an `#if` that leaves the code out there is a note at most.
// `NOLINT`, baselines and filters of lines do not silence contracts: the comment is where they are changed.
//
// ## Options
// - `--expect='KERNEL: TERMS'` on the command line.
// - `Severity`: note, warning or error; `default`: error.
//===----------------------------------------------------------------------===//
#include "rules/CostContract.h"
#include "rules/AllRules.h"
#include "rules/Glob.h"
#include "rules/Wording.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <cmath>
#include <map>
#include <tuple>

namespace warplint::rules {

using namespace result;
using llvm::StringRef;

//===-- Keys and comparisons --------------------------------------------------===//

namespace {

struct Key {
  StringRef name;
  double Cost::*value;
  bool global, local, shared, constant; ///< the spaces whose accesses have it
  bool isIn(Space S) const {
    return (S == Space::Global && global) || (S == Space::Local && local) || (S == Space::Shared && shared) ||
           (S == Space::Constant && constant);
  }
};

struct Symbol {
  StringRef text;
  Comparison meaning;
};

} // namespace

static llvm::ArrayRef<Key> keys() {
  static const Key All[] = {{"lines", &Cost::lines, true, false, false, false},
                            {"sectors", &Cost::sectors, true, true, false, false},
                            {"idealSectors", &Cost::idealSectors, true, true, false, false},
                            {"efficiency", &Cost::efficiency, true, false, false, false},
                            {"sectorEfficiency", &Cost::sectorEfficiency, true, true, false, false},
                            {"wavefronts", &Cost::wavefronts, false, false, true, false},
                            {"idealWavefronts", &Cost::idealWavefronts, false, false, true, false},
                            {"conflictWays", &Cost::conflictWays, false, false, true, false},
                            {"distinctAddresses", &Cost::distinctAddresses, false, false, false, true}};
  return All;
}

static const Key &keyOf(const CostClause &C) {
  return *llvm::find_if(keys(), [&](const Key &K) { return K.name == C.key; });
}

/// Longer ones first.
static constexpr Symbol Symbols[] = {{"<=", Comparison::AtMost},
                                     {">=", Comparison::AtLeast},
                                     {"==", Comparison::Equal},
                                     {"<", Comparison::Below},
                                     {">", Comparison::Above}};

static bool holds(const CostClause &C, double Value) {
  constexpr double Rounding = 1e-9; // of ratios, which are sums of quotients
  switch (C.comparison) {
  case Comparison::AtMost:
    return Value <= C.bound + Rounding;
  case Comparison::AtLeast:
    return Value >= C.bound - Rounding;
  case Comparison::Equal:
    return std::fabs(Value - C.bound) <= Rounding;
  case Comparison::Below:
    return Value < C.bound - Rounding;
  case Comparison::Above:
    return Value > C.bound + Rounding;
  }
  return false;
}

/// With enough digits to tell it from the bound.
static std::string shown(double Value) {
  std::string Text;
  llvm::raw_string_ostream(Text) << llvm::format("%.6g", Value);
  return Text;
}

/// How far from what was asked for, to name the worst.
static double distance(const CostClause &C, double Value) { return std::fabs(Value - C.bound); }

//===-- Words -----------------------------------------------------------------===//

namespace {

/// Reads terms from the front; what is left tells where a problem stands.
class TermReader {
public:
  explicit TermReader(StringRef Text) : Text(Text), Rest(Text) {}

  std::variant<CostTerms, ContractProblem> read() {
    CostTerms Terms;
    blanks();
    if (Rest.starts_with("[") && !subject(Terms.subject))
      return problem("expected ']' after the base or expression that is meant");
    do {
      CostClause C;
      blanks();
      if (std::string Wrong = clause(C); !Wrong.empty())
        return problem(Wrong);
      Terms.clauses.push_back(std::move(C));
      blanks();
    } while (Rest.consume_front(","));
    if (!Rest.empty())
      return problem(
          "expected ',' and another term, or the end of the comment: remarks go into a comment of their own");
    return Terms;
  }

private:
  ContractProblem problem(std::string Message) const {
    return {Text.size() - Rest.size(), std::move(Message)};
  }
  void blanks() { Rest = Rest.ltrim(" \t"); }

  /// "[a[i]]": brackets in it come in pairs.
  bool subject(std::string &Subject) {
    unsigned Depth = 0;
    for (size_t I = 0; I != Rest.size(); ++I) {
      Depth += Rest[I] == '[';
      if (Rest[I] != ']' || --Depth)
        continue;
      Subject = withoutLayout(Rest.slice(1, I));
      if (Subject.empty())
        return false;
      Rest = Rest.drop_front(I + 1);
      return true;
    }
    return false;
  }

  /// What is wrong; "" when nothing is.
  std::string clause(CostClause &C) {
    const StringRef Name = Rest.take_while([](char D) { return llvm::isAlnum(D) || D == '_'; });
    if (llvm::none_of(keys(), [&](const Key &K) { return K.name == Name; }))
      return unknownKey(Name);
    C.key = Name.str();
    Rest = Rest.drop_front(Name.size());
    blanks();
    const Symbol *Found = llvm::find_if(Symbols, [&](const Symbol &S) { return Rest.starts_with(S.text); });
    if (Found == std::end(Symbols))
      return "expected <=, >=, ==, < or > after '" + C.key + "'";
    C.comparison = Found->meaning;
    Rest = Rest.drop_front(Found->text.size());
    blanks();
    const StringRef Number = Rest.take_while([](char D) { return llvm::isDigit(D) || D == '.'; });
    if (Number.empty() || !llvm::isDigit(Number.front()) || Number.size() > 15 || Number.getAsDouble(C.bound))
      return "expected a number after '" + C.key + Found->text.str() + "', e.g. 4 or 0.9";
    Rest = Rest.drop_front(Number.size());
    C.text = C.key + Found->text.str() + Number.str();
    return "";
  }

  static std::string unknownKey(StringRef Name) {
    std::string Known;
    StringRef Near;
    unsigned Least = unsigned(Name.size()) / 2 + 1;
    for (const Key &K : keys()) {
      Known += (Known.empty() ? "" : ", ") + K.name.str();
      if (const unsigned Distance = Name.edit_distance_insensitive(K.name); Distance < Least)
        Least = Distance, Near = K.name;
    }
    if (Name.empty())
      return "expected one of " + Known;
    return "unknown key '" + Name.str() + "'" +
           (Near.empty() ? "; expected one of " + Known : "; did you mean '" + Near.str() + "'?");
  }

  StringRef Text, Rest;
};

} // namespace

std::variant<CostTerms, ContractProblem> parseCostTerms(StringRef Text) {
  return TermReader(Text.rtrim(" \t\r")).read();
}

std::string spelling(const CostTerms &Terms) {
  std::string Text = Terms.subject.empty() ? "" : "[" + Terms.subject + "]";
  for (const CostClause &C : Terms.clauses)
    Text += (&C == &Terms.clauses.front() ? (Text.empty() ? "" : " ") : ", ") + C.text;
  return Text;
}

//===-- Checking ----------------------------------------------------------------===//

namespace {

/// An analysed access with the kernel instance that makes it, and where it is shown: it, or the call that
/// leads to it.
struct Target {
  const Kernel *kernel;
  const Access *access;
  const Place *place;
};

/// What is wrong with one access or kernel in one instance or launch.
struct Breach {
  const Kernel *kernel = nullptr;
  Place place;
  std::string expression, base;
  std::optional<double> found; ///< nothing: cannot be checked
  std::string message;
  Confidence confidence = Confidence::Exact;
  std::vector<Note> notes;
};

Finding errorAt(Place P, std::string Message) {
  Finding F;
  F.rule = CostContractName.str();
  F.severity = Severity::Error;
  F.impact = Impact::High;
  F.message = std::move(Message);
  F.place = std::move(P);
  F.confidence = Confidence::Exact;
  F.identity = F.fingerprint = llvm::utohexstr(
      llvm::xxh3_64bits(F.rule + '\0' + llvm::sys::path::filename(F.place.file).str() + '\0' + F.message),
      /*LowerCase=*/true, /*Width=*/16);
  return F;
}

/// One contract against the kernels.
class Checker {
public:
  Checker(const std::vector<Kernel> &Kernels, const Contract &C, std::vector<Finding> &Out)
      : Kernels(Kernels), C(C), Out(Out) {}

  void check() {
    if (!C.kernel.empty())
      return checkKernels([&](const Kernel &K) { return namesKernel(C, K); });
    auto IsHere = [&](const Kernel &K) {
      return C.files.contains(K.place.file) && K.place.line >= C.firstLine && K.place.line <= C.lastLine;
    };
    std::vector<Target> Targets = C.beforeKernel ? std::vector<Target>() : accessesHere();
    if (C.beforeKernel || (Targets.empty() && llvm::any_of(Kernels, IsHere)))
      return checkKernels(IsHere);
    checkAccesses(Targets);
  }

private:
  //===-- Accesses ------------------------------------------------------------===//

  bool isHere(const Place &P) const {
    return C.files.contains(P.file) && P.line <= C.lastLine && std::max(P.line, P.endLine) >= C.firstLine;
  }

  std::vector<Target> accessesHere() const {
    std::vector<Target> Targets;
    for (const Kernel &K : Kernels)
      for (const Access &A : K.accesses)
        if (isHere(A.place))
          Targets.push_back({&K, &A, &A.place});
        else if (isHere(A.calledFrom))
          Targets.push_back({&K, &A, &A.calledFrom});
    return Targets;
  }

  void checkAccesses(std::vector<Target> Targets) {
    if (Targets.empty())
      return nothingHere("memory access",
                         "a template without an instance, a kernel that was left out because of "
                         "errors, and host code have none");
    llvm::erase_if(Targets, [](const Target &T) { return T.access->removed; });
    if (Targets.empty())
      return report("cannot be checked: the compiler removes what is here");
    // Another launch, or the other side of a condition, has what can be checked.
    if (!llvm::all_of(Targets, [](const Target &T) { return isIdle(*T.access); }))
      llvm::erase_if(Targets, [](const Target &T) { return isIdle(*T.access); });
    if (!C.terms.subject.empty()) {
      std::set<std::string> Names;
      for (const Target &T : Targets)
        Names.insert({withoutLayout(T.access->base), withoutLayout(T.access->expression)});
      llvm::erase_if(Targets, [&](const Target &T) { return !isSubject(*T.access); });
      if (Targets.empty())
        return report("no access here has the base or the expression '" + C.terms.subject + "'; there is " +
                      llvm::join(Names, ", "));
    }
    for (const CostClause &Clause : C.terms.clauses)
      checkClause(Clause, Targets);
  }

  /// Is it proved that the launch never makes this access? Then there it costs nothing.
  static bool isIdle(const Access &A) {
    return A.confidence == Confidence::Unknown &&
           StringRef(A.reason).starts_with("never executed: with this launch");
  }

  bool isSubject(const Access &A) const {
    return withoutLayout(A.base) == C.terms.subject || withoutLayout(A.expression) == C.terms.subject;
  }

  void checkClause(const CostClause &Clause, const std::vector<Target> &Targets) {
    std::vector<Breach> Breaches;
    bool Any = false;
    std::set<std::string> Spaces;
    for (const Target &T : Targets) {
      Spaces.insert(result::spelling(T.access->space));
      if (!concerns(Clause, *T.access))
        continue;
      Any = true;
      if (std::optional<Breach> B = breach(Clause, *T.kernel, *T.access, *T.place))
        Breaches.push_back(std::move(*B));
    }
    if (!Any)
      report("expected " + Clause.text + ", but only accesses of " + llvm::join(Spaces, " and ") +
             " memory are here, which have no " + Clause.key);
    report(Clause, Breaches);
  }

  /// Where the space is not known, it may be the one that has the key.
  static bool concerns(const CostClause &Clause, const Access &A) {
    return !A.removed && (A.space == Space::Unknown || keyOf(Clause).isIn(A.space));
  }

  std::optional<Breach> breach(const CostClause &Clause, const Kernel &K, const Access &A,
                               const Place &At) const {
    Breach B;
    B.kernel = &K;
    B.place = At;
    B.expression = A.expression;
    B.base = A.base;
    B.confidence = A.confidence;
    const std::string Subject = " of '" + A.expression + "'";
    if (A.confidence == Confidence::Unknown || A.space == Space::Unknown) {
      B.message = "cannot be checked: expected " + Clause.text + Subject + ", whose cost is not known" +
                  (A.reason.empty() ? "" : ": " + A.reason);
      return B;
    }
    B.found = A.worst.*keyOf(Clause).value;
    if (holds(Clause, *B.found))
      return K.partial ? std::optional(unfinished(Clause, K)) : std::nullopt;
    B.message = "expected " + Clause.text + Subject + ", found " + shown(*B.found);
    if (A.confidence == Confidence::Assumed && !A.assumptions.empty())
      B.notes.push_back({"assumed: " + llvm::join(A.assumptions, "; "), A.place});
    return B;
  }

  //===-- Kernels -------------------------------------------------------------===//

  template <typename Predicate> void checkKernels(Predicate Is) {
    std::vector<const Kernel *> Chosen;
    for (const Kernel &K : Kernels)
      if (Is(K))
        Chosen.push_back(&K);
    if (Chosen.empty()) {
      if (C.kernel.empty())
        nothingHere("kernel", "templates without an instance, kernels that rest on errors, and declarations "
                              "without a body are not");
      return;
    }
    for (const CostClause &Clause : C.terms.clauses) {
      const bool IsMean = Clause.key == "efficiency" || Clause.key == "sectorEfficiency";
      std::vector<Breach> Breaches;
      bool Any = false;
      for (const Kernel *K : Chosen)
        Any |= IsMean ? checkMean(Clause, *K, Breaches) : checkEach(Clause, *K, Breaches);
      // A pattern may well meet kernels that have nothing to do with the key.
      if (!Any && !StringRef(C.kernel).contains('*'))
        report("expected " + Clause.text + ", but no access of the kernel '" + Chosen.front()->name +
                   "' has that",
               Chosen.front()->place);
      report(Clause, Breaches);
    }
  }

  bool isMeant(const CostClause &Clause, const Access &A) const {
    return concerns(Clause, A) && !isIdle(A) && (C.terms.subject.empty() || isSubject(A));
  }

  bool checkEach(const CostClause &Clause, const Kernel &K, std::vector<Breach> &Breaches) const {
    bool Any = false;
    for (const Access &A : K.accesses)
      if (isMeant(Clause, A)) {
        Any = true;
        if (std::optional<Breach> B = breach(Clause, K, A, A.place))
          Breaches.push_back(std::move(*B));
      }
    if (K.partial && !Any)
      Breaches.push_back(unfinished(Clause, K));
    return Any || K.partial;
  }

  static Breach unfinished(const CostClause &Clause, const Kernel &K) {
    Breach B = ofKernel(K);
    B.message = "cannot be checked: expected " + Clause.text + " of the kernel '" + K.name +
                "', whose analysis is not complete: " + K.partialReason;
    return B;
  }

  static Breach ofKernel(const Kernel &K) {
    Breach B;
    B.kernel = &K;
    B.place = K.place;
    B.expression = K.name;
    return B;
  }

  /// How often a kernel's accesses are executed beside each other; nothing where that is not known.
  static std::optional<std::vector<double>> weights(const std::vector<const Access *> &List) {
    std::vector<double> Result;
    if (llvm::all_of(List, [](const Access *A) { return A->total.has_value(); })) {
      for (const Access *A : List)
        Result.push_back(double(A->total->requests));
      return Result;
    }
    for (const Access *A : List) {
      if (A->loop >= 0 && !A->iterations)
        return std::nullopt;
      Result.push_back(double(A->iterations.value_or(1)));
    }
    return Result;
  }

  /// The least and the greatest that the share of used bytes among those that move can be.
  static std::pair<double, double> meanOf(const CostClause &Clause, const std::vector<const Access *> &List) {
    if (llvm::any_of(List, isUnknown))
      return {0, 1};
    double Least = 1, Most = 0, Used = 0, Moved = 0;
    const std::optional<std::vector<double>> Executions = weights(List);
    for (size_t I = 0; I != List.size(); ++I) {
      const Cost &C = List[I]->mean;
      const double Share = C.*keyOf(Clause).value;
      Least = std::min(Least, Share);
      Most = std::max(Most, Share);
      if (!Executions)
        continue;
      const double Pieces = (*Executions)[I] * (Clause.key == "efficiency" ? C.lines : C.sectors);
      Used += Pieces * Share;
      Moved += Pieces;
    }
    return Moved > 0 ? std::pair(Used / Moved, Used / Moved) : std::pair(Least, Most);
  }

  static bool isUnknown(const Access *A) {
    return A->confidence == Confidence::Unknown || A->space == Space::Unknown;
  }

  bool checkMean(const CostClause &Clause, const Kernel &K, std::vector<Breach> &Breaches) const {
    std::vector<const Access *> List;
    for (const Access &A : K.accesses)
      if (isMeant(Clause, A) && A.space != Space::Local)
        List.push_back(&A);
    if (K.partial)
      return Breaches.push_back(unfinished(Clause, K)), true;
    if (List.empty())
      return false;
    const auto [Least, Most] = meanOf(Clause, List);
    const bool LeastHolds = holds(Clause, Least), MostHolds = holds(Clause, Most);
    // Between two values that are equal to nothing that was asked for may be one that is.
    const bool Between =
        Clause.comparison == Comparison::Equal && Least < Clause.bound && Clause.bound < Most;
    if (LeastHolds && MostHolds && (Clause.comparison != Comparison::Equal || Most - Least < 1e-9))
      return true;
    Breach B = ofKernel(K);
    const std::string Mean = " of the kernel '" + K.name + "', over " + std::to_string(List.size()) +
                             (List.size() == 1 ? " global access" : " global accesses");
    if (!LeastHolds && !MostHolds && !Between) {
      B.found =
          Clause.comparison == Comparison::AtLeast || Clause.comparison == Comparison::Above ? Most : Least;
      B.message = "expected " + Clause.text + Mean + ", found " +
                  (Most - Least < 1e-9 ? shown(Least) : shown(Least) + " to " + shown(Most));
      nameWorst(Clause, List, B);
    } else {
      const auto Unknown = llvm::find_if(List, isUnknown);
      B.message = "cannot be checked: expected " + Clause.text + Mean + ", which is between " + shown(Least) +
                  " and " + shown(Most) + ": ";
      B.message += Unknown != List.end()
                       ? "the cost of '" + (*Unknown)->expression + "' is not known"
                       : std::string("how often they are executed is not known (--assume gives a size)");
      if (Unknown != List.end())
        B.notes.push_back(
            {(*Unknown)->reason.empty() ? "it is this one" : (*Unknown)->reason, (*Unknown)->place});
    }
    for (const Access *A : List)
      B.confidence = std::max(B.confidence, A->confidence);
    Breaches.push_back(std::move(B));
    return true;
  }

  static void nameWorst(const CostClause &Clause, const std::vector<const Access *> &List, Breach &B) {
    const Access *Worst = nullptr;
    for (const Access *A : List)
      if (A->confidence != Confidence::Unknown && A->space == Space::Global &&
          (!Worst || distance(Clause, A->mean.*keyOf(Clause).value) >
                         distance(Clause, Worst->mean.*keyOf(Clause).value)))
        Worst = A;
    if (Worst)
      B.notes.push_back(
          {"farthest from it is '" + Worst->expression + "': " + shown(Worst->mean.*keyOf(Clause).value),
           Worst->place});
  }

  //===-- What comes out --------------------------------------------------------===//

  std::string origin() const { return C.kernel.empty() ? "" : " (--expect)"; }

  void report(std::string Message) { report(std::move(Message), C.place); }
  void report(std::string Message, Place P) {
    Out.push_back(errorAt(std::move(P), std::move(Message) + origin()));
  }

  void nothingHere(StringRef Thing, StringRef Why) {
    std::string Message = ("no analysed " + Thing + " is where this contract stands: " + Why).str();
    if (C.conditional)
      Message = ("this contract is not checked: no analysed " + Thing +
                 " is here, perhaps because of the #if around it")
                    .str();
    report(std::move(Message));
    if (C.conditional) {
      Out.back().severity = Severity::Note;
      Out.back().impact = Impact::Low;
    }
  }

  /// Instances and launches of one access make one finding, which names the worst.
  void report(const CostClause &Clause, const std::vector<Breach> &Breaches) {
    using Spot = std::tuple<std::string, unsigned, unsigned, std::string, bool>;
    std::map<Spot, std::pair<const Breach *, unsigned>> BySpot;
    for (const Breach &B : Breaches) {
      auto &[Worst, Count] =
          BySpot[{B.place.file, B.place.line, B.place.column, B.expression, B.found.has_value()}];
      ++Count;
      if (!Worst || (B.found && distance(Clause, *B.found) > distance(Clause, *Worst->found)))
        Worst = &B;
    }
    for (const auto &[Where, Entry] : BySpot) {
      const auto &[B, Count] = Entry;
      Finding F = errorAt(B->place, B->message + origin());
      F.kernel = B->kernel->signature;
      F.confidence = B->confidence;
      F.expression = B->expression;
      F.base = B->base;
      F.notes = B->notes;
      std::string Who = "in '" + B->kernel->signature + "', " + block(*B->kernel);
      if (Count > 1)
        Who = "so it is in " + std::to_string(Count) + " instances and launches; the worst is " + Who;
      F.notes.push_back({Who, B->place});
      if (C.place.valid())
        F.notes.push_back({"the contract: expect" + (C.terms.subject.empty() ? " " : std::string()) +
                               rules::spelling(C.terms),
                           C.place});
      Out.push_back(std::move(F));
    }
  }

  const std::vector<Kernel> &Kernels;
  const Contract &C;
  std::vector<Finding> &Out;
};

} // namespace

bool namesKernel(const Contract &C, const Kernel &K) {
  return matches(C.kernel, K.name) || matches(C.kernel, K.signature);
}

Finding malformedContract(Place P, std::string Message) {
  return errorAt(std::move(P), "this contract is not understood: " + std::move(Message));
}

std::vector<Finding> checkContracts(const std::vector<Kernel> &Kernels,
                                    const std::vector<Contract> &Contracts) {
  std::vector<Finding> Findings;
  for (const Contract &C : Contracts)
    Checker(Kernels, C, Findings).check();
  llvm::stable_sort(Findings, [](const Finding &A, const Finding &B) {
    return std::tie(A.place.file, A.place.line, A.place.column) <
           std::tie(B.place.file, B.place.line, B.place.column);
  });
  return Findings;
}

// Comments and options hold the contracts: looking at one kernel alone shows none of them.
const Rule CostContract = {
    CostContractName.data(),
    "A cost that the source, or --expect, says an access or a kernel has, and that it has not",
    /*onByDefault=*/true,
    /*globalGeometry=*/false,
    nullptr,
    nullptr,
    {},
    Severity::Error,
    /*readsContracts=*/true};

} // namespace warplint::rules
