//===- LoopStride.h - Steps along a loop -----------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_CPU_LOOPSTRIDE_H
#define TENON_LIB_TARGET_CPU_LOOPSTRIDE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/AffineMap.h"

#include <optional>

namespace tenon {

/// How far apart in an operand's innermost axis two neighbours along loop `Dim`
/// are: 0 where they are one element; none where they are in different rows.
std::optional<int64_t> strideAlong(mlir::AffineMap Map, unsigned Dim);

/// Whether an operand, as it lies, is dense along loop `Dim` or, if it is an
/// input, the same for all of it. In panels (PackProducts) it is for as many
/// elements as a vector has, from a multiple of that many on.
bool isDenseAlong(mlir::linalg::GenericOp Op, mlir::OpOperand &Operand,
                  unsigned Dim);

} // namespace tenon

#endif // TENON_LIB_TARGET_CPU_LOOPSTRIDE_H
