// Part of Tenon, under the Apache License v2.0.
//
// Cuts a strided region of DRAM into AXI bursts, one a cycle: rows of segments
// of consecutive beats.  A burst has at most BURST_BEATS beats and never
// crosses a 4 KiB boundary of the bus address (`base_page_i` is the base's
// offset in its page, in beats).  The next region is taken in the cycle in
// which the last burst of the one before leaves; the first burst of a region
// stands at the output in the cycle after.  All addresses are in beats,
// relative to the base.

`default_nettype none

module axi_bursts #(
    parameter int PageBits = 12 - $clog2(tenon_pkg::BEAT_BYTES)
) (
    input  logic                clk_i,
    input  logic                rst_i,
    input  logic [PageBits-1:0] base_page_i,
    // region
    input  logic                valid_i,
    input  logic [27:0]         beat_i,
    input  logic [24:0]         segment_beats_i,
    input  logic [10:0]         segments_i,
    input  logic [10:0]         rows_i,
    input  logic [13:0]         segment_stride_i,
    input  logic [19:0]         row_stride_i,
    output logic                ready_o,
    // bursts
    output logic                valid_o,
    output logic [27:0]         beat_o,
    output logic [8:0]          length_o,
    output logic                last_o,
    input  logic                ready_i
);
  localparam int PageBeats = 1 << PageBits;
  localparam int LimitBits = PageBits + 1;

  logic active_q;
  logic [27:0] beat_q, segment_q, row_q;
  logic [24:0] left_q, segment_beats_q;
  logic [10:0] segments_left_q, segments_q, rows_left_q;
  logic [13:0] segment_stride_q;
  logic [19:0] row_stride_q;

  logic [PageBits-1:0] page;
  logic [LimitBits-1:0] page_left;
  logic [8:0] limit;
  logic segment_end, row_end;

  always_comb begin
    page = '0;
    page_left = '0;
    limit = 9'd0;
    segment_end = 1'b0;
    row_end = 1'b0;
    if (active_q) begin
      page = beat_q[PageBits-1:0] + base_page_i;
      page_left = LimitBits'(PageBeats) - LimitBits'(page);
      limit = (32'(page_left) < 32'(tenon_pkg::BURST_BEATS)) ?
          9'(page_left) : 9'(tenon_pkg::BURST_BEATS);
      segment_end = left_q <= 25'(limit);
      row_end = segment_end && segments_left_q == 11'd1;
    end
  end

  assign valid_o = active_q;
  assign beat_o = beat_q;
  assign length_o = segment_end ? 9'(left_q) : limit;
  assign last_o = row_end && rows_left_q == 11'd1;
  assign ready_o = !active_q || (ready_i && last_o);

  always_ff @(posedge clk_i) begin
    if (active_q && ready_i) begin
      if (!segment_end) begin
        beat_q <= beat_q + 28'(limit);
        left_q <= left_q - 25'(limit);
      end else if (!row_end) begin
        beat_q <= segment_q + 28'(segment_stride_q);
        segment_q <= segment_q + 28'(segment_stride_q);
        left_q <= segment_beats_q;
        segments_left_q <= segments_left_q - 11'd1;
      end else begin
        beat_q <= row_q + 28'(row_stride_q);
        segment_q <= row_q + 28'(row_stride_q);
        row_q <= row_q + 28'(row_stride_q);
        left_q <= segment_beats_q;
        segments_left_q <= segments_q;
        rows_left_q <= rows_left_q - 11'd1;
        active_q <= !last_o;
      end
    end
    if (valid_i && ready_o) begin
      active_q <= 1'b1;
      beat_q <= beat_i;
      segment_q <= beat_i;
      row_q <= beat_i;
      left_q <= segment_beats_i;
      segment_beats_q <= segment_beats_i;
      segments_left_q <= segments_i;
      segments_q <= segments_i;
      rows_left_q <= rows_i;
      segment_stride_q <= segment_stride_i;
      row_stride_q <= row_stride_i;
    end
    if (rst_i) active_q <= 1'b0;
  end
endmodule

`default_nettype wire
