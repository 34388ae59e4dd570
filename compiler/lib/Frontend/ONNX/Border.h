//===- Border.h - What a network takes and gives ----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_BORDER_H
#define TENON_LIB_FRONTEND_ONNX_BORDER_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

namespace tenon::frontend {

/// uint8 is held as value - 128.
constexpr int64_t UnsignedOffset = 128;

/// The fixed type of the input `Name` of type `Declared`: an open first
/// dimension, the batch, is taken as 1, with a warning; anything else open, and
/// what a program cannot take, is reported.
mlir::FailureOr<mlir::RankedTensorType>
inputType(mlir::Location Place, llvm::StringRef Name, mlir::Type Declared);

/// Reports an output `Name` whose declared type does not admit `Found`.
mlir::LogicalResult checkDeclared(mlir::Location Place, llvm::StringRef Name,
                                  mlir::Type Declared, mlir::Type Found);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_BORDER_H
