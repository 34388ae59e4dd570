//===- tools/tenon/devices.cpp - Devices by name --------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/devices.h"

#include "isa/configuration.h"
#include "runtime/fpga/serial_device.h"
#include "runtime/fpga/uio_device.h"
#include "sim/functional/functional_device.h"
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
constexpr absl::string_view serialPrefix = "fpga:serial:";
constexpr absl::string_view uioPrefix = "fpga:uio:";
constexpr absl::string_view rtlPrefix = "rtl:";
constexpr absl::string_view interleavePrefix = "functional:interleave=";

/// The seed of "functional:interleave=SEED".
absl::StatusOr<uint64_t> parseInterleaving(absl::string_view target) {
  uint64_t seed;
  if (absl::SimpleAtoi(absl::StripPrefix(target, interleavePrefix), &seed))
    return seed;
  return absl::InvalidArgumentError(absl::StrCat(
      "target '", target, "': expected ", interleavePrefix, "SEED, a number"));
}

/// Of "rtl" or "rtl:KEY=NUMBER[,KEY=NUMBER]".
absl::StatusOr<sim::MemoryDisturbance> parseRtl(absl::string_view target) {
  sim::MemoryDisturbance disturbance;
  if (target == "rtl")
    return disturbance;
  absl::string_view text = absl::StripPrefix(target, rtlPrefix);
  for (absl::string_view word : absl::StrSplit(text, ',')) {
    std::pair<absl::string_view, absl::string_view> item =
        absl::StrSplit(word, absl::MaxSplits('=', 1));
    uint64_t *value = item.first == "fault"    ? &disturbance.faultOffset
                      : item.first == "jitter" ? &disturbance.jitterSeed
                                               : nullptr;
    if (!value || !(absl::SimpleAtoi(item.second, value) ||
                    (absl::StartsWith(item.second, "0x") &&
                     absl::SimpleHexAtoi(item.second, value))))
      return absl::InvalidArgumentError(
          absl::StrCat("target '", target, "': '", word,
                       "' is neither fault=OFFSET, a byte "
                       "of DRAM, nor jitter=SEED, a number"));
  }
  return disturbance;
}

struct SerialTarget {
  std::string port;
  runtime::LinkOptions options;
};

/// Of "fpga:serial:PORT[@BAUD]".
absl::StatusOr<SerialTarget> parseSerial(absl::string_view target) {
  absl::string_view text = absl::StripPrefix(target, serialPrefix);
  SerialTarget result;
  size_t at = text.rfind('@');
  result.port = std::string(text.substr(0, at));
  if (result.port.empty())
    return absl::InvalidArgumentError(absl::StrCat(
        "target '", target, "' names no port; expected ", serialPrefix,
        "PORT[@BAUD], as in ", serialPrefix, "/dev/ttyUSB0@2000000"));
  if (at == absl::string_view::npos)
    return result;
  absl::string_view baud = text.substr(at + 1);
  if (!absl::SimpleAtoi(baud, &result.options.baud) || !result.options.baud)
    return absl::InvalidArgumentError(
        absl::StrCat("target '", target, "': '", baud,
                     "' is no rate; expected bits a second, as in @2000000"));
  return result;
}

} // namespace

bool isRtl(absl::string_view target) {
  return target == "rtl" || absl::StartsWith(target, rtlPrefix);
}

bool isHardware(absl::string_view target) {
  return absl::StartsWith(target, hardwarePrefix);
}

absl::Status checkTarget(absl::string_view target) {
  for (absl::string_view name : {"tlm", "functional"})
    if (target == name)
      return absl::OkStatus();
  if (isRtl(target))
    return parseRtl(target).status();
  if (absl::StartsWith(target, interleavePrefix))
    return parseInterleaving(target).status();
  if (absl::StartsWith(target, serialPrefix))
    return parseSerial(target).status();
  if (absl::StartsWith(target, uioPrefix))
    return runtime::parseUioTarget(absl::StripPrefix(target, uioPrefix))
        .status();
  return absl::InvalidArgumentError(absl::StrCat(
      "'", target, "' is no target; expected rtl, tlm, functional, ", rtlPrefix,
      "fault=OFFSET,jitter=SEED, ", interleavePrefix, "SEED, cpu, ",
      serialPrefix, "PORT[@BAUD] or ", uioPrefix, "DEVICE[,buffer=DEVICE]"));
}

absl::StatusOr<std::unique_ptr<sim::Device>>
makeDevice(absl::string_view target, const isa::Configuration &configuration,
           Progress &progress) {
  if (target == "functional") {
    auto device = sim::FunctionalDevice::create(configuration);
    if (!device.ok())
      return device.status();
    return std::unique_ptr<sim::Device>(*std::move(device));
  }
  if (absl::StartsWith(target, interleavePrefix)) {
    auto seed = parseInterleaving(target);
    if (!seed.ok())
      return seed.status();
    auto device = sim::FunctionalDevice::create(configuration, *seed,
                                                /*detectRaces=*/true);
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
  if (absl::StartsWith(target, serialPrefix)) {
    auto parsed = parseSerial(target);
    if (!parsed.ok())
      return parsed.status();
    auto device = runtime::SerialDevice::create(parsed->port, configuration,
                                                parsed->options);
    if (!device.ok())
      return device.status();
    return std::unique_ptr<sim::Device>(*std::move(device));
  }
  if (absl::StartsWith(target, uioPrefix)) {
    auto options =
        runtime::parseUioTarget(absl::StripPrefix(target, uioPrefix));
    if (!options.ok())
      return options.status();
    auto device = runtime::UioDevice::create(configuration, *options);
    if (!device.ok())
      return device.status();
    return std::unique_ptr<sim::Device>(*std::move(device));
  }
  auto disturbance = parseRtl(target);
  if (!disturbance.ok())
    return disturbance.status();
  auto device = sim::RtlDevice::create(
      configuration, [&](const std::string &phase, double seconds) {
        progress.show(fmt::format("{}: {}, {:.0f} s", configuration.name(),
                                  phase, seconds));
      });
  if (!device.ok())
    return device.status();
  (*device)->disturb(*disturbance);
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
