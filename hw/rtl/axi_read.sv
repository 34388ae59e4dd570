// Part of Tenon, under the Apache License v2.0.
//
// The AXI read port, shared by LOAD (ID 0) and FETCH (ID 1).  Addresses: one
// burst a cycle; FETCH's bursts are short and go first, but never twice in a
// row while LOAD has one.  FETCH reserves room before it asks, so its data are
// always taken and never stand in LOAD's way.  Both channels are registered as
// in axi_slice, one cycle each; a beat has a register that says whose it is.
// Addresses come in beats of the bus and count from `high_i`, the high word of
// the DRAM base; lengths are beats minus one.

`default_nettype none

module axi_read #(
    parameter int AddressBits = ($clog2(tenon_pkg::BEAT_BYTES) > 4) ? 29 :
        33 - $clog2(tenon_pkg::BEAT_BYTES)
) (
    input  logic                           clk_i,
    input  logic                           rst_i,
    output logic                           awake_o,
    input  logic [31:0]                    high_i,
    // bursts of LOAD
    input  logic                           load_valid_i,
    input  logic [AddressBits-1:0]         load_beat_i,
    input  logic [7:0]                     load_length_i,
    output logic                           load_ready_o,
    // bursts of FETCH
    input  logic                           fetch_valid_i,
    input  logic [AddressBits-1:0]         fetch_beat_i,
    input  logic [7:0]                     fetch_length_i,
    output logic                           fetch_ready_o,
    // data
    output logic                           load_data_valid_o,
    input  logic                           load_data_ready_i,
    output logic                           fetch_data_valid_o,
    output logic [tenon_pkg::BUS_BITS-1:0] data_o,
    output logic                           last_o,
    output logic                           error_o,
    // AXI
    output logic [0:0]                     m_axi_arid_o,
    output logic [63:0]                    m_axi_araddr_o,
    output logic [7:0]                     m_axi_arlen_o,
    output logic [2:0]                     m_axi_arsize_o,
    output logic [1:0]                     m_axi_arburst_o,
    output logic                           m_axi_arvalid_o,
    input  logic                           m_axi_arready_i,
    input  logic [0:0]                     m_axi_rid_i,
    input  logic [tenon_pkg::BUS_BITS-1:0] m_axi_rdata_i,
    input  logic [1:0]                     m_axi_rresp_i,
    input  logic                           m_axi_rlast_i,
    input  logic                           m_axi_rvalid_i,
    output logic                           m_axi_rready_o
);
  localparam int BeatShift = $clog2(tenon_pkg::BEAT_BYTES);
  localparam int BusBits = tenon_pkg::BUS_BITS;

  // ---- addresses
  logic free, valid, grant_fetch, fetch_was_last_q;
  logic [AddressBits-1:0] beat, sent_beat;
  logic [7:0] length;

  assign valid = fetch_valid_i || load_valid_i;
  assign grant_fetch = fetch_valid_i && !(load_valid_i && fetch_was_last_q);
  assign fetch_ready_o = free && grant_fetch;
  assign load_ready_o = free && !grant_fetch;
  assign beat = grant_fetch ? fetch_beat_i : load_beat_i;
  assign length = grant_fetch ? fetch_length_i : load_length_i;

  axi_slice #(
      .Width(AddressBits + 9)
  ) u_addresses (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .valid_i(valid),
      .data_i({grant_fetch, beat, length}),
      .ready_o(free),
      .valid_o(m_axi_arvalid_o),
      .data_o({m_axi_arid_o, sent_beat, m_axi_arlen_o}),
      .ready_i(m_axi_arready_i)
  );

  assign m_axi_araddr_o = {
    high_i + 32'(64'(sent_beat) >> (32 - BeatShift)),
    32'(sent_beat) << BeatShift
  };
  assign m_axi_arsize_o = 3'(BeatShift);
  assign m_axi_arburst_o = 2'b01;

  always_ff @(posedge clk_i) begin
    if (free && valid) fetch_was_last_q <= grant_fetch;
    if (rst_i) fetch_was_last_q <= 1'b0;
  end

  // ---- data: a slice with a valid bit for each who takes them
  logic spare_valid_q, free_data, arrives;
  logic [BusBits+2:0] spare_q, beat_in;

  assign m_axi_rready_o = !spare_valid_q;
  assign free_data = !load_data_valid_o || load_data_ready_i;
  assign arrives = m_axi_rvalid_i || spare_valid_q;
  assign beat_in = spare_valid_q ? spare_q :
      {m_axi_rresp_i[1], m_axi_rid_i, m_axi_rlast_i, m_axi_rdata_i};

  always_ff @(posedge clk_i) begin
    if (free_data) begin
      load_data_valid_o <= arrives && !beat_in[BusBits+1];
      fetch_data_valid_o <= arrives && beat_in[BusBits+1];
      error_o <= arrives && beat_in[BusBits+2];
      if (arrives) {last_o, data_o} <= beat_in[BusBits:0];
      spare_valid_q <= 1'b0;
    end else if (m_axi_rvalid_i && !spare_valid_q) begin
      spare_valid_q <= 1'b1;
      spare_q <= beat_in;
    end
    if (rst_i) begin
      load_data_valid_o <= 1'b0;
      fetch_data_valid_o <= 1'b0;
      error_o <= 1'b0;
      spare_valid_q <= 1'b0;
    end
  end

  assign awake_o = valid || m_axi_arvalid_o || load_data_valid_o ||
      fetch_data_valid_o;

  // OKAY and EXOKAY differ from errors in the high bit alone.
  logic unused;
  assign unused = &{1'b0, m_axi_rresp_i[0]};
endmodule

`default_nettype wire
