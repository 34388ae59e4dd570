//===- ElementTypes.h - ONNX's element types --------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_ELEMENTTYPES_H
#define TENON_LIB_FRONTEND_ONNX_ELEMENTTYPES_H

#include "mlir/IR/Types.h"
#include <string>

namespace tenon::frontend {

/// MLIR's type of ONNX's element type; null for a number that is none.
mlir::Type elementType(mlir::MLIRContext *Context, int64_t Number);

/// ONNX's number of an element type; UNDEFINED where it has none.
int32_t elementNumber(mlir::Type Element);

/// "INT8", "FLOAT"; the number where it has no name.
std::string describeElement(int64_t Number);

/// ONNX's name of `Element`; MLIR's where it is no type of ONNX's.
std::string describeType(mlir::Type Element);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_ELEMENTTYPES_H
