// Part of Tenon, under the Apache License v2.0.
//
// The GW2A's PLL: clock = oscillator * (Feedback + 1) / (Reference + 1); clock *
// Output lies within 500 and 1250 MHz (UG286).

`default_nettype none

module tang_nano_20k_pll #(
    parameter int unsigned Reference = 0,
    parameter int unsigned Feedback = 1,
    parameter int unsigned Output = 16
) (
    input  logic clk_i,
    output logic clk_o,
    output logic locked_o
);
  rPLL #(
      .FCLKIN("27.0"),
      .IDIV_SEL(Reference),
      .FBDIV_SEL(Feedback),
      .ODIV_SEL(Output)
  ) u_pll (
      .CLKIN(clk_i),
      .CLKOUT(clk_o),
      .LOCK(locked_o),
      .CLKOUTP(),
      .CLKOUTD(),
      .CLKOUTD3(),
      .RESET(1'b0),
      .RESET_P(1'b0),
      .CLKFB(1'b0),
      .FBDSEL(6'd0),
      .IDSEL(6'd0),
      .ODSEL(6'd0),
      .PSDA(4'd0),
      .DUTYDA(4'd0),
      .FDLY(4'd0)
  );
endmodule

`default_nettype wire
