//===- tools/tenon/sensitivity.h - What each layer loses --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_SENSITIVITY_H
#define TENON_TOOLS_TENON_SENSITIVITY_H

#include "tools/quantization_page/quantize.pb.h"
#include "tools/tenon/host_network.h"
#include "tools/tenon/progress.h"
#include "tools/tenon/samples.h"

namespace tenon::tools {

/// Runs a network that has a switch for each of `units` behind its own inputs
/// (compiler::Quantizer::Switched) on at most `most` samples: with each unit
/// alone in integers, with all but it, and with all. Inputs and outputs of the
/// samples are held.
absl::Status sensitivity(HostNetwork &switched,
                         const std::vector<std::string> &units,
                         const Samples &samples, size_t most,
                         Progress &progress, Quantized &report);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_SENSITIVITY_H
