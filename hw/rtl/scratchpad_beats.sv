// Part of Tenon, under the Apache License v2.0.
//
// A scratchpad that only LOAD writes: beat `beat_i` of an element at a time.
// Reads as in scratchpad.sv: data two cycles after the index.
`default_nettype none

module scratchpad_beats #(
  parameter int unsigned Depth = 512,
  parameter int unsigned Width = 64,
  parameter int unsigned Lanes = 1,
  parameter int unsigned IndexBits = $clog2(Depth)
) (
  input  logic                   clk_i,
  input  logic                   write_i,
  input  logic [IndexBits-1:0]   write_index_i,
  input  logic [7:0]             beat_i,
  input  logic [Width/Lanes-1:0] data_i,
  input  logic                   read_i,
  input  logic [IndexBits-1:0]   read_index_i,
  input  logic                   register_i,
  output logic [Width-1:0]       data_o
);
  localparam int unsigned LaneBits = Width / Lanes;

  (* no_rw_check *)
  logic [Width-1:0] memory_q [Depth];
  logic [Width-1:0] latch_q;

  // Blocking, after the read and in one process: nobody else sees the memory.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (register_i) data_o <= latch_q;
    if (read_i) latch_q <= memory_q[read_index_i];
`ifndef SYNTHESIS
    // Nobody may use what a collision gives: in simulation it is no data.
    if (read_i && write_i && read_index_i == write_index_i)
      latch_q <= Width'({(Width + 7) / 8{8'h5a}});
`endif
    if (write_i) begin
      for (int l = 0; l < Lanes; l++)
        if (32'(beat_i) == l) memory_q[write_index_i][l*LaneBits +: LaneBits] = data_i;
    end
  end
  /* verilator lint_on BLKSEQ */

`ifndef SYNTHESIS
  logic collided_q = 1'b0;

  always_ff @(posedge clk_i) begin : assertions
    if (read_i) collided_q <= write_i && read_index_i == write_index_i;
    // What a read and a write of the same cycle gave is not taken into the register.
    collision_not_used : assert (!register_i || !collided_q);
  end
`endif
endmodule

`default_nettype wire
