//===- sim/accounting.h - Where every cycle went ----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Counts what each engine does in each cycle, for the whole launch and for each
// layer. Standard library only: this header is also compiled into the Verilated
// simulators, and its plain structs pass between them and their host.
//
// Rules, for reports whose parts add up exactly:
//  * In each cycle each engine is in exactly one state, so that an engine's
//    states add up to the launch's cycles.
//  * A cycle of an engine belongs to the layer of the instruction the engine
//    works on or waits for, that is instruction number (instructions it has
//    retired so far). After its last instruction the cycles belong to the last
//    layer that has instructions in the engine; an engine without any gives
//    them to layer 0. So an engine's states add up over the layers, too.
//  * A layer ends with the last retirement of any of its instructions, though
//    never before the layer in front of it; its cycles are the distance from
//    the end of the layer in front. The first layer starts with the launch, the
//    last one ends with it. So the layers' cycles add up to the launch's.
//
// It is fed in one of two ways: `step` with every cycle (RTL), or `spend` and
// `retireAt` with stretches of alike cycles of one engine (models that jump
// from event to event). Both give the same sums and, with a sink, the same
// events.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_ACCOUNTING_H
#define TENON_SIM_ACCOUNTING_H

#include "sim/trace/launch_trace.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tenon::sim {

constexpr unsigned numChannels = 10; // in the specification's order
constexpr uint32_t noChannel = ~0u;

constexpr unsigned stateBusy = 0;
constexpr unsigned stateToken = 1;
constexpr unsigned stateEmpty = 5;
constexpr unsigned stateDone = 6;

/// channelFrom[e][i]: the channel in which engine e receives tokens from its
/// i-th neighbour; channelTo[e][i]: the one in which it gives tokens to it.
constexpr uint32_t channelFrom[numEngines][numNeighbours] = {
    {3, 5, 8},         // load from gemm, alu, store
    {0, 6, noChannel}, // gemm from load, alu, store
    {1, 4, 9},         // alu from load, gemm, store
    {2, noChannel, 7}, // store from load, gemm, alu
};
constexpr uint32_t channelTo[numEngines][numNeighbours] = {
    {0, 1, 2},         // load to gemm, alu, store
    {3, 4, noChannel}, // gemm to load, alu, store
    {5, 6, 7},         // alu to load, gemm, store
    {8, noChannel, 9}, // store to load, gemm, alu
};

/// Cycles of one engine by isa::State.
struct EngineStates {
  std::array<uint64_t, numStates> cycles{};

  uint64_t total() const {
    uint64_t sum = 0;
    for (uint64_t count : cycles)
      sum += count;
    return sum;
  }
};

/// From `firstInstruction` on (counted in one engine, SET included) the
/// engine's instructions belong to `layer`, up to the next run.
struct LayerRun {
  uint64_t firstInstruction = 0;
  uint32_t layer = 0;
};

/// The runs of each engine in ascending order, as the program's debug section
/// has them. Instructions in front of the first run belong to its layer.
struct LayerRuns {
  uint32_t layers = 0; // number of layers; 0 counts as 1
  std::array<std::vector<LayerRun>, numEngines> engines;
};

struct LayerResult {
  uint64_t cycles = 0;
  std::array<EngineStates, numEngines> states;
  uint64_t readBytes = 0;  // by LOAD
  uint64_t writeBytes = 0; // by STORE
  /// Cycles from the start of the launch to the end of the one in which the
  /// layer's last instruction retired; 0 for a layer without instructions.
  uint64_t lastRetirement = 0;
};

/// Not thread-safe.
class Accounting {
public:
  /// A layer number outside `runs.layers` is clamped to the last layer. Every
  /// retirement goes to `sink`, if it has a function for it.
  explicit Accounting(const LayerRuns &runs, const TraceSink &sink = {})
      : sink(sink), layers(runs.layers ? runs.layers : 1) {
    for (unsigned e = 0; e < numEngines; ++e) {
      engines[e].runs = runs.engines[e];
      for (LayerRun &run : engines[e].runs)
        if (run.layer >= layers.size())
          run.layer = layers.size() - 1;
      enterLayer(engines[e]);
    }
  }

  /// One cycle. Three bits an engine, engine 0 lowest: `states` its isa::State;
  /// `tokenWaits` one-hot the neighbour whose token it waits for, `roomWaits`
  /// the one in whose channel it waits for room (both count only in state
  /// token). Bit e of `retired`: engine e retires an instruction in this cycle.
  void step(uint32_t states, uint32_t tokenWaits, uint32_t roomWaits,
            uint32_t retired) {
    if (states != lastStates || tokenWaits != lastTokenWaits ||
        roomWaits != lastRoomWaits) {
      for (unsigned e = 0; e < numEngines; ++e)
        flush(e);
      lastStates = states;
      lastTokenWaits = tokenWaits;
      lastRoomWaits = roomWaits;
    }
    ++now;
    if (retired)
      for (unsigned e = 0; e < numEngines; ++e)
        if (retired >> e & 1)
          retire(e);
  }

  /// The next `cycles` cycles of engine `e` are in `state`. `tokenWaits` and
  /// `roomWaits` as in step, of this engine alone (three bits).
  void spend(unsigned e, unsigned state, uint64_t cycles,
             uint32_t tokenWaits = 0, uint32_t roomWaits = 0) {
    Engine &engine = engines[e];
    uint64_t from = engine.since;
    engine.since += cycles;
    now = std::max(now, engine.since);
    if (!cycles || state >= numStates) // 7 is no state: the sums will not hold
      return;
    layers[engine.layer].states[e].cycles[state] += cycles;
    if (sink.retired)
      trace(engine, state, from, cycles, tokenWaits, roomWaits);
    if (state == stateToken)
      countWaits(e, cycles, tokenWaits, roomWaits);
  }

