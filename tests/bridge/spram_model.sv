// Part of Tenon, under the Apache License v2.0.
//
// The UP5K's single-port RAM as its data sheet describes it (FPGA-TN-02022): a
// write leaves rubbish at the output.

`default_nettype none

/* verilator lint_off UNUSEDSIGNAL */
module SB_SPRAM256KA (
    input  logic [13:0] ADDRESS,
    input  logic [15:0] DATAIN,
    input  logic [3:0]  MASKWREN,
    input  logic        WREN,
    input  logic        CHIPSELECT,
    input  logic        CLOCK,
    input  logic        STANDBY,
    input  logic        SLEEP,
    input  logic        POWEROFF,
    output logic [15:0] DATAOUT
);
  logic [15:0] words_q[16384];

  always_ff @(posedge CLOCK) begin
    if (CHIPSELECT && WREN) begin
      for (int n = 0; n < 4; n++)
        if (MASKWREN[n]) words_q[ADDRESS][4*n+:4] <= DATAIN[4*n+:4];
      DATAOUT <= 16'hDEAD;
    end else if (CHIPSELECT) begin
      DATAOUT <= words_q[ADDRESS];
    end
  end
endmodule
/* verilator lint_on UNUSEDSIGNAL */

`default_nettype wire
