// Part of Tenon, under the Apache License v2.0.
//
// Where the cycles of a launch went: cycles, instructions retired by each
// engine, cycles of each engine by state, cycles waited on each token channel.
// COUNTERS says how much of it exists; what does not reads as 0.  `clear_i`
// starts from zero; while `count_i` is high each engine's states add up to the
// cycles.  `value_o` answers in the cycle of `read_i`.

`default_nettype none

module counters (
    input  logic        clk_i,
    input  logic        clear_i,
    input  logic        count_i,
    // one bit and three bits an engine: load, gemm, alu, store
    input  logic [3:0]  retired_i,
    input  logic [11:0] state_i,
    // neighbour waited for in state token, one-hot, three bits an engine
    input  logic [11:0] token_wait_i,
    input  logic [11:0] room_wait_i,
    // read port, byte offset in the control port
    input  logic        read_i,
    input  logic [11:0] offset_i,
    output logic [31:0] value_o
);
  logic [31:0] cycles, retired, states, waits;

  // ---- totals
  if (tenon_pkg::COUNTERS >= 1) begin : gen_totals
    logic [31:0] cycles_q;
    logic [31:0] retired_q[4];

    assign cycles = cycles_q;
    assign retired = read_i ? retired_q[offset_i[3:2]] : 32'd0;

    always_ff @(posedge clk_i) begin
      if (count_i) cycles_q <= cycles_q + 32'd1;
      if (count_i && retired_i != 4'd0)
        for (int e = 0; e < 4; e++)
          if (retired_i[e]) retired_q[e] <= retired_q[e] + 32'd1;
      if (clear_i) begin
        cycles_q <= 32'd0;
        for (int e = 0; e < 4; e++) retired_q[e] <= 32'd0;
      end
    end
  end else begin : gen_no_totals
    assign cycles = 32'd0;
    assign retired = 32'd0;
  end

  // ---- by state and by neighbour waited for: a small memory an engine; a word
  // never written counts as 0
  if (tenon_pkg::COUNTERS >= 2) begin : gen_states
    // Of the channel asked for: the taker, its bit, the giver, its bit.
    logic [1:0] taker, taker_bit, giver, giver_bit;
    always_comb begin
      {taker, taker_bit, giver, giver_bit} = 8'h33;
      if (read_i) begin
      case (offset_i[5:2])
        4'd0: {taker, taker_bit, giver, giver_bit} = {2'd1, 2'd0, 2'd0, 2'd0};
        4'd1: {taker, taker_bit, giver, giver_bit} = {2'd2, 2'd0, 2'd0, 2'd1};
        4'd2: {taker, taker_bit, giver, giver_bit} = {2'd3, 2'd0, 2'd0, 2'd2};
        4'd3: {taker, taker_bit, giver, giver_bit} = {2'd0, 2'd0, 2'd1, 2'd0};
        4'd4: {taker, taker_bit, giver, giver_bit} = {2'd2, 2'd1, 2'd1, 2'd1};
        4'd5: {taker, taker_bit, giver, giver_bit} = {2'd0, 2'd1, 2'd2, 2'd0};
        4'd6: {taker, taker_bit, giver, giver_bit} = {2'd1, 2'd1, 2'd2, 2'd1};
        4'd7: {taker, taker_bit, giver, giver_bit} = {2'd3, 2'd2, 2'd2, 2'd2};
        4'd8: {taker, taker_bit, giver, giver_bit} = {2'd0, 2'd2, 2'd3, 2'd0};
        4'd9: {taker, taker_bit, giver, giver_bit} = {2'd2, 2'd2, 2'd3, 2'd2};
        default: ;
      endcase
      end
    end

    logic [127:0] state_words, token_words, room_words;
    for (genvar e = 0; e < 4; e++) begin : gen_engine
      logic [31:0] states_q[8];
      logic [31:0] waits_q[8];
      logic [7:0] state_seen_q, wait_seen_q;
      logic [2:0] state, token_wait, room_wait, index;
      logic is_waiting;

      assign state = state_i[3*e+:3];
      assign token_wait = token_wait_i[3*e+:3];
      assign room_wait = room_wait_i[3*e+:3];
      // Word 0, 1, 2: a token of that neighbour; 4, 5, 6: room for it.
      assign is_waiting = (token_wait | room_wait) != 3'b0;
      assign index = {room_wait != 3'b0, token_wait[2:1] | room_wait[2:1]};

      assign state_words[32*e+:32] = (read_i && state_seen_q[offset_i[4:2]]) ?
          states_q[offset_i[4:2]] : 32'd0;
      assign token_words[32*e+:32] =
          (read_i && wait_seen_q[{1'b0, taker_bit}]) ?
          waits_q[{1'b0, taker_bit}] : 32'd0;
      assign room_words[32*e+:32] =
          (read_i && wait_seen_q[{1'b1, giver_bit}]) ?
          waits_q[{1'b1, giver_bit}] : 32'd0;

      always_ff @(posedge clk_i) begin
        if (count_i) begin
          states_q[state] <= state_seen_q[state] ? states_q[state] + 32'd1 :
              32'd1;
          state_seen_q[state] <= 1'b1;
        end
        if (count_i && is_waiting) begin
          waits_q[index] <= wait_seen_q[index] ? waits_q[index] + 32'd1 :
              32'd1;
          wait_seen_q[index] <= 1'b1;
        end
        if (clear_i) begin
          state_seen_q <= 8'd0;
          wait_seen_q <= 8'd0;
        end
      end
    end
    assign states = (read_i && !offset_i[5]) ?
        state_words[32*offset_i[7:6]+:32] : 32'd0;
    assign waits = read_i ?
        token_words[32*taker+:32] + room_words[32*giver+:32] : 32'd0;
  end else begin : gen_no_states
    logic unused;
    assign unused = &{1'b0, state_i, token_wait_i, room_wait_i};
    assign states = 32'd0;
    assign waits = 32'd0;
  end

  always_comb begin
    value_o = 32'd0;
    if (read_i) begin
      if (offset_i == tenon_pkg::CONTROL_CYCLES) value_o = cycles;
      if (offset_i[11:4] == tenon_pkg::CONTROL_RETIRED[11:4]) value_o = retired;
      if (offset_i[11:8] == tenon_pkg::CONTROL_STATES[11:8]) value_o = states;
      if (offset_i[11:6] == tenon_pkg::CONTROL_TOKEN_WAITS[11:6])
        value_o = waits;
    end
  end

  logic unused_totals;
  assign unused_totals = &{1'b0, retired_i, count_i, clear_i, clk_i};
endmodule

`default_nettype wire
