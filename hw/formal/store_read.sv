// Part of Tenon, under the Apache License v2.0.
//
// store_read: which elements of OUT a STORE reads, and what it makes of them.
//  * The elements asked for are, of each STORE in the order given, for each row r
//    and each i of the row, sram + r*x_size + i, each once: the formula, multiplied
//    out (a STORE's elements are consecutive in OUT).
//  * What OUT answers goes out as its beats, the lowest first, in the order asked
//    for, none lost, doubled or overwritten; a beat stands until it is taken.
//  * It asks in every cycle in which a STORE has been there for two, and fewer than
//    eight elements are asked for and not sent: without a gap between elements or
//    STOREs, and back-pressure alone holds it up.
// Assumed: sizes of at least 1 (validate.cpp). OUT answers two cycles later, with
// anything; one bit of an element, any, is followed.
`default_nettype none

module store_read_formal (
    input logic                                 clk_i,
    input logic                                 rst_i,
    input logic                                 valid_i,
    input logic [tenon_pkg::OUT_INDEX_BITS-1:0] sram_i,
    input logic [10:0]                          y_size_i,
    input logic [10:0]                          x_size_i,
    input logic [tenon_pkg::OUT_BYTES*8-1:0]    st_data_i,
    input logic                                 data_ready_i
);
  localparam int IndexBits = tenon_pkg::OUT_INDEX_BITS;
  localparam int BusBits = tenon_pkg::BUS_BITS;
  localparam int ElementBits = tenon_pkg::OUT_BYTES * 8;
  localparam int Beats = ElementBits / BusBits;
  localparam int Stores = 5;  // four wait, one is read
  localparam int Room = 8;

  logic ready_o, st_valid_o, data_valid_o;
  logic [IndexBits-1:0] st_index_o;
  logic [BusBits-1:0] data_o;
  store_read dut (.*);

  // ---- STOREs not read to their ends, the oldest first; its row r, its element i
  logic [IndexBits-1:0] sram_q[Stores];
  logic [10:0] y_q[Stores], x_q[Stores];
  logic [2:0] count_q, old_q;  // STOREs; those given before the last cycle
  logic [10:0] r_q, i_q;
  logic given, given_q, row_ends, ends;
  assign given = valid_i && ready_o;
  assign row_ends = st_valid_o && i_q + 11'd1 == x_q[0];
  assign ends = row_ends && r_q + 11'd1 == y_q[0];

  always_ff @(posedge clk_i) begin
    given_q <= given;
    count_q <= count_q + {2'd0, given} - {2'd0, ends};
    old_q <= old_q + {2'd0, given_q} - {2'd0, ends};
    if (ends) for (int s = 0; s + 1 < Stores; s++) {sram_q[s], y_q[s], x_q[s]} <= {sram_q[s+1], y_q[s+1], x_q[s+1]};
    for (int s = 0; s < Stores; s++)
      if (given && 32'(count_q) == s + 32'(ends)) {sram_q[s], y_q[s], x_q[s]} <= {sram_i, y_size_i, x_size_i};
    if (st_valid_o) i_q <= row_ends ? 11'd0 : i_q + 11'd1;
    if (row_ends) r_q <= ends ? 11'd0 : r_q + 11'd1;
    if (rst_i) {given_q, count_q, old_q, r_q, i_q} <= '0;
  end

  logic [IndexBits-1:0] x, index;
  assign x = x_q[0][IndexBits-1:0];
  assign index = sram_q[0] + r_q[IndexBits-1:0] * x + i_q[IndexBits-1:0];

  // ---- elements: asked for and not sent; answered and not sent
  logic [1:0] asked_q;
  logic [3:0] open_q, elements;
  logic beat, element;
  logic [$clog2(Beats+1)-1:0] at_q;  // beat of the element
  logic [ElementBits-1:0] sent, sent_q;
  assign beat = data_valid_o && data_ready_i;
  assign element = beat && 32'(at_q) == Beats - 1;
  always_comb begin
    sent = sent_q;
    sent[32'(at_q)*BusBits +: BusBits] = data_o;
  end

  always_ff @(posedge clk_i) begin
    asked_q <= {asked_q[0], st_valid_o};
    open_q <= open_q + {3'd0, st_valid_o} - {3'd0, element};
    if (beat) at_q <= element ? '0 : at_q + 1'b1;
    if (beat) sent_q <= sent;
    if (rst_i) {asked_q, open_q, at_q} <= '0;
  end

  (* anyconst *) logic [$clog2(ElementBits)-1:0] place;
  tracked #(.Width(1), .Most(Room)) order (
      .clk_i, .rst_i, .push_i(asked_q[1]), .pushed_i(st_data_i[place]),
      .pop_i(element), .popped_i(sent[place]), .count_o(elements)
  );

  logic started_q = 1'b0, held_q, full_q;
  // ---- invariants: what dut's registers are to these
  (* hierconn *) wire \dut.active_q , \dut.u_stores.valid_o , \dut.u_elements.valid_o ;
  (* hierconn *) wire [IndexBits-1:0] \dut.index_q ;
  (* hierconn *) wire [10:0] \dut.x_size_q , \dut.x_left_q , \dut.y_left_q ;
  (* hierconn *) wire [3:0] \dut.room_q , \dut.u_elements.count_q , \order.ahead_q ;
  (* hierconn *) wire [1:0] \dut.asked_q , \dut.u_stores.read_q , \dut.u_stores.write_q ;
  (* hierconn *) wire [2:0] \dut.u_stores.count_q , \dut.u_elements.read_q , \dut.u_elements.write_q ;
  (* hierconn *) wire [$clog2(Beats)-1:0] \dut.gen_split.beat_q ;
  (* hierconn *) wire \order.inside_q , \order.word_q ;
  (* hierconn *) wire [IndexBits+21:0] \dut.u_stores.words_q[0] , \dut.u_stores.words_q[1] ;
  (* hierconn *) wire [IndexBits+21:0] \dut.u_stores.words_q[2] , \dut.u_stores.words_q[3] ;
  (* hierconn *) wire [ElementBits-1:0] \dut.u_elements.words_q[0] , \dut.u_elements.words_q[1] ;
  (* hierconn *) wire [ElementBits-1:0] \dut.u_elements.words_q[2] , \dut.u_elements.words_q[3] ;
  (* hierconn *) wire [ElementBits-1:0] \dut.u_elements.words_q[4] , \dut.u_elements.words_q[5] ;
  (* hierconn *) wire [ElementBits-1:0] \dut.u_elements.words_q[6] , \dut.u_elements.words_q[7] ;
  logic [IndexBits+21:0] waiting[4];  // the words of u_stores from the oldest on
  logic [7:0] bits;                   // the followed bit of each word of u_elements
  logic bit_read, bit_ahead;
  always_comb begin
    for (int s = 0; s < 4; s++)
      case (\dut.u_stores.read_q + 2'(s))
        2'd0: waiting[s] = \dut.u_stores.words_q[0] ;
        2'd1: waiting[s] = \dut.u_stores.words_q[1] ;
        2'd2: waiting[s] = \dut.u_stores.words_q[2] ;
        default: waiting[s] = \dut.u_stores.words_q[3] ;
      endcase
    bits = {\dut.u_elements.words_q[7] [place], \dut.u_elements.words_q[6] [place],
            \dut.u_elements.words_q[5] [place], \dut.u_elements.words_q[4] [place],
            \dut.u_elements.words_q[3] [place], \dut.u_elements.words_q[2] [place],
            \dut.u_elements.words_q[1] [place], \dut.u_elements.words_q[0] [place]};
    bit_read = bits[\dut.u_elements.read_q ];
    bit_ahead = bits[\dut.u_elements.read_q + \order.ahead_q [2:0]];
  end
  always_comb if (started_q) begin
    assert (count_q == \dut.u_stores.count_q + {2'd0, \dut.active_q });
    assert (old_q == count_q - {2'd0, given_q} && \dut.active_q == (old_q != 3'd0));
    assert (\dut.u_stores.valid_o == (\dut.u_stores.count_q != 3'd0) && \dut.u_stores.count_q <= 3'd4);
    assert (\dut.u_stores.write_q == \dut.u_stores.read_q + \dut.u_stores.count_q [1:0]);
    for (int s = 0; s < 4; s++)
      if (\dut.u_stores.count_q > 3'(s))
        assert (waiting[s] == (\dut.active_q ? {sram_q[s+1], y_q[s+1], x_q[s+1]} : {sram_q[s], y_q[s], x_q[s]}));
    for (int s = 0; s < Stores; s++) if (count_q > 3'(s)) assert (y_q[s] != 11'd0 && x_q[s] != 11'd0);
    if (\dut.active_q ) begin
      assert (i_q < x_q[0] && r_q < y_q[0] && \dut.index_q == index && \dut.x_size_q == x_q[0]);
      assert (\dut.x_left_q == x_q[0] - i_q && \dut.y_left_q == y_q[0] - r_q);
    end else assert (i_q == 11'd0 && r_q == 11'd0);

    assert (\dut.room_q == 4'(Room) - open_q && open_q <= 4'(Room) && \dut.asked_q == asked_q);
    assert (open_q == elements + {3'd0, asked_q[0]} + {3'd0, asked_q[1]});
    assert (elements <= 4'(Room) && elements == \dut.u_elements.count_q );
    assert (\dut.u_elements.valid_o == (elements != 4'd0));
    assert (\dut.u_elements.write_q == \dut.u_elements.read_q + elements[2:0]);
    if (\order.inside_q ) assert (\order.ahead_q < elements && bit_ahead == \order.word_q );
    assert (32'(\dut.gen_split.beat_q ) == 32'(at_q) && (at_q == '0 || elements != 4'd0));
    if (32'(place) < 32'(at_q) * BusBits) assert (sent_q[place] == bit_read);
  end

  logic [BusBits-1:0] held_data_q;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    held_q <= data_valid_o && !data_ready_i && !rst_i;
    held_data_q <= data_o;
    full_q <= !rst_i && (full_q || open_q == 4'(Room));
  end

  always_comb begin
    if (!started_q) reset_first : assume (rst_i);
    else if (!rst_i) begin
      if (valid_i) sizes_not_zero : assume (y_size_i != 11'd0 && x_size_i != 11'd0);

      assert (st_valid_o == (old_q != 3'd0 && open_q < 4'(Room)));
      if (st_valid_o) assert (st_index_o == index);
      assert (data_valid_o == (elements != 4'd0));
      if (held_q) assert (data_valid_o && data_o == held_data_q);
      if (count_q < 3'd4) assert (ready_o);
      if (count_q == 3'(Stores)) assert (!ready_o);

      cover (ends && r_q == 11'd1 && i_q == 11'd1 && old_q == 3'd2);
      cover (full_q && element && open_q < 4'(Room) && st_valid_o);
      cover (!ready_o);
    end
  end
endmodule

`default_nettype wire
