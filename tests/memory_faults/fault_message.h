// Part of Tenon, under the Apache License v2.0.
//
// Whether an error names what can have met a byte of DRAM that fails.

#ifndef TESTS_MEMORY_FAULTS_FAULT_MESSAGE_H
#define TESTS_MEMORY_FAULTS_FAULT_MESSAGE_H

#include "isa/isa.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tenon::test {

/// A launch as it lies in DRAM.
struct Launched {
  std::vector<isa::Instruction> instructions; // with FINISH
  uint64_t offset = 0;                        // of the first, bytes
};

/// Whether `message` names an engine, an instruction and a burst of that
/// instruction that can have met `byte`: the burst begins there or before it,
/// not longer than a burst is, in the same 4 KiB. FETCH must name the
/// instruction that has the byte. Of LOAD or STORE the hardware keeps the burst
/// alone: the first instruction of the engine with it in one of its rows must
/// be named, as many others as have it too, and one of them must have the byte
/// in the burst's row.
bool namesFault(const isa::Layout &layout, const Launched &launched,
                const std::string &message, uint64_t byte);

} // namespace tenon::test

#endif // TESTS_MEMORY_FAULTS_FAULT_MESSAGE_H
