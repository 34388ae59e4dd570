//===- BalanceChannels.h - Activations of equal channels --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_QUANTIZATION_BALANCECHANNELS_H
#define TENON_QUANTIZATION_BALANCECHANNELS_H

#include "tenon/Dialect/ONNX/ONNX.h"
#include "tenon/Quantization/Statistics.h"

namespace tenon::quantization {

/// Divides narrow channels of what convolutions compute by a factor below 1,
/// with which the convolutions that read them multiply their weights, so that
/// the channels share one scale with less loss and the network computes what it
/// did.  The factor is sqrt(a / w), a and w the largest value of the channel
/// and the largest weight that meets it, both of the largest channel's (Xiao et
/// al., "SmoothQuant: Accurate and efficient post-training quantization for
/// large language models", ICML 2023, equation 4 with a migration strength of
/// one half); a where only depthwise convolutions read it, whose weights have a
/// scale for each channel.
///
/// Factors pass Relu, LeakyRelu, pools, concatenations, sums (whose operands
/// then have the same), Clip from 0 where the channel was never cut off, the
/// scaled operand of squeeze-excite's products; and HardSwish, which floats
/// compute anyway, by a product in front of it and one behind it.  What else
/// reads a channel, or an output, leaves it alone.  Returns how many channels
/// have a factor.
int64_t balanceChannels(onnx::GraphOp Graph, const SeenChannels &Seen);

} // namespace tenon::quantization

#endif // TENON_QUANTIZATION_BALANCECHANNELS_H
