// Part of Tenon, under the Apache License v2.0.
//
// The multipliers of the ALU's lanes: 32 by 32 bits signed, in the n =
// ALU_MULTIPLY_CYCLES cycles that follow `load_i`, in which the operands stand
// still; `last_i` is the last of them. The product stands Delay cycles after the
// one that follows it, together with `valid_o` and with `carry_o`, what the
// operation took along in the cycle of `last_i`.
//
// Two bodies of equal function and latency, as in gemm_dot.sv. For synthesis
// each lane multiplies 32 by 32/n bits a cycle, in halves of 16 bits. On FPGAs a
// multiplier may have no register of its own and stands far from the lane: one
// that takes whole words has nothing but wire between it and registers on both
// sides, and a cycle for its sums. The slow ones come with few lanes; their
// product comes from the registers behind them by two additions.
`default_nettype none

module alu_multiply #(
  parameter int unsigned CarryBits = 1
) (
  input  logic                                 clk_i,
  input  logic                                 rst_i,
  input  logic                                 load_i,
  input  logic                                 needed_i,   // the operation in the lanes wants a product
  input  logic                                 last_i,
  input  logic [CarryBits-1:0]                 carry_i,
  input  logic [tenon_pkg::ALU_LANES*32-1:0]   x_i,
  input  logic [tenon_pkg::ALU_LANES*32-1:0]   y_i,
  output logic                                 busy_o,     // something follows `last_i`
  output logic                                 valid_o,
  output logic [CarryBits-1:0]                 carry_o,
  output logic                                 moves_o,    // in the next cycle carry_o is
  output logic [CarryBits-1:0]                 next_o,
  output logic [tenon_pkg::ALU_LANES*64-1:0]   product_o
);
  localparam int unsigned Cycles = tenon_pkg::ALU_MULTIPLY_CYCLES;
  localparam int unsigned Lanes = tenon_pkg::ALU_LANES;
  localparam int          Delay = Cycles == 1 ? 2 : 0;
  localparam int          Before = Delay == 0 ? 0 : Delay - 1;
`ifdef SYNTHESIS
  localparam bit          Rest = 1'b0;                  // see alu_execute.sv
`else
  localparam bit          Rest = 1'b1;
`endif

  // what goes along
  logic [Delay:0]                 valid_q;
  logic [(Delay+1)*CarryBits-1:0] carry_q;

  assign busy_o = valid_q != '0;
  assign valid_o = valid_q[Delay];
  assign carry_o = carry_q[Delay*CarryBits +: CarryBits];
  assign {moves_o, next_o} = Delay == 0 ? {last_i || !Rest, carry_i}
                                        : {valid_q[Before] || !Rest, carry_q[Before*CarryBits +: CarryBits]};

  always_ff @(posedge clk_i) begin
    valid_q <= rst_i ? '0 : (Delay+1)'({valid_q, last_i});
    if (last_i || !Rest) carry_q[0 +: CarryBits] <= carry_i;
    for (int d = 0; d < Delay; d++)
      if (valid_q[d] || !Rest) carry_q[(d+1)*CarryBits +: CarryBits] <= carry_q[d*CarryBits +: CarryBits];
  end

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
      logic signed [33:0] low_q;              // not negative, below 2^32
      logic signed [32:0] middle_left_q, middle_right_q;
      logic signed [31:0] high_q;
      logic [47:0]        upper;
      logic [63:0]        product_q;
      assign {xh, xl} = {x_i[l*32+16 +: 16], 1'b0, x_i[l*32 +: 16]};
      assign {yh, yl} = {y_i[l*32+16 +: 16], 1'b0, y_i[l*32 +: 16]};
      multiplier #(.LeftBits(17), .RightBits(17), .Operands(1'b1)) low (
        .clk_i, .advance_i(1'b1), .left_i(xl), .right_i(yl), .product_o(low_q)
      );
      multiplier #(.LeftBits(17), .RightBits(16), .Operands(1'b1)) middle_left (
        .clk_i, .advance_i(1'b1), .left_i(xl), .right_i(yh), .product_o(middle_left_q)
      );
      multiplier #(.LeftBits(16), .RightBits(17), .Operands(1'b1)) middle_right (
        .clk_i, .advance_i(1'b1), .left_i(xh), .right_i(yl), .product_o(middle_right_q)
      );
      multiplier #(.LeftBits(16), .RightBits(16), .Operands(1'b1)) high (
        .clk_i, .advance_i(1'b1), .left_i(xh), .right_i(yh), .product_o(high_q)
      );
      assign upper = {high_q, low_q[31:16]} + (48'(middle_left_q) + 48'(middle_right_q));
      assign product_o[l*64 +: 64] = product_q;
      always_ff @(posedge clk_i) product_q <= {upper, low_q[15:0]};
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
  logic [(Delay+1)*Lanes*64-1:0] product_q;

  assign product_o = product_q[Delay*Lanes*64 +: Lanes*64];

  always_ff @(posedge clk_i) begin
    if (work && 32'(step_q) == Cycles - 1)
      for (int l = 0; l < Lanes; l++)
        product_q[l*64 +: 64] <= 64'($signed(x_i[l*32 +: 32])) * 64'($signed(y_i[l*32 +: 32]));
    for (int d = 0; d < Delay; d++)
      if (valid_q[d]) product_q[(d+1)*Lanes*64 +: Lanes*64] <= product_q[d*Lanes*64 +: Lanes*64];
  end
`endif
endmodule

`default_nettype wire
