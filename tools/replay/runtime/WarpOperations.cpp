//===-- WarpOperations.cpp - What shuffles, votes and matches give ------------------===//
//
// PTX ISA: shfl.sync, vote.sync, match.sync, redux.sync.
//
//===----------------------------------------------------------------------===//
#include "tools/replay/runtime/Scheduler.h"
#include <algorithm>
#include <bit>

using namespace warplint::replay;

template <typename Body> static void forLanes(uint32_t Lanes, Body B) {
  for (uint32_t Left = Lanes; Left; Left &= Left - 1)
    B(unsigned(std::countr_zero(Left)));
}

static void shuffle(Lane *All, uint32_t Lanes) {
  enum { Up, Down, Butterfly, Index };
  forLanes(Lanes, [&](unsigned L) {
    GroupOperation &O = All[L].group;
    const uint32_t Segment = O.c >> 8 & 31, Clamp = O.c & 31, B = O.b & 31;
    const uint32_t Least = L & Segment, Most = Least | (Clamp & ~Segment);
    int Source = int(L);
    bool InRange = false;
    switch (O.mode) {
    case Up:
      Source = int(L) - int(B);
      InRange = Source >= int(Most);
      break;
    case Down:
      Source = int(L + B);
      InRange = Source <= int(Most);
      break;
    case Butterfly:
      Source = int(L ^ B);
      InRange = Source <= int(Most);
      break;
    case Index:
      Source = int(Least | (B & ~Segment));
      InRange = Source <= int(Most);
      break;
    }
    // A lane that does not take part has no value to give; PTX leaves the result open, here it is one's own.
    if (!InRange || !(Lanes >> Source & 1))
      Source = int(L);
    O.result = uint32_t(All[Source].group.value) | uint64_t(InRange) << 32;
  });
}

static void vote(Lane *All, uint32_t Lanes) {
  enum { VoteAll, VoteAny, VoteUniform, Ballot };
  uint32_t Yes = 0;
  forLanes(Lanes, [&](unsigned L) { Yes |= uint32_t(All[L].group.value != 0) << L; });
  forLanes(Lanes, [&](unsigned L) {
    GroupOperation &O = All[L].group;
    switch (O.mode) {
    case VoteAll:
      O.result = Yes == Lanes;
      break;
    case VoteAny:
      O.result = Yes != 0;
      break;
    case VoteUniform:
      O.result = Yes == Lanes || Yes == 0;
      break;
    case Ballot:
      O.result = Yes;
      break;
    }
  });
}

static void matchAny(Lane *All, uint32_t Lanes) {
  forLanes(Lanes, [&](unsigned L) {
    uint32_t Same = 0;
    forLanes(Lanes, [&](unsigned M) { Same |= uint32_t(All[M].group.value == All[L].group.value) << M; });
    All[L].group.result = Same;
  });
}

static void matchAll(Lane *All, uint32_t Lanes) {
  const uint64_t First = All[std::countr_zero(Lanes)].group.value;
  bool Same = true;
  forLanes(Lanes, [&](unsigned L) { Same &= All[L].group.value == First; });
  forLanes(Lanes, [&](unsigned L) { All[L].group.result = Same ? uint64_t(1) << 32 | Lanes : 0; });
}

static uint32_t reduce(uint32_t Kind, uint32_t A, uint32_t B) {
  enum { Add, UMin, UMax, Min, Max, And, Or, Xor };
  switch (Kind) {
  case Add:
    return A + B;
  case UMin:
    return std::min(A, B);
  case UMax:
    return std::max(A, B);
  case Min:
    return uint32_t(std::min(int32_t(A), int32_t(B)));
  case Max:
    return uint32_t(std::max(int32_t(A), int32_t(B)));
  case And:
    return A & B;
  case Or:
    return A | B;
  default:
    return A ^ B;
  }
}

static void redux(Lane *All, uint32_t Lanes) {
  const unsigned First = unsigned(std::countr_zero(Lanes));
  uint32_t Result = uint32_t(All[First].group.value);
  forLanes(Lanes & (Lanes - 1),
           [&](unsigned L) { Result = reduce(All[L].group.mode, Result, uint32_t(All[L].group.value)); });
  forLanes(Lanes, [&](unsigned L) { All[L].group.result = Result; });
}

void warplint::replay::evaluateGroup(Lane *All, uint32_t Lanes) {
  switch (All[std::countr_zero(Lanes)].group.kind) {
  case GroupOperation::SyncWarp:
    break;
  case GroupOperation::Shuffle:
    return shuffle(All, Lanes);
  case GroupOperation::Vote:
    return vote(All, Lanes);
  case GroupOperation::MatchAny:
    return matchAny(All, Lanes);
  case GroupOperation::MatchAll:
    return matchAll(All, Lanes);
  case GroupOperation::Redux:
    return redux(All, Lanes);
  }
}
