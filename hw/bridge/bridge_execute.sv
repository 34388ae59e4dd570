// Part of Tenon, under the Apache License v2.0.
//
// Carries requests out, one at a time: checks them, takes their payload, acts,
// has the answer sent.  WRITE_MEMORY writes its bytes as they come; what else
// has an effect waits for the payload's CRC, and is not repeated when a request
// with the same sequence number comes again because its answer was lost.

`default_nettype none

module bridge_execute #(
    parameter int unsigned MemoryBytes = 65536,
    parameter int unsigned AddressBits = 16,
    parameter int unsigned DefaultDivisor = 50
) (
    input  logic                   clk_i,
    input  logic                   rst_i,
    // parser
    input  logic                   header_i,
    input  logic [7:0]             seq_i,
    input  logic [7:0]             op_i,
    input  logic [31:0]            address_i,
    input  logic [15:0]            length_i,
    input  logic                   carries_i,
    input  logic                   data_valid_i,
    input  logic [7:0]             data_i,
    input  logic                   end_i,
    input  logic                   good_i,
    input  logic                   drop_i,
    input  logic                   break_i,
    output logic                   hold_o,
    // answer
    output logic                   answer_o,
    output logic [2:0]             status_o,
    output logic [10:0]            length_o,
    input  logic                   answered_i,
    // the answer's bytes
    output logic                   fetch_o,
    output logic                   sum_o,
    output logic                   clear_o,
    output logic [AddressBits-1:0] address_o,
    output logic                   left_o,
    input  logic                   step_i,
    input  logic                   sum_done_i,
    input  logic                   word_i,
    input  logic                   word_failed_i,
    // line
    input  logic                   tx_idle_i,
    output logic [15:0]            divisor_o,
    // registers
    output logic                   m_axil_awvalid_o,
    input  logic                   m_axil_awready_i,
    output logic [31:0]            m_axil_wdata_o,
    output logic                   m_axil_wvalid_o,
    input  logic                   m_axil_wready_i,
    input  logic [1:0]             m_axil_bresp_i,
    input  logic                   m_axil_bvalid_i,
    output logic                   m_axil_bready_o,
    // memory
    output logic                   memory_write_o,
    output logic [7:0]             memory_data_o
);
  localparam logic [2:0] Hello = 3'd0;
  localparam logic [2:0] ReadRegister = 3'd1;
  localparam logic [2:0] WriteRegister = 3'd2;
  localparam logic [2:0] ReadMemory = 3'd3;
  localparam logic [2:0] WriteMemory = 3'd4;
  localparam logic [2:0] SetDivisor = 3'd5;
  localparam logic [2:0] Checksum = 3'd6;

  localparam logic [2:0] BadCrc = 3'd1;
  localparam logic [2:0] BadRange = 3'd3;
  localparam logic [2:0] BadRegister = 3'd4;

  localparam logic [3:0] Idle = 4'd0;
  localparam logic [3:0] Check = 4'd1;  // the end of the range is added up
  localparam logic [3:0] Compare = 4'd2;  // and compared with what there is
  localparam logic [3:0] Decide = 4'd3;
  localparam logic [3:0] Collect = 4'd4;
  localparam logic [3:0] Write = 4'd5;  // a register
  localparam logic [3:0] Probe = 4'd6;  // the first register to be read
  localparam logic [3:0] Sum = 4'd7;
  localparam logic [3:0] Begin = 4'd8;  // the answer
  localparam logic [3:0] Answer = 4'd9;
  localparam logic [3:0] Settle = 4'd10;  // the line, before its rate changes

  localparam int unsigned LeftBits = AddressBits + 1;

  logic [3:0] state_q;
  logic [2:0] op, status_q;
  logic [1:0] status;
  logic [AddressBits-1:0] address_q;
  logic [LeftBits-1:0] left_q;
  logic [31:0] word_q;
  logic [15:0] divisor_q;
  logic [7:0] seq_q;
  logic beyond_q, collected_q, acted_q, broken_q, awvalid_q, wvalid_q, good;

  assign op = op_i[2:0];
  assign good = status_q == 3'd0;

  bridge_check #(
      .MemoryBytes(MemoryBytes),
      .AddressBits(AddressBits)
  ) u_check (
      .clk_i(clk_i),
      .op_i(op_i),
      .length_i(length_i),
      .address_i(address_q),
      .left_i(left_q),
      .beyond_i(beyond_q),
      .open_i(!collected_q),
      .status_o(status)
  );

  assign hold_o = state_q != Idle && state_q != Collect;
  assign answer_o = state_q == Begin;
  assign status_o = status_q;
  assign fetch_o = good &&
      (state_q == Probe || state_q == Begin || state_q == Answer);
  assign sum_o = state_q == Sum;
  assign clear_o = state_q == Check;
  assign address_o = address_q;
  assign left_o = left_q != '0;
  assign divisor_o = divisor_q;
  assign m_axil_awvalid_o = awvalid_q;
  assign m_axil_wvalid_o = wvalid_q;
  assign m_axil_wdata_o = word_q;
  assign m_axil_bready_o = 1'b1;
  // The parser holds a byte for some cycles.
  assign memory_data_o = data_i;

  always_comb begin
    length_o = 11'd0;
    if (good)
      case (op)
        Hello: length_o = 11'd24;
        ReadRegister, ReadMemory: length_o = length_i[10:0];
        Checksum: length_o = 11'd4;
        default: ;
      endcase
  end

  always_ff @(posedge clk_i) begin
    memory_write_o <= data_valid_i && state_q == Collect && good &&
        op == WriteMemory;
    if (memory_write_o || step_i) begin
      address_q <= address_q + 1'b1;
      left_q <= left_q - 1'b1;
    end
    if (data_valid_i) word_q <= {data_i, word_q[31:8]};
    if (m_axil_awready_i) awvalid_q <= 1'b0;
    if (m_axil_wready_i) wvalid_q <= 1'b0;

    case (state_q)
      Idle: begin
        collected_q <= 1'b0;
        broken_q <= 1'b0;
        address_q <= address_i[AddressBits-1:0];
        left_q <= LeftBits'(length_i);
        beyond_q <= address_i[31:AddressBits] != '0;
        if (header_i) begin
          acted_q <= acted_q && seq_q == seq_i;
          seq_q <= seq_i;
          state_q <= Check;
        end
      end

      Check: state_q <= Compare;
      Compare: state_q <= Decide;

      Decide: begin
        status_q <= {1'b0, status};
        if (op == Hello && status == 2'd0) begin
          address_q <= '0;
          left_q <= LeftBits'(24);
          acted_q <= 1'b0;
        end
        if (carries_i && !collected_q) state_q <= Collect;
        else if (status == 2'd0 && op == ReadRegister) state_q <= Probe;
        else if (status == 2'd0 && op == Checksum) state_q <= Sum;
        else state_q <= Begin;
      end

      Collect: begin
        collected_q <= 1'b1;
        if (end_i) begin
          state_q <= Begin;
          if (good && !good_i) status_q <= BadCrc;
          if (good && good_i)
            case (op)
              WriteRegister:
              if (!acted_q) begin
                awvalid_q <= 1'b1;
                wvalid_q <= 1'b1;
                state_q <= Write;
              end
              SetDivisor: begin
                if (word_q[31:16] != 16'd0 || word_q[15:0] == 16'd0)
                  status_q <= BadRange;
              end
              Checksum: begin
                left_q <= word_q[LeftBits-1:0];
                beyond_q <= beyond_q || word_q[31:LeftBits] != '0;
                state_q <= Check;
              end
              default: ;
            endcase
        end
        if (drop_i) state_q <= Idle;
      end

      Write:
      if (m_axil_bvalid_i) begin
        if (m_axil_bresp_i[1]) status_q <= BadRegister;
        else acted_q <= 1'b1;
        state_q <= Begin;
      end

      // The word is looked at a cycle after it came.
      Probe: if (word_i) state_q <= Begin;

      Sum:
      if (sum_done_i) begin
        left_q <= LeftBits'(4);
        state_q <= Begin;
      end

      Begin: begin
        if (word_failed_i) status_q <= BadRegister;
        state_q <= Answer;
      end

      Answer: if (answered_i) state_q <= (op == SetDivisor) ? Settle : Idle;

      default:
      if (tx_idle_i) begin
        if (good && !broken_q) divisor_q <= word_q[15:0];
        state_q <= Idle;
      end
    endcase

    if (break_i) begin
      divisor_q <= 16'(DefaultDivisor);
      broken_q <= 1'b1;
    end
    if (rst_i) begin
      state_q <= Idle;
      divisor_q <= 16'(DefaultDivisor);
      acted_q <= 1'b0;
      awvalid_q <= 1'b0;
      wvalid_q <= 1'b0;
      memory_write_o <= 1'b0;
    end
  end

  // OKAY and EXOKAY differ from errors in the high bit alone.
  logic unused;
  assign unused = &{1'b0, m_axil_bresp_i[0]};
endmodule

`default_nettype wire
