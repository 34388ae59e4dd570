//===- Attributes.h - Attributes of ONNX nodes ------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Each reader returns the default when the attribute is absent and reports one
// of another kind.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_ATTRIBUTES_H
#define TENON_LIB_FRONTEND_ONNX_ATTRIBUTES_H

#include "Importer.h"

namespace tenon::frontend {

mlir::FailureOr<int64_t> integerAttribute(Importer &I, const Node &N,
                                          llvm::StringRef Name,
                                          int64_t Default);
mlir::FailureOr<double> realAttribute(Importer &I, const Node &N,
                                      llvm::StringRef Name, double Default);
mlir::FailureOr<std::string> stringAttribute(Importer &I, const Node &N,
                                             llvm::StringRef Name,
                                             llvm::StringRef Default);
mlir::FailureOr<Shape> integersAttribute(Importer &I, const Node &N,
                                         llvm::StringRef Name,
                                         llvm::ArrayRef<int64_t> Default);

/// `Axis` counted from the front; reports one outside of [-Rank, Rank).
mlir::FailureOr<int64_t> normalizedAxis(Importer &I, const Node &N,
                                        int64_t Axis, int64_t Rank);

/// Strides, pads and so on over an input of `Input` (y, x) elements.  `Kernel`
/// is the weights' window; empty: the attribute kernel_shape.
mlir::FailureOr<Window> readWindow(Importer &I, const Node &N,
                                   llvm::ArrayRef<int64_t> Input,
                                   llvm::ArrayRef<int64_t> Kernel);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_ATTRIBUTES_H
