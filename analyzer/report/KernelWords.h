//===-- KernelWords.h - What is known of kernels, in words ------------*- C++ -*-===//
//
// Numbers and sentences that people read in tables and in the HTML report. What is not known is "", or says
// why. All text is safe to print.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_REPORT_KERNELWORDS_H
#define WARPLINT_ANALYZER_REPORT_KERNELWORDS_H

#include "analyzer/report/ShownWork.h"
#include "analyzer/result/Result.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace warplint::report {

/// "1,310,720"; "4.5".
std::string number(double Value);
/// "12.5 %"
std::string percent(double Share);
/// FLOP/byte: "0.25", "8", "32.9".
std::string ratio(double Value);
/// "2*n", "96"; "" where it is not known.
std::string amount(const ShownWork::Shown &);
/// "83.3 GFLOP/s".
std::string rate(double FlopsPerSecond);
/// "32x8": without extents of 1 at the end.
std::string extents(llvm::ArrayRef<uint64_t>);
std::string blockOf(const result::Kernel &);
/// With template arguments, without parameters: "apply<float, (kind)1>".
std::string shortName(const result::Kernel &);
/// "a, b and c", where the separator is " and ".
std::string list(const std::vector<std::string> &, llvm::StringRef LastSeparator);

/// Sectors or wavefronts beyond the ideal of a whole launch, where that is known.
std::optional<double> launchExcess(const result::Access &);
/// By what accesses are ranked: the launch's excess, else that of one warp. Not known: below all.
double waste(const result::Access &);
/// Executions by one warp.
std::string perWarp(const result::Access &);

std::string occupancyCell(const result::Occupancy &);
std::string etaCell(const result::Eta &);
std::string workSentence(const result::Kernel &);
std::string rooflineSentence(const result::Roofline &);
std::string occupancySentence(const result::Occupancy &);
/// Of a kernel that has an eta.
std::string etaSentence(const result::Kernel &);
/// What tiles in shared memory would do, or which arrays several threads read.
std::string reuseSentence(const result::Kernel &);

} // namespace warplint::report

#endif
