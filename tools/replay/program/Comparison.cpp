//===-- Comparison.cpp - The analysis held against what a program did ----------------===//
#include "tools/replay/program/Comparison.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <set>
#include <tuple>

using namespace llvm;
using namespace warplint;
using namespace warplint::replay;
using result::Confidence;
using result::Operation;
using result::Space;

const char *warplint::replay::spelling(Verdict V) {
  switch (V) {
  case Verdict::ExactWrong:
    return "exact-wrong";
  case Verdict::AssumedWrong:
    return "assumed-wrong";
  case Verdict::Missing:
    return "missing";
  case Verdict::OtherWidth:
    return "other-width";
  case Verdict::NotFulfilled:
    return "not-fulfilled";
  case Verdict::Undecided:
    return "undecided";
  case Verdict::NotFollowed:
    return "not-followed";
  case Verdict::Unknown:
    return "unknown";
  case Verdict::NotExecuted:
    return "not-executed";
  case Verdict::AgreedAssumed:
    return "agreed-assumed";
  case Verdict::AgreedWithin:
    return "agreed-within";
  case Verdict::AgreedExact:
    return "agreed-exact";
  }
  return "";
}

const char *warplint::replay::words(Verdict V) {
  switch (V) {
  case Verdict::ExactWrong:
    return "called exact, and wrong";
  case Verdict::AssumedWrong:
    return "wrong although the assumptions hold";
  case Verdict::Missing:
    return "not in the analysis' report";
  case Verdict::OtherWidth:
    return "joined or split differently by the compiler";
  case Verdict::NotFulfilled:
    return "different where an assumption does not hold";
  case Verdict::Undecided:
    return "different, and whether the assumptions hold is not known";
  case Verdict::NotFollowed:
    return "behind a call through a pointer that is not followed";
  case Verdict::Unknown:
    return "without numbers in the analysis";
  case Verdict::NotExecuted:
    return "not executed by this program";
  case Verdict::AgreedAssumed:
    return "agreed, under assumptions";
  case Verdict::AgreedWithin:
    return "agreed: no request worse than proved";
  case Verdict::AgreedExact:
    return "agreed exactly";
  }
  return "";
}

std::optional<bool> warplint::replay::fulfilled(const std::vector<std::string> &Assumptions,
                                                const std::map<std::string, int64_t> &Arguments) {
  constexpr int64_t Large = 4096;
  bool Open = false;
  for (StringRef Text : Assumptions) {
    auto [Name, What] = Text.split(" is ");
    auto Value = Arguments.find(Name.str());
    int64_t Number = 0;
    if (Value == Arguments.end())
      Open = true;
    else if (What == "large") {
      if (Value->second < Large)
        return false;
    } else if (What.consume_front("a multiple of ") && !What.getAsInteger(10, Number) && Number) {
      if (Value->second % Number)
        return false;
    } else if (!What.getAsInteger(10, Number)) {
      if (Value->second != Number)
        return false;
    } else {
      Open = true;
    }
  }
  return Open ? std::nullopt : std::optional(true);
}

static std::string plural(double Number, StringRef One) {
  const std::string Text =
      Number == double(uint64_t(Number)) ? utostr(uint64_t(Number)) : std::to_string(Number);
  return Text + " " + One.str() + (Number == 1 ? "" : One.ends_with("s") ? "es" : "s");
}

std::string warplint::replay::costText(Space Where, const result::Cost &C) {
  switch (Where) {
  case Space::Shared:
    return plural(C.conflictWays, "way") + ", " + plural(C.wavefronts, "wavefront");
  case Space::Constant:
    return plural(C.distinctAddresses, "address");
  case Space::Local:
    return plural(C.sectors, "sector");
  default:
    return plural(C.lines, "line") + ", " + plural(C.sectors, "sector");
  }
}

