// Part of Tenon, under the Apache License v2.0.
//
// core: what GEMM and ALU read of ACC is what was written last, though reads and
// writes of an element meet: GEMM's forwarding takes what its own runs have not
// written yet or are writing, ALU repeats a read until its own results are in.
// A read that meets a write gives no data (acc.sv).
//  * A run of GEMM that starts from acc[d] starts from the result of the latest
//    run before it that ended at d, or from what was written there last.
//  * ALU issues nothing while a result for one of its operands is under way.
//  * Two cycles after an issue each operand that is needed stands in its register
//    as it was written last.
// Nothing is assumed but that it begins in reset. What another engine writes is
// promised to a read unless it is written while the run stands behind that read
// (stages 6 to 8 of GEMM, the read stage of ALU): tokens keep them apart, and the
// assertions of acc.sv say so in simulation. The lowest bit of lane `Lane` of one
// element, any, is followed. The stand-ins of core_parts.sv do all that the modules
// do which have no part in it, and more.
`default_nettype none

module core_formal #(
    parameter int Lane = 0
) (
    input logic                                   clk_i,
    input logic                                   rst_i,
    input logic                                   start_i,
    input logic [tenon_pkg::INSTRUCTION_BITS-1:0] gemm_instruction_i,
    input logic [tenon_pkg::INSTRUCTION_BITS-1:0] alu_instruction_i,
    input logic                                   ld_valid_i,
    input logic [2:0]                             ld_memory_i,
    input logic [tenon_pkg::SRAM_INDEX_BITS-1:0]  ld_index_i,
    input logic [7:0]                             ld_beat_i,
    input logic                                   ld_all_i,
    input logic [tenon_pkg::BUS_BITS-1:0]         ld_data_i,
    input logic [8:0]                             ld_zero_point_i
);
  localparam int D = tenon_pkg::ACC_INDEX_BITS;
  localparam int RowBits = $clog2(tenon_pkg::ACC_ENTRIES / tenon_pkg::ACC_BANKS);
  localparam int Bits = tenon_pkg::ACC_BYTES * 8;
  localparam int Place = Lane * 32;

  (* keep *) core dut (
      .clk_i, .clk_gemm_i(clk_i), .clk_alu_i(clk_i), .rst_i, .start_i,
      .gemm_valid_i(1'b1), .gemm_instruction_i, .gemm_token_i(3'b0), .gemm_room_i(3'b0),
      .alu_valid_i(1'b1), .alu_instruction_i, .alu_token_i(3'b0), .alu_room_i(3'b0),
      .ld_valid_i, .ld_memory_i, .ld_index_i, .ld_beat_i, .ld_all_i, .ld_data_i, .ld_zero_point_i,
      .st_valid_i(1'b0), .st_index_i('0)
  );

  // ---- the bit that is followed, and who writes it
  (* anyconst *) logic [D-1:0] element;
  (* hierconn *) wire \dut.ld_acc ;
  (* hierconn *) wire \dut.load_next ;
  (* hierconn *) wire \dut.accumulators.load_all ;
  (* hierconn *) wire [31:0] \dut.accumulators.load_value ;
  (* hierconn *) wire [Bits-1:0] \dut.accumulators.load_element ;
  (* hierconn *) wire [tenon_pkg::ACC_BANKS-1:0] \dut.gemm_write ;
  (* hierconn *) wire [D-1:0] \dut.gemm_write_index ;
  (* hierconn *) wire [Bits-1:0] \dut.gemm_write_data ;
  (* hierconn *) wire \dut.alu_acc_grant ;
  (* hierconn *) wire [tenon_pkg::ALU_DST_BITS-1:0] \dut.alu_index ;
  (* hierconn *) wire [Bits-1:0] \dut.alu_data ;

  logic reset, started_q = 1'b0, loads_q, load_bit;
  logic by_load, load_has, by_gemm, by_alu, known_q, value_q;
  logic [D-1:0] load_q;
  assign reset = rst_i || start_i;
  assign load_bit = \dut.accumulators.load_all ? \dut.accumulators.load_value [0] : \dut.accumulators.load_element [Place];
  assign by_load = loads_q && load_q == element;
  assign load_has = loads_q && load_q[D-1:RowBits] == element[D-1:RowBits];
  assign by_gemm = \dut.gemm_write != '0 && \dut.gemm_write_index == element && !load_has;
  assign by_alu = \dut.alu_acc_grant && \dut.alu_index [D-1:0] == element;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    loads_q <= \dut.load_next && !rst_i;
    load_q <= ld_index_i[D-1:0];
    if (by_load || by_gemm || by_alu) begin
      known_q <= 1'b1;
      value_q <= by_load ? load_bit : by_gemm ? \dut.gemm_write_data [Place] : \dut.alu_data [Place];
    end
    if (rst_i) known_q <= 1'b0;
  end

  // ---- GEMM: stage 8, and what stood there before
  (* hierconn *) wire \dut.gemm_engine.advance ;
  (* hierconn *) wire \dut.gemm_engine.valid_8 ;
  (* hierconn *) wire \dut.gemm_engine.start_8 ;
  (* hierconn *) wire \dut.gemm_engine.read_8 ;
  (* hierconn *) wire \dut.gemm_engine.end_8 ;
  (* hierconn *) wire [D-1:0] \dut.gemm_engine.dst_8 ;
  (* hierconn *) wire [Bits-1:0] \dut.gemm_engine.sums_8 ;
  (* hierconn *) wire [Bits-1:0] \dut.gemm_engine.running_q ;
  (* hierconn *) wire \dut.gemm_engine.valid_w ;
  (* hierconn *) wire [D-1:0] \dut.gemm_engine.dst_w ;

  logic foreign_gemm, between_6_q, between_7_q, between_8_q;  // written behind the read
  logic run, ran_q, ended_q, sum_q;
  assign foreign_gemm = by_load || by_alu;
  assign run = \dut.gemm_engine.advance && \dut.gemm_engine.valid_8 && \dut.gemm_engine.start_8 &&
      \dut.gemm_engine.read_8 && \dut.gemm_engine.dst_8 == element && !between_8_q && !foreign_gemm && !reset;
  // Runs before it are in w or in ACC.
  logic from_w, start;
  assign from_w = \dut.gemm_engine.valid_w && \dut.gemm_engine.dst_w == element;
  assign start = from_w ? \dut.gemm_write_data [Place] : value_q;

  always_ff @(posedge clk_i) begin
    if (\dut.gemm_engine.advance ) {between_6_q, between_7_q, between_8_q} <=
        {1'b0, between_6_q || foreign_gemm, between_7_q || foreign_gemm};
    else {between_6_q, between_7_q, between_8_q} <= {between_6_q, between_7_q, between_8_q} | {3{foreign_gemm}};
    ran_q <= run && (from_w || known_q);
    ended_q <= \dut.gemm_engine.end_8 ;
    sum_q <= start ^ \dut.gemm_engine.sums_8 [Place];
    if (rst_i) {between_6_q, between_7_q, between_8_q, ran_q} <= '0;
  end

  // ---- ALU: the read stage, and what was issued
  (* hierconn *) wire \dut.alu_engine.issue ;
  (* hierconn *) wire \dut.alu_engine.advance ;
  (* hierconn *) wire \dut.alu_engine.write_r ;
  (* hierconn *) wire [1:0] \dut.alu_engine.target_r ;
  (* hierconn *) wire [tenon_pkg::ALU_DST_BITS-1:0] \dut.alu_engine.dst_r ;
  (* hierconn *) wire \dut.alu_engine.need_first_r ;
  (* hierconn *) wire \dut.alu_engine.need_second_r ;
  (* hierconn *) wire [D-1:0] \dut.first_index ;
  (* hierconn *) wire [D-1:0] \dut.second_index ;
  (* hierconn *) wire [Bits-1:0] \dut.first_data ;
  (* hierconn *) wire [Bits-1:0] \dut.second_data ;

  logic foreign_alu, between_r_q, issues, first_needed, second_needed;
  logic [4:0] owed_q;  // results for the element
  logic first_1_q, first_2_q, second_1_q, second_2_q, value_1_q, value_2_q;
  assign foreign_alu = by_load || by_gemm;
  assign issues = \dut.alu_engine.issue && !reset;
  assign first_needed = issues && \dut.alu_engine.need_first_r && \dut.first_index == element;
  assign second_needed = issues && \dut.alu_engine.need_second_r && \dut.second_index == element;

  always_ff @(posedge clk_i) begin
    between_r_q <= !\dut.alu_engine.advance && (between_r_q || foreign_alu);
    owed_q <= owed_q + 5'(issues && \dut.alu_engine.write_r && \dut.alu_engine.target_r == tenon_pkg::TARGET_ACC &&
                          \dut.alu_engine.dst_r [D-1:0] == element) - 5'(by_alu);
    first_1_q <= first_needed && known_q && !between_r_q && !foreign_alu;
    second_1_q <= second_needed && known_q && !between_r_q && !foreign_alu;
    {first_2_q, second_2_q} <= {first_1_q, second_1_q};
    {value_1_q, value_2_q} <= {value_q, value_1_q};
    if (reset) {between_r_q, owed_q, first_1_q, first_2_q, second_1_q, second_2_q} <= '0;
  end

  always_comb begin
    if (!started_q) reset_first : assume (rst_i);
    else if (!reset) begin
      if (ran_q && ended_q) assert (\dut.gemm_write_data [Place] == sum_q);
      if (ran_q && !ended_q) assert (\dut.gemm_engine.running_q [Place] == sum_q);
      if (first_needed || second_needed) assert (owed_q == 5'd0);
      if (first_2_q) assert (\dut.first_data [Place] == value_2_q);
      if (second_2_q) assert (\dut.second_data [Place] == value_2_q);
      cover (ran_q && ended_q && sum_q);
      cover (run && from_w);
      cover (first_2_q && value_2_q);
      cover (second_2_q && owed_q == 5'd1);
    end
  end
endmodule

`default_nettype wire
