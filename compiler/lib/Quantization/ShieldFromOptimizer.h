//===- ShieldFromOptimizer.h - What onnxruntime would break -----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// What onnxruntime's optimisers do to nodes between DequantizeLinear and
// QuantizeLinear:
//
// * A Conv, ConvTranspose or Gemm whose weights are floats gets weights of 8
//   bits in one scale, and one whose bias is floats a bias of 32 bits in the
//   scale of the sums (WeightBiasQuantization); also where a MatMul and the sum
//   behind it become a Gemm, and where the DequantizeLinear moves past a
//   Reshape before.
// * With opset 21, a DequantizeLinear of INT8 that moves past a Reshape or the
//   like leaves a QuantizeLinear behind whose types do not match: the network
//   is refused.  A MatMul with more than two axes and a sum have a Reshape once
//   they become a Gemm.
//
// A DequantizeLinear whose scales lie along an axis is left alone by all, and
// so is a sum with a matrix.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_QUANTIZATION_SHIELDFROMOPTIMIZER_H
#define TENON_LIB_QUANTIZATION_SHIELDFROMOPTIMIZER_H

#include "tenon/Quantization/Rewriting.h"

namespace tenon::quantization {

/// Gives what computes in float inputs whose scale stands once for each index
/// of an axis: the same values.  Not where no axis is known to have two
/// elements. `InIntegers` are the nodes that compute in integers of 8 bits.
void shieldFromOptimizer(
    Rewriting &R, onnx::GraphOp Graph,
    llvm::function_ref<bool(mlir::Operation *)> InIntegers);

} // namespace tenon::quantization

#endif // TENON_LIB_QUANTIZATION_SHIELDFROMOPTIMIZER_H
