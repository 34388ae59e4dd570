//===- AccelDialect.cpp - The accelerator dialect -------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Dialect/Accel/Accel.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tenon::accel;

#include "tenon/Dialect/Accel/AccelDialect.cpp.inc"
#include "tenon/Dialect/Accel/AccelEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tenon/Dialect/Accel/AccelAttributes.cpp.inc"

void AccelDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tenon/Dialect/Accel/AccelAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tenon/Dialect/Accel/AccelOps.cpp.inc"
      >();
}
