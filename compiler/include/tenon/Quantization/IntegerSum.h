//===- IntegerSum.h - Which sums bear integers ------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_QUANTIZATION_INTEGERSUM_H
#define TENON_QUANTIZATION_INTEGERSUM_H

#include "tenon/Quantization/Statistics.h"
#include <string>

namespace tenon::quantization {

/// Why the sum of two tensors has to stay in float, empty where it need not: by
/// the values that were seen of each, a range that holds the sum would leave
/// nothing of one of them.  So it is of an attention mask of 0 and -1e4, or
/// -inf, however it was computed; a range that cuts such values off would let
/// masked positions count.
std::string whyNoIntegerSum(const TensorStatistics &First,
                            const TensorStatistics &Second);

} // namespace tenon::quantization

#endif // TENON_QUANTIZATION_INTEGERSUM_H
