//===- PerChannel.h - A tensor and a constant, element by element -*- C++ -*-=//
//
// Part of Tenon, under the Apache License v2.0.
//
// What adds a constant to a tensor, or multiplies it by one, is a contraction
// of one tap for each channel.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_PERCHANNEL_H
#define TENON_LIB_FRONTEND_ONNX_PERCHANNEL_H

#include "Importer.h"

namespace tenon::frontend {

inline bool isConstant(const Tensor &Value) {
  return std::holds_alternative<TensorData>(Value) ||
         std::holds_alternative<RealConstant>(Value);
}

/// Of a constant.
Shape constantShape(const Tensor &Value);

/// Whether a constant of `Dims` has at most one value a channel of a tensor
/// with `Rank` axes.
bool isPerChannel(llvm::ArrayRef<int64_t> Dims, int64_t Rank,
                  int64_t ChannelAxis);

/// The axis of `Of` that is its channels for the constant at input `Index`: the
/// one along which that has several values.
mlir::FailureOr<int64_t> channelsFor(Importer &I, const Node &N, int Index,
                                     const Stored &Of);

/// The axis of the channels where a layer treats all of them alike.
int64_t anyChannels(const Stored &Of);

/// `Of` times 1, as Taps[0] or one of them a channel of axis `Axis`, which is
/// an image's second or the last one; scales are those of a step of each tap.
Contraction eachChannel(const Quantized &Of, int64_t Axis,
                        llvm::ArrayRef<int8_t> Taps);

/// Beside a bias of that many steps every sum of a tensor's fine steps fits 32
/// bits.
inline constexpr double MostSteps = 1 << 30;

/// `Of` times `Sign`, 1 or -1, with a bias whose steps are finer than any that
/// matters.
Contraction withFineBias(const Quantized &Of, int64_t Axis, int Sign);

/// Gives sums without a bias such steps where theirs are coarse.
mlir::LogicalResult refineSteps(const Node &N, Contraction &C);

/// Adds one value, or one a channel, to the bias.
mlir::LogicalResult shift(const Node &N, Contraction &C,
                          llvm::ArrayRef<double> Values);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_PERCHANNEL_H
