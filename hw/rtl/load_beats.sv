// Part of Tenon, under the Apache License v2.0.
//
// Beats of an element of a memory as LOAD reads it, minus one: there may be 256.

`default_nettype none

module load_beats (
    input  logic [2:0] memory_i,
    output logic [7:0] last_o
);
  localparam int BeatBytes = tenon_pkg::BEAT_BYTES;

  always_comb begin
    last_o = 8'd0;
    case (memory_i)
      tenon_pkg::MEMORY_INP:
      last_o = 8'(tenon_pkg::MEMORY_INP_TRANSFER_BYTES / BeatBytes - 1);
      tenon_pkg::MEMORY_WGT:
      last_o = 8'(tenon_pkg::MEMORY_WGT_TRANSFER_BYTES / BeatBytes - 1);
      tenon_pkg::MEMORY_DWT:
      last_o = 8'(tenon_pkg::MEMORY_DWT_TRANSFER_BYTES / BeatBytes - 1);
      tenon_pkg::MEMORY_ACC:
      last_o = 8'(tenon_pkg::MEMORY_ACC_TRANSFER_BYTES / BeatBytes - 1);
      tenon_pkg::MEMORY_ACC8:
      last_o = 8'(tenon_pkg::MEMORY_ACC8_TRANSFER_BYTES / BeatBytes - 1);
      tenon_pkg::MEMORY_PRM:
      last_o = 8'(tenon_pkg::MEMORY_PRM_TRANSFER_BYTES / BeatBytes - 1);
      default: ;
    endcase
  end
endmodule

`default_nettype wire
