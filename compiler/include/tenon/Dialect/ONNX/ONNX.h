//===- ONNX.h - The ONNX dialect --------------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A model file in SSA (ONNXDialect.td says how).  Node.h is the convenient view
// of a node, TensorData.h of constants.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_DIALECT_ONNX_ONNX_H
#define TENON_DIALECT_ONNX_ONNX_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tenon/Dialect/ONNX/ONNXDialect.h.inc"
#include "tenon/Dialect/ONNX/ONNXEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "tenon/Dialect/ONNX/ONNXTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tenon/Dialect/ONNX/ONNXAttributes.h.inc"

#define GET_OP_CLASSES
#include "tenon/Dialect/ONNX/ONNXOps.h.inc"

namespace tenon::onnx {

/// The module's attribute with what the model says of itself.
inline constexpr llvm::StringLiteral ModelAttrName = "onnx.model";

/// The main graph of a module that was read from a model; null where there is
/// none.
GraphOp mainGraph(mlir::ModuleOp Module);

/// The ONNX name of a value: of a node's output, a graph's input or a constant.
/// Empty for `onnx.none`.
llvm::StringRef nameOf(mlir::Value Value);

/// The name of dimension `Axis` of `Type`; empty where it has none.
llvm::StringRef dimensionName(mlir::Type Type, int64_t Axis);

/// "ai.onnx" for the empty domain.
llvm::StringRef domainName(llvm::StringRef Domain);

} // namespace tenon::onnx

#endif // TENON_DIALECT_ONNX_ONNX_H
