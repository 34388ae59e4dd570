// Part of Tenon, under the Apache License v2.0.
//
// ACC: banks chosen by the high index bits, each with one write port and one
// read port.
//
// Write, at once when granted: LOAD always, then GEMM (which knows of LOAD's a
// cycle before), then ALU; a read of a later cycle sees it. A read in the very
// cycle of a write of the same element is undefined: GEMM forwards from its own
// last write, ALU repeats such a read and takes none before its write is done
// (alu_issue.sv), and tokens order everything else.
// Read: GEMM is always granted, ALU's two operands where GEMM leaves their
// bank, `first` before `second`. Two cycles after its grant an operand stands
// in its output register, until the next one arrives there.
`default_nettype none

module acc (
  input  logic                                   clk_i,
  input  logic                                   rst_i,
  // LOAD
  input  logic                                   load_valid_i,
  input  logic                                   load_narrow_i,
  input  logic [tenon_pkg::ACC_INDEX_BITS-1:0]   load_index_i,
  input  logic [7:0]                             load_beat_i,
  input  logic                                   load_all_i,
  input  logic [tenon_pkg::BUS_BITS-1:0]         load_data_i,
  input  logic [8:0]                             load_zero_point_i,
  // its write of the next cycle
  output logic                                   load_next_o,
  // GEMM reads, one bit a bank: the RAM's output, one cycle later, to register
  input  logic [tenon_pkg::ACC_BANKS-1:0]        gemm_read_i,
  /* verilator lint_off UNUSEDSIGNAL */  // its bank comes apart
  input  logic [tenon_pkg::ACC_INDEX_BITS-1:0]   gemm_read_index_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic                                   gemm_register_i,
  output logic [tenon_pkg::ACC_BYTES*8-1:0]      gemm_data_o,
  // GEMM writes, one bit a bank; it knows that LOAD goes first
  input  logic [tenon_pkg::ACC_BANKS-1:0]        gemm_write_i,
  input  logic [tenon_pkg::ACC_BANKS-1:0]        gemm_away_i,    // gemm_write_i inverted
  /* verilator lint_off UNUSEDSIGNAL */  // its bank comes apart
  input  logic [tenon_pkg::ACC_INDEX_BITS-1:0]   gemm_write_index_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [tenon_pkg::ACC_BYTES*8-1:0]      gemm_write_data_i,
  // GEMM's operand that a register inside GEMM replaces (see gemm.sv)
  input  logic                                   gemm_forward_i,
  input  logic                                   gemm_late_i,
  input  logic [tenon_pkg::ACC_BYTES*8-1:0]      gemm_late_data_i,
  // ALU reads; open: the bank is free of GEMM
  input  logic                                   first_read_i,
  input  logic [tenon_pkg::ACC_INDEX_BITS-1:0]   first_index_i,
  output logic                                   first_open_o,
  output logic [tenon_pkg::ACC_BYTES*8-1:0]      first_data_o,
  input  logic                                   second_read_i,
  input  logic [tenon_pkg::ACC_INDEX_BITS-1:0]   second_index_i,
  output logic                                   second_open_o,
  output logic [tenon_pkg::ACC_BYTES*8-1:0]      second_data_o,
  // ALU writes, one bit a bank
  input  logic [tenon_pkg::ACC_BANKS-1:0]        alu_write_i,
  /* verilator lint_off UNUSEDSIGNAL */  // its bank comes apart
  input  logic [tenon_pkg::ACC_INDEX_BITS-1:0]   alu_write_index_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [tenon_pkg::ACC_BYTES*8-1:0]      alu_write_data_i,
  output logic                                   alu_write_grant_o
);
  localparam int unsigned Banks = tenon_pkg::ACC_BANKS;
  localparam int unsigned Rows = tenon_pkg::ACC_ENTRIES / Banks;
  localparam int unsigned RowBits = $clog2(Rows);
  localparam int unsigned Bits = tenon_pkg::ACC_BYTES * 8;
  localparam int unsigned Lanes = tenon_pkg::BATCH * tenon_pkg::BLOCK_OUT;

  logic                                 load_all;
  /* verilator lint_off UNUSEDSIGNAL */  // its bank comes apart
  logic [tenon_pkg::ACC_INDEX_BITS-1:0] load_index;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [31:0]                          load_value;
  logic [Bits-1:0]                      load_element;

  acc_load load (
    .clk_i,
    .valid_i(load_valid_i), .narrow_i(load_narrow_i), .index_i(load_index_i), .beat_i(load_beat_i),
    .all_i(load_all_i), .data_i(load_data_i), .zero_point_i(load_zero_point_i),
    .next_o(load_next_o), .index_o(load_index), .all_o(load_all), .value_o(load_value),
    .element_o(load_element)
  );

  // one bit a bank: who asks for it
  logic [Banks-1:0] load_at, load_away, first_at, second_at;
  logic [Banks-1:0] first_bank, second_bank, first_taken, second_taken;
  logic [Banks-1:0] gemm_taken_q, first_taken_q, second_taken_q;

  always_comb begin
    for (int b = 0; b < Banks; b++) begin
      first_bank[b] = 32'(first_index_i) >> RowBits == b;
      second_bank[b] = 32'(second_index_i) >> RowBits == b;
    end
  end

  // The grant sees `load_away` and `gemm_away_i`, registers of their own: the
  // others drive every data bit.
  always_ff @(posedge clk_i) begin
    for (int b = 0; b < Banks; b++) begin
      load_at[b] <= load_next_o && 32'(load_index_i) >> RowBits == b && !rst_i;
      load_away[b] <= !(load_next_o && 32'(load_index_i) >> RowBits == b && !rst_i);
    end
  end

  assign alu_write_grant_o = (alu_write_i & load_away & gemm_away_i) != '0;
  assign first_open_o = (first_bank & gemm_read_i) == '0;
  assign second_open_o = (second_bank & gemm_read_i) == '0;
  assign first_at = first_read_i ? first_bank : '0;
  assign second_at = second_read_i ? second_bank : '0;
  assign first_taken = first_at & ~gemm_read_i;
  assign second_taken = second_at & ~gemm_read_i & ~first_at;

  logic [Banks*Bits-1:0] latch_q;

`ifndef SYNTHESIS
  logic [Banks-1:0] gemm_meets, alu_meets;  // a read that meets another engine's write
