// Part of Tenon, under the Apache License v2.0.
//
// An adder that synthesis keeps as one, see gemm_tree.sv.
`default_nettype none

(* keep_hierarchy *)
module gemm_adder #(
  parameter int unsigned Bits = 2
) (
  input  logic [Bits-1:0] a_i,
  input  logic [Bits-1:0] b_i,
  output logic [Bits-1:0] sum_o
);
  assign sum_o = a_i + b_i;
endmodule

`default_nettype wire
