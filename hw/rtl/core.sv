// Part of Tenon, under the Apache License v2.0.
//
// The compute half of the accelerator: GEMM, ALU and every scratchpad. This
// file only wires and gives each write its port.
//
// LOAD writes without ever waiting; readers of a later cycle than the one after
// `ld_valid_i` see it (an engine that takes a token in that cycle reads later).
// INP is also written by ALU, which waits for LOAD. STORE reads OUT: data two
// cycles after `st_valid_i`.
`default_nettype none

module core (
  input  logic                                   clk_i,          // scratchpads
  input  logic                                   clk_gemm_i,
  input  logic                                   clk_alu_i,
  input  logic                                   rst_i,
  input  logic                                   start_i,        // one cycle at the start of a launch
  output logic [2:0]                             awake_o,        // scratchpads, gemm, alu: see tenon_machine.sv
  // GEMM: instructions, tokens (load, alu, store), progress
  input  logic                                   gemm_valid_i,
  input  logic [tenon_pkg::INSTRUCTION_BITS-1:0] gemm_instruction_i,
  output logic                                   gemm_ready_o,
  input  logic [2:0]                             gemm_token_i,
  output logic [2:0]                             gemm_take_o,
  input  logic [2:0]                             gemm_room_i,
  output logic [2:0]                             gemm_give_o,
  output logic [2:0]                             gemm_token_wait_o,
  output logic [2:0]                             gemm_room_wait_o,
  output logic                                   gemm_retired_o,
  output logic [2:0]                             gemm_state_o,
  output logic                                   gemm_idle_o,
  // ALU: the same (load, gemm, store)
  input  logic                                   alu_valid_i,
  input  logic [tenon_pkg::INSTRUCTION_BITS-1:0] alu_instruction_i,
  output logic                                   alu_ready_o,
  input  logic [2:0]                             alu_token_i,
  output logic [2:0]                             alu_take_o,
  input  logic [2:0]                             alu_room_i,
  output logic [2:0]                             alu_give_o,
  output logic [2:0]                             alu_token_wait_o,
  output logic [2:0]                             alu_room_wait_o,
  output logic                                   alu_retired_o,
  output logic [2:0]                             alu_state_o,
  output logic                                   alu_idle_o,
  // LOAD writes
  input  logic                                   ld_valid_i,
  input  logic [2:0]                             ld_memory_i,
  input  logic [tenon_pkg::SRAM_INDEX_BITS-1:0]  ld_index_i,     // element
  input  logic [7:0]                             ld_beat_i,      // beat of the element, 0-based
  input  logic                                   ld_all_i,       // padding: every lane of the element
  input  logic [tenon_pkg::BUS_BITS-1:0]         ld_data_i,
  input  logic [8:0]                             ld_zero_point_i,
  // STORE reads
  input  logic                                   st_valid_i,
  input  logic [tenon_pkg::OUT_INDEX_BITS-1:0]   st_index_i,
  output logic [tenon_pkg::OUT_BYTES*8-1:0]      st_data_o
);
  localparam int unsigned Bus = tenon_pkg::BUS_BITS;
  localparam int unsigned UopLineBits = $clog2(tenon_pkg::UOP_LINES);
  localparam int unsigned WordBits = tenon_pkg::UOP_INDEX_BITS - UopLineBits;
  localparam int unsigned InpLanes = tenon_pkg::INP_BYTES / tenon_pkg::BEAT_BYTES;
  localparam int unsigned WgtLanes = tenon_pkg::WGT_BYTES / tenon_pkg::BEAT_BYTES;
  localparam int unsigned DwtLanes = tenon_pkg::BLOCK_OUT / tenon_pkg::BEAT_BYTES;
  localparam int unsigned PrmLanes = tenon_pkg::PRM_BYTES / tenon_pkg::BEAT_BYTES;

  // LOAD's beat, registered; padding of INP repeats its byte
  logic                                  ld_uop_gemm_q, ld_uop_alu_q, ld_inp_q, ld_wgt_q, ld_dwt_q, ld_prm_q, ld_acc;
  logic                                  ld_valid_q, ld_all_q;
  /* verilator lint_off UNUSEDSIGNAL */  // ACC, indexed elsewhere, may be the deepest memory
  logic [tenon_pkg::SRAM_INDEX_BITS-1:0] ld_index_q;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [7:0]                            ld_beat_q;
  logic [Bus-1:0]                        ld_data_q;

  assign ld_acc = ld_valid_i && (ld_memory_i == tenon_pkg::MEMORY_ACC || ld_memory_i == tenon_pkg::MEMORY_ACC8);

  always_ff @(posedge clk_i) begin
    ld_valid_q <= ld_valid_i;
    ld_uop_gemm_q <= ld_valid_i && ld_memory_i == tenon_pkg::MEMORY_UOP_GEMM;
    ld_uop_alu_q <= ld_valid_i && ld_memory_i == tenon_pkg::MEMORY_UOP_ALU;
    ld_inp_q <= ld_valid_i && ld_memory_i == tenon_pkg::MEMORY_INP;
    ld_wgt_q <= ld_valid_i && ld_memory_i == tenon_pkg::MEMORY_WGT;
    ld_dwt_q <= ld_valid_i && ld_memory_i == tenon_pkg::MEMORY_DWT;
    ld_prm_q <= ld_valid_i && ld_memory_i == tenon_pkg::MEMORY_PRM;
    if (ld_valid_i) begin
      ld_all_q <= ld_all_i;
      ld_index_q <= ld_index_i;
      ld_beat_q <= ld_beat_i;
      ld_data_q <= ld_all_i ? {tenon_pkg::BEAT_BYTES{ld_data_i[7:0]}} : ld_data_i;
    end
  end

  // micro-ops
  logic                                 gemm_uop_read, gemm_uop_register, alu_uop_read, alu_uop_register;
  /* verilator lint_off UNUSEDSIGNAL */  // the word within a line is chosen by the engine
  logic [tenon_pkg::UOP_INDEX_BITS-1:0] gemm_uop_index, alu_uop_index;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [Bus-1:0]                       gemm_uop_line, alu_uop_line;

  scratchpad #(.Depth(tenon_pkg::UOP_LINES), .Width(Bus)) uop_gemm (
    .clk_i, .write_i(ld_uop_gemm_q), .lanes_i(1'b1), .write_index_i(ld_index_q[UopLineBits-1:0]), .data_i(ld_data_q),
    .read_i(gemm_uop_read), .read_index_i(gemm_uop_index[WordBits +: UopLineBits]),
    .register_i(gemm_uop_register), .data_o(gemm_uop_line)
  );
  scratchpad #(.Depth(tenon_pkg::UOP_LINES), .Width(Bus)) uop_alu (
    .clk_i, .write_i(ld_uop_alu_q), .lanes_i(1'b1), .write_index_i(ld_index_q[UopLineBits-1:0]), .data_i(ld_data_q),
    .read_i(alu_uop_read), .read_index_i(alu_uop_index[WordBits +: UopLineBits]),
    .register_i(alu_uop_register), .data_o(alu_uop_line)
  );

  // INP: LOAD's beats, or the ALU's vectors
  logic                                 operand_read, operand_register, alu_inp;
  logic [tenon_pkg::INP_INDEX_BITS-1:0] input_index, inp_write_index;
  logic [tenon_pkg::INP_BYTES*8-1:0]    input_data, inp_write_data;
  logic [InpLanes-1:0]                  inp_lanes;

  // ALU results, low bytes in the order of OUT (and of INP where BLOCK_IN = BLOCK_OUT)
  logic                               alu_write, alu_grant, alu_acc_grant;
  logic [1:0]                         alu_target;
  logic [tenon_pkg::ALU_DST_BITS-1:0] alu_index;
  logic [tenon_pkg::ACC_BYTES*8-1:0]  alu_data;
  logic [tenon_pkg::OUT_BYTES*8-1:0]  alu_bytes;

  always_comb begin
    alu_bytes = '0;
    if (alu_write && alu_target != tenon_pkg::TARGET_ACC) begin
      for (int n = 0; n < tenon_pkg::BATCH; n++)
        for (int o = 0; o < tenon_pkg::BLOCK_OUT; o++)
          alu_bytes[((o / tenon_pkg::BLOCK_MIN * tenon_pkg::BATCH + n) * tenon_pkg::BLOCK_MIN + o % tenon_pkg::BLOCK_MIN) * 8 +: 8]
              = alu_data[(n * tenon_pkg::BLOCK_OUT + o) * 32 +: 8];
    end
  end

  if (tenon_pkg::BLOCK_IN == tenon_pkg::BLOCK_OUT) begin : gen_alu_inp
    assign alu_inp = alu_write && alu_target == tenon_pkg::TARGET_INP && !ld_inp_q;
    assign inp_write_data = ld_inp_q ? {InpLanes{ld_data_q}} : alu_bytes;
  end else begin : gen_alu_inp
    assign alu_inp = 1'b0;
    assign inp_write_data = {InpLanes{ld_data_q}};
  end

  assign inp_write_index = ld_inp_q ? ld_index_q[tenon_pkg::INP_INDEX_BITS-1:0] : alu_index[tenon_pkg::INP_INDEX_BITS-1:0];
  assign alu_grant = alu_acc_grant || alu_inp || (alu_write && alu_target == tenon_pkg::TARGET_OUT);

  always_comb begin
    for (int l = 0; l < InpLanes; l++) inp_lanes[l] = !ld_inp_q || ld_all_q || 32'(ld_beat_q) == l;
  end

  scratchpad #(.Depth(tenon_pkg::INP_ENTRIES), .Width(tenon_pkg::INP_BYTES * 8), .Lanes(InpLanes)) inp (
    .clk_i, .write_i(ld_inp_q || alu_inp), .lanes_i(inp_lanes), .write_index_i(inp_write_index),
    .data_i(inp_write_data), .read_i(operand_read), .read_index_i(input_index),
    .register_i(operand_register), .data_o(input_data)
  );

  // WGT
  logic [tenon_pkg::WGT_INDEX_BITS-1:0] weight_index;
  logic [tenon_pkg::WGT_BYTES*8-1:0]    weight_data;

  scratchpad_beats #(.Depth(tenon_pkg::WGT_ENTRIES), .Width(tenon_pkg::WGT_BYTES * 8), .Lanes(WgtLanes)) wgt (
    .clk_i, .write_i(ld_wgt_q), .write_index_i(ld_index_q[tenon_pkg::WGT_INDEX_BITS-1:0]),
    .beat_i(ld_beat_q), .data_i(ld_data_q), .read_i(operand_read), .read_index_i(weight_index),
    .register_i(operand_register), .data_o(weight_data)
  );

  // DWT and PRM: what the ALU may need is read, what it does need registered
  logic                                 tap_read, tap_register, parameter_read, parameter_register;
  logic [tenon_pkg::DWT_INDEX_BITS-1:0] tap_index;
  logic [tenon_pkg::PRM_INDEX_BITS-1:0] parameter_index;
  logic [tenon_pkg::BLOCK_OUT*8-1:0]    tap_data;
  logic [tenon_pkg::PRM_BYTES*8-1:0]    parameter_data;

  scratchpad_beats #(.Depth(tenon_pkg::DWT_ENTRIES), .Width(tenon_pkg::BLOCK_OUT * 8), .Lanes(DwtLanes)) dwt (
    .clk_i, .write_i(ld_dwt_q), .write_index_i(ld_index_q[tenon_pkg::DWT_INDEX_BITS-1:0]),
    .beat_i(ld_beat_q), .data_i(ld_data_q), .read_i(tap_read), .read_index_i(tap_index),
    .register_i(tap_register), .data_o(tap_data)
  );
  scratchpad_beats #(.Depth(tenon_pkg::PRM_ENTRIES), .Width(tenon_pkg::PRM_BYTES * 8), .Lanes(PrmLanes)) prm (
    .clk_i, .write_i(ld_prm_q), .write_index_i(ld_index_q[tenon_pkg::PRM_INDEX_BITS-1:0]),
    .beat_i(ld_beat_q), .data_i(ld_data_q), .read_i(parameter_read), .read_index_i(parameter_index),
    .register_i(parameter_register), .data_o(parameter_data)
  );

  // OUT
  logic st_valid_q;

  always_ff @(posedge clk_i) st_valid_q <= st_valid_i;


  scratchpad #(.Depth(tenon_pkg::OUT_ENTRIES), .Width(tenon_pkg::OUT_BYTES * 8)) out (
    .clk_i, .write_i(alu_write && alu_target == tenon_pkg::TARGET_OUT), .lanes_i(1'b1),
    .write_index_i(alu_index[tenon_pkg::OUT_INDEX_BITS-1:0]), .data_i(alu_bytes),
    .read_i(st_valid_i), .read_index_i(st_index_i), .register_i(st_valid_q), .data_o(st_data_o)
  );

  // ACC
  logic                                 gemm_register, gemm_forward, gemm_late, load_next;
  logic [tenon_pkg::ACC_BANKS-1:0]      gemm_read, gemm_write, gemm_away, alu_acc;
  logic                                 first_read, first_open, second_read, second_open;
  logic [tenon_pkg::ACC_INDEX_BITS-1:0] gemm_read_index, gemm_write_index, first_index, second_index;
  logic [tenon_pkg::ACC_BYTES*8-1:0]    gemm_acc, gemm_late_data, gemm_write_data, first_data, second_data;

  acc accumulators (
    .clk_i, .rst_i,
    .load_valid_i(ld_acc), .load_narrow_i(ld_memory_i == tenon_pkg::MEMORY_ACC8),
    .load_index_i(ld_index_i[tenon_pkg::ACC_INDEX_BITS-1:0]), .load_beat_i(ld_beat_i), .load_all_i(ld_all_i),
    .load_data_i(ld_data_i), .load_zero_point_i(ld_zero_point_i), .load_next_o(load_next),
    .gemm_read_i(gemm_read), .gemm_read_index_i(gemm_read_index), .gemm_register_i(gemm_register),
    .gemm_data_o(gemm_acc),
    .gemm_write_i(gemm_write), .gemm_away_i(gemm_away), .gemm_write_index_i(gemm_write_index), .gemm_write_data_i(gemm_write_data),
    .gemm_forward_i(gemm_forward), .gemm_late_i(gemm_late), .gemm_late_data_i(gemm_late_data),
    .first_read_i(first_read), .first_index_i(first_index), .first_open_o(first_open), .first_data_o(first_data),
    .second_read_i(second_read), .second_index_i(second_index), .second_open_o(second_open),
    .second_data_o(second_data),
    .alu_write_i(alu_acc),
    .alu_write_index_i(alu_index[tenon_pkg::ACC_INDEX_BITS-1:0]), .alu_write_data_i(alu_data),
    .alu_write_grant_o(alu_acc_grant)
  );

  gemm gemm_engine (
    .clk_i(clk_gemm_i), .rst_i, .start_i,
    .valid_i(gemm_valid_i), .instruction_i(gemm_instruction_i), .ready_o(gemm_ready_o),
    .token_i(gemm_token_i), .take_o(gemm_take_o), .room_i(gemm_room_i), .give_o(gemm_give_o),
    .token_wait_o(gemm_token_wait_o), .room_wait_o(gemm_room_wait_o),
    .retired_o(gemm_retired_o), .state_o(gemm_state_o), .idle_o(gemm_idle_o),
    .uop_read_o(gemm_uop_read), .uop_index_o(gemm_uop_index), .uop_register_o(gemm_uop_register),
    .uop_line_i(gemm_uop_line),
    .operand_read_o(operand_read), .operand_register_o(operand_register),
    .input_index_o(input_index), .input_i(input_data), .weight_index_o(weight_index), .weight_i(weight_data),
    .acc_read_o(gemm_read), .acc_read_index_o(gemm_read_index), .acc_register_o(gemm_register),
    .acc_forward_o(gemm_forward), .acc_late_o(gemm_late), .acc_late_data_o(gemm_late_data), .acc_data_i(gemm_acc),
    .acc_write_o(gemm_write), .acc_away_o(gemm_away), .acc_write_index_o(gemm_write_index), .acc_write_data_o(gemm_write_data),
    .load_next_i(load_next), .load_next_index_i(ld_index_i[tenon_pkg::ACC_INDEX_BITS-1:0])
  );

  // GEMM and ALU: from the first token taken until the last instruction has
  // retired (and the ALU's lanes are empty), but not while they wait for tokens.
  logic gemm_awake, alu_awake;

  assign gemm_awake = start_i || !gemm_idle_o || (gemm_valid_i && gemm_ready_o) || gemm_take_o != 3'b0;
  assign awake_o = {
    alu_awake, gemm_awake, gemm_awake || alu_awake || ld_valid_i || ld_valid_q || st_valid_i || st_valid_q
  };

  alu alu_engine (
    .clk_i(clk_alu_i), .rst_i, .start_i,
    .valid_i(alu_valid_i), .instruction_i(alu_instruction_i), .ready_o(alu_ready_o),
    .token_i(alu_token_i), .take_o(alu_take_o), .room_i(alu_room_i), .give_o(alu_give_o),
    .token_wait_o(alu_token_wait_o), .room_wait_o(alu_room_wait_o),
    .retired_o(alu_retired_o), .state_o(alu_state_o), .idle_o(alu_idle_o), .awake_o(alu_awake),
    .uop_read_o(alu_uop_read), .uop_index_o(alu_uop_index), .uop_register_o(alu_uop_register),
    .uop_line_i(alu_uop_line),
    .parameter_register_o(parameter_register), .parameter_read_o(parameter_read), .parameter_index_o(parameter_index), .parameter_i(parameter_data),
    .tap_register_o(tap_register), .tap_read_o(tap_read), .tap_index_o(tap_index), .tap_i(tap_data),
    .first_read_o(first_read), .first_index_o(first_index), .first_open_i(first_open), .first_i(first_data),
    .second_read_o(second_read), .second_index_o(second_index), .second_open_i(second_open), .second_i(second_data),
    .write_o(alu_write), .write_acc_o(alu_acc), .write_target_o(alu_target), .write_index_o(alu_index), .write_data_o(alu_data),
    .write_grant_i(alu_grant)
  );

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin : assertions
    if (!rst_i) begin
      // The ALU's write is granted only where it asks for one.
      alu_granted_when_asked : assert (!alu_grant || alu_write);
      // LOAD writes one memory at a time.
      load_writes_one : assert ($countones({ld_uop_gemm_q, ld_uop_alu_q, ld_inp_q, ld_wgt_q, ld_dwt_q, ld_prm_q}) <= 1);
    end
  end
`endif
endmodule

`default_nettype wire
