//===- sim/memory/poison.h - What unwritten DRAM holds ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_MEMORY_POISON_H
#define TENON_SIM_MEMORY_POISON_H

#include <cstdint>

namespace tenon::sim {

/// The byte that DRAM holds at `offset` until it is written: neighbours, rows
/// and elements differ, so that a read from the wrong place shows; the low
/// three bits are set, so that poison is no instruction (opcode 7 is
/// undefined).
inline uint8_t poisonByte(uint64_t offset) {
  return static_cast<uint8_t>(offset * 0x9e3779b97f4a7c15ull >> 56 | 7);
}

/// Poisons `bytes` bytes that lie at `offset` of DRAM.
inline void poison(uint8_t *data, uint64_t offset, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; ++i)
    data[i] = poisonByte(offset + i);
}

} // namespace tenon::sim

#endif // TENON_SIM_MEMORY_POISON_H
