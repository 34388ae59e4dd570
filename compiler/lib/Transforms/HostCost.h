//===- HostCost.h - What operations cost on the host ------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Estimates to place layers with: operations of all kinds take the same time.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TRANSFORMS_HOSTCOST_H
#define TENON_LIB_TRANSFORMS_HOSTCOST_H

#include "tenon/Scheduling/HostSpeed.h"

#include "mlir/IR/Operation.h"

namespace tenon {

/// What the costs take an extent for that only a run knows, and the turns of a
/// loop: long enough that nothing of open size looks free.
constexpr int UnknownExtent = 64;

/// Whether there is such an extent among the values of a block.
bool hasOpenDimensions(mlir::Block &Body);

/// Milliseconds of an operation on the host beside the accelerator, what its
/// regions do included.
double hostMilliseconds(mlir::Operation *Op, const HostSpeed &Host);

/// Milliseconds to pack or to unpack a tensor of this many elements.
double moveMilliseconds(int64_t Elements, const HostSpeed &Host);

} // namespace tenon

#endif // TENON_LIB_TRANSFORMS_HOSTCOST_H
