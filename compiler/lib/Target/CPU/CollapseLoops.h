//===- CollapseLoops.h - One loop of several --------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_CPU_COLLAPSELOOPS_H
#define TENON_LIB_TARGET_CPU_COLLAPSELOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tenon {

/// `Op`, on buffers, with neighbouring parallel loops as one where every
/// operand lies without gaps along them, or is the same: rows of images, of
/// sequences and of batches are rows of one matrix, and what is computed
/// element by element has one loop. Returns `Op` where there are none.
mlir::linalg::GenericOp collapseLoops(mlir::RewriterBase &B,
                                      mlir::linalg::GenericOp Op);

} // namespace tenon

#endif // TENON_LIB_TARGET_CPU_COLLAPSELOOPS_H
