//===- InsertQuantization.h - A plan put into a network ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_QUANTIZATION_INSERTQUANTIZATION_H
#define TENON_QUANTIZATION_INSERTQUANTIZATION_H

#include "mlir/Support/LLVM.h"
#include "tenon/Quantization/BiasCorrection.h"
#include "tenon/Quantization/Parameters.h"
#include "tenon/Quantization/Plan.h"

namespace tenon::quantization {

/// What a calibration decided.
struct Calibration {
  /// What there is before any value was seen: every scale is 1.
  explicit Calibration(const Plan &Of);

  std::vector<Parameters> Groups; ///< of the plan's groups, by their numbers
  WeightOptions Weights;
  /// Of the tensors that products read, by name: their biases are corrected by
  /// what rounding does to the mean.  None: they are not.
  std::map<std::string, ChannelMeans> Means;
};

/// Puts QuantizeLinear and DequantizeLinear behind each planned tensor of a
/// float network, DequantizeLinear behind the weights, which become integers,
/// and behind biases, which become INT32 in the accumulator's scale.  The
/// outputs keep their names and types.  Returns the names of what the integers
/// of the planned tensors stand for; fails, with a diagnostic, where weights
/// are not finite.
mlir::FailureOr<std::vector<std::string>>
insertQuantization(onnx::GraphOp Graph, const Plan &Of,
                   const Calibration &With);

/// The same with a switch for each layer that rounds, and each tensor that
/// float nodes or nobody computed: an input of the network, a boolean scalar
/// behind its own.  A layer whose switch is false is as it was in the float
/// network, so that any part of a plan can be looked at in one network. Returns
/// what the switches are of, in their order: names of a layer's first node, or
/// tensors.
mlir::FailureOr<std::vector<std::string>>
insertSwitched(onnx::GraphOp Graph, const Plan &Of, const Calibration &With);

/// Registers the pass `onnx-quantize`: the plan, with scales of 1.
void registerQuantizePass();

} // namespace tenon::quantization

#endif // TENON_QUANTIZATION_INSERTQUANTIZATION_H
