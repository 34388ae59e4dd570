//===- LoopWork.h - How much a loop nest does -------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_CPU_LOOPWORK_H
#define TENON_LIB_TARGET_CPU_LOOPWORK_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tenon {

/// Of all of `Op`, an operation on buffers; 0 where extents are open.
struct LoopWork {
  uint64_t Operations = 0; ///< that compute; two for each product of a sum
  uint64_t Bytes = 0;      ///< that it reads and writes, each element once
};
LoopWork workOf(mlir::linalg::LinalgOp Op);

/// About how many nanoseconds all of `Op` takes one core: it is to tell
/// microseconds from milliseconds, since what depends on it is how many threads
/// are woken. A step of a reduction stays in registers, whatever it is; of a
/// walk through memory, each operation counts. Of index.
mlir::Value estimatedNanoseconds(mlir::OpBuilder &B, mlir::linalg::LinalgOp Op);

} // namespace tenon

#endif // TENON_LIB_TARGET_CPU_LOOPWORK_H
