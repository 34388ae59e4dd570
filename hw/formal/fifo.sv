// Part of Tenon, under the Apache License v2.0.
//
// fifo: words leave in the order in which they entered, none lost, doubled or
// overwritten; a full queue takes nothing, an empty one gives nothing; a word
// stands at the head, unchanged, until it is taken.
`default_nettype none

module fifo_formal #(
    parameter int Depth = 3,
    parameter bit Registered = 1'b0
) (
    input logic       clk_i,
    input logic       rst_i,
    input logic       valid_i,
    input logic [1:0] data_i,
    input logic       ready_i
);
  localparam int CountBits = $clog2(Depth + 1);

  logic ready_o, valid_o;
  logic [1:0] data_o;
  logic [CountBits-1:0] count;

  fifo #(.Width(2), .Depth(Depth), .Registered(Registered)) dut (.*);

  tracked #(.Width(2), .Most(Depth)) order (
      .clk_i, .rst_i,
      .push_i(valid_i && ready_o), .pushed_i(data_i),
      .pop_i(valid_o && ready_i), .popped_i(data_o),
      .count_o(count)
  );

  logic started_q = 1'b0, held_q;
  logic [1:0] held_data_q;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    held_q <= valid_o && !ready_i && !rst_i;
    held_data_q <= data_o;
  end

  always_comb begin
    if (!started_q) reset_first : assume (rst_i);
    else begin
      assert (valid_o == (count != '0));
      assert (ready_o == (count < CountBits'(Depth)));
      if (held_q) assert (valid_o && data_o == held_data_q);
      cover (!rst_i && !ready_o);
    end
  end
endmodule

`default_nettype wire
