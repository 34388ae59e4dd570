//===- Accel.h - The accelerator dialect ------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_DIALECT_ACCEL_ACCEL_H
#define TENON_DIALECT_ACCEL_ACCEL_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tenon/Dialect/Accel/AccelDialect.h.inc"
#include "tenon/Dialect/Accel/AccelEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tenon/Dialect/Accel/AccelAttributes.h.inc"

#include "tenon/Dialect/Accel/AccelInterfaces.h.inc"

#define GET_OP_CLASSES
#include "tenon/Dialect/Accel/AccelOps.h.inc"

#endif // TENON_DIALECT_ACCEL_ACCEL_H
