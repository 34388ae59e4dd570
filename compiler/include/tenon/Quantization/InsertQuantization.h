//===- InsertQuantization.h - A plan put into a network ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_QUANTIZATION_INSERTQUANTIZATION_H
#define TENON_QUANTIZATION_INSERTQUANTIZATION_H

#include "mlir/Support/LLVM.h"
#include "tenon/Quantization/Parameters.h"
#include "tenon/Quantization/Plan.h"
#include "tenon/Quantization/Weights.h"

namespace tenon::quantization {

/// What a calibration decided.
struct Calibration {
  std::vector<Parameters> Groups; ///< of the plan's groups, by their numbers
  WeightOptions Weights;
  /// The mean of each channel of the tensors that products read, by name: their
  /// biases are corrected by what rounding the weights does to the mean.  None:
  /// they are not.
  std::map<std::string, std::vector<double>> Means;
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

} // namespace tenon::quantization

#endif // TENON_QUANTIZATION_INSERTQUANTIZATION_H
