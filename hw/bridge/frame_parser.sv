// Part of Tenon, under the Apache License v2.0.
//
// Finds requests in a stream of bytes:
//   A5 seq op address[4] length[2] crc[2] | payload[length] crc[2]
// `header_o` rises for a cycle when a header was right; the fields then stay
// until the next header begins.  Requests that carry a payload (`carries_o`)
// go on with `data_valid_o` for each byte and end with `end_o`, `good_o` saying
// whether the CRC was right.  A wrong header is forgotten without a word.
//
// A frame stops being one when the line has been silent or broken (`drop_o`).
// While `hold_i` is high bytes are ignored.  What an operation means, and what
// its address and length may be, is the executor's.

`default_nettype none

module frame_parser (
    input  logic        clk_i,
    input  logic        rst_i,
    // bytes, at most one in eight cycles
    input  logic        rx_valid_i,
    input  logic [7:0]  rx_data_i,
    input  logic        drop_i,
    input  logic        hold_i,
    // header
    output logic        header_o,
    output logic [7:0]  seq_o,
    output logic [7:0]  op_o,
    output logic [31:0] address_o,
    output logic [15:0] length_o,
    output logic        carries_o,
    // payload
    output logic        data_valid_o,
    output logic [7:0]  data_o,
    output logic        end_o,
    output logic        good_o,
    output logic        drop_o
);
  localparam logic [7:0] Start = 8'hA5;
  localparam logic [2:0] Seek = 3'd0;
  localparam logic [2:0] Header = 3'd1;
  localparam logic [2:0] HeaderCrc = 3'd2;
  localparam logic [2:0] Payload = 3'd3;
  localparam logic [2:0] PayloadCrc = 3'd4;
  localparam logic [15:0] FieldBytes = 16'd8;
  localparam logic [15:0] CrcBytes = 16'd2;

  logic [2:0] state_q;
  logic [15:0] left_q;
  logic [63:0] fields_q;
  logic match_q;

  logic take, begins, last, in_crc, right;
  logic [15:0] crc;
  logic [7:0] crc_byte;

  assign {length_o, address_o, op_o, seq_o} = fields_q;
  // WRITE_REGISTER, WRITE_MEMORY, SET_DIVISOR, CHECKSUM.
  assign carries_o = op_o == 8'd2 || (op_o[7:2] == 6'd1 && op_o[1:0] != 2'd3);

  assign take = rx_valid_i && !hold_i;
  assign begins = take && state_q == Seek && rx_data_i == Start;
  assign last = left_q == 16'd1;
  assign in_crc = state_q == HeaderCrc || state_q == PayloadCrc;
  // The CRC comes low byte first.
  assign crc_byte = last ? crc[15:8] : crc[7:0];
  assign right = match_q && crc_byte == rx_data_i;

  crc16 u_crc (
      .clk_i(clk_i),
      .clear_i((state_q == Seek && !begins) || (in_crc && take && last)),
      .valid_i(take && !in_crc),
      .data_i(rx_data_i),
      .crc_o(crc)
  );

  always_ff @(posedge clk_i) begin
    header_o <= 1'b0;
    end_o <= 1'b0;
    data_valid_o <= take && state_q == Payload;
    if (take) begin
      data_o <= rx_data_i;
      left_q <= left_q - 16'd1;
      if (in_crc) match_q <= right;
      case (state_q)
        Seek: begin
          if (begins) state_q <= Header;
          left_q <= FieldBytes;
        end
        Header: begin
          fields_q <= {rx_data_i, fields_q[63:8]};
          match_q <= 1'b1;
          if (last) begin
            state_q <= HeaderCrc;
            left_q <= CrcBytes;
          end
        end
        HeaderCrc:
        if (last) begin
          match_q <= 1'b1;
          header_o <= right;
          state_q <= Seek;
          if (right && carries_o) begin
            state_q <= (length_o == 16'd0) ? PayloadCrc : Payload;
            left_q <= (length_o == 16'd0) ? CrcBytes : length_o;
          end
        end
        Payload: begin
          if (last) begin
            state_q <= PayloadCrc;
            left_q <= CrcBytes;
          end
        end
        default:
        if (last) begin
          end_o <= 1'b1;
          good_o <= right;
          state_q <= Seek;
        end
      endcase
    end
    drop_o <= drop_i;
    if (drop_i || rst_i) state_q <= Seek;
    if (rst_i) begin
      header_o <= 1'b0;
      end_o <= 1'b0;
      data_valid_o <= 1'b0;
      drop_o <= 1'b0;
    end
  end
endmodule

`default_nettype wire
