//===- runtime/open_device.h - Devices by name ------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The devices that need no tool to be built: what a program links that runs
// networks and nothing else. The command line knows more (tools/tenon).
//
//===----------------------------------------------------------------------===//

#ifndef TENON_RUNTIME_OPEN_DEVICE_H
#define TENON_RUNTIME_OPEN_DEVICE_H

#include "sim/device.h"

#include <memory>

namespace tenon::runtime {

/// Whether it is the name of one: "functional", "functional:interleave=SEED" (a
/// legal order of the engines drawn by the seed, stopped at a race), "cpu"
/// (HostDevice), "fpga:serial:PORT[@BAUD]" or "fpga:uio:DEVICE[,KEY=VALUE...]"
/// (parseUioTarget). InvalidArgument says what is wrong with it, NotFound that
/// it is none of these.
absl::Status checkDeviceName(absl::string_view name);

/// The device of that name for a configuration. FailedPrecondition: the
/// hardware is missing or another one.
absl::StatusOr<std::unique_ptr<sim::Device>>
openDevice(absl::string_view name, const isa::Configuration &configuration);

} // namespace tenon::runtime

#endif // TENON_RUNTIME_OPEN_DEVICE_H
