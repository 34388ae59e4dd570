// Part of Tenon, under the Apache License v2.0.
//
// token_channel: its tokens are those given less those taken, at any moment; no
// more than CHANNEL_DEPTH; there is a token to take if there is one, and room
// for another if there is room. Assumed: nobody gives without room or takes
// without a token (token_give, core_order, load and store keep it).
`default_nettype none

module token_channel_formal (
    input logic clk_i,
    input logic rst_i,
    input logic give_i,
    input logic take_i
);
  localparam int Depth = tenon_pkg::CHANNEL_DEPTH;

  logic room_o, token_o;
  token_channel dut (.*);

  // Invariant: the bar has as many ones as there are tokens.
  (* hierconn *) wire [Depth-1:0] \dut.bar_q ;

  logic started_q = 1'b0;
  logic [7:0] tokens_q;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    tokens_q <= rst_i ? 8'd0 : tokens_q + 8'(give_i) - 8'(take_i);
  end

  always_comb begin
    if (!started_q) reset_first : assume (rst_i);
    else begin
      given_with_room : assume (!give_i || room_o);
      taken_when_there : assume (!take_i || token_o);
      assert (8'(\dut.bar_q ) == (8'd1 << tokens_q) - 8'd1);
      assert (tokens_q <= 8'(Depth));
      assert (token_o == (tokens_q != 8'd0));
      assert (room_o == (tokens_q != 8'(Depth)));
      cover (!rst_i && !room_o);
      cover (!rst_i && give_i && take_i);
    end
  end
endmodule

`default_nettype wire
