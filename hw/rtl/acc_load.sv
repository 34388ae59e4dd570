// Part of Tenon, under the Apache License v2.0.
//
// LOAD's way into ACC: gathers the beats of an element (int32, or int8 to be
// widened) and writes the whole element in the cycle after its last beat, so
// that LOAD takes a bank's write port once an element. Padding elements may
// come between the beats of another element: they do not pass the gatherer.
`default_nettype none

module acc_load (
  input  logic                                   clk_i,
  // a beat, or with `all_i` a whole element of `data_i`'s low 32 bits
  input  logic                                   valid_i,
  input  logic                                   narrow_i,      // int8
  input  logic [tenon_pkg::ACC_INDEX_BITS-1:0]   index_i,
  input  logic [7:0]                             beat_i,
  input  logic                                   all_i,
  input  logic [tenon_pkg::BUS_BITS-1:0]         data_i,
  input  logic [8:0]                             zero_point_i,
  // the element, in the cycle after `next_o`
  output logic                                   next_o,
  output logic [tenon_pkg::ACC_INDEX_BITS-1:0]   index_o,
  output logic                                   all_o,
  output logic [31:0]                            value_o,       // of each lane if `all_o`
  output logic [tenon_pkg::ACC_BYTES*8-1:0]      element_o
);
  localparam int unsigned BeatBytes = tenon_pkg::BEAT_BYTES;
  localparam int unsigned Lanes = tenon_pkg::BATCH * tenon_pkg::BLOCK_OUT;
  localparam int unsigned WideBeats = tenon_pkg::ACC_BYTES / BeatBytes;
  localparam int unsigned NarrowBeats = tenon_pkg::OUT_BYTES / BeatBytes;
  localparam int unsigned Piece = tenon_pkg::BLOCK_MIN;
  localparam int unsigned Pieces = tenon_pkg::BLOCK_OUT / Piece;

  logic last;

  assign last = 32'(beat_i) == (narrow_i ? NarrowBeats : WideBeats) - 1;

  assign next_o = valid_i && (all_i || last);

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      index_o <= index_i;
      all_o <= all_i;
      value_o <= data_i[31:0];
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i && !all_i) begin
      if (narrow_i) begin
        for (int p = 0; p < Pieces; p++) begin
          for (int n = 0; n < tenon_pkg::BATCH; n++) begin
            for (int c = 0; c < Piece; c++) begin
              // byte (p*BATCH + n)*Piece + c of the transfer
              if (32'(beat_i) == ((p * tenon_pkg::BATCH + n) * Piece + c) / BeatBytes)
                element_o[(n * tenon_pkg::BLOCK_OUT + p * Piece + c) * 32 +: 32] <=
                    32'($signed(data_i[((p * tenon_pkg::BATCH + n) * Piece + c) % BeatBytes * 8 +: 8]))
                    - 32'($signed(zero_point_i));
            end
          end
        end
      end else begin
        for (int l = 0; l < Lanes; l++) begin
          if (32'(beat_i) == l * 4 / BeatBytes)
            element_o[l * 32 +: 32] <= data_i[l * 4 % BeatBytes * 8 +: 32];
        end
      end
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin : assertions
    // A beat is one of its element.
    beat_of_element : assert (!valid_i || all_i || 32'(beat_i) < (narrow_i ? NarrowBeats : WideBeats));
  end
`endif
endmodule

`default_nettype wire
