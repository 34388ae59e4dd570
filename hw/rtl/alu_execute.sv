// Part of Tenon, under the Apache License v2.0.
//
// The ALU's lanes. A micro-op issued in cycle t has its operands in t+2; from
// then on it takes ALU_LANES lanes (a group) a step:
//   2 operands   3 factors (as long as a multiplication takes; two cycles more
//   where it takes one, see alu_multiply)   4 product   5 sum, running value
//   6 shifted   then alu_results, in three
// Nothing here ever stops; the issuer keeps the distances that stage 2 needs
// (`alu_issue.sv`).
//
// A lane has one multiplier, one adder (stage 5: sums, comparisons, running
// values), one right shifter and, in alu_results, the adder of the zero point
// and the clamp; every operation passes all of them but the multiplier, which
// only those with a product do. The shifter keeps
// the bit below its result: it is what rounding adds, since
// (v + 2^(s-1)) >> s = (v >> s) + v[s-1], and it becomes alu_results' carry.
//
// quant_add passes the multiplier three times: A rescales acc[src]; B scales
// the operand, one multiplication later; C scales A's rounded and clamped
// result. All A of successive groups lie on a grid of three multiplications;
// C stands in the third place of the grid: that of its own A where the
// multiplier is slow, of a later A (Later) where the pipeline is longer than that.
`default_nettype none

module alu_execute (
  input  logic                                     clk_i,
  input  logic                                     rst_i,
  // issue, with what stays the same through the pipeline
  input  logic                                     issue_i,
  input  logic [3:0]                               op_i,
  input  logic                                     operand_i,
  input  logic                                     start_i,      // first of its run
  input  logic                                     zero_i,       // the run starts from zero or acc[src]
  input  logic                                     write_i,      // gives a result
  input  logic                                     grid_a_i,     // where A stands if it is one
  input  logic                                     grid_c_i,     // the cycle before C's
  output logic                                     busy_o,
  output logic                                     quant_add_done_o,
  // operands, stage 2
  input  logic [tenon_pkg::ACC_BYTES*8-1:0]        first_i,      // acc[src]
  input  logic [tenon_pkg::ACC_BYTES*8-1:0]        second_i,     // acc[dst], or quant_add's operand
  input  logic [tenon_pkg::PRM_BYTES*8-1:0]        parameter_i,
  input  logic [tenon_pkg::BLOCK_OUT*8-1:0]        tap_i,
  // registers
  input  logic [31:0]                              immediate_i,
  input  logic [8:0]                               tap_zero_point_i,
  input  logic [8:0]                               addend_min_i,
  input  logic [8:0]                               addend_max_i,
  input  logic [21:0]                              addend_scale_i,
  input  logic [21:0]                              operand_scale_i,
  input  logic [5:0]                               add_shift_i,
  input  logic [31:0]                              zero_point_i,
  input  logic [31:0]                              clamp_min_i,
  input  logic [31:0]                              clamp_max_i,
  // A result, or an addend (quant_add's A), which comes back two cycles later, or
  // three where alu_results holds it: lanes + round + zero_point, clamped to
  // low..high; high comes a cycle later, low two.
  output logic                                     result_o,
  output logic                                     addend_o,
  output logic [$clog2(tenon_pkg::BATCH * tenon_pkg::BLOCK_OUT / tenon_pkg::ALU_LANES + 1)-1:0] group_o,
  output logic [tenon_pkg::ALU_LANES*32-1:0]       lanes_o,
  output logic [tenon_pkg::ALU_LANES*32-1:0]       round_o,      // 0 or 1 a lane
  output logic [31:0]                              zero_point_o,
  output logic [31:0]                              low_o,
  output logic [31:0]                              high_o,
  input  logic [tenon_pkg::ALU_LANES*9-1:0]        addend_i
);
  localparam int unsigned Lanes = tenon_pkg::ALU_LANES;
  localparam int unsigned Groups = tenon_pkg::BATCH * tenon_pkg::BLOCK_OUT / Lanes;
  localparam int unsigned GroupBits = $clog2(Groups + 1);
  localparam int unsigned RowBits = Groups == 1 ? 1 : $clog2(Groups);
  localparam int unsigned Multiply = tenon_pkg::ALU_MULTIPLY_CYCLES;
  localparam int unsigned Delay = Multiply == 1 ? 2 : 0;     // see alu_multiply.sv
  // From A in stage 2 to its result, and to its own third place.
  localparam int unsigned Return = (Multiply == 1 ? 5 : 6) + Multiply + Delay;
  localparam int unsigned Third = 2 * Multiply;
  localparam int unsigned Later = Return > Third ? (Return - Third + 3 * Multiply - 1) / (3 * Multiply) : 0;
  localparam logic [1:0] A = 2'd0;
  localparam logic [1:0] B = 2'd1;
  localparam logic [1:0] C = 2'd2;

  // On an FPGA an enable that reaches all lanes costs time, in a simulation lanes
  // that have nothing to do cost more.
`ifdef SYNTHESIS
  localparam bit       Rest = 1'b0;
