// Part of Tenon, under the Apache License v2.0.
//
// FETCH, LOAD, STORE, token channels, control and counters around the stand-in
// core, between an AXI memory and a host that drives the control port.

#ifndef TENON_TESTS_RTL_MEMORY_MACHINE_H
#define TENON_TESTS_RTL_MEMORY_MACHINE_H

#include "sim/rtl/coverage_counts.h"
#include "tests/rtl_memory/axi_slave.h"
#include "tests/rtl_memory/copies.h"

#include "Vtenon_machine.h"
#include "verilated.h"

#include <array>

namespace tenon::test {

/// The accelerator, its memory and its host. With `sleeps`, parts that have
/// nothing to do get no clock edge.
class Machine {
public:
  Machine(const isa::Layout &layout, Chance &chance, bool sleeps,
          SlaveOptions options, uint64_t base, std::vector<uint8_t> &dram)
      : chance(chance), sleeps(sleeps), dramBytes(dram.size()),
        slave(top, layout, chance, options, base, dram) {
    top.s_axil_awvalid_i = top.s_axil_wvalid_i = top.s_axil_arvalid_i = 0;
    // Nothing holds before the reset has reached every register.
    Verilated::threadContextp()->assertOn(false);
    top.rst_i = 1;
    cycle();
    cycle();
    Verilated::threadContextp()->assertOn(true);
    leaveReset(base);
  }
  ~Machine() { sim::writeCoverage(*Verilated::threadContextp()); }

  void launch(uint32_t programBeat) {
    start(programBeat);
    awaitDone();
  }

  void awaitDone() {
    const uint64_t begin = now;
    while (!top.done_o) {
      expect(std::min(slave.idleFor(), now - begin) < 50000, chance,
             "the launch does not end");
      cycle();
    }
    expect(slave.quiet(), chance, "done while the memory works");
  }

  /// Stops what runs, or resets everything as well; done or idle behind it.
  void stop(bool reset) {
    write(isa::control::control, reset ? 4 : 2);
    const uint64_t stored = slave.storedBeats, begin = now;
    while (read(isa::control::status) & 2)
      expect(std::min(slave.idleFor(), now - begin) < 50000, chance,
             "a stop does not end");
    // Those that stood in the port's registers.
    expect(slave.storedBeats <= stored + 2, chance, "stored behind a stop");
    expect(slave.quiet(), chance, "stopped while the memory works");
  }

  /// A launch may reach `bytes` bytes from the base's page on.
  void setWindow(uint64_t base, uint64_t bytes) {
    write(isa::control::window, uint32_t((base % 4096 + bytes + 4095) / 4096));
    slave.allow(base, bytes);
  }
  void setBase(uint64_t base) {
    write(isa::control::baseLow, uint32_t(base));
    write(isa::control::baseHigh, uint32_t(base >> 32));
    setWindow(base, dramBytes);
  }

  void start(uint32_t programBeat) {
    write(isa::control::program, programBeat);
    write(isa::control::control, 1);
  }
  bool done() const { return top.done_o; }

  /// Reset of machine and memory, as AXI has it: one for both.
  void reset(uint64_t base, unsigned cycles) {
    top.rst_i = 1;
    for (unsigned i = 0; i < cycles; ++i)
      cycle();
    slave.reset();
    leaveReset(base);
  }

  /// Reset of the machine alone, while the memory answers what it was asked
  /// for.
  void resetAlone(uint64_t base) {
    top.rst_i = memoryRuns = 1;
    do {
      cycle();
      slave.withdraw();
    } while (!slave.quiet());
    cycle();
    memoryRuns = false;
    leaveReset(base);
  }

