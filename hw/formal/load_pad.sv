// Part of Tenon, under the Apache License v2.0.
//
// load_pad: of a LOAD's rows of pad_left + x_size + pad_right elements, pad_top +
// y_size + pad_bottom of them, exactly the padded ones are written, each once, in
// scratchpad order: element (y, x) at sram + y*row + x. Never one that LOAD reads;
// when it says that it is done none is left. A write that is asked for stays until
// the port takes it. It steps over a row without
// padding beside it in two cycles at most.
// Assumed: what executes has sizes of at least 1 (validate.cpp); a LOAD starts
// when the one before is done. Proved for up to 3 rows and elements read and up
// to 2 padded on each side.
`default_nettype none

module load_pad_formal (
    input logic                                  clk_i,
    input logic                                  rst_i,
    input logic                                  start_i,
    input logic [tenon_pkg::SRAM_INDEX_BITS-1:0] sram_i,
    input logic [10:0]                           y_size_i,
    input logic [10:0]                           x_size_i,
    input logic [3:0]                            pad_top_i,
    input logic [3:0]                            pad_bottom_i,
    input logic [3:0]                            pad_left_i,
    input logic [3:0]                            pad_right_i,
    input logic                                  write_ready_i
);
  localparam int IndexBits = tenon_pkg::SRAM_INDEX_BITS;

  logic write_valid_o, idle_o, done_o;
  logic [IndexBits-1:0] write_index_o;
  load_pad dut (.*);

  // ---- the LOAD, and the next element that is padding, if one is left
  logic started_q = 1'b0, left_q;
  logic [11:0] top_q, below_q, rows_q;    // first row read, first below, all
  logic [11:0] first_q, right_q, row_q;   // first element read, right of it, all
  logic [11:0] y_q, x_q;
  logic [IndexBits-1:0] at_q, start_q;    // of the row
  logic write, in_body;
  assign write = write_valid_o && write_ready_i;
  assign in_body = y_q >= top_q && y_q < below_q;

  // The element behind (y, x) in scratchpad order, and then the next padded one.
  logic [11:0] y_next, x_next, x_in, y_pad, x_pad;
  logic next_in_body, skips, row_ends, left, given_left;
  assign x_in = x_q + 12'd1;
  assign row_ends = x_in == row_q;
  assign y_next = row_ends ? y_q + 12'd1 : y_q;
  assign x_next = row_ends ? 12'd0 : x_in;
  assign next_in_body = y_next >= top_q && y_next < below_q;
  // In a row that is read, padding goes on at once, or behind what is read, or
  // (nothing right of it) in the next row: the row's sizes say which.
  assign skips = next_in_body && x_next == first_q;
  always_comb begin
    y_pad = y_next;
    x_pad = skips ? right_q : x_next;
    if (skips && right_q == row_q) begin
      // To the next row with padding at its left, or to those below.
      y_pad = first_q != 12'd0 ? y_next + 12'd1 : below_q;
      x_pad = 12'd0;
    end
  end
  assign left = y_pad < rows_q && !(skips && right_q == row_q && y_pad >= rows_q);

  // The first padded element.
  logic [11:0] given_rows, given_row, first_y, first_x;
  assign given_rows = {8'd0, pad_top_i} + {1'b0, y_size_i} + {8'd0, pad_bottom_i};
  assign given_row = {8'd0, pad_left_i} + {1'b0, x_size_i} + {8'd0, pad_right_i};
  always_comb begin
    {first_y, first_x} = '0;
    if (pad_top_i == 4'd0 && pad_left_i == 4'd0) begin
      if (pad_right_i != 4'd0) first_x = {1'b0, x_size_i};
      else first_y = {1'b0, y_size_i};
    end
  end
  assign given_left = {pad_top_i, pad_bottom_i, pad_left_i, pad_right_i} != 16'd0;

  logic held_q;
  logic [IndexBits-1:0] held_index_q;
  logic [12:0] gap_q;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    held_q <= write_valid_o && !write_ready_i && !rst_i;
    held_index_q <= write_index_o;
    gap_q <= write_valid_o || !left_q ? 13'd0 : gap_q + 13'd1;
    if (write) begin
      {left_q, y_q, x_q} <= {left, y_pad, x_pad};
    end
    if (start_i) begin
      left_q <= given_left;
      {y_q, x_q} <= {first_y, first_x};
      start_q <= sram_i;
      top_q <= {8'd0, pad_top_i};
      below_q <= {8'd0, pad_top_i} + {1'b0, y_size_i};
      rows_q <= given_rows;
      first_q <= {8'd0, pad_left_i};
      right_q <= {8'd0, pad_left_i} + {1'b0, x_size_i};
      row_q <= given_row;
      gap_q <= 13'd0;
    end
    if (rst_i) left_q <= 1'b0;
  end

  // Where element (y, x) stands.
  logic [IndexBits-1:0] index;
  assign index = start_q + y_q[IndexBits-1:0] * row_q[IndexBits-1:0] + x_q[IndexBits-1:0];

  always_comb begin
    if (!started_q) assume (rst_i);
    else if (!rst_i) begin
      if (start_i) assume (y_size_i != 11'd0 && x_size_i != 11'd0 && done_o);
      if (start_i && !idle_o) assume (write_ready_i);
      if (start_i) begin
        assume (y_size_i <= 11'd3 && x_size_i <= 11'd3);
        assume (pad_top_i <= 4'd2 && pad_bottom_i <= 4'd2);
        assume (pad_left_i <= 4'd2 && pad_right_i <= 4'd2);
      end

      assert (!write_valid_o || left_q);
      if (write_valid_o) assert (write_index_o == index);
      if (idle_o) assert (!left_q);
      if (done_o && write_ready_i) assert (!left_q || (write && !left));
      if (held_q) assert (write_valid_o && write_index_o == held_index_q);
      assert (!left_q || write_valid_o || gap_q <= {below_q - top_q, 1'b1});

      cover (write && !left && top_q == 12'd1 && first_q == 12'd1 && in_body);
      cover (write && skips && right_q == row_q && left);
    end
  end
endmodule

`default_nettype wire
