// Part of Tenon, under the Apache License v2.0.
//
// One scratchpad: a RAM with one write port, written lane by lane (a lane is
// what one DRAM beat fills), and one read port with an output register.
//
// Write: a lane whose bit in `lanes_i` is set takes its part of `data_i` while
// `write_i` is high; reads of later cycles see it. A read of the same cycle and
// the same element is undefined: who needs it forwards around this memory.
// Read: `read_i` with `index_i`, then `register_i` one cycle later (or later
// still: the RAM holds its output until the next `read_i`); data two cycles
// after the address.
`default_nettype none

module scratchpad #(
  parameter int unsigned Depth = 512,
  parameter int unsigned Width = 64,
  parameter int unsigned Lanes = 1,
  parameter int unsigned IndexBits = $clog2(Depth)
) (
  input  logic                 clk_i,
  input  logic                 write_i,
  input  logic [Lanes-1:0]     lanes_i,
  input  logic [IndexBits-1:0] write_index_i,
  input  logic [Width-1:0]     data_i,
  input  logic                 read_i,
  input  logic [IndexBits-1:0] read_index_i,
  input  logic                 register_i,
  output      logic [Width-1:0]     data_o
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
        if (lanes_i[l]) memory_q[write_index_i][l*LaneBits +: LaneBits] = data_i[l*LaneBits +: LaneBits];
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
