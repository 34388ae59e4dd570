//===- Regroup.h - Groups of channels as rows -------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TRANSFORMS_REGROUP_H
#define TENON_LIB_TRANSFORMS_REGROUP_H

#include "Border.h"
#include "isa/isa.h"

namespace tenon {

/// Whether the tensor at the root, as NHWC, becomes `V` as NHWC by
/// accel.regroup: reshapes and transpositions as those that split channels into
/// heads and put the heads first, or back.
bool isRegrouped(mlir::Value V, BorderFilter Through, const isa::Layout &L);

/// Whether a layer reads `V` where the layer at the root stores it.
bool isCarried(mlir::Value V, BorderFilter Through, const isa::Layout &L);

} // namespace tenon

#endif // TENON_LIB_TRANSFORMS_REGROUP_H
