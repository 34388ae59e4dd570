// Part of Tenon, under the Apache License v2.0.
//
// What GEMM and ALU mean, written from the text of isa/tenon.isa and nothing
// else: the reference that core_test compares the RTL with. One element after
// the other, no pipelines. Sizes come from `core_sizes.h`, which the build
// derives from the Verilog package.

#ifndef TENON_TESTS_RTL_CORE_MODEL_H
#define TENON_TESTS_RTL_CORE_MODEL_H

#include "core_sizes.h"

#include <array>
#include <cstdint>
#include <vector>

namespace core {

constexpr uint32_t lanes = sizes::BATCH * sizes::BLOCK_OUT;
constexpr uint32_t instructionBytes = sizes::INSTRUCTION_BITS / 8;

enum Op {
  Mov,
  Add,
  Sub,
  Min,
  Max,
  Mul,
  Shl,
  Shr,
  Shrr,
  Clamp,
  Mac,
  Quant,
  QuantAdd
};
enum Target { ToAcc, ToInp, ToOut };
enum Kind { Gemm = 2, Alu = 3, Set = 4 };
enum State { Busy }; // the first of isa/tenon.isa's, which count cycles
enum Memory { UopGemm, UopAlu, Inp, Wgt, Dwt, Acc, Acc8, Prm };

/// One instruction of GEMM or ALU; `engine` is Gemm or Alu also for a SET.
struct Instruction {
  Kind kind = Set, engine = Gemm;
  uint32_t wait = 0, signal = 0;
  uint32_t op = 0, operand = 0, target = 0, first = 0;
  uint32_t uopBegin = 0, uopCount = 1, outer = 1, inner = 1;
  std::array<uint32_t, 6> steps{}; // dst, src, third; outer before inner
  uint32_t index = 0, value = 0;   // SET
};

struct Uop {
  uint32_t dst = 0, src = 0, third = 0;
};

/// Fields from bit 0 up, as the specification orders them.
std::vector<uint8_t> encode(const Instruction &instruction);
uint32_t encodeUop(Kind engine, Uop uop);

/// The state of the machine's compute half.
struct Model {
  std::vector<uint32_t> uop[2]; // GEMM, ALU
  std::vector<std::array<int8_t, sizes::INP_BYTES>> inp;
  std::vector<std::array<int8_t, sizes::WGT_BYTES>> wgt;
  std::vector<std::array<int8_t, sizes::BLOCK_OUT>> dwt;
  std::vector<std::array<uint8_t, sizes::PRM_BYTES>> prm;
  std::vector<std::array<int32_t, lanes>> acc;
  std::vector<std::array<int8_t, sizes::OUT_BYTES>> out;
  uint32_t gemmRegisters[16] = {}, aluRegisters[16] = {};

  Model();
  void resetRegisters();
  /// False if the instruction's meaning is undefined in this state; then the
  /// state is not to be used any more.
  bool execute(const Instruction &instruction);

private:
  void gemm(const Instruction &i);
  bool alu(const Instruction &i);
  bool aluStep(const Instruction &i, Uop at, bool start, bool end);
  int32_t rescaled(const std::array<uint8_t, sizes::PRM_BYTES> &p,
                   uint32_t channel, int32_t value) const;
  std::array<int32_t, lanes> running;
};

} // namespace core

#endif
