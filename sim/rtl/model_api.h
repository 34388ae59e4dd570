//===- sim/rtl/model_api.h - Between host and Verilated model ---*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The binary interface of a simulator built by sim/rtl/build.h: a shared object
// that exports one function, tenonModelApi, which returns a table of functions.
// Both sides are compiled from this header, at different times, so only plain
// data pass; the version guards against a change that is not in the cache key.
//
// Standard library only.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_RTL_MODEL_API_H
#define TENON_SIM_RTL_MODEL_API_H

#include "sim/accounting.h"
#include "sim/memory/disturbance.h"
#include "sim/memory/timing.h"

#include <cstdint>

namespace tenon::sim {

constexpr uint32_t modelApiVersion = 5;

/// Copies DRAM [offset, offset + bytes) to `out` when STORE has retired
/// `afterStores` instructions (at least 1).
struct ModelWatch {
  uint64_t afterStores, offset, bytes;
  uint8_t *out; // owned by the caller
};

struct ModelLaunch {
  uint8_t *dram = nullptr; // owned by the caller, `dramBytes` long
  uint64_t dramBase = 0;   // its byte address on the AXI port
  uint64_t dramBytes = 0;
  uint32_t startOffset = 0; // control register that bit 0 of starts a launch
  /// Written to it behind `stopAfter` cycles of the launch; 0: never.
  uint32_t stopValue = 0;
  uint64_t stopAfter = 0;
  bool allAwake = false; // parts that sleep get their clock as well
  MemoryTiming timing;
  MemoryDisturbance disturbance;
  const LayerRun *runs[numEngines] = {};
  uint64_t runCounts[numEngines] = {};
  uint32_t layers = 0;
  const ModelWatch *watches = nullptr; // ascending in afterStores
  uint64_t watchCount = 0;
  uint64_t cycleLimit = 0; // exact
  uint64_t idleLimit = 0;  // exact
  TraceSink trace;
  /// Called every `progressCycles` cycles (0: never).
  void (*progress)(void *context, uint64_t cycles, uint64_t retired) = nullptr;
  void *progressContext = nullptr;
  uint64_t progressCycles = 0;
};

enum class ModelOutcome : uint32_t {
  Done = 0,
  CycleLimit = 1, // took cycleLimit cycles
  Idle = 2,       // no progress for idleLimit cycles
  Protocol = 3,   // the AXI memory found a violation: `message`
  NoControl = 4,  // the control port did not answer: `message`
  Assertion = 5,  // one of the RTL failed, where: `message`
};

struct ModelResult {
  ModelOutcome outcome = ModelOutcome::Done;
  char message[512] = {};
  uint64_t cycles = 0;
  EngineStates states[numEngines];
  uint64_t tokenWaits[numChannels] = {};
  uint64_t retired[numEngines] = {};
  uint64_t fetchBytes = 0;
  uint64_t watchesTaken = 0;
  LayerResult *layers = nullptr; // owned by the caller, max(layers, 1) long
  // How things stood in the last cycle.
  uint32_t lastState[numEngines] = {};
  uint32_t lastTokenWait[numEngines] = {}; // one-hot neighbour
  uint32_t lastRoomWait[numEngines] = {};
  uint64_t readsOutstanding = 0, writesOutstanding = 0;
};

/// All functions take the model that `create` made; one thread at a time.
struct ModelApi {
  uint32_t version;
  uint32_t beatBytes;
  /// Out of reset. `powerUp`: registers and memories began with random bits of
  /// this seed, as a chip's may; 0: with zeros.
  void *(*create)(uint64_t powerUp);
  void (*destroy)(void *model);
  /// One access to the AXI4-Lite port. False when it does not answer within
  /// 10,000 cycles or answers with an error.
  bool (*writeControl)(void *model, uint32_t offset, uint32_t value);
  bool (*readControl)(void *model, uint32_t offset, uint32_t *value);
  void (*launch)(void *model, const ModelLaunch *launch, ModelResult *result);
};

using ModelApiFunction = const ModelApi *(*)();

} // namespace tenon::sim

#endif // TENON_SIM_RTL_MODEL_API_H
