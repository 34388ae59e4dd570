//===- CostModel.h - What a layer costs, here and there ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TRANSFORMS_COSTMODEL_H
#define TENON_LIB_TRANSFORMS_COSTMODEL_H

#include "isa/proto/configuration.pb.h"
#include "tenon/Transforms/Layer.h"

namespace tenon {

/// Cycles of a layer on the accelerator: the longest of its work on GEMM, its
/// work on the ALU, the beats it reads and the beats it writes.
int64_t acceleratorCycles(const Layer &L, const isa::Configuration &Config);

/// Milliseconds of an operation on the host beside the accelerator.
double hostMilliseconds(mlir::Operation *Op);

/// Milliseconds to leave the accelerator and to come back for a layer's
/// tensors: a launch more, unpacking and packing.
double crossingMilliseconds(const Layer &L);

} // namespace tenon

#endif // TENON_LIB_TRANSFORMS_COSTMODEL_H
