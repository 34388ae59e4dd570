// Part of Tenon, under the Apache License v2.0.
//
// gemm_dot: a body of it gives, for each row n and each output o, the sum over c of
// (weight[o][c] - zero_point) * input[n][c], written as the sum of the products less
// the zero point times the sum of the inputs (the distributive law is not proved
// here); inputs are laid out [BLOCK_IN/B][BATCH][B]. Operands are loaded, summed and
// subtracted in the cycles that `Loads` has for it; in all others the pipeline holds,
// with `advance_i` low or no bit of `valid_i`, whatever its inputs are.
// Proved for all operands and all values of the registers before, so for what is
// loaded in any cycle; each body by itself, which makes them one function. The body
// with two products in a multiplier is compared with two other forms of the sum
// (gemm_sum.sv), which gemm_forms.sv proves to be the same.
`default_nettype none

module gemm_dot_formal #(
    // An octal digit a cycle, the first one last: 1 products, 2 sums, 4 differences.
    parameter bit [17:0] Loads = 18'o777,
    // The form of gemm_sum.sv for outputs 0, 2, ... and 1, 3, ...
    parameter int EvenForm = 0,
    parameter int OddForm = 0
) (
    input logic                              clk_i,
    input logic                              any_advance_i,
    input logic [2:0]                        any_valid_i,
    input logic [tenon_pkg::INP_BYTES*8-1:0] input_i,
    input logic [tenon_pkg::WGT_BYTES*8-1:0] weight_i,
    input logic [8:0]                        zero_point_i
);
  localparam int N = tenon_pkg::BATCH;
  localparam int In = tenon_pkg::BLOCK_IN;
  localparam int Out = tenon_pkg::BLOCK_OUT;
  localparam int Piece = tenon_pkg::BLOCK_MIN;

  // ---- the schedule; the stages that have what was loaded in it
  logic [17:0] loads_q = Loads;
  logic [2:0] load, have_q = 3'b000, valid_i;
  logic advance_i;
  assign load = loads_q[2:0];
  assign advance_i = load != 3'd0 || any_advance_i;
  assign valid_i = load != 3'd0 ? load : any_valid_i & ~{3{any_advance_i}};
  always_ff @(posedge clk_i) begin
    loads_q <= loads_q >> 3;
    if (load[0]) have_q[0] <= 1'b1;
    if (load[1]) have_q[1] <= have_q[0];
    if (load[2]) have_q[2] <= have_q[1];
  end

  logic [tenon_pkg::ACC_BYTES*8-1:0] sums_o;
  gemm_dot dut (.*);

  for (genvar n = 0; n < N; n++) begin : gen_row
    logic [In*8-1:0] row;
    for (genvar piece = 0; piece < In / Piece; piece++) begin : gen_piece
      assign row[piece*Piece*8 +: Piece*8] = input_i[(piece*N + n)*Piece*8 +: Piece*8];
    end
    for (genvar o = 0; o < Out; o++) begin : gen_output
      logic signed [31:0] dot, dot_1_q, dot_2_q, dot_3_q;
      gemm_sum #(.Form(o % 2 == 1 ? OddForm : EvenForm)) sum (
        .weights_i(weight_i[o*In*8 +: In*8]), .inputs_i(row), .zero_point_i, .sum_o(dot)
      );
      always_ff @(posedge clk_i) begin
        if (load[0]) dot_1_q <= dot;
        if (load[1]) dot_2_q <= dot_1_q;
        if (load[2]) dot_3_q <= dot_2_q;
      end
      always_comb if (have_q[2]) assert (sums_o[(n*Out + o)*32 +: 32] == dot_3_q);
    end
  end

  always_comb cover (have_q[2] && load == 3'd0);
endmodule

`default_nettype wire
