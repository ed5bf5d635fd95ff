//===-- Fixes.h - Making edits ---------------------------------------*- C++ -*-===//
#ifndef WARPLINT_RULES_FIXES_H
#define WARPLINT_RULES_FIXES_H

#include "analyzer/result/Result.h"
#include <optional>
#include <string>

namespace warplint::rules {

/// The extent as written, made larger by `Pad` elements: `32` -> `33`, `EDGE` -> `EDGE + 1`, `EDGE + 1` ->
/// `EDGE + 2`, `a << b` -> `(a << b) + 1`.
std::string enlarged(const std::string &Extent, unsigned Pad);

/// "[32][33]" of the extents {32, 33}.
std::string extentsText(const std::vector<uint64_t> &Extents);

/// Pads the rows of a tile by `Pad` elements; nothing when the extent is not in plain sight. Not yet
/// verified.
std::optional<result::Fix> padRows(const result::TileInfo &, unsigned Pad);

} // namespace warplint::rules

#endif
