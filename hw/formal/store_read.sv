// Part of Tenon, under the Apache License v2.0.
//
// store_read: the beats are those of the STOREs' elements, in order, each once:
// element n of a STORE, of y_size * x_size, is OUT[sram + n]; the queue of
// elements never overflows, whatever the port does; a beat stands until it is
// taken. Beat b of OUT's element i is taken to be {i, 1, b}, and stands two
// cycles after its index: data pass and are not looked at.
// Assumed: sizes are at least 1 (validate.cpp); at most 3 here.
`default_nettype none

module store_read_formal (
    input logic                                 clk_i,
    input logic                                 rst_i,
    input logic                                 valid_i,
    input logic [tenon_pkg::OUT_INDEX_BITS-1:0] sram_i,
    input logic [10:0]                          y_size_i,
    input logic [10:0]                          x_size_i,
    input logic                                 data_ready_i
);
  localparam int IndexBits = tenon_pkg::OUT_INDEX_BITS;
  localparam int Beats = tenon_pkg::OUT_BYTES * 8 / tenon_pkg::BUS_BITS;

  logic ready_o, st_valid_o, data_valid_o;
  logic [IndexBits-1:0] st_index_o;
  logic [tenon_pkg::OUT_BYTES*8-1:0] st_data_i;
  logic [tenon_pkg::BUS_BITS-1:0] data_o;
  store_read dut (.*);

  // ---- OUT: beat b of element i is {i, b}
  logic [IndexBits-1:0] asked_q, answer_q;
  always_ff @(posedge clk_i) {answer_q, asked_q} <= {asked_q, st_index_o};
  always_comb
    for (int b = 0; b < Beats; b++)
      st_data_i[b*tenon_pkg::BUS_BITS+:tenon_pkg::BUS_BITS] = {answer_q, 1'b1, b[7:0]};

  // ---- the STOREs not yet through, in order; element and beat of the first
  typedef struct packed {
    logic [IndexBits-1:0] sram;
    logic [21:0]          elements;
  } given_t;
  given_t queue_q[16], now_q, given;
  logic [3:0] first_q, count_q;
  logic accept, taken, last_beat, ends;
  logic [21:0] element_q;
  logic [7:0] beat_q;
  assign given = {sram_i, 22'(y_size_i * x_size_i)};
  assign accept = valid_i && ready_o;
  assign taken = data_valid_o && data_ready_i;
  assign last_beat = beat_q == Beats - 1;
  assign ends = taken && last_beat && element_q + 22'd1 == now_q.elements;

  always_ff @(posedge clk_i) begin
    if (accept) queue_q[first_q+count_q] <= given;
    count_q <= count_q + {3'd0, accept} - {3'd0, ends};
    if (ends) first_q <= first_q + 4'd1;
    if (taken) beat_q <= last_beat ? 8'd0 : beat_q + 8'd1;
    if (taken && last_beat) element_q <= ends ? 22'd0 : element_q + 22'd1;
    if (rst_i) {first_q, count_q, beat_q, element_q} <= '0;
  end
  assign now_q = queue_q[first_q];

  logic started_q = 1'b0, held_q;
  logic [tenon_pkg::BUS_BITS-1:0] held_data_q;
  logic [IndexBits-1:0] place;
  assign place = now_q.sram + element_q[IndexBits-1:0];
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    held_q <= data_valid_o && !data_ready_i && !rst_i;
    held_data_q <= data_o;
  end

  (* hierconn *) wire \dut.elements_ready ;
  (* hierconn *) wire [1:0] \dut.asked_q ;
  always_comb begin
    if (!started_q) assume (rst_i);
    else if (!rst_i) begin
      assume (y_size_i != 11'd0 && x_size_i != 11'd0);
      assume (y_size_i <= 11'd3 && x_size_i <= 11'd3);
      if (\dut.asked_q [1]) assert (\dut.elements_ready );
      assert (!data_valid_o || count_q != 4'd0);
      if (data_valid_o) assert (data_o == {place, 1'b1, beat_q});
      if (held_q) assert (data_valid_o && data_o == held_data_q);
      cover (ends && now_q.elements == 22'd2 && count_q == 4'd2);
    end
  end
endmodule

`default_nettype wire
