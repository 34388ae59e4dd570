// Part of Tenon, under the Apache License v2.0.
//
// axi_slice: words leave in the order in which they entered, none lost or
// doubled; a word stands there, unchanged, until it is taken; two words fit.
// What enters an empty slice is there a cycle later.
`default_nettype none

module axi_slice_formal (
    input logic       clk_i,
    input logic       rst_i,
    input logic       valid_i,
    input logic [1:0] data_i,
    input logic       ready_i
);
  logic ready_o, valid_o;
  logic [1:0] data_o, count;

  axi_slice #(.Width(2)) dut (.*);

  tracked #(.Width(2), .Most(2)) order (
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
      assert (valid_o == (count != 2'd0));
      assert (ready_o == (count != 2'd2));
      if (held_q) assert (valid_o && data_o == held_data_q);
      cover (!rst_i && !ready_o);
    end
  end
endmodule

`default_nettype wire
