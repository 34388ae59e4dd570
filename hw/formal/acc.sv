// Part of Tenon, under the Apache License v2.0.
//
// acc: who has a bank of ACC, and that it keeps what was written.
//  * LOAD and GEMM never wait. ALU's write is granted in exactly the cycles in
//    which neither of them writes its bank; its reads are open in exactly those in
//    which GEMM does not read theirs, the second operand's also not where the
//    first one's is the same bank: ALU waits as long as others use the bank, and
//    no cycle longer.
//  * A granted read gives, two cycles later, what was granted to be written last,
//    and for ALU it stands there until its next granted read has. One bit
//    of one element, any, is followed, for all three readers.
// Where LOAD and GEMM write a bank, LOAD does (GEMM sees `load_next_o` and keeps
// its own). A read that meets a write of its element gives no data: that nobody
// uses what it gives is proved of who reads (core.sv here). Assumed: nothing;
// banks and indices belong together. What LOAD gathers of an element's beats
// (acc_load.sv) is taken as it comes from there.
`default_nettype none

module acc_formal (
    input logic                                 clk_i,
    input logic                                 rst_i,
    input logic                                 load_valid_i,
    input logic                                 load_narrow_i,
    input logic [tenon_pkg::ACC_INDEX_BITS-1:0] load_index_i,
    input logic [7:0]                           load_beat_i,
    input logic                                 load_all_i,
    input logic [tenon_pkg::BUS_BITS-1:0]       load_data_i,
    input logic [8:0]                           load_zero_point_i,
    input logic                                 gemm_reads,
    input logic [tenon_pkg::ACC_INDEX_BITS-1:0] gemm_read_index_i,
    input logic                                 gemm_register_i,
    input logic                                 gemm_writes,
    input logic [tenon_pkg::ACC_INDEX_BITS-1:0] gemm_write_index_i,
    input logic [tenon_pkg::ACC_BYTES*8-1:0]    gemm_write_data_i,
    input logic                                 gemm_forward_i,
    input logic                                 gemm_late_i,
    input logic [tenon_pkg::ACC_BYTES*8-1:0]    gemm_late_data_i,
    input logic                                 first_read_i,
    input logic [tenon_pkg::ACC_INDEX_BITS-1:0] first_index_i,
    input logic                                 second_read_i,
    input logic [tenon_pkg::ACC_INDEX_BITS-1:0] second_index_i,
    input logic                                 alu_writes,
    input logic [tenon_pkg::ACC_INDEX_BITS-1:0] alu_write_index_i,
    input logic [tenon_pkg::ACC_BYTES*8-1:0]    alu_write_data_i
);
  localparam int Banks = tenon_pkg::ACC_BANKS;
  localparam int IndexBits = tenon_pkg::ACC_INDEX_BITS;
  localparam int RowBits = $clog2(tenon_pkg::ACC_ENTRIES / Banks);

  logic load_next_o, first_open_o, second_open_o, alu_write_grant_o;
  logic [tenon_pkg::ACC_BYTES*8-1:0] gemm_data_o, first_data_o, second_data_o;
  logic [Banks-1:0] gemm_read_i, gemm_write_i, gemm_away_i, alu_write_i;
  assign gemm_read_i = gemm_reads ? Banks'(1) << gemm_read_index_i[IndexBits-1:RowBits] : '0;
  assign gemm_write_i = gemm_writes ? Banks'(1) << gemm_write_index_i[IndexBits-1:RowBits] : '0;
  assign alu_write_i = alu_writes ? Banks'(1) << alu_write_index_i[IndexBits-1:RowBits] : '0;
  assign gemm_away_i = ~gemm_write_i;
  acc dut (.*);

  // ---- LOAD's write of this cycle, announced a cycle before
  logic started_q = 1'b0, loads_q;
  logic [IndexBits-1:0] load_q;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    loads_q <= load_next_o && !rst_i;
    load_q <= load_index_i;
  end
  (* hierconn *) wire \dut.load_all ;
  (* hierconn *) wire [31:0] \dut.load_value ;
  (* hierconn *) wire [tenon_pkg::ACC_BYTES*8-1:0] \dut.load_element ;

  // ---- the bit that is followed
  (* anyconst *) logic [IndexBits-1:0] element;
  (* anyconst *) logic [$clog2(tenon_pkg::ACC_BYTES*8)-1:0] place;
  logic load_bit, by_load, by_gemm, by_alu, written, known_q, value_q;
  assign load_bit = \dut.load_all ? \dut.load_value [place[4:0]] : \dut.load_element [place];
  assign by_load = loads_q && load_q == element;
  assign by_gemm = gemm_writes && gemm_write_index_i == element &&
      !(loads_q && load_q[IndexBits-1:RowBits] == element[IndexBits-1:RowBits]);
  assign by_alu = alu_write_grant_o && alu_write_index_i == element;
  assign written = by_load || by_gemm || by_alu;

  // ---- reads of it: granted, then in the latch, then in the register
  logic gemm_r, first_r, second_r, same_bank;
  logic gemm_1_q, first_1_q, second_1_q, gemm_2_q, first_2_q, second_2_q;
  logic gemm_read_q, first_read_q, second_read_q;  // the value then
  logic gemm_value_q, first_value_q, second_value_q;
  assign same_bank = first_read_i &&
      first_index_i[IndexBits-1:RowBits] == second_index_i[IndexBits-1:RowBits];
  assign gemm_r = gemm_reads && gemm_read_index_i == element && known_q && !written;
  assign first_r = first_read_i && first_open_o && first_index_i == element && known_q && !written;
  assign second_r = second_read_i && second_open_o && !same_bank && second_index_i == element && known_q && !written;
  logic first_granted, second_granted, first_came_q, second_came_q, first_1_came_q, second_1_came_q;
  logic first_was_q, second_was_q;
  assign first_granted = first_read_i && first_open_o;
  assign second_granted = second_read_i && second_open_o && !same_bank;
  always_ff @(posedge clk_i) begin
    {first_1_came_q, second_1_came_q} <= {first_granted, second_granted};
    {first_came_q, second_came_q} <= {first_1_came_q, second_1_came_q} | {2{rst_i || !started_q}};
    {first_was_q, second_was_q} <= {first_data_o[place], second_data_o[place]};
    if (written) begin
      known_q <= 1'b1;
      value_q <= by_load ? load_bit : by_gemm ? gemm_write_data_i[place] : alu_write_data_i[place];
    end
    {gemm_1_q, first_1_q, second_1_q} <= {gemm_r, first_r, second_r};
    {gemm_read_q, first_read_q, second_read_q} <= {3{value_q}};
    gemm_2_q <= gemm_1_q && gemm_register_i && !gemm_forward_i && !gemm_late_i;
    {first_2_q, second_2_q} <= {first_1_q, second_1_q};
    {gemm_value_q, first_value_q, second_value_q} <= {gemm_read_q, first_read_q, second_read_q};
    if (rst_i) begin
      known_q <= 1'b0;
      {gemm_1_q, first_1_q, second_1_q, gemm_2_q, first_2_q, second_2_q} <= '0;
    end
  end

  logic load_has, gemm_has;  // the bank of ALU's write
  assign load_has = loads_q && load_q[IndexBits-1:RowBits] == alu_write_index_i[IndexBits-1:RowBits];
  assign gemm_has = gemm_writes &&
      gemm_write_index_i[IndexBits-1:RowBits] == alu_write_index_i[IndexBits-1:RowBits];
  always_comb begin
    if (!started_q) reset_first : assume (rst_i);
    else if (!rst_i) begin
      assert (alu_write_grant_o == (alu_writes && !load_has && !gemm_has));
      assert (first_open_o == !(gemm_reads && gemm_read_index_i[IndexBits-1:RowBits] ==
                                first_index_i[IndexBits-1:RowBits]));
      assert (second_open_o == !(gemm_reads && gemm_read_index_i[IndexBits-1:RowBits] ==
                                 second_index_i[IndexBits-1:RowBits]));
      if (gemm_2_q) assert (gemm_data_o[place] == gemm_value_q);
      if (first_2_q) assert (first_data_o[place] == first_value_q);
      if (second_2_q) assert (second_data_o[place] == second_value_q);
      if (!first_came_q) assert (first_data_o[place] == first_was_q);
      if (!second_came_q) assert (second_data_o[place] == second_was_q);
      cover (gemm_2_q && first_value_q);
      cover (first_2_q && first_value_q);
      cover (second_2_q && second_value_q && by_load);
    end
  end
endmodule

`default_nettype wire
