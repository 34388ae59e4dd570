// Part of Tenon, under the Apache License v2.0.
//
// Simulation only, and attached from outside: `bind` puts one into
// tenon_machine. Tells the host of every write into a memory, with its address
// and data as the memory takes them, and of every retirement; in a cycle the
// writes first. Drives nothing.
//
// A LOAD retires while its last beat is at `ld_*`, a cycle before it is in its
// scratchpad (core.sv), so its retirement is told a cycle later.
`default_nettype none

module retire_probe #(
    localparam int Widest = (tenon_pkg::ACC_BYTES * 8 > tenon_pkg::BUS_BITS) ? tenon_pkg::ACC_BYTES * 8 : tenon_pkg::BUS_BITS,
    localparam int Bits = (tenon_pkg::INP_BYTES * 8 > Widest) ? tenon_pkg::INP_BYTES * 8 : Widest
) (
    input logic                                   clk_i,
    input logic                                   start_i,
    input logic                                   running_i,
    // LOAD's writes: one bit a memory, in the order of its numbers
    input logic [7:0]                             load_i,
    input logic                                   load_all_i,
    input logic [tenon_pkg::SRAM_INDEX_BITS-1:0]  load_index_i,
    input logic [7:0]                             load_beat_i,
    input logic [tenon_pkg::BUS_BITS-1:0]         load_data_i,
    // its writes into ACC, one bit a bank
    input logic [tenon_pkg::ACC_BANKS-1:0]        load_acc_i,
    input logic                                   load_acc_all_i,
    input logic [tenon_pkg::ACC_INDEX_BITS-1:0]   load_acc_index_i,
    input logic [31:0]                            load_acc_value_i,
    input logic [tenon_pkg::ACC_BYTES*8-1:0]      load_acc_data_i,
    // GEMM's
    input logic [tenon_pkg::ACC_BANKS-1:0]        gemm_i,
    input logic [tenon_pkg::ACC_INDEX_BITS-1:0]   gemm_index_i,
    input logic [tenon_pkg::ACC_BYTES*8-1:0]      gemm_data_i,
    // ALU's: into ACC, INP and OUT
    input logic [tenon_pkg::ACC_BANKS-1:0]        alu_acc_i,
    input logic                                   alu_inp_i,
    input logic                                   alu_out_i,
    input logic [tenon_pkg::ALU_DST_BITS-1:0]     alu_index_i,
    input logic [tenon_pkg::ACC_BYTES*8-1:0]      alu_data_i,
    input logic [tenon_pkg::OUT_BYTES*8-1:0]      alu_bytes_i,
    // STORE's
    input logic                                   address_i,
    input logic [63:0]                            address_offset_i,
    input logic [7:0]                             address_length_i,
    input logic                                   store_i,
    input logic [tenon_pkg::BUS_BITS-1:0]         store_data_i,
    // the trace ports
    input logic [3:0]                             retired_i,
    input logic [11:0]                            state_i,
    input logic [11:0]                            token_wait_i,
    input logic [11:0]                            room_wait_i
);
  import "DPI-C" function void tenonProbeWritten(input longint cycle, input int engine, input int memory,
      input int index, input int beat, input bit [Bits-1:0] data);
  import "DPI-C" function void tenonProbeAddressed(input longint cycle, input longint offset, input int beats);
  import "DPI-C" function void tenonProbeStored(input longint cycle, input bit [Bits-1:0] data);
  import "DPI-C" function void tenonProbeRetired(input longint cycle, input int engine);
  import "DPI-C" function void tenonProbePassed(input int states, input int token_waits, input int room_waits);

  // Of sim/rtl/model_observer.h; the others are LOAD's.
  localparam int Inp = 2, Acc = 5, Out = 8;

  longint cycle_q;
  logic load_retired_q;

  always_ff @(posedge clk_i) begin
    cycle_q <= start_i ? 64'd0 : cycle_q + 64'd1;
    load_retired_q <= retired_i[0];
    for (int m = 0; m < 8; m++)
      if (load_i[m])
        tenonProbeWritten(cycle_q, 0, m, 32'(load_index_i), load_all_i ? -1 : 32'(load_beat_i),
            load_all_i ? {Bits / 8{load_data_i[7:0]}} : Bits'(load_data_i));
    if (load_acc_i != '0)
      tenonProbeWritten(cycle_q, 0, Acc, 32'(load_acc_index_i), -1,
          load_acc_all_i ? Bits'({tenon_pkg::ACC_BYTES / 4{load_acc_value_i}}) : Bits'(load_acc_data_i));
    if (gemm_i != '0) tenonProbeWritten(cycle_q, 1, Acc, 32'(gemm_index_i), -1, Bits'(gemm_data_i));
    if (alu_acc_i != '0) tenonProbeWritten(cycle_q, 2, Acc, 32'(alu_index_i), -1, Bits'(alu_data_i));
    if (alu_inp_i) tenonProbeWritten(cycle_q, 2, Inp, 32'(alu_index_i), -1, Bits'(alu_bytes_i));
    if (alu_out_i) tenonProbeWritten(cycle_q, 2, Out, 32'(alu_index_i), -1, Bits'(alu_bytes_i));
    if (address_i) tenonProbeAddressed(cycle_q, address_offset_i, 32'(address_length_i) + 1);
    if (store_i) tenonProbeStored(cycle_q, Bits'(store_data_i));
    if (load_retired_q) tenonProbeRetired(cycle_q, 0);
    for (int e = 1; e < 4; e++) if (retired_i[e]) tenonProbeRetired(cycle_q, e);
    if (running_i) tenonProbePassed(32'(state_i), 32'(token_wait_i), 32'(room_wait_i));
  end
endmodule

// What a bank of ACC takes: LOAD's write, then GEMM's, then ALU's.
bind tenon_machine retire_probe u_retire_probe (
    .clk_i(clk_i),
    .start_i(start),
    .running_i(running),
    .load_i({u_core.ld_prm_q, 2'b0, u_core.ld_dwt_q, u_core.ld_wgt_q, u_core.ld_inp_q, u_core.ld_uop_alu_q, u_core.ld_uop_gemm_q}),
    .load_all_i(u_core.ld_all_q),
    .load_index_i(u_core.ld_index_q),
    .load_beat_i(u_core.ld_beat_q),
    .load_data_i(u_core.ld_data_q),
    .load_acc_i(u_core.accumulators.load_at),
    .load_acc_all_i(u_core.accumulators.load_all),
    .load_acc_index_i(u_core.accumulators.load_index),
    .load_acc_value_i(u_core.accumulators.load_value),
    .load_acc_data_i(u_core.accumulators.load_element),
    .gemm_i(u_core.gemm_write & ~u_core.accumulators.load_at),
    .gemm_index_i(u_core.gemm_write_index),
    .gemm_data_i(u_core.gemm_write_data),
    .alu_acc_i(u_core.alu_acc & ~u_core.gemm_write & ~u_core.accumulators.load_at),
    .alu_inp_i(u_core.alu_inp),
    .alu_out_i(u_core.alu_write && u_core.alu_target == tenon_pkg::TARGET_OUT),
    .alu_index_i(u_core.alu_index),
    .alu_data_i(u_core.alu_data),
    .alu_bytes_i(u_core.alu_bytes),
    .address_i(m_axi_awvalid_o && m_axi_awready_i),
    .address_offset_i(m_axi_awaddr_o - base),
    .address_length_i(m_axi_awlen_o),
    .store_i(m_axi_wvalid_o && m_axi_wready_i),
    .store_data_i(m_axi_wdata_o),
    .retired_i(retired_o),
    .state_i(state_o),
    .token_wait_i(token_wait_o),
    .room_wait_i(room_wait_o)
);

`default_nettype wire
