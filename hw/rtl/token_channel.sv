// Part of Tenon, under the Apache License v2.0.
//
// One token channel: tokens are anonymous, so a FIFO of them is a counter, here
// a bar of as many ones as there are tokens: both its ends are registers, and a
// late `give_i` or `take_i` only moves it.  A token given in one cycle can be
// taken in the next; room freed in one cycle can be filled in the next.  The
// giver must see `room_o`, the taker `token_o`: nothing is lost and nothing
// saturates.

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
  localparam int Depth = tenon_pkg::CHANNEL_DEPTH;

  logic [Depth-1:0] bar_q;

  assign token_o = bar_q[0];
  assign room_o = !bar_q[Depth-1];

  always_ff @(posedge clk_i) begin
    if (give_i != take_i)
      bar_q <= give_i ? (bar_q << 1) | Depth'(1) : bar_q >> 1;
    if (rst_i) bar_q <= '0;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin : assertions
    if (!rst_i) begin
      // A token is given only where there is room.
      given_with_room : assert (!give_i || room_o);
      // A token is taken only when it is there.
      taken_when_there : assert (!take_i || token_o);
      // The tokens stand at the low end of the bar, without a gap.
      bar_without_gap : assert ((bar_q & (bar_q + Depth'(1))) == '0);
    end
  end
`endif
endmodule

`default_nettype wire
