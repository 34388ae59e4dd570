//===- InferenceFunctions.h - Types of results by type of node --*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The ONNX library's functions, and ours where it has none or a wrong one.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_INFERENCEFUNCTIONS_H
#define TENON_LIB_FRONTEND_ONNX_INFERENCEFUNCTIONS_H

#include "onnx/defs/schema.h"

namespace tenon::frontend {

/// Null where nobody knows: the library has no function for most operators
/// that a body of nodes defines.
::onnx::InferenceFunction inferenceOf(const ::onnx::OpSchema &Schema);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_INFERENCEFUNCTIONS_H
