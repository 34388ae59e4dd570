//===- Plan.h - What of a network is quantised ------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Decided once, on a float network; everything is known by its ONNX name, so
// that a plan holds for copies of the network, too.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_QUANTIZATION_PLAN_H
#define TENON_QUANTIZATION_PLAN_H

#include "tenon/Dialect/ONNX/Node.h"
#include "tenon/Frontend/ONNX/Clusters.h"
#include "tenon/Quantization/Statistics.h"
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tenon::quantization {

/// A tensor that QuantizeLinear and DequantizeLinear stand behind.
struct PlannedTensor {
  std::string Name;
  /// Tensors of one group have one scale and zero point.
  int64_t Group = 0;
  /// The axis of its channels; none of a scalar.
  std::optional<int64_t> ChannelAxis;
  /// Every value of it is another planned tensor's: it tells nothing new.
  bool IsSelected = false;
  /// Nothing rounds it: the means of its channels are asked for alone.
  bool IsFloat = false;
  /// Nodes that compute in float read it as it is before it is quantised: it is
  /// an input of the network, or float nodes computed it.
  bool IsFromFloat = false;
  /// No product follows: answers are read from it, which a value at the end of
  /// its range would change.
  bool IsAnswer = false;
  /// Of each channel, the values that its readers tell apart: HardSwish is 0
  /// below -3, HardSigmoid flat at both ends.  Empty: all.
  std::vector<Range> Useful;
};

/// A cluster of nodes that the accelerator takes whole: the one that computes,
/// and what is fused behind it.
struct PlannedLayer {
  ClusterRole Role = ClusterRole::None;
  std::string Node;                ///< the first node's name
  std::string Operator;            ///< and operator
  std::string Output;              ///< the first node's output
  std::string Result;              ///< the last one's: a planned tensor
  std::vector<std::string> Nodes;  ///< all of them, by name
  std::vector<std::string> Inputs; ///< planned tensors

  // Of a contraction.
  std::string Weights;
  int64_t WeightAxis = 0; ///< of the output channels
  /// The constant, or empty; an Add behind a matrix product may have it.
  std::string Bias;
  /// Of weights in groups: along their inputs.
  std::optional<int64_t> GroupAxis;
};

/// All in the order of the graph.
struct Plan {
  std::vector<PlannedTensor> Tensors;
  std::vector<PlannedLayer> Layers;
  /// Contractions that compute in float, whose weights alone become integers,
  /// in groups.
  std::vector<PlannedLayer> Grouped;
  /// Convolutions whose inputs are no multiple of that, by name, with the
  /// number of inputs: they are layers.
  std::vector<std::pair<std::string, int64_t>> Ungrouped;

  const PlannedTensor *tensor(llvm::StringRef Name) const;
  /// The layer that computes a tensor; null where none does.
  const PlannedLayer *makerOf(llvm::StringRef Tensor) const;
  /// Everything with constant weights.
  std::vector<const PlannedLayer *> products() const;
};

/// Plans the main graph of a normalised float model without nodes of the names
/// in `Left`, which stay in float.  Where `Group` is not 0, products with more
/// inputs than that, and convolutions with a multiple of it, are grouped.
///
/// Convolutions and matrix products are quantised, also products of two
/// activations.  Of the other operators, which lose accuracy and gain nothing
/// by themselves, those are that a quantised layer's values reach, or that lie
/// between an input of the network and a product; but no sum that only float
/// nodes read.  A concatenation and what selects have one scale for
/// inputs and result, so that nothing is computed in them; a linear resize has,
/// too.
Plan planQuantization(onnx::GraphOp Graph,
                      const std::set<std::string> &Left = {},
                      int64_t Group = 0);

} // namespace tenon::quantization

#endif // TENON_QUANTIZATION_PLAN_H
