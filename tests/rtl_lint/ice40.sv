// Part of Tenon, under the Apache License v2.0.
//
// The ports of the iCE40's cells that tops use; Yosys has their behaviour.

`default_nettype none

module SB_PLL40_PAD #(
    parameter string FEEDBACK_PATH = "SIMPLE",
    parameter logic [3:0] DIVR = 4'd0,
    parameter logic [6:0] DIVF = 7'd0,
    parameter logic [2:0] DIVQ = 3'd0,
    parameter logic [2:0] FILTER_RANGE = 3'd0
) (
    input  logic PACKAGEPIN,
    input  logic RESETB,
    input  logic BYPASS,
    output logic PLLOUTGLOBAL,
    output logic LOCK
);
  assign PLLOUTGLOBAL = PACKAGEPIN && !BYPASS;
  assign LOCK = RESETB;
endmodule

module SB_PLL40_CORE #(
    parameter string FEEDBACK_PATH = "SIMPLE",
    parameter logic [3:0] DIVR = 4'd0,
    parameter logic [6:0] DIVF = 7'd0,
    parameter logic [2:0] DIVQ = 3'd0,
    parameter logic [2:0] FILTER_RANGE = 3'd0
) (
    input  logic REFERENCECLK,
    input  logic RESETB,
    input  logic BYPASS,
    output logic PLLOUTGLOBAL,
    output logic LOCK
);
  assign PLLOUTGLOBAL = REFERENCECLK && !BYPASS;
  assign LOCK = RESETB;
endmodule

`default_nettype wire
