//===- sim/board/board_model.h - A board's logic as Verilog -----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// What is to be simulated: the RTL of a bridge with its accelerator, or the
// netlist that synthesis made of a board.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_BOARD_BOARD_MODEL_H
#define TENON_SIM_BOARD_BOARD_MODEL_H

#include "isa/isa.h"
#include "sim/rtl/sources.h"

#include "absl/status/statusor.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tenon::sim {

/// Verilog with one clock, one serial port and perhaps a reset. Every PLL in it
/// passes its input on, so that a cycle of `clock` is one of the machine.
struct BoardModel {
  std::string name; // for messages and file names
  std::string top;  // the module whose ports these are
  std::string clock = "clk_i";
  std::string reset = "rst_i"; // active high, for the first cycles; "": none
  std::string uartRx = "uart_rx_i";
  std::string uartTx = "uart_tx_o";
  std::map<std::string, uint64_t> inputs;        // others, and what they hold
  std::map<std::string, std::string> parameters; // of the top, Verilog literals
  std::vector<std::string> defines;              // NAME or NAME=VALUE
  std::vector<SourceFile> files;                 // packages first
  bool isNetlist = false;         // compiled for a short build as well as speed
  bool cyclesOnBothEdges = false; // see onBothEdges in sim/rtl/recipe.h
};

/// `bridge_top` of hw/bridge around the RTL of hw/rtl (of $TENON_HW, where that
/// is set) for a configuration.
struct BridgeParameters {
  uint64_t memoryBytes = 256 << 10;
  uint64_t clockHz = 100'000'000;
};
absl::StatusOr<BoardModel> bridgeModel(const isa::Layout &layout,
                                       const BridgeParameters &parameters);

enum class CellFamily { Ecp5, Gowin, Ice40 };

/// A netlist that Yosys wrote (write_verilog -noattr) with the vendor's models
/// of the cells, as Yosys ships them, in `yosysShare` (the folder that has
/// ecp5/, gowin/, ...), and those of hw/boards/cells where Yosys has only black
/// boxes. The caller sets the ports. NotFound: a file cannot be read.
absl::StatusOr<BoardModel> netlistModel(const std::string &netlist,
                                        const std::string &top,
                                        CellFamily family,
                                        const std::string &yosysShare);

} // namespace tenon::sim

#endif // TENON_SIM_BOARD_BOARD_MODEL_H
