// Part of Tenon, under the Apache License v2.0.
//
// The GEMM engine: one micro-op a cycle into ACC, the running sum in a register
// while the destination stays. Nothing but a lost ACC write port ever stops it.
//
// Stages (a micro-op's registers are named _<stage>):
//   0 sequencer, UOP address   1 UOP RAM   2 micro-op   3 indices, INP and WGT
//   addresses   4 INP, WGT RAM   5 operands   6 products, ACC address
//   7 their sums, ACC RAM   8 sums, ACC operand, running sum   w finished run,
//   ACC write
// A run that starts from acc[d] reads it in stage 6; runs ahead of it that are
// not in ACC yet are in stages 7, 8 and w, so it takes their value when they
// pass w while it stands in 6 (`late`), 7 (`forward`) or 8. The write register
// w is the one-entry buffer: the pipeline stands (`advance` low) only when w is
// occupied, loses the port and a further run ends.
`default_nettype none

module gemm (
  input  logic                                   clk_i,
  input  logic                                   rst_i,
  input  logic                                   start_i,
  // instructions
  input  logic                                   valid_i,
  /* verilator lint_off UNUSEDSIGNAL */  // a format may be shorter
  input  logic [tenon_pkg::INSTRUCTION_BITS-1:0] instruction_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic                                   ready_o,
  // tokens
  input  logic [2:0]                             token_i,
  output logic [2:0]                             take_o,
  input  logic [2:0]                             room_i,
  output logic [2:0]                             give_o,
  output logic [2:0]                             token_wait_o,
  output logic [2:0]                             room_wait_o,
  output logic                                   retired_o,
  output logic [2:0]                             state_o,
  output logic                                   idle_o,
  // micro-ops: data two advances after the address
  output logic                                   uop_read_o,
  output logic [tenon_pkg::UOP_INDEX_BITS-1:0]   uop_index_o,
  output logic                                   uop_register_o,
  /* verilator lint_off UNUSEDSIGNAL */  // a micro-op may be shorter than its 32 bits
  input  logic [tenon_pkg::BUS_BITS-1:0]         uop_line_i,
  /* verilator lint_on UNUSEDSIGNAL */
  // operands: data two advances after the address
  output logic                                   operand_read_o,
  output logic                                   operand_register_o,
  output logic [tenon_pkg::INP_INDEX_BITS-1:0]   input_index_o,
  input  logic [tenon_pkg::INP_BYTES*8-1:0]      input_i,
  output logic [tenon_pkg::WGT_INDEX_BITS-1:0]   weight_index_o,
  input  logic [tenon_pkg::WGT_BYTES*8-1:0]      weight_i,
  // ACC, see acc.sv
  output logic [tenon_pkg::ACC_BANKS-1:0]        acc_read_o,
  output logic [tenon_pkg::ACC_INDEX_BITS-1:0]   acc_read_index_o,
  output logic                                   acc_register_o,
  output logic                                   acc_forward_o,
  output logic                                   acc_late_o,
  output logic [tenon_pkg::ACC_BYTES*8-1:0]      acc_late_data_o,
  input  logic [tenon_pkg::ACC_BYTES*8-1:0]      acc_data_i,
  output logic [tenon_pkg::ACC_BANKS-1:0]        acc_write_o,
  output logic [tenon_pkg::ACC_BANKS-1:0]        acc_away_o,     // not there: acc_write_o inverted
  output logic [tenon_pkg::ACC_INDEX_BITS-1:0]   acc_write_index_o,
  output logic [tenon_pkg::ACC_BYTES*8-1:0]      acc_write_data_o,
  // LOAD's write of the next cycle, which goes before GEMM's
  input  logic                                   load_next_i,
  input  logic [tenon_pkg::ACC_INDEX_BITS-1:0]   load_next_index_i
);
  localparam int unsigned D = tenon_pkg::ACC_INDEX_BITS;
  localparam int unsigned S = tenon_pkg::INP_INDEX_BITS;
  localparam int unsigned T = tenon_pkg::WGT_INDEX_BITS;
  localparam int unsigned Lanes = tenon_pkg::BATCH * tenon_pkg::BLOCK_OUT;
  localparam int unsigned UopBits = D + S + T;
  localparam int unsigned Banks = tenon_pkg::ACC_BANKS;
  localparam int unsigned RowBits = $clog2(tenon_pkg::ACC_ENTRIES / Banks);

  // One bit a bank: the one in which the index lies.
  function logic [Banks-1:0] bank(input logic [D-1:0] index);
    for (int b = 0; b < Banks; b++) bank[b] = 32'(index) >> RowBits == b;
  endfunction

  // the front: the oldest instruction not accepted yet
  /* verilator lint_off UNUSEDSIGNAL */  // not every field of every format
  tenon_pkg::gemm_t instruction;
  tenon_pkg::set_t  set;
  /* verilator lint_on UNUSEDSIGNAL */
  logic             is_set, go, advance, complete, waiting;
  logic [2:0]       token_wait, room_wait;

  assign instruction = instruction_i[tenon_pkg::GEMM_BITS-1:0];
  assign set = instruction_i[tenon_pkg::SET_BITS-1:0];
  assign is_set = instruction_i[2:0] == tenon_pkg::SET_OPCODE;
  assign ready_o = go;

  logic           valid_0, first_0, last_0, free_0, load, could, set_go;
  logic [D-1:0]   dst_0;
  logic [S-1:0]   src_0;
  logic [T-1:0]   third_0;

  assign load = valid_i && free_0;
  assign set_go = could && is_set;

  core_order order (
    .clk_i, .rst_i(rst_i || start_i),
    .valid_i, .wait_i(instruction_i[5:3]), .signal_i(instruction_i[8:6]), .set_i(is_set),
    .ready_i(is_set || free_0), .could_o(could), .go_o(go),
    .token_i, .take_o, .room_i, .give_o, .token_wait_o(token_wait), .room_wait_o(room_wait),
    .complete_i(complete), .retired_o, .idle_o
  );

  // registers; an instruction takes them along when it is accepted
  logic [UopBits-1:0] base_q;
  logic [8:0]         zero_point_q, zero_point_0;
  logic               from_zero_0;
  tenon_pkg::gemm_uop_t base;

  assign base = base_q;

  always_ff @(posedge clk_i) begin
    if (rst_i || start_i) begin
      base_q <= '0;
      zero_point_q <= '0;
    end else if (set_go) begin
      if (set.index == tenon_pkg::GEMM_REG_GEMM_BASE) base_q <= set.value[UopBits-1:0];
      if (set.index == tenon_pkg::GEMM_REG_WEIGHT_ZERO_POINT) zero_point_q <= set.value[8:0];
    end
  end

  // 0
  uop_sequencer #(.DstBits(D), .SrcBits(S), .ThirdBits(T), .AlongBits(10)) sequencer (
    .clk_i, .rst_i(rst_i || start_i),
    .free_o(free_0), .load_i(load), .go_i(go && !is_set),
    .begin_i(instruction.uop_begin), .count_i(instruction.uop_count),
    .outer_i(instruction.outer_count), .inner_i(instruction.inner_count),
    .dst_base_i(base.dst), .dst_outer_i(instruction.dst_outer), .dst_inner_i(instruction.dst_inner),
    .src_base_i(base.src), .src_outer_i(instruction.src_outer), .src_inner_i(instruction.src_inner),
    .third_base_i(base.third), .third_outer_i(instruction.third_outer), .third_inner_i(instruction.third_inner),
    .along_i({zero_point_q, instruction.first}), .along_o({zero_point_0, from_zero_0}),
    .step_i(advance), .valid_o(valid_0), .first_o(first_0), .last_o(last_0),
    .uop_o(uop_index_o), .dst_o(dst_0), .src_o(src_0), .third_o(third_0)
  );

  // 1..8, w: what each micro-op carries along
  logic         valid_1, valid_2, valid_3, valid_4, valid_5, valid_6, valid_7, valid_8, valid_w;
  logic         first_1, first_2, first_3;                      // of its instruction
  logic         last_1, last_2, last_3, last_4, last_5, last_6, last_7, last_8, last_w;
  logic         zero_1, zero_2, zero_3, zero_4;                 // runs start from zero
  logic         start_4, start_5, start_6, start_7, start_8;    // first of its run
  logic         end_5, end_6, end_7, end_8;                     // last of its run
  logic         read_5, read_6, read_7, read_8;                 // starts from acc[dst]
  logic         late_7;
  logic [Banks-1:0] write_at_w;                                 // one bit a bank
  logic         grant;                                          // of ACC's write port
  logic [8:0]   zero_point_1, zero_point_2, zero_point_3, zero_point_4, zero_point_5;
  logic [D-1:0] dst_1, dst_2, dst_3, dst_4, dst_5, dst_6, dst_7, dst_8, dst_w;
  logic [S-1:0] src_1, src_2, src_3;
  logic [T-1:0] third_1, third_2, third_3;
  /* verilator lint_off UNUSEDSIGNAL */  // only the word within a line
  logic [tenon_pkg::UOP_INDEX_BITS-1:0] uop_1, uop_2;
  /* verilator lint_on UNUSEDSIGNAL */
  tenon_pkg::gemm_uop_t uop;

  if (tenon_pkg::UOPS_PER_BEAT == 1) begin : gen_uop
    assign uop = uop_line_i[UopBits-1:0];
  end else begin : gen_uop
    localparam int unsigned WordBits = $clog2(tenon_pkg::UOPS_PER_BEAT);
    assign uop = uop_line_i[uop_2[WordBits-1:0]*32 +: UopBits];
  end

  assign uop_read_o = advance && valid_0;
  assign uop_register_o = advance && valid_1;
  assign operand_read_o = advance && valid_3;
  assign operand_register_o = advance && valid_4;
  assign input_index_o = src_3;
  assign weight_index_o = third_3;

  always_ff @(posedge clk_i) begin
    if (rst_i || start_i) begin
      {valid_1, valid_2, valid_3, valid_4, valid_5, valid_6, valid_7, valid_8} <= '0;
    end else if (advance) begin
      {valid_1, valid_2, valid_3, valid_4, valid_5, valid_6, valid_7, valid_8} <=
          {valid_0, valid_1, valid_2, valid_3, valid_4, valid_5, valid_6, valid_7};
    end
    if (advance) begin
      if (valid_0) begin
        {first_1, last_1, zero_1, zero_point_1} <= {first_0, last_0, from_zero_0, zero_point_0};
        {uop_1, dst_1, src_1, third_1} <= {uop_index_o, dst_0, src_0, third_0};
      end
      if (valid_1) begin
        {first_2, last_2, zero_2, zero_point_2} <= {first_1, last_1, zero_1, zero_point_1};
        {uop_2, dst_2, src_2, third_2} <= {uop_1, dst_1, src_1, third_1};
      end
      if (valid_2) begin
        {first_3, last_3, zero_3, zero_point_3} <= {first_2, last_2, zero_2, zero_point_2};
        dst_3 <= uop.dst + dst_2;
        src_3 <= uop.src + src_2;
        third_3 <= uop.third + third_2;
      end
      // Within an instruction the next iteration stands in the stage behind.
      if (valid_3) begin
        {last_4, zero_4, zero_point_4, dst_4} <= {last_3, zero_3, zero_point_3, dst_3};
        start_4 <= first_3 || dst_3 != dst_4;
      end
      if (valid_4) begin
        {last_5, start_5, zero_point_5, dst_5} <= {last_4, start_4, zero_point_4, dst_4};
        end_5 <= last_4 || dst_3 != dst_4;
        read_5 <= start_4 && !zero_4;
      end
      if (valid_5) {last_6, start_6, end_6, read_6, dst_6} <= {last_5, start_5, end_5, read_5, dst_5};
      if (valid_6) begin
        {last_7, start_7, end_7, read_7, dst_7} <= {last_6, start_6, end_6, read_6, dst_6};
        late_7 <= grant && same_6;
      end
      if (valid_7) {last_8, start_8, end_8, read_8, dst_8} <= {last_7, start_7, end_7, read_7, dst_7};
    end
  end

  // 5, 6, 7: products and sums
  logic [Lanes*32-1:0] sums_8;

  gemm_dot dot (
    .clk_i, .advance_i(advance), .valid_i({valid_7, valid_6, valid_5}),
    .input_i, .weight_i, .zero_point_i(zero_point_5), .sums_o(sums_8)
  );

  // 6, 7, 8: the value a run starts from
  // The read of a cycle, stage 6's or, while the pipeline stands, stage 7's again,
  // is chosen in the cycle before: the ALU's reads wait for what it leaves.
  logic         finish, lost_q;                   // see w
  logic         lost, stands, read;               // in the next cycle
  logic [D-1:0] read_index;

  assign lost = load_next_i && (bank(load_next_index_i) & (finish ? bank(dst_8) : write_at_w)) != '0;
  assign stands = lost && (!advance || ((finish || (valid_w && lost_q)) && valid_7 && end_7));

  always_comb begin
    {read, read_index} = {valid_6 && read_6, dst_6};
    if (advance && !stands) {read, read_index} = {valid_5 && read_5, dst_5};
    if (!advance && stands) {read, read_index} = {valid_7 && read_7, dst_7};
  end

  always_ff @(posedge clk_i) begin
    acc_read_o <= read && !rst_i && !start_i ? bank(read_index) : '0;
    if (read) acc_read_index_o <= read_index;
  end

  // Whether w has the element of 6, 7 or 8, as far as those are valid: compared in
  // the cycle before, since all lanes hang on it.
  logic         same_6, same_7, same_8;
  logic [D-1:0] next_dst_w;

  assign next_dst_w = finish ? dst_8 : dst_w;

  always_ff @(posedge clk_i) begin
    same_6 <= next_dst_w == (advance ? dst_5 : dst_6);
    same_7 <= (finish || (valid_w && lost_q)) && next_dst_w == (advance ? dst_6 : dst_7);
    same_8 <= (finish || (valid_w && lost_q)) && next_dst_w == (advance ? dst_7 : dst_8);
  end

  assign acc_register_o = advance && valid_7 && read_7;
  assign acc_forward_o = same_7;
  assign acc_late_o = late_7;

  always_ff @(posedge clk_i) begin
    if (advance && valid_6 && read_6 && grant && same_6)
      acc_late_data_o <= acc_write_data_o;
  end

  // 8: the running sum
  logic [Lanes*32-1:0] running_q;

  always_ff @(posedge clk_i) begin
    if (advance && valid_8) begin : accumulate
      logic [Lanes*32-1:0] sum;
      if (!start_8) begin
        for (int l = 0; l < Lanes; l++) sum[l*32 +: 32] = running_q[l*32 +: 32] + sums_8[l*32 +: 32];
      end else if (!read_8) begin
        sum = sums_8;
      end else if (same_8) begin
        for (int l = 0; l < Lanes; l++) sum[l*32 +: 32] = acc_write_data_o[l*32 +: 32] + sums_8[l*32 +: 32];
      end else begin
        for (int l = 0; l < Lanes; l++) sum[l*32 +: 32] = acc_data_i[l*32 +: 32] + sums_8[l*32 +: 32];
      end
      if (end_8) acc_write_data_o <= sum;
      else running_q <= sum;
    end
  end

  // w
  // (`lost_q`: LOAD has the bank in this cycle, as it said in the one before)
  logic stands_q;

  assign finish = valid_8 && end_8 && !(valid_w && lost_q);
  // Whether it stands is known a cycle before: every stage hangs on it.
  assign advance = !stands_q;
  assign grant = valid_w && !lost_q;
  assign complete = grant && last_w;
  assign acc_write_o = write_at_w;                // LOAD's goes before it in acc
  assign acc_write_index_o = dst_w;

  always_ff @(posedge clk_i) begin
    if (rst_i || start_i) valid_w <= 1'b0;
    else valid_w <= finish || (valid_w && lost_q);
    if (finish) {dst_w, last_w} <= {dst_8, last_8};
    if (rst_i || start_i || grant || finish) begin
      write_at_w <= finish && !rst_i && !start_i ? bank(dst_8) : '0;
      acc_away_o <= finish && !rst_i && !start_i ? ~bank(dst_8) : '1;
    end
    if (finish || valid_w)
      lost_q <= lost;
    stands_q <= stands && !rst_i && !start_i;
  end

  // where this cycle goes
  always_comb begin
    waiting = 1'b0;
    if (!advance) state_o = tenon_pkg::STATE_BANK;
    else if (valid_0 || !free_0 || could) state_o = tenon_pkg::STATE_BUSY;
    else if (room_wait != 3'b0 || token_wait != 3'b0) begin
      state_o = tenon_pkg::STATE_TOKEN;
      waiting = 1'b1;
    end else if (!idle_o) state_o = tenon_pkg::STATE_DRAIN;
    else state_o = tenon_pkg::STATE_EMPTY;
  end

  assign room_wait_o = waiting ? room_wait : 3'b0;
  assign token_wait_o = waiting && room_wait == 3'b0 ? token_wait : 3'b0;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin : assertions
    if (!(rst_i || start_i)) begin
      // At most one bank is written.
      one_bank_written : assert ((acc_write_o & (acc_write_o - Banks'(1))) == '0);
      // `acc_away_o` is the other side of `acc_write_o`.
      away_is_inverse : assert (acc_away_o == ~acc_write_o);
      // Nothing stands but behind a write that lost its bank.
      stands_behind_write : assert (advance || valid_w);
      // The read port is given only to a run that starts from ACC.
      reads_what_starts : assert (acc_read_o == '0 || (valid_6 && read_6) || (valid_7 && read_7));
    end
  end
`endif
endmodule

`default_nettype wire
