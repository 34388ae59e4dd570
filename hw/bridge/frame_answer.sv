// Part of Tenon, under the Apache License v2.0.
//
// Sends one response:
//   5A seq status length[2] crc[2] | payload[length] crc[2]
// It begins with `start_i` and ends with `done_o`, high in the cycle in which
// the last byte is taken.  The other inputs are held in between; the payload's
// bytes come through valid/ready until `more_i` is low.  `spoil_i` sends the
// payload's CRC inverted, so that nobody takes the payload for good.

`default_nettype none

module frame_answer (
    input  logic        clk_i,
    input  logic        rst_i,
    input  logic        start_i,
    output logic        done_o,
    input  logic [7:0]  seq_i,
    input  logic [2:0]  status_i,
    input  logic [10:0] length_i,
    input  logic        spoil_i,
    // payload
    input  logic        more_i,
    input  logic        valid_i,
    input  logic [7:0]  data_i,
    output logic        ready_o,
    // bytes to the host
    output logic        tx_valid_o,
    output logic [7:0]  tx_data_o,
    input  logic        tx_ready_i
);
  localparam logic [7:0] Start = 8'h5A;
  // What is sent next; 0 to 7 is the header.
  localparam logic [3:0] CrcLow = 4'd5;
  localparam logic [3:0] CrcHigh = 4'd6;
  localparam logic [3:0] Payload = 4'd8;
  localparam logic [3:0] PayloadCrcLow = 4'd9;
  localparam logic [3:0] PayloadCrcHigh = 4'd10;
  localparam logic [3:0] Idle = 4'd15;

  logic [3:0] state_q;
  logic [15:0] crc, sent_crc;
  logic take, is_crc, empty;

  assign empty = length_i == 11'd0;
  assign tx_valid_o = (state_q == Payload) ? valid_i : state_q != Idle;
  assign take = tx_valid_o && tx_ready_i;
  assign ready_o = state_q == Payload && tx_ready_i;
  assign done_o = take &&
      (state_q == PayloadCrcHigh || (state_q == CrcHigh && empty));
  assign is_crc = state_q == CrcLow || state_q == CrcHigh ||
      state_q == PayloadCrcLow || state_q == PayloadCrcHigh;
  assign sent_crc = (spoil_i && state_q[3]) ? ~crc : crc;

  always_comb begin
    case (state_q)
      4'd0: tx_data_o = Start;
      4'd1: tx_data_o = seq_i;
      4'd2: tx_data_o = {5'd0, status_i};
      4'd3: tx_data_o = length_i[7:0];
      4'd4: tx_data_o = {5'd0, length_i[10:8]};
      CrcLow, PayloadCrcLow: tx_data_o = sent_crc[7:0];
      CrcHigh, PayloadCrcHigh: tx_data_o = sent_crc[15:8];
      default: tx_data_o = data_i;
    endcase
  end

  crc16 u_crc (
      .clk_i(clk_i),
      .clear_i(state_q == Idle || (take && state_q == CrcHigh)),
      .valid_i(take && !is_crc),
      .data_i(tx_data_o),
      .crc_o(crc)
  );

  always_ff @(posedge clk_i) begin
    if (take && state_q != Payload) state_q <= state_q + 4'd1;
    if (take && state_q == CrcHigh) state_q <= Payload;
    if (state_q == Payload && !more_i) state_q <= PayloadCrcLow;
    if (done_o) state_q <= Idle;
    if (start_i) state_q <= 4'd0;
    if (rst_i) state_q <= Idle;
  end
endmodule

`default_nettype wire
