//===- tools/tenon/sensitivity.h - What each layer loses --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_SENSITIVITY_H
#define TENON_TOOLS_TENON_SENSITIVITY_H

#include "tools/tenon/switched_network.h"

namespace tenon::tools {

/// Runs a switched network on at most `most` samples: with each unit alone in
/// integers, with all but it, and with all.
absl::Status sensitivity(const Switchboard &board, const Samples &samples,
                         size_t most, Progress &progress, Quantized &report);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_SENSITIVITY_H
