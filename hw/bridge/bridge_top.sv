// Part of Tenon, under the Apache License v2.0.
//
// The accelerator for a board without a processor: serial bytes come in by UART
// or SPI, the bridge makes register accesses and memory bytes of them, block
// RAM is the accelerator's DRAM from address 0 on.  No vendor's cell in here: a
// board's top adds pins, a PLL and the reset.
//
// LEDs: 0 out of reset, 1 a launch has ended, 2 byte from the host, 3 byte to
// the host, 4..7 LOAD, GEMM, ALU, STORE have something to do.

`default_nettype none

module bridge_top #(
    parameter int unsigned ClockHz = 50_000_000,
    // multiple of two beats
    parameter int unsigned MemoryBytes = 65536,
    // clocks a bit after reset: a million bits a second
    parameter int unsigned DefaultDivisor = (ClockHz + 500_000) / 1_000_000,
    // 0: UART, 1: SPI
    parameter int unsigned UseSpi = 0,
    // the memory array cannot read in a cycle in which it writes
    parameter int unsigned SinglePort = 0
) (
    input  logic       clk_i,
    input  logic       rst_i,
    // UART
    input  logic       uart_rx_i,
    output logic       uart_tx_o,
    // SPI
    input  logic       sck_i,
    input  logic       csn_i,
    input  logic       mosi_i,
    output logic       miso_o,
    // to look at
    output logic [7:0] led_o
);
  localparam int BusBits = tenon_pkg::BUS_BITS;

  // ---- bytes
  logic rx_valid, silent, line_break, tx_valid, tx_ready, tx_idle;
  logic [7:0] rx_data, tx_data;
  logic [15:0] divisor;

  if (UseSpi != 0) begin : gen_spi
    logic unused;
    assign unused = &{1'b0, uart_rx_i};
    assign uart_tx_o = 1'b1;
    assign line_break = 1'b0;

    spi_bytes u_spi (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .divisor_i(divisor),
        .sck_i(sck_i),
        .csn_i(csn_i),
        .mosi_i(mosi_i),
        .miso_o(miso_o),
        .rx_valid_o(rx_valid),
        .rx_data_o(rx_data),
        .silent_o(silent),
        .tx_valid_i(tx_valid),
        .tx_data_i(tx_data),
        .tx_ready_o(tx_ready),
        .tx_idle_o(tx_idle)
    );
  end else begin : gen_uart
    logic unused;
    assign unused = &{1'b0, sck_i, csn_i, mosi_i};
    assign miso_o = 1'b0;

    uart_rx u_rx (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .divisor_i(divisor),
        .rx_i(uart_rx_i),
        .valid_o(rx_valid),
        .data_o(rx_data),
        .silent_o(silent),
        .break_o(line_break)
    );

    uart_tx u_tx (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .divisor_i(divisor),
        .valid_i(tx_valid),
        .data_i(tx_data),
        .ready_o(tx_ready),
        .idle_o(tx_idle),
        .tx_o(uart_tx_o)
    );
  end

  // ---- bridge
  logic [11:0] awaddr, araddr;
  logic awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready;
  logic rvalid, rready;
  logic [31:0] wdata, rdata;
  logic [1:0] bresp, rresp;
  logic byte_write, byte_read, byte_ready, byte_valid;
  logic [31:0] byte_address;
  logic [7:0] byte_to_memory, byte_from_memory;

  bridge #(
      .ClockHz(ClockHz),
      .MemoryBytes(MemoryBytes),
      .DefaultDivisor(DefaultDivisor)
  ) u_bridge (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .rx_valid_i(rx_valid),
      .rx_data_i(rx_data),
      .silent_i(silent),
      .break_i(line_break),
      .tx_valid_o(tx_valid),
      .tx_data_o(tx_data),
      .tx_ready_i(tx_ready),
      .tx_idle_i(tx_idle),
      .divisor_o(divisor),
      .m_axil_awaddr_o(awaddr),
      .m_axil_awvalid_o(awvalid),
      .m_axil_awready_i(awready),
      .m_axil_wdata_o(wdata),
      .m_axil_wvalid_o(wvalid),
      .m_axil_wready_i(wready),
      .m_axil_bresp_i(bresp),
      .m_axil_bvalid_i(bvalid),
      .m_axil_bready_o(bready),
      .m_axil_araddr_o(araddr),
      .m_axil_arvalid_o(arvalid),
      .m_axil_arready_i(arready),
      .m_axil_rdata_i(rdata),
      .m_axil_rresp_i(rresp),
      .m_axil_rvalid_i(rvalid),
      .m_axil_rready_o(rready),
      .memory_address_o(byte_address),
      .memory_write_o(byte_write),
      .memory_data_o(byte_to_memory),
      .memory_read_o(byte_read),
      .memory_ready_i(byte_ready),
      .memory_valid_i(byte_valid),
      .memory_data_i(byte_from_memory)
  );

  // ---- accelerator and its DRAM
  logic [0:0] arid, rid;
  logic [63:0] m_araddr, m_awaddr;
  logic [7:0] arlen, awlen;
  logic [2:0] arsize, awsize;
  logic [1:0] arburst, awburst, m_rresp, m_bresp;
  logic m_arvalid, m_arready, m_rvalid, m_rready, rlast;
  logic m_awvalid, m_awready, m_wvalid, m_wready, wlast, m_bvalid, m_bready;
  logic [BusBits-1:0] m_rdata, m_wdata;
  logic [BusBits/8-1:0] wstrb;
  logic done;
  logic [11:0] state;
  logic [3:0] retired_unused;
  logic [11:0] token_wait_unused, room_wait_unused;

  tenon_top u_tenon (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .s_axil_awaddr_i(awaddr),
      .s_axil_awvalid_i(awvalid),
      .s_axil_awready_o(awready),
      .s_axil_wdata_i(wdata),
      .s_axil_wvalid_i(wvalid),
      .s_axil_wready_o(wready),
      .s_axil_bresp_o(bresp),
      .s_axil_bvalid_o(bvalid),
      .s_axil_bready_i(bready),
      .s_axil_araddr_i(araddr),
      .s_axil_arvalid_i(arvalid),
      .s_axil_arready_o(arready),
      .s_axil_rdata_o(rdata),
      .s_axil_rresp_o(rresp),
      .s_axil_rvalid_o(rvalid),
      .s_axil_rready_i(rready),
      .m_axi_arid_o(arid),
      .m_axi_araddr_o(m_araddr),
      .m_axi_arlen_o(arlen),
      .m_axi_arsize_o(arsize),
      .m_axi_arburst_o(arburst),
      .m_axi_arvalid_o(m_arvalid),
      .m_axi_arready_i(m_arready),
      .m_axi_rid_i(rid),
      .m_axi_rdata_i(m_rdata),
      .m_axi_rresp_i(m_rresp),
      .m_axi_rlast_i(rlast),
      .m_axi_rvalid_i(m_rvalid),
      .m_axi_rready_o(m_rready),
      .m_axi_awaddr_o(m_awaddr),
      .m_axi_awlen_o(awlen),
      .m_axi_awsize_o(awsize),
      .m_axi_awburst_o(awburst),
      .m_axi_awvalid_o(m_awvalid),
      .m_axi_awready_i(m_awready),
      .m_axi_wdata_o(m_wdata),
      .m_axi_wstrb_o(wstrb),
      .m_axi_wlast_o(wlast),
      .m_axi_wvalid_o(m_wvalid),
      .m_axi_wready_i(m_wready),
      .m_axi_bresp_i(m_bresp),
      .m_axi_bvalid_i(m_bvalid),
      .m_axi_bready_o(m_bready),
      .done_o(done),
      .retired_o(retired_unused),
      .state_o(state),
      .token_wait_o(token_wait_unused),
      .room_wait_o(room_wait_unused)
  );

  block_memory #(
      .Bytes(MemoryBytes),
      .BusBits(BusBits),
      .SinglePort(SinglePort)
  ) u_memory (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .s_axi_arid_i(arid),
      .s_axi_araddr_i(m_araddr),
      .s_axi_arlen_i(arlen),
      .s_axi_arsize_i(arsize),
      .s_axi_arburst_i(arburst),
      .s_axi_arvalid_i(m_arvalid),
      .s_axi_arready_o(m_arready),
      .s_axi_rid_o(rid),
      .s_axi_rdata_o(m_rdata),
      .s_axi_rresp_o(m_rresp),
      .s_axi_rlast_o(rlast),
      .s_axi_rvalid_o(m_rvalid),
      .s_axi_rready_i(m_rready),
      .s_axi_awaddr_i(m_awaddr),
      .s_axi_awlen_i(awlen),
      .s_axi_awsize_i(awsize),
      .s_axi_awburst_i(awburst),
      .s_axi_awvalid_i(m_awvalid),
      .s_axi_awready_o(m_awready),
      .s_axi_wdata_i(m_wdata),
      .s_axi_wstrb_i(wstrb),
      .s_axi_wlast_i(wlast),
      .s_axi_wvalid_i(m_wvalid),
      .s_axi_wready_o(m_wready),
      .s_axi_bresp_o(m_bresp),
      .s_axi_bvalid_o(m_bvalid),
      .s_axi_bready_i(m_bready),
      .byte_address_i(byte_address),
      .byte_write_i(byte_write),
      .byte_data_i(byte_to_memory),
      .byte_read_i(byte_read),
      .byte_ready_o(byte_ready),
      .byte_valid_o(byte_valid),
      .byte_data_o(byte_from_memory)
  );

  // ---- LEDs: an engine that is neither empty nor done
  logic [3:0] active;

  always_comb begin
    for (int e = 0; e < 4; e++)
      active[e] = state[3*e+:3] != tenon_pkg::STATE_EMPTY &&
          state[3*e+:3] != tenon_pkg::STATE_DONE;
  end

  assign led_o = {active, tx_valid, rx_valid, done, !rst_i};

  logic unused;
  assign unused = &{1'b0, retired_unused, token_wait_unused, room_wait_unused};
endmodule

`default_nettype wire
