// Part of Tenon, under the Apache License v2.0.
//
// axi_write: the write port.
//  * Each burst taken goes out once, in order, with its address and length; each
//    beat once, in order; AW and W stand, unchanged, until they are taken.
//  * AW and W wait for nothing but themselves: a burst that is in the window is
//    taken while AW's two registers have room, whatever W does; a beat of a burst
//    that was taken is taken while W's have room, whatever AW does.
//  * The n-th burst's data are as many beats as its length says, the last one and
//    no other with WLAST.
//  * No burst outside of the window is taken, and none in a halt; what the window
//    keeps out is said. A beat that goes in in a halt has no strobes, and needs no
//    one who has it; any other has all of them. `quiet_o`: none is unanswered.
//  * Each response, and each beat taken by the memory, is reported once, a cycle
//    later; an error with its response. B is always taken.
// Assumed: a burst and a beat offered stay until they are taken, but for a halt;
// no more than OUTSTANDING_BURSTS bursts are given and not yet answered; the
// memory answers a burst after its address and last beat, each once; the base and
// the window are fixed meanwhile.
`default_nettype none

module axi_write_formal #(
    parameter int AddressBits = 6,
    parameter int PageBits = 3
) (
    input logic                           clk_i,
    input logic                           rst_i,
    input logic                           halt_i,
    input logic                           burst_valid_i,
    input logic [AddressBits-1:0]         burst_beat_i,
    input logic [7:0]                     burst_length_i,
    input logic                           data_valid_i,
    input logic [tenon_pkg::BUS_BITS-1:0] data_i,
    input logic                           m_axi_awready_i,
    input logic                           m_axi_wready_i,
    input logic [1:0]                     m_axi_bresp_i,
    input logic                           m_axi_bvalid_i
);
  localparam int Most = tenon_pkg::OUTSTANDING_BURSTS;
  (* anyconst *) logic [31:0] high_i;
  (* anyconst *) logic [PageBits-1:0] first_page_i;
  (* anyconst *) logic [PageBits:0] end_page_i;

  logic awake_o, burst_ready_o, data_ready_o, response_o, sent_o, error_o;
  logic quiet_o, outside_o;
  logic m_axi_awvalid_o, m_axi_wlast_o, m_axi_wvalid_o, m_axi_bready_o;
  logic [63:0] m_axi_awaddr_o;
  logic [7:0] m_axi_awlen_o;
  logic [2:0] m_axi_awsize_o;
  logic [1:0] m_axi_awburst_o;
  logic [tenon_pkg::BUS_BITS-1:0] m_axi_wdata_o;
  logic [tenon_pkg::BUS_BITS/8-1:0] m_axi_wstrb_o;
  axi_write #(.AddressBits(AddressBits), .PageBits(PageBits)) dut (.*);

  // ---- what passes, and what the memory knows
  logic burst, address, beat, sent;
  logic [63:0] burst_address;
  logic [1:0] bursts, beats;
  logic in_window;
  assign in_window = burst_beat_i[AddressBits-1-:PageBits] >= first_page_i &&
      {1'b0, burst_beat_i[AddressBits-1-:PageBits]} < end_page_i;
  assign burst = burst_valid_i && burst_ready_o;
  assign address = m_axi_awvalid_o && m_axi_awready_i;
  assign beat = (data_valid_i || halt_i) && data_ready_o;
  assign sent = m_axi_wvalid_o && m_axi_wready_i;
  assign burst_address = {high_i, 32'd0} + burst_beat_i * 64'd4;
  tracked #(.Width(72), .Most(2)) addresses (
      .clk_i, .rst_i, .push_i(burst), .pushed_i({burst_address, burst_length_i}),
      .pop_i(address), .popped_i({m_axi_awaddr_o, m_axi_awlen_o}), .count_o(bursts)
  );
  tracked #(.Width(tenon_pkg::BUS_BITS + 1), .Most(2)) data (
      .clk_i, .rst_i, .push_i(beat), .pushed_i({!halt_i, data_i}),
      .pop_i(sent), .popped_i({m_axi_wstrb_o[0], m_axi_wdata_o}), .count_o(beats)
  );

  // Bursts given and not answered; addresses taken and not answered; bursts given
  // less bursts with all data sent; bursts with all data sent and not answered;
  // lengths of the last but one.
  logic [3:0] open_q, addressed_q, due_q, answers_q;
  logic [7:0] lengths_q[Most];
  logic [7:0] at_q, in_q;  // beat of the burst: sent, taken from STORE
  logic [3:0] in_due_q;    // bursts given whose data were not all taken
  logic [7:0] in_lengths_q[Most];
  logic last, in_last;
  assign last = sent && at_q == lengths_q[0];
  assign in_last = beat && in_q == in_lengths_q[0];
  always_ff @(posedge clk_i) begin
    open_q <= open_q + {3'd0, burst} - {3'd0, m_axi_bvalid_i};
    addressed_q <= addressed_q + {3'd0, address} - {3'd0, m_axi_bvalid_i};
    answers_q <= answers_q + {3'd0, last} - {3'd0, m_axi_bvalid_i};
    due_q <= due_q + {3'd0, burst} - {3'd0, last};
    in_due_q <= in_due_q + {3'd0, burst} - {3'd0, in_last};
    if (sent) at_q <= last ? 8'd0 : at_q + 8'd1;
    if (beat) in_q <= in_last ? 8'd0 : in_q + 8'd1;
    if (last) for (int i = 0; i + 1 < Most; i++) lengths_q[i] <= lengths_q[i+1];
    if (in_last) for (int i = 0; i + 1 < Most; i++) in_lengths_q[i] <= in_lengths_q[i+1];
    if (burst) begin
      if (due_q == {3'd0, last}) lengths_q[0] <= burst_length_i;
      else lengths_q[1] <= burst_length_i;
      if (in_due_q == {3'd0, in_last}) in_lengths_q[0] <= burst_length_i;
      else in_lengths_q[1] <= burst_length_i;
    end
    if (rst_i) {open_q, addressed_q, due_q, in_due_q, answers_q, at_q, in_q} <= '0;
  end

  // ---- what stood must stay; what is reported a cycle later
  // A burst's length is at the head a cycle after it was taken.
  logic in_due_ready_q;
  always_ff @(posedge clk_i) in_due_ready_q <= in_due_q != {3'd0, in_last} && !rst_i;

  logic started_q = 1'b0, aw_held_q, w_held_q, burst_held_q, data_held_q;
  logic sent_q, response_q, error_q;
  logic [71:0] aw_q;
  logic [tenon_pkg::BUS_BITS+1:0] w_q;
  logic [AddressBits+7:0] burst_q;
  logic [tenon_pkg::BUS_BITS-1:0] data_q;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    aw_held_q <= m_axi_awvalid_o && !m_axi_awready_i && !rst_i;
    aw_q <= {m_axi_awaddr_o, m_axi_awlen_o};
    w_held_q <= m_axi_wvalid_o && !m_axi_wready_i && !rst_i;
    w_q <= {m_axi_wlast_o, m_axi_wstrb_o[0], m_axi_wdata_o};
    burst_held_q <= burst_valid_i && !burst_ready_o && !halt_i && !rst_i;
    burst_q <= {burst_beat_i, burst_length_i};
    data_held_q <= data_valid_i && !data_ready_o && !halt_i && !rst_i;
    data_q <= data_i;
    sent_q <= sent && !rst_i;
    response_q <= m_axi_bvalid_i && !rst_i;
    error_q <= m_axi_bvalid_i && m_axi_bresp_i >= 2'd2 && !rst_i;
  end

  always_comb begin
    if (!started_q) reset_first : assume (rst_i);
    else if (!rst_i) begin
      if (burst_held_q && !halt_i) burst_stands : assume (burst_valid_i && {burst_beat_i, burst_length_i} == burst_q);
      if (data_held_q && !halt_i) data_stand : assume (data_valid_i && data_i == data_q);
      bursts_limited : assume (!burst_valid_i || open_q < 4'(Most));
      memory_responds_asked : assume (!m_axi_bvalid_i || (answers_q != 4'd0 && addressed_q != 4'd0));

      if (aw_held_q) assert (m_axi_awvalid_o && {m_axi_awaddr_o, m_axi_awlen_o} == aw_q);
      if (w_held_q) assert (m_axi_wvalid_o && {m_axi_wlast_o, m_axi_wstrb_o[0], m_axi_wdata_o} == w_q);
      assert (m_axi_awsize_o == 3'd2 && m_axi_awburst_o == 2'b01);
      assert ((&m_axi_wstrb_o) || m_axi_wstrb_o == '0);
      assert (m_axi_awvalid_o == (bursts != 2'd0));
      assert (burst_ready_o == (bursts != 2'd2 && in_window && !halt_i));
      assert (outside_o == (burst_valid_i && !in_window));
      assert (m_axi_wvalid_o == (beats != 2'd0));
      assert (!data_ready_o || in_due_q != 4'd0);
      if (in_due_ready_q && in_due_q != 4'd0) assert (data_ready_o == (beats != 2'd2));
      assert (quiet_o == (open_q == 4'd0));
      assert (m_axi_bready_o);
      if (m_axi_wvalid_o) assert (due_q != 4'd0 && m_axi_wlast_o == (at_q == lengths_q[0]));
      assert (sent_o == sent_q && response_o == response_q && error_o == error_q);

      cover (last && at_q == 8'd1 && due_q == 4'd2);
      cover (last && addressed_q == 4'd0);
      cover (sent && m_axi_wstrb_o == '0 && halt_i);
      cover (outside_o && !quiet_o);
      cover (m_axi_bvalid_i && error_o);
      cover (!data_ready_o && data_valid_i && beats == 2'd2);
    end
  end
endmodule

`default_nettype wire
