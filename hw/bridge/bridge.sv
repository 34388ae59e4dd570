// Part of Tenon, under the Apache License v2.0.
//
// From a host's bytes to register accesses and bytes of memory, and back: the
// protocol of README.md.  This module wires; frame_parser finds requests,
// bridge_execute carries them out, bridge_source finds the answers' bytes,
// frame_answer sends.  One request at a time: bytes that come before the answer
// is out are ignored.

`default_nettype none

module bridge #(
    parameter int unsigned ClockHz = 50_000_000,
    parameter int unsigned MemoryBytes = 65536,
    parameter int unsigned DefaultDivisor = 50
) (
    input  logic        clk_i,
    input  logic        rst_i,
    // bytes from the host; the line's state
    input  logic        rx_valid_i,
    input  logic [7:0]  rx_data_i,
    input  logic        silent_i,
    input  logic        break_i,
    // bytes to the host
    output logic        tx_valid_o,
    output logic [7:0]  tx_data_o,
    input  logic        tx_ready_i,
    input  logic        tx_idle_i,
    // clocks a bit
    output logic [15:0] divisor_o,
    // registers, AXI4-Lite
    output logic [11:0] m_axil_awaddr_o,
    output logic        m_axil_awvalid_o,
    input  logic        m_axil_awready_i,
    output logic [31:0] m_axil_wdata_o,
    output logic        m_axil_wvalid_o,
    input  logic        m_axil_wready_i,
    input  logic [1:0]  m_axil_bresp_i,
    input  logic        m_axil_bvalid_i,
    output logic        m_axil_bready_o,
    output logic [11:0] m_axil_araddr_o,
    output logic        m_axil_arvalid_o,
    input  logic        m_axil_arready_i,
    input  logic [31:0] m_axil_rdata_i,
    input  logic [1:0]  m_axil_rresp_i,
    input  logic        m_axil_rvalid_i,
    output logic        m_axil_rready_o,
    // memory, byte by byte; a write is always taken
    output logic [31:0] memory_address_o,
    output logic        memory_write_o,
    output logic [7:0]  memory_data_o,
    output logic        memory_read_o,
    input  logic        memory_ready_i,
    input  logic        memory_valid_i,
    input  logic [7:0]  memory_data_i
);
  // Enough for the registers, 4 KiB, and the memory.
  localparam int unsigned AddressBits =
      (MemoryBytes > 8192) ? $clog2(MemoryBytes) : 13;

  logic header, carries, data_valid, ends, good, drop, hold;
  logic [7:0] seq, op, data;
  logic [31:0] address;
  logic [15:0] length;

  frame_parser u_parser (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .rx_valid_i(rx_valid_i),
      .rx_data_i(rx_data_i),
      .drop_i(silent_i || break_i),
      .hold_i(hold),
      .header_o(header),
      .seq_o(seq),
      .op_o(op),
      .address_o(address),
      .length_o(length),
      .carries_o(carries),
      .data_valid_o(data_valid),
      .data_o(data),
      .end_o(ends),
      .good_o(good),
      .drop_o(drop)
  );

  logic answer, answered, fetch, sum, clear, left, step, sum_done, word, failed;
  logic [2:0] status;
  logic [10:0] answer_length;
  logic [AddressBits-1:0] current;

  bridge_execute #(
      .MemoryBytes(MemoryBytes),
      .AddressBits(AddressBits),
      .DefaultDivisor(DefaultDivisor)
  ) u_execute (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .header_i(header),
      .seq_i(seq),
      .op_i(op),
      .address_i(address),
      .length_i(length),
      .carries_i(carries),
      .data_valid_i(data_valid),
      .data_i(data),
      .end_i(ends),
      .good_i(good),
      .drop_i(drop),
      .break_i(break_i),
      .hold_o(hold),
      .answer_o(answer),
      .status_o(status),
      .length_o(answer_length),
      .answered_i(answered),
      .fetch_o(fetch),
      .sum_o(sum),
      .clear_o(clear),
      .address_o(current),
      .left_o(left),
      .step_i(step),
      .sum_done_i(sum_done),
      .word_i(word),
      .word_failed_i(failed),
      .tx_idle_i(tx_idle_i),
      .divisor_o(divisor_o),
      .m_axil_awvalid_o(m_axil_awvalid_o),
      .m_axil_awready_i(m_axil_awready_i),
      .m_axil_wdata_o(m_axil_wdata_o),
      .m_axil_wvalid_o(m_axil_wvalid_o),
      .m_axil_wready_i(m_axil_wready_i),
      .m_axil_bresp_i(m_axil_bresp_i),
      .m_axil_bvalid_i(m_axil_bvalid_i),
      .m_axil_bready_o(m_axil_bready_o),
      .memory_write_o(memory_write_o),
      .memory_data_o(memory_data_o)
  );

  assign m_axil_awaddr_o = {current[11:2], 2'b00};
  assign m_axil_araddr_o = {current[11:2], 2'b00};
  assign memory_address_o = 32'(current);

  logic more, byte_valid, byte_ready;
  logic [7:0] byte_data;

  bridge_source #(
      .ClockHz(ClockHz),
      .MemoryBytes(MemoryBytes),
      .AddressBits(AddressBits)
  ) u_source (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .fetch_i(fetch),
      .sum_i(sum),
      .clear_i(clear),
      .op_i(op[2:0]),
      .address_i(current),
      .left_i(left),
      .step_o(step),
      .sum_done_o(sum_done),
      .word_o(word),
      .failed_o(failed),
      .divisor_i(divisor_o),
      .more_o(more),
      .valid_o(byte_valid),
      .data_o(byte_data),
      .ready_i(byte_ready),
      .m_axil_arvalid_o(m_axil_arvalid_o),
      .m_axil_arready_i(m_axil_arready_i),
      .m_axil_rdata_i(m_axil_rdata_i),
      .m_axil_rresp_i(m_axil_rresp_i),
      .m_axil_rvalid_i(m_axil_rvalid_i),
      .m_axil_rready_o(m_axil_rready_o),
      .memory_read_o(memory_read_o),
      .memory_ready_i(memory_ready_i),
      .memory_valid_i(memory_valid_i),
      .memory_data_i(memory_data_i)
  );

  frame_answer u_answer (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .start_i(answer),
      .done_o(answered),
      .seq_i(seq),
      .status_i(status),
      .length_i(answer_length),
      .spoil_i(failed),
      .more_i(more),
      .valid_i(byte_valid),
      .data_i(byte_data),
      .ready_o(byte_ready),
      .tx_valid_o(tx_valid_o),
      .tx_data_o(tx_data_o),
      .tx_ready_i(tx_ready_i)
  );
endmodule

`default_nettype wire
