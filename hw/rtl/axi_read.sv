// Part of Tenon, under the Apache License v2.0.
//
// The AXI read port, shared by LOAD (ID 0) and FETCH (ID 1).  Addresses: one
// register, so one burst a cycle; FETCH's bursts are short and go first, but
// never twice in a row while LOAD has one.  Data: passes straight through; a
// one-beat skid buffer makes `m_axi_rready_o` a register.  FETCH reserves room
// before it asks, so its data are always taken and never stand in LOAD's way.
// Addresses come in beats relative to the DRAM base.

`default_nettype none

module axi_read (
    input  logic                           clk_i,
    input  logic                           rst_i,
    input  logic [63:0]                    base_i,
    // bursts of LOAD
    input  logic                           load_valid_i,
    input  logic [27:0]                    load_beat_i,
    input  logic [8:0]                     load_length_i,
    output logic                           load_ready_o,
    // bursts of FETCH
    input  logic                           fetch_valid_i,
    input  logic [27:0]                    fetch_beat_i,
    input  logic [8:0]                     fetch_length_i,
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

  // ---- addresses
  logic free, grant_fetch, fetch_was_last_q;
  logic [27:0] beat;
  logic [8:0] length;

  assign free = !m_axi_arvalid_o || m_axi_arready_i;
  assign grant_fetch = fetch_valid_i && !(load_valid_i && fetch_was_last_q);
  assign fetch_ready_o = free && grant_fetch;
  assign load_ready_o = free && !grant_fetch;
  assign beat = grant_fetch ? fetch_beat_i : load_beat_i;
  assign length = grant_fetch ? fetch_length_i : load_length_i;
  assign m_axi_arsize_o = 3'(BeatShift);
  assign m_axi_arburst_o = 2'b01;

  always_ff @(posedge clk_i) begin
    if (free) m_axi_arvalid_o <= fetch_valid_i || load_valid_i;
    if (free && (fetch_valid_i || load_valid_i)) begin
      fetch_was_last_q <= grant_fetch;
      m_axi_arid_o <= grant_fetch;
      m_axi_araddr_o <= base_i + (64'(beat) << BeatShift);
      m_axi_arlen_o <= 8'(length - 9'd1);
    end
    if (rst_i) begin
      m_axi_arvalid_o <= 1'b0;
      fetch_was_last_q <= 1'b0;
    end
  end

  // ---- data
  logic held_q, held_id_q, held_last_q;
  logic [tenon_pkg::BUS_BITS-1:0] held_data_q;
  logic valid, id, taken;

  assign m_axi_rready_o = !held_q;
  assign valid = held_q || m_axi_rvalid_i;
  assign id = held_q ? held_id_q : m_axi_rid_i[0];
  assign data_o = held_q ? held_data_q : m_axi_rdata_i;
  assign last_o = held_q ? held_last_q : m_axi_rlast_i;
  assign load_data_valid_o = valid && !id;
  assign fetch_data_valid_o = valid && id;
  assign taken = id || load_data_ready_i;
  assign error_o = m_axi_rvalid_i && m_axi_rready_o && m_axi_rresp_i[1];

  always_ff @(posedge clk_i) begin
    if (valid) held_q <= !taken;
    if (m_axi_rvalid_i && !held_q && !taken) begin
      held_id_q <= m_axi_rid_i[0];
      held_last_q <= m_axi_rlast_i;
      held_data_q <= m_axi_rdata_i;
    end
    if (rst_i) held_q <= 1'b0;
  end

  // OKAY and EXOKAY differ from errors in the high bit alone.
  logic unused;
  assign unused = &{1'b0, m_axi_rresp_i[0]};
endmodule

`default_nettype wire
