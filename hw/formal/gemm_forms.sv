// Part of Tenon, under the Apache License v2.0.
//
// Two forms of gemm_sum.sv are the same number for all operands, which come out
// of registers: there is nothing to step through in a circuit without any.
`default_nettype none

module gemm_forms_formal #(
    parameter int Left = 0,
    parameter int Right = 0
) (
    input logic                              clk_i,
    input logic [tenon_pkg::BLOCK_IN*8-1:0] weights_i,
    input logic [tenon_pkg::BLOCK_IN*8-1:0] inputs_i,
    input logic [8:0]                       zero_point_i
);
  logic [tenon_pkg::BLOCK_IN*8-1:0] weights_q, inputs_q;
  logic [8:0] zero_point_q;
  always_ff @(posedge clk_i) begin
    weights_q <= weights_i;
    inputs_q <= inputs_i;
    zero_point_q <= zero_point_i;
  end

  logic signed [31:0] left, right;
  gemm_sum #(.Form(Left)) left_sum (
      .weights_i(weights_q), .inputs_i(inputs_q), .zero_point_i(zero_point_q), .sum_o(left)
  );
  gemm_sum #(.Form(Right)) right_sum (
      .weights_i(weights_q), .inputs_i(inputs_q), .zero_point_i(zero_point_q), .sum_o(right)
  );

  always_comb assert (left == right);
  // The ends of what there is, where the packed fields are full or nothing.
  always_comb begin
    cover (weights_q == {tenon_pkg::BLOCK_IN{8'h7F}} && inputs_q == {tenon_pkg::BLOCK_IN{8'h80}});
    cover (weights_q == {tenon_pkg::BLOCK_IN{8'h7F}} && inputs_q == {tenon_pkg::BLOCK_IN{8'h7F}});
  end
endmodule

`default_nettype wire
