// Part of Tenon, under the Apache License v2.0.
//
// The machine: FETCH, four queues, ten token channels, four engines.
//
// FETCH and the engines are five actors of a Kahn network: each one's next
// action is determined by its own past and what it takes from its inputs, so
// the order in which actors act changes the result of racy programs only.  The
// default schedule runs each actor as far as it can, round robin; a seed draws
// the actor of every step instead.
//
// An instruction takes each token as soon as it is there, has its effect when
// it has all of them, gives each token as soon as there is room, and retires
// with the last one.  It keeps its place in the queue until then.
//
// State             written by           reset
// scratchpads etc.  instructions         see state.h
// queues            FETCH, engines       by run
// channels          engines              by run
// counters          engines              by run

#ifndef SIM_FUNCTIONAL_MACHINE_H
#define SIM_FUNCTIONAL_MACHINE_H

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "isa/isa.h"
#include "sim/functional/race_detector.h"
#include "sim/functional/state.h"

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>

namespace tenon::sim::functional {

struct RunOptions {
  uint64_t programOffset = 0; // of the first instruction, bytes
  /// With FINISH; 0: until FINISH.
  uint64_t instructionCount = 0;
  /// Draws one of the legal interleavings; none: the default schedule.
  std::optional<uint64_t> seed;
  /// Instructions retired, by all engines, after which the run is given up; 0:
  /// no limit.
  uint64_t retireLimit = 0;
  /// Follows the run and stops it at a race; none: unchecked.
  RaceDetector *races = nullptr;
  /// Called after every retirement, before anything else acts. May be empty.
  std::function<void(isa::Engine, const isa::Instruction &)> onRetire;
};

class Machine {
public:
  explicit Machine(const isa::Layout &layout);

  /// Executes the program in `dram` to its end: every instruction in front of
  /// FINISH has retired.  Errors: InvalidArgument, an instruction is illegal,
  /// or FINISH is missing; Aborted, deadlock, or what `races` found;
  /// ResourceExhausted, retireLimit.
  /// Each names the instruction, its engine, its index there and in the stream.
  absl::Status run(absl::Span<uint8_t> dram, const RunOptions &options);

  /// Instructions retired in the last run, SET included.
  uint64_t retired(isa::Engine engine) const {
    return engines[unsigned(engine)].retired;
  }
  /// Instructions fetched in the last run, with FINISH.
  uint64_t fetched() const { return fetch.index; }

  State &state() { return machineState; }

private:
  struct Entry {
    isa::Instruction instruction;
    uint64_t streamIndex;
    uint32_t waits;   // tokens it has not taken yet
    uint32_t signals; // tokens it has not given yet
    bool executed = false;
  };
  struct EngineState {
    std::deque<Entry> queue;
    uint64_t retired = 0;
  };
  struct ChannelState {
    uint64_t given = 0, taken = 0;
    uint64_t tokens() const { return given - taken; }
  };
  struct FetchState {
    uint64_t index = 0; // of the next instruction in the stream
    bool finished = false;
    std::optional<Entry> pending; // decoded, its queue is full
  };

  void startRun(absl::Span<uint8_t> dram);
  bool isDone() const;
  absl::Status runRoundRobin();
  absl::Status runSeeded(uint64_t seed);

  // One action of an actor: sets `acted`, or leaves it if the actor is stuck.
  absl::Status stepFetch(bool &acted);
  absl::Status stepEngine(isa::Engine engine, bool &acted);
  absl::StatusOr<Entry> fetchNext();
  absl::Status executeHead(isa::Engine engine);
  absl::Status retireHead(isa::Engine engine);

  ChannelState &channel(isa::Engine from, isa::Engine to) {
    return channels[unsigned(from)][unsigned(to)];
  }
  const ChannelState &channel(isa::Engine from, isa::Engine to) const {
    return channels[unsigned(from)][unsigned(to)];
  }
  // Whether anything could be taken or given.
  bool takeTokens(isa::Engine engine, Entry &entry);
  bool giveTokens(isa::Engine engine, Entry &entry);

  // deadlock.cpp: who waits for whom.
  absl::Status deadlock() const;
  std::string whyEngineWaits(isa::Engine engine) const;
  std::string whyFetchWaits() const;
  std::string doing(isa::Engine engine) const;
  std::string describe(isa::Engine engine, uint64_t engineIndex,
                       const Entry &entry) const;

  State machineState;
  RunOptions options;
  std::array<EngineState, isa::engineCount> engines;
  std::array<std::array<ChannelState, isa::engineCount>, isa::engineCount>
      channels;
  FetchState fetch;
};

} // namespace tenon::sim::functional

#endif // SIM_FUNCTIONAL_MACHINE_H
