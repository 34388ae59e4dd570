// Part of Tenon, under the Apache License v2.0.
//
// A program made by hand that moves data through LOAD, ALU and STORE in any
// configuration: reads vectors of int8 into ACC, adds a bias and a zero point,
// writes them.

#ifndef TENON_TESTS_UNIT_SIM_RTL_SMALL_PROGRAM_H
#define TENON_TESTS_UNIT_SIM_RTL_SMALL_PROGRAM_H

#include "isa/isa.h"
#include "sim/simulator.h"

#include <vector>

namespace tenon::sim {

class SmallProgram {
public:
  /// `vectors` elements of ACC, at most 2047 and ACC's depth.
  SmallProgram(const isa::Layout &layout, uint32_t vectors);

  /// What the hardware executes; change it before `writeTo`.
  std::vector<isa::Instruction> instructions;

  /// Allocates DRAM and writes program and data.
  void writeTo(Device &device) const;
  LaunchOptions options() const;

  uint64_t resultOffset() const { return result; }
  std::vector<uint8_t> expected() const;

private:
  uint32_t beats(uint64_t bytes) const;
  std::vector<uint8_t> parameters() const;

  const isa::Layout &layout;
  std::vector<uint8_t> input;
  uint64_t dramBytes, uops, params, data, result, program;
};

} // namespace tenon::sim

#endif // TENON_TESTS_UNIT_SIM_RTL_SMALL_PROGRAM_H
