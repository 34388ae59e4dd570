// Part of Tenon, under the Apache License v2.0.
//
// A program and the events of its launch, made by hand. pynq (a beat has 8
// bytes, 100 MHz):
//
//   engine  instruction                          cycles
//   load 0  micro-ops of ALU                     0    10   9 memory, 1 busy
//   load 1  parameters                           10   14   4 busy
//   load 2  acc8[0, 4)   signal alu              14   30   10 memory, 6 busy
//   alu 0   set                                  0    1    1 busy
//   alu 1   quant        wait load, signal store 1    40   29 token, 2 drain,
//                                                          8 busy
//   store 0 store        wait alu                0    60   2 empty, 38 token,
//                                                          15 memory, 5 busy
//   launch                                            61; gemm is empty for
//                                                     20 cycles, alu for 3
//                                                     behind its last one
//
// load 0 and alu 0 belong to layer 0, the rest to layer 1; gemm has nothing.

#ifndef TENON_TESTS_UNIT_REPORT_HAND_MADE_H
#define TENON_TESTS_UNIT_REPORT_HAND_MADE_H

#include "isa/configuration.h"
#include "isa/isa.h"
#include "sim/trace/trace_file.h"

#include "gtest/gtest.h"

namespace tenon::sim {

struct HandMade {
  HandMade();

  isa::Program program;
  report::RunReport report;
  LaunchTrace events;
  LayerRuns runs;
  std::array<EngineStates, numEngines> states;
  static constexpr uint64_t cycles = 61;

  trace::Trace trace() const {
    auto made = makeTrace(program, report, {{cycles, &events, runs, states}});
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : trace::Trace();
  }
};

/// Cycles by state, in the order busy, token, memory, bank, drain, empty.
inline InstructionTrace event(uint64_t begin, uint64_t retire,
                              std::initializer_list<uint32_t> cycles) {
  InstructionTrace out;
  out.begin = begin;
  out.retire = retire;
  std::copy(cycles.begin(), cycles.end(), out.cycles);
  return out;
}

} // namespace tenon::sim

#endif // TENON_TESTS_UNIT_REPORT_HAND_MADE_H
