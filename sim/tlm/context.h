//===- sim/tlm/context.h - What the engines of one launch share -*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The program by engine, queues, channels, the agenda, the accounts, and the
// functional core that gives instructions their effect. Timing and effect meet
// here: an engine calls `execute` once for each instruction, in its order,
// between the moment it has all tokens and the moment it gives the first one.
// Tokens order everything that a sound program needs ordered, so DRAM comes out
// as on every other device.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_TLM_CONTEXT_H
#define TENON_SIM_TLM_CONTEXT_H

#include "isa/isa.h"
#include "sim/accounting.h"
#include "sim/functional/state.h"
#include "sim/simulator.h"
#include "sim/tlm/clock.h"
#include "sim/tlm/queues.h"

#include "absl/status/status.h"

#include <array>
#include <vector>

namespace tenon::sim::tlm {

/// An instruction of one engine.
struct Work {
  isa::Instruction instruction;
  uint32_t waits = 0, signals = 0; // masks of neighbours
  bool isSet = false;
  uint64_t streamIndex = 0;
};

/// A decoded program.
struct Program {
  std::array<std::vector<Work>, numEngines> engines;
  std::vector<isa::Engine> order; // of the stream, without FINISH
  uint64_t offset = 0;            // of the first instruction, bytes
};

class Context {
public:
  Context(const isa::Layout &layout, const LaunchOptions &options,
          const Program &program, functional::State &state);

  const isa::Layout &layout;
  const LaunchOptions &options;
  const Program &program;
  functional::State &state;
  Accounting accounting;
  Agenda agenda;
  std::array<Channel, numEngines> queues;
  uint64_t fetchBytes = 0;

  /// The instruction at the head of an engine's queue.
  const Work &head(isa::Engine engine) const {
    return program.engines[unsigned(engine)][popped[unsigned(engine)]];
  }
  /// How many were taken out of it.
  uint64_t poppedOf(isa::Engine engine) const {
    return popped[unsigned(engine)];
  }
  /// Takes it out of the queue.
  void pop(isa::Engine engine, Cycle now);

  /// The channels of an engine's i-th neighbour, from and to it.
  Channel &from(isa::Engine engine, unsigned neighbour) {
    return channels[channelFrom[unsigned(engine)][neighbour]];
  }
  Channel &to(isa::Engine engine, unsigned neighbour) {
    return channels[channelTo[unsigned(engine)][neighbour]];
  }

  /// Takes those tokens of `waits` that are there; returns the rest.
  uint32_t takeTokens(isa::Engine engine, uint32_t waits, Cycle now);
  /// Gives those of `signals` that have room; returns the rest.
  uint32_t giveTokens(isa::Engine engine, uint32_t signals, Cycle now);

  /// The effect of an instruction. The first error stops the launch.
  void execute(isa::Engine engine, const Work &work);
  absl::Status status;

  /// Beats at the port, for the trace: `count` of them in cycles [from, to].
  void countBeats(TrafficTrace::Kind kind, Cycle from, Cycle to,
                  uint32_t count);

private:
  std::array<Channel, numChannels> channels;
  std::array<uint64_t, numEngines> popped{};
  std::array<uint64_t, numEngines> executed{};
};

/// The lowest bit of a mask: what an engine says it waits for.
inline uint32_t lowest(uint32_t mask) { return mask & (~mask + 1); }

/// The actor that is `engine`.
constexpr Actor actorOf(unsigned engine) {
  constexpr Actor actors[] = {LoadActor, GemmActor, AluActor, StoreActor};
  return actors[engine];
}

} // namespace tenon::sim::tlm

#endif // TENON_SIM_TLM_CONTEXT_H
