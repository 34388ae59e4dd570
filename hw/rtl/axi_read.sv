// Part of Tenon, under the Apache License v2.0.
//
// The AXI read port, shared by LOAD (ID 0) and FETCH (ID 1).  Addresses: one
// burst a cycle; FETCH's bursts are short and go first, but never twice in a
// row while LOAD has one.  FETCH reserves room before it asks, so its data are
// always taken and never stand in LOAD's way.  Both channels are registered as
// in axi_slice, one cycle each; a beat has a register that says whose it is.
// Addresses come in beats of the bus and count from `high_i`, the high word of
// the DRAM base; lengths are beats minus one.
//
// A burst outside of the window, whose pages are [first_page_i, end_page_i), is
// not granted (`load_outside_o`, `fetch_outside_o`).  While `halt_i` is high
// nothing is granted, and what arrives is dropped: `quiet_o` says that all bursts
// have been answered.

`default_nettype none

module axi_read #(
    parameter int AddressBits = ($clog2(tenon_pkg::BEAT_BYTES) > 4) ? 29 :
        33 - $clog2(tenon_pkg::BEAT_BYTES),
    parameter int PageBits = AddressBits + $clog2(tenon_pkg::BEAT_BYTES) - 12
) (
    input  logic                           clk_i,
    input  logic                           rst_i,
    output logic                           awake_o,
    input  logic [31:0]                    high_i,
    // the window; no more bursts, none under way
    input  logic [PageBits-1:0]            first_page_i,
    input  logic [PageBits:0]              end_page_i,
    input  logic                           halt_i,
    output logic                           quiet_o,
    // bursts of LOAD
    input  logic                           load_valid_i,
    input  logic [AddressBits-1:0]         load_beat_i,
    input  logic [7:0]                     load_length_i,
    output logic                           load_ready_o,
    output logic                           load_outside_o,
    // bursts of FETCH
    input  logic                           fetch_valid_i,
    input  logic [AddressBits-1:0]         fetch_beat_i,
    input  logic [7:0]                     fetch_length_i,
    output logic                           fetch_ready_o,
    output logic                           fetch_outside_o,
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

  // FETCH asks for no more than its buffer has room for: 64 beats, or eight
  // bursts, and half a burst at the start.
  localparam int CountBits = $clog2(tenon_pkg::OUTSTANDING_BURSTS + 10);

  // ---- addresses
  logic load_in_window, fetch_in_window, load_wants, fetch_wants;

  axi_window #(
      .AddressBits(AddressBits),
      .PageBits(PageBits)
  ) u_load_window (
      .beat_i(load_beat_i),
      .first_page_i(first_page_i),
      .end_page_i(end_page_i),
      .in_window_o(load_in_window)
  );
  axi_window #(
      .AddressBits(AddressBits),
      .PageBits(PageBits)
  ) u_fetch_window (
      .beat_i(fetch_beat_i),
      .first_page_i(first_page_i),
      .end_page_i(end_page_i),
      .in_window_o(fetch_in_window)
  );

  assign load_outside_o = load_valid_i && !load_in_window;
  assign fetch_outside_o = fetch_valid_i && !fetch_in_window;
  assign load_wants = load_valid_i && load_in_window && !halt_i;
  assign fetch_wants = fetch_valid_i && fetch_in_window && !halt_i;

  logic free, valid, grant_fetch, fetch_was_last_q;
  logic [AddressBits-1:0] beat, sent_beat;
  logic [7:0] length;

  assign valid = fetch_wants || load_wants;
  assign grant_fetch = fetch_wants && !(load_wants && fetch_was_last_q);
  assign fetch_ready_o = free && grant_fetch;
  assign load_ready_o = free && load_wants && !grant_fetch;
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

  // ---- bursts granted and not answered
  logic [CountBits-1:0] flying_q;
  logic answered;

  assign answered = m_axi_rvalid_i && m_axi_rready_o && m_axi_rlast_i;
  assign quiet_o = flying_q == '0;

  always_ff @(posedge clk_i) begin
    if ((free && valid) != answered)
      flying_q <= flying_q + (answered ? '1 : CountBits'(1));
    if (rst_i) flying_q <= '0;
  end

  // ---- data: a slice with a valid bit for each who takes them
  logic spare_valid_q, free_data, arrives;
  logic [BusBits+2:0] spare_q, beat_in;

  assign m_axi_rready_o = !spare_valid_q;
  assign free_data = !load_data_valid_o || load_data_ready_i || halt_i;
  assign arrives = m_axi_rvalid_i || spare_valid_q;
  assign beat_in = spare_valid_q ? spare_q :
      {m_axi_rresp_i[1], m_axi_rid_i, m_axi_rlast_i, m_axi_rdata_i};

  always_ff @(posedge clk_i) begin
    if (free_data) begin
      load_data_valid_o <= arrives && !beat_in[BusBits+1] && !halt_i;
      fetch_data_valid_o <= arrives && beat_in[BusBits+1] && !halt_i;
      error_o <= arrives && beat_in[BusBits+2] && !halt_i;
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

  assign awake_o = load_valid_i || fetch_valid_i || m_axi_arvalid_o ||
      load_data_valid_o || fetch_data_valid_o;

  // OKAY and EXOKAY differ from errors in the high bit alone.
  logic unused;
  assign unused = &{1'b0, m_axi_rresp_i[0]};

`ifndef SYNTHESIS
  logic load_held_q, fetch_held_q;
  logic [AddressBits+7:0] load_q, fetch_q;

  always_ff @(posedge clk_i) begin : assertions
    load_held_q <= load_valid_i && !load_ready_o && !halt_i && !rst_i;
    load_q <= {load_beat_i, load_length_i};
    fetch_held_q <= fetch_valid_i && !fetch_ready_o && !halt_i && !rst_i;
    fetch_q <= {fetch_beat_i, fetch_length_i};
    if (!rst_i) begin
      // LOAD's burst stands until it is taken, or the launch is halted.
      load_burst_stands : assert (!load_held_q || halt_i || (load_valid_i && {load_beat_i, load_length_i} == load_q));
      // FETCH's burst stands until it is taken or withdrawn (behind FINISH), or the launch is halted.
      fetch_burst_stands : assert (!fetch_held_q || halt_i || !fetch_valid_i || {fetch_beat_i, fetch_length_i} == fetch_q);
      // Who offers a burst has no more under way than LOAD and FETCH may have.
      bursts_counted : assert (flying_q < CountBits'(tenon_pkg::OUTSTANDING_BURSTS + 9) || !(load_valid_i || fetch_valid_i));
    end
  end
`endif
endmodule

`default_nettype wire
