//===- ChannelClasses.h - Channels that have one factor ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_QUANTIZATION_CHANNELCLASSES_H
#define TENON_LIB_QUANTIZATION_CHANNELCLASSES_H

#include "Product.h"
#include "tenon/Quantization/Statistics.h"

namespace tenon::quantization {

/// The channels of a tensor: along an axis, each of a class.
struct Channels {
  int64_t Axis;
  std::vector<unsigned> Classes;
};

/// A channel of a tensor may be divided by a factor where whatever computes it
/// has constants that can be divided, and whatever reads it weights that can be
/// multiplied.  A class is of the channels that a factor passes: they have the
/// same.
struct ChannelClasses {
  unsigned Count = 0;
  std::vector<bool> Pinned; ///< classes whose factor is 1
  llvm::MapVector<mlir::Value, Channels> Tensors;
  /// Products all of whose channels are in `Tensors`.
  std::vector<mlir::Operation *> Products;
  /// Constants of one value a channel of what their node computes.
  std::vector<mlir::OpOperand *> Vectors;
};

/// Of the products in `Found`.  What was seen of channels says which of them a
/// Clip cut off.
ChannelClasses classifyChannels(onnx::GraphOp Graph, const Products &Found,
                                const SeenChannels &Seen);

} // namespace tenon::quantization

#endif // TENON_LIB_QUANTIZATION_CHANNELCLASSES_H
