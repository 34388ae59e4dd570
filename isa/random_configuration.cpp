// Part of Tenon, under the Apache License v2.0.
//
// Random legal configurations for differential tests.

#include "isa/configuration.h"

#include "fmt/format.h"

#include <algorithm>

namespace tenon::isa {
namespace {

using Random = std::mt19937_64;

/// Uniform enough for tests and, unlike the standard distributions, the same
/// on every standard library.
uint32_t below(Random &random, uint32_t count) {
  return uint32_t(random() % count);
}

uint32_t range(Random &random, uint32_t least, uint32_t most) {
  return least + below(random, most - least + 1);
}

/// A power of two from 2^least to 2^most.
uint32_t power(Random &random, uint32_t least, uint32_t most) {
  return 1u << range(random, least, most);
}

uint32_t log2(uint32_t value) {
  uint32_t bits = 0;
  while ((2u << bits) <= value)
    ++bits;
  return bits;
}

void drawShape(Random &random, Configuration &c) {
  c.set_batch(power(random, 0, 2));
  c.set_block_out(power(random, 2, 4));
  // A beat is at least four bytes and divides the INP element.
  c.set_block_in(power(random, 4 / c.batch() == 4 ? 2 : 1, 4));
  uint32_t element = std::min(c.batch() * c.block_in(), c.block_out());
  c.set_bus_bits(8 * power(random, 2, log2(element)));
}

void drawDepths(Random &random, Configuration &c) {
  uint32_t perBeat = c.bus_bits() / 32;
  c.set_uop_entries(std::max(2 * perBeat, power(random, 4, 8)));
  c.set_inp_entries(power(random, 4, 8));
  c.set_wgt_entries(power(random, 3, 7));
  c.set_dwt_entries(power(random, 3, 6));
  c.set_acc_banks(power(random, 0, 3));
  c.set_acc_entries(std::max(2 * c.acc_banks(), power(random, 4, 8)));
  c.set_prm_entries(power(random, 2, 5));
  c.set_out_entries(power(random, 4, 8));
}

} // namespace

Configuration randomConfiguration(Random &random) {
  static constexpr uint32_t multiplyCycles[] = {1, 2, 4, 32};
  Configuration c;
  c.set_name(fmt::format("random_{:016x}", random()));
  drawShape(random, c);
  drawDepths(random, c);
  c.set_alu_lanes(power(random, 0, log2(c.batch() * c.block_out())));
  c.set_alu_multiply_cycles(multiplyCycles[below(random, 4)]);
  c.set_burst_beats(power(random, 4, 8));
  c.set_outstanding_bursts(range(random, 1, 64));
  c.set_queue_depth(range(random, 1, 32));
  c.set_channel_depth(range(random, 1, 8));
  c.set_counters(Configuration::FULL);
  c.set_clock_mhz(100);
  // The small depths need 128 bits at most; every bus divides both widths.
  c.set_instruction_bits(below(random, 4) ? 128 : 256);
  return c;
}

} // namespace tenon::isa
