// Part of Tenon, under the Apache License v2.0.
//
// What GEMM and ALU share around their pipelines: taking the tokens of the
// instruction at the front, and retiring instructions in order, with their
// signals given when their effect is visible.
//
// Each token is taken as soon as it is there, whatever the engine does; `go_o` is
// the one cycle in which the instruction is accepted.
// An accepted instruction waits in a queue; a SET is complete at once, others
// with one `complete_i` each, in order. The head gives each of its tokens as
// soon as its channel has room, and retires with the last one: in the cycle
// after `complete_i` at the earliest, which comes from afar.
`default_nettype none

module core_order (
  input  logic       clk_i,
  input  logic       rst_i,
  // the instruction at the front
  input  logic       valid_i,
  input  logic [2:0] wait_i,
  input  logic [2:0] signal_i,
  input  logic       set_i,
  input  logic       ready_i,
  output      logic       could_o,         // nothing is missing but `ready_i`
  output      logic       go_o,
  // tokens
  input  logic [2:0] token_i,
  output      logic [2:0] take_o,
  input  logic [2:0] room_i,
  output      logic [2:0] give_o,
  output      logic [2:0] token_wait_o,    // one-hot: the first token missing
  output      logic [2:0] room_wait_o,     // one-hot: the first channel without room
  // retirement
  input  logic       complete_i,
  output      logic       retired_o,
  output      logic       idle_o
);
  localparam int unsigned Depth = 16;

  logic [2:0] taken_q, missing;
  logic [3:0] queue_q [Depth];
  logic [3:0] next_q, tail_q;                  // next: behind the head
  logic [4:0] count_q, complete_q;
  logic       any_q, one_q, completed_q;       // of count_q and complete_q
  logic [3:0] head;
  logic [2:0] given_q, owed, blocked;
  logic       full, head_done, retire_compute;

  // taking
  assign full = count_q[4];
  assign missing = wait_i & ~taken_q & ~token_i;
  assign take_o = valid_i ? wait_i & ~taken_q & token_i : 3'b0;
  assign could_o = valid_i && !full && missing == 3'b0;
  assign go_o = could_o && ready_i;
  assign token_wait_o = valid_i && !full ? missing & (~missing + 3'd1) : 3'b0;

  // giving
  assign idle_o = !any_q;
  assign head_done = any_q && (head[3] || completed_q);
  assign owed = any_q ? head[2:0] & ~given_q : 3'b0;
  assign give_o = head_done ? owed & room_i : 3'b0;
  assign blocked = owed & ~room_i;
  assign room_wait_o = head_done ? blocked & (~blocked + 3'd1) : 3'b0;
  assign retired_o = head_done && blocked == 3'b0;
  assign retire_compute = retired_o && !head[3];

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      taken_q <= 3'b0;
      given_q <= 3'b0;
      next_q <= 4'd1;
      tail_q <= 4'd0;
      count_q <= 5'd0;
      complete_q <= 5'd0;
      {any_q, one_q, completed_q} <= 3'b0;
    end else begin
      taken_q <= go_o ? 3'b0 : taken_q | take_o;
      given_q <= retired_o ? 3'b0 : given_q | give_o;
      if (go_o) tail_q <= tail_q + 4'd1;
      if (retired_o) next_q <= next_q + 4'd1;
      if (go_o != retired_o) begin
        count_q <= count_q + (go_o ? 5'd1 : '1);
        any_q <= go_o || !one_q;
        one_q <= count_q == (go_o ? 5'd0 : 5'd2);
      end
      if (complete_i != retire_compute) begin
        complete_q <= complete_q + (complete_i ? 5'd1 : '1);
        completed_q <= complete_i || complete_q != 5'd1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (go_o) queue_q[tail_q] <= {set_i, signal_i};
    if (go_o && (!any_q || (one_q && retired_o))) head <= {set_i, signal_i};
    else if (retired_o) head <= queue_q[next_q];
  end

`ifndef SYNTHESIS
  logic waits_q;
  logic [6:0] front_q;
  logic [4:0] computes_q;  // accepted and not complete

  always_ff @(posedge clk_i) begin : assertions
    waits_q <= valid_i && !go_o && !rst_i;
    front_q <= {wait_i, signal_i, set_i};
    computes_q <= rst_i ? 5'd0 : computes_q + 5'(go_o && !set_i) - 5'(complete_i);
    if (!rst_i) begin
      // An instruction that is not accepted stands at the front, as it is.
      front_stands : assert (!waits_q || (valid_i && {wait_i, signal_i, set_i} == front_q));
      // Only accepted instructions complete.
      completes_accepted : assert (!complete_i || computes_q != 5'd0);
      // No more than the queue holds are under way.
      queue_not_over_full : assert (count_q <= 5'(Depth));
    end
  end
`endif
endmodule

`default_nettype wire
