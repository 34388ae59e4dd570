// Part of Tenon, under the Apache License v2.0.
//
// The ALU's results on their way out, in order: a table of destinations in
// flight, entered when a vector is issued, and a buffer for the vectors, which
// arrive later, get their rounding and zero point in one cycle, their upper bound
// in the next and their lower bound in the one after, on the way in, and may have
// to wait for a write port. So the pipeline before it never stops: nothing is
// issued while the table is full. quant_add's addends are clamped here too, and
// go back to the lanes.
//
// `hit_o`: an operand that the micro-op to be issued needs is the destination of
// a vector that is not in ACC yet (also in the cycle in which it is being
// written). The operands stand at `first_i` and `second_i` in the cycle of
// `advance_i`, are compared with the table then, and what becomes of the entries
// they equal is followed from there.
`default_nettype none

module alu_results (
  input  logic                                   clk_i,
  input  logic                                   rst_i,
  // issue
  input  logic                                   issue_i,
  input  logic [tenon_pkg::ALU_DST_BITS-1:0]     dst_i,
  input  logic [1:0]                             target_i,
  input  logic                                   last_i,
  output logic                                   full_o,
  // operands in flight?
  input  logic                                   advance_i,
  input  logic [tenon_pkg::ACC_INDEX_BITS-1:0]   first_i,
  input  logic [tenon_pkg::ACC_INDEX_BITS-1:0]   second_i,
  input  logic                                   need_first_i,  // of the one that comes
  input  logic                                   need_second_i,
  input  logic                                   hold_first_i,  // of the one that waits
  input  logic                                   hold_second_i,
  output logic                                   hit_o,
  // lanes of a vector
  input  logic                                   result_i,
  input  logic [$clog2(tenon_pkg::BATCH * tenon_pkg::BLOCK_OUT / tenon_pkg::ALU_LANES + 1)-1:0] group_i,
  input  logic [tenon_pkg::ALU_LANES*32-1:0]     lanes_i,
  input  logic [tenon_pkg::ALU_LANES*32-1:0]     round_i,       // 0 or 1 a lane
  input  logic [31:0]                            zero_point_i,
  input  logic [31:0]                            high_i,        // of the cycle before
  input  logic [31:0]                            low_i,         // of two before, <= high
  // lanes of an addend, back to the lanes, until the next one's (see Held)
  input  logic                                   addend_i,
  output logic [tenon_pkg::ALU_LANES*9-1:0]      addend_o,
  // the oldest vector
  output logic                                   valid_o,
  output logic [tenon_pkg::ALU_DST_BITS-1:0]     dst_o,
  output logic [1:0]                             target_o,
  output logic [tenon_pkg::ACC_BANKS-1:0]        acc_o,         // its bank, if bound for ACC
  output logic                                   last_o,
  output logic [tenon_pkg::ACC_BYTES*8-1:0]      data_o,
  input  logic                                   grant_i
);
  localparam int unsigned Depth = 16;
  localparam int unsigned D = tenon_pkg::ALU_DST_BITS;
  localparam int unsigned A = tenon_pkg::ACC_INDEX_BITS;
  localparam int unsigned Banks = tenon_pkg::ACC_BANKS;
  localparam int unsigned RowBits = $clog2(tenon_pkg::ACC_ENTRIES / Banks);
  localparam int unsigned LaneBits = tenon_pkg::ALU_LANES * 32;
  localparam int unsigned Groups = tenon_pkg::ACC_BYTES * 8 / LaneBits;

  // Where a multiplication takes a cycle the lanes take an addend in the cycle in
  // which it is clamped (Return in alu_execute.sv), else it waits for them.
  localparam bit Held = tenon_pkg::ALU_MULTIPLY_CYCLES != 1;

  logic [Depth-1:0]  acc_q;                    // occupied, and bound for ACC
  logic [Depth*A-1:0] acc_dst_q;
  logic [D+2:0]      entry_q [Depth];
  logic [D+2:0]      head;                     // the oldest entry
  logic [tenon_pkg::ACC_BYTES*8-1:0] data_q [Depth];
  logic [3:0]        head_q, next_q, issue_q, result_q;
  logic [4:0]        issued_q, arrived_q;
  logic              whole, alone;
  logic [Depth-1:0]  oldest;                   // the oldest, one bit an entry
  logic [Depth-1:0]  match_first_q, match_second_q, match_first, match_second;
  // the sums, then what is not above its bound, then what is not below either
  logic              sums_result_q, sums_addend_q, most_result_q;
  logic [$clog2(tenon_pkg::BATCH * tenon_pkg::BLOCK_OUT / tenon_pkg::ALU_LANES + 1)-1:0] sums_group_q, most_group_q;
  logic [LaneBits-1:0] sums_q, most_q, lanes;
  logic [tenon_pkg::ALU_LANES*9-1:0] addend;

  assign full_o = issued_q[4];
  // Whatever is issued becomes the oldest.
  assign alone = issued_q == 5'd0 || (issued_q == 5'd1 && grant_i);
  assign whole = most_result_q && 32'(most_group_q) == Groups - 1;
  assign {dst_o, target_o, last_o} = head;
  assign data_o = data_q[head_q];

  always_comb begin
    for (int b = 0; b < Banks; b++)
      acc_o[b] = valid_o && target_o == tenon_pkg::TARGET_ACC && 32'(dst_o[A-1:0]) >> RowBits == b;
    for (int e = 0; e < Depth; e++) oldest[e] = 32'(head_q) == e;
    match_first = '0;
    match_second = '0;
    if (acc_q != '0) begin
      for (int e = 0; e < Depth; e++) begin
        match_first[e] = acc_dst_q[e*A +: A] == first_i;
        match_second[e] = acc_dst_q[e*A +: A] == second_i;
      end
    end
  end

  // A match with the table: with an entry that stays, with the oldest unless it
  // is written now, or with the one entered now. `issue_i` and `advance_i` come
  // last.
  logic             meets_first, meets_second, meets, stays, stays_q;
  logic [Depth-1:0] match, match_q, entered;

  assign match = acc_q & ((need_first_i ? match_first : '0) | (need_second_i ? match_second : '0));
  assign match_q = acc_q & ((hold_first_i ? match_first_q : '0) | (hold_second_i ? match_second_q : '0));
  assign stays = (match & ~oldest) != '0 || ((match & oldest) != '0 && !grant_i);
  assign stays_q = (match_q & ~oldest) != '0 || ((match_q & oldest) != '0 && !grant_i);
  assign meets_first = dst_i[A-1:0] == first_i;
  assign meets_second = dst_i[A-1:0] == second_i;
  assign meets = target_i == tenon_pkg::TARGET_ACC && ((need_first_i && meets_first) || (need_second_i && meets_second));

  always_comb begin
    for (int e = 0; e < Depth; e++) entered[e] = target_i == tenon_pkg::TARGET_ACC && 32'(issue_q) == e;
  end

  always_ff @(posedge clk_i) begin
    hit_o <= !rst_i && (advance_i ? stays || (issue_i && meets) : stays_q);
    if (advance_i) begin
      match_first_q <= match_first;
      match_second_q <= match_second;
      if (issue_i) begin
        match_first_q <= (match_first & ~entered) | (meets_first ? entered : '0);
        match_second_q <= (match_second & ~entered) | (meets_second ? entered : '0);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      acc_q <= '0;
      head_q <= 4'd0;
      next_q <= 4'd1;
      valid_o <= 1'b0;
      issue_q <= 4'd0;
      result_q <= 4'd0;
      issued_q <= 5'd0;
      arrived_q <= 5'd0;
    end else begin
      if (grant_i) begin
        acc_q[head_q] <= 1'b0;
        head_q <= next_q;
        next_q <= next_q + 4'd1;
      end
      if (issue_i) begin
        acc_q[issue_q] <= target_i == tenon_pkg::TARGET_ACC;
        issue_q <= issue_q + 4'd1;
      end
      if (whole) result_q <= result_q + 4'd1;
      issued_q <= issued_q + 5'(issue_i) - 5'(grant_i);
      if (whole != grant_i) begin
        arrived_q <= arrived_q + (whole ? 5'd1 : '1);
        valid_o <= whole || arrived_q != 5'd1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    {sums_result_q, sums_addend_q} <= rst_i ? 2'b0 : {result_i, addend_i};
    most_result_q <= sums_result_q && !rst_i;
    if (issue_i && alone) head <= {dst_i, target_i, last_i};
    else if (grant_i) head <= entry_q[next_q];
    if (issue_i) begin
      entry_q[issue_q] <= {dst_i, target_i, last_i};
      for (int e = 0; e < Depth; e++)
        if (32'(issue_q) == e) acc_dst_q[e*A +: A] <= dst_i[A-1:0];
    end
    if (result_i || addend_i) begin
      sums_group_q <= group_i;
      for (int l = 0; l < tenon_pkg::ALU_LANES; l++)
        sums_q[l*32 +: 32] <= lanes_i[l*32 +: 32] + zero_point_i + 32'(round_i[l*32]);
    end
    if (sums_result_q || sums_addend_q) begin
      most_group_q <= sums_group_q;
      for (int l = 0; l < tenon_pkg::ALU_LANES; l++)
        most_q[l*32 +: 32] <= $signed(sums_q[l*32 +: 32]) > $signed(high_i) ? high_i : sums_q[l*32 +: 32];
    end
    if (most_result_q)
      for (int g = 0; g < Groups; g++)
        if (32'(most_group_q) == g) data_q[result_q][g*LaneBits +: LaneBits] <= lanes;
  end

  always_comb begin
    for (int l = 0; l < tenon_pkg::ALU_LANES; l++) begin
      lanes[l*32 +: 32] = $signed(most_q[l*32 +: 32]) < $signed(low_i) ? low_i : most_q[l*32 +: 32];
      addend[l*9 +: 9] = lanes[l*32 +: 9];
    end
  end

  if (Held) begin : gen_addend
    logic most_addend_q;
    always_ff @(posedge clk_i) begin
      most_addend_q <= sums_addend_q && !rst_i;
      if (most_addend_q) addend_o <= addend;
    end
  end else begin : gen_addend
    assign addend_o = addend;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin : assertions
    if (!rst_i) begin
      // A vector is entered only where the table has room.
      entered_with_room : assert (!issue_i || !full_o);
      // No more vectors have arrived than were issued.
      arrived_when_issued : assert (arrived_q <= issued_q && issued_q <= 5'(Depth));
      // A vector leaves only when it is there.
      leaves_when_there : assert (!grant_i || valid_o);
    end
  end
`endif
endmodule

`default_nettype wire
