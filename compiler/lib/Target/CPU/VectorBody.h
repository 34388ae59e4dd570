//===- VectorBody.h - Bodies on vectors -------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_CPU_VECTORBODY_H
#define TENON_LIB_TARGET_CPU_VECTORBODY_H

#include "mlir/IR/Operation.h"

namespace tenon {

/// Whether the operation is the same on vectors, on every host, in the bits of
/// each element. Of the conversions of floats those between 16 and 32 bits are:
/// others are calls.
bool worksOnVectors(mlir::Operation &Op);

} // namespace tenon

#endif // TENON_LIB_TARGET_CPU_VECTORBODY_H
