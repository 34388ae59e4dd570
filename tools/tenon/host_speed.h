//===- tools/tenon/host_speed.h - --host-speed ----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_HOST_SPEED_H
#define TENON_TOOLS_TENON_HOST_SPEED_H

#include "compiler/driver/compile.h"

#include "absl/status/statusor.h"

namespace CLI {
class App;
} // namespace CLI

namespace tenon::tools {

/// Of this machine, on one thread: multiply-accumulates of an INT8 convolution
/// as the compiler makes it for the CPU, and bytes that the runtime packs. The
/// best of a few runs each; takes about a second.
absl::StatusOr<HostSpeed> measureHostSpeed();

/// Adds --host-speed OPERATIONS,BYTES, in 10^9 a second, or `here`, which
/// measures; fills `options.hostSpeed`.
void addHostSpeedOption(CLI::App &verb, compiler::Options &options);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_HOST_SPEED_H
