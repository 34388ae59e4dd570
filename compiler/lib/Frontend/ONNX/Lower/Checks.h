//===- Checks.h - What only the run can check of many elements --*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_LOWER_CHECKS_H
#define TENON_LIB_FRONTEND_ONNX_LOWER_CHECKS_H

#include "Lowering.h"

namespace tenon::frontend {

/// The run ends with the message unless `Holds`, which gives i1, of every
/// element.
void requireAll(Lowering &L, mlir::Value Tensor, Lowering::Body Holds,
                const llvm::Twine &Message);

/// Requires 0 <= index < Limit of every element but those that are `Except`.
void requireIndices(Lowering &L, mlir::Value Indices, OpFoldResult Limit,
                    std::optional<int64_t> Except, const llvm::Twine &Message);

/// `Index`, an integer, as an index within [0, Limit); 0 where Limit is 0.
mlir::Value clampedIndex(mlir::OpBuilder &B, mlir::Location Loc,
                         mlir::Value Index, mlir::Value Limit);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_LOWER_CHECKS_H
