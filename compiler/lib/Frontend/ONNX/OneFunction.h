//===- OneFunction.h - A converter's module becomes one function *- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_ONEFUNCTION_H
#define TENON_LIB_FRONTEND_ONNX_ONEFUNCTION_H

#include "mlir/IR/BuiltinOps.h"

namespace tenon::frontend {

/// Leaves one function in a module as torch-mlir and TFLite's converter write
/// it: @main, or the only public function, under that name; with what it calls
/// inlined, and without global variables, whose uses stay. Nothing changes
/// where it has no such function, which is no error here. An error: calls that
/// go in a circle, or become more than a million operations.
mlir::LogicalResult keepOneFunction(mlir::ModuleOp Module);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_ONEFUNCTION_H
