//===- WindowGeometry.h - Where the windows of an operator lie --*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Of a tensor [N, C, ...]: of each spatial axis, by the node's attributes
// kernel_shape, strides, dilations, pads, auto_pad and ceil_mode.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_LOWER_WINDOWGEOMETRY_H
#define TENON_LIB_FRONTEND_ONNX_LOWER_WINDOWGEOMETRY_H

#include "Lowering.h"

namespace tenon::frontend {

/// One spatial axis, in elements.
struct WindowAxis {
  int64_t Kernel, Stride = 1, Dilation = 1;
  OpFoldResult In;
  OpFoldResult Low, High; ///< what the node pads
  OpFoldResult Out;       ///< how many windows there are

  /// From the first element of a window to behind its last.
  int64_t reach() const { return (Kernel - 1) * Dilation + 1; }
};

using WindowAxes = llvm::SmallVector<WindowAxis>;

/// Attribute `Name`, an error where a number needs more than 32 bits: what is
/// computed from them does not overflow 64.
mlir::FailureOr<llvm::SmallVector<int64_t>>
smallIntegers(Lowering &L, llvm::StringRef Name,
              llvm::ArrayRef<int64_t> Default);

/// Attribute `Name`, one number an axis, each at least `Least`.
mlir::FailureOr<llvm::SmallVector<int64_t>>
perAxis(Lowering &L, llvm::StringRef Name, int64_t Count, int64_t Default,
        int64_t Least);

/// The attributes alone: kernel, strides and dilations.  `Kernel`: what the
/// node's weights say, empty where it has none.
mlir::FailureOr<WindowAxes> readSteps(Lowering &L, int64_t Spatial,
                                      llvm::ArrayRef<int64_t> Kernel);

/// All of it, for windows on X.
mlir::FailureOr<WindowAxes> readWindows(Lowering &L, mlir::Value X,
                                        llvm::ArrayRef<int64_t> Kernel = {});

/// The static spatial extents of weights; an error where the run tells them.
mlir::FailureOr<llvm::SmallVector<int64_t>> kernelOf(Lowering &L,
                                                     mlir::Value Weights);

/// X with everything behind its first two axes padded such that no window
/// leaves it.
mlir::Value paddedFor(Lowering &L, mlir::Value X,
                      llvm::ArrayRef<WindowAxis> Axes, mlir::Value With);

/// [N, C] of `Of` and the windows' counts.
Extents windowedExtents(Lowering &L, mlir::Value X,
                        llvm::ArrayRef<WindowAxis> Axes);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_LOWER_WINDOWGEOMETRY_H
