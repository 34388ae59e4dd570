//===- AccelTensorOps.cpp - Layers of a network ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Dialect/Accel/Accel.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tenon::accel;

#define GET_OP_CLASSES
#include "tenon/Dialect/Accel/AccelOps.cpp.inc"

LogicalResult ContractOp::verify() { return success(); }

LogicalResult WindowOp::verify() { return success(); }
