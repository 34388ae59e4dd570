//===- Order.h - Sorting and selecting by computed conditions ---*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_LOWER_ORDER_H
#define TENON_LIB_FRONTEND_ONNX_LOWER_ORDER_H

#include "Lowering.h"
#include "Scalars.h"

namespace tenon::frontend {

/// Whether element `A` is less than `B`, of type `Element`.
mlir::Value isLess(Scalars &S, mlir::Type Element, mlir::Value A,
                   mlir::Value B);

/// Whether index `A` has to come before index `B`.
using Precedes = llvm::function_ref<mlir::Value(
    mlir::OpBuilder &B, mlir::Location Loc, mlir::Value A, mlir::Value Other)>;

/// The indices 0 to `Count` - 1 in order (tensor<?xindex>); what neither
/// precedes the other stays as it was.  Takes Count log Count steps.
mlir::Value sortedIndices(Lowering &L, mlir::Value Count, Precedes Before);

/// The places of what is true, in order.
struct Selected {
  mlir::Value Places; ///< tensor<?xindex>, of which the first `Count` count
  mlir::Value Count;
};
Selected selectTrue(Lowering &L, mlir::Value Flags);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_LOWER_ORDER_H
