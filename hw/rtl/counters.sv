// Part of Tenon, under the Apache License v2.0.
//
// Where the cycles of a launch went: cycles, instructions retired by each
// engine, cycles of each engine by state, cycles waited on each token channel.
// COUNTERS says how much of it exists; what does not reads as 0.  `clear_i`
// starts from zero; while `count_i` is high each engine's states add up to the
// cycles.
//
// An engine is in one state a cycle: one small memory of short counters has its
// states, and for state token the neighbours waited for, whose sum it is.  One
// memory of whole words stands behind all of them.  A walk visits its 64 words
// (engine, slot), one a cycle, round after round, and adds what the short
// counter has grown by; between two visits none of them comes around.  Counts
// arrive a cycle late.  A read sums the words that it is for over a round that
// begins after `read_i`; `valid_o` is high in the cycle that has the sum.

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
    output logic        valid_o,
    output logic [31:0] value_o
);
  if (tenon_pkg::COUNTERS >= 1) begin : gen_counters
    localparam int Words = 64;
    // More than one round of the walk.
    localparam int ShortBits = 7;
    localparam int HighBits = 32 - ShortBits;
    // Slots of an engine: its states, but for state token 8 + neighbour, and 12
    // + neighbour for room; and those that no state has.
    localparam logic [3:0] RetiredSlot = 4'd7;
    localparam logic [3:0] CyclesSlot = 4'd11;

    // ---- the walk: a word's visit takes four cycles
    logic [5:0] at_q, fetched_at_q, old_at_q, new_at_q;
    logic first_q, fetched_first_q;

    always_ff @(posedge clk_i) begin
      at_q <= at_q + 6'd1;
      if (&at_q) first_q <= 1'b0;
      if (clear_i) begin
        at_q <= 6'd0;
        first_q <= 1'b1;
      end
      fetched_at_q <= at_q;
      fetched_first_q <= first_q;
      old_at_q <= fetched_at_q;
      new_at_q <= old_at_q;
    end

    // ---- short counters
    logic count_q;
    logic [3:0] retired_q;
    logic [ShortBits-1:0] cycles_q, grown, grown_q, grown_old_q;
    logic [ShortBits-1:0] retirements_q[4];
    logic [4*ShortBits-1:0] states;

    always_ff @(posedge clk_i) begin
      count_q <= count_i;
      retired_q <= retired_i;
      if (count_q) cycles_q <= cycles_q + ShortBits'(1);
      if (count_q && retired_q != 4'd0)
        for (int e = 0; e < 4; e++)
          if (retired_q[e])
            retirements_q[e] <= retirements_q[e] + ShortBits'(1);
      if (clear_i) begin
        cycles_q <= '0;
        for (int e = 0; e < 4; e++) retirements_q[e] <= '0;
      end
    end

    if (tenon_pkg::COUNTERS >= 2) begin : gen_states
      logic [11:0] state_q, token_q, room_q;

      always_ff @(posedge clk_i) begin
        state_q <= state_i;
        token_q <= token_wait_i;
        room_q <= room_wait_i;
      end

      for (genvar e = 0; e < 4; e++) begin : gen_engine
        logic [ShortBits-1:0] counts_q[16];
        logic [15:0] seen_q;
        logic [3:0] slot;
        logic [2:0] token, room;

        assign token = token_q[3*e+:3];
        assign room = room_q[3*e+:3];
        assign slot = ((token | room) == 3'b0) ? {1'b0, state_q[3*e+:3]} :
            {1'b1, room != 3'b0, token[2:1] | room[2:1]};
        // One never counted is 0.
        assign states[e*ShortBits+:ShortBits] = seen_q[at_q[3:0]] ?
            counts_q[at_q[3:0]] : '0;

        always_ff @(posedge clk_i) begin
          if (count_q) begin
            counts_q[slot] <= (seen_q[slot] ? counts_q[slot] : '0) +
                ShortBits'(1);
            seen_q[slot] <= 1'b1;
          end
          if (clear_i) seen_q <= 16'd0;
        end
      end
    end else begin : gen_no_states
      logic unused;
      assign unused = &{1'b0, state_i, token_wait_i, room_wait_i};
      assign states = '0;
    end

    always_comb begin
      case (at_q[3:0])
        RetiredSlot: grown = retirements_q[at_q[5:4]];
        CyclesSlot: grown = cycles_q;
        default: grown = states[32'(at_q[5:4])*ShortBits+:ShortBits];
      endcase
    end

    // ---- whole words: their low bits are what the short counter was
    (* no_rw_check *)
    logic [31:0] words_q[Words];
    logic [31:0] fetched_q, old_q, new_q;
    logic [HighBits-1:0] high;

    assign high = old_q[31:ShortBits] +
        HighBits'(grown_old_q < old_q[ShortBits-1:0]);

    always_ff @(posedge clk_i) begin
      fetched_q <= words_q[at_q];
      grown_q <= grown;
      old_q <= fetched_first_q ? 32'd0 : fetched_q;
      grown_old_q <= grown_q;
      new_q <= {high, grown_old_q};
      words_q[old_at_q] <= {high, grown_old_q};
    end

    // ---- reads
    logic [11:2] offset_q;
    logic [6:0] left_q;
    logic [2:0] taking_q;
    logic here;

    always_ff @(posedge clk_i) begin
      if (read_i) begin
        offset_q <= offset_i[11:2];
        left_q <= 7'(Words);
        value_o <= 32'd0;
      end else if (left_q != 7'd0) begin
        left_q <= left_q - 7'd1;
      end
      taking_q <= read_i ? 3'b0 : {taking_q[1:0], left_q != 7'd0};
      valid_o <= taking_q[2:1] == 2'b10;
      if (taking_q[2] && here) value_o <= value_o + new_q;
    end

    // Whether the word at new_at_q is part of what is read.  A channel's cycles
    // are the taker's for a token and the giver's for room.
    logic [1:0] engine;
    logic [3:0] slot;
    logic [2:0] wait_of;
    assign engine = new_at_q[5:4];
    assign slot = new_at_q[3:0];

    always_comb begin
      wait_of = 3'd7;
      case ({offset_q[5:2], engine})
        {4'd0, 2'd1}, {4'd1, 2'd2}, {4'd2, 2'd3}, {4'd3, 2'd0}: wait_of = 3'd0;
        {4'd4, 2'd2}, {4'd5, 2'd0}, {4'd6, 2'd1}: wait_of = 3'd1;
        {4'd7, 2'd3}, {4'd8, 2'd0}, {4'd9, 2'd2}: wait_of = 3'd2;
        {4'd0, 2'd0}, {4'd3, 2'd1}, {4'd5, 2'd2}, {4'd8, 2'd3}: wait_of = 3'd4;
        {4'd1, 2'd0}, {4'd4, 2'd1}, {4'd6, 2'd2}: wait_of = 3'd5;
        {4'd2, 2'd0}, {4'd7, 2'd2}, {4'd9, 2'd3}: wait_of = 3'd6;
        default: ;
      endcase
      here = 1'b0;
      case (offset_q[11:8])
        4'd0:
        here = (offset_q[7:2] == tenon_pkg::CONTROL_CYCLES[7:2] &&
                new_at_q == {2'd0, CyclesSlot}) ||
            (offset_q[7:4] == tenon_pkg::CONTROL_RETIRED[7:4] &&
             new_at_q == {offset_q[3:2], RetiredSlot});
        tenon_pkg::CONTROL_STATES[11:8]:
        here = offset_q[7:5] == {engine, 1'b0} && slot != RetiredSlot &&
            ((offset_q[4:2] == tenon_pkg::STATE_TOKEN) ?
             (slot[3] && slot[1:0] != 2'd3) : slot == {1'b0, offset_q[4:2]});
        tenon_pkg::CONTROL_TOKEN_WAITS[11:8]:
        here = offset_q[7:6] == 2'd0 && slot == {1'b1, wait_of} &&
            wait_of[1:0] != 2'd3;
        default: ;
      endcase
    end

    // Words only.
    logic unused_offset;
    assign unused_offset = &{1'b0, offset_i[1:0]};
  end else begin : gen_none
    always_ff @(posedge clk_i) valid_o <= read_i;
    assign value_o = 32'd0;

    logic unused;
    assign unused = &{
      1'b0, clear_i, count_i, retired_i, state_i, token_wait_i, room_wait_i,
      offset_i
    };
  end
endmodule

`default_nettype wire
