//===- compiler/driver/onnx_types.h - Types of ONNX as text -----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Inside the driver only.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_COMPILER_DRIVER_ONNX_TYPES_H
#define TENON_COMPILER_DRIVER_ONNX_TYPES_H

#include "mlir/IR/Types.h"

#include <optional>
#include <string>
#include <vector>

namespace tenon::compiler {

/// "float32", "uint8", ...: of a tensor's elements, "?" where it is not known.
std::string elementText(mlir::Type type);

/// Extents, names of open ones, "?" of one without a name; "..." alone where
/// not even the rank is known.
std::vector<std::string> shapeText(mlir::Type type);

/// "float32 1x3x224x224"; "?" where the file does not tell.
std::string typeText(mlir::Type type);

/// None where the shape is open.
std::optional<int64_t> elementsOf(mlir::Type type);
std::optional<int64_t> bytesOf(mlir::Type type);

} // namespace tenon::compiler

#endif // TENON_COMPILER_DRIVER_ONNX_TYPES_H
