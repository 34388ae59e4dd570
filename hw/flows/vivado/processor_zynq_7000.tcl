# Part of Tenon, under the Apache License v2.0.
#
# The processor of a Zynq-7000: its cell and the names that block_design.tcl
# connects. The general-purpose port GP0 reaches the registers; the
# high-performance port HP0, which is AXI3 (bursts of at most 16 beats, the
# interconnect splits longer ones) and 32 or 64 bits wide, reaches DRAM.

# `dram` is a pattern: what follows LOW in its name differs between families.
proc tenonProcessor {settings preset} {
  set cell [create_bd_cell -type ip -vlnv xilinx.com:ip:processing_system7 ps]
  set config {make_external "FIXED_IO, DDR"}
  if {$preset} {
    append config { apply_board_preset "1"}
  }
  apply_bd_automation -rule xilinx.com:bd_rule:processing_system7 \
      -config $config $cell
  # The board's own settings stand in for a preset that is not installed.
  set properties {}
  if {!$preset} {
    dict for {name value} [dict get $settings processor] {
      lappend properties CONFIG.$name $value
    }
  }
  lappend properties \
      CONFIG.PCW_USE_M_AXI_GP0 1 \
      CONFIG.PCW_USE_S_AXI_HP0 1 \
      CONFIG.PCW_S_AXI_HP0_DATA_WIDTH [dict get $settings port_bits] \
      CONFIG.PCW_EN_CLK0_PORT 1 \
      CONFIG.PCW_EN_RST0_PORT 1 \
      CONFIG.PCW_FPGA0_PERIPHERAL_FREQMHZ [dict get $settings fabric_clock_mhz] \
      CONFIG.PCW_USE_FABRIC_INTERRUPT 1 \
      CONFIG.PCW_IRQ_F2P_INTR 1
  set_property -dict $properties $cell
  return [dict create \
      clock ps/FCLK_CLK0 \
      reset ps/FCLK_RESET0_N \
      registers ps/M_AXI_GP0 \
      register_clock ps/M_AXI_GP0_ACLK \
      memory ps/S_AXI_HP0 \
      memory_clock ps/S_AXI_HP0_ACLK \
      interrupt ps/IRQ_F2P \
      register_space ps/Data \
      memory_segments ps/S_AXI_HP0 \
      dram HP0_DDR_LOW*]
}
