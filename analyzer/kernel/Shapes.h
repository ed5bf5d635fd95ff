//===-- Shapes.h - The warps of a block --------------------------------------*- C++ -*-===//
#ifndef WARPLINT_ANALYZER_KERNEL_SHAPES_H
#define WARPLINT_ANALYZER_KERNEL_SHAPES_H

#include "analyzer/kernel/Machine.h"

namespace warplint::kernel {

/// The warps of a block (threads in x, y, z), those that differ by a shift alone as one shape. Linear thread
/// id = x + y*Dx + z*Dx*Dy; 32 consecutive ids are a warp; the last may be partial.
std::vector<WarpShape> warpShapes(std::array<unsigned, 3> Block);

/// What is left of a box when a part of it is taken out.
std::vector<Box> without(Box Whole, const Box &Part);

} // namespace warplint::kernel

#endif