`else
  localparam bit       Rest = 1'b1;
`endif

  function logic multiplies(input logic [3:0] op);
    multiplies = op == tenon_pkg::ALU_OP_MUL || op == tenon_pkg::ALU_OP_MAC
              || op == tenon_pkg::ALU_OP_QUANT || op == tenon_pkg::ALU_OP_QUANT_ADD;
  endfunction

  function logic shifts(input logic [3:0] op);
    shifts = op == tenon_pkg::ALU_OP_SHL || op == tenon_pkg::ALU_OP_SHR || op == tenon_pkg::ALU_OP_SHRR
          || op == tenon_pkg::ALU_OP_QUANT || op == tenon_pkg::ALU_OP_QUANT_ADD;
  endfunction

  // The sign of sum = a + b in 33 bits, 32 times.
  function logic [31:0] signs(input logic [31:0] a, input logic [31:0] b, input logic [31:0] sum);
    signs = $signed(a ^ ((a ^ b) & (a ^ sum))) >>> 31;
  endfunction

  // 1, 2: the micro-op, its group and the cycle within the group
  logic       valid_1, valid_2, operand_1, operand_2, start_1, start_2, zero_1, zero_2, write_1, write_2;
  logic [3:0] op_1, op_2;
  logic [GroupBits-1:0] group_2;
  logic [6:0] cycle_2, last_cycle_2;
  logic       quant_add_2, slot_a, slot_b, slot_c, slot_any, again;
  logic       late_valid;                         // an A whose C is the next one
  logic [Later:0] late_valid_q;

  assign quant_add_2 = op_2 == tenon_pkg::ALU_OP_QUANT_ADD;
  assign last_cycle_2 = quant_add_2 ? 7'(3 * Multiply - 1) : multiplies(op_2) ? 7'(Multiply - 1) : 7'd0;
  assign again = valid_2 && cycle_2 == last_cycle_2 && 32'(group_2) != Groups - 1;

  // known a cycle before
  always_ff @(posedge clk_i) begin
    slot_any <= (valid_1 || again || (valid_2 && quant_add_2 && cycle_2 == 7'(Multiply - 1))
        || (grid_c_i && late_valid)) && !rst_i;
    slot_a <= (valid_1 || again) && !rst_i;
    slot_b <= valid_2 && quant_add_2 && cycle_2 == 7'(Multiply - 1) && !rst_i;
    slot_c <= grid_c_i && late_valid && !rst_i;
  end

  always_ff @(posedge clk_i) begin
    valid_1 <= issue_i && !rst_i;
    if (issue_i) {op_1, operand_1, start_1, zero_1, write_1} <= {op_i, operand_i, start_i, zero_i, write_i};
    if (valid_1) begin
      {op_2, operand_2, start_2, zero_2, write_2} <= {op_1, operand_1, start_1, zero_1, write_1};
      valid_2 <= 1'b1;
      group_2 <= '0;
      cycle_2 <= 7'd0;
    end else if (valid_2) begin
      if (cycle_2 != last_cycle_2) cycle_2 <= cycle_2 + 7'd1;
      else begin
        cycle_2 <= 7'd0;
        group_2 <= group_2 + 1'b1;
        valid_2 <= 32'(group_2) != Groups - 1;
      end
    end
    if (rst_i) valid_2 <= 1'b0;
  end

  // A's that still want their C
  logic [(Later+1)*GroupBits-1:0] late_group_q;
  logic [GroupBits-1:0]           late_group;

  assign late_valid = late_valid_q[Later];
  assign late_group = late_group_q[Later*GroupBits +: GroupBits];

  always_ff @(posedge clk_i) begin
    if (rst_i) late_valid_q <= '0;
    else if (grid_a_i) begin
      late_valid_q <= (Later+1)'({late_valid_q, slot_a && quant_add_2});
      late_group_q <= ((Later+1)*GroupBits)'({late_group_q, group_2});
    end
  end

  // 3: factors
  logic                valid_3, operand_3, start_3, zero_3, write_3, fire_3;
  logic [3:0]          op_3;
  logic [1:0]          slot_3;
  logic [GroupBits-1:0] group_3;
  logic [5:0]          left_3;
  logic [Lanes*32-1:0] x_3, y_3, z_3;
  logic [Lanes*32-1:0] shift_3;                 // 6 bits a lane
  logic [Lanes*32-1:0] operand_q;               // quant_add: B's result

  assign fire_3 = valid_3 && left_3 == 6'd0;

  always_ff @(posedge clk_i) begin
    if (rst_i) valid_3 <= 1'b0;
    else valid_3 <= slot_any || (valid_3 && !fire_3);
    if (slot_any) begin
      op_3 <= slot_c ? tenon_pkg::ALU_OP_QUANT_ADD : op_2;
      slot_3 <= slot_c ? C : slot_b ? B : A;
      group_3 <= slot_c ? late_group : group_2;
      left_3 <= slot_c || multiplies(op_2) ? 6'(Multiply - 1) : 6'd0;
      {operand_3, start_3, zero_3, write_3} <= {operand_2, start_2, zero_2, write_2 || slot_c};
    end else if (valid_3) left_3 <= left_3 - 6'd1;
  end

  alu_factors factors (
    .clk_i, .slot_i(slot_any), .slot_c_i(slot_c), .group_i(group_2),
    .ready_i(valid_1 || valid_2 || late_valid_q != '0),
    .next_a_i(valid_1 || again), .next_c_i(grid_c_i && late_valid),
    .op_i(valid_1 ? op_1 : op_2), .operand_i(valid_1 ? operand_1 : operand_2),
    .first_i, .second_i, .parameter_i, .tap_i, .addend_i, .product_i(operand_q),
    .immediate_i, .tap_zero_point_i, .addend_scale_i, .operand_scale_i, .add_shift_i,
    .x_o(x_3), .y_o(y_3), .z_o(z_3), .shift_o(shift_3)
  );

  // 4: product, and what the adder takes beside its low half
  localparam logic [1:0] Nothing = 2'd0;
  localparam logic [1:0] Operand = 2'd1;        // z_4
  localparam logic [1:0] Running = 2'd2;
  localparam logic [1:0] Immediate = 2'd3;
  // what becomes of the two
  localparam logic [1:0] Sum = 2'd0;
  localparam logic [1:0] Least = 2'd1;
  localparam logic [1:0] Greatest = 2'd2;
  localparam logic [1:0] Other = 2'd3;

  logic                valid_4, write_4, reduces_3, reduces_4, subtract_3, subtract_4, wide_3, wide_4, upper_4;
  logic                running_4, multiplied_4, multiply_busy;
  logic [Lanes-1:0]    runs_4, multiplies_4, subtracts_4;      // the same, a lane each
  logic [3:0]          op_4;
  logic [1:0]          slot_4, other_3, chosen_3, chosen_4;
  logic [GroupBits-1:0] group_4;
  logic [Lanes*64-1:0] product_4;
  logic [Lanes*32-1:0] x_4;                     // of an operation without product
  logic [Lanes*32-1:0] other_z_3, z_4;          // operand or immediate
  logic [Lanes*32-1:0] shift_4;
  logic [31:0]         immediate_3;             // negative where it is subtracted

  assign reduces_3 = op_3 == tenon_pkg::ALU_OP_MAC
      || (operand_3 && (op_3 == tenon_pkg::ALU_OP_ADD || op_3 == tenon_pkg::ALU_OP_MIN || op_3 == tenon_pkg::ALU_OP_MAX));

  always_comb begin
    other_3 = Nothing;
    if (reduces_3) other_3 = !start_3 ? Running : zero_3 ? Nothing : Operand;
    else if (op_3 == tenon_pkg::ALU_OP_SUB) other_3 = operand_3 ? Operand : Immediate;
    else if (op_3 == tenon_pkg::ALU_OP_MOV || op_3 == tenon_pkg::ALU_OP_ADD
             || op_3 == tenon_pkg::ALU_OP_MIN || op_3 == tenon_pkg::ALU_OP_MAX) other_3 = operand_3 ? Nothing : Immediate;
    else if (op_3 == tenon_pkg::ALU_OP_QUANT_ADD && slot_3 == C) other_3 = Operand;
    chosen_3 = Sum;
    if (op_3 == tenon_pkg::ALU_OP_MIN && other_3 != Nothing) chosen_3 = Least;
    if (op_3 == tenon_pkg::ALU_OP_MAX && other_3 != Nothing) chosen_3 = Greatest;
    if (op_3 == tenon_pkg::ALU_OP_SHL || (op_3 == tenon_pkg::ALU_OP_MOV && !operand_3)) chosen_3 = Other;
  end

  assign subtract_3 = chosen_3 == Least || chosen_3 == Greatest || (op_3 == tenon_pkg::ALU_OP_SUB && operand_3);
  assign wide_3 = op_3 == tenon_pkg::ALU_OP_QUANT || (op_3 == tenon_pkg::ALU_OP_QUANT_ADD && slot_3 == A);
  assign immediate_3 = op_3 == tenon_pkg::ALU_OP_SUB ? 32'd0 - immediate_i : immediate_i;

  always_comb begin
    unique case (other_3)
      Operand: other_z_3 = Later == 0 && slot_3 == C ? operand_q : z_3;
      Immediate: other_z_3 = {Lanes{immediate_3}};
      default: other_z_3 = '0;
    endcase
  end

  localparam int unsigned CarryBits = 15 + GroupBits + 3*Lanes*32;
  /* verilator lint_off UNUSEDSIGNAL */  // for the copies below
  logic [CarryBits-1:0] next;
  logic                 moves;
  /* verilator lint_on UNUSEDSIGNAL */

  alu_multiply #(.CarryBits(CarryBits)) multiply (
    .clk_i, .rst_i, .load_i(slot_any), .needed_i(multiplies(op_3)), .last_i(fire_3),
    .carry_i({op_3, slot_3, group_3, write_3, reduces_3, chosen_3, wide_3, op_3 == tenon_pkg::ALU_OP_SHL,
              shift_3, x_3, other_z_3, other_3 == Running, multiplies(op_3), subtract_3}),
    .x_i(x_3), .y_i(y_3), .busy_o(multiply_busy), .valid_o(valid_4),
    .carry_o({op_4, slot_4, group_4, write_4, reduces_4, chosen_4, wide_4, upper_4,
              shift_4, x_4, z_4, running_4, multiplied_4, subtract_4}),
    .moves_o(moves), .next_o(next), .product_o(product_4)
  );

`ifdef SYNTHESIS
  for (genvar l = 0; l < Lanes; l++) begin : gen_control
    copy #(.Bits(3)) near_lane (
      .clk_i, .advance_i(moves), .data_i(next[2:0]),
      .data_o({runs_4[l], multiplies_4[l], subtracts_4[l]})
    );
  end
`else
  assign {runs_4, multiplies_4, subtracts_4} = {{Lanes{running_4}}, {Lanes{multiplied_4}}, {Lanes{subtract_4}}};
`endif

  // 5: the shifter's input, one bit below the point: a product as it is (`wide`;
  // its distance is one less), anything else above a zero, SHL's in the upper half
  logic                valid_5, write_5;
  logic                shifts_5, rounds_5;      // known early: they go to all lanes
  logic [3:0]          op_5;
  logic [1:0]          slot_5;
  logic [GroupBits-1:0] group_5;
  logic [Lanes*64-1:0] sum_5;
  logic [Lanes*32-1:0] shift_5;
  logic [Lanes*32-1:0] running_q [Groups];

  always_ff @(posedge clk_i) begin
    valid_5 <= valid_4 && slot_4 != B && !rst_i;
    if (valid_4 || !Rest) begin
      {op_5, slot_5, group_5, write_5, shift_5} <= {op_4, slot_4, group_4, write_4, shift_4};
      shifts_5 <= shifts(op_4);
      rounds_5 <= shifts(op_4) && op_4 != tenon_pkg::ALU_OP_SHR;
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_4 && slot_4 == B)
      for (int l = 0; l < Lanes; l++) operand_q[l*32 +: 32] <= product_4[l*64 +: 32];
    if (valid_4 || !Rest) begin : add
      logic [Lanes*32-1:0] other, base, term, sum, value;
      other = running_q[group_4[RowBits-1:0]];
      for (int l = 0; l < Lanes; l++) begin
        if (!runs_4[l]) other[l*32 +: 32] = z_4[l*32 +: 32];
        base[l*32 +: 32] = multiplies_4[l] ? product_4[l*64 +: 32] : x_4[l*32 +: 32];
        term[l*32 +: 32] = base[l*32 +: 32] ^ {32{subtracts_4[l]}};
        sum[l*32 +: 32] = other[l*32 +: 32] + term[l*32 +: 32] + 32'(subtracts_4[l]);
      end
      unique case (chosen_4)
        Sum: value = sum;
        Least:
          for (int l = 0; l < Lanes; l++)
            value[l*32 +: 32] = 1'(signs(other[l*32 +: 32], term[l*32 +: 32], sum[l*32 +: 32]))
                                ? other[l*32 +: 32] : x_4[l*32 +: 32];
        Greatest:
          for (int l = 0; l < Lanes; l++)
            value[l*32 +: 32] = 1'(signs(other[l*32 +: 32], term[l*32 +: 32], sum[l*32 +: 32]))
                                ? x_4[l*32 +: 32] : other[l*32 +: 32];
        Other: value = other;
      endcase
      for (int l = 0; l < Lanes; l++) begin
        sum_5[l*64 +: 33] <= {value[l*32 +: 32], 1'b0};
        sum_5[l*64 + 33 +: 31] <= 31'(signs(other[l*32 +: 32], term[l*32 +: 32], sum[l*32 +: 32]));
        if (upper_4) sum_5[l*64 + 32 +: 32] <= x_4[l*32 +: 32];
      end
      if (wide_4) sum_5 <= product_4;
      if (valid_4 && reduces_4) running_q[group_4[RowBits-1:0]] <= value;
    end
  end

  // 6: shifted
  logic                valid_6, write_6;
  logic [3:0]          op_6;
  logic [1:0]          slot_6;
  logic [GroupBits-1:0] group_6;
  logic signed [31:0]  addend_low, addend_high, clamp_low_q;
  logic                clamps_6, clamps_7, addend_7;     // to CLAMP_MIN, CLAMP_MAX

  // The upper bound is applied last: it wins where the bounds are exchanged.
  assign addend_high = 32'($signed(addend_max_i));
  assign clamps_6 = op_6 == tenon_pkg::ALU_OP_QUANT || op_6 == tenon_pkg::ALU_OP_QUANT_ADD || op_6 == tenon_pkg::ALU_OP_CLAMP;
  assign addend_low = $signed(addend_min_i) < $signed(addend_max_i) ? 32'($signed(addend_min_i)) : addend_high;

  always_ff @(posedge clk_i) begin
    valid_6 <= valid_5 && !rst_i;
    if (valid_5 || !Rest) begin
      {op_6, slot_6, group_6, write_6} <= {op_5, slot_5, group_5, write_5};
      round_o <= '0;
      if (shifts_5) begin : shift
        logic [Lanes*64-1:0] far, middle, near;   // of 48, 36 and 33 bits: few muxes
        for (int l = 0; l < Lanes; l++)
          far[l*64 +: 64] = $signed(sum_5[l*64 +: 64]) >>> (shift_5[l*32 +: 6] & 6'h30);
        for (int l = 0; l < Lanes; l++)
          middle[l*64 +: 64] = 64'(far[l*64 +: 48]) >> (shift_5[l*32 +: 6] & 6'h0c);
        for (int l = 0; l < Lanes; l++)
          near[l*64 +: 64] = 64'(middle[l*64 +: 36]) >> (shift_5[l*32 +: 6] & 6'h03);
        for (int l = 0; l < Lanes; l++) lanes_o[l*32 +: 32] <= near[l*64 + 1 +: 32];
        if (rounds_5) for (int l = 0; l < Lanes; l++) round_o[l*32] <= near[l*64];
      end else begin
        for (int l = 0; l < Lanes; l++) lanes_o[l*32 +: 32] <= sum_5[l*64 + 1 +: 32];
      end
    end
  end

  // the registers, for what stands in 6, the bounds for what stands one (high) and
  // two (low) behind
  always_ff @(posedge clk_i) begin
    clamp_low_q <= $signed(clamp_min_i) < $signed(clamp_max_i) ? clamp_min_i : clamp_max_i;
    if (valid_5) begin
      zero_point_o <= 32'd0;
      if (op_5 == tenon_pkg::ALU_OP_QUANT || (op_5 == tenon_pkg::ALU_OP_QUANT_ADD && slot_5 == C))
        zero_point_o <= zero_point_i;
    end
    if (valid_6) begin
      {addend_7, clamps_7} <= {addend_o, clamps_6};
      high_o <= addend_o ? addend_high : clamps_6 ? clamp_max_i : 32'h7fffffff;
    end
    low_o <= addend_7 ? addend_low : clamps_7 ? clamp_low_q : 32'h80000000;
  end

  // out, and quant_add's A back to the front
  assign addend_o = valid_6 && op_6 == tenon_pkg::ALU_OP_QUANT_ADD && slot_6 == A;
  assign result_o = valid_6 && write_6 && !addend_o;
  assign group_o = group_6;
  // What is issued from here on comes behind the last C.
  assign quant_add_done_o = fire_3 && slot_3 == C && 32'(group_3) == Groups - 1;

  // whether any of the stages, or an A that wants its C, will be valid
  always_ff @(posedge clk_i)
    busy_o <= !rst_i && (issue_i || valid_1 || (valid_2 && (cycle_2 != last_cycle_2 || 32'(group_2) != Groups - 1))
        || slot_any || valid_3 || multiply_busy || valid_5 || valid_6 || late_valid_q != '0 || (grid_a_i && slot_a && quant_add_2));

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin : assertions
    if (!rst_i) begin
      // A group of lanes is a result or an addend.
      result_or_addend : assert (!(result_o && addend_o));
    end
  end
`endif
endmodule

`default_nettype wire
