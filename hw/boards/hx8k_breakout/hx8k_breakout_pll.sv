// Part of Tenon, under the Apache License v2.0.
//
// The iCE40's PLL, feedback SIMPLE: clock = oscillator * (Feedback + 1) /
// (Reference + 1) / 2^Output; the part before the last division lies within 533
// and 1066 MHz (Lattice FPGA-TN-02052).  The filter is icepll's for a phase
// detector at 12 MHz.

`default_nettype none

module hx8k_breakout_pll #(
    parameter int unsigned Reference = 0,
    parameter int unsigned Feedback = 63,
    parameter int unsigned Output = 5
) (
    input  logic clk_i,
    output logic clk_o,
    output logic locked_o
);
  SB_PLL40_CORE #(
      .FEEDBACK_PATH("SIMPLE"),
      .DIVR(4'(Reference)),
      .DIVF(7'(Feedback)),
      .DIVQ(3'(Output)),
      .FILTER_RANGE(3'd1)
  ) u_pll (
      .REFERENCECLK(clk_i),
      .PLLOUTGLOBAL(clk_o),
      .LOCK(locked_o),
      .RESETB(1'b1),
      .BYPASS(1'b0)
  );
endmodule

`default_nettype wire
