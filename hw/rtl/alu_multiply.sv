// Part of Tenon, under the Apache License v2.0.
//
// The slow multipliers of the ALU's lanes: product_o = x * y, 32 by 32 bits
// signed, in the last of the n = ALU_MULTIPLY_CYCLES cycles after `load_i`;
// operands stand still until then. Each lane multiplies 32 by 32/n bits a cycle.
`default_nettype none

module alu_multiply (
  input  logic                                 clk_i,
  input  logic                                 load_i,
  input  logic [tenon_pkg::ALU_LANES*32-1:0]   x_i,
  input  logic [tenon_pkg::ALU_LANES*32-1:0]   y_i,
  output logic [tenon_pkg::ALU_LANES*64-1:0]   product_o
);
  localparam int unsigned Cycles = tenon_pkg::ALU_MULTIPLY_CYCLES;
  localparam int unsigned Lanes = tenon_pkg::ALU_LANES;

  // After k cycles high_q:low_q holds x times y's low k*Chunk bits, the low
  // part shifted in from above.
  localparam int unsigned Chunk = Cycles == 1 ? 16 : 32 / Cycles;  // this module is not there with 1
  logic [5:0]             step_q;
  logic [Lanes*32-1:0]    high_q, low_q, high, low;
  logic                   last;

  assign last = 32'(step_q) == Cycles - 1;

  always_comb begin
    for (int l = 0; l < Lanes; l++) begin : lane
      logic [Chunk-1:0] chunk;
      logic [31+Chunk:0] sum;
      chunk = '0;
      for (int k = 0; k < Cycles; k++)
        if (32'(step_q) == k) chunk = y_i[l*32 + k*Chunk +: Chunk];
      sum = (32+Chunk)'($signed(x_i[l*32 +: 32])) * (32+Chunk)'($signed({last && chunk[Chunk-1], chunk}))
          + (32+Chunk)'($signed(high_q[l*32 +: 32]));
      high[l*32 +: 32] = sum[Chunk +: 32];
      low[l*32 +: 32] = {sum[Chunk-1:0], low_q[l*32 + Chunk +: 32-Chunk]};
      product_o[l*64 +: 64] = {high[l*32 +: 32], low[l*32 +: 32]};
    end
  end

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      step_q <= 6'd0;
      high_q <= '0;
    end else if (!last) begin
      step_q <= step_q + 6'd1;
      high_q <= high;
      low_q <= low;
    end
  end
endmodule

`default_nettype wire
