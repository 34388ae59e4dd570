// Part of Tenon, under the Apache License v2.0.
//
// Stages 2 and 3 of the ALU's lanes: what the multiplier multiplies (x by y),
// what stage 5 may add (z) and how far stage 6 shifts. `slot_i`: an operation, or
// one of quant_add's three products (`slot_c_i`: the third), is in stage 2
// (alu_execute.sv); the factors stand in the next cycle and until the next one.
`default_nettype none

module alu_factors (
  input  logic                                     clk_i,
  // stage 2
  input  logic                                     slot_i,       // any of them
  input  logic                                     slot_c_i,
  // the cycle before: an operation with this first product, or a third product
  input  logic                                     ready_i,      // or any
  input  logic                                     next_a_i,
  input  logic                                     next_c_i,
  input  logic [3:0]                               op_i,
  input  logic                                     operand_i,
  // stage 2
  input  logic [$clog2(tenon_pkg::BATCH * tenon_pkg::BLOCK_OUT / tenon_pkg::ALU_LANES + 1)-1:0] group_i,
  input  logic [tenon_pkg::ACC_BYTES*8-1:0]        first_i,
  input  logic [tenon_pkg::ACC_BYTES*8-1:0]        second_i,
  input  logic [tenon_pkg::PRM_BYTES*8-1:0]        parameter_i,
  input  logic [tenon_pkg::BLOCK_OUT*8-1:0]        tap_i,
  input  logic [tenon_pkg::ALU_LANES*9-1:0]        addend_i,     // A's results
  input  logic [tenon_pkg::ALU_LANES*32-1:0]       product_i,    // B's results
  // registers
  input  logic [31:0]                              immediate_i,
  input  logic [8:0]                               tap_zero_point_i,
  input  logic [21:0]                              addend_scale_i,
  input  logic [21:0]                              operand_scale_i,
  input  logic [5:0]                               add_shift_i,
  // stage 3
  output logic [tenon_pkg::ALU_LANES*32-1:0]       x_o,
  output logic [tenon_pkg::ALU_LANES*32-1:0]       y_o,
  output logic [tenon_pkg::ALU_LANES*32-1:0]       z_o,
  output logic [tenon_pkg::ALU_LANES*32-1:0]       shift_o       // 6 bits a lane
);
  localparam int unsigned Lanes = tenon_pkg::ALU_LANES;
  localparam int unsigned Channels = tenon_pkg::BLOCK_OUT;
  localparam int unsigned Groups = tenon_pkg::BATCH * tenon_pkg::BLOCK_OUT / Lanes;

  // Two bits a source, so that a bit of a factor is one LUT.
  localparam logic [1:0] First = 2'd0;          // acc[src]
  localparam logic [1:0] Second = 2'd1;
  localparam logic [1:0] Biased = 2'd2;         // acc[src] + bias
  localparam logic [1:0] Addend = 2'd3;
  localparam logic [1:0] Common = 2'd0;         // one factor for all lanes
  localparam logic [1:0] Source = 2'd1;         // acc[src]
  localparam logic [1:0] Tap = 2'd2;
  localparam logic [1:0] Multiplier = 2'd3;
  // They, the common factor and the distance stand in registers: what chooses a
  // bit of each lane's factors has a whole cycle to get there.
  logic [1:0]  x_from, y_from, x_from_q, y_from_q;
  logic [31:0] factor, factor_q;
  logic [5:0]  distance, distance_q;

  always_comb begin
    {x_from, y_from, factor, distance} = {Second, Common, 32'($signed(operand_scale_i)), 6'd0};
    if (next_c_i) {x_from, factor, distance} = {Addend, 32'($signed(addend_scale_i)), add_shift_i};
    else if (next_a_i) begin
      {x_from, factor} = {First, 32'd1};
      unique case (op_i)
        tenon_pkg::ALU_OP_MUL: begin
          factor = immediate_i;
          if (operand_i) {x_from, y_from} = {Second, Source};
        end
        tenon_pkg::ALU_OP_MAC: y_from = Tap;
        tenon_pkg::ALU_OP_QUANT, tenon_pkg::ALU_OP_QUANT_ADD: {x_from, y_from} = {Biased, Multiplier};
        tenon_pkg::ALU_OP_SHR, tenon_pkg::ALU_OP_SHRR: distance = {1'b0, immediate_i[4:0]};
        tenon_pkg::ALU_OP_SHL: distance = {1'b0, ~immediate_i[4:0]};
        default: ;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (ready_i) {x_from_q, y_from_q, factor_q, distance_q} <= {x_from, y_from, factor, distance};
  end

  always_ff @(posedge clk_i) begin
    if (slot_i) begin : factors
      logic [Lanes*32-1:0] first, second, bias, tap, multiplier, shift;
      first = first_i[0 +: Lanes*32];
      second = second_i[0 +: Lanes*32];
      for (int g = 1; g < Groups; g++) begin
        if (32'(group_i) == g) begin
          first = first_i[g*Lanes*32 +: Lanes*32];
          second = second_i[g*Lanes*32 +: Lanes*32];
        end
      end
      shift_o <= {Lanes{26'd0, distance_q}};
      unique case (x_from_q)
        First: x_o <= first;
        Second: x_o <= second;
        Biased: begin
          for (int g = 0; g < Groups; g++)
            if (g == 0 || 32'(group_i) == g)
              for (int l = 0; l < Lanes; l++)
                bias[l*32 +: 32] = parameter_i[(g*Lanes + l) % Channels * 32 +: 32];
          for (int l = 0; l < Lanes; l++) x_o[l*32 +: 32] <= first[l*32 +: 32] + bias[l*32 +: 32];
        end
        Addend: for (int l = 0; l < Lanes; l++) x_o[l*32 +: 32] <= 32'($signed(addend_i[l*9 +: 9]));
      endcase
      unique case (y_from_q)
        Common: y_o <= {Lanes{factor_q}};
        Source: y_o <= first;
        Tap: begin
          for (int g = 0; g < Groups; g++)
            if (g == 0 || 32'(group_i) == g)
              for (int l = 0; l < Lanes; l++)
                tap[l*32 +: 32] = 32'($signed(tap_i[(g*Lanes + l) % Channels * 8 +: 8]));
          for (int l = 0; l < Lanes; l++) y_o[l*32 +: 32] <= tap[l*32 +: 32] - 32'($signed(tap_zero_point_i));
        end
        Multiplier: begin
          for (int g = 0; g < Groups; g++) begin
            if (g == 0 || 32'(group_i) == g) begin
              for (int l = 0; l < Lanes; l++) begin
                multiplier[l*32 +: 32] = parameter_i[(Channels + (g*Lanes + l) % Channels) * 32 +: 32];
                shift[l*32 +: 32] = 32'(parameter_i[Channels*64 + (g*Lanes + l) % Channels * 8 +: 6]);
              end
            end
          end
          y_o <= multiplier;
          for (int l = 0; l < Lanes; l++) shift_o[l*32 +: 32] <= {26'd0, shift[l*32 +: 6] - 6'd1};
        end
      endcase
      z_o <= slot_c_i ? product_i : second;
    end
  end
endmodule

`default_nettype wire
