//===- Movement.h - Operators that move held elements -----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_MOVEMENT_H
#define TENON_LIB_FRONTEND_ONNX_MOVEMENT_H

#include "Importer.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tenon::frontend {

using Move = llvm::function_ref<mlir::FailureOr<Stored>(const Stored &)>;

/// Defines the output as `Apply` of the held tensor behind input 0: integers,
/// dequantised integers and floats move alike.
mlir::LogicalResult move(Importer &I, const Node &N, Move Apply);

/// An 8-bit image with its channels last, as its neighbours are; anything else
/// as it is.
Stored channelsLast(Importer &I, const Stored &Input);

/// Names the 8-bit integers that a selection leaves by the node's output, so
/// that they are compared with the reference: a layer makes them, although the
/// ONNX tensor may be their dequantised form.
void markSelected(Importer &I, const Node &N, const Stored &Result);

/// `Values`, one an axis of the ONNX tensor, in the order of the held axes.
Shape heldOrder(const Stored &Input, llvm::ArrayRef<int64_t> Values);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_MOVEMENT_H
