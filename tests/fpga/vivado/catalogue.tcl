# Part of Tenon, under the Apache License v2.0.
#
# The cells of AMD's catalogue that the block design uses, by hand from the
# product guides: PG082 (processing system 7), PG201 (Zynq UltraScale+ PS), PG065
# (clocking wizard), PG164 (processor system reset), PG247 (SmartConnect). A cell:
#
#   properties   name -> {default expression-of-legal-values}; a legal value is a
#                list of words, or a regular expression in {re ...}
#   pins         {name direction width kind [condition]}; kind: clk, rst_n, rst,
#                intr, data; an input of kind `optional` may stay unconnected
#   interfaces   {name mode protocol width clock [condition]}
#   segments     {port name base size}: what a master reaches behind a port
#   space        name -> {interface -> list of {first last} windows}
#
# Conditions and widths are Tcl expressions in which p(NAME) is a property.

namespace eval catalogue {
  variable cells
  set number {re ^[0-9]+(\.[0-9]+)?$}
  set switch {0 1}

  set ps7_properties [dict create \
      PCW_USE_M_AXI_GP0 [list 1 $switch] \
      PCW_USE_S_AXI_HP0 [list 0 $switch] \
      PCW_S_AXI_HP0_DATA_WIDTH {64 {32 64}} \
      PCW_EN_CLK0_PORT [list 1 $switch] \
      PCW_EN_RST0_PORT [list 1 $switch] \
      PCW_FPGA0_PERIPHERAL_FREQMHZ [list 50 $number] \
      PCW_USE_FABRIC_INTERRUPT [list 0 $switch] \
      PCW_IRQ_F2P_INTR [list 0 $switch] \
      PCW_CRYSTAL_PERIPHERAL_FREQMHZ [list 33.333333 $number] \
      PCW_APU_PERIPHERAL_FREQMHZ [list 666.666666 $number] \
      PCW_PRESET_BANK0_VOLTAGE {{LVCMOS 3.3V} {re {^LVCMOS (1.8|2.5|3.3)V$}}} \
      PCW_PRESET_BANK1_VOLTAGE {{LVCMOS 3.3V} {re {^LVCMOS (1.8|2.5|3.3)V$}}} \
      PCW_UIPARAM_DDR_MEMORY_TYPE {{DDR 3} {{DDR 3} {DDR 3 (Low Voltage)} {DDR 2} LPDDR2}} \
      PCW_UIPARAM_DDR_PARTNO {Custom {re {^(Custom|MT[0-9A-Z]+ [A-Z]+-[0-9A-Z]+)$}}} \
      PCW_UIPARAM_DDR_BUS_WIDTH {{32 Bit} {{16 Bit} {32 Bit}}} \
      PCW_UIPARAM_DDR_FREQ_MHZ [list 533.333333 $number]]
  foreach train {WRITE_LEVEL READ_GATE DATA_EYE} {
    dict set ps7_properties PCW_UIPARAM_DDR_TRAIN_$train [list 0 $switch]
  }
  foreach lane {0 1 2 3} {
    dict set ps7_properties PCW_UIPARAM_DDR_DQS_TO_CLK_DELAY_$lane {0.0 {re {^-?[0-9.]+$}}}
    dict set ps7_properties PCW_UIPARAM_DDR_BOARD_DELAY$lane {0.25 {re {^[0-9.]+$}}}
  }
  set mio {re {^(MIO [0-9]+( \.\. [0-9]+)?|<Select>)$}}
  foreach peripheral {QSPI ENET0 SD0 UART0 USB0} {
    dict set ps7_properties PCW_${peripheral}_PERIPHERAL_ENABLE [list 0 $switch]
  }
  foreach name {ENET0_ENET0_IO ENET0_GRP_MDIO_IO ENET0_RESET_IO SD0_SD0_IO
      SD0_GRP_CD_IO UART0_UART0_IO USB0_USB0_IO USB0_RESET_IO} {
    dict set ps7_properties PCW_$name [list <Select> $mio]
  }
  foreach name {QSPI_GRP_SINGLE_SS QSPI_GRP_FBCLK ENET0_GRP_MDIO ENET0_RESET
      SD0_GRP_CD USB0_RESET} {
    dict set ps7_properties PCW_${name}_ENABLE [list 0 $switch]
  }
  dict set cells xilinx.com:ip:processing_system7 [dict create \
      families zynq \
      properties $ps7_properties \
      pins {
        {FCLK_CLK0 O 1 clk {$p(PCW_EN_CLK0_PORT)}}
        {FCLK_RESET0_N O 1 rst_n {$p(PCW_EN_RST0_PORT)}}
        {M_AXI_GP0_ACLK I 1 clk {$p(PCW_USE_M_AXI_GP0)}}
        {S_AXI_HP0_ACLK I 1 clk {$p(PCW_USE_S_AXI_HP0)}}
        {IRQ_F2P I 1 intr {$p(PCW_USE_FABRIC_INTERRUPT) && $p(PCW_IRQ_F2P_INTR)}}
      } \
      interfaces {
        {M_AXI_GP0 Master AXI3 32 M_AXI_GP0_ACLK {$p(PCW_USE_M_AXI_GP0)}}
        {S_AXI_HP0 Slave AXI3 $p(PCW_S_AXI_HP0_DATA_WIDTH) S_AXI_HP0_ACLK {$p(PCW_USE_S_AXI_HP0)}}
      } \
      external {DDR FIXED_IO} \
      segments {{S_AXI_HP0 HP0_DDR_LOWOCM 0x0 0x20000000}} \
      space {Data {M_AXI_GP0 {{0x40000000 0x7fffffff}}}} \
      rule {xilinx.com:bd_rule:processing_system7
        {make_external {{FIXED_IO, DDR}} apply_board_preset {0 1}}}]

