//===- tools/fpga/pll.h - Dividers of a family's PLL ------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_FPGA_PLL_H
#define TENON_TOOLS_FPGA_PLL_H

#include "hw/boards/proto/board.pb.h"

#include "absl/status/statusor.h"

namespace tenon::fpga {

/// What a PLL's parameters are set to. By family:
///   ECP5 (EHXPLLL, feedback from CLKOP): reference = CLKI_DIV, feedback =
///     CLKFB_DIV, output = CLKOP_DIV; clock = oscillator * feedback /
///     reference, the VCO runs at clock * output, 400 to 800 MHz (Lattice
///     TN-02200).
///   Gowin (rPLL): reference = IDIV_SEL, feedback = FBDIV_SEL, both one less
///     than the divider; output = ODIV_SEL; clock = oscillator *
///     (feedback + 1) / (reference + 1), VCO = clock * output, 500 to 1250 MHz
///     (Gowin UG286, GW2A).
///   iCE40 (SB_PLL40, feedback SIMPLE): reference = DIVR, feedback = DIVF,
///     output = DIVQ; clock = oscillator * (feedback + 1) / (reference + 1) /
///     2^output, VCO 533 to 1066 MHz (Lattice TN1251).
struct PllDividers {
  int reference = 0;
  int feedback = 0;
  int output = 0;
  double clockMegahertz = 0;
};

/// Dividers for the clock nearest to `clockMegahertz` and not above it.
/// InvalidArgument: the PLL reaches nothing within 5 % below, with its nearest.
absl::StatusOr<PllDividers> pllDividers(Board::Family family,
                                        double oscillatorMegahertz,
                                        double clockMegahertz);

} // namespace tenon::fpga

#endif // TENON_TOOLS_FPGA_PLL_H
