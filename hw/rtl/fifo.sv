// Part of Tenon, under the Apache License v2.0.
//
// First-in first-out queue of `Depth` words in distributed RAM.  A word that
// enters in one cycle is at the head in the next one; `ready_o` and `valid_o`
// are registers' values, so that no path runs from one side to the other.
// `data_o` is meaningless while `valid_o` is low; with `Registered` it is a
// register's value too, where a RAM's would come too late.

`default_nettype none

module fifo #(
    parameter int Width = 1,
    parameter int Depth = 2,
    parameter bit Registered = 1'b0
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
  logic push, pop, more, take;

  assign ready_o = count_q < CountBits'(Depth);
  assign more = count_q > CountBits'(1);
  assign push = valid_i && ready_o;
  assign pop = valid_o && ready_i;

  // A word leaves the RAM for the head, or what enters goes there at once.
  if (Registered) begin : gen_head
    assign take = (pop || !valid_o) && (more || push);

    always_ff @(posedge clk_i)
      if (take) data_o <= more ? words_q[read_q] : data_i;
  end else begin : gen_ram
    assign take = pop;
    assign data_o = words_q[read_q];
  end

  always_ff @(posedge clk_i) begin
    if (push) begin
      words_q[write_q] <= data_i;
      write_q <= (write_q == Last) ? '0 : write_q + 1'b1;
    end
    if (take) read_q <= (read_q == Last) ? '0 : read_q + 1'b1;
    if (push || pop) valid_o <= push || more;
    if (push && !pop) count_q <= count_q + 1'b1;
    if (pop && !push) count_q <= count_q - 1'b1;
    if (rst_i) begin
      write_q <= '0;
      read_q <= '0;
      count_q <= '0;
      valid_o <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin : assertions
    if (!rst_i) begin
      // There are no more words than the queue has places.
      not_over_full : assert (count_q <= CountBits'(Depth));
      // A word stands at the head whenever there is one.
      head_when_any : assert (valid_o == (count_q != '0));
    end
  end
`endif
endmodule

`default_nettype wire
