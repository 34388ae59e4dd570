// Part of Tenon, under the Apache License v2.0.
//
// LOAD: every read of data from DRAM.  Three parts overlap: the instruction at
// the front takes its tokens (each as it arrives) with everything about it
// computed; its bursts are issued, one address a cycle; its data and padding
// are written (load_write).  So the reads of the next LOAD go out while the
// data of this one arrive, up to OUTSTANDING_BURSTS bursts, and no further than
// AheadBeats, so that FETCH, which shares the port, never stands behind more.
// An instruction retires, in order, when its last element is written and its
// tokens are given.  A full channel holds retirement, not the data of the LOADs
// behind: those are written in any case, and the port is never blocked.

`default_nettype none

module load #(
    parameter int PageBits = 12 - $clog2(tenon_pkg::BEAT_BYTES)
) (
    input  logic                                   clk_i,
    input  logic                                   rst_i,
    input  logic                                   start_i,
    input  logic [PageBits-1:0]                    base_page_i,
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
    output logic [27:0]                            burst_beat_o,
    output logic [8:0]                             burst_length_o,
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
  localparam int BurstBits = $clog2(tenon_pkg::OUTSTANDING_BURSTS + 1);
  // Beats asked for and not arrived: enough for a latency of as many cycles.
  localparam int AheadBeats = 256;
  // Beats of an element, minus one.
  localparam logic [7:0] InpBeats =
      8'(tenon_pkg::MEMORY_INP_TRANSFER_BYTES / tenon_pkg::BEAT_BYTES - 1);
  localparam logic [7:0] WgtBeats =
      8'(tenon_pkg::MEMORY_WGT_TRANSFER_BYTES / tenon_pkg::BEAT_BYTES - 1);
  localparam logic [7:0] DwtBeats =
      8'(tenon_pkg::MEMORY_DWT_TRANSFER_BYTES / tenon_pkg::BEAT_BYTES - 1);
  localparam logic [7:0] AccBeats =
      8'(tenon_pkg::MEMORY_ACC_TRANSFER_BYTES / tenon_pkg::BEAT_BYTES - 1);
  localparam logic [7:0] Acc8Beats =
      8'(tenon_pkg::MEMORY_ACC8_TRANSFER_BYTES / tenon_pkg::BEAT_BYTES - 1);
  localparam logic [7:0] PrmBeats =
      8'(tenon_pkg::MEMORY_PRM_TRANSFER_BYTES / tenon_pkg::BEAT_BYTES - 1);

  // ---- decode
  tenon_pkg::load_t head;
  tenon_pkg::set_t head_set;
  logic head_is_set, head_gather;
  logic [7:0] head_beats;
  logic [24:0] head_row_beats;

  assign head = instruction_i[tenon_pkg::LOAD_BITS-1:0];
  assign head_set = instruction_i[tenon_pkg::SET_BITS-1:0];
  assign head_is_set = head.opcode == tenon_pkg::SET_OPCODE;

  // All of it only in the cycle in which the instruction is taken.  Beats of an
  // element may be 256: minus one.  Element by element where the instruction
  // says so, and where elements overlap; never where they touch.
  logic accept, head_touch;

  always_comb begin
    head_beats = 8'd0;
    head_touch = 1'b0;
    head_gather = 1'b0;
    head_row_beats = 25'd0;
    if (accept) begin
      case (head.memory)
        tenon_pkg::MEMORY_INP: head_beats = InpBeats;
        tenon_pkg::MEMORY_WGT: head_beats = WgtBeats;
        tenon_pkg::MEMORY_DWT: head_beats = DwtBeats;
        tenon_pkg::MEMORY_ACC: head_beats = AccBeats;
        tenon_pkg::MEMORY_ACC8: head_beats = Acc8Beats;
        tenon_pkg::MEMORY_PRM: head_beats = PrmBeats;
        default: ;
      endcase
      head_touch = head.x_size == 11'd1 ||
          head.x_stride == 14'(head_beats) + 14'd1;
      head_gather = !head_touch &&
          (head.gather[0] || head.x_stride <= 14'(head_beats));
      head_row_beats = 25'(head_beats) + 25'd1;
      if (!head_gather)
        head_row_beats = (25'(head.x_size) - 25'd1) * 25'(head.x_stride) +
            25'(head_beats) + 25'd1;
    end
  end

  // ---- the instruction that waits for its tokens
  logic front_valid_q, front_is_set_q, front_gather_q, front_touch_q;
  logic [2:0] front_wait_q;
  logic [7:0] front_beats_q;
  logic [24:0] front_row_beats_q;
  tenon_pkg::load_t front_q;
  logic [3:0] set_index_q;
  logic [31:0] set_value_q;
  logic front_go, front_missing;
  logic bursts_ready, room_behind;

  assign take_o = front_valid_q ? front_wait_q & token_i : 3'b0;
  assign front_missing = (front_wait_q & ~token_i) != 3'b0;
  assign front_go = front_valid_q && !front_missing && room_behind &&
      (front_is_set_q || bursts_ready);
  assign ready_o = !front_valid_q || front_go;
  assign accept = valid_i && ready_o;

  always_ff @(posedge clk_i) begin
    if (take_o != 3'b0) front_wait_q <= front_wait_q & ~token_i;
    if (accept) begin
      front_q <= head;
      front_is_set_q <= head_is_set;
      front_wait_q <= head.wait_;
      front_gather_q <= head_gather;
      front_touch_q <= head_touch;
      front_beats_q <= head_beats;
      front_row_beats_q <= head_row_beats;
      set_index_q <= head_set.index;
      set_value_q <= head_set.value;
    end
    if (ready_o) front_valid_q <= valid_i;
    if (rst_i) front_valid_q <= 1'b0;
  end

  // ---- registers; their values travel with the instruction
  logic [8:0] zero_point_q;
  logic [31:0] pad_value_q, pad_value;

  always_ff @(posedge clk_i) begin
    if (front_go && front_is_set_q) begin
      if (set_index_q == tenon_pkg::LOAD_REG_ZERO_POINT)
        zero_point_q <= set_value_q[8:0];
      if (set_index_q == tenon_pkg::LOAD_REG_PAD_VALUE)
        pad_value_q <= set_value_q;
    end
    if (rst_i || start_i) begin
      zero_point_q <= tenon_pkg::LOAD_REG_ZERO_POINT_RESET[8:0];
      pad_value_q <= tenon_pkg::LOAD_REG_PAD_VALUE_RESET;
    end
  end

  // The greatest and the least value: eight bits in INP, else 32.
  logic narrow;
  assign narrow = front_q.memory == tenon_pkg::MEMORY_INP;
  always_comb begin
    pad_value = 32'd0;
    if (front_go) begin
      case (front_q.pad_kind)
        tenon_pkg::PAD_MIN: pad_value = narrow ? 32'h80 : 32'h80000000;
        tenon_pkg::PAD_MAX: pad_value = narrow ? 32'h7f : 32'h7fffffff;
        tenon_pkg::PAD_VALUE: pad_value = pad_value_q;
        default: ;
      endcase
    end
  end

  // ---- addresses
  logic bursts_valid, allowed, issue;
  logic burst_last_unused;

  axi_bursts u_bursts (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .base_page_i(base_page_i),
      .valid_i(front_go && !front_is_set_q),
      .beat_i(front_q.dram),
      .segment_beats_i(front_row_beats_q),
      .segments_i(front_gather_q ? front_q.x_size : 11'd1),
      .rows_i(front_q.y_size),
      .segment_stride_i(front_q.x_stride),
      .row_stride_i(front_q.y_stride),
      .ready_o(bursts_ready),
      .valid_o(bursts_valid),
      .beat_o(burst_beat_o),
      .length_o(burst_length_o),
      .last_o(burst_last_unused),
      .ready_i(burst_ready_i && allowed)
  );

  logic [BurstBits-1:0] bursts_q;
  logic [9:0] beats_q;
  logic beat_in, burst_in;

  assign allowed = bursts_q != BurstBits'(tenon_pkg::OUTSTANDING_BURSTS) &&
      beats_q < 10'(AheadBeats);
  assign burst_valid_o = bursts_valid && allowed;
  assign issue = burst_valid_o && burst_ready_i;
  assign beat_in = data_valid_i && data_ready_o;
  assign burst_in = beat_in && data_last_i;

  always_ff @(posedge clk_i) begin
    if (issue || beat_in) begin
      bursts_q <= bursts_q + BurstBits'(issue) - BurstBits'(burst_in);
      beats_q <= beats_q + (issue ? 10'(burst_length_o) : 10'd0) -
          10'(beat_in);
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
      .signal_i(front_q.signal),
      .memory_i(front_q.memory),
      .last_beat_i(front_beats_q),
      .sram_i(front_q.sram),
      .rows_i(front_is_set_q ? 11'd0 : front_q.y_size),
      .x_size_i(front_q.x_size),
      .skip_i((front_gather_q || front_touch_q) ? 14'd0 :
              front_q.x_stride - 14'(front_beats_q) - 14'd1),
      .pads_i(front_is_set_q ? 16'd0 :
              {front_q.pad_top, front_q.pad_bottom, front_q.pad_left,
               front_q.pad_right}),
      .pad_value_i(pad_value),
      .zero_point_i(zero_point_q),
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
      .Depth(tenon_pkg::QUEUE_DEPTH)
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

  assign room_behind = flight_q != CountBits'(tenon_pkg::QUEUE_DEPTH);

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
  assign awake_o = accept || take_o != 3'b0 || front_go || issue ||
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
    1'b0, entries_ready, retire_ready, burst_last_unused, head_set.engine,
    head_set.opcode, head_set.wait_, head_set.signal, front_q.opcode,
    front_q.wait_, front_q.gather, instruction_i
  };
endmodule

`default_nettype wire
