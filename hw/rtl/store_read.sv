// Part of Tenon, under the Apache License v2.0.
//
// Reads OUT for STORE and makes a stream of beats of it.  A STORE's elements
// are consecutive in OUT, so the bursts do not matter here.  OUT answers two
// cycles after the question; up to `Depth` elements are asked for and not yet
// sent, so that the stream has no gap, neither between elements nor between
// STOREs.

`default_nettype none

module store_read (
    input  logic                                  clk_i,
    input  logic                                  rst_i,
    // STOREs in order
    input  logic                                  valid_i,
    input  logic [tenon_pkg::OUT_INDEX_BITS-1:0]  sram_i,
    input  logic [10:0]                           y_size_i,
    input  logic [10:0]                           x_size_i,
    output logic                                  ready_o,
    // OUT
    output logic                                  st_valid_o,
    output logic [tenon_pkg::OUT_INDEX_BITS-1:0]  st_index_o,
    input  logic [tenon_pkg::OUT_BYTES*8-1:0]     st_data_i,
    // beats
    output logic                                  data_valid_o,
    output logic [tenon_pkg::BUS_BITS-1:0]        data_o,
    input  logic                                  data_ready_i
);
  localparam int IndexBits = tenon_pkg::OUT_INDEX_BITS;
  localparam int BusBits = tenon_pkg::BUS_BITS;
  localparam int ElementBits = tenon_pkg::OUT_BYTES * 8;
  localparam int Beats = ElementBits / BusBits;
  localparam int Depth = 8;

  // ---- the STOREs to come, and the walk over the one at work
  logic next_valid, next_taken, active_q, last;
  logic [IndexBits-1:0] next_sram, index_q;
  logic [10:0] next_y, next_x, x_size_q, x_left_q, y_left_q;
  logic [3:0] room_q;
  logic element_taken;

  fifo #(
      .Width(IndexBits + 22),
      .Depth(4)
  ) u_stores (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .valid_i(valid_i),
      .data_i({sram_i, y_size_i, x_size_i}),
      .ready_o(ready_o),
      .valid_o(next_valid),
      .data_o({next_sram, next_y, next_x}),
      .ready_i(next_taken)
  );

  assign st_valid_o = active_q && room_q != 4'd0;
  assign st_index_o = index_q;
  assign last = st_valid_o && x_left_q == 11'd1 && y_left_q == 11'd1;
  assign next_taken = next_valid && (!active_q || last);

  always_ff @(posedge clk_i) begin
    if (st_valid_o) begin
      index_q <= index_q + IndexBits'(1);
      x_left_q <= x_left_q - 11'd1;
      if (x_left_q == 11'd1) begin
        x_left_q <= x_size_q;
        y_left_q <= y_left_q - 11'd1;
      end
    end
    if (next_taken) begin
      index_q <= next_sram;
      x_size_q <= next_x;
      x_left_q <= next_x;
      y_left_q <= next_y;
    end
    if (next_taken || last) active_q <= next_taken;
    if (st_valid_o != element_taken)
      room_q <= room_q + (st_valid_o ? 4'hf : 4'h1);
    if (rst_i) begin
      active_q <= 1'b0;
      room_q <= 4'(Depth);
    end
  end

  // ---- elements, in the order asked for
  logic [1:0] asked_q;
  logic element_valid, elements_ready;
  logic [ElementBits-1:0] element;

  always_ff @(posedge clk_i) begin
    asked_q <= {asked_q[0], st_valid_o};
    if (rst_i) asked_q <= 2'b0;
  end

  fifo #(
      .Width(ElementBits),
      .Depth(Depth)
  ) u_elements (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .valid_i(asked_q[1]),
      .data_i(st_data_i),
      .ready_o(elements_ready),
      .valid_o(element_valid),
      .data_o(element),
      .ready_i(element_taken)
  );

  // ---- beats
  assign data_valid_o = element_valid;

  if (Beats == 1) begin : gen_whole
    assign data_o = element;
    assign element_taken = element_valid && data_ready_i;
  end else begin : gen_split
    localparam int BeatBits = $clog2(Beats);
    logic [BeatBits-1:0] beat_q;

    assign data_o = element[32'(beat_q)*BusBits+:BusBits];
    assign element_taken = element_valid && data_ready_i && (&beat_q);

    always_ff @(posedge clk_i) begin
      if (element_valid && data_ready_i) beat_q <= beat_q + BeatBits'(1);
      if (rst_i) beat_q <= '0;
    end
  end

  // Room is reserved before an element is asked for.
  logic unused;
  assign unused = &{1'b0, elements_ready};

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin : assertions
    if (!rst_i) begin
      // A STORE has rows and elements.
      sizes_not_zero : assert (!valid_i || (y_size_i != 11'd0 && x_size_i != 11'd0));
      // There is room for what OUT answers.
      answer_has_room : assert (!asked_q[1] || elements_ready);
    end
  end
`endif
endmodule

`default_nettype wire
