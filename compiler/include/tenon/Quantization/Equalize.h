//===- Equalize.h - Channels of equal ranges --------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_QUANTIZATION_EQUALIZE_H
#define TENON_QUANTIZATION_EQUALIZE_H

#include "tenon/Dialect/ONNX/ONNX.h"

namespace tenon::quantization {

/// Cross-layer equalisation: where a convolution's result goes to another one
/// alone, through nothing that a positive factor cannot pass (Relu, LeakyRelu,
/// pools), channel i of the first is divided and of the second multiplied by
/// sqrt(r1 / r2), r1 and r2 the largest weights of the channel in both, so that
/// their ranges become equal and the network computes what it did (Nagel et
/// al., "Data-free quantization through weight equalization and bias
/// correction", ICCV 2019, section 4.1).  Repeated until nothing changes.
/// Returns the number of pairs.
int64_t equalize(onnx::GraphOp Graph);

/// Registers the pass `onnx-equalize`.
void registerEqualizePass();

} // namespace tenon::quantization

#endif // TENON_QUANTIZATION_EQUALIZE_H
