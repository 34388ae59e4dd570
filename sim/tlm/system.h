//===- sim/tlm/system.h - The SystemC model ---------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Masters LOAD, STORE and FETCH with TLM-2.0 initiator sockets, one memory with
// a target socket, and one process that runs a launch.
//
// Loosely timed with temporal decoupling: the process runs a quantum of cycles
// ahead of SystemC's time; a master calls b_transport for each burst with the
// distance as its delay, and the memory answers with the cycles of first and
// last beat in an extension. Data do not travel in payloads: the functional
// core reads and writes through the direct memory pointer that LOAD's socket is
// given.
//
// SystemC keeps one simulation a host process, which cannot be elaborated anew
// once it has started. So the modules know nothing of configurations and exist
// once, from the first launch to the end of the host process; a launch is lent
// to them, an event starts the process, and sc_start returns when no event is
// left, which is when the launch is over. Simulated time goes on from launch to
// launch. Launches of all devices and threads take turns.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_TLM_SYSTEM_H
#define TENON_SIM_TLM_SYSTEM_H

#include "sim/tlm/launch.h"

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"

namespace tenon::sim::tlm {

/// What a launch needs of the system, while it has it.
struct SystemOptions {
  MemoryTiming timing;
  uint32_t beatBytes;
  absl::Span<uint8_t> dram;
};

/// Builds and elaborates the system, unless it is there already; else the first
/// launch does.
void elaborateSystem();

/// Runs one launch on the system. `begin` is called with the ports and the
/// memory that the direct pointer opens, and returns the launch; `progress`
/// after each quantum.
void runOnSystem(
    const SystemOptions &options,
    absl::FunctionRef<Launch &(const Ports &, absl::Span<uint8_t>)> begin,
    absl::FunctionRef<void(Cycle)> progress);

} // namespace tenon::sim::tlm

#endif // TENON_SIM_TLM_SYSTEM_H
