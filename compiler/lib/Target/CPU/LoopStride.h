//===- LoopStride.h - Steps along a loop -----------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_CPU_LOOPSTRIDE_H
#define TENON_LIB_TARGET_CPU_LOOPSTRIDE_H

#include "mlir/IR/AffineMap.h"

#include <optional>

namespace tenon {

/// How far apart in an operand's innermost axis two neighbours along loop `Dim`
/// are: 0 where they are one element; none where they are in different rows.
std::optional<int64_t> strideAlong(mlir::AffineMap Map, unsigned Dim);

} // namespace tenon

#endif // TENON_LIB_TARGET_CPU_LOOPSTRIDE_H
