// Part of Tenon, under the Apache License v2.0.
//
// Behaviour of the ECP5 cells that Yosys ships as black boxes, for netlists
// under Verilator (Lattice FPGA-TN-02204, memory usage, and FPGA-TN-02205,
// sysDSP usage).  What no board uses (output registers of the RAM, other
// registers and shift chains of the multiplier) stops the elaboration with a
// message rather than being simulated as something else.

`default_nettype none

// 18 kbit, two ports.  Addresses count bits, a width of 9 has eight addresses:
// the word of a port is AD[13:5] for 36, [13:4] for 18, [13:3] for 9, [13:2],
// [13:1], [13:0] for 4, 2, 1.  Byte enables of 18 and 36 are AD[1:0], AD[3:0].
// 36 bits need the data pins of both ports, A's the lower half: A writes them, B
// reads them.  A word written and read in one cycle by different ports reads as
// it was.
module DP16KD #(
    parameter DATA_WIDTH_A = 18,
    parameter DATA_WIDTH_B = 18,
    parameter REGMODE_A = "NOREG",
    parameter REGMODE_B = "NOREG",
    parameter RESETMODE = "SYNC",
    parameter ASYNC_RESET_RELEASE = "SYNC",
    parameter CSDECODE_A = "0b000",
    parameter CSDECODE_B = "0b000",
    parameter WRITEMODE_A = "NORMAL",
    parameter WRITEMODE_B = "NORMAL",
    parameter CLKAMUX = "CLKA",
    parameter CLKBMUX = "CLKB",
    parameter GSR = "ENABLED",
    parameter INIT_DATA = "STATIC",
    parameter WID = 0,
    parameter [319:0] INITVAL_00 = 320'd0,
    parameter [319:0] INITVAL_01 = 320'd0,
    parameter [319:0] INITVAL_02 = 320'd0,
    parameter [319:0] INITVAL_03 = 320'd0,
    parameter [319:0] INITVAL_04 = 320'd0,
    parameter [319:0] INITVAL_05 = 320'd0,
    parameter [319:0] INITVAL_06 = 320'd0,
    parameter [319:0] INITVAL_07 = 320'd0,
    parameter [319:0] INITVAL_08 = 320'd0,
    parameter [319:0] INITVAL_09 = 320'd0,
    parameter [319:0] INITVAL_0A = 320'd0,
    parameter [319:0] INITVAL_0B = 320'd0,
    parameter [319:0] INITVAL_0C = 320'd0,
    parameter [319:0] INITVAL_0D = 320'd0,
    parameter [319:0] INITVAL_0E = 320'd0,
    parameter [319:0] INITVAL_0F = 320'd0,
    parameter [319:0] INITVAL_10 = 320'd0,
    parameter [319:0] INITVAL_11 = 320'd0,
    parameter [319:0] INITVAL_12 = 320'd0,
    parameter [319:0] INITVAL_13 = 320'd0,
    parameter [319:0] INITVAL_14 = 320'd0,
    parameter [319:0] INITVAL_15 = 320'd0,
    parameter [319:0] INITVAL_16 = 320'd0,
    parameter [319:0] INITVAL_17 = 320'd0,
    parameter [319:0] INITVAL_18 = 320'd0,
    parameter [319:0] INITVAL_19 = 320'd0,
    parameter [319:0] INITVAL_1A = 320'd0,
    parameter [319:0] INITVAL_1B = 320'd0,
    parameter [319:0] INITVAL_1C = 320'd0,
    parameter [319:0] INITVAL_1D = 320'd0,
    parameter [319:0] INITVAL_1E = 320'd0,
    parameter [319:0] INITVAL_1F = 320'd0,
    parameter [319:0] INITVAL_20 = 320'd0,
    parameter [319:0] INITVAL_21 = 320'd0,
    parameter [319:0] INITVAL_22 = 320'd0,
    parameter [319:0] INITVAL_23 = 320'd0,
    parameter [319:0] INITVAL_24 = 320'd0,
    parameter [319:0] INITVAL_25 = 320'd0,
    parameter [319:0] INITVAL_26 = 320'd0,
    parameter [319:0] INITVAL_27 = 320'd0,
    parameter [319:0] INITVAL_28 = 320'd0,
    parameter [319:0] INITVAL_29 = 320'd0,
    parameter [319:0] INITVAL_2A = 320'd0,
    parameter [319:0] INITVAL_2B = 320'd0,
    parameter [319:0] INITVAL_2C = 320'd0,
    parameter [319:0] INITVAL_2D = 320'd0,
    parameter [319:0] INITVAL_2E = 320'd0,
    parameter [319:0] INITVAL_2F = 320'd0,
    parameter [319:0] INITVAL_30 = 320'd0,
    parameter [319:0] INITVAL_31 = 320'd0,
    parameter [319:0] INITVAL_32 = 320'd0,
    parameter [319:0] INITVAL_33 = 320'd0,
    parameter [319:0] INITVAL_34 = 320'd0,
    parameter [319:0] INITVAL_35 = 320'd0,
    parameter [319:0] INITVAL_36 = 320'd0,
    parameter [319:0] INITVAL_37 = 320'd0,
    parameter [319:0] INITVAL_38 = 320'd0,
    parameter [319:0] INITVAL_39 = 320'd0,
    parameter [319:0] INITVAL_3A = 320'd0,
    parameter [319:0] INITVAL_3B = 320'd0,
    parameter [319:0] INITVAL_3C = 320'd0,
    parameter [319:0] INITVAL_3D = 320'd0,
    parameter [319:0] INITVAL_3E = 320'd0,
    parameter [319:0] INITVAL_3F = 320'd0
) (
    input wire CLKA, CEA, OCEA, WEA, RSTA, CSA2, CSA1, CSA0,
    input wire DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9,
    DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0,
    input wire ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4,
    ADA3, ADA2, ADA1, ADA0,
    output wire DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9,
    DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0,
    input wire CLKB, CEB, OCEB, WEB, RSTB, CSB2, CSB1, CSB0,
    input wire DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9,
    DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0,
    input wire ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4,
    ADB3, ADB2, ADB1, ADB0,
    output wire DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9,
    DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0
);
  if (REGMODE_A != "NOREG" || REGMODE_B != "NOREG")
    $error("DP16KD: output registers are not modelled");
  if (CSDECODE_A != "0b000" || CSDECODE_B != "0b000")
    $error("DP16KD: only chip select 000 is modelled");

  // Words of 36 bits; a narrower one is a part of its word.
  reg [35:0] memory[512];
  reg [35:0] out_a, out_b;

  localparam [20479:0] Initial = {
      INITVAL_3F, INITVAL_3E, INITVAL_3D, INITVAL_3C, INITVAL_3B, INITVAL_3A,
      INITVAL_39, INITVAL_38, INITVAL_37, INITVAL_36, INITVAL_35, INITVAL_34,
      INITVAL_33, INITVAL_32, INITVAL_31, INITVAL_30, INITVAL_2F, INITVAL_2E,
      INITVAL_2D, INITVAL_2C, INITVAL_2B, INITVAL_2A, INITVAL_29, INITVAL_28,
      INITVAL_27, INITVAL_26, INITVAL_25, INITVAL_24, INITVAL_23, INITVAL_22,
      INITVAL_21, INITVAL_20, INITVAL_1F, INITVAL_1E, INITVAL_1D, INITVAL_1C,
      INITVAL_1B, INITVAL_1A, INITVAL_19, INITVAL_18, INITVAL_17, INITVAL_16,
      INITVAL_15, INITVAL_14, INITVAL_13, INITVAL_12, INITVAL_11, INITVAL_10,
      INITVAL_0F, INITVAL_0E, INITVAL_0D, INITVAL_0C, INITVAL_0B, INITVAL_0A,
      INITVAL_09, INITVAL_08, INITVAL_07, INITVAL_06, INITVAL_05, INITVAL_04,
      INITVAL_03, INITVAL_02, INITVAL_01, INITVAL_00
  };
  initial begin
    out_a = 36'd0;
    out_b = 36'd0;
    for (int i = 0; i < 512; i++)
      memory[i] = {Initial[40*i+20+:18], Initial[40*i+:18]};
  end

  // The bit of its word at which the data of an address begins.
  function automatic [5:0] shift(input integer width, input [4:0] low);
    case (width)
      36: shift = 6'd0;
      18: shift = low[4] ? 6'd18 : 6'd0;
      9: shift = 6'd9 * low[4:3];
      4: shift = 6'd9 * low[4:3] + {3'd0, low[2], 2'd0};
      2: shift = 6'd9 * low[4:3] + {3'd0, low[2:1], 1'd0};
      default: shift = 6'd9 * low[4:3] + {3'd0, low[2:0]};
    endcase
  endfunction

  // The bits of the word that a write changes.
  function automatic [35:0] mask(input integer width, input [4:0] low);
    case (width)
      36: mask = {{9{low[3]}}, {9{low[2]}}, {9{low[1]}}, {9{low[0]}}};
      18: mask = {18'd0, {9{low[1]}}, {9{low[0]}}} << shift(18, low);
      default: mask = ((36'd1 << width) - 36'd1) << shift(width, low);
    endcase
  endfunction

  // ---- port A
  wire clock_a = CLKAMUX == "INV" ? ~CLKA : CLKA;
  wire enable_a = CEA && {CSA2, CSA1, CSA0} == 3'b000;
  wire [13:0] address_a = {
      ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3,
      ADA2, ADA1, ADA0
  };
  wire [17:0] half_a = {
      DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7,
      DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0
  };
  // ---- port B
  wire clock_b = CLKBMUX == "INV" ? ~CLKB : CLKB;
  wire enable_b = CEB && {CSB2, CSB1, CSB0} == 3'b000;
  wire [13:0] address_b = {
      ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3,
      ADB2, ADB1, ADB0
  };
  wire [17:0] half_b = {
      DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7,
      DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0
  };
  // A port of 36 takes the data pins of both.
  wire [35:0] data_a = DATA_WIDTH_A == 36 ? {half_b, half_a} : {18'd0, half_a};
  wire [35:0] data_b = DATA_WIDTH_B == 36 ? {half_b, half_a} : {18'd0, half_b};

  wire [35:0] write_a = (memory[address_a[13:5]] &
      ~mask(DATA_WIDTH_A, address_a[4:0])) |
      ((data_a << shift(DATA_WIDTH_A, address_a[4:0])) &
      mask(DATA_WIDTH_A, address_a[4:0]));

  if (RESETMODE == "ASYNC") begin : gen_async_a
    always @(posedge clock_a or posedge RSTA)
      if (RSTA) out_a <= 36'd0;
      else if (enable_a && !(WEA && WRITEMODE_A == "NORMAL"))
        out_a <= (WEA && WRITEMODE_A == "WRITETHROUGH" ? write_a :
            memory[address_a[13:5]]) >> shift(DATA_WIDTH_A, address_a[4:0]);
  end else begin : gen_sync_a
    always @(posedge clock_a)
      if (RSTA) out_a <= 36'd0;
      else if (enable_a && !(WEA && WRITEMODE_A == "NORMAL"))
        out_a <= (WEA && WRITEMODE_A == "WRITETHROUGH" ? write_a :
            memory[address_a[13:5]]) >> shift(DATA_WIDTH_A, address_a[4:0]);
  end
  always @(posedge clock_a)
    if (enable_a && WEA) memory[address_a[13:5]] <= write_a;

  wire [35:0] write_b = (memory[address_b[13:5]] &
      ~mask(DATA_WIDTH_B, address_b[4:0])) |
      ((data_b << shift(DATA_WIDTH_B, address_b[4:0])) &
      mask(DATA_WIDTH_B, address_b[4:0]));

  if (RESETMODE == "ASYNC") begin : gen_async_b
    always @(posedge clock_b or posedge RSTB)
      if (RSTB) out_b <= 36'd0;
      else if (enable_b && !(WEB && WRITEMODE_B == "NORMAL"))
        out_b <= (WEB && WRITEMODE_B == "WRITETHROUGH" ? write_b :
            memory[address_b[13:5]]) >> shift(DATA_WIDTH_B, address_b[4:0]);
  end else begin : gen_sync_b
    always @(posedge clock_b)
      if (RSTB) out_b <= 36'd0;
      else if (enable_b && !(WEB && WRITEMODE_B == "NORMAL"))
        out_b <= (WEB && WRITEMODE_B == "WRITETHROUGH" ? write_b :
            memory[address_b[13:5]]) >> shift(DATA_WIDTH_B, address_b[4:0]);
  end
  always @(posedge clock_b)
    if (enable_b && WEB) memory[address_b[13:5]] <= write_b;

  // B reads 36 bits by the pins of both, the lower half at A's.
  assign {
      DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7,
      DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0
  } = DATA_WIDTH_B == 36 ? out_b[17:0] : out_a[17:0];
  assign {
      DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7,
      DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0
  } = DATA_WIDTH_B == 36 ? out_b[35:18] : out_b[17:0];
endmodule

// 18x18 multiplier; SIGNEDA and SIGNEDB say how the factors count.  Of its
// registers those of the factors and of the product, at CLK0 and CE0, without
// reset.
module MULT18X18D #(
    parameter REG_INPUTA_CLK = "NONE",
    parameter REG_INPUTB_CLK = "NONE",
    parameter REG_INPUTC_CLK = "NONE",
    parameter REG_PIPELINE_CLK = "NONE",
    parameter REG_OUTPUT_CLK = "NONE",
    parameter GSR = "ENABLED"
) (
    input wire A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4,
    A3, A2, A1, A0,
    input wire B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4,
    B3, B2, B1, B0,
    input wire C17, C16, C15, C14, C13, C12, C11, C10, C9, C8, C7, C6, C5, C4,
    C3, C2, C1, C0,
    input wire SIGNEDA, SIGNEDB, SOURCEA, SOURCEB, CLK0, CE0, RST0,
    output wire P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24,
    P23, P22, P21, P20, P19, P18, P17, P16, P15, P14, P13, P12, P11, P10, P9,
    P8, P7, P6, P5, P4, P3, P2, P1, P0
);
  if (REG_PIPELINE_CLK != "NONE" || REG_INPUTA_CLK != REG_INPUTB_CLK ||
      (REG_INPUTA_CLK != "NONE" && REG_INPUTA_CLK != "CLK0") ||
      (REG_OUTPUT_CLK != "NONE" && REG_OUTPUT_CLK != "CLK0"))
    $error("MULT18X18D: these registers are not modelled");
  always @(posedge CLK0)
    if (RST0) $fatal(1, "MULT18X18D: its reset is not modelled");

  wire signed [18:0] a = {
      SIGNEDA & A17,
      A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2,
      A1, A0
  };
  wire signed [18:0] b = {
      SIGNEDB & B17,
      B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2,
      B1, B0
  };
  reg signed [18:0] a_q, b_q;
  reg signed [37:0] product_q;
  wire signed [37:0] product = REG_INPUTA_CLK == "NONE" ? a * b : a_q * b_q;
  always @(posedge CLK0) begin
    if (CE0) begin
      a_q <= a;
      b_q <= b;
      product_q <= product;
    end
  end
  wire [35:0] result =
      REG_OUTPUT_CLK == "NONE" ? product[35:0] : product_q[35:0];
  assign {
      P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22,
      P21, P20, P19, P18, P17, P16, P15, P14, P13, P12, P11, P10, P9, P8, P7,
      P6, P5, P4, P3, P2, P1, P0
  } = result;
endmodule

// The frequency is the simulation's: the outputs follow the input.
module EHXPLLL #(
    parameter CLKI_DIV = 1,
    parameter CLKFB_DIV = 1,
    parameter CLKOP_DIV = 8,
    parameter CLKOS_DIV = 8,
    parameter CLKOS2_DIV = 8,
    parameter CLKOS3_DIV = 8,
    parameter CLKOP_ENABLE = "ENABLED",
    parameter CLKOS_ENABLE = "DISABLED",
    parameter CLKOS2_ENABLE = "DISABLED",
    parameter CLKOS3_ENABLE = "DISABLED",
    parameter CLKOP_CPHASE = 0,
    parameter CLKOS_CPHASE = 0,
    parameter CLKOS2_CPHASE = 0,
    parameter CLKOS3_CPHASE = 0,
    parameter CLKOP_FPHASE = 0,
    parameter CLKOS_FPHASE = 0,
    parameter CLKOS2_FPHASE = 0,
    parameter CLKOS3_FPHASE = 0,
    parameter FEEDBK_PATH = "CLKOP",
    parameter CLKOP_TRIM_POL = "RISING",
    parameter CLKOP_TRIM_DELAY = 0,
    parameter CLKOS_TRIM_POL = "RISING",
    parameter CLKOS_TRIM_DELAY = 0,
    parameter OUTDIVIDER_MUXA = "DIVA",
    parameter OUTDIVIDER_MUXB = "DIVB",
    parameter OUTDIVIDER_MUXC = "DIVC",
    parameter OUTDIVIDER_MUXD = "DIVD",
    parameter PLL_LOCK_MODE = 0,
    parameter PLL_LOCK_DELAY = 200,
    parameter STDBY_ENABLE = "DISABLED",
    parameter REFIN_RESET = "DISABLED",
    parameter SYNC_ENABLE = "DISABLED",
    parameter INT_LOCK_STICKY = "ENABLED",
    parameter DPHASE_SOURCE = "DISABLED",
    parameter PLLRST_ENA = "DISABLED",
    parameter INTFB_WAKE = "DISABLED"
) (
    input wire CLKI, CLKFB, PHASESEL1, PHASESEL0, PHASEDIR, PHASESTEP,
    PHASELOADREG, STDBY, PLLWAKESYNC, RST, ENCLKOP, ENCLKOS, ENCLKOS2, ENCLKOS3,
    output wire CLKOP, CLKOS, CLKOS2, CLKOS3, LOCK, INTLOCK, REFCLK, CLKINTFB
);
  assign {CLKOP, CLKOS, CLKOS2, CLKOS3, REFCLK, CLKINTFB} = {6{CLKI}};
  assign {LOCK, INTLOCK} = 2'b11;
endmodule

`default_nettype wire
