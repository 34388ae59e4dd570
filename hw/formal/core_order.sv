// Part of Tenon, under the Apache License v2.0.
//
// core_order: what GEMM and ALU share around their pipelines.
//  * An instruction goes once, when each token it waits for was taken, each once
//    and only while the channel has one; at once when nothing is missing.
//  * Instructions retire in the order in which they went, each once, after its
//    completion (a SET without one), when each of its tokens was given, each once
//    and only while the channel has room; the token is given in the first cycle
//    in which that can be, so that nobody starves.
//  * No more than 16 are under way.
// Assumed: the instruction at the front stays until it goes; `complete_i` comes
// only for one that went and is not complete, and not in the cycle it went.
`default_nettype none

module core_order_formal (
    input logic       clk_i,
    input logic       rst_i,
    input logic       valid_i,
    input logic [2:0] wait_i,
    input logic [2:0] signal_i,
    input logic       set_i,
    input logic       ready_i,
    input logic [2:0] token_i,
    input logic [2:0] room_i,
    input logic       complete_i
);
  logic could_o, go_o, retired_o, idle_o;
  logic [2:0] take_o, give_o, token_wait_o, room_wait_o;
  core_order dut (.*);

  // ---- the front
  logic started_q = 1'b0, waits_q;
  logic [6:0] front_q;
  logic [2:0] taken_q, taken;
  assign taken = taken_q | take_o;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    waits_q <= valid_i && !go_o && !rst_i;
    front_q <= {wait_i, signal_i, set_i};
    taken_q <= rst_i || go_o ? 3'd0 : taken;
  end

  // ---- those under way, as {set, signal}, and the completions that came for them
  logic [3:0] under_q[16];
  logic [3:0] first_q;
  logic [4:0] count_q, computes_q, complete_q;
  logic [3:0] head;
  logic [2:0] given_q, given;
  logic done;
  assign head = under_q[first_q];
  assign done = count_q != 5'd0 && (head[3] || complete_q != 5'd0);
  assign given = given_q | give_o;
  always_ff @(posedge clk_i) begin
    if (go_o) under_q[first_q + count_q[3:0]] <= {set_i, signal_i};
    if (retired_o) first_q <= first_q + 4'd1;
    count_q <= count_q + 5'(go_o) - 5'(retired_o);
    computes_q <= computes_q + 5'(go_o && !set_i) - 5'(complete_i);
    complete_q <= complete_q + 5'(complete_i) - 5'(retired_o && !head[3]);
    given_q <= retired_o ? 3'd0 : given;
    if (rst_i) {first_q, count_q, computes_q, complete_q, given_q} <= '0;
  end

  // Those under way that are no SETs.
  logic [4:0] no_sets;
  logic [15:0] is_under;
  logic [3:0] place[16];
  always_comb begin
    no_sets = 5'd0;
    for (int i = 0; i < 16; i++) begin
      place[i] = i - first_q;
      is_under[i] = {1'b0, place[i]} < count_q;
      if (is_under[i] && !under_q[i][3]) no_sets = no_sets + 5'd1;
    end
  end

  // ---- invariants: what dut's registers are to these
  (* hierconn *) wire [4:0] \dut.count_q , \dut.complete_q ;
  (* hierconn *) wire [3:0] \dut.next_q , \dut.tail_q , \dut.head ;
  (* hierconn *) wire [2:0] \dut.taken_q , \dut.given_q ;
  (* hierconn *) wire \dut.any_q , \dut.one_q , \dut.completed_q ;
  always_comb begin
    if (started_q) begin
      assert (\dut.count_q == count_q && \dut.complete_q == complete_q);
      assert (\dut.next_q == first_q + 4'd1);
      assert (\dut.tail_q == first_q + count_q[3:0]);
      assert (6'(computes_q) + 6'(complete_q) == 6'(no_sets));
      assert (count_q <= 5'd16);
      assert (\dut.any_q == (count_q != 5'd0));
      assert (\dut.one_q == (count_q == 5'd1));
      assert (\dut.completed_q == (complete_q != 5'd0));
      assert (\dut.taken_q == taken_q && \dut.given_q == given_q);
      if (count_q != 5'd0) assert (\dut.head == head);
      assert (waits_q || taken_q == 3'd0);
      assert ((taken_q & ~front_q[6:4]) == 3'd0);
      assert (done || given_q == 3'd0);
      if (done) assert ((given_q & ~head[2:0]) == 3'd0);
    end
  end
  wire [63:0] queue;
  (* hierconn *) wire [3:0] \dut.queue_q[0] ;
  assign queue[0+:4] = \dut.queue_q[0] ;
  (* hierconn *) wire [3:0] \dut.queue_q[1] ;
  assign queue[4+:4] = \dut.queue_q[1] ;
  (* hierconn *) wire [3:0] \dut.queue_q[2] ;
  assign queue[8+:4] = \dut.queue_q[2] ;
  (* hierconn *) wire [3:0] \dut.queue_q[3] ;
  assign queue[12+:4] = \dut.queue_q[3] ;
  (* hierconn *) wire [3:0] \dut.queue_q[4] ;
  assign queue[16+:4] = \dut.queue_q[4] ;
  (* hierconn *) wire [3:0] \dut.queue_q[5] ;
  assign queue[20+:4] = \dut.queue_q[5] ;
  (* hierconn *) wire [3:0] \dut.queue_q[6] ;
  assign queue[24+:4] = \dut.queue_q[6] ;
  (* hierconn *) wire [3:0] \dut.queue_q[7] ;
  assign queue[28+:4] = \dut.queue_q[7] ;
  (* hierconn *) wire [3:0] \dut.queue_q[8] ;
  assign queue[32+:4] = \dut.queue_q[8] ;
  (* hierconn *) wire [3:0] \dut.queue_q[9] ;
  assign queue[36+:4] = \dut.queue_q[9] ;
  (* hierconn *) wire [3:0] \dut.queue_q[10] ;
  assign queue[40+:4] = \dut.queue_q[10] ;
  (* hierconn *) wire [3:0] \dut.queue_q[11] ;
  assign queue[44+:4] = \dut.queue_q[11] ;
  (* hierconn *) wire [3:0] \dut.queue_q[12] ;
  assign queue[48+:4] = \dut.queue_q[12] ;
  (* hierconn *) wire [3:0] \dut.queue_q[13] ;
  assign queue[52+:4] = \dut.queue_q[13] ;
  (* hierconn *) wire [3:0] \dut.queue_q[14] ;
  assign queue[56+:4] = \dut.queue_q[14] ;
  (* hierconn *) wire [3:0] \dut.queue_q[15] ;
  assign queue[60+:4] = \dut.queue_q[15] ;
  for (genvar i = 0; i < 16; i++) begin : gen_entry
    always_comb
      if (started_q && is_under[i] && first_q != i)
        assert (queue[4*i+:4] == under_q[i]);
  end
  // The module's own count of them, for its assertion.
  (* hierconn *) wire [4:0] \dut.computes_q ;
  always_comb if (started_q) assert (\dut.computes_q == computes_q);

  always_comb begin
    if (!started_q) reset_first : assume (rst_i);
    else if (!rst_i) begin
      if (waits_q) front_stands : assume (valid_i && {wait_i, signal_i, set_i} == front_q);
      completes_accepted : assume (!complete_i || computes_q != 5'd0);

      assert ((take_o & ~(wait_i & token_i)) == 3'd0);
      assert ((take_o & taken_q) == 3'd0);
      if (!valid_i) assert (take_o == 3'd0 && !go_o);
      if (valid_i) assert ((wait_i & token_i & ~taken) == 3'd0);
      assert (could_o == (valid_i && taken == wait_i && count_q != 5'd16));
      assert (go_o == (could_o && ready_i));

      assert (idle_o == (count_q == 5'd0));
      if (!done) assert (!retired_o && give_o == 3'd0);
      assert ((give_o & (given_q | ~room_i)) == 3'd0);
      if (done) begin
        assert ((give_o & ~head[2:0]) == 3'd0);
        assert ((head[2:0] & room_i & ~given) == 3'd0);
        assert (retired_o == (given == head[2:0]));
      end
      assert ((room_wait_o & (room_wait_o - 3'd1)) == 3'd0);
      assert ((token_wait_o & (token_wait_o - 3'd1)) == 3'd0);
      cover (retired_o && head == 4'd7 && given_q == 3'd5);
      cover (go_o && set_i && wait_i == 3'd7);
    end
  end
endmodule

`default_nettype wire
