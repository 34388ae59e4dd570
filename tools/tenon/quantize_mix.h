//===- tools/tenon/quantize_mix.h - A precision for each layer --*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_QUANTIZE_MIX_H
#define TENON_TOOLS_TENON_QUANTIZE_MIX_H

#include "tools/tenon/quantize_search.h"

namespace tenon::tools {

/// The share of the float network's answers that a network has: of the right
/// ones where classes are known, else of all.
double shareOf(const Accuracy &accuracy);

/// Takes layers of what `search` kept out of int8 until its share is `target`,
/// as few and as cheap ones as were found; the mix is kept. Layers are ranked
/// by the sensitivity in the report, or measured on `most` samples where it has
/// none. InvalidArgument where the float network has no right answer.
absl::Status reachTarget(QuantizeSearch &search, double target,
                         const Samples &evaluated, size_t most,
                         Progress &progress, Quantized &report);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_QUANTIZE_MIX_H
