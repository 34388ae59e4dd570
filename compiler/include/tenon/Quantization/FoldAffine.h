//===- FoldAffine.h - Scales and offsets into weights -----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_QUANTIZATION_FOLDAFFINE_H
#define TENON_QUANTIZATION_FOLDAFFINE_H

#include "tenon/Dialect/ONNX/ONNX.h"

namespace tenon::quantization {

/// Folds what multiplies and adds constants, one an output channel, behind a
/// convolution or matrix product of constant weights that nobody else reads,
/// into its weights and bias: BatchNormalization, Mul, Div, Add, Sub.  A matrix
/// product of two dimensions that gets a bias becomes a Gemm.
///
/// Mul and Div by one constant also go up through what only moves elements,
/// through sums with constants and through products of two activations, where
/// nobody else reads any of them: the scale of attention's scores becomes part
/// of the weights of queries.  Returns how many nodes are gone.
int64_t foldAffine(onnx::GraphOp Graph);

/// Registers the pass `onnx-fold-affine`.
void registerFoldAffinePass();

} // namespace tenon::quantization

#endif // TENON_QUANTIZATION_FOLDAFFINE_H
