// Part of Tenon, under the Apache License v2.0.
//
// Configurations: loading, legality, identity.

#ifndef TENON_ISA_CONFIGURATION_H
#define TENON_ISA_CONFIGURATION_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "isa/proto/configuration.pb.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tenon::isa {

/// Whether the machine can be built. The error lists every finding, one a
/// line; a format that does not fit its instruction says by how many bits and
/// which fields are the widest.
absl::Status checkConfiguration(const Configuration &configuration);

/// Names of the configurations that come with the library.
std::vector<std::string> shippedConfigurations();

/// Reads and checks a configuration: the name of a shipped one, or a file where
/// the argument contains '/' or ends in ".textproto". Syntax errors say
/// file:line:column.
absl::StatusOr<Configuration> loadConfiguration(absl::string_view nameOrPath);

/// Parses and checks protobuf text; `source` stands in error messages.
absl::StatusOr<Configuration> parseConfiguration(absl::string_view text,
                                                 absl::string_view source);

/// The configuration as protobuf text in one line, which parseConfiguration
/// reads back.
std::string configurationText(const Configuration &configuration);

/// Identity of what a program depends on: 64-bit FNV-1a over all fields except
/// name, clock_mhz and counters, and over the version of the specification.
uint64_t configurationHash(const Configuration &configuration);

/// A legal configuration, varied in every field and small enough to be built
/// and simulated quickly. Equal generator states give equal configurations.
Configuration randomConfiguration(std::mt19937_64 &random);

} // namespace tenon::isa

#endif // TENON_ISA_CONFIGURATION_H
