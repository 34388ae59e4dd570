// Part of Tenon, under the Apache License v2.0.
//
// token_give: an instruction gives a token to each channel that it signals, each
// once, only while the channel has room, and retires in the cycle of its last
// one: in the very cycle in which the last missing channel has room, so that it
// never waits when it need not. Assumed: the instruction stays until it retires.
`default_nettype none

module token_give_formal (
    input logic       clk_i,
    input logic       rst_i,
    input logic       valid_i,
    input logic [2:0] signal_i,
    input logic [2:0] room_i
);
  logic retire_o;
  logic [2:0] give_o, room_wait_o;
  token_give dut (.*);

  // Invariant: what it remembers are the channels that have had their token,
  // of the instruction that is there.
  (* hierconn *) wire [2:0] \dut.given_q ;

  logic started_q = 1'b0, waits_q;
  logic [2:0] signal_q, sum_q, sum;
  assign sum = sum_q | give_o;  // channels that have had their token
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    waits_q <= valid_i && !retire_o && !rst_i;
    signal_q <= signal_i;
    sum_q <= rst_i || retire_o ? 3'd0 : sum;
  end

  always_comb begin
    if (!started_q) reset_first : assume (rst_i);
    else begin
      if (waits_q) signals_stand : assume (valid_i && signal_i == signal_q);
      assert (\dut.given_q == sum_q);
      assert ((sum_q & ~(waits_q ? signal_q : 3'd0)) == 3'd0);
      assert ((give_o & ~room_i) == 3'd0);
      assert ((give_o & sum_q) == 3'd0);
      assert ((give_o & ~signal_i) == 3'd0);
      if (valid_i) assert (retire_o == (sum == signal_i));
      if (valid_i) assert ((room_i & signal_i & ~sum) == 3'd0);
      if (!valid_i) assert (!retire_o && give_o == 3'd0);
      assert ((room_wait_o != 3'd0) == (valid_i && !retire_o));
      assert ((room_wait_o & (room_wait_o - 3'd1)) == 3'd0);
      assert ((room_wait_o & (room_i | ~signal_i | sum)) == 3'd0);
      cover (!rst_i && retire_o && signal_i == 3'd7 && sum_q == 3'd5);
    end
  end
endmodule

`default_nettype wire