`endif

  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    (* no_rw_check *)
    logic [Bits-1:0] memory_q [Rows];
    logic            write, read;
    logic [RowBits-1:0] write_row, read_row;

    assign write = load_at[b] || gemm_write_i[b] || alu_write_i[b];
    assign write_row = load_at[b] ? load_index[RowBits-1:0]
                     : gemm_write_i[b] ? gemm_write_index_i[RowBits-1:0]
                                        : alu_write_index_i[RowBits-1:0];
    assign read = gemm_read_i[b] || first_at[b] || second_at[b];
    assign read_row = gemm_read_i[b] ? gemm_read_index_i[RowBits-1:0]
                    : first_at[b] ? first_index_i[RowBits-1:0]
                                  : second_index_i[RowBits-1:0];

    // Blocking, after the read and in one process: nobody else sees the memory.
    /* verilator lint_off BLKSEQ */
    always_ff @(posedge clk_i) begin
      if (read) latch_q[b*Bits +: Bits] <= memory_q[read_row];
`ifndef SYNTHESIS
      // Nobody may use what a collision gives: in simulation it is no data.
      if (read && write && read_row == write_row) latch_q[b*Bits +: Bits] <= {Lanes{32'h5a5a5a5a}};
`endif
      if (write) begin : write_port
        logic [Bits-1:0] data;
        if (load_at[b]) data = load_all ? {Lanes{load_value}} : load_element;
        else if (gemm_write_i[b]) data = gemm_write_data_i;
        else data = alu_write_data_i;
        memory_q[write_row] = data;
      end
    end
    /* verilator lint_on BLKSEQ */

`ifndef SYNTHESIS
    always_comb begin : assertions
      gemm_meets[b] = write && read_row == write_row && gemm_read_i[b] && (load_at[b] || !gemm_write_i[b]);
      alu_meets[b] = write && read_row == write_row && !gemm_read_i[b] && (first_at[b] || second_at[b])
          && (load_at[b] || gemm_write_i[b]);
    end
`endif
  end

  // which bank's latch holds whose operand
  always_ff @(posedge clk_i) begin
    first_taken_q <= first_taken;
    second_taken_q <= second_taken;
    if (gemm_read_i != '0) gemm_taken_q <= gemm_read_i;
  end

  always_ff @(posedge clk_i) begin
    if (gemm_register_i) begin
      if (gemm_forward_i) gemm_data_o <= gemm_write_data_i;
      else if (gemm_late_i) gemm_data_o <= gemm_late_data_i;
      else begin
        for (int b = 0; b < Banks; b++)
          if (gemm_taken_q[b]) gemm_data_o <= latch_q[b*Bits +: Bits];
      end
    end
    for (int b = 0; b < Banks; b++) begin
      if (first_taken_q[b]) first_data_o <= latch_q[b*Bits +: Bits];
      if (second_taken_q[b]) second_data_o <= latch_q[b*Bits +: Bits];
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin : assertions
    if (!rst_i) begin
      // `gemm_away_i` is the other side of `gemm_write_i`.
      away_is_inverse : assert (gemm_away_i == ~gemm_write_i);
      // GEMM reads no element that another engine is writing: tokens keep them apart.
      gemm_meets_own_write : assert (gemm_meets == '0);
      // Nor does ALU.
      alu_meets_own_write : assert (alu_meets == '0);
      // A bank is read for one at a time.
      one_reader : assert (((first_taken | second_taken) & gemm_read_i) == '0 && (first_taken & second_taken) == '0);
    end
  end
`endif
endmodule

`default_nettype wire
