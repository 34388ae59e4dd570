// Part of Tenon, under the Apache License v2.0.
//
// The ALU engine: vector operations on ACC, one vector a cycle, results to ACC,
// INP or OUT.
//
// Stages (a micro-op's registers are named _<stage>):
//   0 sequencer, UOP address   1 UOP RAM   2 micro-op   3 indices
//   r waits for its operands and for room (alu_issue), ACC, PRM, DWT addresses
// then alu_execute and alu_results. Stages 0 to r move together; behind r
// nothing stops. A micro-op whose operand is a result in flight waits in r.
// A SET that changes what the lanes use waits until they are empty; the base
// and the operand offset go along with the instruction.
`default_nettype none

module alu (
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
  output logic                                   awake_o,
  // micro-ops: data two advances after the address
  output logic                                   uop_read_o,
  output logic [tenon_pkg::UOP_INDEX_BITS-1:0]   uop_index_o,
  output logic                                   uop_register_o,
  /* verilator lint_off UNUSEDSIGNAL */  // a micro-op may be shorter than its 32 bits
  input  logic [tenon_pkg::BUS_BITS-1:0]         uop_line_i,
  /* verilator lint_on UNUSEDSIGNAL */
  // parameters and taps: data one cycle after `register`, read before that
  output logic                                   parameter_register_o,
  output logic                                   parameter_read_o,
  output logic [tenon_pkg::PRM_INDEX_BITS-1:0]   parameter_index_o,
  input  logic [tenon_pkg::PRM_BYTES*8-1:0]      parameter_i,
  output logic                                   tap_register_o,
  output logic                                   tap_read_o,
  output logic [tenon_pkg::DWT_INDEX_BITS-1:0]   tap_index_o,
  input  logic [tenon_pkg::BLOCK_OUT*8-1:0]      tap_i,
  // ACC reads, see acc.sv
  output logic                                   first_read_o,
  output logic [tenon_pkg::ACC_INDEX_BITS-1:0]   first_index_o,
  input  logic                                   first_open_i,
  input  logic [tenon_pkg::ACC_BYTES*8-1:0]      first_i,
  output logic                                   second_read_o,
  output logic [tenon_pkg::ACC_INDEX_BITS-1:0]   second_index_o,
  input  logic                                   second_open_i,
  input  logic [tenon_pkg::ACC_BYTES*8-1:0]      second_i,
  // results
  output logic                                   write_o,
  output logic [tenon_pkg::ACC_BANKS-1:0]        write_acc_o,   // its bank of ACC, if it is for ACC
  output logic [1:0]                             write_target_o,
  output logic [tenon_pkg::ALU_DST_BITS-1:0]     write_index_o,
  output logic [tenon_pkg::ACC_BYTES*8-1:0]      write_data_o,
  input  logic                                   write_grant_i
);
  localparam int unsigned D = tenon_pkg::ALU_DST_BITS;
  localparam int unsigned S = tenon_pkg::ACC_INDEX_BITS;
  localparam int unsigned T = tenon_pkg::ALU_THIRD_BITS;
  localparam int unsigned UopBits = D + S + T;
  localparam int unsigned RowBits = $clog2(tenon_pkg::ACC_ENTRIES / tenon_pkg::ACC_BANKS);

  // the front: the oldest instruction not accepted yet
  /* verilator lint_off UNUSEDSIGNAL */  // not every field of every format
  tenon_pkg::alu_t instruction;
  tenon_pkg::set_t set;
  /* verilator lint_on UNUSEDSIGNAL */
  logic            is_set, set_free, front_free, go, advance, complete, waiting, lanes_busy, empty, empty_q;
  logic [2:0]      token_wait, room_wait, stall;

  assign instruction = instruction_i[tenon_pkg::ALU_BITS-1:0];
  assign set = instruction_i[tenon_pkg::SET_BITS-1:0];
  assign is_set = instruction_i[2:0] == tenon_pkg::SET_OPCODE;
  assign ready_o = go;

  logic           valid_0, first_0, last_0, free_0, load, could, set_go;
  logic [D-1:0]   dst_0;
  logic [S-1:0]   src_0;
  logic [T-1:0]   third_0;

  assign load = valid_i && free_0;
  assign front_free = !is_set || set_free || empty_q;
  assign set_go = could && is_set && front_free;

  core_order order (
    .clk_i, .rst_i(rst_i || start_i),
    .valid_i, .wait_i(instruction_i[5:3]), .signal_i(instruction_i[8:6]), .set_i(is_set),
    .ready_i(front_free && (is_set || free_0)), .could_o(could), .go_o(go),
    .token_i, .take_o, .room_i, .give_o, .token_wait_o(token_wait), .room_wait_o(room_wait),
    .complete_i(complete), .retired_o, .idle_o
  );

  // registers
  logic [UopBits-1:0] base_q;
  logic [S-1:0]       offset_q;
  logic [31:0]        immediate_q, clamp_min_q, clamp_max_q, zero_point_q;
  logic [8:0]         tap_zero_point_q, addend_min_q, addend_max_q;
  logic [21:0]        addend_scale_q, operand_scale_q;
  logic [5:0]         add_shift_q;
  tenon_pkg::alu_uop_t base;

  assign base = base_q;

  // A SET that the lanes do not notice: one that is not for them, at once, or one
  // that changes nothing, known a cycle after it came to the front.
  logic same, same_q, seen_q, for_lanes;

  assign set_free = !for_lanes || (seen_q && same_q);

  always_ff @(posedge clk_i) begin
    seen_q <= valid_i && is_set && !go && !rst_i;
    empty_q <= empty && !(go && !is_set);
    same_q <= same;
  end

  // It goes a cycle before the lanes' registers change: a micro-op behind it is far
  // from them, and so is what decides.
  logic        late_q;
  logic [3:0]  late_index_q;
  logic [31:0] late_value_q;

  always_ff @(posedge clk_i) begin
    late_q <= set_go && !rst_i && !start_i;
    if (valid_i) {late_index_q, late_value_q} <= {set.index, set.value};
  end

  always_comb begin
    for_lanes = 1'b1;
    same = 1'b0;
    unique case (set.index)
      tenon_pkg::ALU_REG_IMMEDIATE: same = set.value == immediate_q;
      tenon_pkg::ALU_REG_CLAMP_MIN: same = set.value == clamp_min_q;
      tenon_pkg::ALU_REG_CLAMP_MAX: same = set.value == clamp_max_q;
      tenon_pkg::ALU_REG_OUTPUT_ZERO_POINT: same = set.value == zero_point_q;
      tenon_pkg::ALU_REG_DWT_ZERO_POINT: same = set.value[8:0] == tap_zero_point_q;
      tenon_pkg::ALU_REG_ADDEND_MIN: same = set.value[8:0] == addend_min_q;
      tenon_pkg::ALU_REG_ADDEND_MAX: same = set.value[8:0] == addend_max_q;
      tenon_pkg::ALU_REG_ADDEND_SCALE: same = set.value[21:0] == addend_scale_q;
      tenon_pkg::ALU_REG_OPERAND_SCALE: same = set.value[21:0] == operand_scale_q;
      tenon_pkg::ALU_REG_ADD_SHIFT: same = set.value[5:0] == add_shift_q;
      default: for_lanes = 1'b0;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (rst_i || start_i) begin
      base_q <= '0;
      offset_q <= '0;
      immediate_q <= 32'd0;
      clamp_min_q <= -32'd128;
      clamp_max_q <= 32'd127;
      zero_point_q <= 32'd0;
      tap_zero_point_q <= 9'd0;
      addend_min_q <= -9'd128;
      addend_max_q <= 9'd127;
      addend_scale_q <= 22'd0;
      operand_scale_q <= 22'd0;
      add_shift_q <= 6'd2;
    end else begin
      if (set_go && set.index == tenon_pkg::ALU_REG_ALU_BASE) base_q <= set.value[UopBits-1:0];
      if (set_go && set.index == tenon_pkg::ALU_REG_OPERAND_OFFSET) offset_q <= set.value[S-1:0];
      if (late_q) begin
        unique case (late_index_q)
          tenon_pkg::ALU_REG_IMMEDIATE: immediate_q <= late_value_q;
          tenon_pkg::ALU_REG_CLAMP_MIN: clamp_min_q <= late_value_q;
          tenon_pkg::ALU_REG_CLAMP_MAX: clamp_max_q <= late_value_q;
          tenon_pkg::ALU_REG_OUTPUT_ZERO_POINT: zero_point_q <= late_value_q;
          tenon_pkg::ALU_REG_DWT_ZERO_POINT: tap_zero_point_q <= late_value_q[8:0];
          tenon_pkg::ALU_REG_ADDEND_MIN: addend_min_q <= late_value_q[8:0];
          tenon_pkg::ALU_REG_ADDEND_MAX: addend_max_q <= late_value_q[8:0];
          tenon_pkg::ALU_REG_ADDEND_SCALE: addend_scale_q <= late_value_q[21:0];
          tenon_pkg::ALU_REG_OPERAND_SCALE: operand_scale_q <= late_value_q[21:0];
          tenon_pkg::ALU_REG_ADD_SHIFT: add_shift_q <= late_value_q[5:0];
          default: ;
        endcase
      end
    end
  end

  // 0
  logic [3:0]   op_0, op_1, op_2, op_3, op_r;
  logic [1:0]   target_0, target_1, target_2, target_3, target_r;
  logic         operand_0, operand_1, operand_2, operand_3, operand_r;
  logic         zero_0, zero_1, zero_2, zero_3, zero_r;
  logic [S-1:0] offset_0;

  uop_sequencer #(.DstBits(D), .SrcBits(S), .ThirdBits(T), .AlongBits(8 + S)) sequencer (
    .clk_i, .rst_i(rst_i || start_i),
    .free_o(free_0), .load_i(load), .go_i(go && !is_set),
    .begin_i(instruction.uop_begin), .count_i(instruction.uop_count),
    .outer_i(instruction.outer_count), .inner_i(instruction.inner_count),
    .dst_base_i(base.dst), .dst_outer_i(instruction.dst_outer), .dst_inner_i(instruction.dst_inner),
    .src_base_i(base.src), .src_outer_i(instruction.src_outer), .src_inner_i(instruction.src_inner),
    .third_base_i(base.third), .third_outer_i(instruction.third_outer), .third_inner_i(instruction.third_inner),
    .along_i({instruction.op, instruction.target, instruction.operand, instruction.first, offset_q}),
    .along_o({op_0, target_0, operand_0, zero_0, offset_0}),
    .step_i(advance), .valid_o(valid_0), .first_o(first_0), .last_o(last_0),
    .uop_o(uop_index_o), .dst_o(dst_0), .src_o(src_0), .third_o(third_0)
  );

  // 1..3, r
  logic         valid_1, valid_2, valid_3, valid_r;
  logic         first_1, first_2, first_3, start_r;
  logic         last_1, last_2, last_3, last_r;
  logic [D-1:0] dst_1, dst_2, dst_3, dst_r;
  logic [S-1:0] src_1, src_2, src_3, src_r;
  logic [S-1:0] second_1, second_2, second_3, second_r;   // where the second operand is
  logic [T-1:0] third_1, third_2, third_3, third_r;
  /* verilator lint_off UNUSEDSIGNAL */  // only the word within a line
  logic [tenon_pkg::UOP_INDEX_BITS-1:0] uop_1, uop_2;
  /* verilator lint_on UNUSEDSIGNAL */
  tenon_pkg::alu_uop_t uop;
  logic         issue, start_3, reduces_3, need_first_3, need_second_3;
  logic [D-1:0] dst;                              // of stage 2
  // r: what its operation asks for
  logic         quant_add_r, multiplies_r, need_first_r, need_second_r, write_r, same_bank_r;

  assign dst = uop.dst + dst_2;
  assign start_3 = first_3 || dst_3 != dst_r;
  assign need_first_3 = op_3 != tenon_pkg::ALU_OP_MOV || operand_3;
  assign need_second_3 = op_3 == tenon_pkg::ALU_OP_QUANT_ADD || (reduces_3 && start_3 && !zero_3)
      || (operand_3 && (op_3 == tenon_pkg::ALU_OP_SUB || op_3 == tenon_pkg::ALU_OP_MUL));
  assign reduces_3 = op_3 == tenon_pkg::ALU_OP_MAC || (operand_3
      && (op_3 == tenon_pkg::ALU_OP_ADD || op_3 == tenon_pkg::ALU_OP_MIN || op_3 == tenon_pkg::ALU_OP_MAX));

  if (tenon_pkg::UOPS_PER_BEAT == 1) begin : gen_uop
    assign uop = uop_line_i[UopBits-1:0];
  end else begin : gen_uop
    localparam int unsigned WordBits = $clog2(tenon_pkg::UOPS_PER_BEAT);
    assign uop = uop_line_i[uop_2[WordBits-1:0]*32 +: UopBits];
  end

  assign advance = !valid_r || issue;
  assign empty = !(valid_0 || !free_0 || valid_1 || valid_2 || valid_3 || valid_r || lanes_busy);
  assign uop_read_o = advance && valid_0;
  assign uop_register_o = advance && valid_1;

  always_ff @(posedge clk_i) begin
    if (rst_i || start_i) {valid_1, valid_2, valid_3, valid_r} <= '0;
    else if (advance) {valid_1, valid_2, valid_3, valid_r} <= {valid_0, valid_1, valid_2, valid_3};
    if (advance) begin
      if (valid_0) begin
        {op_1, target_1, operand_1, zero_1} <= {op_0, target_0, operand_0, zero_0};
        second_1 <= op_0 == tenon_pkg::ALU_OP_QUANT_ADD ? src_0 + offset_0 : dst_0[S-1:0];
        {first_1, last_1, uop_1, dst_1, src_1, third_1} <= {first_0, last_0, uop_index_o, dst_0, src_0, third_0};
      end
      if (valid_1) begin
        {op_2, target_2, operand_2, zero_2, second_2} <= {op_1, target_1, operand_1, zero_1, second_1};
        {first_2, last_2, uop_2, dst_2, src_2, third_2} <= {first_1, last_1, uop_1, dst_1, src_1, third_1};
      end
      if (valid_2) begin
        {op_3, target_3, operand_3, zero_3} <= {op_2, target_2, operand_2, zero_2};
        {first_3, last_3} <= {first_2, last_2};
        dst_3 <= dst;
        second_3 <= (op_2 == tenon_pkg::ALU_OP_QUANT_ADD ? uop.src : uop.dst[S-1:0]) + second_2;
        src_3 <= uop.src + src_2;
        third_3 <= uop.third + third_2;
      end
      // Within an instruction the next iteration stands in the stage behind.
      if (valid_3) begin
        {op_r, target_r, operand_r, zero_r} <= {op_3, target_3, operand_3, zero_3};
        {last_r, dst_r, src_r, third_r} <= {last_3, dst_3, src_3, third_3};
        start_r <= start_3;
        second_r <= second_3;
        same_bank_r <= src_3 >> RowBits == second_3 >> RowBits;
        quant_add_r <= op_3 == tenon_pkg::ALU_OP_QUANT_ADD;
        multiplies_r <= op_3 == tenon_pkg::ALU_OP_MUL || op_3 == tenon_pkg::ALU_OP_MAC || op_3 == tenon_pkg::ALU_OP_QUANT;
        need_first_r <= need_first_3;
        need_second_r <= need_second_3;
        write_r <= !reduces_3 || last_3 || dst != dst_3;
      end
    end
  end

  // r
  logic hit, full, grid_a, grid_c, quant_add_done;

  alu_issue issuer (
    .clk_i, .rst_i(rst_i || start_i),
    .valid_i(valid_r), .quant_add_i(quant_add_r), .multiplies_i(multiplies_r),
    .advance_i(advance), .need_first_i(need_first_3), .need_second_i(need_second_3), .write_i(write_r), .same_bank_i(same_bank_r),
    .issue_o(issue), .stall_o(stall),
    .hit_i(hit), .full_i(full),
    .blocked_i(write_o && !write_grant_i),
    .first_read_o, .first_open_i, .second_read_o, .second_open_i,
    .quant_add_done_i(quant_add_done), .grid_a_o(grid_a), .grid_c_o(grid_c)
  );

  assign first_index_o = src_r;
  assign second_index_o = second_r;
  assign parameter_read_o = valid_r && (op_r == tenon_pkg::ALU_OP_QUANT || op_r == tenon_pkg::ALU_OP_QUANT_ADD);
  assign parameter_index_o = third_r[tenon_pkg::PRM_INDEX_BITS-1:0];
  assign tap_read_o = valid_r && op_r == tenon_pkg::ALU_OP_MAC;
  assign tap_index_o = third_r[tenon_pkg::DWT_INDEX_BITS-1:0];

  // What is issued decides late, and they are far: they are read in any case.
  always_ff @(posedge clk_i) {parameter_register_o, tap_register_o} <= {issue && parameter_read_o, issue && tap_read_o};

  // lanes
  logic                               result, addend;
  logic [$clog2(tenon_pkg::BATCH * tenon_pkg::BLOCK_OUT / tenon_pkg::ALU_LANES + 1)-1:0] group;
  logic [tenon_pkg::ALU_LANES*32-1:0] lanes, round;
  logic [tenon_pkg::ALU_LANES*9-1:0]  addends;
  logic [31:0]                        zero_point, low, high;

  alu_execute execute (
    .clk_i, .rst_i(rst_i || start_i),
    .issue_i(issue), .op_i(op_r), .operand_i(operand_r), .start_i(start_r), .zero_i(zero_r),
    .write_i(write_r), .grid_a_i(grid_a), .grid_c_i(grid_c),
    .busy_o(lanes_busy), .quant_add_done_o(quant_add_done),
    .first_i, .second_i, .parameter_i, .tap_i,
    .immediate_i(immediate_q), .tap_zero_point_i(tap_zero_point_q),
    .addend_min_i(addend_min_q), .addend_max_i(addend_max_q),
    .addend_scale_i(addend_scale_q), .operand_scale_i(operand_scale_q), .add_shift_i(add_shift_q),
    .zero_point_i(zero_point_q), .clamp_min_i(clamp_min_q), .clamp_max_i(clamp_max_q),
    .result_o(result), .addend_o(addend), .group_o(group), .lanes_o(lanes), .round_o(round),
    .zero_point_o(zero_point), .low_o(low), .high_o(high), .addend_i(addends)
  );

  // results
  logic write_last;

  alu_results results (
    .clk_i, .rst_i(rst_i || start_i),
    .issue_i(issue && write_r), .dst_i(dst_r), .target_i(target_r), .last_i(last_r), .full_o(full),
    .advance_i(advance), .first_i(src_3), .second_i(second_3),
    .need_first_i(need_first_3), .need_second_i(need_second_3),
    .hold_first_i(need_first_r), .hold_second_i(need_second_r), .hit_o(hit),
    .result_i(result), .group_i(group), .lanes_i(lanes), .round_i(round),
    .zero_point_i(zero_point), .low_i(low), .high_i(high), .addend_i(addend), .addend_o(addends),
    .valid_o(write_o), .dst_o(write_index_o), .target_o(write_target_o), .acc_o(write_acc_o), .last_o(write_last),
    .data_o(write_data_o), .grant_i(write_grant_i)
  );

  assign complete = write_grant_i && write_last;
  assign awake_o = start_i || !idle_o || lanes_busy || go || take_o != 3'b0;

  // where this cycle goes
  always_comb begin
    waiting = 1'b0;
    if (!advance) state_o = stall;
    else if (valid_0 || !free_0 || (could && front_free)) state_o = tenon_pkg::STATE_BUSY;
    else if (room_wait != 3'b0 || (front_free && token_wait != 3'b0)) begin
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
      // While no operand is held to be under way, the ALU does not write the first one.
      first_not_under_way : assert (!valid_r || hit || !need_first_r || write_acc_o == '0 || !write_grant_i || 32'(write_index_o) != 32'(src_r));
      // While no operand is held to be under way, the ALU does not write the second one.
      second_not_under_way : assert (!valid_r || hit || !need_second_r || write_acc_o == '0 || !write_grant_i || 32'(write_index_o) != 32'(second_r));
      // A write is granted only where one is asked for.
      granted_when_asked : assert (!write_grant_i || write_o);
    end
  end
`endif
endmodule

`default_nettype wire
