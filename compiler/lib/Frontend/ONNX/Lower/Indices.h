//===- Indices.h - Indices that come from data ------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// An index from data counts from the end where it is negative.  That it is
// within its axis is required once for all, and each use is kept within it.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_LOWER_INDICES_H
#define TENON_LIB_FRONTEND_ONNX_LOWER_INDICES_H

#include "Lowering.h"
#include "Scalars.h"

namespace tenon::frontend {

/// Requires all of `Indices` to be in [-Extent, Extent).
void requireWithin(Lowering &L, const Plain &Indices, mlir::Value Extent);
/// The same of tuples along the last axis, for the axes of `Data` from `Batch`
/// on.
void requireTuplesWithin(Lowering &L, const Plain &Indices, const Plain &Data,
                         int64_t Batch);
/// How many indices a tuple has; an error where it is not known.
mlir::FailureOr<int64_t> tupleSize(Lowering &L, const Plain &Indices);
/// What `Make` reads of `Data`, a tensor of `Of`; zeros where `Data` turns out
/// to be empty (if something is to be read, the run has ended by then).
mlir::Value unlessEmpty(Lowering &L, const Plain &Data, const Extents &Of,
                        llvm::function_ref<mlir::Value()> Make);
/// `Element` of `Indices` from the front, kept within [0, Extent).
mlir::Value keptIndex(Scalars &S, mlir::Value Element, const Plain &Indices,
                      mlir::Value Extent);
/// linalg.index of each of `Count` loops.
llvm::SmallVector<mlir::Value> loopIndices(mlir::OpBuilder &B,
                                           mlir::Location Loc, int64_t Count);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_LOWER_INDICES_H
