# Part of Tenon, under the Apache License v2.0.
#
# The processor of a Zynq UltraScale+: its cell and the names that
# block_design.tcl connects. HPM0_FPD (inside: M_AXI_GP0) reaches the registers;
# HP0_FPD (inside: S_AXI_GP2), AXI4 and 32, 64 or 128 bits wide, reaches DRAM
# without the caches.

# `dram` is a pattern: what follows LOW in its name differs between families.
proc tenonProcessor {settings preset} {
  set cell [create_bd_cell -type ip -vlnv xilinx.com:ip:zynq_ultra_ps_e ps]
  if {$preset} {
    apply_bd_automation -rule xilinx.com:bd_rule:zynq_ultra_ps_e \
        -config {apply_board_preset "1"} $cell
  }
  set properties {}
  dict for {name value} [dict get $settings processor] {
    lappend properties CONFIG.$name $value
  }
  lappend properties \
      CONFIG.PSU__USE__M_AXI_GP0 1 \
      CONFIG.PSU__MAXIGP0__DATA_WIDTH 32 \
      CONFIG.PSU__USE__M_AXI_GP1 0 \
      CONFIG.PSU__USE__M_AXI_GP2 0 \
      CONFIG.PSU__USE__S_AXI_GP2 1 \
      CONFIG.PSU__SAXIGP2__DATA_WIDTH [dict get $settings port_bits] \
      CONFIG.PSU__FPGA_PL0_ENABLE 1 \
      CONFIG.PSU__CRL_APB__PL0_REF_CTRL__FREQMHZ \
      [dict get $settings fabric_clock_mhz] \
      CONFIG.PSU__USE__FABRIC__RST 1 \
      CONFIG.PSU__USE__IRQ0 1
  set_property -dict $properties $cell
  return [dict create \
      clock ps/pl_clk0 \
      reset ps/pl_resetn0 \
      registers ps/M_AXI_HPM0_FPD \
      register_clock ps/maxihpm0_fpd_aclk \
      memory ps/S_AXI_HP0_FPD \
      memory_clock ps/saxihp0_fpd_aclk \
      interrupt ps/pl_ps_irq0 \
      register_space ps/Data \
      memory_segments ps/SAXIGP2 \
      dram HP0_DDR_LOW*]
}
