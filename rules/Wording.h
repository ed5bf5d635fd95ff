//===-- Wording.h - The words that rules share -----------------------*- C++ -*-===//
//
// Messages say what, how much against the ideal, and what to do: the pieces that more than one rule says.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_RULES_WORDING_H
#define WARPLINT_RULES_WORDING_H

#include "analyzer/result/Result.h"
#include "rules/Options.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace warplint::rules {

/// "1 sector", "4 sectors".
std::string count(double Number, llvm::StringRef Unit);
/// A number without needless decimals: "4", "4.5".
std::string number(double);
/// "33 %", rounded to whole per cent.
std::string percent(double Fraction);
/// "an 8-way", "a 32-way".
std::string nWay(double Ways);

/// "global load", "shared store".
std::string what(const result::Access &);
/// "32 transactions and 32 sectors where 4 sectors would do", and in parentheses what companions make of it.
std::string globalCost(const result::Access &);
/// "32-way bank conflict: 32 wavefronts where 1 would do", with the article.
std::string conflictCost(const result::Access &);

/// "block 32x8 from the launch at line 12".
std::string block(const result::Kernel &);
/// "lane t reads in + 128*t + ... (block 256 from the launch at line 12)", with what it rests on.
std::string lanes(const result::Kernel &, const result::Access &);
/// The lane stride in words: "32 elements", "n elements", "6 bytes"; "" when it is not one number.
std::string stride(const result::Access &);

/// Impact from the share of moved bytes that are used, one step lower when straight-line companions use the
/// rest.
result::Impact globalImpact(const result::Access &, const Values &);
result::Impact conflictImpact(const result::Access &, const Values &);
/// Of a share that should be large, by HighImpactPercent and MediumImpactPercent.
result::Impact impactOfShare(double Share, const Values &);

/// The options that these read.
inline constexpr OptionInfo HighImpactPercent{"HighImpactPercent", 25, 0, 100};
inline constexpr OptionInfo MediumImpactPercent{"MediumImpactPercent", 50, 0, 100};
inline constexpr OptionInfo MinExcessSectors{"MinExcessSectors", 1, 1, 1024};
inline constexpr OptionInfo GlobalOptions[] = {MinExcessSectors, HighImpactPercent, MediumImpactPercent};
inline constexpr OptionInfo ConflictOptions[] = {
    {"MinWays", 2, 2, 32}, {"HighImpactWays", 8, 1, 33}, {"MediumImpactWays", 2, 1, 33}};
/// "warning" for high and medium, "note" for low.
result::Severity severityOf(result::Impact);

/// A finding about an access: place, cost and the first note (which address each lane touches) filled in.
result::Finding finding(const char *Rule, const result::Kernel &, const result::Access &, result::Impact,
                        std::string Message);
/// Adds the note that says what to write instead.
void remedy(result::Finding &, std::string Message);
/// Adds the note that a thread's own later iterations use the rest of its sectors, when they do.
void noteReuse(result::Finding &, const result::Access &);

} // namespace warplint::rules

#endif
