// Part of Tenon, under the Apache License v2.0.
//
// The state of the simulated machine that instructions work on: scratchpads,
// registers and DRAM.
//
// State             written by                  reset
// uopGemm, uopAlu   LOAD                        poisoned by the constructor
// inp               LOAD, ALU                   poisoned by the constructor
// weights           LOAD                        poisoned by the constructor
// dwt, prm          LOAD                        poisoned by the constructor
// acc               LOAD, GEMM, ALU             poisoned by the constructor
// out               ALU                         poisoned by the constructor
// registers         SET                         reset values, by startLaunch
// dram              STORE (and the host)        by its owner
// loops             GEMM, ALU                   by the next of them
// *Kernel(s)        the constructor             never: fixed by host and sizes
// *Scratch          GEMM, ALU                   meaningless between
//                                               instructions
//
// Accesses inside an instruction are unchecked: each instruction proves its
// bounds before it starts (loops.h, load.cpp, store.cpp).

#ifndef SIM_FUNCTIONAL_STATE_H
#define SIM_FUNCTIONAL_STATE_H

#include "absl/types/span.h"
#include "isa/isa.h"
#include "sim/functional/alu_work.h"
#include "sim/functional/gemm_work.h"
#include "sim/functional/loops.h"
#include "sim/functional/weights.h"

#include <array>
#include <cstdint>
#include <vector>

namespace tenon::sim::functional {

constexpr unsigned registerCount = 16;

/// Requantisation parameters: entry i of the PRM memory has its channels at
/// i*blockOut.
struct Parameters {
  std::vector<int32_t> bias;
  std::vector<int32_t> multiplier;
  std::vector<uint8_t> shift;
};

struct State {
  explicit State(const isa::Layout &layout);

  /// Gives every register its reset value. Scratchpads keep what they hold.
  void startLaunch();

  int32_t reg(isa::LoadRegister r) const { return value(isa::Engine::Load, r); }
  int32_t reg(isa::GemmRegister r) const { return value(isa::Engine::Gemm, r); }
  int32_t reg(isa::AluRegister r) const { return value(isa::Engine::Alu, r); }

  isa::Layout layout;
  uint32_t batch, blockIn, blockOut;
  /// Lanes of an ACC element, batch*blockOut: lane n*blockOut + o.
  uint32_t lanes;
  /// Byte of lane i in an OUT element (and in an int8 ACC element in DRAM),
  /// which is laid out [blockOut/B][batch][B].
  std::vector<uint32_t> byteOfLane;
  bool bytesAreLanes = true; // byteOfLane[i] = i

  std::vector<isa::MicroOp> uopGemm, uopAlu; // decoded
  std::vector<int8_t> inp;                   // as in DRAM
  WeightMemory weights;
  std::vector<int8_t> dwt;
  std::vector<int32_t> acc; // [entry][batch][blockOut]
  Parameters prm;
  std::vector<int8_t> out; // as in DRAM

  std::array<std::array<uint32_t, registerCount>, isa::engineCount> registers;

  absl::Span<uint8_t> dram;

  Loops loops; // of the GEMM or ALU instruction that was executed last

  GemmKernel gemmKernel;
  std::vector<int32_t> gemmScratch;
  AluKernels aluKernels;
  std::vector<int32_t> aluScratch;

private:
  template <typename Register>
  int32_t value(isa::Engine engine, Register r) const {
    return int32_t(registers[unsigned(engine)][unsigned(r)]);
  }
};

} // namespace tenon::sim::functional

#endif // SIM_FUNCTIONAL_STATE_H
