//===- FixShapes.h - Open dimensions that become fixed ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_FIXSHAPES_H
#define TENON_LIB_FRONTEND_ONNX_FIXSHAPES_H

#include "tenon/Dialect/ONNX/ONNX.h"
#include "tenon/Frontend/ONNX/ImportModel.h"

namespace tenon::frontend {

/// Gives inputs the shapes that the user says.  An open dimension that gets an
/// extent gets it wherever its name stands.  A shape that does not fit is an
/// error.
mlir::LogicalResult fixShapes(onnx::GraphOp Graph, const InputShapes &Shapes);

/// The accelerator computes tensors of fixed shape: where the graph has
/// quantised operators, an open first dimension of an input is 1 from here on,
/// with a warning.  Elsewhere it stays open.
void fixBatch(onnx::GraphOp Graph);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_FIXSHAPES_H
