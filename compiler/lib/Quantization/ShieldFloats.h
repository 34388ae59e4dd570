//===- ShieldFloats.h - What onnxruntime is not to round --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// onnxruntime gives a Conv, ConvTranspose or Gemm between DequantizeLinear and
// QuantizeLinear whose weights are floats weights of 8 bits in one scale, and
// one whose bias is floats a bias of 32 bits in the scale of the sums
// (its optimiser WeightBiasQuantization).  It does so also where a sum behind a
// MatMul becomes a Gemm, and where the DequantizeLinear moves past a Reshape
// before; but only where that has one scale.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_QUANTIZATION_SHIELDFLOATS_H
#define TENON_LIB_QUANTIZATION_SHIELDFLOATS_H

#include "tenon/Quantization/Rewriting.h"

namespace tenon::quantization {

/// Gives products that are to compute in float, or with a float bias, inputs
/// whose scale stands once for each index of an axis: the same values, which
/// onnxruntime leaves alone.  Not where no axis is known to have two elements.
/// `InIntegers` are the nodes whose floats may be rounded.
void shieldFloats(Rewriting &R, onnx::GraphOp Graph,
                  llvm::function_ref<bool(mlir::Operation *)> InIntegers);

} // namespace tenon::quantization

#endif // TENON_LIB_QUANTIZATION_SHIELDFLOATS_H
