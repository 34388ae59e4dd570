// Part of Tenon, under the Apache License v2.0.
//
// First-in first-out queue of `Depth` words in distributed RAM.  A word that
// enters in one cycle is at the head in the next one; `ready_o` and `valid_o`
// are registers' values, so that no path runs from one side to the other.
// `data_o` is meaningless while `valid_o` is low.

`default_nettype none

module fifo #(
    parameter int Width = 1,
    parameter int Depth = 2
) (
    input  logic             clk_i,
    input  logic             rst_i,
    // producer
    input  logic             valid_i,
    input  logic [Width-1:0] data_i,
    output logic             ready_o,
    // consumer
    output logic             valid_o,
    output logic [Width-1:0] data_o,
    input  logic             ready_i
);
  localparam int IndexBits = (Depth > 1) ? $clog2(Depth) : 1;
  localparam int CountBits = $clog2(Depth + 1);
  localparam logic [IndexBits-1:0] Last = IndexBits'(Depth - 1);

  logic [Width-1:0] words_q[Depth];
  logic [IndexBits-1:0] write_q, read_q;
  logic [CountBits-1:0] count_q;
  logic push, pop;

  assign ready_o = count_q != CountBits'(Depth);
  assign valid_o = count_q != '0;
  assign data_o = words_q[read_q];
  assign push = valid_i && ready_o;
  assign pop = valid_o && ready_i;

  always_ff @(posedge clk_i) begin
    if (push) begin
      words_q[write_q] <= data_i;
      write_q <= (write_q == Last) ? '0 : write_q + 1'b1;
    end
    if (pop) read_q <= (read_q == Last) ? '0 : read_q + 1'b1;
    if (push && !pop) count_q <= count_q + 1'b1;
    if (pop && !push) count_q <= count_q - 1'b1;
    if (rst_i) begin
      write_q <= '0;
      read_q <= '0;
      count_q <= '0;
    end
  end
endmodule

`default_nettype wire
