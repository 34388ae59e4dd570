//===- DescribeLayer.h - Operations as layers -------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Between the operations of the accel dialect and the plain structures that the
// scheduler works on, in both directions.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SCHEDULING_DESCRIBELAYER_H
#define TENON_SCHEDULING_DESCRIBELAYER_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "tenon/Dialect/Accel/Accel.h"
#include "tenon/Scheduling/Schedule.h"
#include "tenon/Scheduling/Stream.h"

namespace tenon::scheduling {

/// Attribute of an operation that makes an activation: where it lies.
constexpr llvm::StringLiteral DramAttr = "accel.dram";
/// Attribute of the module: bytes of all activations.
constexpr llvm::StringLiteral DramBytesAttr = "accel.dram_bytes";
/// On the module: begin and size of each part of the activations that is read
/// but stored by no layer, so that DRAM must hold something there.
constexpr llvm::StringLiteral DramZerosAttr = "accel.dram_zeros";

/// Attribute of a layer whose tiles are interleaved with those of the layer
/// before it, the one that it reads.
constexpr llvm::StringLiteral InterleavedAttr = "accel.interleaved";

/// Axes of N, H, W, C where H is counted as N, and N, which is one, as H: what
/// lists and moves whole tensors knows distances of images alone.
llvm::SmallVector<int64_t> withRowsAsImages(llvm::ArrayRef<int64_t> Axes);

/// A layer that computes.
bool isLayer(mlir::Operation *Op);
/// What gives activations that layers make another shape where they lie.
bool movesNothing(mlir::Operation *Op);

/// The layer whose result `Op` reads, if it stands directly before it among the
/// layers of its block; null otherwise.
mlir::Operation *layerBefore(mlir::Operation *Op);

/// The layer with its constants; tensors have places once `accel.dram` is
/// there. Emits what is wrong with the operation.
mlir::FailureOr<Layer> describeLayer(mlir::Operation *Op);

/// What its schedule depends on, and a layer with this problem whose constants
/// have no values: enough to search and to estimate, not to lower.
accel::LayerAttr attributeOf(mlir::MLIRContext *Context, const Layer &L);
Layer layerOf(accel::LayerAttr Problem);

/// The operation that computes the layer from `Input` (and `Residual`, and of a
/// product `Weights`), without a schedule. Its constants stand before it.
mlir::Operation *createLayer(mlir::OpBuilder &B, mlir::Location Loc,
                             const Layer &L, mlir::Value Input,
                             mlir::Value Residual, mlir::Value Weights);

/// Shape, and place if it is known, of an activation.
TensorView describeTensor(mlir::Value V);

accel::ScheduleAttr toAttribute(mlir::MLIRContext *Context, const Schedule &S);
Schedule fromAttribute(accel::ScheduleAttr A);

/// An instruction as an operation at the builder's place, and back.
mlir::Operation *createInstruction(mlir::OpBuilder &B, mlir::Location Loc,
                                   const StreamInstruction &I);
StreamInstruction readInstruction(mlir::Operation *Op);

/// The constants of a stream.
mlir::ArrayAttr toAttribute(mlir::MLIRContext *Context,
                            const std::vector<Segment> &Segments);
std::vector<Segment> readSegments(accel::StreamOp Stream);

} // namespace tenon::scheduling

#endif // TENON_SCHEDULING_DESCRIBELAYER_H
