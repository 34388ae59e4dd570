//===- Window.h - Strides and pads of convolutions and pools ----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_WINDOW_H
#define TENON_LIB_FRONTEND_ONNX_WINDOW_H

#include "Importer.h"

namespace tenon::frontend {

/// Strides, pads and so on over an input of `Input` elements: y and x, or x
/// alone, which becomes a window of height 1 over an image of height 1.
/// `Kernel` is the weights' window; empty: the attribute kernel_shape.
mlir::FailureOr<Window> readWindow(const Node &N, llvm::ArrayRef<int64_t> Input,
                                   llvm::ArrayRef<int64_t> Kernel);

/// Whether a tensor of so many dimensions is an image, with rows or without.
inline bool isImageRank(size_t Rank) { return Rank == 3 || Rank == 4; }

/// Batch, channels, rows and columns of an image's result.
Shape imageShape(llvm::ArrayRef<int64_t> Input, int64_t Channels,
                 const Window &W);

/// NHWC of an image, which has one row where the tensor has no such axis.
mlir::Value imageOf(Emitter &Emit, const Stored &Tensor);
/// The tensor of `Rank` dimensions that such an image is.
Stored fromImage(Emitter &Emit, const Stored &Image, size_t Rank);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_WINDOW_H
