// Part of Tenon, under the Apache License v2.0.
//
// FETCH: streams the program from DRAM ahead of the engines and puts each
// instruction into its engine's queue, in program order; it stops only for a
// full queue.  Reads are short aligned bursts into a buffer with room reserved
// before, so the data are always taken.  FINISH ends it (`ended_o`): what is
// still on its way is read and dropped, and then `finished_o` rises.  It never
// reads more than 4 KiB beyond FINISH; what stands there may be an error, or be
// outside of the window.  At an undefined opcode, at a beat that the memory
// answered with an error and at an instruction outside of the window it stands
// and says so, until it is reset.
// An instruction is several beats, or a beat several instructions.

`default_nettype none

module fetch #(
    parameter int AddressBits = ($clog2(tenon_pkg::BEAT_BYTES) > 4) ? 29 :
        33 - $clog2(tenon_pkg::BEAT_BYTES)
) (
    input  logic                                   clk_i,
    input  logic                                   rst_i,
    input  logic                                   start_i,
    input  logic [27:0]                            program_i,
    input  logic [AddressBits-1:0]                 base_i,
    output logic                                   ended_o,
    output logic                                   finished_o,
    output logic                                   awake_o,
    // an instruction that cannot be read, may not be, or is none; the number of
    // the next one
    output logic                                   unread_o,
    output logic                                   outside_o,
    output logic                                   undefined_o,
    output logic [27:0]                            number_o,
    // bursts
    output logic                                   burst_valid_o,
    output logic [AddressBits-1:0]                 burst_beat_o,
    output logic [7:0]                             burst_length_o,
    input  logic                                   burst_ready_i,
    input  logic                                   burst_outside_i,
    // read data, always taken
    input  logic                                   data_valid_i,
    input  logic [tenon_pkg::BUS_BITS-1:0]         data_i,
    input  logic                                   data_error_i,
    // one bit an engine: load, gemm, alu, store
    output logic [3:0]                             queue_valid_o,
    output logic [tenon_pkg::INSTRUCTION_BITS-1:0] queue_instruction_o,
    input  logic [3:0]                             queue_ready_i
);
  localparam int BusBits = tenon_pkg::BUS_BITS;
  localparam int InstructionBits = tenon_pkg::INSTRUCTION_BITS;
  // BURST_BEATS is at least 16.
  localparam int BurstBeats = 8;
  localparam int PageBeats = 4096 / tenon_pkg::BEAT_BYTES;
  localparam int BufferBeats = (PageBeats < 64) ? PageBeats : 64;
  localparam int FreeBits = $clog2(BufferBeats + 1);

  // ---- addresses: from burst boundary to burst boundary
  logic running_q, ending_q;
  logic [AddressBits-1:0] beat_q;
  logic [FreeBits-1:0] free_q;
  logic issue, buffer_pop, empty, ends;

  assign burst_beat_o = beat_q;
  assign burst_length_o = {5'd0, ~beat_q[2:0]};
  assign burst_valid_o = running_q && !ending_q &&
      free_q >= FreeBits'(BurstBeats);
  assign issue = burst_valid_o && burst_ready_i;
  assign ended_o = running_q && ending_q;
  assign empty = free_q == FreeBits'(BufferBeats);
  assign finished_o = ended_o && empty;

  always_ff @(posedge clk_i) begin
    if (issue)
      beat_q <= {beat_q[AddressBits-1:3] + (AddressBits - 3)'(1), 3'd0};
    if (issue || buffer_pop)
      free_q <= free_q - (issue ? FreeBits'(burst_length_o) + 1'b1 : '0) +
          FreeBits'(buffer_pop);
    if (ends) ending_q <= 1'b1;
    if (start_i) begin
      running_q <= 1'b1;
      ending_q <= 1'b0;
      beat_q <= base_i + AddressBits'(program_i);
    end
    if (rst_i) begin
      running_q <= 1'b0;
      ending_q <= 1'b0;
      free_q <= FreeBits'(BufferBeats);
    end
  end

  // ---- the buffer
  logic buffer_valid, buffer_ready, buffer_take, buffer_error;
  logic [BusBits-1:0] buffer_data;

  fifo #(
      .Width(BusBits + 1),
      .Depth(BufferBeats)
  ) u_buffer (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .valid_i(data_valid_i),
      .data_i({data_error_i, data_i}),
      .ready_o(buffer_ready),
      .valid_o(buffer_valid),
      .data_o({buffer_error, buffer_data}),
      .ready_i(buffer_take || ending_q)
  );
  assign buffer_pop = buffer_valid && (buffer_take || ending_q);

  // ---- from beats to instructions
  // An instruction's engine, FINISH or an undefined opcode; none: not there.
  typedef struct packed {
    logic       undefined;
    logic       finish;
    logic [3:0] target;
  } kind_t;

  logic taken, unread;
  kind_t kind, decoded;
  tenon_pkg::set_t fields;
  logic [InstructionBits-1:0] instruction;

  always_comb begin
    decoded = '0;
    case (fields.opcode)
      tenon_pkg::LOAD_OPCODE: decoded.target[tenon_pkg::ENGINE_LOAD] = 1'b1;
      tenon_pkg::GEMM_OPCODE: decoded.target[tenon_pkg::ENGINE_GEMM] = 1'b1;
      tenon_pkg::ALU_OPCODE: decoded.target[tenon_pkg::ENGINE_ALU] = 1'b1;
      tenon_pkg::STORE_OPCODE: decoded.target[tenon_pkg::ENGINE_STORE] = 1'b1;
      tenon_pkg::SET_OPCODE: decoded.target[fields.engine] = 1'b1;
      tenon_pkg::FINISH_OPCODE: decoded.finish = 1'b1;
      default: decoded.undefined = 1'b1;
    endcase
  end

  if (InstructionBits > BusBits) begin : gen_join
    localparam int Beats = InstructionBits / BusBits;
    localparam int CountBits = $clog2(Beats + 1);
    logic [CountBits-1:0] count_q;
    logic [InstructionBits-1:0] joined_q;
    kind_t kind_q;
    logic complete, unread_q;

    assign complete = buffer_pop && count_q == CountBits'(Beats - 1);
    assign instruction = joined_q;
    assign kind = kind_q;
    assign unread = unread_q;
    assign fields = tenon_pkg::SET_BITS'(joined_q >> BusBits);
    assign buffer_take = count_q != CountBits'(Beats) || taken;

    // All but the last beat say already what it is: decoded as that one comes.
    always_ff @(posedge clk_i) begin
      if (buffer_pop)
        joined_q <= {buffer_data, joined_q[InstructionBits-1:BusBits]};
      if (taken) count_q <= CountBits'(buffer_pop);
      else if (buffer_pop) count_q <= count_q + CountBits'(1);
      if (complete && !buffer_error && !unread_q) kind_q <= decoded;
      else if (taken) kind_q <= '0;
      if (buffer_pop && buffer_error) unread_q <= 1'b1;
      if (rst_i || start_i) begin
        count_q <= '0;
        kind_q <= '0;
        unread_q <= 1'b0;
      end
    end
  end else if (InstructionBits == BusBits) begin : gen_whole
    assign kind = (buffer_valid && !buffer_error) ? decoded : '0;
    assign unread = buffer_valid && buffer_error;
    assign fields = instruction[tenon_pkg::SET_BITS-1:0];
    assign instruction = buffer_data;
    assign buffer_take = taken;
  end else begin : gen_split
    localparam int Pieces = BusBits / InstructionBits;
    localparam int PieceBits = $clog2(Pieces);
    logic [PieceBits-1:0] piece_q;

    assign kind = (buffer_valid && !buffer_error) ? decoded : '0;
    assign unread = buffer_valid && buffer_error;
    assign fields = instruction[tenon_pkg::SET_BITS-1:0];
    assign instruction =
        buffer_data[32'(piece_q)*InstructionBits+:InstructionBits];
    assign buffer_take = taken && (&piece_q);

    always_ff @(posedge clk_i) begin
      if (taken) piece_q <= piece_q + PieceBits'(1);
      if (rst_i || start_i) piece_q <= '0;
    end
  end

  // ---- dispatch
  assign queue_valid_o = ending_q ? 4'b0 : kind.target;
  assign queue_instruction_o = instruction;
  assign taken = (queue_valid_o & queue_ready_i) != 4'b0;
  assign undefined_o = kind.undefined && !ending_q;
  assign unread_o = unread && !ending_q;
  // All that it has read has gone, and what comes next may not be read.
  assign outside_o = burst_outside_i && empty && kind == '0 && !unread;
  assign ends = running_q && kind.finish;

  always_ff @(posedge clk_i) begin
    if (taken) number_o <= number_o + 28'd1;
    if (start_i) number_o <= 28'd0;
  end

  assign awake_o = burst_valid_o || data_valid_i || buffer_pop || taken ||
      (ends && !ending_q);

  // Room is reserved before a burst is asked for.
  logic unused;
  assign unused = &{
    1'b0, buffer_ready, fields.wait_, fields.signal, fields.index, fields.value
  };

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin : assertions
    if (!rst_i) begin
      // An instruction goes to one engine.
      one_engine : assert ((queue_valid_o & (queue_valid_o - 4'd1)) == 4'd0);
      // There is room for what was asked for.
      data_have_room : assert (!data_valid_i || buffer_ready);
      // No more is free than the buffer has.
      free_within_buffer : assert (free_q <= FreeBits'(BufferBeats));
    end
  end
`endif
endmodule

`default_nettype wire
