//===- Contractions.h - Weights and biases ----------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// What convolutions and matrix products share.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_CONTRACTIONS_H
#define TENON_LIB_FRONTEND_ONNX_CONTRACTIONS_H

#include "Window.h"

namespace tenon::frontend {

/// 8-bit weights with one zero point (in held values) and one scale, or one an
/// output channel.
struct ConstantWeights {
  TensorData Integers;
  int64_t Offset; // subtracted from the file's values: 128 for uint8
  int64_t ZeroPoint;
  std::vector<double> Scales;

  /// All elements, less `Offset`.
  std::vector<int8_t> held() const;
};

/// Input `Index` as the result of a DequantizeLinear whose scales lie along
/// `ChannelAxis`.
mlir::FailureOr<ConstantWeights>
dequantizedWeights(Importer &I, const Node &N, int Index, int64_t ChannelAxis);
/// Inputs `Index`, `Index + 1`, `Index + 2` as integers, scales, zero points.
mlir::FailureOr<ConstantWeights> storedWeights(Importer &I, const Node &N,
                                               int Index, int64_t ChannelAxis);
/// Integers with an optional zero point at input `ZeroIndex`, scale 1.
mlir::FailureOr<ConstantWeights> integerWeights(Importer &I, const Node &N,
                                                int Index, int ZeroIndex,
                                                int64_t ChannelAxis);

/// Accumulator scales and a zero bias for the weights' output channels.
mlir::LogicalResult setScales(Contraction &C, const ConstantWeights &Weights,
                              double InputScale);
/// The optional int32 bias at input `Index`.
mlir::LogicalResult setIntegerBias(Importer &I, const Node &N, int Index,
                                   Contraction &C);
/// The optional float or dequantised bias at input `Index`, added to the bias
/// in the accumulator's scale, rounded to nearest even.
mlir::LogicalResult setRealBias(Importer &I, const Node &N, int Index,
                                Contraction &C);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_CONTRACTIONS_H
