//===- sim/report/drawing.h - An instruction's cycles in a row --*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A trace says how many cycles an instruction spent in each state, not in which
// order. Pictures draw them in this order: before its work empty and token,
// then memory, bank, busy, drain, and token again (for room in a channel). The
// lengths are exact. timeline.js draws the same.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_REPORT_DRAWING_H
#define TENON_SIM_REPORT_DRAWING_H

#include "sim/report/launch_view.h"

#include <string>
#include <vector>

namespace tenon::sim {

/// Cycles [begin, end) of one state.
struct Stretch {
  isa::State state;
  uint64_t begin, end;
};

/// The first cycle of the instruction's work; its retirement where it only
/// waited.
uint64_t workBegin(const Step &step);

/// Stretches that fill [previous, retire) without gaps; none is empty.
std::vector<Stretch> stretchesOf(const Step &step);

/// The state with most cycles from the begin of its work on.
isa::State largestState(const Step &step);

/// "gemm", "load inp", "alu quant", "set".
std::string mnemonic(const isa::Instruction &instruction);

/// "busy", "token from load", "room to store", ...
std::string stretchName(unsigned engine, const Step &step,
                        const Stretch &stretch);

} // namespace tenon::sim

#endif // TENON_SIM_REPORT_DRAWING_H
