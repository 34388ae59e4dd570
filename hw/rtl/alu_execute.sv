// Part of Tenon, under the Apache License v2.0.
//
// The ALU's lanes. A micro-op issued in cycle t has its operands in t+2; from
// then on it takes ALU_LANES lanes (a group) a step:
//   2 operands   3 factors (as long as a multiplication takes)   4 product
//   5 rounded sum, running value   6 shifted   then alu_results
// Nothing here ever stops; the issuer keeps the distances that stage 2 needs
// (`alu_issue.sv`).
//
// quant_add passes the multiplier three times: A rescales acc[src]; B scales
// the operand, one multiplication later; C scales A's rounded and clamped
// result. All A of successive groups lie on a grid of three multiplications;
// C stands in the third place of the grid: that of its own A where the
// multiplier is slow, of the next A where the pipeline is longer than that.
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
  input  logic                                     grid_c_i,     // where C stands
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
  // result, before the zero point (if `quantised_o`) and the clamp (if `clamped_o`)
  output logic                                     result_o,
  output logic [$clog2(tenon_pkg::BATCH * tenon_pkg::BLOCK_OUT / tenon_pkg::ALU_LANES + 1)-1:0] group_o,
  output logic                                     quantised_o,
  output logic                                     clamped_o,
  output logic [tenon_pkg::ALU_LANES*32-1:0]       lanes_o
);
  localparam int unsigned Lanes = tenon_pkg::ALU_LANES;
  localparam int unsigned Channels = tenon_pkg::BLOCK_OUT;
  localparam int unsigned Groups = tenon_pkg::BATCH * tenon_pkg::BLOCK_OUT / Lanes;
  localparam int unsigned GroupBits = $clog2(Groups + 1);
  localparam int unsigned RowBits = Groups == 1 ? 1 : $clog2(Groups);
  localparam int unsigned Multiply = tenon_pkg::ALU_MULTIPLY_CYCLES;
  localparam bit Slow = Multiply >= 4;
  localparam logic [1:0] A = 2'd0;
  localparam logic [1:0] B = 2'd1;
  localparam logic [1:0] C = 2'd2;

  function logic multiplies(input logic [3:0] op);
    multiplies = op == tenon_pkg::ALU_OP_MUL || op == tenon_pkg::ALU_OP_MAC
              || op == tenon_pkg::ALU_OP_QUANT || op == tenon_pkg::ALU_OP_QUANT_ADD;
  endfunction

  // 1, 2: the micro-op, its group and the cycle within the group
  logic       valid_1, valid_2, operand_1, operand_2, start_1, start_2, zero_1, zero_2, write_1, write_2;
  logic [3:0] op_1, op_2;
  logic [GroupBits-1:0] group_2;
  logic [6:0] cycle_2, last_cycle_2;
  logic       quant_add_2, slot_a, slot_b, slot_c;

  assign quant_add_2 = op_2 == tenon_pkg::ALU_OP_QUANT_ADD;
  assign last_cycle_2 = quant_add_2 ? 7'(3 * Multiply - 1) : multiplies(op_2) ? 7'(Multiply - 1) : 7'd0;
  assign slot_a = valid_2 && cycle_2 == 7'd0;
  assign slot_b = valid_2 && quant_add_2 && cycle_2 == 7'(Multiply);

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
  logic       late_valid_0, late_valid_1;
  logic [GroupBits-1:0] late_group_0, late_group_1, late_group;

  assign slot_c = grid_c_i && (Slow ? late_valid_0 : late_valid_1);
  assign late_group = Slow ? late_group_0 : late_group_1;

  always_ff @(posedge clk_i) begin
    if (rst_i) {late_valid_0, late_valid_1} <= 2'b0;
    else if (grid_a_i) begin
      {late_valid_0, late_group_0} <= {slot_a && quant_add_2, group_2};
      {late_valid_1, late_group_1} <= {late_valid_0, late_group_0};
    end
  end

  // 3: factors
  logic                valid_3, operand_3, start_3, zero_3, write_3, fire_3;
  logic [3:0]          op_3;
  logic [1:0]          slot_3;
  logic [GroupBits-1:0] group_3;
  logic [5:0]          left_3;
  logic [Lanes*32-1:0] x_3, y_3, z_3;
  logic [Lanes*8-1:0]  shift_3;
  logic [Lanes*32-1:0] addend_q, operand_q;     // quant_add: A's and B's results

  assign fire_3 = valid_3 && left_3 == 6'd0;

  always_ff @(posedge clk_i) begin
    if (rst_i) valid_3 <= 1'b0;
    else valid_3 <= slot_a || slot_b || slot_c || (valid_3 && !fire_3);
    if (slot_a || slot_b || slot_c) begin
      op_3 <= slot_c ? tenon_pkg::ALU_OP_QUANT_ADD : op_2;
      slot_3 <= slot_c ? C : slot_b ? B : A;
      group_3 <= slot_c ? late_group : group_2;
      left_3 <= slot_c || multiplies(op_2) ? 6'(Multiply - 1) : 6'd0;
      {operand_3, start_3, zero_3, write_3} <= {operand_2, start_2, zero_2, write_2 || slot_c};
    end else if (valid_3) left_3 <= left_3 - 6'd1;
  end

  always_ff @(posedge clk_i) begin
    if (slot_c) begin
      x_3 <= addend_q;
      y_3 <= {Lanes{32'($signed(addend_scale_i))}};
      z_3 <= operand_q;
      shift_3 <= {Lanes{2'b0, add_shift_i}};
    end else if (slot_a || slot_b) begin
      for (int g = 0; g < Groups; g++) begin
        if (32'(group_2) == g) begin
          x_3 <= first_i[g*Lanes*32 +: Lanes*32];
          y_3 <= operand_2 ? first_i[g*Lanes*32 +: Lanes*32] : {Lanes{immediate_i}};
          z_3 <= second_i[g*Lanes*32 +: Lanes*32];
          if (slot_b) begin
            x_3 <= second_i[g*Lanes*32 +: Lanes*32];
            y_3 <= {Lanes{32'($signed(operand_scale_i))}};
          end else begin
            unique case (op_2)
              tenon_pkg::ALU_OP_MOV: if (!operand_2) x_3 <= {Lanes{immediate_i}};
              tenon_pkg::ALU_OP_SUB, tenon_pkg::ALU_OP_MUL:
                if (operand_2) x_3 <= second_i[g*Lanes*32 +: Lanes*32];
              tenon_pkg::ALU_OP_SHL, tenon_pkg::ALU_OP_SHR, tenon_pkg::ALU_OP_SHRR:
                shift_3 <= {Lanes{3'b0, immediate_i[4:0]}};
              tenon_pkg::ALU_OP_MAC:
                for (int l = 0; l < Lanes; l++)
                  y_3[l*32 +: 32] <= 32'($signed(tap_i[(g*Lanes + l) % Channels * 8 +: 8]))
                                     - 32'($signed(tap_zero_point_i));
              tenon_pkg::ALU_OP_QUANT, tenon_pkg::ALU_OP_QUANT_ADD:
                for (int l = 0; l < Lanes; l++) begin
                  x_3[l*32 +: 32] <= first_i[(g*Lanes + l)*32 +: 32]
                                     + parameter_i[(g*Lanes + l) % Channels * 32 +: 32];
                  y_3[l*32 +: 32] <= parameter_i[(Channels + (g*Lanes + l) % Channels) * 32 +: 32];
                  shift_3[l*8 +: 8] <= {2'b0, parameter_i[Channels*64 + (g*Lanes + l) % Channels * 8 +: 6]};
                end
              default: ;
            endcase
          end
        end
      end
    end
  end

  // 4: product, or result of an operation without one
  logic                valid_4, operand_4, start_4, zero_4, write_4;
  logic [3:0]          op_4;
  logic [1:0]          slot_4;
  logic [GroupBits-1:0] group_4;
  logic [Lanes*64-1:0] product_3, product_4;
  logic [Lanes*32-1:0] z_4;
  logic [Lanes*8-1:0]  shift_4;

  if (Multiply != 1) begin : gen_multiply
    alu_multiply multiply (
      .clk_i, .load_i(slot_a || slot_b || slot_c), .x_i(x_3), .y_i(y_3), .product_o(product_3)
    );
  end else begin : gen_multiply
    assign product_3 = '0;
  end

  always_ff @(posedge clk_i) begin
    valid_4 <= fire_3 && !rst_i;
    if (fire_3) begin
      {op_4, slot_4, group_4, operand_4, start_4, zero_4, write_4} <=
          {op_3, slot_3, group_3, operand_3, start_3, zero_3, write_3};
      z_4 <= Slow && slot_3 == C ? operand_q : z_3;
      shift_4 <= shift_3;
    end
  end

  always_ff @(posedge clk_i) begin
    if (fire_3) begin
      if (multiplies(op_3)) begin
        if (Multiply != 1) product_4 <= product_3;
        else
          for (int l = 0; l < Lanes; l++)
            product_4[l*64 +: 64] <= 64'($signed(x_3[l*32 +: 32])) * 64'($signed(y_3[l*32 +: 32]));
      end
      else begin
        for (int l = 0; l < Lanes; l++) begin
          product_4[l*64 +: 64] <= 64'($signed(x_3[l*32 +: 32]));
          unique case (op_3)
            tenon_pkg::ALU_OP_ADD:
              if (!operand_3) product_4[l*64 +: 64] <= {32'd0, x_3[l*32 +: 32] + y_3[l*32 +: 32]};
            tenon_pkg::ALU_OP_SUB: product_4[l*64 +: 64] <= {32'd0, x_3[l*32 +: 32] - y_3[l*32 +: 32]};
            tenon_pkg::ALU_OP_MIN:
              if (!operand_3 && $signed(y_3[l*32 +: 32]) < $signed(x_3[l*32 +: 32]))
                product_4[l*64 +: 64] <= 64'(y_3[l*32 +: 32]);
            tenon_pkg::ALU_OP_MAX:
              if (!operand_3 && $signed(y_3[l*32 +: 32]) > $signed(x_3[l*32 +: 32]))
                product_4[l*64 +: 64] <= 64'(y_3[l*32 +: 32]);
            tenon_pkg::ALU_OP_SHL: product_4[l*64 +: 64] <= {32'd0, x_3[l*32 +: 32] << shift_3[l*8 +: 5]};
            default: ;
          endcase
        end
      end
    end
  end

  // 5: rounded sum; running values of reductions
  logic                valid_5, write_5, reduces_4, rounds_4;
  logic [3:0]          op_5;
  logic [1:0]          slot_5;
  logic [GroupBits-1:0] group_5;
  logic [Lanes*64-1:0] sum_5;
  logic [Lanes*8-1:0]  shift_5;
  logic [Lanes*32-1:0] running_q [Groups];

  assign reduces_4 = op_4 == tenon_pkg::ALU_OP_MAC
      || (operand_4 && (op_4 == tenon_pkg::ALU_OP_ADD || op_4 == tenon_pkg::ALU_OP_MIN || op_4 == tenon_pkg::ALU_OP_MAX));
  assign rounds_4 = op_4 == tenon_pkg::ALU_OP_QUANT || op_4 == tenon_pkg::ALU_OP_QUANT_ADD
      || op_4 == tenon_pkg::ALU_OP_SHRR;

  always_ff @(posedge clk_i) begin
    valid_5 <= valid_4 && slot_4 != B && !rst_i;
    if (valid_4) {op_5, slot_5, group_5, write_5, shift_5} <= {op_4, slot_4, group_4, write_4, shift_4};
  end

  always_ff @(posedge clk_i) begin
    if (valid_4) begin
      if (slot_4 == B) begin
        for (int l = 0; l < Lanes; l++) operand_q[l*32 +: 32] <= product_4[l*64 +: 32];
      end else if (reduces_4) begin : reduce
        logic [Lanes*32-1:0] value, term;
        for (int l = 0; l < Lanes; l++) term[l*32 +: 32] = product_4[l*64 +: 32];
        value = start_4 ? z_4 : running_q[group_4[RowBits-1:0]];
        if (start_4 && zero_4) value = term;
        else begin
          for (int l = 0; l < Lanes; l++) begin
            unique case (op_4)
              tenon_pkg::ALU_OP_MIN:
                if ($signed(term[l*32 +: 32]) < $signed(value[l*32 +: 32])) value[l*32 +: 32] = term[l*32 +: 32];
              tenon_pkg::ALU_OP_MAX:
                if ($signed(term[l*32 +: 32]) > $signed(value[l*32 +: 32])) value[l*32 +: 32] = term[l*32 +: 32];
              default: value[l*32 +: 32] = value[l*32 +: 32] + term[l*32 +: 32];
            endcase
          end
        end
        running_q[group_4[RowBits-1:0]] <= value;
        for (int l = 0; l < Lanes; l++) sum_5[l*64 +: 64] <= 64'(value[l*32 +: 32]);
      end else if (rounds_4) begin
        for (int l = 0; l < Lanes; l++)
          sum_5[l*64 +: 64] <= product_4[l*64 +: 64]
              + (slot_4 == C ? 64'($signed(z_4[l*32 +: 32])) : 64'd0)
              + (shift_4[l*8 +: 6] == 6'd0 ? 64'd0 : 64'd1 << (shift_4[l*8 +: 6] - 6'd1));
      end else sum_5 <= product_4;
    end
  end

  // 6: shifted
  logic                valid_6, write_6;
  logic [3:0]          op_6;
  logic [1:0]          slot_6;
  logic [GroupBits-1:0] group_6;
  logic [Lanes*32-1:0] value_6;

  always_ff @(posedge clk_i) begin
    valid_6 <= valid_5 && !rst_i;
    if (valid_5) begin
      {op_6, slot_6, group_6, write_6} <= {op_5, slot_5, group_5, write_5};
      if (op_5 == tenon_pkg::ALU_OP_QUANT || op_5 == tenon_pkg::ALU_OP_QUANT_ADD
          || op_5 == tenon_pkg::ALU_OP_SHR || op_5 == tenon_pkg::ALU_OP_SHRR) begin
        for (int l = 0; l < Lanes; l++)
          value_6[l*32 +: 32] <= 32'($signed(sum_5[l*64 +: 64]) >>> shift_5[l*8 +: 6]);
      end else begin
        for (int l = 0; l < Lanes; l++) value_6[l*32 +: 32] <= sum_5[l*64 +: 32];
      end
    end
  end

  // out, and quant_add's A back to the front
  assign result_o = valid_6 && write_6 && !(op_6 == tenon_pkg::ALU_OP_QUANT_ADD && slot_6 == A);
  assign group_o = group_6;
  assign lanes_o = value_6;
  assign quantised_o = op_6 == tenon_pkg::ALU_OP_QUANT || op_6 == tenon_pkg::ALU_OP_QUANT_ADD;
  assign clamped_o = quantised_o || op_6 == tenon_pkg::ALU_OP_CLAMP;
  assign quant_add_done_o = valid_6 && slot_6 == C && 32'(group_6) == Groups - 1;

  // The upper bound is applied last: it wins where the bounds are exchanged.
  logic signed [31:0] addend_low, addend_high;

  assign addend_high = 32'($signed(addend_max_i));
  assign addend_low = $signed(addend_min_i) < $signed(addend_max_i) ? 32'($signed(addend_min_i)) : addend_high;

  always_ff @(posedge clk_i) begin
    if (valid_6 && op_6 == tenon_pkg::ALU_OP_QUANT_ADD && slot_6 == A) begin
      for (int l = 0; l < Lanes; l++)
        addend_q[l*32 +: 32] <= $signed(value_6[l*32 +: 32]) < addend_low  ? addend_low
                              : $signed(value_6[l*32 +: 32]) > addend_high ? addend_high
                                                                           : value_6[l*32 +: 32];
    end
  end

  assign busy_o = late_valid_0 || late_valid_1 || valid_1 || valid_2 || valid_3 || valid_4 || valid_5 || valid_6;

endmodule

`default_nettype wire
