// Part of Tenon, under the Apache License v2.0.
//
// token_channels: each channel of the specification leads from its giver to its
// taker and to nobody else. One channel, any, is followed: a token given there
// can be taken there, each once, whatever the others do; where the specification
// has no channel there is never a token nor room.
`default_nettype none

module token_channels_formal (
    input logic        clk_i,
    input logic        rst_i,
    input logic [11:0] give_i,
    input logic [11:0] take_i
);
  // Bit 3*engine + i: the i-th other engine (isa.md), for LOAD, GEMM, ALU, STORE.
  logic [11:0] room, token;

  token_channels dut (
      .clk_i, .rst_i,
      .load_give_i(give_i[2:0]), .gemm_give_i(give_i[5:3]),
      .alu_give_i(give_i[8:6]), .store_give_i(give_i[11:9]),
      .load_take_i(take_i[2:0]), .gemm_take_i(take_i[5:3]),
      .alu_take_i(take_i[8:6]), .store_take_i(take_i[11:9]),
      .load_room_o(room[2:0]), .gemm_room_o(room[5:3]),
      .alu_room_o(room[8:6]), .store_room_o(room[11:9]),
      .load_token_o(token[2:0]), .gemm_token_o(token[5:3]),
      .alu_token_o(token[8:6]), .store_token_o(token[11:9])
  );

  // The two ends of the channel from engine `from` to engine `to`.
  (* anyconst *) logic [1:0] from, to;
  logic [3:0] giver, taker;
  assign giver = 4'd3 * from + 4'(to) - 4'(to > from);
  assign taker = 4'd3 * to + 4'(from) - 4'(from > to);

  logic exists;
  assign exists = from[0] == to[0] ? from == 2'd0 && to == 2'd2 ||
      from == 2'd2 && to == 2'd0 : 1'b1;
  // GEMM (1) and STORE (3) have none between them.

  logic started_q = 1'b0;
  logic [7:0] tokens_q;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    tokens_q <= rst_i ? 8'd0 : tokens_q + 8'(give_i[giver]) - 8'(take_i[taker]);
  end

  always_comb begin
    two_engines : assume (from != to);
    if (!started_q) reset_first : assume (rst_i);
    else begin
      given_with_room : assume ((give_i & ~room) == 12'd0);
      taken_when_there : assume ((take_i & ~token) == 12'd0);
      assert (room[giver] == (exists && tokens_q != 8'(tenon_pkg::CHANNEL_DEPTH)));
      assert (token[taker] == (exists && tokens_q != 8'd0));
      cover (!rst_i && exists && !room[giver] && tokens_q != 8'd0);
      cover (!rst_i && !exists);
    end
  end
endmodule

`default_nettype wire
