// Part of Tenon, under the Apache License v2.0.
//
// The accelerator: FETCH, four engines with their queues, token channels, one
// AXI4 master for reads and writes, one AXI4-Lite slave for control.  Wiring
// only.  `done_o` is a level: the launch has finished.  The trace ports show
// each cycle of a launch as the counters count it; engines stand in the order
// load, gemm, alu, store.
//
// Each part has a clock of its own, all of them the same one in hardware
// (tenon_top).  A part whose bit of `awake_o` is low in a cycle has nothing to
// do: without reset and unless a port of its own asks for something, the clock
// edge at the end of the cycle would change none of its registers (but for a
// phase in the ALU that nothing in flight depends on).  A simulator leaves that
// edge out and saves the work; what the machine does is the same.  No output
// but the control port's depends on an input of the same cycle.

`default_nettype none

module tenon_machine (
    input  logic                             clk_i,        // counters, fault: every cycle
    input  logic                             clk_front_i,  // control, FETCH, queues, channels, reads
    input  logic                             clk_core_i,   // scratchpads
    input  logic                             clk_gemm_i,
    input  logic                             clk_alu_i,
    input  logic                             clk_load_i,
    input  logic                             clk_store_i,  // and the writes
    output logic [5:0]                       awake_o,      // front first, in this order
    input  logic                             rst_i,
    // control, AXI4-Lite
    input  logic [11:0]                      s_axil_awaddr_i,
    input  logic                             s_axil_awvalid_i,
    output logic                             s_axil_awready_o,
    input  logic [31:0]                      s_axil_wdata_i,
    input  logic                             s_axil_wvalid_i,
    output logic                             s_axil_wready_o,
    output logic [1:0]                       s_axil_bresp_o,
    output logic                             s_axil_bvalid_o,
    input  logic                             s_axil_bready_i,
    input  logic [11:0]                      s_axil_araddr_i,
    input  logic                             s_axil_arvalid_i,
    output logic                             s_axil_arready_o,
    output logic [31:0]                      s_axil_rdata_o,
    output logic [1:0]                       s_axil_rresp_o,
    output logic                             s_axil_rvalid_o,
    input  logic                             s_axil_rready_i,
    // memory, AXI4: reads
    output logic [0:0]                       m_axi_arid_o,
    output logic [63:0]                      m_axi_araddr_o,
    output logic [7:0]                       m_axi_arlen_o,
    output logic [2:0]                       m_axi_arsize_o,
    output logic [1:0]                       m_axi_arburst_o,
    output logic                             m_axi_arvalid_o,
    input  logic                             m_axi_arready_i,
    input  logic [0:0]                       m_axi_rid_i,
    input  logic [tenon_pkg::BUS_BITS-1:0]   m_axi_rdata_i,
    input  logic [1:0]                       m_axi_rresp_i,
    input  logic                             m_axi_rlast_i,
    input  logic                             m_axi_rvalid_i,
    output logic                             m_axi_rready_o,
    // memory, AXI4: writes
    output logic [63:0]                      m_axi_awaddr_o,
    output logic [7:0]                       m_axi_awlen_o,
    output logic [2:0]                       m_axi_awsize_o,
    output logic [1:0]                       m_axi_awburst_o,
    output logic                             m_axi_awvalid_o,
    input  logic                             m_axi_awready_i,
    output logic [tenon_pkg::BUS_BITS-1:0]   m_axi_wdata_o,
    output logic [tenon_pkg::BUS_BITS/8-1:0] m_axi_wstrb_o,
    output logic                             m_axi_wlast_o,
    output logic                             m_axi_wvalid_o,
    input  logic                             m_axi_wready_i,
    input  logic [1:0]                       m_axi_bresp_i,
    input  logic                             m_axi_bvalid_i,
    output logic                             m_axi_bready_o,
    // interrupt
    output logic                             done_o,
    // trace: one bit and three bits an engine
    output logic [3:0]                       retired_o,
    output logic [11:0]                      state_o,
    output logic [11:0]                      token_wait_o,
    output logic [11:0]                      room_wait_o
);
  localparam int InstructionBits = tenon_pkg::INSTRUCTION_BITS;
  localparam int BusBits = tenon_pkg::BUS_BITS;
  localparam int BeatShift = $clog2(tenon_pkg::BEAT_BYTES);
  // Addresses count in beats from the high word of the DRAM base; one bit more
  // than the low word or the distance from the base has.
  localparam int AddressBits = (BeatShift > 4) ? 29 : 33 - BeatShift;
  localparam int PageBits = AddressBits + BeatShift - 12;

  // ---- launch
  logic start, running, stop, halt, clear, engine_reset, channel_reset;
  logic port_halt;
  logic finished, ended, unread, undefined, read_error, write_error;
  logic load_outside, fetch_outside, store_outside, fetch_needs;
  logic read_quiet, write_quiet;
  logic [PageBits-1:0] first_page;
  logic [PageBits:0] end_page;
  logic [3:0] fault_cause;
  logic [31:0] fault_where;
  logic [27:0] fetch_number;
  logic [27:0] program_beat;
  logic [63:0] base;
  logic [AddressBits-1:0] base_beat;
  logic [31:0] counter;
  logic [11:0] engine_state;
  logic [3:0] idle, queue_valid, queue_ready;
  logic read, counter_valid, control_awake, fetch_awake, read_awake;
  logic load_awake, store_awake, write_awake;
  logic [2:0] core_awake;

  assign base_beat = AddressBits'(base[31:BeatShift]);
  assign channel_reset = engine_reset || start;

  // It reaches every register of the engines, so it starts from one of its own;
  // until they have seen it the ports take nothing from them.
  always_ff @(posedge clk_front_i) engine_reset <= rst_i || halt;
  assign port_halt = halt || engine_reset;

  control #(
      .PageBits(PageBits)
  ) u_control (
      .clk_i(clk_front_i),
      .rst_i(rst_i),
      .s_axil_awaddr_i(s_axil_awaddr_i),
      .s_axil_awvalid_i(s_axil_awvalid_i),
      .s_axil_wdata_i(s_axil_wdata_i),
      .s_axil_wvalid_i(s_axil_wvalid_i),
      .s_axil_bready_i(s_axil_bready_i),
      .s_axil_araddr_i(s_axil_araddr_i),
      .s_axil_arvalid_i(s_axil_arvalid_i),
      .s_axil_rready_i(s_axil_rready_i),
      .s_axil_awready_o(s_axil_awready_o),
      .s_axil_wready_o(s_axil_wready_o),
      .s_axil_bresp_o(s_axil_bresp_o),
      .s_axil_bvalid_o(s_axil_bvalid_o),
      .s_axil_arready_o(s_axil_arready_o),
      .s_axil_rdata_o(s_axil_rdata_o),
      .s_axil_rresp_o(s_axil_rresp_o),
      .s_axil_rvalid_o(s_axil_rvalid_o),
      .read_o(read),
      .counter_valid_i(counter_valid),
      .counter_i(counter),
      .start_o(start),
      .running_o(running),
      .stop_o(stop),
      .halt_o(halt),
      .clear_o(clear),
      .awake_o(control_awake),
      .done_o(done_o),
      .program_o(program_beat),
      .base_o(base),
      .first_page_o(first_page),
      .end_page_o(end_page),
      .finished_i(finished),
      .idle_i(idle == 4'hf && queue_valid == 4'h0),
      .quiet_i(read_quiet && write_quiet),
      .fault_cause_i(fault_cause),
      .fault_where_i(fault_where)
  );

  // ---- what the engines do; empty becomes done behind FINISH
  for (genvar e = 0; e < 4; e++) begin : gen_state
    logic [2:0] own;
    assign own = engine_state[3*e+:3];
    assign state_o[3*e+:3] = (own == tenon_pkg::STATE_EMPTY && ended &&
        idle[e] && !queue_valid[e]) ? tenon_pkg::STATE_DONE : own;
  end

  counters u_counters (
      .clk_i(clk_i),
      .clear_i(start),
      .count_i(running),
      .retired_i(retired_o),
      .state_i(state_o),
      .token_wait_i(token_wait_o),
      .room_wait_i(room_wait_o),
      .read_i(read),
      .offset_i(s_axil_araddr_i),
      .valid_o(counter_valid),
      .value_o(counter)
  );

  // ---- FETCH and the queues
  logic fetch_valid, fetch_ready, fetch_data_valid, data_last;
  logic [AddressBits-1:0] fetch_beat;
  logic [7:0] fetch_length;
  logic [BusBits-1:0] data;
  logic [3:0] push_valid, push_ready;
  logic [InstructionBits-1:0] push_instruction;
  logic [InstructionBits-1:0] instruction[4];

  fetch #(
      .AddressBits(AddressBits)
  ) u_fetch (
      .clk_i(clk_front_i),
      .rst_i(engine_reset),
      .start_i(start),
      .program_i(program_beat),
      .base_i(base_beat),
      .ended_o(ended),
      .finished_o(finished),
      .awake_o(fetch_awake),
      .unread_o(unread),
      .outside_o(fetch_needs),
      .undefined_o(undefined),
      .number_o(fetch_number),
      .burst_valid_o(fetch_valid),
      .burst_beat_o(fetch_beat),
      .burst_length_o(fetch_length),
      .burst_ready_i(fetch_ready),
      .burst_outside_i(fetch_outside),
      .data_valid_i(fetch_data_valid),
      .data_i(data),
      .data_error_i(read_error),
      .queue_valid_o(push_valid),
      .queue_instruction_o(push_instruction),
      .queue_ready_i(push_ready)
  );

  for (genvar e = 0; e < 4; e++) begin : gen_queue
    // GEMM and ALU decode what stands at the head; the others take it first.
    fifo #(
        .Width(InstructionBits),
        .Depth(tenon_pkg::QUEUE_DEPTH),
        .Registered(e == tenon_pkg::ENGINE_GEMM || e == tenon_pkg::ENGINE_ALU)
    ) u_queue (
        .clk_i(clk_front_i),
        .rst_i(engine_reset),
        .valid_i(push_valid[e]),
        .data_i(push_instruction),
        .ready_o(push_ready[e]),
        .valid_o(queue_valid[e]),
        .data_o(instruction[e]),
        .ready_i(queue_ready[e])
    );
  end

  // ---- token channels
  logic [2:0] load_token, load_take, load_room, load_give;
  logic [2:0] gemm_token, gemm_take, gemm_room, gemm_give;
  logic [2:0] alu_token, alu_take, alu_room, alu_give;
  logic [2:0] store_token, store_take, store_room, store_give;

  token_channels u_channels (
      .clk_i(clk_front_i),
      .rst_i(channel_reset),
      .load_token_o(load_token),
      .load_take_i(load_take),
      .load_room_o(load_room),
      .load_give_i(load_give),
      .gemm_token_o(gemm_token),
      .gemm_take_i(gemm_take),
      .gemm_room_o(gemm_room),
      .gemm_give_i(gemm_give),
      .alu_token_o(alu_token),
      .alu_take_i(alu_take),
      .alu_room_o(alu_room),
      .alu_give_i(alu_give),
      .store_token_o(store_token),
      .store_take_i(store_take),
      .store_room_o(store_room),
      .store_give_i(store_give)
  );

  // ---- LOAD
  logic load_valid, load_ready, load_data_valid, load_data_ready;
  logic [AddressBits-1:0] load_beat;
  logic [7:0] load_length;
  logic ld_valid, ld_all;
  logic [2:0] ld_memory;
  logic [tenon_pkg::SRAM_INDEX_BITS-1:0] ld_index;
  logic [7:0] ld_beat;
  logic [BusBits-1:0] ld_data;
  logic [8:0] ld_zero_point;

  load #(
      .AddressBits(AddressBits)
  ) u_load (
      .clk_i(clk_load_i),
      .rst_i(engine_reset),
      .start_i(start),
      .base_i(base_beat),
      .valid_i(queue_valid[0]),
      .instruction_i(instruction[0]),
      .ready_o(queue_ready[0]),
      .token_i(load_token),
      .take_o(load_take),
      .room_i(load_room),
      .give_o(load_give),
      .token_wait_o(token_wait_o[2:0]),
      .room_wait_o(room_wait_o[2:0]),
      .retired_o(retired_o[0]),
      .state_o(engine_state[2:0]),
      .idle_o(idle[0]),
      .awake_o(load_awake),
      .burst_valid_o(load_valid),
      .burst_beat_o(load_beat),
      .burst_length_o(load_length),
      .burst_ready_i(load_ready),
      .data_valid_i(load_data_valid),
      .data_i(data),
      .data_last_i(data_last),
      .data_ready_o(load_data_ready),
      .ld_valid_o(ld_valid),
      .ld_memory_o(ld_memory),
      .ld_index_o(ld_index),
      .ld_beat_o(ld_beat),
      .ld_all_o(ld_all),
      .ld_data_o(ld_data),
      .ld_zero_point_o(ld_zero_point)
  );

  axi_read #(
      .AddressBits(AddressBits)
  ) u_read (
      .clk_i(clk_front_i),
      .rst_i(rst_i),
      .awake_o(read_awake),
      .high_i(base[63:32]),
      .first_page_i(first_page),
      .end_page_i(end_page),
      .halt_i(port_halt),
      .quiet_o(read_quiet),
      .load_valid_i(load_valid),
      .load_beat_i(load_beat),
      .load_length_i(load_length),
      .load_ready_o(load_ready),
      .load_outside_o(load_outside),
      .fetch_valid_i(fetch_valid),
      .fetch_beat_i(fetch_beat),
      .fetch_length_i(fetch_length),
      .fetch_ready_o(fetch_ready),
      .fetch_outside_o(fetch_outside),
      .load_data_valid_o(load_data_valid),
      .load_data_ready_i(load_data_ready),
      .fetch_data_valid_o(fetch_data_valid),
      .data_o(data),
      .last_o(data_last),
      .error_o(read_error),
      .m_axi_arid_o(m_axi_arid_o),
      .m_axi_araddr_o(m_axi_araddr_o),
      .m_axi_arlen_o(m_axi_arlen_o),
      .m_axi_arsize_o(m_axi_arsize_o),
      .m_axi_arburst_o(m_axi_arburst_o),
      .m_axi_arvalid_o(m_axi_arvalid_o),
      .m_axi_arready_i(m_axi_arready_i),
      .m_axi_rid_i(m_axi_rid_i),
      .m_axi_rdata_i(m_axi_rdata_i),
      .m_axi_rresp_i(m_axi_rresp_i),
      .m_axi_rlast_i(m_axi_rlast_i),
      .m_axi_rvalid_i(m_axi_rvalid_i),
      .m_axi_rready_o(m_axi_rready_o)
  );

  // ---- GEMM and ALU with the scratchpads
  logic st_valid;
  logic [tenon_pkg::OUT_INDEX_BITS-1:0] st_index;
  logic [tenon_pkg::OUT_BYTES*8-1:0] st_data;

  core u_core (
      .clk_i(clk_core_i),
      .clk_gemm_i(clk_gemm_i),
      .clk_alu_i(clk_alu_i),
      .rst_i(engine_reset),
      .awake_o(core_awake),
      .start_i(start),
      .gemm_valid_i(queue_valid[1]),
      .gemm_instruction_i(instruction[1]),
      .gemm_ready_o(queue_ready[1]),
      .gemm_token_i(gemm_token),
      .gemm_take_o(gemm_take),
      .gemm_room_i(gemm_room),
      .gemm_give_o(gemm_give),
      .gemm_token_wait_o(token_wait_o[5:3]),
      .gemm_room_wait_o(room_wait_o[5:3]),
      .gemm_retired_o(retired_o[1]),
      .gemm_state_o(engine_state[5:3]),
      .gemm_idle_o(idle[1]),
      .alu_valid_i(queue_valid[2]),
      .alu_instruction_i(instruction[2]),
      .alu_ready_o(queue_ready[2]),
      .alu_token_i(alu_token),
      .alu_take_o(alu_take),
      .alu_room_i(alu_room),
      .alu_give_o(alu_give),
      .alu_token_wait_o(token_wait_o[8:6]),
      .alu_room_wait_o(room_wait_o[8:6]),
      .alu_retired_o(retired_o[2]),
      .alu_state_o(engine_state[8:6]),
      .alu_idle_o(idle[2]),
      .ld_valid_i(ld_valid),
      .ld_memory_i(ld_memory),
      .ld_index_i(ld_index),
      .ld_beat_i(ld_beat),
      .ld_all_i(ld_all),
      .ld_data_i(ld_data),
      .ld_zero_point_i(ld_zero_point),
      .st_valid_i(st_valid),
      .st_index_i(st_index),
      .st_data_o(st_data)
  );

  // ---- STORE
  logic store_valid, store_ready, store_data_valid, store_data_ready;
  logic [AddressBits-1:0] store_beat;
  logic [7:0] store_length;
  logic [BusBits-1:0] store_data;
  logic store_sent, store_response;

  store #(
      .AddressBits(AddressBits)
  ) u_store (
      .clk_i(clk_store_i),
      .rst_i(engine_reset),
      .base_i(base_beat),
      .valid_i(queue_valid[3]),
      .instruction_i(instruction[3]),
      .ready_o(queue_ready[3]),
      .token_i(store_token),
      .take_o(store_take),
      .room_i(store_room),
      .give_o(store_give),
      .token_wait_o(token_wait_o[11:9]),
      .room_wait_o(room_wait_o[11:9]),
      .retired_o(retired_o[3]),
      .state_o(engine_state[11:9]),
      .idle_o(idle[3]),
      .awake_o(store_awake),
      .burst_valid_o(store_valid),
      .burst_beat_o(store_beat),
      .burst_length_o(store_length),
      .burst_ready_i(store_ready),
      .data_valid_o(store_data_valid),
      .data_o(store_data),
      .data_ready_i(store_data_ready),
      .sent_i(store_sent),
      .response_i(store_response),
      .st_valid_o(st_valid),
      .st_index_o(st_index),
      .st_data_i(st_data)
  );

  axi_write #(
      .AddressBits(AddressBits)
  ) u_write (
      .clk_i(clk_store_i),
      .rst_i(rst_i),
      .awake_o(write_awake),
      .high_i(base[63:32]),
      .first_page_i(first_page),
      .end_page_i(end_page),
      .halt_i(port_halt),
      .quiet_o(write_quiet),
      .burst_valid_i(store_valid),
      .burst_beat_i(store_beat),
      .burst_length_i(store_length),
      .burst_ready_o(store_ready),
      .outside_o(store_outside),
      .data_valid_i(store_data_valid),
      .data_i(store_data),
      .data_ready_o(store_data_ready),
      .response_o(store_response),
      .sent_o(store_sent),
      .error_o(write_error),
      .m_axi_awaddr_o(m_axi_awaddr_o),
      .m_axi_awlen_o(m_axi_awlen_o),
      .m_axi_awsize_o(m_axi_awsize_o),
      .m_axi_awburst_o(m_axi_awburst_o),
      .m_axi_awvalid_o(m_axi_awvalid_o),
      .m_axi_awready_i(m_axi_awready_i),
      .m_axi_wdata_o(m_axi_wdata_o),
      .m_axi_wstrb_o(m_axi_wstrb_o),
      .m_axi_wlast_o(m_axi_wlast_o),
      .m_axi_wvalid_o(m_axi_wvalid_o),
      .m_axi_wready_i(m_axi_wready_i),
      .m_axi_bresp_i(m_axi_bresp_i),
      .m_axi_bvalid_i(m_axi_bvalid_i),
      .m_axi_bready_o(m_axi_bready_o)
  );

  // ---- what went wrong
  fault #(
      .AddressBits(AddressBits)
  ) u_fault (
      .clk_i(clk_i),
      .rst_i(engine_reset),
      .clear_i(start || clear),
      .stop_i(stop),
      .fetch_unread_i(unread),
      .fetch_outside_i(fetch_needs),
      .fetch_undefined_i(undefined),
      .fetch_number_i(fetch_number),
      .load_issue_i(load_valid && load_ready),
      .load_outside_i(load_outside),
      .load_beat_i(load_beat),
      .load_data_i(load_data_valid && load_data_ready),
      .load_last_i(data_last),
      .load_error_i(read_error),
      .store_issue_i(store_valid && store_ready),
      .store_outside_i(store_outside),
      .store_beat_i(store_beat),
      .store_response_i(store_response),
      .store_error_i(write_error),
      .cause_o(fault_cause),
      .where_o(fault_where)
  );

  // ---- who has something to do
  logic [3:0] pop;
  logic moves;

  assign pop = queue_valid & queue_ready;
  assign moves = pop != 4'b0 || {load_take, gemm_take, alu_take, store_take,
      load_give, gemm_give, alu_give, store_give} != 24'b0;
  assign awake_o = {6{start || halt || engine_reset}} | {
    store_awake || write_awake,
    load_awake,
    core_awake,
    control_awake || fetch_awake || read_awake || moves
  };

  // The base is one of beats.
  logic unused;
  assign unused = &{1'b0, base[BeatShift-1:0]};

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin : assertions
    if (!rst_i) begin
      // A launch is done when every engine is idle.
      done_when_idle : assert (!done_o || engine_reset || idle == 4'hf);
      // A sleeping GEMM takes, gives and retires nothing.
      gemm_asleep_silent : assert (awake_o[2] || (gemm_take == 3'd0 && gemm_give == 3'd0 && !retired_o[1]));
      // A sleeping ALU takes, gives and retires nothing.
      alu_asleep_silent : assert (awake_o[3] || (alu_take == 3'd0 && alu_give == 3'd0 && !retired_o[2]));
      // A sleeping LOAD writes, takes, gives and retires nothing.
      load_asleep_silent : assert (awake_o[4] || (!ld_valid && load_take == 3'd0 && load_give == 3'd0 && !retired_o[0]));
      // A sleeping STORE reads, takes, gives and retires nothing.
      store_asleep_silent : assert (awake_o[5] || (!st_valid && store_take == 3'd0 && store_give == 3'd0 && !retired_o[3]));
    end
  end
`endif
endmodule

`default_nettype wire