  void write(uint32_t offset, uint32_t value) {
    top.s_axil_awaddr_i = offset;
    top.s_axil_wdata_i = value;
    top.s_axil_awvalid_i = top.s_axil_wvalid_i = top.s_axil_bready_i = 1;
    bool taken = false;
    do {
      drive();
      taken = top.s_axil_awready_o && top.s_axil_wready_o;
      rise();
    } while (!taken);
    top.s_axil_awvalid_i = top.s_axil_wvalid_i = 0;
    while (!top.s_axil_bvalid_o)
      cycle();
    cycle();
  }

  uint32_t read(uint32_t offset) {
    top.s_axil_araddr_i = offset;
    top.s_axil_arvalid_i = top.s_axil_rready_i = 1;
    cycle();
    top.s_axil_arvalid_i = 0;
    // A counter takes one round over all of them.
    for (unsigned wait = 0; !top.s_axil_rvalid_o; ++wait) {
      expect(wait < 80, chance, "no answer to a control read");
      cycle();
    }
    uint32_t value = top.s_axil_rdata_o;
    cycle();
    return value;
  }

  void cycle() {
    drive();
    rise();
  }

  AxiSlave<Vtenon_machine> &memory() { return slave; }
  /// Whether a burst of writes is asked for.
  bool asksToWrite() const { return top.m_axi_awvalid_o || top.m_axi_wvalid_o; }
  uint64_t cycles() const { return now; }

private:
  void leaveReset(uint64_t base) {
    top.rst_i = 0;
    setBase(base);
  }

  void drive() {
    slave.drive();
    setClocks(0, 0);
    top.eval();
  }
  void rise() {
    if (!top.rst_i || memoryRuns)
      slave.sample();
    setClocks(1, awake());
    top.eval();
    ++now;
  }

  // The parts with something to do; the ports belong to FETCH's and STORE's.
  uint32_t awake() const {
    if (!sleeps || top.rst_i)
      return ~0u;
    bool front =
        top.s_axil_awvalid_i || top.s_axil_arvalid_i || top.m_axi_rvalid_i;
    return top.awake_o | front | top.m_axi_bvalid_i << 5;
  }

  void setClocks(bool always, uint32_t parts) {
    top.clk_i = always;
    top.clk_front_i = parts & 1;
    top.clk_core_i = parts >> 1 & 1;
    top.clk_gemm_i = parts >> 2 & 1;
    top.clk_alu_i = parts >> 3 & 1;
    top.clk_load_i = parts >> 4 & 1;
    top.clk_store_i = parts >> 5 & 1;
  }

  Chance &chance;
  const bool sleeps;
  const uint64_t dramBytes;
  bool memoryRuns = false; // in reset
  uint64_t now = 0;
  Vtenon_machine top;
  AxiSlave<Vtenon_machine> slave;
};

inline void checkCounters(const isa::Layout &layout, Chance &chance,
                          Machine &machine, const Program &program) {
  if (layout.config.counters() == isa::Configuration::NONE)
    return;
  uint32_t cycles = machine.read(0x20), tokenCycles = 0, waits = 0;
  std::array<uint32_t, 4> count{};
  for (const isa::Instruction &instruction : program)
    if (!std::holds_alternative<isa::Finish>(instruction))
      ++count[size_t(isa::engineOf(instruction))];
  for (uint32_t e = 0; e < 4; ++e)
    expect(machine.read(0x30 + 4 * e) == count[e], chance, "retired");
  if (layout.config.counters() != isa::Configuration::FULL)
    return;
  for (uint32_t e = 0; e < 4; ++e) {
    uint32_t sum = 0;
    for (uint32_t s = 0; s < 7; ++s)
      sum += machine.read(0x100 + 64 * e + 4 * s);
    expect(sum == cycles, chance, "states do not add up to cycles");
    tokenCycles += machine.read(0x100 + 64 * e + 4);
  }
  for (uint32_t c = 0; c < 10; ++c)
    waits += machine.read(0x200 + 4 * c);
  expect(waits == tokenCycles, chance, "token waits do not add up");
}

} // namespace tenon::test

#endif // TENON_TESTS_RTL_MEMORY_MACHINE_H
