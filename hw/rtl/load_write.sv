// Part of Tenon, under the Apache License v2.0.
//
// The back half of LOAD: a queue of the LOADs whose addresses are being issued,
// and the walk over the oldest one's elements.  Data have the write port first
// and are never refused while it has some to come; padding takes the cycles in
// which no data are written.  The next LOAD begins in the cycle after the last
// element, so that single beats follow each other without a gap.  `finish_o` is
// high in the cycle before the last element stands at `ld_*`, with the signals
// that may go out in that cycle.  An entry with rows_i = 0 (SET) writes nothing.

`default_nettype none

module load_write (
    input  logic                                  clk_i,
    input  logic                                  rst_i,
    // LOADs in order; skip: beats dropped between elements
    input  logic                                  valid_i,
    input  logic [2:0]                            signal_i,
    input  logic [2:0]                            memory_i,
    input  logic [7:0]                            last_beat_i,
    input  logic [tenon_pkg::SRAM_INDEX_BITS-1:0] sram_i,
    input  logic [10:0]                           rows_i,
    input  logic [10:0]                           x_size_i,
    input  logic [13:0]                           skip_i,
    input  logic [15:0]                           pads_i,
    input  logic [31:0]                           pad_value_i,
    input  logic [8:0]                            zero_point_i,
    output logic                                  ready_o,
    // read data
    input  logic                                  data_valid_i,
    input  logic [tenon_pkg::BUS_BITS-1:0]        data_i,
    output logic                                  data_ready_o,
    // scratchpads
    output logic                                  ld_valid_o,
    output logic [2:0]                            ld_memory_o,
    output logic [tenon_pkg::SRAM_INDEX_BITS-1:0] ld_index_o,
    output logic [7:0]                            ld_beat_o,
    output logic                                  ld_all_o,
    output logic [tenon_pkg::BUS_BITS-1:0]        ld_data_o,
    output logic [8:0]                            ld_zero_point_o,
    output logic                                  awake_o,
    // the oldest LOAD is written
    output logic                                  finish_o,
    output logic [2:0]                            finish_signal_o
);
  localparam int IndexBits = tenon_pkg::SRAM_INDEX_BITS;
  localparam int BusBits = tenon_pkg::BUS_BITS;

  typedef struct packed {
    logic [2:0]           signal;
    logic [2:0]           memory;
    logic [7:0]           last_beat;
    logic [IndexBits-1:0] sram;
    logic [10:0]          rows;
    logic [10:0]          x_size;
    logic [13:0]          skip;
    logic [3:0]           pad_top;
    logic [3:0]           pad_bottom;
    logic [3:0]           pad_left;
    logic [3:0]           pad_right;
    logic [31:0]          pad_value;
    logic [8:0]           zero_point;
  } entry_t;
  localparam int EntryBits = 107 + IndexBits;

  // ---- the LOADs not yet begun, and the one at work
  entry_t next, now_q;
  logic next_valid, next_taken, now_valid_q;

  fifo #(
      .Width(EntryBits),
      .Depth(tenon_pkg::QUEUE_DEPTH)
  ) u_entries (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .valid_i(valid_i),
      .data_i({
        signal_i, memory_i, last_beat_i, sram_i, rows_i, x_size_i, skip_i,
        pads_i, pad_value_i, zero_point_i
      }),
      .ready_o(ready_o),
      .valid_o(next_valid),
      .data_o(next),
      .ready_i(next_taken)
  );

  assign next_taken = next_valid && (!now_valid_q || finish_o);

  // ---- the walk over the data
  logic data_done_q, data_done;
  logic [IndexBits-1:0] index_q;
  logic [7:0] beat_q;
  logic [13:0] skip_q;
  logic [10:0] x_left_q, rows_left_q;
  logic take, write_data, element_end, row_end;

  assign data_ready_o = now_valid_q && !data_done_q;
  assign take = data_valid_i && data_ready_o;
  assign write_data = take && skip_q == 14'd0;
  assign element_end = write_data && beat_q == now_q.last_beat;
  assign row_end = element_end && x_left_q == 11'd1;
  assign data_done = data_done_q || (row_end && rows_left_q == 11'd1);

  // First element read: below the padded rows above, right of the padding.
  // A product with a four-bit number, as a sum of shifted row lengths.
  logic [IndexBits-1:0] row_length, above;
  always_comb begin
    row_length = '0;
    above = '0;
    if (next_taken) begin
      row_length = IndexBits'(next.x_size) + IndexBits'(next.pad_left) +
          IndexBits'(next.pad_right);
      above = (next.pad_top[0] ? row_length : '0) +
          (next.pad_top[1] ? row_length << 1 : '0) +
          (next.pad_top[2] ? row_length << 2 : '0) +
          (next.pad_top[3] ? row_length << 3 : '0);
    end
  end

  always_ff @(posedge clk_i) begin
    if (take && skip_q != 14'd0) skip_q <= skip_q - 14'd1;
    if (write_data) beat_q <= element_end ? 8'd0 : beat_q + 8'd1;
    if (element_end) begin
      index_q <= index_q + IndexBits'(1);
      x_left_q <= x_left_q - 11'd1;
      if (!row_end) skip_q <= now_q.skip;
    end
    if (row_end) begin
      index_q <= index_q + IndexBits'(1) + IndexBits'(now_q.pad_left) +
          IndexBits'(now_q.pad_right);
      x_left_q <= now_q.x_size;
      rows_left_q <= rows_left_q - 11'd1;
      data_done_q <= data_done;
    end
    if (next_taken) begin
      now_q <= next;
      index_q <= next.sram + above + IndexBits'(next.pad_left);
      data_done_q <= next.rows == 11'd0;
      beat_q <= 8'd0;
      skip_q <= 14'd0;
      x_left_q <= next.x_size;
      rows_left_q <= next.rows;
    end
    if (next_taken || finish_o) now_valid_q <= next_taken;
    if (rst_i) now_valid_q <= 1'b0;
  end

  // ---- the walk over the padding
  logic pad_done, pad_idle, pad_valid;
  logic [IndexBits-1:0] pad_index;

  load_pad u_pad (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .start_i(next_taken),
      .sram_i(next.sram),
      .y_size_i(next.rows),
      .x_size_i(next.x_size),
      .pad_top_i(next.pad_top),
      .pad_bottom_i(next.pad_bottom),
      .pad_left_i(next.pad_left),
      .pad_right_i(next.pad_right),
      .write_valid_o(pad_valid),
      .write_index_o(pad_index),
      .write_ready_i(!write_data),
      .idle_o(pad_idle),
      .done_o(pad_done)
  );

  assign finish_o = now_valid_q && data_done && pad_done;
  assign finish_signal_o = now_q.signal;

  // ---- the write port, registered
  logic write_pad;
  assign write_pad = pad_valid && !write_data;

  always_ff @(posedge clk_i) begin
    ld_valid_o <= (write_data || write_pad) && !rst_i;
    if (write_data || write_pad) begin
      ld_memory_o <= now_q.memory;
      ld_index_o <= write_data ? index_q : pad_index;
      ld_beat_o <= write_data ? beat_q : 8'd0;
      ld_all_o <= !write_data;
      ld_data_o <= write_data ? data_i : BusBits'(now_q.pad_value);
      ld_zero_point_o <= now_q.zero_point;
    end
  end

  assign awake_o = next_taken || data_valid_i || finish_o || !pad_idle ||
      ld_valid_o;

  // Needed only where the walks begin.
  logic unused;
  assign unused = &{
    1'b0, now_q.sram, now_q.rows, now_q.pad_top, now_q.pad_bottom
  };
endmodule

`default_nettype wire