  dict set cells xilinx.com:ip:zynq_ultra_ps_e [dict create \
      families zynquplus \
      properties [dict create \
          PSU__USE__M_AXI_GP0 [list 1 $switch] \
          PSU__USE__M_AXI_GP1 [list 1 $switch] \
          PSU__USE__M_AXI_GP2 [list 1 $switch] \
          PSU__MAXIGP0__DATA_WIDTH {128 {32 64 128}} \
          PSU__USE__S_AXI_GP2 [list 0 $switch] \
          PSU__SAXIGP2__DATA_WIDTH {128 {32 64 128}} \
          PSU__FPGA_PL0_ENABLE [list 1 $switch] \
          PSU__CRL_APB__PL0_REF_CTRL__FREQMHZ [list 100 $number] \
          PSU__USE__FABRIC__RST [list 1 $switch] \
          PSU__USE__IRQ0 [list 0 $switch]] \
      pins {
        {pl_clk0 O 1 clk {$p(PSU__FPGA_PL0_ENABLE)}}
        {pl_resetn0 O 1 rst_n {$p(PSU__USE__FABRIC__RST)}}
        {maxihpm0_fpd_aclk I 1 clk {$p(PSU__USE__M_AXI_GP0)}}
        {maxihpm1_fpd_aclk I 1 clk {$p(PSU__USE__M_AXI_GP1)}}
        {maxihpm0_lpd_aclk I 1 clk {$p(PSU__USE__M_AXI_GP2)}}
        {saxihp0_fpd_aclk I 1 clk {$p(PSU__USE__S_AXI_GP2)}}
        {pl_ps_irq0 I 1 intr {$p(PSU__USE__IRQ0)}}
      } \
      interfaces {
        {M_AXI_HPM0_FPD Master AXI4 $p(PSU__MAXIGP0__DATA_WIDTH) maxihpm0_fpd_aclk {$p(PSU__USE__M_AXI_GP0)}}
        {S_AXI_HP0_FPD Slave AXI4 $p(PSU__SAXIGP2__DATA_WIDTH) saxihp0_fpd_aclk {$p(PSU__USE__S_AXI_GP2)}}
      } \
      external {} \
      segments {
        {S_AXI_HP0_FPD:SAXIGP2 HP0_DDR_LOW 0x0 0x80000000}
        {S_AXI_HP0_FPD:SAXIGP2 HP0_DDR_HIGH 0x800000000 0x800000000}
        {S_AXI_HP0_FPD:SAXIGP2 HP0_QSPI 0xc0000000 0x20000000}
        {S_AXI_HP0_FPD:SAXIGP2 HP0_LPS_OCM 0xff000000 0x1000000}
      } \
      space {Data {M_AXI_HPM0_FPD {{0xa0000000 0xafffffff} {0x400000000 0x4ffffffff}}}} \
      rule {xilinx.com:bd_rule:zynq_ultra_ps_e {apply_board_preset {0 1}}}]

  dict set cells xilinx.com:ip:clk_wiz [dict create \
      families {zynq zynquplus} \
      properties [dict create \
          PRIM_SOURCE {Single_ended_clock_capable_pin {Single_ended_clock_capable_pin Differential_clock_capable_pin Global_buffer No_buffer}} \
          CLKOUT1_REQUESTED_OUT_FREQ [list 100 $number] \
          USE_LOCKED {true {true false}} \
          USE_RESET {true {true false}} \
          RESET_TYPE {ACTIVE_HIGH {ACTIVE_HIGH ACTIVE_LOW}} \
          RESET_PORT {reset {reset resetn}}] \
      pins {
        {clk_in1 I 1 clk}
        {clk_out1 O 1 clk}
        {locked O 1 data {$p(USE_LOCKED)}}
        {resetn I 1 rst_n {$p(USE_RESET) && $p(RESET_TYPE) eq "ACTIVE_LOW" && $p(RESET_PORT) eq "resetn"}}
        {reset I 1 rst {$p(USE_RESET) && $p(RESET_TYPE) eq "ACTIVE_HIGH" && $p(RESET_PORT) eq "reset"}}
      }]

