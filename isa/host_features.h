//===- isa/host_features.h - What this machine can run ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The features of isa/host_target.h that the processor has and the system lets
// this process use.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_ISA_HOST_FEATURES_H
#define TENON_ISA_HOST_FEATURES_H

#include "isa/proto/program.pb.h"

#include "absl/strings/string_view.h"

#include <string>

namespace tenon::isa {

/// Whether this machine has the feature, one of featuresOf its
/// architecture. False for any other. Asks the system for what it gives only to
/// processes that ask: matrix registers, whose state is large.
bool hasFeature(absl::string_view feature);

/// Whether this machine can run the code of `executable`.
bool satisfies(const Executable &executable);

/// Architecture and features of this machine, for messages.
std::string describeMachine();

} // namespace tenon::isa

#endif // TENON_ISA_HOST_FEATURES_H
