//===- Schemas.h - Operators as the ONNX library knows them -----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_SCHEMAS_H
#define TENON_LIB_FRONTEND_ONNX_SCHEMAS_H

#include "onnx/defs/schema.h"
#include "tenon/Dialect/ONNX/ONNX.h"

namespace tenon::frontend {

/// The schema of a node's operator in the node's opset; null where the library
/// knows none.
const ::onnx::OpSchema *schemaOf(onnx::NodeOp Op);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_SCHEMAS_H
