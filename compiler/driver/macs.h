//===- compiler/driver/macs.h - Work of a node ------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Inside the driver only.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_COMPILER_DRIVER_MACS_H
#define TENON_COMPILER_DRIVER_MACS_H

#include "tenon/Dialect/ONNX/Node.h"

#include <optional>

namespace tenon::compiler {

/// How a contraction says what it multiplies.
struct Contraction {
  int input, weights; // positions among the node's inputs
  /// The operator takes quantised operands itself.
  const char *form; // as Quantization.form; null: float, or between Q and DQ
};

/// What `operator` of ai.onnx contracts; null where it does not.
const Contraction *contractionOf(const onnx::Node &node);

/// Multiply-accumulates of a contraction, from the shapes of its values; none
/// where one that matters is open.
std::optional<double> macsOf(const onnx::Node &node);

} // namespace tenon::compiler

#endif // TENON_COMPILER_DRIVER_MACS_H
