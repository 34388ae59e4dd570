// Part of Tenon, under the Apache License v2.0.
//
// A register of which synthesis keeps every instance, where equal ones would be
// merged: a signal that goes to all lanes has one near each.
`default_nettype none

(* keep_hierarchy *)
module copy #(
  parameter int unsigned Bits = 1
) (
  input  logic            clk_i,
  input  logic            advance_i,
  input  logic [Bits-1:0] data_i,
  output logic [Bits-1:0] data_o
);
  always_ff @(posedge clk_i) if (advance_i) data_o <= data_i;
endmodule

`default_nettype wire
