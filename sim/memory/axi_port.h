//===- sim/memory/axi_port.h - The wires of an AXI port ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// What master and memory drive in a cycle, as plain data. Standard library
// only: this header is also compiled into the Verilated simulators.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_MEMORY_AXI_PORT_H
#define TENON_SIM_MEMORY_AXI_PORT_H

#include <cstdint>

namespace tenon::sim {

/// Read ids of the accelerator's master.
constexpr uint32_t axiLoad = 0;
constexpr uint32_t axiFetch = 1;
/// RRESP and BRESP.
constexpr uint32_t axiOkay = 0, axiSlaveError = 2, axiDecodeError = 3;

/// What the memory drives in a cycle.
struct AxiOutputs {
  bool arReady = false, awReady = false, wReady = false;
  bool rValid = false, rLast = false, bValid = false;
  uint32_t rId = 0, rResponse = axiOkay, bResponse = axiOkay;
  const uint8_t *rData = nullptr; // one beat, when rValid
};

/// A read or write address channel, as the master drives it.
struct AxiAddress {
  bool valid = false;
  uint64_t address = 0;
  uint32_t length = 0; // ARLEN: beats - 1
  uint32_t size = 0;   // ARSIZE: log2 of bytes in a beat
  uint32_t burst = 0;  // 1: incrementing
  uint32_t id = 0;

  bool operator==(const AxiAddress &other) const {
    return valid == other.valid && address == other.address &&
           length == other.length && size == other.size &&
           burst == other.burst && id == other.id;
  }
};

/// What the master drives in a cycle.
struct AxiRequests {
  AxiAddress ar, aw;
  bool rReady = false, bReady = false;
  bool wValid = false, wLast = false;
  const uint8_t *wData = nullptr;   // one beat
  const uint8_t *wStrobe = nullptr; // one bit a byte
};

/// Beats moved in a cycle.
struct AxiBeats {
  bool load = false, fetch = false, store = false;
};

} // namespace tenon::sim

#endif // TENON_SIM_MEMORY_AXI_PORT_H
