//===- runtime/open_device.cpp - Devices by name --------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/open_device.h"

#include "runtime/fpga/serial_device.h"
#include "runtime/fpga/uio_device.h"
#include "runtime/host_device.h"
#include "sim/functional/functional_device.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace tenon::runtime {
namespace {

constexpr absl::string_view interleavePrefix = "functional:interleave=";
constexpr absl::string_view serialPrefix = "fpga:serial:";
constexpr absl::string_view uioPrefix = "fpga:uio:";

/// The seed of "functional:interleave=SEED".
absl::StatusOr<uint64_t> parseInterleaving(absl::string_view name) {
  uint64_t seed;
  if (absl::SimpleAtoi(absl::StripPrefix(name, interleavePrefix), &seed))
    return seed;
  return absl::InvalidArgumentError(absl::StrCat(
      "target '", name, "': expected ", interleavePrefix, "SEED, a number"));
}

struct SerialName {
  std::string port;
  LinkOptions options;
};

/// Of "fpga:serial:PORT[@BAUD]".
absl::StatusOr<SerialName> parseSerial(absl::string_view name) {
  absl::string_view text = absl::StripPrefix(name, serialPrefix);
  SerialName result;
  size_t at = text.rfind('@');
  result.port = std::string(text.substr(0, at));
  if (result.port.empty())
    return absl::InvalidArgumentError(absl::StrCat(
        "target '", name, "' names no port; expected ", serialPrefix,
        "PORT[@BAUD], as in ", serialPrefix, "/dev/ttyUSB0@2000000"));
  if (at == absl::string_view::npos)
    return result;
  absl::string_view baud = text.substr(at + 1);
  if (!absl::SimpleAtoi(baud, &result.options.baud) || !result.options.baud)
    return absl::InvalidArgumentError(
        absl::StrCat("target '", name, "': '", baud,
                     "' is no rate; expected bits a second, as in @2000000"));
  return result;
}

template <typename Made>
absl::StatusOr<std::unique_ptr<sim::Device>> asDevice(Made made) {
  if (!made.ok())
    return made.status();
  return std::unique_ptr<sim::Device>(*std::move(made));
}

} // namespace

absl::Status checkDeviceName(absl::string_view name) {
  if (name == "functional" || name == "cpu")
    return absl::OkStatus();
  if (absl::StartsWith(name, interleavePrefix))
    return parseInterleaving(name).status();
  if (absl::StartsWith(name, serialPrefix))
    return parseSerial(name).status();
  if (absl::StartsWith(name, uioPrefix))
    return parseUioTarget(absl::StripPrefix(name, uioPrefix)).status();
  return absl::NotFoundError(
      absl::StrCat("there is no device '", name, "'; expected functional, ",
                   interleavePrefix, "SEED, cpu, ", serialPrefix,
                   "PORT[@BAUD] or ", uioPrefix, "DEVICE[,KEY=VALUE]"));
}

absl::StatusOr<std::unique_ptr<sim::Device>>
openDevice(absl::string_view name, const isa::Configuration &configuration) {
  if (absl::Status status = checkDeviceName(name); !status.ok())
    return status;
  if (name == "cpu")
    return std::make_unique<HostDevice>(configuration);
  if (name == "functional")
    return asDevice(sim::FunctionalDevice::create(configuration));
  if (absl::StartsWith(name, interleavePrefix))
    return asDevice(sim::FunctionalDevice::create(
        configuration, *parseInterleaving(name), /*detectRaces=*/true));
  if (absl::StartsWith(name, serialPrefix)) {
    const SerialName serial = *parseSerial(name);
    return asDevice(
        SerialDevice::create(serial.port, configuration, serial.options));
  }
  return asDevice(UioDevice::create(
      configuration, *parseUioTarget(absl::StripPrefix(name, uioPrefix))));
}

} // namespace tenon::runtime
