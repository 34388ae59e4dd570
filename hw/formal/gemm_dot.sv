// Part of Tenon, under the Apache License v2.0.
//
// gemm_dot: each body, the one for simulation and those for synthesis (a
// multiplier each, or two products in one), equals the sum over c of
// (weight[o][c] - zero_point) * input[n][c], whenever the pipeline goes on.
// Two outputs that are packed together are compared, those of `Pair`; operands
// stay what they are. Proved for all weights and zero points, and for inputs of
// which only the bits of `Bits` are set, in any combination.
`default_nettype none

module gemm_dot_formal #(
    parameter logic [7:0] Bits = 8'h83,
    parameter logic [8:0] ZeroBits = 9'h1ff,
    parameter int Pair = 0
) (
    input logic       clk_i,
    input logic       advance_i,
    input logic [2:0] valid_i
);
  localparam int In = tenon_pkg::BLOCK_IN;
  localparam int Out = tenon_pkg::BLOCK_OUT;

  (* anyconst *) logic [In*8-1:0] input_any;
  (* anyconst *) logic [Out*In*8-1:0] weight_i;
  (* anyconst *) logic [8:0] zero_any;
  logic [In*8-1:0] input_i;
  logic [8:0] zero_point_i;
  logic [Out*32-1:0] sums_o;
  assign input_i = input_any & {In{Bits}};
  assign zero_point_i = zero_any & ZeroBits;
  gemm_dot dut (.*);

  // How far the operands have come.
  logic [3:0] filled_q = 4'b0001;
  always_ff @(posedge clk_i)
    if (advance_i) filled_q <= filled_q | {filled_q[2:0] & valid_i, 1'b0};

  for (genvar o = 0; o < 2; o++) begin : gen_output
    logic [(In+1)*32-1:0] sums;  // of the first c products
    assign sums[31:0] = 32'd0;
    for (genvar c = 0; c < In; c++) begin : gen_column
      logic signed [31:0] weight, value, zero_point;
      assign weight = $signed(weight_i[((2*Pair+o)*In+c)*8+:8]);
      assign value = $signed(input_i[c*8+:8]);
      assign zero_point = $signed(zero_point_i);
      assign sums[(c+1)*32+:32] = sums[c*32+:32] + (weight - zero_point) * value;
    end
    always_comb
      if (filled_q[3]) assert (sums_o[(2*Pair+o)*32+:32] == sums[In*32+:32]);
  end
  always_comb cover (filled_q[3]);
endmodule

`default_nettype wire
