// Part of Tenon, under the Apache License v2.0.
//
// axi_bursts: the bursts of a region are its beats, in order, each once: the
// k-th beat of segment s of row r is base + r*row_stride + s*segment_stride + k
// (modulo the address space). A burst never crosses 4 KiB, has no more than
// BURST_BEATS beats and is no shorter than it must be, so that the lengths of a
// segment's bursts add up to it; `last_o` stands with the last one only. A burst
// stands there, unchanged, until it is taken; the tag is the region's; there is
// a burst in the cycle after a region was taken (nobody starves behind it).
// Assumed: sizes are at least 1 (validate.cpp: what executes has them so).
`default_nettype none

module axi_bursts_formal #(
    parameter int AddressBits = 12
) (
    input logic                   clk_i,
    input logic                   rst_i,
    input logic                   offer_i,
    input logic                   valid_i,
    input logic [AddressBits-1:0] beat_i,
    input logic [24:0]            segment_last_i,
    input logic [10:0]            segments_i,
    input logic [10:0]            rows_i,
    input logic [13:0]            segment_stride_i,
    input logic [19:0]            row_stride_i,
    input logic [2:0]             tag_i,
    input logic                   ready_i
);
  localparam int PageBits = 12 - $clog2(tenon_pkg::BEAT_BYTES);
  localparam int Longest = tenon_pkg::BURST_BEATS;

  logic ready_o, valid_o, last_o;
  logic [AddressBits-1:0] beat_o;
  logic [7:0] length_o;
  logic [2:0] tag_o;
  logic started_q = 1'b0;
  axi_bursts #(.AddressBits(AddressBits)) dut (.*);

  // ---- the region whose bursts are being taken, and the next, which may come
  // while the last burst is put aside
  typedef struct packed {
    logic [AddressBits-1:0] base;
    logic [24:0]            segment_last;
    logic [10:0]            segments, rows;
    logic [13:0]            segment_stride;
    logic [19:0]            row_stride;
    logic [2:0]             tag;
  } region_t;
  // Place in it: row, segment, beat; where this row and this segment begin.
  typedef struct packed {
    logic [10:0]            row, segment;
    logic [24:0]            beat;
    logic [AddressBits-1:0] row_at, segment_at;
  } place_t;

  region_t given, now_q, next_q;
  place_t place_q, place_next, place_given;
  logic is_now_q, is_next_q, accept, taken, ends;
  assign given = {beat_i, segment_last_i, segments_i, rows_i, segment_stride_i,
                  row_stride_i, tag_i};
  assign accept = valid_i && ready_o;
  assign taken = valid_o && ready_i;

  // ---- the burst that must stand there, and the place behind it
  logic [AddressBits-1:0] here;
  logic [PageBits-1:0] to_page;
  logic [24:0] left;  // beats behind the first
  logic [7:0] most, length;
  logic segment_end, last_segment, last;
  assign here = place_q.segment_at + place_q.beat[AddressBits-1:0];
  assign to_page = ~here[PageBits-1:0];
  assign left = now_q.segment_last - place_q.beat;
  assign most = to_page < Longest - 1 ? to_page[7:0] : 8'(Longest - 1);
  assign segment_end = left <= {17'd0, most};
  assign length = segment_end ? left[7:0] : most;
  assign last_segment = place_q.segment + 11'd1 == now_q.segments;
  assign last = segment_end && last_segment && place_q.row + 11'd1 == now_q.rows;
  assign ends = taken && last;

  place_t place_begin;
  assign place_begin = {47'd0, in.base, in.base};
  always_comb begin
    place_next = place_q;
    place_next.beat = place_q.beat + {17'd0, length} + 25'd1;
    if (segment_end) begin
      place_next.beat = 25'd0;
      place_next.segment = place_q.segment + 11'd1;
      place_next.segment_at = place_q.segment_at + AddressBits'(now_q.segment_stride);
      if (last_segment) begin
        place_next.segment = 11'd0;
        place_next.row = place_q.row + 11'd1;
        place_next.row_at = place_q.row_at + AddressBits'(now_q.row_stride);
        place_next.segment_at = place_next.row_at;
      end
    end
    place_given = '0;
    place_given.row_at = beat_i;
    place_given.segment_at = beat_i;
    if (last) begin
      place_next = '0;
      place_next.row_at = next_q.base;
      place_next.segment_at = next_q.base;
    end
  end

  always_ff @(posedge clk_i) begin
    if (taken) place_q <= place_next;
    if (ends) {is_now_q, now_q, is_next_q} <= {is_next_q, next_q, 1'b0};
    if (accept) begin
      if (is_now_q && !ends) {is_next_q, next_q} <= {1'b1, given};
      else {is_now_q, now_q, place_q} <= {1'b1, given, place_given};
    end
    if (rst_i) {is_now_q, is_next_q} <= 2'b00;
  end

  // ---- invariant: dut stands at that place, or behind it if a burst is put
  // aside, and then that is this one
  (* hierconn *) wire \dut.active_q , \dut.single_q , \dut.spare_valid_q ;
  (* hierconn *) wire \dut.short_q , \dut.segment_short_q ;
  (* hierconn *) wire [AddressBits-1:0] \dut.beat_q , \dut.segment_q , \dut.row_q ;
  (* hierconn *) wire [24:0] \dut.left_q , \dut.segment_last_q ;
  (* hierconn *) wire [10:0] \dut.segments_left_q , \dut.segments_q , \dut.rows_left_q ;
  (* hierconn *) wire [13:0] \dut.segment_stride_q ;
  (* hierconn *) wire [19:0] \dut.row_stride_q ;
  (* hierconn *) wire [2:0] \dut.tag_q ;
  (* hierconn *) wire [AddressBits+11:0] \dut.spare_q ;
  localparam int LongestBits = $clog2(Longest);
  region_t in;
  place_t at;
  logic [24:0] at_left;
  assign in = \dut.spare_valid_q && last ? next_q : now_q;
  assign at = \dut.spare_valid_q ? place_next : place_q;
  assign at_left = in.segment_last - at.beat;
  // A region of one burst.
  logic [LongestBits-1:0] to_longest;
  logic single;
  assign to_longest = ~in.base[LongestBits-1:0];
  assign single = in.segment_last[24:LongestBits] == '0 && at == place_begin &&
      (in.segment_last[LongestBits-1:0] <= to_longest || !(&in.base[PageBits-1:LongestBits]));
  always_comb begin
    if (started_q) begin
      assert (!is_next_q || (is_now_q && \dut.spare_valid_q && last));
      if (\dut.spare_valid_q )
        assert (is_now_q && \dut.spare_q == {here, length, last, now_q.tag});
      assert (\dut.active_q == (\dut.spare_valid_q && last ? is_next_q : is_now_q));
      if (is_now_q) begin
        assert (now_q.segments != 11'd0 && now_q.rows != 11'd0);
        assert (place_q.segment < now_q.segments && place_q.row < now_q.rows);
        assert (place_q.beat <= now_q.segment_last);
      end
      if (is_next_q) assert (next_q.segments != 11'd0 && next_q.rows != 11'd0);
      if (\dut.active_q ) begin
        assert (\dut.segment_last_q == in.segment_last && \dut.left_q == at_left);
        assert (\dut.segments_q == in.segments && \dut.tag_q == in.tag);
        assert (\dut.segments_left_q == in.segments - at.segment);
        assert (\dut.rows_left_q == in.rows - at.row);
        assert (\dut.segment_stride_q == in.segment_stride);
        assert (\dut.row_stride_q == in.row_stride);
        assert (\dut.beat_q == AddressBits'(at.segment_at + at.beat[AddressBits-1:0]));
        assert (\dut.segment_q == at.segment_at && \dut.row_q == at.row_at);
        assert (\dut.short_q == (at_left[24:LongestBits] == '0));
        assert (\dut.segment_short_q == (in.segment_last[24:LongestBits] == '0));
        if (\dut.single_q ) assert (in.rows == 11'd1 && in.segments == 11'd1 && single);
      end
    end
  end

  // ---- what stood there must stay
  logic held_q;
  logic [AddressBits+11:0] held_burst_q;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    held_q <= valid_o && !ready_i && !rst_i;
    held_burst_q <= {beat_o, length_o, last_o, tag_o};
  end

  always_comb begin
    offered_before_given : assume (offer_i || !valid_i);
    if (valid_i) sizes_not_zero : assume (segments_i != 11'd0 && rows_i != 11'd0);
    if (!started_q) reset_first : assume (rst_i);
    else begin
      assert (valid_o == is_now_q);
      assert (!accept || !is_next_q);
      if (held_q) assert ({beat_o, length_o, last_o, tag_o} == held_burst_q);
      if (valid_o) begin
        assert ({beat_o, tag_o} == {here, now_q.tag});
        assert (length_o == length && last_o == last);
        // Said otherwise: it ends in the 4 KiB in which it begins.
        assert (here[AddressBits-1:PageBits] == AddressBits'(here + length_o) >> PageBits);
      end
      cover (!rst_i && last_o && taken && now_q.rows == 11'd2 && now_q.segments == 11'd2);
      cover (!rst_i && accept && is_now_q && !ends);
      cover (!rst_i && valid_o && !segment_end && length_o == 8'd0);
    end
  end
endmodule

`default_nettype wire