  /// Engine `e` retires an instruction in the last cycle it spent.
  void retireAt(unsigned e) {
    Engine &engine = engines[e];
    LayerResult &layer = layers[engine.layer];
    layer.lastRetirement = std::max(layer.lastRetirement, engine.since);
    if (sink.retired) {
      engine.event.retire = engine.since;
      sink.retired(sink.context, e, engine.event);
      engine.event = InstructionTrace{};
      engine.begun = false;
    }
    if (++engine.retired >= engine.boundary)
      enterLayer(engine);
  }

  /// The cycles that engine `e` has spent: its clock, for `spend`.
  uint64_t spent(unsigned e) const { return engines[e].since; }

  void readBeat(uint32_t bytes) { layers[engines[0].layer].readBytes += bytes; }
  void writeBeat(uint32_t bytes) {
    layers[engines[3].layer].writeBytes += bytes;
  }

  /// Closes the launch: now the sums hold. Engines that `spend` was told of
  /// must have spent equal numbers of cycles.
  void finish() {
    for (unsigned e = 0; e < numEngines; ++e)
      flush(e);
    uint64_t end = 0;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      uint64_t last = i + 1 == layers.size() ? now : layers[i].lastRetirement;
      layers[i].cycles = last > end ? last - end : 0;
      end += layers[i].cycles;
    }
  }

  uint64_t cycles() const { return now; }
  uint64_t retired(unsigned engine) const { return engines[engine].retired; }
  unsigned state(unsigned engine) const {
    return lastStates >> (3 * engine) & 7;
  }
  uint32_t tokenWait(unsigned engine) const {
    return lastTokenWaits >> (3 * engine) & 7;
  }
  uint32_t roomWait(unsigned engine) const {
    return lastRoomWaits >> (3 * engine) & 7;
  }
  const std::vector<LayerResult> &layerResults() const { return layers; }
  const std::array<uint64_t, numChannels> &tokenWaits() const { return waits; }

  std::array<EngineStates, numEngines> totals() const {
    std::array<EngineStates, numEngines> sum;
    for (const LayerResult &layer : layers)
      for (unsigned e = 0; e < numEngines; ++e)
        for (unsigned s = 0; s < numStates; ++s)
          sum[e].cycles[s] += layer.states[e].cycles[s];
    return sum;
  }

private:
  struct Engine {
    std::vector<LayerRun> runs;
    std::size_t nextRun = 0;   // first run not yet entered
    uint64_t boundary = ~0ull; // where it begins
    uint64_t retired = 0;
    uint32_t layer = 0;
    uint64_t since = 0;     // cycles up to here are counted
    InstructionTrace event; // of the instruction at work, for the sink
    bool begun = false;     // event.begin is set
  };

  static void enterLayer(Engine &engine) {
    while (engine.nextRun < engine.runs.size() &&
           (engine.nextRun == 0 ||
            engine.runs[engine.nextRun].firstInstruction <= engine.retired))
      engine.layer = engine.runs[engine.nextRun++].layer;
    engine.boundary = engine.nextRun < engine.runs.size()
                          ? engine.runs[engine.nextRun].firstInstruction
                          : ~0ull;
  }

  // Engine e retires an instruction in the cycle that step is told of.
  void retire(unsigned e) {
    Engine &engine = engines[e];
    if (sink.retired || engine.retired + 1 >= engine.boundary) {
      flush(e);
      retireAt(e);
      return;
    }
    layers[engine.layer].lastRetirement = now;
    ++engine.retired;
  }

  // Counts the cycles since the last call, all of which were alike.
  void flush(unsigned e) {
    if (uint64_t cycles = now - engines[e].since)
      spend(e, state(e), cycles, tokenWait(e), roomWait(e));
  }

  void countWaits(unsigned e, uint64_t cycles, uint32_t tokenWaits,
                  uint32_t roomWaits) {
    for (unsigned i = 0; i < numNeighbours; ++i) {
      if (tokenWaits >> i & 1 && channelFrom[e][i] != noChannel)
        waits[channelFrom[e][i]] += cycles;
      if (roomWaits >> i & 1 && channelTo[e][i] != noChannel)
        waits[channelTo[e][i]] += cycles;
    }
  }

  static void trace(Engine &engine, unsigned state, uint64_t from,
                    uint64_t cycles, uint32_t tokenWaits, uint32_t roomWaits) {
    InstructionTrace &event = engine.event;
    event.cycles[state] += cycles;
    if (state == stateToken) {
      for (unsigned i = 0; i < numNeighbours; ++i) {
        event.tokenWait[i] += tokenWaits >> i & 1 ? cycles : 0;
        event.roomWait[i] += roomWaits >> i & 1 ? cycles : 0;
      }
    } else if (state != stateEmpty && !engine.begun) {
      event.begin = from;
      engine.begun = true;
    }
  }

  const TraceSink sink;
  uint64_t now = 0;
  uint32_t lastStates = 0, lastTokenWaits = 0, lastRoomWaits = 0;
  std::array<Engine, numEngines> engines;
  std::array<uint64_t, numChannels> waits{};
  std::vector<LayerResult> layers;
};

} // namespace tenon::sim

#endif // TENON_SIM_ACCOUNTING_H
