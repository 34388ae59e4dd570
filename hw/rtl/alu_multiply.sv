// Part of Tenon, under the Apache License v2.0.
//
// The multipliers of the ALU's lanes: 32 by 32 bits signed, the product in the
// cycle after the n = ALU_MULTIPLY_CYCLES cycles that follow `load_i`, in which
// the operands stand still. It comes from registers behind the multipliers by
// one addition (two where n is 2 or more), since on FPGAs a multiplier may have
// no register of its own.
//
// Two bodies of equal function and latency, as in gemm_dot.sv. For synthesis
// each lane multiplies 32 by 32/n bits a cycle, in halves of 16 bits.
`default_nettype none

module alu_multiply (
  input  logic                                 clk_i,
  input  logic                                 rst_i,
  input  logic                                 load_i,
  input  logic                                 needed_i,   // the operation in the lanes wants a product
  input  logic [tenon_pkg::ALU_LANES*32-1:0]   x_i,
  input  logic [tenon_pkg::ALU_LANES*32-1:0]   y_i,
  output logic [tenon_pkg::ALU_LANES*64-1:0]   product_o
);
  localparam int unsigned Cycles = tenon_pkg::ALU_MULTIPLY_CYCLES;
  localparam int unsigned Lanes = tenon_pkg::ALU_LANES;

  // which of the cycles this is
  logic [5:0] step_q;
  logic       active_q, work;

  assign work = active_q && needed_i;

  always_ff @(posedge clk_i) begin
    if (load_i) step_q <= 6'd0;
    else if (active_q) step_q <= step_q + 6'd1;
    active_q <= !rst_i && (load_i || (active_q && 32'(step_q) != Cycles - 1));
  end

`ifdef SYNTHESIS
  if (Cycles == 1) begin : gen_whole
    for (genvar l = 0; l < Lanes; l++) begin : gen_lane
      logic signed [16:0] xl, yl;
      logic signed [15:0] xh, yh;
      logic [31:0]        low_q;
      logic signed [32:0] middle_q;
      logic signed [31:0] high_q;
      logic [47:0]        upper;
      assign {xh, xl} = {x_i[l*32+16 +: 16], 1'b0, x_i[l*32 +: 16]};
      assign {yh, yl} = {y_i[l*32+16 +: 16], 1'b0, y_i[l*32 +: 16]};
      always_ff @(posedge clk_i) begin
        if (work) begin
          low_q <= 32'(xl * yl);
          middle_q <= 33'(xl * yh) + 33'(xh * yl);
          high_q <= 32'(xh * yh);
        end
      end
      assign upper = {high_q, low_q[31:16]} + 48'(middle_q);
      assign product_o[l*64 +: 64] = {upper, low_q[15:0]};
    end
  end else begin : gen_steps
    // After k of them high_q:low_q holds x times y's low k*Chunk bits, the low
    // part shifted in from above.
    localparam int unsigned Chunk = 32 / Cycles;
    logic last;
    assign last = 32'(step_q) == Cycles - 1;

    for (genvar l = 0; l < Lanes; l++) begin : gen_lane
      logic signed [16:0]         xl;
      logic signed [15:0]         xh;
      logic signed [Chunk:0]      chunk;
      logic signed [Chunk+16:0]   low_product_q;
      logic signed [Chunk+15:0]   high_product_q;
      logic signed [31+Chunk:0]   sum;
      logic signed [31:0]         high_q;
      logic [31-Chunk:0]          low_q;
      logic [63:0]                product;
      assign {xh, xl} = {x_i[l*32+16 +: 16], 1'b0, x_i[l*32 +: 16]};
      always_comb begin
        chunk = '0;
        for (int k = 0; k < Cycles; k++)
          if (32'(step_q) == k) chunk = {last && y_i[l*32 + k*Chunk + Chunk - 1], y_i[l*32 + k*Chunk +: Chunk]};
      end
      assign sum = (32+Chunk)'(high_q) + (32+Chunk)'(low_product_q) + ((32+Chunk)'(high_product_q) <<< 16);
      assign product = {sum, low_q};
      assign product_o[l*64 +: 64] = product;
      always_ff @(posedge clk_i) begin
        if (work) begin
          low_product_q <= (Chunk+17)'(xl * chunk);
          high_product_q <= (Chunk+16)'(xh * chunk);
          if (step_q == 6'd0) high_q <= '0;
          else {high_q, low_q} <= product[63:Chunk];
        end
      end
    end
  end
`else
  always_ff @(posedge clk_i) begin
    if (work && 32'(step_q) == Cycles - 1)
      for (int l = 0; l < Lanes; l++)
        product_o[l*64 +: 64] <= 64'($signed(x_i[l*32 +: 32])) * 64'($signed(y_i[l*32 +: 32]));
  end
`endif
endmodule

`default_nettype wire
