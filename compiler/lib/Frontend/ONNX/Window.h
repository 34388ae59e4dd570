//===- Window.h - Strides and pads of convolutions and pools ----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_WINDOW_H
#define TENON_LIB_FRONTEND_ONNX_WINDOW_H

#include "Importer.h"

namespace tenon::frontend {

/// Strides, pads and so on over an input of `Input` (y, x) elements.  `Kernel`
/// is the weights' window; empty: the attribute kernel_shape.
mlir::FailureOr<Window> readWindow(const Node &N, llvm::ArrayRef<int64_t> Input,
                                   llvm::ArrayRef<int64_t> Kernel);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_WINDOW_H
