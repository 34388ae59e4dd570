// Part of Tenon, under the Apache License v2.0.
//
// axi_read: the read port that LOAD and FETCH share.
//  * No burst outside of the window is granted, and none in a halt; what the window
//    keeps out is said. In a halt every beat is taken and none is passed on;
//    `quiet_o`: no burst is unanswered.
//  * Each burst granted goes out once, in order, with its owner's ID, address and
//    length; AR stands, unchanged, until it is taken; INCR bursts of whole beats.
//  * One grant at a time. While AR has room FETCH waits for no more than one
//    grant and LOAD for no more than one, if they are in the window: nobody starves.
//  * Each beat of R goes once, in order, to the owner that its ID names and to
//    nobody else; an error comes with its beat.
// Assumed: a burst offered stays until it is granted, but for a halt; FETCH takes
// its beats at once, as it has reserved room (fetch.sv); no more bursts are
// unanswered than LOAD and FETCH may have, and a last beat answers one that was
// granted; the base and the window are fixed meanwhile.
`default_nettype none

module axi_read_formal #(
    parameter int AddressBits = 6,
    parameter int PageBits = 3
) (
    input logic                           clk_i,
    input logic                           rst_i,
    input logic                           halt_i,
    input logic                           load_valid_i,
    input logic [AddressBits-1:0]         load_beat_i,
    input logic [7:0]                     load_length_i,
    input logic                           fetch_valid_i,
    input logic [AddressBits-1:0]         fetch_beat_i,
    input logic [7:0]                     fetch_length_i,
    input logic                           load_data_ready_i,
    input logic                           m_axi_arready_i,
    input logic [0:0]                     m_axi_rid_i,
    input logic [tenon_pkg::BUS_BITS-1:0] m_axi_rdata_i,
    input logic [1:0]                     m_axi_rresp_i,
    input logic                           m_axi_rlast_i,
    input logic                           m_axi_rvalid_i
);
  (* anyconst *) logic [31:0] high_i;
  (* anyconst *) logic [PageBits-1:0] first_page_i;
  (* anyconst *) logic [PageBits:0] end_page_i;
  localparam int Most = tenon_pkg::OUTSTANDING_BURSTS + 9;

  logic quiet_o, load_outside_o, fetch_outside_o;
  logic awake_o, load_ready_o, fetch_ready_o, load_data_valid_o, fetch_data_valid_o;
  logic last_o, error_o, m_axi_arvalid_o, m_axi_rready_o;
  logic [tenon_pkg::BUS_BITS-1:0] data_o;
  logic [0:0] m_axi_arid_o;
  logic [63:0] m_axi_araddr_o;
  logic [7:0] m_axi_arlen_o;
  logic [2:0] m_axi_arsize_o;
  logic [1:0] m_axi_arburst_o;
  axi_read #(.AddressBits(AddressBits), .PageBits(PageBits)) dut (.*);

  logic load_in_window, fetch_in_window;
  assign load_in_window = load_beat_i[AddressBits-1-:PageBits] >= first_page_i &&
      {1'b0, load_beat_i[AddressBits-1-:PageBits]} < end_page_i;
  assign fetch_in_window = fetch_beat_i[AddressBits-1-:PageBits] >= first_page_i &&
      {1'b0, fetch_beat_i[AddressBits-1-:PageBits]} < end_page_i;

  // ---- bursts: granted, then taken by AR
  logic grant_load, grant_fetch;
  logic [63:0] load_address, fetch_address;
  logic [1:0] bursts;
  assign grant_load = load_valid_i && load_ready_o;
  assign grant_fetch = fetch_valid_i && fetch_ready_o;
  assign load_address = {high_i, 32'd0} + load_beat_i * 64'd4;
  assign fetch_address = {high_i, 32'd0} + fetch_beat_i * 64'd4;
  tracked #(.Width(73), .Most(2)) addresses (
      .clk_i, .rst_i,
      .push_i(grant_load || grant_fetch),
      .pushed_i(grant_fetch ? {1'b1, fetch_address, fetch_length_i}
                            : {1'b0, load_address, load_length_i}),
      .pop_i(m_axi_arvalid_o && m_axi_arready_i),
      .popped_i({m_axi_arid_o, m_axi_araddr_o, m_axi_arlen_o}),
      .count_o(bursts)
  );

  // ---- beats: in by R, out to one of the two; what FETCH sees it takes
  logic out, in_error, load_waits;
  logic [1:0] beats;
  assign out = fetch_data_valid_o || (load_data_valid_o && load_data_ready_i);
  assign in_error = m_axi_rresp_i >= 2'd2;
  assign load_waits = load_data_valid_o && !load_data_ready_i;
  tracked #(.Width(tenon_pkg::BUS_BITS + 3), .Most(2)) data (
      .clk_i, .rst_i(rst_i || halt_i),
      .push_i(m_axi_rvalid_i && m_axi_rready_o),
      .pushed_i({m_axi_rid_i, m_axi_rlast_i, in_error, m_axi_rdata_i}),
      .pop_i(out), .popped_i({fetch_data_valid_o, last_o, error_o, data_o}),
      .count_o(beats)
  );

  // Bursts granted and not answered.
  logic [7:0] flying_q;
  logic answered;
  assign answered = m_axi_rvalid_i && m_axi_rready_o && m_axi_rlast_i;
  always_ff @(posedge clk_i) begin
    flying_q <= flying_q + {7'd0, grant_load || grant_fetch} - {7'd0, answered};
    if (rst_i) flying_q <= '0;
  end

  // ---- what stood must stay; grants of the other while one waits
  logic started_q = 1'b0, ar_held_q, load_held_q, fetch_held_q, data_held_q, halt_q;
  logic [72:0] ar_q;
  logic [AddressBits+7:0] load_q, fetch_q;
  logic [tenon_pkg::BUS_BITS+1:0] data_q;
  logic [1:0] load_waited_q, fetch_waited_q;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    ar_held_q <= m_axi_arvalid_o && !m_axi_arready_i && !rst_i;
    ar_q <= {m_axi_arid_o, m_axi_araddr_o, m_axi_arlen_o};
    halt_q <= halt_i && !rst_i;
    load_held_q <= load_valid_i && !load_ready_o && !halt_i && !rst_i;
    load_q <= {load_beat_i, load_length_i};
    fetch_held_q <= fetch_valid_i && !fetch_ready_o && !halt_i && !rst_i;
    fetch_q <= {fetch_beat_i, fetch_length_i};
    data_held_q <= load_waits && !halt_i && !rst_i;
    data_q <= {last_o, error_o, data_o};
    load_waited_q <= !load_valid_i || !load_in_window || halt_i || grant_load ? 2'd0 : load_waited_q + {1'b0, grant_fetch};
    fetch_waited_q <= !fetch_valid_i || !fetch_in_window || halt_i || grant_fetch ? 2'd0 : fetch_waited_q + {1'b0, grant_load};
    if (rst_i) {load_waited_q, fetch_waited_q} <= '0;
  end

  always_comb begin
    if (!started_q) reset_first : assume (rst_i);
    else if (!rst_i) begin
      if (load_held_q && !halt_i) load_burst_stands : assume (load_valid_i && {load_beat_i, load_length_i} == load_q);
      if (fetch_held_q && !halt_i && fetch_valid_i) fetch_burst_stands : assume ({fetch_beat_i, fetch_length_i} == fetch_q);

      bursts_counted : assume (flying_q < 8'(Most) || !(load_valid_i || fetch_valid_i));
      memory_reads_asked : assume (!m_axi_rvalid_i || flying_q != 8'd0);

      assert (!(grant_load && grant_fetch));
      assert (!grant_load || (load_in_window && !halt_i));
      assert (!grant_fetch || (fetch_in_window && !halt_i));
      assert (load_outside_o == (load_valid_i && !load_in_window));
      assert (fetch_outside_o == (fetch_valid_i && !fetch_in_window));
      assert (quiet_o == (flying_q == 8'd0));
      if (halt_q) assert (m_axi_rready_o && !load_data_valid_o && !fetch_data_valid_o);
      assert (m_axi_arvalid_o == (bursts != 2'd0));
      if (bursts != 2'd2 && !halt_i && ((load_valid_i && load_in_window) || (fetch_valid_i && fetch_in_window)))
        assert (grant_load || grant_fetch);
      assert (load_waited_q <= 2'd1 && fetch_waited_q <= 2'd1);
      if (ar_held_q)
        assert (m_axi_arvalid_o && {m_axi_arid_o, m_axi_araddr_o, m_axi_arlen_o} == ar_q);
      assert (m_axi_arsize_o == 3'd2 && m_axi_arburst_o == 2'b01);
      assert (m_axi_araddr_o[1:0] == 2'd0);

      assert (!(load_data_valid_o && fetch_data_valid_o));
      assert ((load_data_valid_o || fetch_data_valid_o) == (beats != 2'd0));
      assert (m_axi_rready_o || load_waits || beats == 2'd2);
      if (beats == 2'd0) assert (m_axi_rready_o && !error_o);
      if (data_held_q) assert (load_data_valid_o && {last_o, error_o, data_o} == data_q);

      cover (grant_load && load_waited_q == 2'd1);
      cover (grant_fetch && fetch_waited_q == 2'd1);
      cover (!m_axi_rready_o && m_axi_rvalid_i);
      cover (fetch_data_valid_o && error_o);
      cover (halt_q && m_axi_rvalid_i && !quiet_o);
      cover (load_outside_o && grant_fetch);
    end
  end
endmodule

`default_nettype wire
