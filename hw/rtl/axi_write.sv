// Part of Tenon, under the Apache License v2.0.
//
// The AXI write port: one address a cycle, one beat a cycle, many bursts
// outstanding.  Addresses and data wait for nothing but their own channel: the
// memory may take either first.  Addresses come in beats of the bus and count
// from `high_i`, the high word of the DRAM base; lengths are beats minus one.
// The caller limits the bursts in flight to OUTSTANDING_BURSTS and sees a
// response, and a beat taken, a cycle later.  All channels are registered.
//
// A burst outside of the window, whose pages are [first_page_i, end_page_i), is
// not taken (`outside_o`).  While `halt_i` is high no burst is taken, and the
// beats that are owed go out without strobes, whoever had them: `quiet_o` says
// that all bursts have been answered.

`default_nettype none

module axi_write #(
    parameter int AddressBits = ($clog2(tenon_pkg::BEAT_BYTES) > 4) ? 29 :
        33 - $clog2(tenon_pkg::BEAT_BYTES),
    parameter int PageBits = AddressBits + $clog2(tenon_pkg::BEAT_BYTES) - 12
) (
    input  logic                             clk_i,
    input  logic                             rst_i,
    output logic                             awake_o,
    input  logic [31:0]                      high_i,
    // the window; no more bursts, none under way
    input  logic [PageBits-1:0]              first_page_i,
    input  logic [PageBits:0]                end_page_i,
    input  logic                             halt_i,
    output logic                             quiet_o,
    // bursts
    input  logic                             burst_valid_i,
    input  logic [AddressBits-1:0]           burst_beat_i,
    input  logic [7:0]                       burst_length_i,
    output logic                             burst_ready_o,
    output logic                             outside_o,
    // data, in the order of the bursts
    input  logic                             data_valid_i,
    input  logic [tenon_pkg::BUS_BITS-1:0]   data_i,
    output logic                             data_ready_o,
    // a response arrived; a beat was sent
    output logic                             response_o,
    output logic                             sent_o,
    output logic                             error_o,
    // AXI
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
    output logic                             m_axi_bready_o
);
  localparam int BeatShift = $clog2(tenon_pkg::BEAT_BYTES);
  localparam int BusBits = tenon_pkg::BUS_BITS;

  localparam int CountBits = $clog2(tenon_pkg::OUTSTANDING_BURSTS + 1);

  // ---- addresses
  logic [AddressBits-1:0] sent_beat;
  logic in_window, may_take, take, address_ready;

  axi_window #(
      .AddressBits(AddressBits),
      .PageBits(PageBits)
  ) u_window (
      .beat_i(burst_beat_i),
      .first_page_i(first_page_i),
      .end_page_i(end_page_i),
      .in_window_o(in_window)
  );

  assign outside_o = burst_valid_i && !in_window;
  assign may_take = in_window && !halt_i;
  assign burst_ready_o = may_take && address_ready;
  assign take = burst_valid_i && burst_ready_o;

  axi_slice #(
      .Width(AddressBits + 8)
  ) u_addresses (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .valid_i(burst_valid_i && may_take),
      .data_i({burst_beat_i, burst_length_i}),
      .ready_o(address_ready),
      .valid_o(m_axi_awvalid_o),
      .data_o({sent_beat, m_axi_awlen_o}),
      .ready_i(m_axi_awready_i)
  );

  assign m_axi_awaddr_o = {
    high_i + 32'(64'(sent_beat) >> (32 - BeatShift)),
    32'(sent_beat) << BeatShift
  };
  assign m_axi_awsize_o = 3'(BeatShift);
  assign m_axi_awburst_o = 2'b01;

  // ---- data
  logic length_valid, length_taken, length_ready;
  logic [7:0] length, sent_q;
  logic send, last;

  fifo #(
      .Width(8),
      .Depth(tenon_pkg::OUTSTANDING_BURSTS),
      .Registered(1'b1)
  ) u_lengths (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .valid_i(take),
      .data_i(burst_length_i),
      .ready_o(length_ready),
      .valid_o(length_valid),
      .data_o(length),
      .ready_i(length_taken)
  );

  logic slice_ready, strobe;

  axi_slice #(
      .Width(BusBits + 2)
  ) u_data (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .valid_i(send),
      .data_i({last, !halt_i, data_i}),
      .ready_o(slice_ready),
      .valid_o(m_axi_wvalid_o),
      .data_o({m_axi_wlast_o, strobe, m_axi_wdata_o}),
      .ready_i(m_axi_wready_i)
  );

  assign data_ready_o = length_valid && slice_ready;
  assign send = (data_valid_i || halt_i) && data_ready_o;
  assign last = sent_q == length;
  assign length_taken = send && last;
  assign m_axi_wstrb_o = {BusBits / 8{strobe}};

  always_ff @(posedge clk_i) begin
    if (send) sent_q <= last ? 8'd0 : sent_q + 8'd1;
    if (rst_i) sent_q <= 8'd0;
  end

  // ---- responses, and the beats the memory took
  logic [CountBits-1:0] flying_q;

  assign m_axi_bready_o = 1'b1;
  assign quiet_o = flying_q == '0;

  always_ff @(posedge clk_i) begin
    sent_o <= m_axi_wvalid_o && m_axi_wready_i && !rst_i;
    response_o <= m_axi_bvalid_i && !rst_i;
    error_o <= m_axi_bvalid_i && m_axi_bresp_i[1] && !rst_i;
    if (take != m_axi_bvalid_i)
      flying_q <= flying_q + (take ? CountBits'(1) : '1);
    if (rst_i) flying_q <= '0;
  end

  assign awake_o = burst_valid_i || data_valid_i || m_axi_awvalid_o ||
      m_axi_wvalid_o || sent_o || response_o || error_o;

  // OKAY and EXOKAY differ from errors in the high bit alone; the caller's
  // limit keeps the queue from filling up.
  logic unused;
  assign unused = &{1'b0, m_axi_bresp_i[0], length_ready};

`ifndef SYNTHESIS
  logic burst_held_q, data_held_q;
  logic [AddressBits+7:0] burst_q;
  logic [BusBits-1:0] data_q;

  always_ff @(posedge clk_i) begin : assertions
    burst_held_q <= burst_valid_i && !burst_ready_o && !halt_i && !rst_i;
    burst_q <= {burst_beat_i, burst_length_i};
    data_held_q <= data_valid_i && !data_ready_o && !halt_i && !rst_i;
    data_q <= data_i;
    if (!rst_i) begin
      // A burst stands until it is taken, or the launch is halted.
      burst_stands : assert (!burst_held_q || halt_i || (burst_valid_i && {burst_beat_i, burst_length_i} == burst_q));
      // A beat stands until it is taken, or the launch is halted.
      data_stand : assert (!data_held_q || halt_i || (data_valid_i && data_i == data_q));
      // STORE keeps to its number of bursts under way.
      bursts_limited : assert (!burst_valid_i || halt_i || flying_q < CountBits'(tenon_pkg::OUTSTANDING_BURSTS));
      // A burst that is taken finds room for its length.
      length_has_room : assert (!take || length_ready);
    end
  end
`endif
endmodule

`default_nettype wire
