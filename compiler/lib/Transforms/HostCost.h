//===- HostCost.h - What operations cost on the host ------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Estimates to place layers with, not to report: the host is an embedded core
// that runs compiled scalar code (tenon/Scheduling/HostSpeed.h).
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TRANSFORMS_HOSTCOST_H
#define TENON_LIB_TRANSFORMS_HOSTCOST_H

#include "mlir/IR/Operation.h"

namespace tenon {

/// Milliseconds of an operation on the host beside the accelerator.
double hostMilliseconds(mlir::Operation *Op);

/// Milliseconds to pack or to unpack a tensor of this many elements.
double moveMilliseconds(int64_t Elements);

/// Milliseconds to leave the accelerator and to come back: a launch with its
/// two cache flushes.
constexpr double LaunchMs = 0.05;

} // namespace tenon

#endif // TENON_LIB_TRANSFORMS_HOSTCOST_H
