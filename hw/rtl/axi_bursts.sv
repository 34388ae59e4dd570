// Part of Tenon, under the Apache License v2.0.
//
// Cuts a strided region of DRAM into AXI bursts, one a cycle: rows of segments
// of consecutive beats.  A burst has at most BURST_BEATS beats and never
// crosses a 4 KiB boundary.  A burst that is not taken at once is put aside, so
// that neither the walk nor `ready_o` waits for `ready_i` of the same cycle.
// The next region is taken in the cycle after the last burst of the one before
// was made, so that whoever has it need not wait for that burst's length;
// behind a region of a single burst, which is known from the start, in the
// cycle in which it is made.  The first burst of a region stands at the output
// in the cycle after.  Addresses are in beats of the bus, lengths are beats
// minus one; a region's tag goes with its bursts.  What is offered is read,
// taken or not, so that the many registers need not wait for the decision.

`default_nettype none

module axi_bursts #(
    parameter int AddressBits = ($clog2(tenon_pkg::BEAT_BYTES) > 4) ? 29 :
        33 - $clog2(tenon_pkg::BEAT_BYTES)
) (
    input  logic                   clk_i,
    input  logic                   rst_i,
    // region: one stands there; it is taken
    input  logic                   offer_i,
    input  logic                   valid_i,
    input  logic [AddressBits-1:0] beat_i,
    input  logic [24:0]            segment_last_i,
    input  logic [10:0]            segments_i,
    input  logic [10:0]            rows_i,
    input  logic [13:0]            segment_stride_i,
    input  logic [19:0]            row_stride_i,
    input  logic [2:0]             tag_i,
    output logic                   ready_o,
    // bursts
    output logic                   valid_o,
    output logic [AddressBits-1:0] beat_o,
    output logic [7:0]             length_o,
    output logic                   last_o,
    output logic [2:0]             tag_o,
    input  logic                   ready_i
);
  localparam int PageBits = 12 - $clog2(tenon_pkg::BEAT_BYTES);
  localparam int BurstBits = $clog2(tenon_pkg::BURST_BEATS);
  // Beats of the longest burst that there is; those above number them.
  localparam int LowBits = (PageBits < BurstBits) ? PageBits : BurstBits;
  localparam int HighBits = AddressBits - LowBits;

  logic active_q, single_q, single;
  // no more than a longest burst is left, or is in a segment
  logic short_q, segment_short_q, short;
  logic [AddressBits-1:0] beat_q, segment_q, row_q;
  // beats left after the next one; segments and rows left
  logic [24:0] left_q, segment_last_q;
  logic [10:0] segments_left_q, segments_q, rows_left_q;
  logic [13:0] segment_stride_q;
  logic [19:0] row_stride_q;

  logic page_ends, starts_late, fits, segment_end, last_segment, row_end;
  logic last, spare_valid_q;
  logic [2:0] tag_q;
  logic [7:0] length;
  logic [AddressBits+11:0] made, spare_q;
  logic [LowBits-1:0] limit;
  logic [AddressBits-1:0] next;

  // Where the 4 KiB end before the longest burst does, the next one begins at
  // their end: its low bits are 0, and it is shorter by what they were.
  if (PageBits > LowBits) begin : gen_page
    assign page_ends = &beat_q[PageBits-1:LowBits];
    assign starts_late = &beat_i[PageBits-1:LowBits];
  end else begin : gen_burst
    assign page_ends = 1'b1;
    assign starts_late = 1'b1;
  end

  // How the first burst ends, before there are registers for it.
  assign short = segment_last_i[24:LowBits] == '0;
  assign single = rows_i == 11'd1 && segments_i == 11'd1 && short &&
      (!starts_late || segment_last_i[LowBits-1:0] <= ~beat_i[LowBits-1:0]);

  assign limit = page_ends ? ~beat_q[LowBits-1:0] : '1;
  assign fits = !page_ends || left_q[LowBits-1:0] <= ~beat_q[LowBits-1:0];
  assign segment_end = short_q && fits;
  assign last_segment = segments_left_q == 11'd1;
  assign next = (last_segment ? row_q : segment_q) + (last_segment ?
      AddressBits'(row_stride_q) : AddressBits'(segment_stride_q));
  assign row_end = segment_end && last_segment;
  assign last = row_end && rows_left_q == 11'd1;
  assign ready_o = !active_q || (single_q && !spare_valid_q);

  // ---- the burst put aside
  // The length apart: inside the braces Yosys would not see its width.
  assign length = segment_end ? 8'(left_q) : 8'(limit);
  assign made = {beat_q, length, last, tag_q};
  assign valid_o = active_q || spare_valid_q;
  assign {beat_o, length_o, last_o, tag_o} = spare_valid_q ? spare_q : made;

  always_ff @(posedge clk_i) begin
    if (!spare_valid_q) spare_q <= made;
    if (ready_i) spare_valid_q <= 1'b0;
    else if (active_q) spare_valid_q <= 1'b1;
    if (rst_i) spare_valid_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (active_q && !spare_valid_q) begin
      if (!segment_end) begin
        beat_q <= {beat_q[AddressBits-1:LowBits] + HighBits'(1),
                   page_ends ? LowBits'(0) : beat_q[LowBits-1:0]};
        // Less a longest burst, but for what is missing in this one.
        left_q <= left_q + {{(25 - LowBits){1'b1}}, ~limit};
        if (fits) short_q <= left_q[24:LowBits] == (25 - LowBits)'(1);
      end else begin
        beat_q <= next;
        segment_q <= next;
        left_q <= segment_last_q;
        short_q <= segment_short_q;
        segments_left_q <= segments_left_q - 11'd1;
        if (last_segment) begin
          row_q <= next;
          segments_left_q <= segments_q;
          rows_left_q <= rows_left_q - 11'd1;
          active_q <= !last;
        end
      end
    end
    if (offer_i && ready_o) begin
      active_q <= valid_i;
      single_q <= single;
      {short_q, segment_short_q} <= {2{short}};
      beat_q <= beat_i;
      segment_q <= beat_i;
      row_q <= beat_i;
      left_q <= segment_last_i;
      segment_last_q <= segment_last_i;
      segments_left_q <= segments_i;
      segments_q <= segments_i;
      rows_left_q <= rows_i;
      segment_stride_q <= segment_stride_i;
      row_stride_q <= row_stride_i;
      tag_q <= tag_i;
    end
    if (rst_i) active_q <= 1'b0;
  end

`ifndef SYNTHESIS
  logic stands_q;

  always_ff @(posedge clk_i) begin : assertions
    stands_q <= valid_o && !ready_i && !rst_i;
    if (!rst_i) begin
      // A region is given only where one is offered.
      offered_before_given : assert (!valid_i || offer_i);
      // A region has rows and segments.
      sizes_not_zero : assert (!valid_i || (segments_i != 11'd0 && rows_i != 11'd0));
      // A burst that is not taken stands.
      burst_stands : assert (!stands_q || valid_o);
    end
  end
`endif
endmodule

`default_nettype wire
