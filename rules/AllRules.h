//===-- AllRules.h - One declaration per rule ----------------------------*- C++ -*-===//
#ifndef WARPLINT_RULES_ALLRULES_H
#define WARPLINT_RULES_ALLRULES_H

#include "rules/Rules.h"

namespace warplint::rules {

extern const Rule GlobalAos;
extern const Rule GlobalRowPerThread;
extern const Rule GlobalStride;
extern const Rule GlobalNarrow;
extern const Rule GlobalMisaligned;
extern const Rule GlobalFewLanes;
extern const Rule GlobalBroadcast;
extern const Rule GlobalGather;
extern const Rule SharedTileColumn;
extern const Rule SharedBankConflict;
extern const Rule MisalignedVectorCast;
extern const Rule ConstantDivergent;
extern const Rule LocalIndexedArray;
extern const Rule AtomicContention;
extern const Rule LaunchPartialWarp;
extern const Rule KernelBandwidthBound;
extern const Rule CostContract;

} // namespace warplint::rules

#endif
