//===-- Comparison.h - The analysis held against what a program did -------*- C++ -*-===//
//
// Kernels are matched by signature, block, and as far as the analysis names them grid, dynamic shared memory
// and arguments; accesses by place, operation and space. Several of one place (a helper called twice, fields
// of a copied structure) are one.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_TOOLS_REPLAY_PROGRAM_COMPARISON_H
#define WARPLINT_TOOLS_REPLAY_PROGRAM_COMPARISON_H

#include "analyzer/result/Result.h"
#include "tools/replay/program/Measurement.h"
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace warplint::replay {

/// Worst first.
enum class Verdict {
  ExactWrong,    ///< what the analysis proved is not so
  AssumedWrong,  ///< what it assumed holds, and its numbers do not
  Missing,       ///< it happened, and the report does not list it
  OtherWidth,    ///< the analysis joins accesses that the program makes one by one, or splits them
  NotFulfilled,  ///< numbers differ, and so does what they rest on
  Undecided,     ///< numbers differ, and whether what they rest on holds is not known
  NotFollowed,   ///< missing, and the kernel has calls of functions that the analysis does not know
  Unknown,       ///< the analysis has no numbers
  NotExecuted,   ///< the program never came there
  AgreedAssumed, ///< the same numbers, under assumptions
  AgreedWithin,  ///< no request was worse than what the analysis proved of every launch
  AgreedExact,   ///< the same numbers
};
const char *spelling(Verdict); ///< "exact-wrong", for JSON
const char *words(Verdict);    ///< for people

/// Is it of an access that the analysis' report does not list?
inline bool isMissing(Verdict V) { return V == Verdict::Missing || V == Verdict::NotFollowed; }

/// The numbers that are compared, of a request in that space: "1 line, 4 sectors".
std::string costText(result::Space, const result::Cost &);

struct Comparison {
  Verdict verdict = Verdict::AgreedExact;
  std::string kernel; ///< signature
  std::array<unsigned, 3> block{1, 1, 1};
  std::optional<std::array<uint64_t, 3>> grid;
  result::Access said; ///< the analysis; the measured one's place and kind where it is missing
  std::optional<result::Access> measured; ///< with Access::total; nothing where the program never came there
  std::string difference;                 ///< "2 sectors where the analysis says 1"
};

/// What was compared with what, worst verdict first; within a verdict in the order of the report.
struct ComparisonResult {
  std::vector<Comparison> all;
  std::map<Verdict, unsigned> counts;
  unsigned configurations = 0;          ///< of the program that the analysis has too
  std::vector<std::string> notAnalysed; ///< configurations of the program that it does not have
  std::vector<std::string> notRun;      ///< kernels of the report that the program never launched
};

/// Block shapes that kernels ran with and that the analysis has no configuration for, of kernels that it has.
std::set<std::array<unsigned, 3>> shapesToAnalyse(const result::Report &Said, const Measurement &Measured);

ComparisonResult compare(const result::Report &Said, const Measurement &Measured);

/// Do these arguments fulfil what a result rests on? Nothing: it rests on something else, or a value is not
/// known.
std::optional<bool> fulfilled(const std::vector<std::string> &Assumptions,
                              const std::map<std::string, int64_t> &Arguments);

} // namespace warplint::replay

#endif
