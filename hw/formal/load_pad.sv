// Part of Tenon, under the Apache License v2.0.
//
// load_pad: of a LOAD's rows of pad_left + x_size + pad_right elements, pad_top +
// y_size + pad_bottom of them, exactly the padded ones are written, each once, in
// scratchpad order: element (y, x) at sram + y*row + x. Never one that LOAD reads;
// when it says that it is done none is left. A write that is asked for stays until
// the port takes it.
// Assumed: what executes has sizes of at least 1 (validate.cpp); a LOAD starts
// when the one before is done.
`default_nettype none

// The first padded element at (y, x) or behind it in scratchpad order; there is
// none if its row is behind the last. x may be just behind its row.
module next_padding (
    input  logic [11:0] y_i,
    input  logic [11:0] x_i,
    input  logic [11:0] top_i,
    input  logic [11:0] below_i,
    input  logic [11:0] first_i,
    input  logic [11:0] right_i,
    input  logic [11:0] row_i,
    output logic [11:0] y_o,
    output logic [11:0] x_o
);
  logic [11:0] y, x;
  always_comb begin
    y = x_i < row_i ? y_i : y_i + 12'd1;
    x = x_i < row_i ? x_i : 12'd0;
    {y_o, x_o} = {y, x};
    if (y >= top_i && y < below_i && x >= first_i && x < right_i) begin
      // What is read; behind it the row's right side, the next row's left side
      // or, without either, the rows below.
      if (right_i < row_i) x_o = right_i;
      else {y_o, x_o} = {first_i != 12'd0 ? y + 12'd1 : below_i, 12'd0};
    end
  end
endmodule

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

  // ---- the LOAD; the next element to write, if one is left
  logic started_q = 1'b0;
  logic [11:0] top_q, below_q, rows_q;   // first row read, first below, all rows
  logic [11:0] first_q, right_q, row_q;  // first element read, right of it, all
  logic [11:0] y_q, x_q, y_next, x_next;
  logic [IndexBits-1:0] start_q;
  logic write, left;
  assign write = write_valid_o && write_ready_i;
  assign left = y_q < rows_q;

  logic [11:0] top, below, rows, first, right, row, y_first, x_first;
  assign top = {8'd0, pad_top_i};
  assign below = top + {1'b0, y_size_i};
  // Without padding nothing is left, whatever the sizes are.
  assign rows = {pad_top_i, pad_bottom_i, pad_left_i, pad_right_i} == 16'd0 ? 12'd0 : below + {8'd0, pad_bottom_i};
  assign first = {8'd0, pad_left_i};
  assign right = first + {1'b0, x_size_i};
  assign row = right + {8'd0, pad_right_i};

  next_padding at_start (
      .y_i(12'd0), .x_i(12'd0), .top_i(top), .below_i(below),
      .first_i(first), .right_i(right), .row_i(row), .y_o(y_first), .x_o(x_first)
  );
  next_padding behind (
      .y_i(y_q), .x_i(x_q + 12'd1), .top_i(top_q), .below_i(below_q),
      .first_i(first_q), .right_i(right_q), .row_i(row_q), .y_o(y_next), .x_o(x_next)
  );

  logic held_q;
  logic [IndexBits-1:0] held_index_q;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    held_q <= write_valid_o && !write_ready_i && !rst_i;
    held_index_q <= write_index_o;
    if (write) {y_q, x_q} <= {y_next, x_next};
    if (start_i) begin
      {y_q, x_q} <= {y_first, x_first};
      {top_q, below_q, rows_q} <= {top, below, rows};
      {first_q, right_q, row_q} <= {first, right, row};
      start_q <= sram_i;
    end
    if (rst_i) {y_q, rows_q} <= '0;
  end

  // Where element (y, x) stands.
  logic [IndexBits-1:0] index;
  assign index = start_q + y_q[IndexBits-1:0] * row_q[IndexBits-1:0] + x_q[IndexBits-1:0];

  // ---- invariant: dut stands at an element, (y, x), and the next padded one
  // from there on is the next to write
  (* hierconn *) wire \dut.done_q , \dut.last_row , \dut.y_one_q , \dut.bottom_one_q ;
  (* hierconn *) wire [1:0] \dut.part_q ;
  (* hierconn *) wire [11:0] \dut.run_q , \dut.row_length_q ;
  (* hierconn *) wire [10:0] \dut.rows_q , \dut.y_size_q , \dut.x_size_q ;
  (* hierconn *) wire [IndexBits-1:0] \dut.index_q ;
  (* hierconn *) wire [3:0] \dut.bottom_q , \dut.left_q , \dut.right_q ;
  logic [11:0] y_dut, x_dut, y_pad, x_pad, rows_most, run_most;
  logic [IndexBits-1:0] index_dut;
  always_comb begin
    case (\dut.part_q )
      2'd0: {y_dut, x_dut, rows_most, run_most} = {top_q, row_q, top_q, row_q};
      2'd1: {y_dut, x_dut, rows_most, run_most} = {below_q, first_q, below_q - top_q, first_q};
      2'd2: {y_dut, x_dut, rows_most, run_most} = {below_q, row_q, below_q - top_q, row_q - right_q};
      default: {y_dut, x_dut, rows_most, run_most} = {rows_q, row_q, rows_q - below_q, row_q};
    endcase
    y_dut = y_dut - {1'b0, \dut.rows_q };
    x_dut = x_dut - \dut.run_q ;
  end
  assign index_dut = start_q + y_dut[IndexBits-1:0] * row_q[IndexBits-1:0] + x_dut[IndexBits-1:0];
  next_padding from_dut (
      .y_i(y_dut), .x_i(x_dut), .top_i(top_q), .below_i(below_q),
      .first_i(first_q), .right_i(right_q), .row_i(row_q), .y_o(y_pad), .x_o(x_pad)
  );
  always_comb begin
    if (started_q && !\dut.done_q ) begin
      assert ({1'b0, \dut.y_size_q } == below_q - top_q && \dut.y_size_q != 11'd0);
      assert ({1'b0, \dut.x_size_q } == right_q - first_q && \dut.x_size_q != 11'd0);
      assert (top_q < 12'd16 && first_q < 12'd16);
      assert ({8'd0, \dut.bottom_q } == rows_q - below_q);
      assert ({8'd0, \dut.left_q } == first_q && {8'd0, \dut.right_q } == row_q - right_q);
      assert (\dut.row_length_q == row_q);
      assert (\dut.last_row == (\dut.rows_q == 11'd1));
      assert (\dut.y_one_q == (\dut.y_size_q == 11'd1) && \dut.bottom_one_q == (\dut.bottom_q == 4'd1));
      assert (\dut.rows_q != 11'd0 && {1'b0, \dut.rows_q } <= rows_most);
      assert (\dut.run_q <= run_most && (\dut.run_q != 12'd0 || \dut.part_q [0] != \dut.part_q [1]));
      assert (\dut.index_q == index_dut);
      assert (y_q == y_pad && (!left || x_q == x_pad));
    end
    if (started_q && \dut.done_q ) assert (!left);
  end

  always_comb begin
    if (!started_q) reset_first : assume (rst_i);
    else if (!rst_i) begin
      if (start_i) begins_when_done : assume (done_o);
      if (start_i && {pad_top_i, pad_bottom_i, pad_left_i, pad_right_i} != 16'd0)
        padded_not_empty : assume (y_size_i != 11'd0 && x_size_i != 11'd0);
      if (start_i && !idle_o) last_element_written : assume (write_ready_i);

      assert (!write_valid_o || left);
      if (write_valid_o) assert (write_index_o == index);
      if (idle_o) assert (!left);
      if (done_o && write_ready_i) assert (!left || (write && y_next >= rows_q));
      if (held_q) assert (write_valid_o && write_index_o == held_index_q);

      cover (write && y_next >= rows_q && top_q == 12'd1 && first_q == 12'd1 && x_q >= right_q);
      cover (write && y_q < below_q && right_q == row_q && y_next == below_q && left);
    end
  end
endmodule

`default_nettype wire
