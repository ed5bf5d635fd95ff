#include "analyzer/driver/UnusedValues.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace warplint;
using namespace warplint::driver;

namespace {

using Kernels = std::vector<result::Kernel>;

/// What is wrong with an assumption for NAME or KERNEL:NAME; "" when nothing is.
StringRef problemOf(StringRef Key, const Kernels &All) {
  auto [Kernel, Name] = Key.rsplit(':');
  if (Name.empty())
    std::swap(Kernel, Name); // no kernel is named
  const auto IsMeant = [&, Its = Kernel](const result::Kernel &K) { return Its.empty() || Its == K.name; };
  if (none_of(All, IsMeant))
    return "no kernel of that name was analysed";
  // A member of a structure is no argument of its own.
  if (Name.contains('.') || any_of(All, [&, It = Name.str()](const result::Kernel &K) {
        return IsMeant(K) && K.arguments.contains(It);
      }))
    return "";
  return "no kernel that was analysed has such an integer parameter";
}

void addUnused(const Configuration &C, StringRef File, const Kernels &All, std::vector<std::string> &Unused) {
  for (const kernel::GivenLaunch &Given : C.kernels)
    if (none_of(All, [&](const result::Kernel &K) { return Given.matches(K.name, K.signature); }))
      Unused.push_back((File + ":" + StringRef(Given.origin).rsplit(':').second + ": Kernels: '" +
                        Given.pattern + "' matches no kernel of the project; --format=json lists their names")
                           .str());
  for (const auto &[Key, Value] : C.assume)
    if (const StringRef Problem = problemOf(Key, All); !Problem.empty())
      Unused.push_back((File + ": Assume: '" + Key + "': " + Problem).str());
}

} // namespace

std::vector<std::string> warplint::driver::unusedValues(const RunOutcome &Outcome,
                                                        const RunOptions &Options) {
  const Kernels &All = Outcome.report.kernels;
  std::vector<std::string> Unused;
  if (All.empty())
    return Unused;
  for (const auto &[Key, Value] : Options.analysis.assume)
    if (const StringRef Problem = problemOf(Key, All); !Problem.empty())
      Unused.push_back(("--assume=" + Key + "=" + itostr(Value) + ": " + Problem).str());
  const bool Everything = Options.adoption.wholeProject && !Options.shard && !Outcome.interrupted &&
                          Outcome.failures.empty() && Outcome.report.errors.empty();
  if (Options.configurations && Everything)
    for (const auto &[File, Content] : Options.configurations->contents())
      addUnused(Content, File, All, Unused);
  return Unused;
}
