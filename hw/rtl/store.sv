// Part of Tenon, under the Apache License v2.0.
//
// STORE: every write to DRAM, from OUT.  The instruction at the front takes its
// tokens; then its bursts are issued (axi_bursts) while OUT is read
// (store_read); the next STORE's follow at once.  Responses come in the order
// of the bursts, up to OUTSTANDING_BURSTS later; an instruction retires, in
// order, when its last one has arrived and its tokens are given.

`default_nettype none

module store #(
    parameter int AddressBits = ($clog2(tenon_pkg::BEAT_BYTES) > 4) ? 29 :
        33 - $clog2(tenon_pkg::BEAT_BYTES)
) (
    input  logic                                   clk_i,
    input  logic                                   rst_i,
    // the DRAM base in beats of the bus, without its high word
    input  logic [AddressBits-1:0]                 base_i,
    // queue
    input  logic                                   valid_i,
    input  logic [tenon_pkg::INSTRUCTION_BITS-1:0] instruction_i,
    output logic                                   ready_o,
    // tokens: load, gemm, alu
    input  logic [2:0]                             token_i,
    output logic [2:0]                             take_o,
    input  logic [2:0]                             room_i,
    output logic [2:0]                             give_o,
    output logic [2:0]                             token_wait_o,
    output logic [2:0]                             room_wait_o,
    // accounting
    output logic                                   retired_o,
    output logic [2:0]                             state_o,
    output logic                                   idle_o,
    output logic                                   awake_o,
    // bursts
    output logic                                   burst_valid_o,
    output logic [AddressBits-1:0]                 burst_beat_o,
    output logic [7:0]                             burst_length_o,
    input  logic                                   burst_ready_i,
    // write data and responses
    output logic                                   data_valid_o,
    output logic [tenon_pkg::BUS_BITS-1:0]         data_o,
    input  logic                                   data_ready_i,
    input  logic                                   sent_i,
    input  logic                                   response_i,
    // OUT
    output logic                                   st_valid_o,
    output logic [tenon_pkg::OUT_INDEX_BITS-1:0]   st_index_o,
    input  logic [tenon_pkg::OUT_BYTES*8-1:0]      st_data_i
);
  localparam int CountBits = $clog2(tenon_pkg::OUTSTANDING_BURSTS + 1);
  localparam int Beats = tenon_pkg::OUT_BYTES / tenon_pkg::BEAT_BYTES;

  // ---- decode
  tenon_pkg::store_t head;
  logic accept;

  assign head = instruction_i[tenon_pkg::STORE_BITS-1:0];

  // ---- the instruction that waits for its tokens
  logic front_valid_q, front_is_set_q, front_touch_q;
  logic [2:0] front_wait_q, missing;
  logic [24:0] front_last;
  logic [AddressBits-1:0] front_beat_q;
  tenon_pkg::store_t front_q;
  logic front_go, bursts_ready, bursts_valid, read_ready, retire_ready;

  assign take_o = front_valid_q ? front_wait_q & token_i : 3'b0;
  assign missing = front_valid_q ? front_wait_q & ~token_i : 3'b0;
  // A SET has no bursts: it enters the retirement queue itself, behind the
  // last burst before it.
  assign front_go = front_valid_q && missing == 3'b0 &&
      (front_is_set_q ? !bursts_valid && retire_ready :
       bursts_ready && read_ready);
  assign ready_o = !front_valid_q;
  assign accept = valid_i && ready_o;

  always_ff @(posedge clk_i) begin
    if (take_o != 3'b0) front_wait_q <= front_wait_q & ~token_i;
    if (accept) begin
      front_q <= head;
      front_is_set_q <= head.opcode == tenon_pkg::SET_OPCODE;
      front_wait_q <= head.wait_;
      front_touch_q <= head.x_size == 11'd1 || head.x_stride == 14'(Beats);
      front_beat_q <= base_i + AddressBits'(head.dram);
    end
    front_valid_q <= front_valid_q ? !front_go : valid_i;
    if (rst_i) front_valid_q <= 1'b0;
  end

  // ---- addresses
  logic allowed, issue, burst_last;
  logic [2:0] burst_signal;

  // Last beat of a segment: of a row where elements touch, else of an element.
  assign front_last = front_touch_q ?
      25'(front_q.x_size) * 25'(Beats) - 25'd1 : 25'(Beats - 1);

  axi_bursts #(
      .AddressBits(AddressBits)
  ) u_bursts (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .offer_i(front_valid_q),
      .valid_i(front_go && !front_is_set_q),
      .beat_i(front_beat_q),
      .segment_last_i(front_last),
      .segments_i(front_touch_q ? 11'd1 : front_q.x_size),
      .rows_i(front_q.y_size),
      .segment_stride_i(front_q.x_stride),
      .row_stride_i(front_q.y_stride),
      .tag_i(front_q.signal),
      .ready_o(bursts_ready),
      .valid_o(bursts_valid),
      .beat_o(burst_beat_o),
      .length_o(burst_length_o),
      .last_o(burst_last),
      .tag_o(burst_signal),
      .ready_i(burst_ready_i && allowed)
  );

  assign allowed = retire_ready;
  assign burst_valid_o = bursts_valid && allowed;
  assign issue = burst_valid_o && burst_ready_i;

  // ---- data
  store_read u_read (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .valid_i(front_go && !front_is_set_q),
      .sram_i(front_q.sram[tenon_pkg::OUT_INDEX_BITS-1:0]),
      .y_size_i(front_q.y_size),
      .x_size_i(front_q.x_size),
      .ready_o(read_ready),
      .st_valid_o(st_valid_o),
      .st_index_o(st_index_o),
      .st_data_i(st_data_i),
      .data_valid_o(data_valid_o),
      .data_o(data_o),
      .data_ready_i(data_ready_i)
  );

  // ---- retirement: one entry a burst, one a SET
  logic entry_valid, entry_burst, entry_last, entry_taken, answered;
  logic [2:0] entry_signal;
  logic [CountBits-1:0] responses_q;
  logic [2:0] blocked;

  fifo #(
      .Width(5),
      .Depth(tenon_pkg::OUTSTANDING_BURSTS),
      .Registered(1'b1)
  ) u_retire (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .valid_i(issue || (front_go && front_is_set_q)),
      .data_i(issue ? {1'b1, burst_last, burst_signal} :
              {1'b0, 1'b1, front_q.signal}),
      .ready_o(retire_ready),
      .valid_o(entry_valid),
      .data_o({entry_burst, entry_last, entry_signal}),
      .ready_i(entry_taken)
  );
  token_give u_give (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .valid_i(entry_valid && entry_last && answered),
      .signal_i(entry_signal),
      .retire_o(retired_o),
      .room_i(room_i),
      .give_o(give_o),
      .room_wait_o(blocked)
  );

  assign answered = !entry_burst || responses_q != '0 || response_i;
  assign entry_taken = entry_valid && answered && (!entry_last || retired_o);

  logic response_used;
  assign response_used = entry_taken && entry_burst;

  always_ff @(posedge clk_i) begin
    if (response_i != response_used)
      responses_q <= responses_q + (response_i ? CountBits'(1) : '1);
    if (rst_i) responses_q <= '0;
  end

  // ---- what it does this cycle; the oldest instruction's wait counts
  logic busy;

  assign busy = front_go || issue || sent_i || retired_o;
  assign idle_o = !front_valid_q && !bursts_valid && !entry_valid;
  assign awake_o = accept || take_o != 3'b0 || front_go || bursts_valid ||
      entry_valid || sent_i || response_i;

  always_comb begin
    state_o = tenon_pkg::STATE_EMPTY;
    token_wait_o = 3'b0;
    room_wait_o = 3'b0;
    if (busy) begin
      state_o = tenon_pkg::STATE_BUSY;
    end else if (blocked != 3'b0) begin
      state_o = tenon_pkg::STATE_TOKEN;
      room_wait_o = blocked;
    end else if (bursts_valid || entry_valid) begin
      state_o = tenon_pkg::STATE_MEMORY;
    end else if (missing != 3'b0) begin
      state_o = tenon_pkg::STATE_TOKEN;
      token_wait_o = missing & (~missing + 3'b1);
    end
  end

  // Fields that only tell formats apart; an index wider than OUT's.
  logic unused;
  assign unused = &{
    1'b0, front_q.opcode, front_q.wait_, front_q.dram, front_q.sram,
    instruction_i
  };

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin : assertions
    if (!rst_i) begin
      // A burst that is issued finds a place to retire from.
      burst_has_room : assert (!issue || retire_ready);
      // A response is to a burst that has not retired.
      response_expected : assert (!response_i || entry_valid);
      // No more responses wait than bursts may be under way.
      responses_limited : assert (responses_q <= CountBits'(tenon_pkg::OUTSTANDING_BURSTS));
    end
  end
`endif
endmodule

`default_nettype wire
