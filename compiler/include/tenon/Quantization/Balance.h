//===- Balance.h - How channels are balanced --------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_QUANTIZATION_BALANCE_H
#define TENON_QUANTIZATION_BALANCE_H

#include "tenon/Quantization/Statistics.h"

namespace tenon::quantization {

/// By what was seen of channels; by nothing: not at all.
struct Balance {
  SeenChannels Seen;
  bool PowerOfTwo = false; ///< factors are
};

/// What may be met beyond what was seen of a channel.
constexpr double BalanceHeadroom = 1.25;

} // namespace tenon::quantization

#endif // TENON_QUANTIZATION_BALANCE_H
