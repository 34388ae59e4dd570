// Part of Tenon, under the Apache License v2.0.
//
// The bytes of an answer's payload, one at a time: constants of HELLO, words
// read from the registers, bytes of memory, or a checksum; and the run over
// memory that makes the checksum, a byte a cycle.  Address and number of bytes
// left are the executor's; `step_o` moves both by one.
//
// A register's word stays on the read channel until its last byte was taken.
// A word whose access failed sets `failed_o`, until `fetch_i` is low again.

`default_nettype none

module bridge_source #(
    parameter int unsigned ClockHz = 50_000_000,
    parameter int unsigned MemoryBytes = 65536,
    parameter int unsigned AddressBits = 16
) (
    input  logic                   clk_i,
    input  logic                   rst_i,
    // executor: bytes for an answer; or the run for its checksum
    input  logic                   fetch_i,
    input  logic                   sum_i,
    input  logic                   clear_i,
    input  logic [2:0]             op_i,
    input  logic [AddressBits-1:0] address_i,
    input  logic                   left_i,
    output logic                   step_o,
    output logic                   sum_done_o,
    // a register's word stands there
    output logic                   word_o,
    output logic                   failed_o,
    input  logic [15:0]            divisor_i,
    // bytes
    output logic                   more_o,
    output logic                   valid_o,
    output logic [7:0]             data_o,
    input  logic                   ready_i,
    // registers
    output logic                   m_axil_arvalid_o,
    input  logic                   m_axil_arready_i,
    input  logic [31:0]            m_axil_rdata_i,
    input  logic [1:0]             m_axil_rresp_i,
    input  logic                   m_axil_rvalid_i,
    output logic                   m_axil_rready_o,
    // memory
    output logic                   memory_read_o,
    input  logic                   memory_ready_i,
    input  logic                   memory_valid_i,
    input  logic [7:0]             memory_data_i
);
  localparam logic [2:0] Hello = 3'd0;
  localparam logic [2:0] ReadRegister = 3'd1;
  localparam logic [2:0] ReadMemory = 3'd3;

  logic fill, free, is_registers, is_memory;
  logic [7:0] byte_d;

  assign free = fetch_i && left_i && !valid_o;
  assign is_registers = fetch_i && op_i == ReadRegister;
  assign is_memory = op_i == ReadMemory;

  // ---- HELLO
  logic [191:0] hello;
  assign hello = {
    tenon_pkg::CONFIGURATION_HASH,
    16'd0,
    divisor_i,
    ClockHz,
    MemoryBytes,
    32'd1,
    32'h5242_4E54  // "TNBR"
  };

  // ---- registers
  logic asked_q, failed_q;
  assign m_axil_arvalid_o = is_registers && left_i && !asked_q;
  assign word_o = is_registers && m_axil_rvalid_i;
  assign m_axil_rready_o = !is_registers || (fill && address_i[1:0] == 2'd3);
  assign failed_o = failed_q;

  always_ff @(posedge clk_i) begin
    if (m_axil_arvalid_o && m_axil_arready_i) asked_q <= 1'b1;
    if (m_axil_rvalid_i && m_axil_rready_o) asked_q <= 1'b0;
    failed_q <= is_registers && (failed_q || (word_o && m_axil_rresp_i[1]));
    if (rst_i) asked_q <= 1'b0;
  end

  // ---- memory; a read is in flight until its byte is there
  logic [2:0] flight_q;
  logic issue;

  assign memory_read_o = sum_i ? left_i && flight_q != 3'd7 :
      free && is_memory && flight_q == 3'd0;
  assign issue = memory_read_o && memory_ready_i;
  assign sum_done_o = !left_i && flight_q == 3'd0;

  always_ff @(posedge clk_i) begin
    if (issue && !memory_valid_i) flight_q <= flight_q + 3'd1;
    if (!issue && memory_valid_i) flight_q <= flight_q - 3'd1;
    if (rst_i) flight_q <= 3'd0;
  end

  // ---- checksum
  logic [7:0] crc;

  crc32 u_crc (
      .clk_i(clk_i),
      .clear_i(clear_i),
      .valid_i(sum_i && memory_valid_i),
      .data_i(memory_data_i),
      .shift_i(fill && op_i[2]),
      .crc_o(crc)
  );

  // ---- bytes
  always_comb begin
    case (op_i)
      Hello: byte_d = hello[8*address_i[4:0]+:8];
      ReadRegister: byte_d = m_axil_rdata_i[8*address_i[1:0]+:8];
      ReadMemory: byte_d = memory_data_i;
      default: byte_d = crc;
    endcase
  end

  assign fill = is_memory ? fetch_i && memory_valid_i :
      free && (op_i != ReadRegister || word_o);
  assign step_o = (is_memory || sum_i) ? issue : fill;
  assign more_o = left_i || valid_o || flight_q != 3'd0;

  always_ff @(posedge clk_i) begin
    if (fill) data_o <= byte_d;
    valid_o <= fetch_i && (fill || (valid_o && !ready_i));
    if (rst_i) valid_o <= 1'b0;
  end

  // OKAY and EXOKAY differ from errors in the high bit alone.
  logic unused;
  assign unused = &{1'b0, m_axil_rresp_i[0], address_i};
endmodule

`default_nettype wire
