// Part of Tenon, under the Apache License v2.0.
//
// Where the cycles of a launch went: cycles, instructions retired by each
// engine, cycles of each engine by state, cycles waited on each token channel.
// COUNTERS says how much of it exists; what does not reads as 0.  `clear_i`
// starts from zero; while `count_i` is high each engine's states add up to the
// cycles.  Reading takes no clock edge.

`default_nettype none

module counters (
    input  logic        clk_i,
    input  logic        clear_i,
    input  logic        count_i,
    // one bit and three bits an engine: load, gemm, alu, store
    input  logic [3:0]  retired_i,
    input  logic [11:0] state_i,
    // channels waited on
    input  logic [9:0]  wait_i,
    // read port, byte offset of the control port
    input  logic [11:0] offset_i,
    output logic [31:0] value_o
);
  logic [31:0] cycles, retired, states, waits;

  // ---- totals
  if (tenon_pkg::COUNTERS >= 1) begin : gen_totals
    logic [31:0] cycles_q;
    logic [31:0] retired_q[4];

    assign cycles = cycles_q;
    assign retired = retired_q[offset_i[3:2]];

    always_ff @(posedge clk_i) begin
      if (count_i) cycles_q <= cycles_q + 32'd1;
      if (clear_i) cycles_q <= 32'd0;
    end
    for (genvar e = 0; e < 4; e++) begin : gen_retired
      always_ff @(posedge clk_i) begin
        if (count_i && retired_i[e]) retired_q[e] <= retired_q[e] + 32'd1;
        if (clear_i) retired_q[e] <= 32'd0;
      end
    end
  end else begin : gen_no_totals
    assign cycles = 32'd0;
    assign retired = 32'd0;
  end

  // ---- by state: a small memory an engine; a word never written counts as 0
  if (tenon_pkg::COUNTERS >= 2) begin : gen_states
    logic [31:0] word[4];
    for (genvar e = 0; e < 4; e++) begin : gen_engine
      logic [31:0] words_q[8];
      logic [7:0] seen_q;
      logic [2:0] state;

      assign state = state_i[3*e+:3];
      assign word[e] = seen_q[offset_i[4:2]] ? words_q[offset_i[4:2]] : 32'd0;

      always_ff @(posedge clk_i) begin
        if (count_i) begin
          words_q[state] <= seen_q[state] ? words_q[state] + 32'd1 : 32'd1;
          seen_q[state] <= 1'b1;
        end
        if (clear_i) seen_q <= 8'd0;
      end
    end
    assign states = offset_i[5] ? 32'd0 : word[offset_i[7:6]];

    logic [31:0] waits_q[10];
    assign waits = (offset_i[5:2] < 4'd10) ? waits_q[offset_i[5:2]] : 32'd0;
    for (genvar c = 0; c < 10; c++) begin : gen_wait
      always_ff @(posedge clk_i) begin
        if (count_i && wait_i[c]) waits_q[c] <= waits_q[c] + 32'd1;
        if (clear_i) waits_q[c] <= 32'd0;
      end
    end
  end else begin : gen_no_states
    logic unused;
    assign unused = &{1'b0, state_i, wait_i};
    assign states = 32'd0;
    assign waits = 32'd0;
  end

  always_comb begin
    value_o = 32'd0;
    if (offset_i == tenon_pkg::CONTROL_CYCLES) value_o = cycles;
    if (offset_i[11:4] == tenon_pkg::CONTROL_RETIRED[11:4]) value_o = retired;
    if (offset_i[11:8] == tenon_pkg::CONTROL_STATES[11:8]) value_o = states;
    if (offset_i[11:6] == tenon_pkg::CONTROL_TOKEN_WAITS[11:6]) value_o = waits;
  end

  logic unused_totals;
  assign unused_totals = &{1'b0, retired_i, count_i, clear_i, clk_i};
endmodule

`default_nettype wire
