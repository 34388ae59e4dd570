//===- tools/tenon/devices.h - Devices by name ------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_DEVICES_H
#define TENON_TOOLS_TENON_DEVICES_H

#include "tools/tenon/progress.h"

#include "isa/proto/program.pb.h"
#include "sim/device.h"

#include <memory>

namespace tenon::tools {

/// The device `target` ("functional", "tlm", "rtl") for a configuration; "rtl"
/// builds its simulator first unless it is cached. FailedPrecondition: a tool
/// is missing.
absl::StatusOr<std::unique_ptr<sim::Device>>
makeDevice(absl::string_view target, const isa::Configuration &configuration,
           Progress &progress);

/// Whether `program` was compiled for the configuration `nameOrPath`; a
/// difference is an error with both names.
absl::Status checkConfiguration(const isa::Program &program,
                                absl::string_view nameOrPath);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_DEVICES_H
