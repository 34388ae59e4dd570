// Part of Tenon, under the Apache License v2.0.
//
// Where the cycles of a launch went: cycles, instructions retired by each
// engine, cycles of each engine by state, cycles waited on each token channel.
// COUNTERS says how much of it exists; what does not reads as 0.  `clear_i`
// starts from zero; while `count_i` is high each engine's states add up to the
// cycles.  `value_o` answers in the cycle after `read_i`: the sum of what the
// parts have for the offset read.

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
  logic [31:0] total;
  logic [127:0] words;

  assign value_o = total + words[0+:32] + words[32+:32] + words[64+:32] +
      words[96+:32];

  // ---- totals
  if (tenon_pkg::COUNTERS >= 1) begin : gen_totals
    logic [31:0] cycles_q, total_q;
    logic [31:0] retired_q[4];

    assign total = total_q;

    always_ff @(posedge clk_i) begin
      if (count_i) cycles_q <= cycles_q + 32'd1;
      if (count_i && retired_i != 4'd0)
        for (int e = 0; e < 4; e++)
          if (retired_i[e]) retired_q[e] <= retired_q[e] + 32'd1;
      if (clear_i) begin
        cycles_q <= 32'd0;
        for (int e = 0; e < 4; e++) retired_q[e] <= 32'd0;
      end
      if (read_i) begin
        total_q <= 32'd0;
        if (offset_i == tenon_pkg::CONTROL_CYCLES) total_q <= cycles_q;
        if (offset_i[11:4] == tenon_pkg::CONTROL_RETIRED[11:4])
          total_q <= retired_q[offset_i[3:2]];
      end
    end
  end else begin : gen_no_totals
    assign total = 32'd0;
  end

  // ---- by state and by neighbour waited for: a small memory an engine; a word
  // never written counts as 0
  if (tenon_pkg::COUNTERS >= 2) begin : gen_states
    for (genvar e = 0; e < 4; e++) begin : gen_engine
      logic [31:0] states_q[8];
      logic [31:0] waits_q[8];
      logic [31:0] word_q;
      logic [7:0] state_seen_q, wait_seen_q;
      logic [2:0] state, token_wait, room_wait, index;
      logic is_waiting;

      assign state = state_i[3*e+:3];
      assign token_wait = token_wait_i[3*e+:3];
      assign room_wait = room_wait_i[3*e+:3];
      // Word 0, 1, 2: a token of that neighbour; 4, 5, 6: room for it.
      assign is_waiting = (token_wait | room_wait) != 3'b0;
      assign index = {room_wait != 3'b0, token_wait[2:1] | room_wait[2:1]};
      assign words[32*e+:32] = word_q;

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

      // A channel's cycles are the taker's for a token and the giver's for room.
      always_ff @(posedge clk_i) begin
        if (read_i) begin : answer
          logic [2:0] wait_index;
          wait_index = 3'd7;
          case ({offset_i[5:2], 2'(e)})
            {4'd0, 2'd1}, {4'd1, 2'd2}, {4'd2, 2'd3}, {4'd3, 2'd0}:
              wait_index = 3'd0;
            {4'd4, 2'd2}, {4'd5, 2'd0}, {4'd6, 2'd1}:
              wait_index = 3'd1;
            {4'd7, 2'd3}, {4'd8, 2'd0}, {4'd9, 2'd2}:
              wait_index = 3'd2;
            {4'd0, 2'd0}, {4'd3, 2'd1}, {4'd5, 2'd2}, {4'd8, 2'd3}:
              wait_index = 3'd4;
            {4'd1, 2'd0}, {4'd4, 2'd1}, {4'd6, 2'd2}:
              wait_index = 3'd5;
            {4'd2, 2'd0}, {4'd7, 2'd2}, {4'd9, 2'd3}:
              wait_index = 3'd6;
            default: ;
          endcase
          word_q <= 32'd0;
          if (offset_i[11:8] == tenon_pkg::CONTROL_STATES[11:8]) begin
            if (offset_i[7:5] == {2'(e), 1'b0} && state_seen_q[offset_i[4:2]])
              word_q <= states_q[offset_i[4:2]];
          end else if (offset_i[11:6] == tenon_pkg::CONTROL_TOKEN_WAITS[11:6]) begin
            if (wait_seen_q[wait_index]) word_q <= waits_q[wait_index];
          end
        end
      end
    end
  end else begin : gen_no_states
    logic unused;
    assign unused = &{1'b0, state_i, token_wait_i, room_wait_i};
    assign words = 128'd0;
  end

  logic unused_totals;
  assign unused_totals = &{1'b0, retired_i, count_i, clear_i, clk_i};
endmodule

`default_nettype wire
