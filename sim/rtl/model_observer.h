//===- sim/rtl/model_observer.h - What a watched machine does ---*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The calls of a simulator that was built with sim/rtl/probe: every write into
// a memory and every retirement, in the cycle in which they happen. Plain data,
// standard library only: also compiled into the simulator.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_RTL_MODEL_OBSERVER_H
#define TENON_SIM_RTL_MODEL_OBSERVER_H

#include <cstdint>

namespace tenon::sim {

/// Where an engine writes; the numbers are those of retire_probe.sv.
enum class WrittenMemory : uint32_t {
  UopGemm = 0,
  UopAlu = 1,
  Inp = 2,
  Wgt = 3,
  Dwt = 4,
  Acc = 5,
  Prm = 7,
  Out = 8,
};

/// All functions get `context`; none may be null. `cycle` counts from the
/// launch's first. Engines in the order load, gemm, alu, store.
struct ModelObserver {
  void *context;

  /// `engine` wrote element `index` (a line in the memories of micro-ops): beat
  /// `beat` of it, or the whole element if that is negative. `data` is valid
  /// during the call and little-endian; an element is as in DRAM, in ACC as
  /// int32.
  void (*written)(void *context, uint64_t cycle, uint32_t engine,
                  WrittenMemory memory, uint32_t index, int32_t beat,
                  const uint8_t *data);
  /// A write burst of `beats` beats goes to byte `offset` of DRAM.
  void (*addressed)(void *context, uint64_t cycle, uint64_t offset,
                    uint32_t beats);
  /// The next beat of the write bursts, in their order.
  void (*stored)(void *context, uint64_t cycle, const uint8_t *data);
  /// The engine's oldest instruction has retired. All that it wrote has been
  /// told before.
  void (*retired)(void *context, uint64_t cycle, uint32_t engine);
  /// Every cycle of a launch: the trace ports of tenon_machine.
  void (*passed)(void *context, uint32_t states, uint32_t tokenWaits,
                 uint32_t roomWaits);
};

} // namespace tenon::sim

#endif // TENON_SIM_RTL_MODEL_OBSERVER_H
