// Part of Tenon, under the Apache License v2.0.
//
// Devices by name, for tests that run the same program on several.

#ifndef TESTS_DIFFERENTIAL_EXECUTORS_H
#define TESTS_DIFFERENTIAL_EXECUTORS_H

#include "isa/proto/program.pb.h"
#include "sim/simulator.h"

#include <memory>
#include <string>

namespace tenon {

/// "functional", "functional:SEED" (a seeded interleaving of the engines),
/// "tlm" or "rtl", whose simulator is built if it is not cached.
absl::StatusOr<std::unique_ptr<sim::Simulator>>
makeExecutor(const std::string &name, const isa::Configuration &configuration);

/// Allocates DRAM, writes the program's segments and executes its launches; a
/// program with other steps is an error.  `result`, if given, is that of the
/// last launch; `memory` is of devices that have time.
absl::Status runProgram(sim::Simulator &device, const isa::Program &program,
                        sim::LaunchResult *result = nullptr,
                        const sim::MemoryTiming &memory = {});

} // namespace tenon

#endif // TESTS_DIFFERENTIAL_EXECUTORS_H