namespace {

using Key = std::tuple<std::string, unsigned, unsigned, Operation, Space>;

Key keyOf(const result::Access &A) {
  return {A.place.file, A.place.line, A.place.column, A.operation, A.space};
}

bool sameNumbers(Space Where, const result::Cost &A, const result::Cost &B) {
  switch (Where) {
  case Space::Shared:
    return A.conflictWays == B.conflictWays && A.wavefronts == B.wavefronts;
  case Space::Constant:
    return A.distinctAddresses == B.distinctAddresses;
  case Space::Local:
    return A.sectors == B.sectors;
  default:
    return A.lines == B.lines && A.sectors == B.sectors;
  }
}

std::string totalText(Space Where, const result::Total &T) {
  return plural(double(T.requests), "request") + ", " +
         (Where == Space::Shared ? plural(double(T.wavefronts), "wavefront")
                                 : plural(double(T.sectors), "sector"));
}

/// What the analysis says of one place, and what happened there.
struct Group {
  std::vector<const result::Access *> said;
  std::vector<const MeasuredAccess *> measured;
};

/// One configuration of the report and one of the program.
class Pair {
public:
  Pair(const result::Kernel &Said, const MeasuredKernel &Measured, ComparisonResult &Into)
      : Said(Said), Measured(Measured), Into(Into),
        Complete(Measured.complete && Said.grid && !Said.partial && !Measured.duplicates &&
                 Said.blockOrigin != result::BlockOrigin::Assumed) {}

  void run() {
    for (const result::Access &A : Said.accesses)
      if (A.unknownCall)
        CallsUnknown = true;
      else
        Groups[keyOf(A)].said.push_back(&A);
    for (const MeasuredAccess &M : Measured.accesses)
      groupFor(M.access).measured.push_back(&M);
    for (const auto &[Where, G] : Groups)
      judge(G);
  }

private:
  /// The analysis' group of the same place; of a space that it does not know; the only one of the line that
  /// nobody else has a claim to.
  Group &groupFor(const result::Access &A) {
    if (auto It = Groups.find(keyOf(A)); It != Groups.end())
      return It->second;
    result::Access Open = A;
    Open.space = Space::Unknown;
    if (auto It = Groups.find(keyOf(Open)); It != Groups.end())
      return It->second;
    Open.space = Space::Global;
    if (auto It = Groups.find(keyOf(Open)); It != Groups.end() && any_of(It->second.said, takesForGlobal))
      return It->second;
    Group *OfLine = nullptr;
    unsigned Found = 0;
    for (auto &[Where, G] : Groups)
      if (!G.said.empty() && !measuredAt(Where)) {
        const result::Access &Other = *G.said.front();
        if (Other.place.file == A.place.file && Other.place.line == A.place.line &&
            Other.operation == A.operation && Other.space == A.space) {
          OfLine = &G;
          ++Found;
        }
      }
    return Found == 1 ? *OfLine : Groups[keyOf(A)];
  }

  static bool takesForGlobal(const result::Access *A) {
    return any_of(A->assumptions, [](StringRef Text) { return Text.ends_with(result::LeadsToGlobal); });
  }

  bool measuredAt(const Key &Where) const {
    return any_of(Measured.accesses, [&](const MeasuredAccess &M) { return keyOf(M.access) == Where; });
  }

  void judge(const Group &G) {
    if (G.said.empty())
      return missing(G);
    const result::Access *Worst = G.said.front();
    for (const result::Access *A : G.said)
      if (A->confidence != Confidence::Unknown &&
          (Worst->confidence == Confidence::Unknown || worse(A->space, A->worst, Worst->worst)))
        Worst = A;
    if (G.measured.empty())
      return notExecuted(G, *Worst);
    MeasuredAccess Happened = *G.measured.front();
    for (const MeasuredAccess *M : ArrayRef(G.measured).drop_front())
      merge(Happened, *M);
    result::Access Seen = asAccess(Happened);

    if (any_of(G.said, [](const result::Access *A) { return A->confidence == Confidence::Unknown; }))
      return note(Verdict::Unknown, *Worst, Seen, "");
    if (any_of(G.measured, [&](const MeasuredAccess *M) {
          return none_of(G.said, [&](const result::Access *A) { return A->width == M->access.width; });
        }))
      return note(Verdict::OtherWidth, *Worst, Seen,
                  plural(Happened.access.width, "byte") + " a lane where the analysis says " +
                      utostr(Worst->width));

    const Space Where = Seen.space;
    if (Where != Worst->space && takesForGlobal(Worst))
      return note(Verdict::NotFulfilled, *Worst, Seen,
                  std::string("the pointer leads to ") + result::spelling(Where) + " memory");
    const bool Same = sameNumbers(Where, Seen.worst, Worst->worst);
    const bool Exceeds = !Same && worse(Where, Seen.worst, Worst->worst);
    std::string Difference;
    if (!Same)
      Difference = costText(Where, Seen.worst) + " in the worst request, where the analysis says " +
                   costText(Where, Worst->worst);
    if (all_of(G.said, [](const result::Access *A) { return A->confidence == Confidence::Exact; }))
      return judgeExact(G, *Worst, Seen, Same, Exceeds, std::move(Difference));
    if (Same)
      return note(Verdict::AgreedAssumed, *Worst, Seen, "");
    if (!Exceeds && !Complete)
      return note(Verdict::AgreedWithin, *Worst, Seen, "");
    std::vector<std::string> Assumptions;
    for (const result::Access *A : G.said)
      append_range(Assumptions, A->assumptions);
    const std::optional<bool> Holds =
        Measured.argumentsVary ? std::nullopt : fulfilled(Assumptions, Measured.kernel.arguments);
    note(!Holds   ? Verdict::Undecided
         : *Holds ? Verdict::AssumedWrong
                  : Verdict::NotFulfilled,
         *Worst, Seen, std::move(Difference));
  }

