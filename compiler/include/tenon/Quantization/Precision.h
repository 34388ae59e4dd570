//===- Precision.h - What a layer computes in -------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_QUANTIZATION_PRECISION_H
#define TENON_QUANTIZATION_PRECISION_H

#include <map>
#include <string>

namespace tenon::quantization {

/// What a layer's activations are, from the coarsest on. Weights are integers
/// of 8 bits but for Float.
enum class Precision { Int8, Int16, Float };

/// Of layers, by the name of their first node; those that are not named are
/// Int8. A layer reads its inputs in its own precision or, where what makes
/// them is coarser, in that; the result is in its own.
using Precisions = std::map<std::string, Precision>;

inline Precision precisionOf(const Precisions &Of, const std::string &Layer) {
  auto Found = Of.find(Layer);
  return Found == Of.end() ? Precision::Int8 : Found->second;
}

/// "int8", "int16", "float".
const char *nameOf(Precision Of);

} // namespace tenon::quantization

#endif // TENON_QUANTIZATION_PRECISION_H
