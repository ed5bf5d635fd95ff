//===-- Footprint.h - From lane addresses to what they touch ----------------------*- C++ -*-===//
#ifndef WARPLINT_ANALYZER_DRIVER_FOOTPRINT_H
#define WARPLINT_ANALYZER_DRIVER_FOOTPRINT_H

#include "analyzer/result/Footprint.h"
#include "analyzer/result/Result.h"

namespace warplint::driver {

/// Of the access's worst request; empty where no address is known.
result::Footprint footprintOf(const result::Access &);

} // namespace warplint::driver

#endif
