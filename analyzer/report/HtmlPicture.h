//===-- HtmlPicture.h - Pictures of accesses and kernels as SVG ---------*- C++ -*-===//
//
// Drawn for the colours of the page that they are in (HtmlPage.cpp): what a request asks for is of one
// colour, what is moved or waited for beyond that of another, apart in brightness too.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_REPORT_HTMLPICTURE_H
#define WARPLINT_ANALYZER_REPORT_HTMLPICTURE_H

#include "analyzer/report/AccessPicture.h"
#include <string>
#include <vector>

namespace warplint::report {

/// The lanes over the 128-byte lines, or over the banks of shared memory; "" where there is nothing to draw.
std::string pictureOf(const ExplainedAccess &);

/// A bar that is filled up to a share.
std::string barOf(double Share);

/// A kernel under the roof of its GPU.
struct RooflinePoint {
  std::string number, name; ///< as the page's table has them
  double intensity = 0, flopsPerSecond = 0;
  bool memoryBound = false;
};
struct Roof {
  double flopsPerSecond = 0, bytesPerSecond = 0;
};
/// "" where there is no point to draw.
std::string rooflineOf(const std::vector<RooflinePoint> &, const std::vector<Roof> &);

} // namespace warplint::report

#endif
