//===- sim/rtl/build.h - Simulators on demand -------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The Verilated accelerator of any configuration, as a shared object in a
// cache: $TENON_CACHE, else $XDG_CACHE_HOME/tenon, else ~/.cache/tenon. The key
// covers everything the simulator is made of, so it cannot go stale; nothing is
// ever evicted (the directory may be deleted at any time). A build goes to a
// temporary directory and is renamed; a lock keeps two processes from building
// the same simulator at once. A simulator that is damaged, or that somebody
// else may have written, is built again (isa/cache_entry.h).
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_RTL_BUILD_H
#define TENON_SIM_RTL_BUILD_H

#include "isa/proto/configuration.pb.h"

#include "absl/status/statusor.h"

#include <functional>
#include <string>

namespace tenon::sim {

/// One line for a person: what is being done ("compiling 3 of 12") and the
/// seconds since the build began.
using BuildProgress =
    std::function<void(const std::string &phase, double seconds)>;

/// The path of the simulator of the configuration, built where the cache does
/// not have it (half a minute to some minutes). `progress` is called only while
/// it waits or builds. Errors: InvalidArgument, the configuration is illegal;
/// FailedPrecondition, a tool is missing (with the Debian package) or the cache
/// cannot be written; Internal, RTL or harness do not compile (with the end of
/// the log); DeadlineExceeded, another process held the lock, or a tool ran,
/// for half an hour.
absl::StatusOr<std::string>
simulatorFor(const isa::Configuration &configuration,
             const BuildProgress &progress = {});

/// Which bodies of modules that have two (hw/rtl/gemm_dot.sv).
enum class Bodies { Simulation, Synthesis };

/// The same with the probe of sim/rtl/probe, for LoadedModel::observe, and with
/// the assertions of the RTL where the bodies are those for simulation.
absl::StatusOr<std::string>
observedSimulatorFor(const isa::Configuration &configuration,
                     Bodies bodies = Bodies::Simulation,
                     const BuildProgress &progress = {});

struct Recipe; // recipe.h

/// The same for any recipe.
absl::StatusOr<std::string> buildCached(const Recipe &recipe,
                                        const BuildProgress &progress = {});

} // namespace tenon::sim

#endif // TENON_SIM_RTL_BUILD_H
