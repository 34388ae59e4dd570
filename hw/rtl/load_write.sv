// Part of Tenon, under the Apache License v2.0.
//
// The back half of LOAD: a queue of the LOADs whose addresses are being issued,
// and the walk over the oldest one's elements.  Data have the write port first
// and are never refused while it has some to come; padding takes the cycles in
// which no data are written.  The next LOAD begins in the cycle after the last
// element, so that single beats follow each other without a gap.  `finish_o` is
// high in the cycle before the last element stands at `ld_*`, with the signals
// that may go out in that cycle.  SETs pass through the same queue, so that a
// register's value is there for the LOADs behind it and for no other.

`default_nettype none

module load_write (
    input  logic                                  clk_i,
    input  logic                                  rst_i,
    // registers to their reset values
    input  logic                                  start_i,
    // LOADs and SETs in order; first: index of the first element that is read;
    // skip: beats dropped between elements
    input  logic                                  valid_i,
    input  logic                                  is_set_i,
    input  tenon_pkg::set_t                       set_i,
    input  tenon_pkg::load_t                      load_i,
    input  logic [tenon_pkg::SRAM_INDEX_BITS-1:0] first_i,
    input  logic [13:0]                           skip_i,
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

  // A SET has its register's index and value where a LOAD has its sizes.
  typedef struct packed {
    logic [2:0]           signal;
    logic                 is_set;
    logic [2:0]           memory;
    logic [1:0]           pad_kind;
    logic [IndexBits-1:0] sram;
    logic [IndexBits-1:0] first;
    logic [10:0]          rows;
    logic [10:0]          x_size;
    logic [13:0]          skip;
    logic [3:0]           pad_top;
    logic [3:0]           pad_bottom;
    logic [3:0]           pad_left;
    logic [3:0]           pad_right;
  } entry_t;
  localparam int EntryBits = 61 + 2 * IndexBits;

  // ---- the LOADs not yet begun, and the one at work
  entry_t entry, next, now_q;
  logic next_valid, next_taken, now_valid_q;

  always_comb begin
    entry.signal = load_i.signal;
    entry.is_set = is_set_i;
    entry.memory = load_i.memory;
    entry.pad_kind = load_i.pad_kind;
    entry.sram = load_i.sram;
    entry.first = first_i;
    {entry.rows, entry.x_size, entry.skip} =
        {load_i.y_size, load_i.x_size, skip_i};
    {entry.pad_top, entry.pad_bottom, entry.pad_left, entry.pad_right} = {
      load_i.pad_top, load_i.pad_bottom, load_i.pad_left, load_i.pad_right
    };
    if (is_set_i) begin
      {entry.rows, entry.x_size, entry.skip} = {set_i.index, set_i.value};
      {entry.pad_top, entry.pad_bottom, entry.pad_left, entry.pad_right} =
          16'd0;
    end
  end

  fifo #(
      .Width(EntryBits),
      .Depth(tenon_pkg::QUEUE_DEPTH)
  ) u_entries (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .valid_i(valid_i),
      .data_i(entry),
      .ready_o(ready_o),
      .valid_o(next_valid),
      .data_o(next),
      .ready_i(next_taken)
  );

  assign next_taken = next_valid && (!now_valid_q || finish_o);

  // ---- the walk over the data
  // Each of the registers `*_one_q` says in the cycle of a beat what ends with
  // it: the beat decides alone.
  logic open_q;     // data are still to come
  logic [IndexBits-1:0] index_q;
  logic [7:0] beat_q;
  logic [13:0] skip_q;
  logic skips_q;  // skip_q is not 0
  logic [10:0] x_left_q, rows_left_q;
  logic [7:0] next_last, last_q, beat;
  logic beat_one_q, x_one_q, row_one_q;      // one is left
  logic beats_one_q, size_one_q;             // there is but one
  logic gaps_q;                              // beats to skip between elements
  logic [4:0] gap_q;  // padding between two rows
  logic last_beat_q;                         // the LOAD's last, if one comes
  logic take, write_data, element_end, row_end;

  assign data_ready_o = open_q;
  assign take = data_valid_i && open_q;
  assign write_data = take && !skips_q;
  assign element_end = write_data && beat_one_q;
  assign row_end = element_end && x_one_q;
  assign beat = beat_q + 8'd1;

  always_ff @(posedge clk_i) begin
    if (take && skips_q) begin
      skip_q <= skip_q - 14'd1;
      skips_q <= skip_q != 14'd1;
      last_beat_q <= skip_q == 14'd1 && beat_one_q && x_one_q && row_one_q;
    end
    if (write_data) begin
      beat_q <= beat_one_q ? 8'd0 : beat;
      beat_one_q <= beat_one_q ? beats_one_q : beat == last_q;
      last_beat_q <= beat == last_q && x_one_q && row_one_q;
    end
    if (element_end) begin
      index_q <= index_q + IndexBits'(1);
      x_left_q <= x_left_q - 11'd1;
      x_one_q <= x_left_q == 11'd2;
      last_beat_q <= beats_one_q && !gaps_q && x_left_q == 11'd2 && row_one_q;
      if (!row_end) begin
        skip_q <= now_q.skip;
        skips_q <= gaps_q;
      end
    end
    if (row_end) begin
      index_q <= index_q + IndexBits'(gap_q) + IndexBits'(1);
      x_left_q <= now_q.x_size;
      x_one_q <= size_one_q;
      rows_left_q <= rows_left_q - 11'd1;
      row_one_q <= rows_left_q == 11'd2;
      last_beat_q <= beats_one_q && size_one_q && rows_left_q == 11'd2;
      if (row_one_q) open_q <= 1'b0;
    end
    if (next_taken) begin
      now_q <= next;
      last_q <= next_last;
      gap_q <= 5'(next.pad_left) + 5'(next.pad_right);
      index_q <= next.first;
      open_q <= !next.is_set;
      beat_q <= 8'd0;
      {beat_one_q, beats_one_q} <= {2{next_last == 8'd0}};
      {x_one_q, size_one_q} <= {2{next.x_size == 11'd1}};
      row_one_q <= next.rows == 11'd1;
      last_beat_q <= next_last == 8'd0 && next.x_size == 11'd1 &&
          next.rows == 11'd1;
      gaps_q <= next.skip != 14'd0;
      skips_q <= 1'b0;
      x_left_q <= next.x_size;
      rows_left_q <= next.rows;
    end
    if (next_taken || finish_o) now_valid_q <= next_taken;
    if (rst_i) {now_valid_q, open_q} <= 2'b0;
  end

  load_beats u_beats (
      .memory_i(next.memory),
      .last_o(next_last)
  );

  // ---- registers
  logic [3:0] set_index;
  logic [31:0] set_value;
  logic [8:0] zero_point_q;
  logic [31:0] pad_value_q;

  assign {set_index, set_value} = {next.rows, next.x_size, next.skip};

  always_ff @(posedge clk_i) begin
    if (next_taken && next.is_set) begin
      if (set_index == tenon_pkg::LOAD_REG_ZERO_POINT)
        zero_point_q <= set_value[8:0];
      if (set_index == tenon_pkg::LOAD_REG_PAD_VALUE) pad_value_q <= set_value;
    end
    if (rst_i || start_i) begin
      zero_point_q <= tenon_pkg::LOAD_REG_ZERO_POINT_RESET[8:0];
      pad_value_q <= tenon_pkg::LOAD_REG_PAD_VALUE_RESET;
    end
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

  assign finish_o = now_valid_q &&
      (open_q ? data_valid_i && last_beat_q && pad_idle : pad_done);
  assign finish_signal_o = now_q.signal;

  // ---- the write port, registered
  logic write_pad, narrow;
  logic [31:0] pad_now_q;
  assign write_pad = pad_valid && !write_data;

  // The greatest and the least value: eight bits in INP, else 32.
  assign narrow = next.memory == tenon_pkg::MEMORY_INP;
  always_ff @(posedge clk_i) begin
    if (next_taken) begin
      case (next.pad_kind)
        tenon_pkg::PAD_MIN: pad_now_q <= narrow ? 32'h80 : 32'h80000000;
        tenon_pkg::PAD_MAX: pad_now_q <= narrow ? 32'h7f : 32'h7fffffff;
        tenon_pkg::PAD_VALUE: pad_now_q <= pad_value_q;
        default: pad_now_q <= 32'd0;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    ld_valid_o <= (write_data || write_pad) && !rst_i;
    if (write_data || write_pad) begin
      ld_memory_o <= now_q.memory;
      ld_index_o <= write_data ? index_q : pad_index;
      ld_beat_o <= write_data ? beat_q : 8'd0;
      ld_all_o <= !write_data;
      ld_data_o <= write_data ? data_i : BusBits'(pad_now_q);
      ld_zero_point_o <= zero_point_q;
    end
  end

  assign awake_o = next_taken || data_valid_i || finish_o || !pad_idle ||
      ld_valid_o;

  // Needed only where the walks begin, or not kept by any register.
  logic unused;
  assign unused = &{1'b0, now_q, load_i, set_i};

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin : assertions
    if (!rst_i) begin
      // The last element is written of a LOAD that is at work.
      finishes_what_began : assert (!finish_o || now_valid_q);
      // Data are open only of a LOAD that is at work.
      open_at_work : assert (!open_q || now_valid_q);
    end
  end
`endif
endmodule

`default_nettype wire
