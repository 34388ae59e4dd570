// Part of Tenon, under the Apache License v2.0.
//
// Cells beside what the vendors' tables say of them, all on the same inputs; a
// bit of wrong_o is a cell whose outputs differ.  A memory is a row of single
// bits here: the word of `Width` bits at an address of a RAM with bytes of
// `Byte` bits begins at bit `first(address)`.

`default_nettype none

// What a RAM holds and gives.  WRITE modes: 0 gives nothing while it writes, 1
// the new word, 2 the old one.
module reference_ram #(
    parameter int Byte = 9,
    parameter int WidthA = 36,
    parameter int WidthB = 36,
    parameter int Mode = 0
) (
    input wire clk_i,
    input wire ce_a_i, we_a_i, rst_a_i, ce_b_i, we_b_i, rst_b_i,
    input wire [13:0] ad_a_i, ad_b_i,
    input wire [35:0] di_a_i, di_b_i,
    output reg [35:0] do_a_o, do_b_o
);
  localparam int Bits = 2048 * Byte;
  bit store[Bits];

  function automatic int first(input int width, input [13:0] address);
    if (width < Byte) return address / 8 * Byte + address % 8 / width * width;
    return address / (width / Byte * 8) * width;
  endfunction

  function automatic [35:0] word(input int width, input [13:0] address);
    word = 36'd0;
    for (int i = 0; i < width; i++) word[i] = store[first(width, address)+i];
  endfunction

  task automatic put(input int width, input [13:0] address, input [35:0] data);
    for (int i = 0; i < width; i++)
      if (width < 2 * Byte || address[i/Byte])
        store[first(width, address)+i] = data[i];
  endtask

  initial begin
    do_a_o = 36'd0;
    do_b_o = 36'd0;
    // The initial contents that the cells below are given.
    for (int i = 0; i < Bits; i++) store[i] = 1'b0;
    for (int i = 0; i < 16; i++) begin
      store[first(Byte, 14'(8*i))+1] = i[0];
      store[first(Byte, 14'(8*i))+2] = i[1];
      store[first(Byte, 14'(8*i))+Byte-1] = i[2];
      store[Bits-1-i] = i[1];
    end
  end

  reg [35:0] old_a, old_b;
  always @(posedge clk_i) begin
    old_a = word(WidthA, ad_a_i);
    old_b = word(WidthB, ad_b_i);
    if (ce_a_i && we_a_i) put(WidthA, ad_a_i, di_a_i);
    if (ce_b_i && we_b_i) put(WidthB, ad_b_i, di_b_i);
    if (ce_a_i && !(we_a_i && Mode == 0))
      do_a_o <= (we_a_i && Mode == 1) ? word(WidthA, ad_a_i) : old_a;
    if (ce_b_i && !(we_b_i && Mode == 0))
      do_b_o <= (we_b_i && Mode == 1) ? word(WidthB, ad_b_i) : old_b;
    if (rst_a_i) do_a_o <= 36'd0;
    if (rst_b_i) do_b_o <= 36'd0;
  end
endmodule

module check_ecp5 #(
    parameter int WidthA = 36,
    parameter int WidthB = 36,
    parameter int Mode = 0,
    parameter Reset = "SYNC"
) (
    input wire clk_i,
    input wire ce_a_i, we_a_i, rst_a_i, ce_b_i, we_b_i, rst_b_i,
    input wire [13:0] ad_a_i, ad_b_i,
    input wire [35:0] di_a_i, di_b_i,
    output wire wrong_o
);
  localparam WriteMode = Mode == 0 ? "NORMAL" :
      Mode == 1 ? "WRITETHROUGH" : "READBEFOREWRITE";
  // A port of 36 bits needs all data pins: A writes, B reads.
  localparam bit Whole = WidthA == 36;
  wire we_b = we_b_i && !Whole;
  wire [35:0] expect_a, expect_b;
  wire [17:0] do_a, do_b;

  // 20 bits of an INITVAL for each half of a word: two bytes.
  function automatic [319:0] low();
    low = '0;
    for (int i = 0; i < 16; i++)
      if (i < 8)
        for (int h = 0; h < 2; h++) begin
          int n = 2 * i + h;
          low[20*i+9*h+1] = n[0];
          low[20*i+9*h+2] = n[1];
          low[20*i+9*h+8] = n[2];
        end
  endfunction
  function automatic [319:0] high();
    high = '0;
    for (int i = 0; i < 16; i++) high[20*15+17-i] = i[1];
  endfunction

  reference_ram #(.Byte(9), .WidthA(WidthA), .WidthB(WidthB), .Mode(Mode))
  u_reference (.*, .we_b_i(we_b), .do_a_o(expect_a), .do_b_o(expect_b));

  wire [17:0] di_a = di_a_i[17:0];
  wire [17:0] di_b = Whole ? di_a_i[35:18] : di_b_i[17:0];

  DP16KD #(
      .DATA_WIDTH_A(WidthA),
      .DATA_WIDTH_B(WidthB),
      .WRITEMODE_A(WriteMode),
      .WRITEMODE_B(WriteMode),
      .RESETMODE(Reset),
      .INITVAL_00(low()),
      .INITVAL_3F(high())
  ) u_cell (
      .CLKA(clk_i), .CEA(ce_a_i), .OCEA(1'b1), .WEA(we_a_i), .RSTA(rst_a_i),
      .CSA0(1'b0), .CSA1(1'b0), .CSA2(1'b0),
      .CLKB(clk_i), .CEB(ce_b_i), .OCEB(1'b1), .WEB(we_b), .RSTB(rst_b_i),
      .CSB0(1'b0), .CSB1(1'b0), .CSB2(1'b0),
      .ADA13(ad_a_i[13]), .ADA12(ad_a_i[12]), .ADA11(ad_a_i[11]),
      .ADA10(ad_a_i[10]), .ADA9(ad_a_i[9]), .ADA8(ad_a_i[8]), .ADA7(ad_a_i[7]),
      .ADA6(ad_a_i[6]), .ADA5(ad_a_i[5]), .ADA4(ad_a_i[4]), .ADA3(ad_a_i[3]),
      .ADA2(ad_a_i[2]), .ADA1(ad_a_i[1]), .ADA0(ad_a_i[0]),
      .DIA17(di_a[17]), .DIA16(di_a[16]), .DIA15(di_a[15]), .DIA14(di_a[14]),
      .DIA13(di_a[13]), .DIA12(di_a[12]), .DIA11(di_a[11]), .DIA10(di_a[10]),
      .DIA9(di_a[9]), .DIA8(di_a[8]), .DIA7(di_a[7]), .DIA6(di_a[6]),
      .DIA5(di_a[5]), .DIA4(di_a[4]), .DIA3(di_a[3]), .DIA2(di_a[2]),
      .DIA1(di_a[1]), .DIA0(di_a[0]),
      .DOA17(do_a[17]), .DOA16(do_a[16]), .DOA15(do_a[15]), .DOA14(do_a[14]),
      .DOA13(do_a[13]), .DOA12(do_a[12]), .DOA11(do_a[11]), .DOA10(do_a[10]),
      .DOA9(do_a[9]), .DOA8(do_a[8]), .DOA7(do_a[7]), .DOA6(do_a[6]),
      .DOA5(do_a[5]), .DOA4(do_a[4]), .DOA3(do_a[3]), .DOA2(do_a[2]),
      .DOA1(do_a[1]), .DOA0(do_a[0]),
      .ADB13(ad_b_i[13]), .ADB12(ad_b_i[12]), .ADB11(ad_b_i[11]),
      .ADB10(ad_b_i[10]), .ADB9(ad_b_i[9]), .ADB8(ad_b_i[8]), .ADB7(ad_b_i[7]),
      .ADB6(ad_b_i[6]), .ADB5(ad_b_i[5]), .ADB4(ad_b_i[4]), .ADB3(ad_b_i[3]),
      .ADB2(ad_b_i[2]), .ADB1(ad_b_i[1]), .ADB0(ad_b_i[0]),
      .DIB17(di_b[17]), .DIB16(di_b[16]), .DIB15(di_b[15]), .DIB14(di_b[14]),
      .DIB13(di_b[13]), .DIB12(di_b[12]), .DIB11(di_b[11]), .DIB10(di_b[10]),
      .DIB9(di_b[9]), .DIB8(di_b[8]), .DIB7(di_b[7]), .DIB6(di_b[6]),
      .DIB5(di_b[5]), .DIB4(di_b[4]), .DIB3(di_b[3]), .DIB2(di_b[2]),
      .DIB1(di_b[1]), .DIB0(di_b[0]),
      .DOB17(do_b[17]), .DOB16(do_b[16]), .DOB15(do_b[15]), .DOB14(do_b[14]),
      .DOB13(do_b[13]), .DOB12(do_b[12]), .DOB11(do_b[11]), .DOB10(do_b[10]),
      .DOB9(do_b[9]), .DOB8(do_b[8]), .DOB7(do_b[7]), .DOB6(do_b[6]),
      .DOB5(do_b[5]), .DOB4(do_b[4]), .DOB3(do_b[3]), .DOB2(do_b[2]),
      .DOB1(do_b[1]), .DOB0(do_b[0])
  );

  localparam int SeenB = WidthB < 18 ? WidthB : 18;
  localparam int SeenA = WidthA < 18 ? WidthA : 18;
  if (WidthB == 36) begin : gen_wide
    assign wrong_o = {do_b, do_a} != expect_b;
  end else if (Whole) begin : gen_mixed
    assign wrong_o = do_b[SeenB-1:0] != expect_b[SeenB-1:0];
  end else begin : gen_dual
    assign wrong_o = do_b[SeenB-1:0] != expect_b[SeenB-1:0] ||
        do_a[SeenA-1:0] != expect_a[SeenA-1:0];
  end
endmodule

// Kind 0: one port, 1: A writes and B reads, 2: two ports.
module check_gowin #(
    parameter int Kind = 1,
    parameter int Byte = 9,
    parameter int WidthA = 36,
    parameter int WidthB = 36,
    parameter int Mode = 0,
    parameter Reset = "SYNC"
) (
    input wire clk_i,
    input wire ce_a_i, we_a_i, rst_a_i, ce_b_i, we_b_i, rst_b_i,
    input wire [13:0] ad_a_i, ad_b_i,
    input wire [35:0] di_a_i, di_b_i,
    output wire wrong_o
);
  localparam int Word = 4 * Byte;
  localparam int Half = 2 * Byte;
  // 32 bytes of an INIT_RAM.
  function automatic [32*Byte-1:0] low();
    low = '0;
    for (int i = 0; i < 16; i++) begin
      low[Byte*i+1] = i[0];
      low[Byte*i+2] = i[1];
      low[Byte*i+Byte-1] = i[2];
    end
  endfunction
  function automatic [32*Byte-1:0] high();
    high = '0;
    for (int i = 0; i < 16; i++) high[32*Byte-1-i] = i[1];
  endfunction

  wire we_a = Kind == 1 || we_a_i;
  wire we_b = Kind == 2 && we_b_i;
  wire ce_a = Kind == 1 ? ce_a_i && we_a_i : ce_a_i;
  wire [35:0] expect_a, expect_b;

  reference_ram #(
      .Byte(Byte), .WidthA(WidthA), .WidthB(WidthB), .Mode(Mode)
  ) u_reference (
      .*, .ce_a_i(ce_a), .we_a_i(we_a), .we_b_i(we_b),
      .do_a_o(expect_a), .do_b_o(expect_b));

  wire [Word-1:0] do_a, do_b;
  if (Kind == 0 && Byte == 9) begin : gen_spx9
    SPX9 #(.BIT_WIDTH(WidthA), .WRITE_MODE(2'(Mode)), .RESET_MODE(Reset),
           .INIT_RAM_00(low()), .INIT_RAM_3F(high()))
    u_cell (.CLK(clk_i), .CE(ce_a_i), .OCE(1'b1), .RESET(rst_a_i),
            .WRE(we_a_i), .BLKSEL(3'd0), .AD(ad_a_i), .DI(di_a_i), .DO(do_a));
  end else if (Kind == 0) begin : gen_sp
    SP #(.BIT_WIDTH(WidthA), .WRITE_MODE(2'(Mode)), .RESET_MODE(Reset),
         .INIT_RAM_00(low()), .INIT_RAM_3F(high()))
    u_cell (.CLK(clk_i), .CE(ce_a_i), .OCE(1'b1), .RESET(rst_a_i),
            .WRE(we_a_i), .BLKSEL(3'd0), .AD(ad_a_i), .DI(di_a_i[31:0]),
            .DO(do_a));
  end else if (Kind == 1 && Byte == 9) begin : gen_sdpx9b
    SDPX9B #(.BIT_WIDTH_0(WidthA), .BIT_WIDTH_1(WidthB), .RESET_MODE(Reset),
             .INIT_RAM_00(low()), .INIT_RAM_3F(high()))
    u_cell (.CLKA(clk_i), .CEA(ce_a), .RESETA(1'b0), .ADA(ad_a_i),
            .DI(di_a_i), .BLKSELA(3'd0), .CLKB(clk_i), .CEB(ce_b_i),
            .OCE(1'b1), .RESETB(rst_b_i), .ADB(ad_b_i), .BLKSELB(3'd0),
            .DO(do_b));
  end else if (Kind == 1) begin : gen_sdpb
    SDPB #(.BIT_WIDTH_0(WidthA), .BIT_WIDTH_1(WidthB), .RESET_MODE(Reset),
           .INIT_RAM_00(low()), .INIT_RAM_3F(high()))
    u_cell (.CLKA(clk_i), .CEA(ce_a), .RESETA(1'b0), .ADA(ad_a_i),
            .DI(di_a_i[31:0]), .BLKSELA(3'd0), .CLKB(clk_i), .CEB(ce_b_i),
            .OCE(1'b1), .RESETB(rst_b_i), .ADB(ad_b_i), .BLKSELB(3'd0),
            .DO(do_b));
  end else if (Byte == 9) begin : gen_dpx9b
    DPX9B #(.BIT_WIDTH_0(WidthA), .BIT_WIDTH_1(WidthB), .RESET_MODE(Reset),
            .WRITE_MODE0(2'(Mode)), .WRITE_MODE1(2'(Mode)),
            .INIT_RAM_00(low()), .INIT_RAM_3F(high()))
    u_cell (.CLKA(clk_i), .CEA(ce_a_i), .OCEA(1'b1), .RESETA(rst_a_i),
            .WREA(we_a_i), .ADA(ad_a_i), .DIA(di_a_i[17:0]), .BLKSELA(3'd0),
            .CLKB(clk_i), .CEB(ce_b_i), .OCEB(1'b1), .RESETB(rst_b_i),
            .WREB(we_b), .ADB(ad_b_i), .DIB(di_b_i[17:0]), .BLKSELB(3'd0),
            .DOA(do_a[17:0]), .DOB(do_b[17:0]));
  end else begin : gen_dpb
    DPB #(.BIT_WIDTH_0(WidthA), .BIT_WIDTH_1(WidthB), .RESET_MODE(Reset),
          .WRITE_MODE0(2'(Mode)), .WRITE_MODE1(2'(Mode)),
          .INIT_RAM_00(low()), .INIT_RAM_3F(high()))
    u_cell (.CLKA(clk_i), .CEA(ce_a_i), .OCEA(1'b1), .RESETA(rst_a_i),
            .WREA(we_a_i), .ADA(ad_a_i), .DIA(di_a_i[15:0]), .BLKSELA(3'd0),
            .CLKB(clk_i), .CEB(ce_b_i), .OCEB(1'b1), .RESETB(rst_b_i),
            .WREB(we_b), .ADB(ad_b_i), .DIB(di_b_i[15:0]), .BLKSELB(3'd0),
            .DOA(do_a[15:0]), .DOB(do_b[15:0]));
  end

  assign wrong_o =
      (Kind != 1 && do_a[WidthA-1:0] != expect_a[WidthA-1:0]) ||
      (Kind != 0 && do_b[WidthB-1:0] != expect_b[WidthB-1:0]);
endmodule

module cells_bench (
    input wire clk_i,
    input wire ce_a_i, we_a_i, rst_a_i, ce_b_i, we_b_i, rst_b_i,
    input wire [13:0] ad_a_i, ad_b_i,
    input wire [35:0] di_a_i, di_b_i,
    input wire signed_a_i, signed_b_i,
    output wire [35:0] product_ecp5_o, registered_ecp5_o, held_ecp5_o,
    output wire [17:0] product9_o, registered9_o,
    output wire [35:0] product18_o, held18_o,
    output wire [71:0] product36_o,
    output wire [35:0] wrong_o
);
  check_ecp5 #(36, 36, 0, "SYNC") u_0 (.*, .wrong_o(wrong_o[0]));
  check_ecp5 #(18, 18, 0, "SYNC") u_1 (.*, .wrong_o(wrong_o[1]));
  check_ecp5 #(9, 9, 0, "SYNC") u_2 (.*, .wrong_o(wrong_o[2]));
  check_ecp5 #(4, 4, 0, "SYNC") u_3 (.*, .wrong_o(wrong_o[3]));
  check_ecp5 #(2, 2, 0, "SYNC") u_4 (.*, .wrong_o(wrong_o[4]));
  check_ecp5 #(1, 1, 0, "SYNC") u_5 (.*, .wrong_o(wrong_o[5]));
  check_ecp5 #(18, 9, 1, "SYNC") u_6 (.*, .wrong_o(wrong_o[6]));
  check_ecp5 #(9, 18, 2, "SYNC") u_7 (.*, .wrong_o(wrong_o[7]));
  check_ecp5 #(1, 18, 1, "ASYNC") u_8 (.*, .wrong_o(wrong_o[8]));
  check_ecp5 #(4, 9, 2, "ASYNC") u_9 (.*, .wrong_o(wrong_o[9]));
  check_ecp5 #(36, 18, 0, "ASYNC") u_10 (.*, .wrong_o(wrong_o[10]));
  check_ecp5 #(36, 9, 0, "SYNC") u_11 (.*, .wrong_o(wrong_o[11]));
  check_ecp5 #(36, 1, 0, "SYNC") u_12 (.*, .wrong_o(wrong_o[12]));
  check_gowin #(1, 9, 36, 36, 0, "SYNC") u_13 (.*, .wrong_o(wrong_o[13]));
  check_gowin #(1, 9, 18, 18, 0, "ASYNC") u_14 (.*, .wrong_o(wrong_o[14]));
  check_gowin #(1, 9, 9, 9, 0, "SYNC") u_15 (.*, .wrong_o(wrong_o[15]));
  check_gowin #(1, 9, 36, 9, 0, "SYNC") u_16 (.*, .wrong_o(wrong_o[16]));
  check_gowin #(1, 9, 9, 36, 0, "SYNC") u_17 (.*, .wrong_o(wrong_o[17]));
  check_gowin #(1, 8, 32, 32, 0, "SYNC") u_18 (.*, .wrong_o(wrong_o[18]));
  check_gowin #(1, 8, 16, 16, 0, "SYNC") u_19 (.*, .wrong_o(wrong_o[19]));
  check_gowin #(1, 8, 8, 8, 0, "ASYNC") u_20 (.*, .wrong_o(wrong_o[20]));
  check_gowin #(1, 8, 4, 4, 0, "SYNC") u_21 (.*, .wrong_o(wrong_o[21]));
  check_gowin #(1, 8, 2, 16, 0, "SYNC") u_22 (.*, .wrong_o(wrong_o[22]));
  check_gowin #(1, 8, 32, 1, 0, "SYNC") u_23 (.*, .wrong_o(wrong_o[23]));
  check_gowin #(1, 8, 1, 1, 0, "SYNC") u_24 (.*, .wrong_o(wrong_o[24]));
  check_gowin #(2, 9, 18, 18, 0, "SYNC") u_25 (.*, .wrong_o(wrong_o[25]));
  check_gowin #(2, 9, 9, 9, 1, "SYNC") u_26 (.*, .wrong_o(wrong_o[26]));
  check_gowin #(2, 9, 18, 9, 2, "ASYNC") u_27 (.*, .wrong_o(wrong_o[27]));
  check_gowin #(2, 8, 16, 16, 0, "SYNC") u_28 (.*, .wrong_o(wrong_o[28]));
  check_gowin #(2, 8, 8, 16, 1, "SYNC") u_29 (.*, .wrong_o(wrong_o[29]));
  check_gowin #(2, 8, 4, 1, 2, "SYNC") u_30 (.*, .wrong_o(wrong_o[30]));
  check_gowin #(0, 9, 36, 36, 0, "SYNC") u_31 (.*, .wrong_o(wrong_o[31]));
  check_gowin #(0, 9, 18, 18, 1, "ASYNC") u_32 (.*, .wrong_o(wrong_o[32]));
  check_gowin #(0, 9, 9, 9, 2, "SYNC") u_33 (.*, .wrong_o(wrong_o[33]));
  check_gowin #(0, 8, 32, 32, 1, "SYNC") u_34 (.*, .wrong_o(wrong_o[34]));
  check_gowin #(0, 8, 1, 1, 0, "SYNC") u_35 (.*, .wrong_o(wrong_o[35]));

  MULT18X18D u_lattice (
      .A17(di_a_i[17]), .A16(di_a_i[16]), .A15(di_a_i[15]), .A14(di_a_i[14]),
      .A13(di_a_i[13]), .A12(di_a_i[12]), .A11(di_a_i[11]), .A10(di_a_i[10]),
      .A9(di_a_i[9]), .A8(di_a_i[8]), .A7(di_a_i[7]), .A6(di_a_i[6]),
      .A5(di_a_i[5]), .A4(di_a_i[4]), .A3(di_a_i[3]), .A2(di_a_i[2]),
      .A1(di_a_i[1]), .A0(di_a_i[0]),
      .B17(di_b_i[17]), .B16(di_b_i[16]), .B15(di_b_i[15]), .B14(di_b_i[14]),
      .B13(di_b_i[13]), .B12(di_b_i[12]), .B11(di_b_i[11]), .B10(di_b_i[10]),
      .B9(di_b_i[9]), .B8(di_b_i[8]), .B7(di_b_i[7]), .B6(di_b_i[6]),
      .B5(di_b_i[5]), .B4(di_b_i[4]), .B3(di_b_i[3]), .B2(di_b_i[2]),
      .B1(di_b_i[1]), .B0(di_b_i[0]),
      .SIGNEDA(signed_a_i), .SIGNEDB(signed_b_i), .SOURCEA(1'b0),
      .SOURCEB(1'b0),
      .P35(product_ecp5_o[35]), .P34(product_ecp5_o[34]),
      .P33(product_ecp5_o[33]), .P32(product_ecp5_o[32]),
      .P31(product_ecp5_o[31]), .P30(product_ecp5_o[30]),
      .P29(product_ecp5_o[29]), .P28(product_ecp5_o[28]),
      .P27(product_ecp5_o[27]), .P26(product_ecp5_o[26]),
      .P25(product_ecp5_o[25]), .P24(product_ecp5_o[24]),
      .P23(product_ecp5_o[23]), .P22(product_ecp5_o[22]),
      .P21(product_ecp5_o[21]), .P20(product_ecp5_o[20]),
      .P19(product_ecp5_o[19]), .P18(product_ecp5_o[18]),
      .P17(product_ecp5_o[17]), .P16(product_ecp5_o[16]),
      .P15(product_ecp5_o[15]), .P14(product_ecp5_o[14]),
      .P13(product_ecp5_o[13]), .P12(product_ecp5_o[12]),
      .P11(product_ecp5_o[11]), .P10(product_ecp5_o[10]),
      .P9(product_ecp5_o[9]), .P8(product_ecp5_o[8]), .P7(product_ecp5_o[7]),
      .P6(product_ecp5_o[6]), .P5(product_ecp5_o[5]), .P4(product_ecp5_o[4]),
      .P3(product_ecp5_o[3]), .P2(product_ecp5_o[2]), .P1(product_ecp5_o[1]),
      .P0(product_ecp5_o[0])
  );
  MULT18X18D #(
      .REG_INPUTA_CLK("CLK0"), .REG_INPUTB_CLK("CLK0"), .REG_OUTPUT_CLK("CLK0")
  ) u_lattice_registers (
      .CLK0(clk_i), .CE0(ce_a_i), .RST0(1'b0),
      .A17(di_a_i[17]), .A16(di_a_i[16]), .A15(di_a_i[15]), .A14(di_a_i[14]),
      .A13(di_a_i[13]), .A12(di_a_i[12]), .A11(di_a_i[11]), .A10(di_a_i[10]),
      .A9(di_a_i[9]), .A8(di_a_i[8]), .A7(di_a_i[7]), .A6(di_a_i[6]),
      .A5(di_a_i[5]), .A4(di_a_i[4]), .A3(di_a_i[3]), .A2(di_a_i[2]),
      .A1(di_a_i[1]), .A0(di_a_i[0]),
      .B17(di_b_i[17]), .B16(di_b_i[16]), .B15(di_b_i[15]), .B14(di_b_i[14]),
      .B13(di_b_i[13]), .B12(di_b_i[12]), .B11(di_b_i[11]), .B10(di_b_i[10]),
      .B9(di_b_i[9]), .B8(di_b_i[8]), .B7(di_b_i[7]), .B6(di_b_i[6]),
      .B5(di_b_i[5]), .B4(di_b_i[4]), .B3(di_b_i[3]), .B2(di_b_i[2]),
      .B1(di_b_i[1]), .B0(di_b_i[0]),
      .SIGNEDA(signed_a_i), .SIGNEDB(signed_b_i), .SOURCEA(1'b0),
      .SOURCEB(1'b0),
      .P35(registered_ecp5_o[35]), .P34(registered_ecp5_o[34]),
      .P33(registered_ecp5_o[33]), .P32(registered_ecp5_o[32]),
      .P31(registered_ecp5_o[31]), .P30(registered_ecp5_o[30]),
      .P29(registered_ecp5_o[29]), .P28(registered_ecp5_o[28]),
      .P27(registered_ecp5_o[27]), .P26(registered_ecp5_o[26]),
      .P25(registered_ecp5_o[25]), .P24(registered_ecp5_o[24]),
      .P23(registered_ecp5_o[23]), .P22(registered_ecp5_o[22]),
      .P21(registered_ecp5_o[21]), .P20(registered_ecp5_o[20]),
      .P19(registered_ecp5_o[19]), .P18(registered_ecp5_o[18]),
      .P17(registered_ecp5_o[17]), .P16(registered_ecp5_o[16]),
      .P15(registered_ecp5_o[15]), .P14(registered_ecp5_o[14]),
      .P13(registered_ecp5_o[13]), .P12(registered_ecp5_o[12]),
      .P11(registered_ecp5_o[11]), .P10(registered_ecp5_o[10]),
      .P9(registered_ecp5_o[9]), .P8(registered_ecp5_o[8]), .P7(registered_ecp5_o[7]),
      .P6(registered_ecp5_o[6]), .P5(registered_ecp5_o[5]), .P4(registered_ecp5_o[4]),
      .P3(registered_ecp5_o[3]), .P2(registered_ecp5_o[2]), .P1(registered_ecp5_o[1]),
      .P0(registered_ecp5_o[0])
  );
  MULT18X18D #(.REG_OUTPUT_CLK("CLK0")) u_lattice_product (
      .CLK0(clk_i), .CE0(ce_a_i), .RST0(1'b0),
      .A17(di_a_i[17]), .A16(di_a_i[16]), .A15(di_a_i[15]), .A14(di_a_i[14]),
      .A13(di_a_i[13]), .A12(di_a_i[12]), .A11(di_a_i[11]), .A10(di_a_i[10]),
      .A9(di_a_i[9]), .A8(di_a_i[8]), .A7(di_a_i[7]), .A6(di_a_i[6]),
      .A5(di_a_i[5]), .A4(di_a_i[4]), .A3(di_a_i[3]), .A2(di_a_i[2]),
      .A1(di_a_i[1]), .A0(di_a_i[0]),
      .B17(di_b_i[17]), .B16(di_b_i[16]), .B15(di_b_i[15]), .B14(di_b_i[14]),
      .B13(di_b_i[13]), .B12(di_b_i[12]), .B11(di_b_i[11]), .B10(di_b_i[10]),
      .B9(di_b_i[9]), .B8(di_b_i[8]), .B7(di_b_i[7]), .B6(di_b_i[6]),
      .B5(di_b_i[5]), .B4(di_b_i[4]), .B3(di_b_i[3]), .B2(di_b_i[2]),
      .B1(di_b_i[1]), .B0(di_b_i[0]),
      .SIGNEDA(signed_a_i), .SIGNEDB(signed_b_i), .SOURCEA(1'b0),
      .SOURCEB(1'b0),
      .P35(held_ecp5_o[35]), .P34(held_ecp5_o[34]),
      .P33(held_ecp5_o[33]), .P32(held_ecp5_o[32]),
      .P31(held_ecp5_o[31]), .P30(held_ecp5_o[30]),
      .P29(held_ecp5_o[29]), .P28(held_ecp5_o[28]),
      .P27(held_ecp5_o[27]), .P26(held_ecp5_o[26]),
      .P25(held_ecp5_o[25]), .P24(held_ecp5_o[24]),
      .P23(held_ecp5_o[23]), .P22(held_ecp5_o[22]),
      .P21(held_ecp5_o[21]), .P20(held_ecp5_o[20]),
      .P19(held_ecp5_o[19]), .P18(held_ecp5_o[18]),
      .P17(held_ecp5_o[17]), .P16(held_ecp5_o[16]),
      .P15(held_ecp5_o[15]), .P14(held_ecp5_o[14]),
      .P13(held_ecp5_o[13]), .P12(held_ecp5_o[12]),
      .P11(held_ecp5_o[11]), .P10(held_ecp5_o[10]),
      .P9(held_ecp5_o[9]), .P8(held_ecp5_o[8]), .P7(held_ecp5_o[7]),
      .P6(held_ecp5_o[6]), .P5(held_ecp5_o[5]), .P4(held_ecp5_o[4]),
      .P3(held_ecp5_o[3]), .P2(held_ecp5_o[2]), .P1(held_ecp5_o[1]),
      .P0(held_ecp5_o[0])
  );
  MULT9X9 u_nine (
      .A(di_a_i[8:0]), .B(di_b_i[8:0]), .ASIGN(signed_a_i), .BSIGN(signed_b_i),
      .DOUT(product9_o));
  MULT18X18 u_eighteen (
      .A(di_a_i[17:0]), .B(di_b_i[17:0]), .ASIGN(signed_a_i),
      .BSIGN(signed_b_i), .DOUT(product18_o));
  MULT9X9 #(.AREG(1'b1), .BREG(1'b1), .OUT_REG(1'b1)) u_nine_registers (
      .A(di_a_i[8:0]), .B(di_b_i[8:0]), .ASIGN(signed_a_i), .BSIGN(signed_b_i),
      .CE(ce_a_i), .CLK(clk_i), .RESET(1'b0), .DOUT(registered9_o));
  MULT18X18 #(.OUT_REG(1'b1)) u_eighteen_product (
      .A(di_a_i[17:0]), .B(di_b_i[17:0]), .ASIGN(signed_a_i),
      .BSIGN(signed_b_i), .CE(ce_a_i), .CLK(clk_i), .RESET(1'b0),
      .DOUT(held18_o));
  MULT36X36 u_thirtysix (
      .A(di_a_i), .B(di_b_i), .ASIGN(signed_a_i), .BSIGN(signed_b_i),
      .DOUT(product36_o));
endmodule

`default_nettype wire