  void judgeExact(const Group &G, const result::Access &Worst, const result::Access &Seen, bool Same,
                  bool Exceeds, std::string Difference) {
    if (Exceeds || (Complete && !Same))
      return disprove(Worst, Seen, std::move(Difference));
    if (Complete && all_of(G.said, [](const result::Access *A) { return A->total.has_value(); })) {
      const result::Total Promised = totalOf(G);
      const result::Total &Happened = *Seen.total;
      const bool Shared = Seen.space == Space::Shared;
      if (Promised.requests != Happened.requests || (Shared ? Promised.wavefronts != Happened.wavefronts
                                                            : Promised.sectors != Happened.sectors))
        return disprove(Worst, Seen,
                        totalText(Seen.space, Happened) + " in all, where the analysis says " +
                            totalText(Seen.space, Promised));
    }
    note(Same ? Verdict::AgreedExact : Verdict::AgreedWithin, Worst, Seen, "");
  }

  /// Exact is what holds of pointers as allocations give them.
  void disprove(const result::Access &Worst, const result::Access &Seen, std::string Difference) {
    if (Measured.unalignedPointers && Seen.space == Space::Global)
      return note(Verdict::NotFulfilled, Worst, Seen,
                  Difference + "; a pointer that the launch passes is not 256-byte aligned");
    note(Verdict::ExactWrong, Worst, Seen, std::move(Difference));
  }

  /// Of all launches of the configuration.
  result::Total totalOf(const Group &G) const {
    result::Total Sum;
    for (const result::Access *A : G.said) {
      Sum.requests += A->total->requests * Measured.launches;
      Sum.sectors += A->total->sectors * Measured.launches;
      Sum.idealSectors += A->total->idealSectors * Measured.launches;
      Sum.wavefronts += A->total->wavefronts * Measured.launches;
    }
    return Sum;
  }

  void missing(const Group &G) {
    MeasuredAccess Happened = *G.measured.front();
    for (const MeasuredAccess *M : ArrayRef(G.measured).drop_front())
      merge(Happened, *M);
    // A thread's own memory: registers, as far as the analysis knows.
    if (Happened.access.space == Space::Local)
      return;
    const result::Access Seen = asAccess(Happened);
    note(Said.partial                  ? Verdict::Unknown
         : CallsUnknown && inCallee(G) ? Verdict::NotFollowed
                                       : Verdict::Missing,
         Seen, Seen, "");
  }

  /// In no function that is known to be the kernel's own?
  bool inCallee(const Group &G) const {
    return none_of(G.measured, [&](const MeasuredAccess *M) { return M->function == Measured.function; });
  }

  void notExecuted(const Group &G, const result::Access &Worst) {
    // What the compiler removes does not run.
    if (all_of(G.said, [](const result::Access *A) { return A->removed; }))
      return;
    const bool Promised = Complete &&
                          all_of(G.said,
                                 [](const result::Access *A) {
                                   return A->confidence == Confidence::Exact && A->total && !A->removed;
                                 }) &&
                          totalOf(G).requests;
    if (Promised)
      return note(Verdict::ExactWrong, Worst, std::nullopt,
                  "never happens, where the analysis says " + totalText(Worst.space, totalOf(G)));
    note(Verdict::NotExecuted, Worst, std::nullopt, "");
  }

