//===- InsertQuantization.h - A plan put into a network ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_QUANTIZATION_INSERTQUANTIZATION_H
#define TENON_QUANTIZATION_INSERTQUANTIZATION_H

#include "mlir/Support/LLVM.h"
#include "tenon/Quantization/AdaptRounding.h"
#include "tenon/Quantization/Parameters.h"
#include "tenon/Quantization/Plan.h"
#include "tenon/Quantization/Precision.h"
#include "tenon/Quantization/Weights.h"

namespace tenon::quantization {

/// What a calibration decided.
struct Calibration {
  /// What there is before any value was seen: every scale is 1.
  explicit Calibration(const Plan &Of);

  std::vector<Parameters> Groups; ///< of the plan's groups, by their numbers
  std::vector<Parameters> Wide;   ///< the same in 16 bits
  Precisions Layers;
  WeightOptions Weights;
  /// The mean of each channel of the tensors that products read, by name: their
  /// biases are corrected by what rounding the weights does to the mean.  None:
  /// they are not.
  std::map<std::string, std::vector<double>> Means;
  /// Rounds weights by what they meet; null: each to the nearest integer.
  AdaptiveRounding *Rounding = nullptr;
};

/// Puts QuantizeLinear and DequantizeLinear behind each planned tensor of a
/// float network, DequantizeLinear behind the weights, which become integers,
/// and behind biases, which become INT32 in the accumulator's scale.  The
/// outputs keep their names and types.  Returns the names of what the integers
/// of the planned tensors stand for (of one that nothing rounds, its own);
/// fails, with a diagnostic, where weights are not finite.  A layer in 16 bits
/// needs opset 21, and keeps its bias in float.
mlir::FailureOr<std::vector<std::string>>
insertQuantization(onnx::GraphOp Graph, const Plan &Of,
                   const Calibration &With);

/// Boolean scalars that a network has behind its own inputs, in this order.
struct SwitchNames {
  /// What rounds: layers, by the first node, with their weights and result, and
  /// tensors that float nodes or nobody computed.
  std::vector<std::string> Units;
  /// Layers that only select: what they give is as rounded as what they read.
  std::vector<std::string> Selections;
};

/// The same with a switch for each layer, and each tensor that no layer
/// computes: inputs of the network behind its own, and a last one.  A unit
/// whose switch is false is as it was in the float network, so that any part of
/// a plan can be looked at in one network.  Where the last switch is true,
/// layers whose switches are true read integers, too, whoever made what they
/// read, as in the network in which the others are Precision::Float.
mlir::FailureOr<SwitchNames> insertSwitched(onnx::GraphOp Graph, const Plan &Of,
                                            const Calibration &With);

/// Registers the pass `onnx-quantize`: the plan, with scales of 1.
void registerQuantizePass();

} // namespace tenon::quantization

#endif // TENON_QUANTIZATION_INSERTQUANTIZATION_H
