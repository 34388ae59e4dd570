// Part of Tenon, under the Apache License v2.0.
//
// A RAM with one write port, byte by byte, and one read port whose data stand
// there from the cycle after `read_i` until the next `read_i`.  What a read sees
// of a write in the same cycle is undefined.  Every byte lane is a memory of its
// own, so that the tools can make narrow deep blocks of it, which need no
// multiplexers behind them.

`default_nettype none

module memory_array #(
    parameter int unsigned Words = 1024,
    parameter int unsigned Lanes = 8,
    parameter int unsigned IndexBits = $clog2(Words)
) (
    input  logic                 clk_i,
    input  logic [Lanes-1:0]     write_i,
    input  logic [IndexBits-1:0] write_index_i,
    input  logic [8*Lanes-1:0]   data_i,
    input  logic                 read_i,
    input  logic [IndexBits-1:0] read_index_i,
    output logic [8*Lanes-1:0]   data_o
);
  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    (* no_rw_check, ram_style = "block" *)
    logic [7:0] bytes_q[Words];

    always_ff @(posedge clk_i) begin
      if (read_i) data_o[8*l+:8] <= bytes_q[read_index_i];
      if (write_i[l]) bytes_q[write_index_i] <= data_i[8*l+:8];
    end
  end
endmodule

`default_nettype wire