  dict set cells xilinx.com:ip:proc_sys_reset [dict create \
      families {zynq zynquplus} \
      properties {C_EXT_RESET_HIGH {0 {0 1}} C_AUX_RESET_HIGH {0 {0 1}}} \
      pins {
        {slowest_sync_clk I 1 clk}
        {ext_reset_in I 1 rst_n}
        {aux_reset_in I 1 optional}
        {mb_debug_sys_rst I 1 optional}
        {dcm_locked I 1 data}
        {mb_reset O 1 rst}
        {bus_struct_reset O 1 rst}
        {peripheral_reset O 1 rst}
        {interconnect_aresetn O 1 rst_n}
        {peripheral_aresetn O 1 rst_n}
      }]

  dict set cells xilinx.com:ip:smartconnect [dict create \
      families {zynq zynquplus} \
      properties {NUM_SI {1 {re {^([1-9]|1[0-6])$}}} NUM_MI {1 {re {^([1-9]|1[0-6])$}}}
        NUM_CLKS {1 {1 2 3 4}} HAS_ARESETN {1 {0 1}}} \
      pins {
        {aclk I 1 clk}
        {aresetn I 1 rst_n {$p(HAS_ARESETN)}}
      } \
      interfaces {
        {S00_AXI Slave any any aclk}
        {S01_AXI Slave any any aclk {$p(NUM_SI) > 1}}
        {M00_AXI Master any any aclk}
        {M01_AXI Master any any aclk {$p(NUM_MI) > 1}}
      } \
      passes 1]

  # Parts by family, and boards with what they fit.
  variable parts {xc7z020clg400-1 zynq xczu7ev-ffvc1156-2-e zynquplus
    xck26-sfvc784-2LV-c zynquplus}
  variable boards {
    www.digilentinc.com:pynq-z1:part0:1.0 xc7z020clg400-1
    tul.com.tw:pynq-z2:part0:1.0 xc7z020clg400-1
    xilinx.com:zcu104:part0:1.0 xczu7ev-ffvc1156-2-e
    xilinx.com:zcu104:part0:1.1 xczu7ev-ffvc1156-2-e
    xilinx.com:kv260_som:part0:1.3 xck26-sfvc784-2LV-c
    xilinx.com:kv260_som:part0:1.4 xck26-sfvc784-2LV-c
  }
  variable connectors {som240_1_connector xilinx.com:kv260_carrier:som240_1_connector:1.3}
  variable strategies {Performance_Explore Performance_ExplorePostRoutePhysOpt
    Performance_ExtraTimingOpt {Vivado Implementation Defaults}}

  # Signals of the aximm bus: direction at a master, and AXI4-Lite's subset.
  variable aximm {AWID O AWADDR O AWLEN O AWSIZE O AWBURST O AWLOCK O AWCACHE O
    AWPROT O AWREGION O AWQOS O AWVALID O AWREADY I WDATA O WSTRB O WLAST O
    WVALID O WREADY I BID I BRESP I BVALID I BREADY O ARID O ARADDR O ARLEN O
    ARSIZE O ARBURST O ARLOCK O ARCACHE O ARPROT O ARREGION O ARQOS O ARVALID O
    ARREADY I RID I RDATA I RRESP I RLAST I RVALID I RREADY O}
  variable needed {
    AXI4LITE {AWADDR AWVALID AWREADY WDATA WVALID WREADY BRESP BVALID BREADY
      ARADDR ARVALID ARREADY RDATA RRESP RVALID RREADY}
    AXI4 {AWADDR AWLEN AWSIZE AWBURST AWVALID AWREADY WDATA WSTRB WLAST WVALID
      WREADY BRESP BVALID BREADY ARADDR ARLEN ARSIZE ARBURST ARVALID ARREADY
      RDATA RRESP RLAST RVALID RREADY}
  }
  variable only_full {AWLEN AWSIZE AWBURST AWID WLAST BID ARLEN ARSIZE ARBURST ARID RID RLAST}
  variable bus_parameters {PROTOCOL DATA_WIDTH ADDR_WIDTH ID_WIDTH MAX_BURST_LENGTH
    NUM_READ_OUTSTANDING NUM_WRITE_OUTSTANDING SUPPORTS_NARROW_BURST
    READ_WRITE_MODE HAS_BURST HAS_WSTRB HAS_PROT}
}
