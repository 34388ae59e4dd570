//===- BalanceChannels.h - Activations of equal channels --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_QUANTIZATION_BALANCECHANNELS_H
#define TENON_QUANTIZATION_BALANCECHANNELS_H

#include "tenon/Dialect/ONNX/ONNX.h"
#include "tenon/Quantization/Balance.h"
#include <set>

namespace tenon::quantization {

struct Balanced {
  int64_t Channels = 0; ///< that have a factor, however many tensors it passes
  std::set<std::string> Tensors; ///< of which a channel has one
};

/// Divides narrow channels of what products and normalisations compute by a
/// factor below 1, with which the products that read them multiply their
/// weights, so that the channels share one scale with less loss and the network
/// computes what it did.  The factor is sqrt(a / w), a and w the largest value
/// of the channel and the largest weight that meets it, both of the largest
/// channel's (Xiao et al., "SmoothQuant: Accurate and efficient post-training
/// quantization for large language models", ICML 2023, equation 4 with a
/// migration strength of one half); a where only depthwise convolutions read
/// it, whose weights have a scale for each channel.
///
/// Convolutions have their channels at axis 1, matrix products at the last,
/// layer normalisation and products with a vector where that lies.  Factors
/// pass offsets of channels, Relu, LeakyRelu, pools, means, concatenations,
/// sums (whose operands then have the same), what moves elements but does not
/// mix channels, Clip from 0 where the channel was never cut off, and the
/// scaled operand of squeeze-excite's products.  Products that share weights
/// share factors.  What else reads a channel, or an output, leaves it alone.
Balanced balanceChannels(onnx::GraphOp Graph, const Balance &By);

} // namespace tenon::quantization

#endif // TENON_QUANTIZATION_BALANCECHANNELS_H
