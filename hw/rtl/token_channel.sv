// Part of Tenon, under the Apache License v2.0.
//
// One token channel: tokens are anonymous, so a FIFO of them is a counter.  A
// token given in one cycle can be taken in the next; room freed in one cycle
// can be filled in the next.  The giver must see `room_o`, the taker `token_o`:
// nothing is lost and nothing saturates.

`default_nettype none

module token_channel (
    input  logic clk_i,
    input  logic rst_i,
    // giver
    input  logic give_i,
    output logic room_o,
    // taker
    input  logic take_i,
    output logic token_o
);
  localparam int CountBits = $clog2(tenon_pkg::CHANNEL_DEPTH + 1);

  logic [CountBits-1:0] count_q, count;

  assign count = give_i ? count_q + 1'b1 : count_q - 1'b1;

  always_ff @(posedge clk_i) begin
    if (give_i != take_i) begin
      count_q <= count;
      token_o <= count != '0;
      room_o <= count != CountBits'(tenon_pkg::CHANNEL_DEPTH);
    end
    if (rst_i) begin
      count_q <= '0;
      token_o <= 1'b0;
      room_o <= 1'b1;
    end
  end
endmodule

`default_nettype wire