  static result::Access asAccess(const MeasuredAccess &M) {
    result::Access A = M.access;
    A.total = {M.sums.requests, M.sums.sectors, M.sums.idealSectors, M.sums.wavefronts};
    return A;
  }

  void note(Verdict V, const result::Access &About, std::optional<result::Access> Seen,
            std::string Difference) {
    Into.all.push_back({V, Measured.kernel.signature, Measured.kernel.block, Measured.kernel.grid, About,
                        std::move(Seen), std::move(Difference)});
  }

  const result::Kernel &Said;
  const MeasuredKernel &Measured;
  ComparisonResult &Into;
  const bool Complete; ///< both sides know every request: their numbers are to be equal
  bool CallsUnknown = false; ///< the kernel calls functions that the analysis does not know
  std::map<Key, Group> Groups;
};

bool sameKernel(const result::Kernel &A, const result::Kernel &B) {
  return A.place.file == B.place.file && A.place.line == B.place.line && A.signature == B.signature;
}

/// How much the report knows of this configuration of the program; nothing: it is another.
std::optional<unsigned> match(const result::Kernel &Said, const MeasuredKernel &Measured) {
  const result::Kernel &Ran = Measured.kernel;
  if (!sameKernel(Said, Ran) || Said.block != Ran.block)
    return std::nullopt;
  unsigned Known = 0;
  if (Said.grid && Said.grid != Ran.grid)
    return std::nullopt;
  Known += Said.grid.has_value();
  if (Said.dynamicShared && Said.dynamicShared != Ran.dynamicShared)
    return std::nullopt;
  Known += Said.dynamicShared.has_value();
  for (const auto &[Name, Value] : Said.arguments) {
    auto It = Ran.arguments.find(Name);
    if (It == Ran.arguments.end())
      continue;
    if (It->second != Value)
      return std::nullopt;
    ++Known;
  }
  return Known;
}

std::string configuration(const MeasuredKernel &M) {
  std::string Text = M.kernel.signature + " with block";
  for (unsigned Extent : M.kernel.block)
    Text += " " + utostr(Extent);
  Text += ", grid";
  for (uint64_t Extent : M.kernel.grid.value_or(std::array<uint64_t, 3>{}))
    Text += " " + utostr(Extent);
  return Text;
}

} // namespace

std::set<std::array<unsigned, 3>> warplint::replay::shapesToAnalyse(const result::Report &Said,
                                                                    const Measurement &Measured) {
  std::set<std::array<unsigned, 3>> Shapes;
  for (const MeasuredKernel &M : Measured.kernels)
    if (any_of(Said.kernels, [&](const result::Kernel &K) { return sameKernel(K, M.kernel); }) &&
        none_of(Said.kernels, [&](const result::Kernel &K) { return match(K, M).has_value(); }))
      Shapes.insert(M.kernel.block);
  return Shapes;
}

ComparisonResult warplint::replay::compare(const result::Report &Said, const Measurement &Measured) {
  ComparisonResult Result;
  for (const MeasuredKernel &M : Measured.kernels) {
    const result::Kernel *Best = nullptr;
    unsigned Most = 0;
    for (const result::Kernel &K : Said.kernels)
      if (std::optional<unsigned> Known = match(K, M); Known && (!Best || *Known > Most)) {
        Best = &K;
        Most = *Known;
      }
    if (!Best) {
      Result.notAnalysed.push_back(configuration(M));
      continue;
    }
    ++Result.configurations;
    Pair(*Best, M, Result).run();
  }
  std::set<std::string> Seen;
  for (const result::Kernel &K : Said.kernels)
    if (none_of(Measured.kernels, [&](const MeasuredKernel &M) { return sameKernel(K, M.kernel); }) &&
        Seen.insert(K.signature).second)
      Result.notRun.push_back(K.signature);
  stable_sort(Result.all, [](const Comparison &A, const Comparison &B) { return A.verdict < B.verdict; });
  for (const Comparison &C : Result.all)
    ++Result.counts[C.verdict];
  return Result;
}
