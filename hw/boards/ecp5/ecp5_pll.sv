// Part of Tenon, under the Apache License v2.0.
//
// The ECP5's PLL with feedback from its output: clock = oscillator * Feedback /
// Reference; clock * Output lies within 400 and 800 MHz (FPGA-TN-02200).  The
// attributes are those that ecppll writes.

`default_nettype none

module ecp5_pll #(
    parameter int unsigned Reference = 5,
    parameter int unsigned Feedback = 16,
    parameter int unsigned Output = 7
) (
    input  logic clk_i,
    output logic clk_o,
    output logic locked_o
);
  (* ICP_CURRENT = "12", LPF_RESISTOR = "8", MFG_ENABLE_FILTEROPAMP = "1",
     MFG_GMCREF_SEL = "2" *)
  EHXPLLL #(
      .PLLRST_ENA("DISABLED"),
      .INTFB_WAKE("DISABLED"),
      .STDBY_ENABLE("DISABLED"),
      .DPHASE_SOURCE("DISABLED"),
      .OUTDIVIDER_MUXA("DIVA"),
      .OUTDIVIDER_MUXB("DIVB"),
      .OUTDIVIDER_MUXC("DIVC"),
      .OUTDIVIDER_MUXD("DIVD"),
      .CLKI_DIV(Reference),
      .CLKOP_ENABLE("ENABLED"),
      .CLKOP_DIV(Output),
      .CLKOP_CPHASE(Output / 2),
      .CLKOP_FPHASE(0),
      .FEEDBK_PATH("CLKOP"),
      .CLKFB_DIV(Feedback)
  ) u_pll (
      .RST(1'b0),
      .STDBY(1'b0),
      .CLKI(clk_i),
      .CLKOP(clk_o),
      .CLKFB(clk_o),
      .CLKINTFB(),
      .PHASESEL0(1'b0),
      .PHASESEL1(1'b0),
      .PHASEDIR(1'b1),
      .PHASESTEP(1'b1),
      .PHASELOADREG(1'b1),
      .PLLWAKESYNC(1'b0),
      .ENCLKOP(1'b0),
      .LOCK(locked_o)
  );
endmodule

`default_nettype wire
