//===- compiler/driver/picture.h - A graph to be drawn ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Inside the driver only.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_COMPILER_DRIVER_PICTURE_H
#define TENON_COMPILER_DRIVER_PICTURE_H

#include "compiler/driver/inspection.pb.h"

#include "mlir/IR/BuiltinOps.h"

namespace tenon::compiler {

/// Adds inputs, nodes and outputs of the main graph as vertices, each with the
/// place that `picture.inspection()` says.
void addVertices(mlir::ModuleOp model, Picture &picture);

} // namespace tenon::compiler

#endif // TENON_COMPILER_DRIVER_PICTURE_H
