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

/// Whether `target` is the name of a device: one of runtime::checkDeviceName,
/// "tlm", "rtl" or "rtl:KEY=NUMBER[,KEY=NUMBER]" (a memory that misbehaves as
/// sim::MemoryDisturbance says: fault=OFFSET, jitter=SEED; registers that begin
/// with random bits: powerup=SEED; a clock also for parts that sleep: awake=1).
/// InvalidArgument says what is wrong with it.
absl::Status checkTarget(absl::string_view target);

/// Whether it is the RTL, with whatever memory.
bool isRtl(absl::string_view target);

/// Whether the device is hardware: it cannot copy DRAM while it runs, and its
/// memory is what it is.
bool isHardware(absl::string_view target);

/// The device `target` for a configuration; "rtl" builds its simulator first
/// unless it is cached. FailedPrecondition: a tool or the hardware is missing,
/// or the hardware is another one.
absl::StatusOr<std::unique_ptr<sim::Device>>
makeDevice(absl::string_view target, const isa::Configuration &configuration,
           Progress &progress);

/// Whether `program` was compiled for the configuration `nameOrPath`; a
/// difference is an error with both names.
absl::Status checkConfiguration(const isa::Program &program,
                                absl::string_view nameOrPath);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_DEVICES_H
