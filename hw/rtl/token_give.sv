// Part of Tenon, under the Apache License v2.0.
//
// Gives the tokens of the instruction at the head of an engine's retirement
// queue, each as soon as its channel has room, and says when all are given.
// Nothing is remembered but which of them went out already.

`default_nettype none

module token_give (
    input  logic       clk_i,
    input  logic       rst_i,
    // instruction whose effect is visible
    input  logic       valid_i,
    input  logic [2:0] signal_i,
    output logic       retire_o,
    // channels; `room_wait_o` is one-hot
    input  logic [2:0] room_i,
    output logic [2:0] give_o,
    output logic [2:0] room_wait_o
);
  // `valid_i` comes late and decides last.
  logic [2:0] given_q, left, blocked;

  assign left = signal_i & ~given_q;
  assign give_o = valid_i ? left & room_i : 3'b0;
  assign blocked = left & ~room_i;
  assign room_wait_o = valid_i ? blocked & (~blocked + 3'b1) : 3'b0;
  assign retire_o = valid_i && blocked == 3'b0;

  always_ff @(posedge clk_i) begin
    if (valid_i) given_q <= retire_o ? 3'b0 : given_q | give_o;
    if (rst_i) given_q <= 3'b0;
  end

`ifndef SYNTHESIS
  logic waits_q;
  logic [2:0] signal_q;

  always_ff @(posedge clk_i) begin : assertions
    waits_q <= valid_i && !retire_o && !rst_i;
    signal_q <= signal_i;
    if (!rst_i) begin
      // An instruction whose tokens are not all given stands, with its signals.
      signals_stand : assert (!waits_q || (valid_i && signal_i == signal_q));
      // Nothing is given twice.
      given_once : assert ((give_o & given_q) == 3'b0);
    end
  end
`endif
endmodule

`default_nettype wire
