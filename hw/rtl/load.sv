// Part of Tenon, under the Apache License v2.0.
//
// LOAD: every read of data from DRAM.  Three parts overlap: the instruction at
// the front takes its tokens (each as it arrives) with everything about it
// computed, and the queue hands over the next one when it has gone (so one in
// two cycles; no path runs from the tokens to the queue); its bursts are
// issued, one address a cycle; its data and padding are written (load_write).
// So the reads of the next LOAD go out while the data of this one arrive, up to
// OUTSTANDING_BURSTS bursts, and no further than AheadBeats, so that FETCH,
// which shares the port, never stands behind more.  An instruction retires, in
// order, when its last element is written and its tokens are given.  A full
// channel holds retirement, not the data of the LOADs behind: those are written
// in any case, and the port is never blocked.

`default_nettype none

module load #(
    parameter int AddressBits = ($clog2(tenon_pkg::BEAT_BYTES) > 4) ? 29 :
        33 - $clog2(tenon_pkg::BEAT_BYTES)
) (
    input  logic                                   clk_i,
    input  logic                                   rst_i,
    input  logic                                   start_i,
    // the DRAM base in beats of the bus, without its high word
    input  logic [AddressBits-1:0]                 base_i,
    // queue
    input  logic                                   valid_i,
    input  logic [tenon_pkg::INSTRUCTION_BITS-1:0] instruction_i,
    output logic                                   ready_o,
    // tokens: gemm, alu, store
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
    // read data
    input  logic                                   data_valid_i,
    input  logic [tenon_pkg::BUS_BITS-1:0]         data_i,
    input  logic                                   data_last_i,
    output logic                                   data_ready_o,
    // scratchpads
    output logic                                   ld_valid_o,
    output logic [2:0]                             ld_memory_o,
    output logic [tenon_pkg::SRAM_INDEX_BITS-1:0]  ld_index_o,
    output logic [7:0]                             ld_beat_o,
    output logic                                   ld_all_o,
    output logic [tenon_pkg::BUS_BITS-1:0]         ld_data_o,
    output logic [8:0]                             ld_zero_point_o
);
  localparam int CountBits = $clog2(tenon_pkg::QUEUE_DEPTH + 1);
  localparam int IndexBits = tenon_pkg::SRAM_INDEX_BITS;
  localparam int BurstBits = $clog2(tenon_pkg::OUTSTANDING_BURSTS + 1);
  // Beats asked for and not arrived: enough for a latency of as many cycles.
  localparam int AheadBeats = 256;

  // ---- decode
  tenon_pkg::load_t head;
  logic [7:0] head_last;
  logic accept;

  assign head = instruction_i[tenon_pkg::LOAD_BITS-1:0];

  load_beats u_beats (
      .memory_i(head.memory),
      .last_o(head_last)
  );

  // ---- the instruction that waits for its tokens
  tenon_pkg::set_t front_set;
  logic front_valid_q, front_is_set_q;
  logic [2:0] front_wait_q;
  logic [7:0] front_last_q;
  logic [14:0] front_gap_q;
  logic [24:0] front_product_q;
  logic [IndexBits-1:0] front_row_q;
  logic [AddressBits-1:0] front_beat_q;
  logic [tenon_pkg::INSTRUCTION_BITS-1:0] front_bits_q;
  tenon_pkg::load_t front;
  logic front_go, front_missing;
  logic bursts_ready, room_behind;

  assign take_o = front_valid_q ? front_wait_q & token_i : 3'b0;
  assign front_missing = (front_wait_q & ~token_i) != 3'b0;
  assign front_go = front_valid_q && !front_missing && room_behind &&
      (front_is_set_q || bursts_ready);
  assign ready_o = !front_valid_q;
  assign accept = valid_i && ready_o;

  always_ff @(posedge clk_i) begin
    if (take_o != 3'b0) front_wait_q <= front_wait_q & ~token_i;
    if (accept) begin
      front_bits_q <= instruction_i;
      front_is_set_q <= head.opcode == tenon_pkg::SET_OPCODE;
      front_wait_q <= head.wait_;
      // The gap is what lies between two elements; below 0 they overlap.
      // Adding ~n takes away n + 1.
      front_last_q <= head_last;
      front_gap_q <= 15'(head.x_stride) + {7'h7f, ~head_last};
      front_product_q <= 25'(head.x_size) * 25'(head.x_stride);
      front_row_q <= IndexBits'(head.x_size) + IndexBits'(head.pad_left) +
          IndexBits'(head.pad_right);
      front_beat_q <= base_i + AddressBits'(head.dram);
    end
    front_valid_q <= front_valid_q ? !front_go : valid_i;
    if (rst_i) front_valid_q <= 1'b0;
  end

  // What the rest needs of it.  Element by element where the instruction says
  // so, and where elements overlap; never where they touch.  A row has
  // (x_size - 1) * x_stride beats and an element.
  logic touch, gather;
  logic [24:0] segment_last;
  logic [IndexBits-1:0] first;

  assign front = front_bits_q[tenon_pkg::LOAD_BITS-1:0];
  assign front_set = front_bits_q[tenon_pkg::SET_BITS-1:0];

  assign touch = front.x_size == 11'd1 || front_gap_q == 15'd0;
  assign gather = !touch && (front.gather[0] || front_gap_q[14]);
  assign segment_last = gather ? 25'(front_last_q) :
      front_product_q + {{10{~front_gap_q[14]}}, ~front_gap_q};
  // The first element read stands below the padded rows above, right of the
  // padding: a product with a four-bit number.
  assign first = front.sram + IndexBits'(front.pad_left) +
      (front.pad_top[0] ? front_row_q : '0) +
      (front.pad_top[1] ? front_row_q << 1 : '0) +
      (front.pad_top[2] ? front_row_q << 2 : '0) +
      (front.pad_top[3] ? front_row_q << 3 : '0);

  // ---- addresses
  logic bursts_valid, allowed, issue;
  logic burst_last_unused;
  logic [2:0] burst_tag_unused;

  axi_bursts #(
      .AddressBits(AddressBits)
  ) u_bursts (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .offer_i(front_valid_q),
      .valid_i(front_go && !front_is_set_q),
      .beat_i(front_beat_q),
      .segment_last_i(segment_last),
      .segments_i(gather ? front.x_size : 11'd1),
      .rows_i(front.y_size),
      .segment_stride_i(front.x_stride),
      .row_stride_i(front.y_stride),
      .tag_i(3'd0),
      .ready_o(bursts_ready),
      .valid_o(bursts_valid),
      .beat_o(burst_beat_o),
      .length_o(burst_length_o),
      .last_o(burst_last_unused),
      .tag_o(burst_tag_unused),
      .ready_i(burst_ready_i && allowed)
  );

  logic [BurstBits-1:0] bursts_q;
  logic [9:0] beats_q;
  logic beat_in, burst_in;

  assign allowed = bursts_q < BurstBits'(tenon_pkg::OUTSTANDING_BURSTS) &&
      beats_q < 10'(AheadBeats);
  assign burst_valid_o = bursts_valid && allowed;
  assign issue = burst_valid_o && burst_ready_i;
  assign beat_in = data_valid_i && data_ready_o;
  assign burst_in = beat_in && data_last_i;

  always_ff @(posedge clk_i) begin
    if (issue || beat_in) begin
      bursts_q <= bursts_q + BurstBits'(issue) - BurstBits'(burst_in);
      beats_q <= issue ? beats_q + 10'(burst_length_o) + 10'(!beat_in) :
          beats_q - 10'd1;
    end
    if (rst_i) begin
      bursts_q <= '0;
      beats_q <= '0;
    end
  end

  // ---- data and padding
  logic finish, entries_ready, write_awake;
  logic [2:0] finish_signal;

  load_write u_write (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .valid_i(front_go),
      .start_i(start_i),
      .is_set_i(front_is_set_q),
      .set_i(front_set),
      .load_i(front),
      .first_i(first),
      .skip_i((gather || touch) ? 14'd0 : front_gap_q[13:0]),
      .ready_o(entries_ready),
      .data_valid_i(data_valid_i),
      .data_i(data_i),
      .data_ready_o(data_ready_o),
      .ld_valid_o(ld_valid_o),
      .ld_memory_o(ld_memory_o),
      .ld_index_o(ld_index_o),
      .ld_beat_o(ld_beat_o),
      .ld_all_o(ld_all_o),
      .ld_data_o(ld_data_o),
      .ld_zero_point_o(ld_zero_point_o),
      .awake_o(write_awake),
      .finish_o(finish),
      .finish_signal_o(finish_signal)
  );

  // ---- retirement; as many instructions in flight as this queue holds
  logic retire_valid, retire_ready;
  logic [2:0] retire_signal;
  logic [CountBits-1:0] flight_q;

  fifo #(
      .Width(3),
      .Depth(tenon_pkg::QUEUE_DEPTH),
      .Registered(1'b1)
  ) u_retire (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .valid_i(finish),
      .data_i(finish_signal),
      .ready_o(retire_ready),
      .valid_o(retire_valid),
      .data_o(retire_signal),
      .ready_i(retired_o)
  );
  token_give u_give (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .valid_i(retire_valid),
      .signal_i(retire_signal),
      .retire_o(retired_o),
      .room_i(room_i),
      .give_o(give_o),
      .room_wait_o(blocked)
  );

  assign room_behind = flight_q < CountBits'(tenon_pkg::QUEUE_DEPTH);

  always_ff @(posedge clk_i) begin
    if (front_go != retired_o)
      flight_q <= flight_q + (front_go ? CountBits'(1) : '1);
    if (rst_i) flight_q <= '0;
  end

  // ---- what it does this cycle; the oldest instruction's wait counts
  logic [2:0] blocked, missing;
  logic busy;

  assign missing = front_valid_q ? front_wait_q & ~token_i : 3'b0;
  assign busy = front_go || issue || ld_valid_o || retired_o;
  assign idle_o = !front_valid_q && flight_q == '0;
  assign awake_o = accept || take_o != 3'b0 || front_go || bursts_valid ||
      write_awake || give_o != 3'b0 || retired_o;

  always_comb begin
    state_o = tenon_pkg::STATE_EMPTY;
    token_wait_o = 3'b0;
    room_wait_o = 3'b0;
    if (busy) begin
      state_o = tenon_pkg::STATE_BUSY;
    end else if (blocked != 3'b0) begin
      state_o = tenon_pkg::STATE_TOKEN;
      room_wait_o = blocked;
    end else if (bursts_valid || bursts_q != '0) begin
      state_o = tenon_pkg::STATE_MEMORY;
    end else if (flight_q != '0) begin
      state_o = tenon_pkg::STATE_DRAIN;
    end else if (missing != 3'b0) begin
      state_o = tenon_pkg::STATE_TOKEN;
      token_wait_o = missing & (~missing + 3'b1);
    end
  end

  // Queues that the count of instructions in flight keeps from filling up,
  // fields that only tell formats apart, bits that no register keeps.
  logic unused;
  assign unused = &{
    1'b0, entries_ready, retire_ready, burst_last_unused, burst_tag_unused,
    head, front_set, front, front_bits_q
  };

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin : assertions
    if (!rst_i) begin
      // An instruction that goes finds a place in the queue of walks.
      entry_has_room : assert (!front_go || entries_ready);
      // A LOAD that is written finds a place to retire from.
      finish_has_room : assert (!finish || retire_ready);
      // Data come of bursts that are under way.
      data_of_bursts : assert (!data_valid_i || bursts_q != '0);
    end
  end
`endif
endmodule

`default_nettype wire
