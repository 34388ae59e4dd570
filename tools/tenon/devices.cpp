//===- tools/tenon/devices.cpp - Devices by name --------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/devices.h"

#include "isa/configuration.h"
#include "runtime/open_device.h"
#include "sim/rtl/rtl_device.h"
#include "sim/tlm/tlm_device.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "fmt/format.h"

namespace tenon::tools {
namespace {

constexpr absl::string_view hardwarePrefix = "fpga:";
constexpr absl::string_view rtlPrefix = "rtl:";

/// What the RTL is to cope with.
struct RtlOptions {
  sim::MemoryDisturbance disturbance;
  uint64_t powerUp = 0, awake = 0;
};

/// Of "rtl" or "rtl:KEY=NUMBER[,KEY=NUMBER]".
absl::StatusOr<RtlOptions> parseRtl(absl::string_view target) {
  RtlOptions options;
  if (target == "rtl")
    return options;
  absl::string_view text = absl::StripPrefix(target, rtlPrefix);
  for (absl::string_view word : absl::StrSplit(text, ',')) {
    std::pair<absl::string_view, absl::string_view> item =
        absl::StrSplit(word, absl::MaxSplits('=', 1));
    uint64_t *value = item.first == "fault" ? &options.disturbance.faultOffset
                      : item.first == "jitter" ? &options.disturbance.jitterSeed
                      : item.first == "powerup" ? &options.powerUp
                      : item.first == "awake"   ? &options.awake
                                                : nullptr;
    if (!value || !(absl::SimpleAtoi(item.second, value) ||
                    (absl::StartsWith(item.second, "0x") &&
                     absl::SimpleHexAtoi(item.second, value))))
      return absl::InvalidArgumentError(
          absl::StrCat("target '", target, "': '", word,
                       "' is none of fault=OFFSET, a byte of DRAM, "
                       "jitter=SEED, powerup=SEED and awake=1"));
  }
  return options;
}

} // namespace

bool isRtl(absl::string_view target) {
  return target == "rtl" || absl::StartsWith(target, rtlPrefix);
}

bool isHardware(absl::string_view target) {
  return absl::StartsWith(target, hardwarePrefix);
}

absl::Status checkTarget(absl::string_view target) {
  if (target == "tlm")
    return absl::OkStatus();
  if (isRtl(target))
    return parseRtl(target).status();
  absl::Status status = runtime::checkDeviceName(target);
  return absl::IsNotFound(status)
             ? absl::InvalidArgumentError(absl::StrCat(
                   "'", target, "' is no target; expected rtl, tlm, ",
                   rtlPrefix,
                   "fault=OFFSET,jitter=SEED,powerup=SEED,awake=1, functional, "
                   "functional:interleave=SEED, cpu, "
                   "fpga:serial:PORT[@BAUD] or "
                   "fpga:uio:DEVICE[,buffer=DEVICE]"))
             : status;
}

absl::StatusOr<std::unique_ptr<sim::Device>>
makeDevice(absl::string_view target, const isa::Configuration &configuration,
           Progress &progress) {
  if (target == "tlm") {
    auto device = sim::TlmDevice::create(configuration);
    if (!device.ok())
      return device.status();
    return std::unique_ptr<sim::Device>(*std::move(device));
  }
  if (!isRtl(target))
    return runtime::openDevice(target, configuration);
  auto options = parseRtl(target);
  if (!options.ok())
    return options.status();
  auto device = sim::RtlDevice::create(
      configuration, [&](const std::string &phase, double seconds) {
        progress.show(fmt::format("{}: {}, {:.0f} s", configuration.name(),
                                  phase, seconds));
      });
  if (!device.ok())
    return device.status();
  (*device)->disturb(options->disturbance);
  if (options->powerUp)
    (*device)->powerUp(options->powerUp);
  if (options->awake)
    (*device)->keepAwake();
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
