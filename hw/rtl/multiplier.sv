// Part of Tenon, under the Apache License v2.0.
//
// A signed multiplier with registers close to it: of its product, and of its
// operands if Operands is set; `advance_i` low holds them. Wires to and from a
// multiplier are long on an FPGA. Where synthesis finds no registers in the
// multiplier block itself, a board brings a file of this name that has them
// (hw/boards).
`default_nettype none

module multiplier #(
  parameter int unsigned LeftBits = 18,
  parameter int unsigned RightBits = 18,
  parameter bit          Operands = 1'b0
) (
  input  logic                               clk_i,
  input  logic                               advance_i,
  input  logic signed [LeftBits-1:0]         left_i,
  input  logic signed [RightBits-1:0]        right_i,
  output logic signed [LeftBits+RightBits-1:0] product_o
);
  logic signed [LeftBits-1:0]  left;
  logic signed [RightBits-1:0] right;

  if (Operands) begin : gen_operands
    logic signed [LeftBits-1:0]  left_q;
    logic signed [RightBits-1:0] right_q;
    always_ff @(posedge clk_i) if (advance_i) {left_q, right_q} <= {left_i, right_i};
    assign {left, right} = {left_q, right_q};
  end else begin : gen_operands
    assign {left, right} = {left_i, right_i};
  end

  always_ff @(posedge clk_i) if (advance_i) product_o <= left * right;
endmodule

`default_nettype wire
