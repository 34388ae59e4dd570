// Part of Tenon, under the Apache License v2.0.
//
// Stand-in for hw/rtl/core.sv in tests of the memory half: what LOAD writes to
// ACC8 appears in OUT, so that LOAD and STORE together copy DRAM; GEMM and ALU
// only take and give tokens.  Padding gives its low byte in every lane.

`default_nettype none
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off DECLFILENAME */

module standin_engine (
    input  logic                                   clk_i,
    input  logic                                   rst_i,
    input  logic                                   valid_i,
    input  logic [tenon_pkg::INSTRUCTION_BITS-1:0] instruction_i,
    output logic                                   ready_o,
    input  logic [2:0]                             token_i,
    output logic [2:0]                             take_o,
    input  logic [2:0]                             room_i,
    output logic [2:0]                             give_o,
    output logic [2:0]                             token_wait_o,
    output logic [2:0]                             room_wait_o,
    output logic                                   retired_o,
    output logic [2:0]                             state_o,
    output logic                                   idle_o
);
  logic valid_q;
  logic [2:0] wait_q, signal_q, no_token, no_room;

  assign no_token = valid_q ? wait_q & ~token_i : 3'd0;
  assign no_room = (valid_q && no_token == 3'd0) ? signal_q & ~room_i : 3'd0;
  assign retired_o = valid_q && no_token == 3'd0 && no_room == 3'd0;
  assign ready_o = !valid_q || retired_o;
  assign take_o = retired_o ? wait_q : 3'd0;
  assign give_o = retired_o ? signal_q : 3'd0;
  assign idle_o = !valid_q;
  assign token_wait_o = no_token & (~no_token + 3'd1);
  assign room_wait_o = no_room & (~no_room + 3'd1);
  assign state_o = !valid_q ? tenon_pkg::STATE_EMPTY :
      retired_o ? tenon_pkg::STATE_BUSY : tenon_pkg::STATE_TOKEN;

  always_ff @(posedge clk_i) begin
    if (ready_o) begin
      valid_q <= valid_i;
      wait_q <= instruction_i[5:3];
      signal_q <= instruction_i[8:6];
    end
    if (rst_i) valid_q <= 1'b0;
  end
endmodule

module core (
    input  logic                                   clk_i,
    input  logic                                   clk_gemm_i,
    input  logic                                   clk_alu_i,
    input  logic                                   rst_i,
    input  logic                                   start_i,
    output logic [2:0]                             awake_o,
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
    input  logic                                   ld_valid_i,
    input  logic [2:0]                             ld_memory_i,
    input  logic [tenon_pkg::SRAM_INDEX_BITS-1:0]  ld_index_i,
    input  logic [7:0]                             ld_beat_i,
    input  logic                                   ld_all_i,
    input  logic [tenon_pkg::BUS_BITS-1:0]         ld_data_i,
    input  logic [8:0]                             ld_zero_point_i,
    input  logic                                   st_valid_i,
    input  logic [tenon_pkg::OUT_INDEX_BITS-1:0]   st_index_i,
    output logic [tenon_pkg::OUT_BYTES*8-1:0]      st_data_o
);
  localparam int IndexBits = tenon_pkg::OUT_INDEX_BITS;
  localparam int BusBits = tenon_pkg::BUS_BITS;
  localparam int OutBytes = tenon_pkg::OUT_BYTES;

  logic [OutBytes*8-1:0] out_q[tenon_pkg::OUT_ENTRIES];
  logic [OutBytes*8-1:0] read_q;

  always_ff @(posedge clk_i) begin
    if (ld_valid_i && ld_memory_i == tenon_pkg::MEMORY_ACC8) begin
      if (ld_all_i)
        out_q[ld_index_i[IndexBits-1:0]] <= {OutBytes{ld_data_i[7:0]}};
      else
        out_q[ld_index_i[IndexBits-1:0]][32'(ld_beat_i)*BusBits+:BusBits] <=
            ld_data_i;
    end
    if (st_valid_i) read_q <= out_q[st_index_i];
    st_data_o <= read_q;
  end

  assign awake_o = 3'b111;

  standin_engine u_gemm (
      .clk_i(clk_gemm_i),
      .rst_i(rst_i),
      .valid_i(gemm_valid_i),
      .instruction_i(gemm_instruction_i),
      .ready_o(gemm_ready_o),
      .token_i(gemm_token_i),
      .take_o(gemm_take_o),
      .room_i(gemm_room_i),
      .give_o(gemm_give_o),
      .token_wait_o(gemm_token_wait_o),
      .room_wait_o(gemm_room_wait_o),
      .retired_o(gemm_retired_o),
      .state_o(gemm_state_o),
      .idle_o(gemm_idle_o)
  );
  standin_engine u_alu (
      .clk_i(clk_alu_i),
      .rst_i(rst_i),
      .valid_i(alu_valid_i),
      .instruction_i(alu_instruction_i),
      .ready_o(alu_ready_o),
      .token_i(alu_token_i),
      .take_o(alu_take_o),
      .room_i(alu_room_i),
      .give_o(alu_give_o),
      .token_wait_o(alu_token_wait_o),
      .room_wait_o(alu_room_wait_o),
      .retired_o(alu_retired_o),
      .state_o(alu_state_o),
      .idle_o(alu_idle_o)
  );
endmodule

`default_nettype wire
