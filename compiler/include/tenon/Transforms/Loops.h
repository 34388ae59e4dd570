//===- Loops.h - How often operations run -----------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TRANSFORMS_LOOPS_H
#define TENON_TRANSFORMS_LOOPS_H

#include "mlir/Interfaces/LoopLikeInterface.h"

namespace tenon {

/// Whether no loop begins between `Maker` and an operation that reads what it
/// makes: there `Maker` would run once an iteration.
inline bool isInSameLoop(mlir::Operation *Maker, mlir::Operation *Reader) {
  return Maker->getParentOfType<mlir::LoopLikeOpInterface>() ==
         Reader->getParentOfType<mlir::LoopLikeOpInterface>();
}

} // namespace tenon

#endif // TENON_TRANSFORMS_LOOPS_H
