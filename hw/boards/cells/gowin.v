// Part of Tenon, under the Apache License v2.0.
//
// Behaviour of the GW2A cells that Yosys ships as black boxes, for netlists
// under Verilator (Gowin UG285, block RAM, and UG287, DSP).  What Yosys does not
// emit (output registers of the RAM, registers and shift chains of the
// multipliers) stops the elaboration with a message rather than being simulated
// as something else.

`default_nettype none

// Block RAM: 512 words of four bytes of eight or nine bits, two ports.
// Addresses count bits, a byte has eight of them: the word of a port is
// AD[13:5] for four bytes, [13:4] for two, [13:3] for one, [13:2], [13:1],
// [13:0] for 4, 2 and 1 bits.  Byte enables of two and four bytes are AD[1:0]
// and AD[3:0].  While a port writes it reads nothing (mode 0), the new word (1)
// or the old one (2).  What the other port writes is read in the next cycle.
module gowin_block_ram #(
    parameter ByteBits = 9,
    parameter WidthA = 36,
    parameter WidthB = 36,
    parameter [1:0] WriteModeA = 2'b00,
    parameter [1:0] WriteModeB = 2'b00,
    parameter RESET_MODE = "SYNC",
    parameter [2048*ByteBits-1:0] Initial = '0
) (
    input wire clk_a_i, enable_a_i, write_a_i, reset_a_i,
    input wire [13:0] address_a_i,
    input wire [4*ByteBits-1:0] data_a_i,
    output reg [4*ByteBits-1:0] data_a_o,
    input wire clk_b_i, enable_b_i, write_b_i, reset_b_i,
    input wire [13:0] address_b_i,
    input wire [4*ByteBits-1:0] data_b_i,
    output reg [4*ByteBits-1:0] data_b_o
);
  localparam Word = 4 * ByteBits;

  // Narrower words are parts of one of these.
  reg [Word-1:0] memory[512];

  initial begin
    data_a_o = '0;
    data_b_o = '0;
    for (int i = 0; i < 512; i++) memory[i] = Initial[Word*i+:Word];
  end

  // The bit of its word at which the data of an address begins.
  function automatic integer shift(input integer width, input [4:0] low);
    if (width == Word) shift = 0;
    else if (width == 2 * ByteBits) shift = low[4] ? 2 * ByteBits : 0;
    else begin
      shift = ByteBits * low[4:3];
      if (width == 4) shift = shift + 4 * low[2];
      if (width == 2) shift = shift + 2 * low[2:1];
      if (width == 1) shift = shift + low[2:0];
    end
  endfunction

  // The bits of the word that a write changes.
  function automatic [Word-1:0] mask(input integer width, input [4:0] low);
    mask = {{ByteBits{low[3]}}, {ByteBits{low[2]}}, {ByteBits{low[1]}},
            {ByteBits{low[0]}}};
    if (width == 2 * ByteBits)
      mask = (mask & {{2 * ByteBits{1'b0}}, {2 * ByteBits{1'b1}}})
          << shift(width, low);
    if (width < 2 * ByteBits)
      mask = ((Word'(1) << width) - Word'(1)) << shift(width, low);
  endfunction

  // ---- port a
  wire [Word-1:0] old_a = memory[address_a_i[13:5]];
  wire [Word-1:0] new_a = (old_a & ~mask(WidthA, address_a_i[4:0])) |
      ((data_a_i << shift(WidthA, address_a_i[4:0])) &
      mask(WidthA, address_a_i[4:0]));
  wire [Word-1:0] read_a = (write_a_i && WriteModeA == 2'b01 ? new_a : old_a)
      >> shift(WidthA, address_a_i[4:0]);
  wire reads_a = enable_a_i && !(write_a_i && WriteModeA == 2'b00);

  if (RESET_MODE == "ASYNC") begin : gen_async_a
    always @(posedge clk_a_i or posedge reset_a_i)
      if (reset_a_i) data_a_o <= '0;
      else if (reads_a) data_a_o <= read_a;
  end else begin : gen_sync_a
    always @(posedge clk_a_i)
      if (reset_a_i) data_a_o <= '0;
      else if (reads_a) data_a_o <= read_a;
  end
  always @(posedge clk_a_i)
    if (enable_a_i && write_a_i) memory[address_a_i[13:5]] <= new_a;

  // ---- port b
  wire [Word-1:0] old_b = memory[address_b_i[13:5]];
  wire [Word-1:0] new_b = (old_b & ~mask(WidthB, address_b_i[4:0])) |
      ((data_b_i << shift(WidthB, address_b_i[4:0])) &
      mask(WidthB, address_b_i[4:0]));
  wire [Word-1:0] read_b = (write_b_i && WriteModeB == 2'b01 ? new_b : old_b)
      >> shift(WidthB, address_b_i[4:0]);
  wire reads_b = enable_b_i && !(write_b_i && WriteModeB == 2'b00);

  if (RESET_MODE == "ASYNC") begin : gen_async_b
    always @(posedge clk_b_i or posedge reset_b_i)
      if (reset_b_i) data_b_o <= '0;
      else if (reads_b) data_b_o <= read_b;
  end else begin : gen_sync_b
    always @(posedge clk_b_i)
      if (reset_b_i) data_b_o <= '0;
      else if (reads_b) data_b_o <= read_b;
  end
  always @(posedge clk_b_i)
    if (enable_b_i && write_b_i) memory[address_b_i[13:5]] <= new_b;

endmodule

module SP #(
    parameter READ_MODE = 1'b0,
    parameter [1:0] WRITE_MODE = 2'b00,
    parameter BIT_WIDTH = 32,
    parameter [2:0] BLK_SEL = 3'b000,
    parameter RESET_MODE = "SYNC",
    parameter [255:0] INIT_RAM_00 = 256'd0,
    parameter [255:0] INIT_RAM_01 = 256'd0,
    parameter [255:0] INIT_RAM_02 = 256'd0,
    parameter [255:0] INIT_RAM_03 = 256'd0,
    parameter [255:0] INIT_RAM_04 = 256'd0,
    parameter [255:0] INIT_RAM_05 = 256'd0,
    parameter [255:0] INIT_RAM_06 = 256'd0,
    parameter [255:0] INIT_RAM_07 = 256'd0,
    parameter [255:0] INIT_RAM_08 = 256'd0,
    parameter [255:0] INIT_RAM_09 = 256'd0,
    parameter [255:0] INIT_RAM_0A = 256'd0,
    parameter [255:0] INIT_RAM_0B = 256'd0,
    parameter [255:0] INIT_RAM_0C = 256'd0,
    parameter [255:0] INIT_RAM_0D = 256'd0,
    parameter [255:0] INIT_RAM_0E = 256'd0,
    parameter [255:0] INIT_RAM_0F = 256'd0,
    parameter [255:0] INIT_RAM_10 = 256'd0,
    parameter [255:0] INIT_RAM_11 = 256'd0,
    parameter [255:0] INIT_RAM_12 = 256'd0,
    parameter [255:0] INIT_RAM_13 = 256'd0,
    parameter [255:0] INIT_RAM_14 = 256'd0,
    parameter [255:0] INIT_RAM_15 = 256'd0,
    parameter [255:0] INIT_RAM_16 = 256'd0,
    parameter [255:0] INIT_RAM_17 = 256'd0,
    parameter [255:0] INIT_RAM_18 = 256'd0,
    parameter [255:0] INIT_RAM_19 = 256'd0,
    parameter [255:0] INIT_RAM_1A = 256'd0,
    parameter [255:0] INIT_RAM_1B = 256'd0,
    parameter [255:0] INIT_RAM_1C = 256'd0,
    parameter [255:0] INIT_RAM_1D = 256'd0,
    parameter [255:0] INIT_RAM_1E = 256'd0,
    parameter [255:0] INIT_RAM_1F = 256'd0,
    parameter [255:0] INIT_RAM_20 = 256'd0,
    parameter [255:0] INIT_RAM_21 = 256'd0,
    parameter [255:0] INIT_RAM_22 = 256'd0,
    parameter [255:0] INIT_RAM_23 = 256'd0,
    parameter [255:0] INIT_RAM_24 = 256'd0,
    parameter [255:0] INIT_RAM_25 = 256'd0,
    parameter [255:0] INIT_RAM_26 = 256'd0,
    parameter [255:0] INIT_RAM_27 = 256'd0,
    parameter [255:0] INIT_RAM_28 = 256'd0,
    parameter [255:0] INIT_RAM_29 = 256'd0,
    parameter [255:0] INIT_RAM_2A = 256'd0,
    parameter [255:0] INIT_RAM_2B = 256'd0,
    parameter [255:0] INIT_RAM_2C = 256'd0,
    parameter [255:0] INIT_RAM_2D = 256'd0,
    parameter [255:0] INIT_RAM_2E = 256'd0,
    parameter [255:0] INIT_RAM_2F = 256'd0,
    parameter [255:0] INIT_RAM_30 = 256'd0,
    parameter [255:0] INIT_RAM_31 = 256'd0,
    parameter [255:0] INIT_RAM_32 = 256'd0,
    parameter [255:0] INIT_RAM_33 = 256'd0,
    parameter [255:0] INIT_RAM_34 = 256'd0,
    parameter [255:0] INIT_RAM_35 = 256'd0,
    parameter [255:0] INIT_RAM_36 = 256'd0,
    parameter [255:0] INIT_RAM_37 = 256'd0,
    parameter [255:0] INIT_RAM_38 = 256'd0,
    parameter [255:0] INIT_RAM_39 = 256'd0,
    parameter [255:0] INIT_RAM_3A = 256'd0,
    parameter [255:0] INIT_RAM_3B = 256'd0,
    parameter [255:0] INIT_RAM_3C = 256'd0,
    parameter [255:0] INIT_RAM_3D = 256'd0,
    parameter [255:0] INIT_RAM_3E = 256'd0,
    parameter [255:0] INIT_RAM_3F = 256'd0
) (
    output wire [31:0] DO,
    input wire [31:0] DI,
    input wire [2:0] BLKSEL,
    input wire [13:0] AD,
    input wire WRE, CLK, CE, OCE, RESET
);
  if (READ_MODE != 1'b0) $error("SP: output registers are not modelled");

  gowin_block_ram #(
      .ByteBits(8),
      .WidthA(BIT_WIDTH),
      .WriteModeA(WRITE_MODE),
      .RESET_MODE(RESET_MODE),
      .Initial({
          INIT_RAM_3F, INIT_RAM_3E, INIT_RAM_3D, INIT_RAM_3C, INIT_RAM_3B,
          INIT_RAM_3A, INIT_RAM_39, INIT_RAM_38, INIT_RAM_37, INIT_RAM_36,
          INIT_RAM_35, INIT_RAM_34, INIT_RAM_33, INIT_RAM_32, INIT_RAM_31,
          INIT_RAM_30, INIT_RAM_2F, INIT_RAM_2E, INIT_RAM_2D, INIT_RAM_2C,
          INIT_RAM_2B, INIT_RAM_2A, INIT_RAM_29, INIT_RAM_28, INIT_RAM_27,
          INIT_RAM_26, INIT_RAM_25, INIT_RAM_24, INIT_RAM_23, INIT_RAM_22,
          INIT_RAM_21, INIT_RAM_20, INIT_RAM_1F, INIT_RAM_1E, INIT_RAM_1D,
          INIT_RAM_1C, INIT_RAM_1B, INIT_RAM_1A, INIT_RAM_19, INIT_RAM_18,
          INIT_RAM_17, INIT_RAM_16, INIT_RAM_15, INIT_RAM_14, INIT_RAM_13,
          INIT_RAM_12, INIT_RAM_11, INIT_RAM_10, INIT_RAM_0F, INIT_RAM_0E,
          INIT_RAM_0D, INIT_RAM_0C, INIT_RAM_0B, INIT_RAM_0A, INIT_RAM_09,
          INIT_RAM_08, INIT_RAM_07, INIT_RAM_06, INIT_RAM_05, INIT_RAM_04,
          INIT_RAM_03, INIT_RAM_02, INIT_RAM_01, INIT_RAM_00
      })
  ) u_ram (
      .clk_a_i(CLK),
      .enable_a_i(CE && BLKSEL == BLK_SEL),
      .write_a_i(WRE),
      .reset_a_i(RESET),
      .address_a_i(AD),
      .data_a_i(DI),
      .data_a_o(DO),
      .clk_b_i(1'b0),
      .enable_b_i(1'b0),
      .write_b_i(1'b0),
      .reset_b_i(1'b0),
      .address_b_i(14'd0),
      .data_b_i(32'd0),
      .data_b_o()
  );
endmodule

module SPX9 #(
    parameter READ_MODE = 1'b0,
    parameter [1:0] WRITE_MODE = 2'b00,
    parameter BIT_WIDTH = 36,
    parameter [2:0] BLK_SEL = 3'b000,
    parameter RESET_MODE = "SYNC",
    parameter [287:0] INIT_RAM_00 = 288'd0,
    parameter [287:0] INIT_RAM_01 = 288'd0,
    parameter [287:0] INIT_RAM_02 = 288'd0,
    parameter [287:0] INIT_RAM_03 = 288'd0,
    parameter [287:0] INIT_RAM_04 = 288'd0,
    parameter [287:0] INIT_RAM_05 = 288'd0,
    parameter [287:0] INIT_RAM_06 = 288'd0,
    parameter [287:0] INIT_RAM_07 = 288'd0,
    parameter [287:0] INIT_RAM_08 = 288'd0,
    parameter [287:0] INIT_RAM_09 = 288'd0,
    parameter [287:0] INIT_RAM_0A = 288'd0,
    parameter [287:0] INIT_RAM_0B = 288'd0,
    parameter [287:0] INIT_RAM_0C = 288'd0,
    parameter [287:0] INIT_RAM_0D = 288'd0,
    parameter [287:0] INIT_RAM_0E = 288'd0,
    parameter [287:0] INIT_RAM_0F = 288'd0,
    parameter [287:0] INIT_RAM_10 = 288'd0,
    parameter [287:0] INIT_RAM_11 = 288'd0,
    parameter [287:0] INIT_RAM_12 = 288'd0,
    parameter [287:0] INIT_RAM_13 = 288'd0,
    parameter [287:0] INIT_RAM_14 = 288'd0,
    parameter [287:0] INIT_RAM_15 = 288'd0,
    parameter [287:0] INIT_RAM_16 = 288'd0,
    parameter [287:0] INIT_RAM_17 = 288'd0,
    parameter [287:0] INIT_RAM_18 = 288'd0,
    parameter [287:0] INIT_RAM_19 = 288'd0,
    parameter [287:0] INIT_RAM_1A = 288'd0,
    parameter [287:0] INIT_RAM_1B = 288'd0,
    parameter [287:0] INIT_RAM_1C = 288'd0,
    parameter [287:0] INIT_RAM_1D = 288'd0,
    parameter [287:0] INIT_RAM_1E = 288'd0,
    parameter [287:0] INIT_RAM_1F = 288'd0,
    parameter [287:0] INIT_RAM_20 = 288'd0,
    parameter [287:0] INIT_RAM_21 = 288'd0,
    parameter [287:0] INIT_RAM_22 = 288'd0,
    parameter [287:0] INIT_RAM_23 = 288'd0,
    parameter [287:0] INIT_RAM_24 = 288'd0,
    parameter [287:0] INIT_RAM_25 = 288'd0,
    parameter [287:0] INIT_RAM_26 = 288'd0,
    parameter [287:0] INIT_RAM_27 = 288'd0,
    parameter [287:0] INIT_RAM_28 = 288'd0,
    parameter [287:0] INIT_RAM_29 = 288'd0,
    parameter [287:0] INIT_RAM_2A = 288'd0,
    parameter [287:0] INIT_RAM_2B = 288'd0,
    parameter [287:0] INIT_RAM_2C = 288'd0,
    parameter [287:0] INIT_RAM_2D = 288'd0,
    parameter [287:0] INIT_RAM_2E = 288'd0,
    parameter [287:0] INIT_RAM_2F = 288'd0,
    parameter [287:0] INIT_RAM_30 = 288'd0,
    parameter [287:0] INIT_RAM_31 = 288'd0,
    parameter [287:0] INIT_RAM_32 = 288'd0,
    parameter [287:0] INIT_RAM_33 = 288'd0,
    parameter [287:0] INIT_RAM_34 = 288'd0,
    parameter [287:0] INIT_RAM_35 = 288'd0,
    parameter [287:0] INIT_RAM_36 = 288'd0,
    parameter [287:0] INIT_RAM_37 = 288'd0,
    parameter [287:0] INIT_RAM_38 = 288'd0,
    parameter [287:0] INIT_RAM_39 = 288'd0,
    parameter [287:0] INIT_RAM_3A = 288'd0,
    parameter [287:0] INIT_RAM_3B = 288'd0,
    parameter [287:0] INIT_RAM_3C = 288'd0,
    parameter [287:0] INIT_RAM_3D = 288'd0,
    parameter [287:0] INIT_RAM_3E = 288'd0,
    parameter [287:0] INIT_RAM_3F = 288'd0
) (
    output wire [35:0] DO,
    input wire [35:0] DI,
    input wire [2:0] BLKSEL,
    input wire [13:0] AD,
    input wire WRE, CLK, CE, OCE, RESET
);
  if (READ_MODE != 1'b0) $error("SPX9: output registers are not modelled");

  gowin_block_ram #(
      .ByteBits(9),
      .WidthA(BIT_WIDTH),
      .WriteModeA(WRITE_MODE),
      .RESET_MODE(RESET_MODE),
      .Initial({
          INIT_RAM_3F, INIT_RAM_3E, INIT_RAM_3D, INIT_RAM_3C, INIT_RAM_3B,
          INIT_RAM_3A, INIT_RAM_39, INIT_RAM_38, INIT_RAM_37, INIT_RAM_36,
          INIT_RAM_35, INIT_RAM_34, INIT_RAM_33, INIT_RAM_32, INIT_RAM_31,
          INIT_RAM_30, INIT_RAM_2F, INIT_RAM_2E, INIT_RAM_2D, INIT_RAM_2C,
          INIT_RAM_2B, INIT_RAM_2A, INIT_RAM_29, INIT_RAM_28, INIT_RAM_27,
          INIT_RAM_26, INIT_RAM_25, INIT_RAM_24, INIT_RAM_23, INIT_RAM_22,
          INIT_RAM_21, INIT_RAM_20, INIT_RAM_1F, INIT_RAM_1E, INIT_RAM_1D,
          INIT_RAM_1C, INIT_RAM_1B, INIT_RAM_1A, INIT_RAM_19, INIT_RAM_18,
          INIT_RAM_17, INIT_RAM_16, INIT_RAM_15, INIT_RAM_14, INIT_RAM_13,
          INIT_RAM_12, INIT_RAM_11, INIT_RAM_10, INIT_RAM_0F, INIT_RAM_0E,
          INIT_RAM_0D, INIT_RAM_0C, INIT_RAM_0B, INIT_RAM_0A, INIT_RAM_09,
          INIT_RAM_08, INIT_RAM_07, INIT_RAM_06, INIT_RAM_05, INIT_RAM_04,
          INIT_RAM_03, INIT_RAM_02, INIT_RAM_01, INIT_RAM_00
      })
  ) u_ram (
      .clk_a_i(CLK),
      .enable_a_i(CE && BLKSEL == BLK_SEL),
      .write_a_i(WRE),
      .reset_a_i(RESET),
      .address_a_i(AD),
      .data_a_i(DI),
      .data_a_o(DO),
      .clk_b_i(1'b0),
      .enable_b_i(1'b0),
      .write_b_i(1'b0),
      .reset_b_i(1'b0),
      .address_b_i(14'd0),
      .data_b_i(36'd0),
      .data_b_o()
  );
endmodule

module SDPB #(
    parameter READ_MODE = 1'b0,
    parameter BIT_WIDTH_0 = 32,
    parameter BIT_WIDTH_1 = 32,
    parameter [2:0] BLK_SEL_0 = 3'b000,
    parameter [2:0] BLK_SEL_1 = 3'b000,
    parameter RESET_MODE = "SYNC",
    parameter [255:0] INIT_RAM_00 = 256'd0,
    parameter [255:0] INIT_RAM_01 = 256'd0,
    parameter [255:0] INIT_RAM_02 = 256'd0,
    parameter [255:0] INIT_RAM_03 = 256'd0,
    parameter [255:0] INIT_RAM_04 = 256'd0,
    parameter [255:0] INIT_RAM_05 = 256'd0,
    parameter [255:0] INIT_RAM_06 = 256'd0,
    parameter [255:0] INIT_RAM_07 = 256'd0,
    parameter [255:0] INIT_RAM_08 = 256'd0,
    parameter [255:0] INIT_RAM_09 = 256'd0,
    parameter [255:0] INIT_RAM_0A = 256'd0,
    parameter [255:0] INIT_RAM_0B = 256'd0,
    parameter [255:0] INIT_RAM_0C = 256'd0,
    parameter [255:0] INIT_RAM_0D = 256'd0,
    parameter [255:0] INIT_RAM_0E = 256'd0,
    parameter [255:0] INIT_RAM_0F = 256'd0,
    parameter [255:0] INIT_RAM_10 = 256'd0,
    parameter [255:0] INIT_RAM_11 = 256'd0,
    parameter [255:0] INIT_RAM_12 = 256'd0,
    parameter [255:0] INIT_RAM_13 = 256'd0,
    parameter [255:0] INIT_RAM_14 = 256'd0,
    parameter [255:0] INIT_RAM_15 = 256'd0,
    parameter [255:0] INIT_RAM_16 = 256'd0,
    parameter [255:0] INIT_RAM_17 = 256'd0,
    parameter [255:0] INIT_RAM_18 = 256'd0,
    parameter [255:0] INIT_RAM_19 = 256'd0,
    parameter [255:0] INIT_RAM_1A = 256'd0,
    parameter [255:0] INIT_RAM_1B = 256'd0,
    parameter [255:0] INIT_RAM_1C = 256'd0,
    parameter [255:0] INIT_RAM_1D = 256'd0,
    parameter [255:0] INIT_RAM_1E = 256'd0,
    parameter [255:0] INIT_RAM_1F = 256'd0,
    parameter [255:0] INIT_RAM_20 = 256'd0,
    parameter [255:0] INIT_RAM_21 = 256'd0,
    parameter [255:0] INIT_RAM_22 = 256'd0,
    parameter [255:0] INIT_RAM_23 = 256'd0,
    parameter [255:0] INIT_RAM_24 = 256'd0,
    parameter [255:0] INIT_RAM_25 = 256'd0,
    parameter [255:0] INIT_RAM_26 = 256'd0,
    parameter [255:0] INIT_RAM_27 = 256'd0,
    parameter [255:0] INIT_RAM_28 = 256'd0,
    parameter [255:0] INIT_RAM_29 = 256'd0,
    parameter [255:0] INIT_RAM_2A = 256'd0,
    parameter [255:0] INIT_RAM_2B = 256'd0,
    parameter [255:0] INIT_RAM_2C = 256'd0,
    parameter [255:0] INIT_RAM_2D = 256'd0,
    parameter [255:0] INIT_RAM_2E = 256'd0,
    parameter [255:0] INIT_RAM_2F = 256'd0,
    parameter [255:0] INIT_RAM_30 = 256'd0,
    parameter [255:0] INIT_RAM_31 = 256'd0,
    parameter [255:0] INIT_RAM_32 = 256'd0,
    parameter [255:0] INIT_RAM_33 = 256'd0,
    parameter [255:0] INIT_RAM_34 = 256'd0,
    parameter [255:0] INIT_RAM_35 = 256'd0,
    parameter [255:0] INIT_RAM_36 = 256'd0,
    parameter [255:0] INIT_RAM_37 = 256'd0,
    parameter [255:0] INIT_RAM_38 = 256'd0,
    parameter [255:0] INIT_RAM_39 = 256'd0,
    parameter [255:0] INIT_RAM_3A = 256'd0,
    parameter [255:0] INIT_RAM_3B = 256'd0,
    parameter [255:0] INIT_RAM_3C = 256'd0,
    parameter [255:0] INIT_RAM_3D = 256'd0,
    parameter [255:0] INIT_RAM_3E = 256'd0,
    parameter [255:0] INIT_RAM_3F = 256'd0
) (
    input wire CLKA, CEA, CLKB, CEB, OCE, RESETA, RESETB,
    input wire [13:0] ADA, ADB,
    input wire [2:0] BLKSELA, BLKSELB,
    input wire [31:0] DI,
    output wire [31:0] DO
);
  if (READ_MODE != 1'b0) $error("SDPB: output registers are not modelled");

  gowin_block_ram #(
      .ByteBits(8),
      .WidthA(BIT_WIDTH_0),
      .WidthB(BIT_WIDTH_1),
      .RESET_MODE(RESET_MODE),
      .Initial({
          INIT_RAM_3F, INIT_RAM_3E, INIT_RAM_3D, INIT_RAM_3C, INIT_RAM_3B,
          INIT_RAM_3A, INIT_RAM_39, INIT_RAM_38, INIT_RAM_37, INIT_RAM_36,
          INIT_RAM_35, INIT_RAM_34, INIT_RAM_33, INIT_RAM_32, INIT_RAM_31,
          INIT_RAM_30, INIT_RAM_2F, INIT_RAM_2E, INIT_RAM_2D, INIT_RAM_2C,
          INIT_RAM_2B, INIT_RAM_2A, INIT_RAM_29, INIT_RAM_28, INIT_RAM_27,
          INIT_RAM_26, INIT_RAM_25, INIT_RAM_24, INIT_RAM_23, INIT_RAM_22,
          INIT_RAM_21, INIT_RAM_20, INIT_RAM_1F, INIT_RAM_1E, INIT_RAM_1D,
          INIT_RAM_1C, INIT_RAM_1B, INIT_RAM_1A, INIT_RAM_19, INIT_RAM_18,
          INIT_RAM_17, INIT_RAM_16, INIT_RAM_15, INIT_RAM_14, INIT_RAM_13,
          INIT_RAM_12, INIT_RAM_11, INIT_RAM_10, INIT_RAM_0F, INIT_RAM_0E,
          INIT_RAM_0D, INIT_RAM_0C, INIT_RAM_0B, INIT_RAM_0A, INIT_RAM_09,
          INIT_RAM_08, INIT_RAM_07, INIT_RAM_06, INIT_RAM_05, INIT_RAM_04,
          INIT_RAM_03, INIT_RAM_02, INIT_RAM_01, INIT_RAM_00
      })
  ) u_ram (
      .clk_a_i(CLKA),
      .enable_a_i(CEA && BLKSELA == BLK_SEL_0),
      .write_a_i(1'b1),
      .reset_a_i(RESETA),
      .address_a_i(ADA),
      .data_a_i(DI),
      .data_a_o(),
      .clk_b_i(CLKB),
      .enable_b_i(CEB && BLKSELB == BLK_SEL_1),
      .write_b_i(1'b0),
      .reset_b_i(RESETB),
      .address_b_i(ADB),
      .data_b_i(32'd0),
      .data_b_o(DO)
  );
endmodule

module SDPX9B #(
    parameter READ_MODE = 1'b0,
    parameter BIT_WIDTH_0 = 36,
    parameter BIT_WIDTH_1 = 36,
    parameter [2:0] BLK_SEL_0 = 3'b000,
    parameter [2:0] BLK_SEL_1 = 3'b000,
    parameter RESET_MODE = "SYNC",
    parameter [287:0] INIT_RAM_00 = 288'd0,
    parameter [287:0] INIT_RAM_01 = 288'd0,
    parameter [287:0] INIT_RAM_02 = 288'd0,
    parameter [287:0] INIT_RAM_03 = 288'd0,
    parameter [287:0] INIT_RAM_04 = 288'd0,
    parameter [287:0] INIT_RAM_05 = 288'd0,
    parameter [287:0] INIT_RAM_06 = 288'd0,
    parameter [287:0] INIT_RAM_07 = 288'd0,
    parameter [287:0] INIT_RAM_08 = 288'd0,
    parameter [287:0] INIT_RAM_09 = 288'd0,
    parameter [287:0] INIT_RAM_0A = 288'd0,
    parameter [287:0] INIT_RAM_0B = 288'd0,
    parameter [287:0] INIT_RAM_0C = 288'd0,
    parameter [287:0] INIT_RAM_0D = 288'd0,
    parameter [287:0] INIT_RAM_0E = 288'd0,
    parameter [287:0] INIT_RAM_0F = 288'd0,
    parameter [287:0] INIT_RAM_10 = 288'd0,
    parameter [287:0] INIT_RAM_11 = 288'd0,
    parameter [287:0] INIT_RAM_12 = 288'd0,
    parameter [287:0] INIT_RAM_13 = 288'd0,
    parameter [287:0] INIT_RAM_14 = 288'd0,
    parameter [287:0] INIT_RAM_15 = 288'd0,
    parameter [287:0] INIT_RAM_16 = 288'd0,
    parameter [287:0] INIT_RAM_17 = 288'd0,
    parameter [287:0] INIT_RAM_18 = 288'd0,
    parameter [287:0] INIT_RAM_19 = 288'd0,
    parameter [287:0] INIT_RAM_1A = 288'd0,
    parameter [287:0] INIT_RAM_1B = 288'd0,
    parameter [287:0] INIT_RAM_1C = 288'd0,
    parameter [287:0] INIT_RAM_1D = 288'd0,
    parameter [287:0] INIT_RAM_1E = 288'd0,
    parameter [287:0] INIT_RAM_1F = 288'd0,
    parameter [287:0] INIT_RAM_20 = 288'd0,
    parameter [287:0] INIT_RAM_21 = 288'd0,
    parameter [287:0] INIT_RAM_22 = 288'd0,
    parameter [287:0] INIT_RAM_23 = 288'd0,
    parameter [287:0] INIT_RAM_24 = 288'd0,
    parameter [287:0] INIT_RAM_25 = 288'd0,
    parameter [287:0] INIT_RAM_26 = 288'd0,
    parameter [287:0] INIT_RAM_27 = 288'd0,
    parameter [287:0] INIT_RAM_28 = 288'd0,
    parameter [287:0] INIT_RAM_29 = 288'd0,
    parameter [287:0] INIT_RAM_2A = 288'd0,
    parameter [287:0] INIT_RAM_2B = 288'd0,
    parameter [287:0] INIT_RAM_2C = 288'd0,
    parameter [287:0] INIT_RAM_2D = 288'd0,
    parameter [287:0] INIT_RAM_2E = 288'd0,
    parameter [287:0] INIT_RAM_2F = 288'd0,
    parameter [287:0] INIT_RAM_30 = 288'd0,
    parameter [287:0] INIT_RAM_31 = 288'd0,
    parameter [287:0] INIT_RAM_32 = 288'd0,
    parameter [287:0] INIT_RAM_33 = 288'd0,
    parameter [287:0] INIT_RAM_34 = 288'd0,
    parameter [287:0] INIT_RAM_35 = 288'd0,
    parameter [287:0] INIT_RAM_36 = 288'd0,
    parameter [287:0] INIT_RAM_37 = 288'd0,
    parameter [287:0] INIT_RAM_38 = 288'd0,
    parameter [287:0] INIT_RAM_39 = 288'd0,
    parameter [287:0] INIT_RAM_3A = 288'd0,
    parameter [287:0] INIT_RAM_3B = 288'd0,
    parameter [287:0] INIT_RAM_3C = 288'd0,
    parameter [287:0] INIT_RAM_3D = 288'd0,
    parameter [287:0] INIT_RAM_3E = 288'd0,
    parameter [287:0] INIT_RAM_3F = 288'd0
) (
    input wire CLKA, CEA, CLKB, CEB, OCE, RESETA, RESETB,
    input wire [13:0] ADA, ADB,
    input wire [2:0] BLKSELA, BLKSELB,
    input wire [35:0] DI,
    output wire [35:0] DO
);
  if (READ_MODE != 1'b0) $error("SDPX9B: output registers are not modelled");

  gowin_block_ram #(
      .ByteBits(9),
      .WidthA(BIT_WIDTH_0),
      .WidthB(BIT_WIDTH_1),
      .RESET_MODE(RESET_MODE),
      .Initial({
          INIT_RAM_3F, INIT_RAM_3E, INIT_RAM_3D, INIT_RAM_3C, INIT_RAM_3B,
          INIT_RAM_3A, INIT_RAM_39, INIT_RAM_38, INIT_RAM_37, INIT_RAM_36,
          INIT_RAM_35, INIT_RAM_34, INIT_RAM_33, INIT_RAM_32, INIT_RAM_31,
          INIT_RAM_30, INIT_RAM_2F, INIT_RAM_2E, INIT_RAM_2D, INIT_RAM_2C,
          INIT_RAM_2B, INIT_RAM_2A, INIT_RAM_29, INIT_RAM_28, INIT_RAM_27,
          INIT_RAM_26, INIT_RAM_25, INIT_RAM_24, INIT_RAM_23, INIT_RAM_22,
          INIT_RAM_21, INIT_RAM_20, INIT_RAM_1F, INIT_RAM_1E, INIT_RAM_1D,
          INIT_RAM_1C, INIT_RAM_1B, INIT_RAM_1A, INIT_RAM_19, INIT_RAM_18,
          INIT_RAM_17, INIT_RAM_16, INIT_RAM_15, INIT_RAM_14, INIT_RAM_13,
          INIT_RAM_12, INIT_RAM_11, INIT_RAM_10, INIT_RAM_0F, INIT_RAM_0E,
          INIT_RAM_0D, INIT_RAM_0C, INIT_RAM_0B, INIT_RAM_0A, INIT_RAM_09,
          INIT_RAM_08, INIT_RAM_07, INIT_RAM_06, INIT_RAM_05, INIT_RAM_04,
          INIT_RAM_03, INIT_RAM_02, INIT_RAM_01, INIT_RAM_00
      })
  ) u_ram (
      .clk_a_i(CLKA),
      .enable_a_i(CEA && BLKSELA == BLK_SEL_0),
      .write_a_i(1'b1),
      .reset_a_i(RESETA),
      .address_a_i(ADA),
      .data_a_i(DI),
      .data_a_o(),
      .clk_b_i(CLKB),
      .enable_b_i(CEB && BLKSELB == BLK_SEL_1),
      .write_b_i(1'b0),
      .reset_b_i(RESETB),
      .address_b_i(ADB),
      .data_b_i(36'd0),
      .data_b_o(DO)
  );
endmodule

module DPB #(
    parameter READ_MODE0 = 1'b0,
    parameter READ_MODE1 = 1'b0,
    parameter [1:0] WRITE_MODE0 = 2'b00,
    parameter [1:0] WRITE_MODE1 = 2'b00,
    parameter BIT_WIDTH_0 = 16,
    parameter BIT_WIDTH_1 = 16,
    parameter [2:0] BLK_SEL_0 = 3'b000,
    parameter [2:0] BLK_SEL_1 = 3'b000,
    parameter RESET_MODE = "SYNC",
    parameter [255:0] INIT_RAM_00 = 256'd0,
    parameter [255:0] INIT_RAM_01 = 256'd0,
    parameter [255:0] INIT_RAM_02 = 256'd0,
    parameter [255:0] INIT_RAM_03 = 256'd0,
    parameter [255:0] INIT_RAM_04 = 256'd0,
    parameter [255:0] INIT_RAM_05 = 256'd0,
    parameter [255:0] INIT_RAM_06 = 256'd0,
    parameter [255:0] INIT_RAM_07 = 256'd0,
    parameter [255:0] INIT_RAM_08 = 256'd0,
    parameter [255:0] INIT_RAM_09 = 256'd0,
    parameter [255:0] INIT_RAM_0A = 256'd0,
    parameter [255:0] INIT_RAM_0B = 256'd0,
    parameter [255:0] INIT_RAM_0C = 256'd0,
    parameter [255:0] INIT_RAM_0D = 256'd0,
    parameter [255:0] INIT_RAM_0E = 256'd0,
    parameter [255:0] INIT_RAM_0F = 256'd0,
    parameter [255:0] INIT_RAM_10 = 256'd0,
    parameter [255:0] INIT_RAM_11 = 256'd0,
    parameter [255:0] INIT_RAM_12 = 256'd0,
    parameter [255:0] INIT_RAM_13 = 256'd0,
    parameter [255:0] INIT_RAM_14 = 256'd0,
    parameter [255:0] INIT_RAM_15 = 256'd0,
    parameter [255:0] INIT_RAM_16 = 256'd0,
    parameter [255:0] INIT_RAM_17 = 256'd0,
    parameter [255:0] INIT_RAM_18 = 256'd0,
    parameter [255:0] INIT_RAM_19 = 256'd0,
    parameter [255:0] INIT_RAM_1A = 256'd0,
    parameter [255:0] INIT_RAM_1B = 256'd0,
    parameter [255:0] INIT_RAM_1C = 256'd0,
    parameter [255:0] INIT_RAM_1D = 256'd0,
    parameter [255:0] INIT_RAM_1E = 256'd0,
    parameter [255:0] INIT_RAM_1F = 256'd0,
    parameter [255:0] INIT_RAM_20 = 256'd0,
    parameter [255:0] INIT_RAM_21 = 256'd0,
    parameter [255:0] INIT_RAM_22 = 256'd0,
    parameter [255:0] INIT_RAM_23 = 256'd0,
    parameter [255:0] INIT_RAM_24 = 256'd0,
    parameter [255:0] INIT_RAM_25 = 256'd0,
    parameter [255:0] INIT_RAM_26 = 256'd0,
    parameter [255:0] INIT_RAM_27 = 256'd0,
    parameter [255:0] INIT_RAM_28 = 256'd0,
    parameter [255:0] INIT_RAM_29 = 256'd0,
    parameter [255:0] INIT_RAM_2A = 256'd0,
    parameter [255:0] INIT_RAM_2B = 256'd0,
    parameter [255:0] INIT_RAM_2C = 256'd0,
    parameter [255:0] INIT_RAM_2D = 256'd0,
    parameter [255:0] INIT_RAM_2E = 256'd0,
    parameter [255:0] INIT_RAM_2F = 256'd0,
    parameter [255:0] INIT_RAM_30 = 256'd0,
    parameter [255:0] INIT_RAM_31 = 256'd0,
    parameter [255:0] INIT_RAM_32 = 256'd0,
    parameter [255:0] INIT_RAM_33 = 256'd0,
    parameter [255:0] INIT_RAM_34 = 256'd0,
    parameter [255:0] INIT_RAM_35 = 256'd0,
    parameter [255:0] INIT_RAM_36 = 256'd0,
    parameter [255:0] INIT_RAM_37 = 256'd0,
    parameter [255:0] INIT_RAM_38 = 256'd0,
    parameter [255:0] INIT_RAM_39 = 256'd0,
    parameter [255:0] INIT_RAM_3A = 256'd0,
    parameter [255:0] INIT_RAM_3B = 256'd0,
    parameter [255:0] INIT_RAM_3C = 256'd0,
    parameter [255:0] INIT_RAM_3D = 256'd0,
    parameter [255:0] INIT_RAM_3E = 256'd0,
    parameter [255:0] INIT_RAM_3F = 256'd0
) (
    input wire CLKA, CEA, CLKB, CEB, OCEA, OCEB, RESETA, RESETB, WREA, WREB,
    input wire [13:0] ADA, ADB,
    input wire [15:0] DIA, DIB,
    input wire [2:0] BLKSELA, BLKSELB,
    output wire [15:0] DOA, DOB
);
  if (READ_MODE0 != 1'b0 || READ_MODE1 != 1'b0) $error("DPB: output registers are not modelled");

  wire [31:0] word_a, word_b;
  assign DOA = word_a[15:0];
  assign DOB = word_b[15:0];

  gowin_block_ram #(
      .ByteBits(8),
      .WidthA(BIT_WIDTH_0),
      .WidthB(BIT_WIDTH_1),
      .WriteModeA(WRITE_MODE0),
      .WriteModeB(WRITE_MODE1),
      .RESET_MODE(RESET_MODE),
      .Initial({
          INIT_RAM_3F, INIT_RAM_3E, INIT_RAM_3D, INIT_RAM_3C, INIT_RAM_3B,
          INIT_RAM_3A, INIT_RAM_39, INIT_RAM_38, INIT_RAM_37, INIT_RAM_36,
          INIT_RAM_35, INIT_RAM_34, INIT_RAM_33, INIT_RAM_32, INIT_RAM_31,
          INIT_RAM_30, INIT_RAM_2F, INIT_RAM_2E, INIT_RAM_2D, INIT_RAM_2C,
          INIT_RAM_2B, INIT_RAM_2A, INIT_RAM_29, INIT_RAM_28, INIT_RAM_27,
          INIT_RAM_26, INIT_RAM_25, INIT_RAM_24, INIT_RAM_23, INIT_RAM_22,
          INIT_RAM_21, INIT_RAM_20, INIT_RAM_1F, INIT_RAM_1E, INIT_RAM_1D,
          INIT_RAM_1C, INIT_RAM_1B, INIT_RAM_1A, INIT_RAM_19, INIT_RAM_18,
          INIT_RAM_17, INIT_RAM_16, INIT_RAM_15, INIT_RAM_14, INIT_RAM_13,
          INIT_RAM_12, INIT_RAM_11, INIT_RAM_10, INIT_RAM_0F, INIT_RAM_0E,
          INIT_RAM_0D, INIT_RAM_0C, INIT_RAM_0B, INIT_RAM_0A, INIT_RAM_09,
          INIT_RAM_08, INIT_RAM_07, INIT_RAM_06, INIT_RAM_05, INIT_RAM_04,
          INIT_RAM_03, INIT_RAM_02, INIT_RAM_01, INIT_RAM_00
      })
  ) u_ram (
      .clk_a_i(CLKA),
      .enable_a_i(CEA && BLKSELA == BLK_SEL_0),
      .write_a_i(WREA),
      .reset_a_i(RESETA),
      .address_a_i(ADA),
      .data_a_i(32'(DIA)),
      .data_a_o(word_a),
      .clk_b_i(CLKB),
      .enable_b_i(CEB && BLKSELB == BLK_SEL_1),
      .write_b_i(WREB),
      .reset_b_i(RESETB),
      .address_b_i(ADB),
      .data_b_i(32'(DIB)),
      .data_b_o(word_b)
  );
endmodule

module DPX9B #(
    parameter READ_MODE0 = 1'b0,
    parameter READ_MODE1 = 1'b0,
    parameter [1:0] WRITE_MODE0 = 2'b00,
    parameter [1:0] WRITE_MODE1 = 2'b00,
    parameter BIT_WIDTH_0 = 18,
    parameter BIT_WIDTH_1 = 18,
    parameter [2:0] BLK_SEL_0 = 3'b000,
    parameter [2:0] BLK_SEL_1 = 3'b000,
    parameter RESET_MODE = "SYNC",
    parameter [287:0] INIT_RAM_00 = 288'd0,
    parameter [287:0] INIT_RAM_01 = 288'd0,
    parameter [287:0] INIT_RAM_02 = 288'd0,
    parameter [287:0] INIT_RAM_03 = 288'd0,
    parameter [287:0] INIT_RAM_04 = 288'd0,
    parameter [287:0] INIT_RAM_05 = 288'd0,
    parameter [287:0] INIT_RAM_06 = 288'd0,
    parameter [287:0] INIT_RAM_07 = 288'd0,
    parameter [287:0] INIT_RAM_08 = 288'd0,
    parameter [287:0] INIT_RAM_09 = 288'd0,
    parameter [287:0] INIT_RAM_0A = 288'd0,
    parameter [287:0] INIT_RAM_0B = 288'd0,
    parameter [287:0] INIT_RAM_0C = 288'd0,
    parameter [287:0] INIT_RAM_0D = 288'd0,
    parameter [287:0] INIT_RAM_0E = 288'd0,
    parameter [287:0] INIT_RAM_0F = 288'd0,
    parameter [287:0] INIT_RAM_10 = 288'd0,
    parameter [287:0] INIT_RAM_11 = 288'd0,
    parameter [287:0] INIT_RAM_12 = 288'd0,
    parameter [287:0] INIT_RAM_13 = 288'd0,
    parameter [287:0] INIT_RAM_14 = 288'd0,
    parameter [287:0] INIT_RAM_15 = 288'd0,
    parameter [287:0] INIT_RAM_16 = 288'd0,
    parameter [287:0] INIT_RAM_17 = 288'd0,
    parameter [287:0] INIT_RAM_18 = 288'd0,
    parameter [287:0] INIT_RAM_19 = 288'd0,
    parameter [287:0] INIT_RAM_1A = 288'd0,
    parameter [287:0] INIT_RAM_1B = 288'd0,
    parameter [287:0] INIT_RAM_1C = 288'd0,
    parameter [287:0] INIT_RAM_1D = 288'd0,
    parameter [287:0] INIT_RAM_1E = 288'd0,
    parameter [287:0] INIT_RAM_1F = 288'd0,
    parameter [287:0] INIT_RAM_20 = 288'd0,
    parameter [287:0] INIT_RAM_21 = 288'd0,
    parameter [287:0] INIT_RAM_22 = 288'd0,
    parameter [287:0] INIT_RAM_23 = 288'd0,
    parameter [287:0] INIT_RAM_24 = 288'd0,
    parameter [287:0] INIT_RAM_25 = 288'd0,
    parameter [287:0] INIT_RAM_26 = 288'd0,
    parameter [287:0] INIT_RAM_27 = 288'd0,
    parameter [287:0] INIT_RAM_28 = 288'd0,
    parameter [287:0] INIT_RAM_29 = 288'd0,
    parameter [287:0] INIT_RAM_2A = 288'd0,
    parameter [287:0] INIT_RAM_2B = 288'd0,
    parameter [287:0] INIT_RAM_2C = 288'd0,
    parameter [287:0] INIT_RAM_2D = 288'd0,
    parameter [287:0] INIT_RAM_2E = 288'd0,
    parameter [287:0] INIT_RAM_2F = 288'd0,
    parameter [287:0] INIT_RAM_30 = 288'd0,
    parameter [287:0] INIT_RAM_31 = 288'd0,
    parameter [287:0] INIT_RAM_32 = 288'd0,
    parameter [287:0] INIT_RAM_33 = 288'd0,
    parameter [287:0] INIT_RAM_34 = 288'd0,
    parameter [287:0] INIT_RAM_35 = 288'd0,
    parameter [287:0] INIT_RAM_36 = 288'd0,
    parameter [287:0] INIT_RAM_37 = 288'd0,
    parameter [287:0] INIT_RAM_38 = 288'd0,
    parameter [287:0] INIT_RAM_39 = 288'd0,
    parameter [287:0] INIT_RAM_3A = 288'd0,
    parameter [287:0] INIT_RAM_3B = 288'd0,
    parameter [287:0] INIT_RAM_3C = 288'd0,
    parameter [287:0] INIT_RAM_3D = 288'd0,
    parameter [287:0] INIT_RAM_3E = 288'd0,
    parameter [287:0] INIT_RAM_3F = 288'd0
) (
    input wire CLKA, CEA, CLKB, CEB, OCEA, OCEB, RESETA, RESETB, WREA, WREB,
    input wire [13:0] ADA, ADB,
    input wire [17:0] DIA, DIB,
    input wire [2:0] BLKSELA, BLKSELB,
    output wire [17:0] DOA, DOB
);
  if (READ_MODE0 != 1'b0 || READ_MODE1 != 1'b0) $error("DPX9B: output registers are not modelled");

  wire [35:0] word_a, word_b;
  assign DOA = word_a[17:0];
  assign DOB = word_b[17:0];

  gowin_block_ram #(
      .ByteBits(9),
      .WidthA(BIT_WIDTH_0),
      .WidthB(BIT_WIDTH_1),
      .WriteModeA(WRITE_MODE0),
      .WriteModeB(WRITE_MODE1),
      .RESET_MODE(RESET_MODE),
      .Initial({
          INIT_RAM_3F, INIT_RAM_3E, INIT_RAM_3D, INIT_RAM_3C, INIT_RAM_3B,
          INIT_RAM_3A, INIT_RAM_39, INIT_RAM_38, INIT_RAM_37, INIT_RAM_36,
          INIT_RAM_35, INIT_RAM_34, INIT_RAM_33, INIT_RAM_32, INIT_RAM_31,
          INIT_RAM_30, INIT_RAM_2F, INIT_RAM_2E, INIT_RAM_2D, INIT_RAM_2C,
          INIT_RAM_2B, INIT_RAM_2A, INIT_RAM_29, INIT_RAM_28, INIT_RAM_27,
          INIT_RAM_26, INIT_RAM_25, INIT_RAM_24, INIT_RAM_23, INIT_RAM_22,
          INIT_RAM_21, INIT_RAM_20, INIT_RAM_1F, INIT_RAM_1E, INIT_RAM_1D,
          INIT_RAM_1C, INIT_RAM_1B, INIT_RAM_1A, INIT_RAM_19, INIT_RAM_18,
          INIT_RAM_17, INIT_RAM_16, INIT_RAM_15, INIT_RAM_14, INIT_RAM_13,
          INIT_RAM_12, INIT_RAM_11, INIT_RAM_10, INIT_RAM_0F, INIT_RAM_0E,
          INIT_RAM_0D, INIT_RAM_0C, INIT_RAM_0B, INIT_RAM_0A, INIT_RAM_09,
          INIT_RAM_08, INIT_RAM_07, INIT_RAM_06, INIT_RAM_05, INIT_RAM_04,
          INIT_RAM_03, INIT_RAM_02, INIT_RAM_01, INIT_RAM_00
      })
  ) u_ram (
      .clk_a_i(CLKA),
      .enable_a_i(CEA && BLKSELA == BLK_SEL_0),
      .write_a_i(WREA),
      .reset_a_i(RESETA),
      .address_a_i(ADA),
      .data_a_i(36'(DIA)),
      .data_a_o(word_a),
      .clk_b_i(CLKB),
      .enable_b_i(CEB && BLKSELB == BLK_SEL_1),
      .write_b_i(WREB),
      .reset_b_i(RESETB),
      .address_b_i(ADB),
      .data_b_i(36'(DIB)),
      .data_b_o(word_b)
  );
endmodule

// 9x9 multiplier; ASIGN and BSIGN say how the factors count.
module MULT9X9 #(
    parameter AREG = 1'b0,
    parameter BREG = 1'b0,
    parameter OUT_REG = 1'b0,
    parameter PIPE_REG = 1'b0,
    parameter ASIGN_REG = 1'b0,
    parameter BSIGN_REG = 1'b0,
    parameter SOA_REG = 1'b0,
    parameter MULT_RESET_MODE = "SYNC"
) (
    input wire [8:0] A, SIA, B, SIB,
    input wire ASIGN, BSIGN, ASEL, BSEL, CE, CLK, RESET,
    output wire [17:0] DOUT,
    output wire [8:0] SOA, SOB
);
  if (AREG != BREG || PIPE_REG || ASIGN_REG || BSIGN_REG || SOA_REG)
    $error("MULT9X9: these registers are not modelled");
  always @(posedge CLK)
    if (RESET) $fatal(1, "MULT9X9: its reset is not modelled");

  wire signed [9:0] a = {ASIGN & A[8], A};
  wire signed [9:0] b = {BSIGN & B[8], B};
  reg signed [9:0] a_q, b_q;
  reg signed [19:0] product_q;
  wire signed [19:0] product = AREG ? a_q * b_q : a * b;
  always @(posedge CLK) begin
    if (CE) begin
      a_q <= a;
      b_q <= b;
      product_q <= product;
    end
  end
  assign DOUT = OUT_REG ? product_q[17:0] : product[17:0];
  assign SOA = A;
  assign SOB = B;
endmodule

// 18x18 multiplier; ASIGN and BSIGN say how the factors count.
module MULT18X18 #(
    parameter AREG = 1'b0,
    parameter BREG = 1'b0,
    parameter OUT_REG = 1'b0,
    parameter PIPE_REG = 1'b0,
    parameter ASIGN_REG = 1'b0,
    parameter BSIGN_REG = 1'b0,
    parameter SOA_REG = 1'b0,
    parameter MULT_RESET_MODE = "SYNC"
) (
    input wire [17:0] A, SIA, B, SIB,
    input wire ASIGN, BSIGN, ASEL, BSEL, CE, CLK, RESET,
    output wire [35:0] DOUT,
    output wire [17:0] SOA, SOB
);
  if (AREG != BREG || PIPE_REG || ASIGN_REG || BSIGN_REG || SOA_REG)
    $error("MULT18X18: these registers are not modelled");
  always @(posedge CLK)
    if (RESET) $fatal(1, "MULT18X18: its reset is not modelled");

  wire signed [18:0] a = {ASIGN & A[17], A};
  wire signed [18:0] b = {BSIGN & B[17], B};
  reg signed [18:0] a_q, b_q;
  reg signed [37:0] product_q;
  wire signed [37:0] product = AREG ? a_q * b_q : a * b;
  always @(posedge CLK) begin
    if (CE) begin
      a_q <= a;
      b_q <= b;
      product_q <= product;
    end
  end
  assign DOUT = OUT_REG ? product_q[35:0] : product[35:0];
  assign SOA = A;
  assign SOB = B;
endmodule

// 36x36 multiplier.
module MULT36X36 #(
    parameter AREG = 1'b0,
    parameter BREG = 1'b0,
    parameter OUT0_REG = 1'b0,
    parameter OUT1_REG = 1'b0,
    parameter PIPE_REG = 1'b0,
    parameter ASIGN_REG = 1'b0,
    parameter BSIGN_REG = 1'b0,
    parameter MULT_RESET_MODE = "SYNC"
) (
    input wire [35:0] A, B,
    input wire ASIGN, BSIGN, CE, CLK, RESET,
    output wire [71:0] DOUT
);
  if (AREG || BREG || OUT0_REG || OUT1_REG || PIPE_REG || ASIGN_REG || BSIGN_REG)
    $error("MULT36X36: registers are not modelled");

  wire signed [36:0] a = {ASIGN & A[35], A};
  wire signed [36:0] b = {BSIGN & B[35], B};
  wire signed [73:0] product = a * b;
  assign DOUT = product[71:0];
endmodule

// The frequency is the simulation's: the outputs follow the input.
module rPLL #(
    parameter FCLKIN = "100.0",
    parameter DYN_IDIV_SEL = "false",
    parameter IDIV_SEL = 0,
    parameter DYN_FBDIV_SEL = "false",
    parameter FBDIV_SEL = 0,
    parameter DYN_ODIV_SEL = "false",
    parameter ODIV_SEL = 8,
    parameter PSDA_SEL = "0000",
    parameter DYN_DA_EN = "false",
    parameter DUTYDA_SEL = "1000",
    parameter CLKOUT_FT_DIR = 1'b1,
    parameter CLKOUTP_FT_DIR = 1'b1,
    parameter CLKOUT_DLY_STEP = 0,
    parameter CLKOUTP_DLY_STEP = 0,
    parameter CLKFB_SEL = "internal",
    parameter CLKOUT_BYPASS = "false",
    parameter CLKOUTP_BYPASS = "false",
    parameter CLKOUTD_BYPASS = "false",
    parameter DYN_SDIV_SEL = 2,
    parameter CLKOUTD_SRC = "CLKOUT",
    parameter CLKOUTD3_SRC = "CLKOUT",
    parameter DEVICE = "GW2A-18C"
) (
    input wire CLKIN, CLKFB, RESET, RESET_P,
    input wire [5:0] FBDSEL, IDSEL, ODSEL,
    input wire [3:0] PSDA, FDLY, DUTYDA,
    output wire CLKOUT, LOCK, CLKOUTP, CLKOUTD, CLKOUTD3
);
  assign {CLKOUT, CLKOUTP, CLKOUTD, CLKOUTD3} = {4{CLKIN}};
  assign LOCK = 1'b1;
endmodule

`default_nettype wire
