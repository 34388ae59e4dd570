//===- Depthwise.h - Sums of products of bytes by channel --------*- C++
//-*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_CPU_DEPTHWISE_H
#define TENON_LIB_TARGET_CPU_DEPTHWISE_H

#include "RegisterFile.h"
#include "SumOfProducts.h"

namespace tenon {

/// sum (x[.., c] - OffsetX) * (w[.., c] - OffsetW) over a window, as in a
/// depthwise convolution. What multiplies neighbouring bytes takes those of
/// several taps, once they lie together.
struct Depthwise {
  mlir::OpOperand *X = nullptr, *W = nullptr;
  int32_t OffsetX = 0, OffsetW = 0; ///< of 8 bits
  /// The reduction whose taps are multiplied together. Where there is another,
  /// none of those that move along with `Row`: then tiles share the taps of
  /// neighbouring rows.
  unsigned Together = 0;
  SumOfProducts Sum;
};

/// `Op` on buffers with its channels along loop `Channels`, of a window so
/// small that all of its taps are written out.
std::optional<Depthwise> readDepthwise(mlir::linalg::GenericOp Op,
                                       unsigned Channels,
                                       std::optional<unsigned> Row);

} // namespace tenon

#endif // TENON_LIB_TARGET_CPU_DEPTHWISE_H
