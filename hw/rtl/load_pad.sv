// Part of Tenon, under the Apache License v2.0.
//
// Walks over the padding of one LOAD in scratchpad order: the rows above, then
// left and right of each row read, then the rows below.  It asks for the write
// port whenever it stands on an element and steps over what LOAD reads without
// the port; it knows nothing of the data.  `done_o` counts the write of a cycle
// that data leave to it, `idle_o` does not and is a register's value.  A LOAD
// without padding is done at once.

`default_nettype none

module load_pad (
    input  logic                                  clk_i,
    input  logic                                  rst_i,
    // a new LOAD, taken always (the one before is done)
    input  logic                                  start_i,
    input  logic [tenon_pkg::SRAM_INDEX_BITS-1:0] sram_i,
    input  logic [10:0]                           y_size_i,
    input  logic [10:0]                           x_size_i,
    input  logic [3:0]                            pad_top_i,
    input  logic [3:0]                            pad_bottom_i,
    input  logic [3:0]                            pad_left_i,
    input  logic [3:0]                            pad_right_i,
    // the write port
    output logic                                  write_valid_o,
    output logic [tenon_pkg::SRAM_INDEX_BITS-1:0] write_index_o,
    input  logic                                  write_ready_i,
    output logic                                  idle_o,
    output logic                                  done_o
);
  localparam int IndexBits = tenon_pkg::SRAM_INDEX_BITS;
  localparam logic [1:0] Top = 2'd0, Left = 2'd1, Right = 2'd2, Bottom = 2'd3;

  logic done_q;
  logic [1:0] part_q;
  // elements left in this run of padding, rows left in this part
  logic [11:0] run_q;
  logic [10:0] rows_q;
  logic [IndexBits-1:0] index_q;
  logic [10:0] y_size_q, x_size_q;
  logic [11:0] row_length_q;
  logic [3:0] bottom_q, left_q, right_q;

  // one row is left, or would be from the start
  logic last_row, bottom_one_q, y_one_q;
  logic write, run_end, run_none, run_one, part_end;
  logic [11:0] row_length;
  logic [IndexBits:0] index_right;

  assign row_length = 12'(x_size_i) + 12'(pad_left_i) + 12'(pad_right_i);
  assign run_none = run_q == 12'd0;
  assign run_one = run_q == 12'd1;
  assign write_valid_o = !done_q && !run_none;
  assign write_index_o = index_q;
  assign write = write_valid_o && write_ready_i;
  assign run_end = !done_q && (run_none || (write_ready_i && run_one));
  assign part_end = part_q == Bottom || (part_q == Right && bottom_q == 4'd0);
  assign idle_o = done_q;
  assign done_o = done_q || ((run_none || run_one) && last_row && part_end);
  // Right of what is read: a run that ends with a write ends behind it.
  assign index_right = {index_q, 1'b1} + {IndexBits'(x_size_q), !run_none};

  always_ff @(posedge clk_i) begin
    if (write) begin
      index_q <= index_q + IndexBits'(1);
      run_q <= run_q - 12'd1;
    end
    if (run_end) begin
      done_q <= last_row && part_end;
      unique case (part_q)
        Top: begin
          part_q <= last_row ? Left : Top;
          run_q <= last_row ? 12'(left_q) : row_length_q;
          rows_q <= last_row ? y_size_q : rows_q - 11'd1;
          last_row <= last_row ? y_one_q : rows_q == 11'd2;
        end
        Left: begin
          part_q <= Right;
          run_q <= 12'(right_q);
          index_q <= index_right[IndexBits:1];
        end
        Right: begin
          part_q <= last_row ? Bottom : Left;
          run_q <= last_row ? row_length_q : 12'(left_q);
          rows_q <= last_row ? 11'(bottom_q) : rows_q - 11'd1;
          last_row <= last_row ? bottom_one_q : rows_q == 11'd2;
        end
        default: begin
          run_q <= row_length_q;
          rows_q <= rows_q - 11'd1;
          last_row <= rows_q == 11'd2;
        end
      endcase
    end
    if (start_i) begin
      done_q <= {pad_top_i, pad_bottom_i, pad_left_i, pad_right_i} == 16'd0;
      part_q <= (pad_top_i != 4'd0) ? Top : Left;
      run_q <= (pad_top_i != 4'd0) ? row_length : 12'(pad_left_i);
      rows_q <= (pad_top_i != 4'd0) ? 11'(pad_top_i) : y_size_i;
      last_row <= (pad_top_i != 4'd0) ? pad_top_i == 4'd1 : y_size_i == 11'd1;
      {y_one_q, bottom_one_q} <= {y_size_i == 11'd1, pad_bottom_i == 4'd1};
      index_q <= sram_i;
      y_size_q <= y_size_i;
      x_size_q <= x_size_i;
      row_length_q <= row_length;
      bottom_q <= pad_bottom_i;
      left_q <= pad_left_i;
      right_q <= pad_right_i;
    end
    if (rst_i) done_q <= 1'b1;
  end

  // Indices go round.
  logic unused;
  assign unused = &{1'b0, x_size_q, index_right[0]};

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin : assertions
    if (!rst_i) begin
      // A LOAD begins when the one before is done.
      begins_when_done : assert (!start_i || done_o);
      // What is padded has rows and elements.
      padded_not_empty : assert (!start_i || {pad_top_i, pad_bottom_i, pad_left_i, pad_right_i} == 16'd0 || (y_size_i != 11'd0 && x_size_i != 11'd0));
      // What begins with the last padding element's write lets it through.
      last_element_written : assert (!start_i || idle_o || write_ready_i);
    end
  end
`endif
endmodule

`default_nettype wire
