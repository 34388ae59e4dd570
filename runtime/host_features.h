//===- runtime/host_features.h - What this machine can run ------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The features of isa/host_target.h that the processor has and the system lets
// programs use.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_RUNTIME_HOST_FEATURES_H
#define TENON_RUNTIME_HOST_FEATURES_H

#include "isa/proto/program.pb.h"

#include "absl/strings/string_view.h"

#include <string>

namespace tenon::runtime {

/// Whether this machine has the feature, one of isa::featuresOf its
/// architecture. False for any other.
bool hasFeature(absl::string_view feature);

/// Whether this machine can run the code of `executable`.
bool satisfies(const isa::Executable &executable);

/// Architecture and features of this machine, for messages.
std::string describeMachine();

} // namespace tenon::runtime

#endif // TENON_RUNTIME_HOST_FEATURES_H
