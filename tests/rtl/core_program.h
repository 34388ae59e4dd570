// Part of Tenon, under the Apache License v2.0.
//
// Random programs for core_test. Two kinds:
//  - ordered: all four engines share everything, and tokens put their
//    instructions into one total order, each switch of engine as tight as a
//    token allows;
//  - concurrent: every engine owns a part of each memory (a residue class of
//    the indices, so that they meet in every bank) and none waits for another.
// Addresses come from small pools, so that hazards of every distance occur.
// The model executes each instruction as it is made; one without a defined
// meaning is thrown away.

#ifndef TENON_TESTS_RTL_CORE_PROGRAM_H
#define TENON_TESTS_RTL_CORE_PROGRAM_H

#include "core_model.h"

#include <random>

namespace core {

/// One beat that LOAD writes.
struct Beat {
  Memory memory = Inp;
  uint32_t index = 0, beat = 0;
  bool all = false;
  uint32_t zeroPoint = 0;
  std::array<uint8_t, sizes::BEAT_BYTES> data{};
};

struct LoadStep {
  uint32_t wait = 0, signal = 0; // gemm, alu, store
  std::vector<Beat> beats;
};

struct StoreStep {
  uint32_t wait = 0, signal = 0; // load, gemm, alu
  std::vector<uint32_t> indices;
  std::vector<std::array<int8_t, sizes::OUT_BYTES>> expected;
};

struct Program {
  Model initial, final;
  std::vector<Instruction> gemm, alu;
  std::vector<LoadStep> load;
  std::vector<StoreStep> store;
};

Program makeProgram(uint64_t seed, bool ordered, uint32_t instructions);

} // namespace core

#endif
