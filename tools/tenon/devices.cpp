//===- tools/tenon/devices.cpp - Devices by name --------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/devices.h"

#include "isa/configuration.h"
#include "sim/functional/functional_device.h"
#include "sim/rtl/rtl_device.h"
#include "sim/tlm/tlm_device.h"

#include "absl/strings/str_cat.h"
#include "fmt/format.h"

namespace tenon::tools {

absl::StatusOr<std::unique_ptr<sim::Device>>
makeDevice(absl::string_view target, const isa::Configuration &configuration,
           Progress &progress) {
  if (target == "functional") {
    auto device = sim::FunctionalDevice::create(configuration);
    if (!device.ok())
      return device.status();
    return std::unique_ptr<sim::Device>(*std::move(device));
  }
  if (target == "tlm") {
    auto device = sim::TlmDevice::create(configuration);
    if (!device.ok())
      return device.status();
    return std::unique_ptr<sim::Device>(*std::move(device));
  }
  auto device = sim::RtlDevice::create(
      configuration, [&](const std::string &phase, double seconds) {
        progress.show(fmt::format("{}: {}, {:.0f} s", configuration.name(),
                                  phase, seconds));
      });
  if (!device.ok())
    return device.status();
  return std::unique_ptr<sim::Device>(*std::move(device));
}

absl::Status checkConfiguration(const isa::Program &program,
                                absl::string_view nameOrPath) {
  auto config = isa::loadConfiguration(nameOrPath);
  if (!config.ok())
    return config.status();
  if (isa::configurationHash(*config) ==
      isa::configurationHash(program.configuration()))
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the program was compiled for configuration '",
                   program.configuration().name(), "', --config asks for '",
                   config->name(), "'"));
}

} // namespace tenon::tools
