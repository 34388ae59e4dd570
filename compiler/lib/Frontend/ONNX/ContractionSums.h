//===- ContractionSums.h - The sums of a contraction ------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_CONTRACTIONSUMS_H
#define TENON_LIB_FRONTEND_ONNX_CONTRACTIONSUMS_H

#include "Emitter.h"

namespace tenon::frontend {

/// The 32-bit sums of a contraction, channels last; one bias an output channel.
mlir::Value sumsOf(Emitter &Emit, const Contraction &C,
                   llvm::ArrayRef<int32_t> Bias);
/// Those of a product, of Batch x Rows x Columns.
mlir::Value sumsOf(Emitter &Emit, const Product &P);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_CONTRACTIONSUMS_H
