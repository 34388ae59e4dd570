# Part of Tenon, under the Apache License v2.0.
#
# The project and its block design `tenon_system`:
#
#   processor --registers--> control --> s_axil  tenon  m_axi --> data --> DRAM port
#   fabric clock --> clock --> everything; reset follows its lock; done --> interrupt
#
# Everything between the processor's ports runs on one clock, that of the
# accelerator. The address map is that of settings.tcl.

proc tenonCreateProject {directory settings} {
  create_project -force tenon [file join $directory project] \
      -part [dict get $settings part]
  tenonChooseBoard $settings
  set_property target_language Verilog [current_project]
  set_property ip_repo_paths [list [file join $directory ip]] [current_project]
  update_ip_catalog -rebuild
  add_files -norecurse -fileset constrs_1 \
      [file join $directory constraints board.xdc]
}

# The newest installed files of the board, or "".
proc tenonBoardFiles {settings} {
  set board [dict get $settings board_part]
  if {$board eq ""} {
    return ""
  }
  return [lindex [get_board_parts -quiet -latest_file_version "$board:*"] end]
}

proc tenonChooseBoard {settings} {
  set files [tenonBoardFiles $settings]
  if {$files ne ""} {
    set_property board_part $files [current_project]
    if {[llength [dict get $settings board_connections]]} {
      set_property board_connections \
          [dict get $settings board_connections] [current_project]
    }
  } elseif {[dict get $settings board_part_required]} {
    set store [lindex [split [dict get $settings board_part] :] 1]
    error "the files of board [dict get $settings board_part] are not installed;\
        in Vivado's Tcl console: xhub::refresh_catalog\
        \[xhub::get_xstores xilinx_board_store\]; xhub::install\
        \[xhub::get_xitems *$store*\]"
  } else {
    puts "tenon: the board's files are not installed; the settings of its\
        processor come from settings.tcl"
  }
}

proc tenonCreateDesign {directory settings} {
  create_bd_design tenon_system
  set ps [tenonProcessor $settings [expr {[tenonBoardFiles $settings] ne ""}]]
  create_bd_cell -type ip -vlnv tenon:accelerator:tenon_axi:1.0 tenon
  tenonClockAndReset $ps $settings
  tenonInterconnect $ps
  connect_bd_net [get_bd_pins tenon/done] [get_bd_pins [dict get $ps interrupt]]
  tenonAddressMap $ps $settings
  regenerate_bd_layout
  validate_bd_design
  save_bd_design

  set design [get_files tenon_system.bd]
  generate_target all $design
  make_wrapper -files $design -top -import
  set_property top tenon_system_wrapper [current_fileset]
  update_compile_order -fileset sources_1
}

# The accelerator's clock out of the processor's, and a reset that is released
# on it when it is stable.
proc tenonClockAndReset {ps settings} {
  set clock [create_bd_cell -type ip -vlnv xilinx.com:ip:clk_wiz clock]
  set_property -dict [list \
      CONFIG.PRIM_SOURCE No_buffer \
      CONFIG.CLKOUT1_REQUESTED_OUT_FREQ [dict get $settings clock_mhz] \
      CONFIG.USE_LOCKED true \
      CONFIG.USE_RESET true \
      CONFIG.RESET_TYPE ACTIVE_LOW \
      CONFIG.RESET_PORT resetn] $clock
  create_bd_cell -type ip -vlnv xilinx.com:ip:proc_sys_reset reset
  connect_bd_net [get_bd_pins [dict get $ps clock]] [get_bd_pins clock/clk_in1]
  connect_bd_net [get_bd_pins [dict get $ps reset]] \
      [get_bd_pins clock/resetn] [get_bd_pins reset/ext_reset_in]
  connect_bd_net [get_bd_pins clock/locked] [get_bd_pins reset/dcm_locked]
  connect_bd_net [get_bd_pins clock/clk_out1] \
      [get_bd_pins reset/slowest_sync_clk] \
      [get_bd_pins tenon/aclk] \
      [get_bd_pins [dict get $ps register_clock]] \
      [get_bd_pins [dict get $ps memory_clock]]
  connect_bd_net [get_bd_pins reset/peripheral_aresetn] \
      [get_bd_pins tenon/aresetn]
}

# SmartConnects convert width and protocol: AXI4-Lite behind the processor's
# master, AXI3 and its bursts of 16 in front of a Zynq-7000's memory port.
proc tenonInterconnect {ps} {
  foreach {name from to} [list \
      control [dict get $ps registers] tenon/s_axil \
      data tenon/m_axi [dict get $ps memory]] {
    set cell [create_bd_cell -type ip -vlnv xilinx.com:ip:smartconnect $name]
    set_property -dict {CONFIG.NUM_SI 1 CONFIG.NUM_MI 1 CONFIG.NUM_CLKS 1} $cell
    connect_bd_net [get_bd_pins clock/clk_out1] [get_bd_pins $name/aclk]
    connect_bd_net [get_bd_pins reset/interconnect_aresetn] \
        [get_bd_pins $name/aresetn]
    connect_bd_intf_net [get_bd_intf_pins $from] [get_bd_intf_pins $name/S00_AXI]
    connect_bd_intf_net [get_bd_intf_pins $name/M00_AXI] [get_bd_intf_pins $to]
  }
}

# Registers for the processor, DRAM for the accelerator, and nothing else for
# it: the other segments of the port are left out on purpose.
proc tenonAddressMap {ps settings} {
  assign_bd_address -force \
      -offset [dict get $settings register_base] \
      -range [dict get $settings register_bytes] \
      -target_address_space [get_bd_addr_spaces [dict get $ps register_space]] \
      [get_bd_addr_segs tenon/s_axil/reg0]
  set space [get_bd_addr_spaces tenon/m_axi]
  set segments [dict get $ps memory_segments]
  assign_bd_address -force \
      -offset [dict get $settings dram_base] \
      -range [dict get $settings dram_bytes] \
      -target_address_space $space \
      [get_bd_addr_segs $segments/[dict get $ps dram]]
  foreach segment [get_bd_addr_segs -quiet $segments/*] {
    if {![string match [dict get $ps dram] [file tail $segment]]} {
      exclude_bd_addr_seg -target_address_space $space $segment
    }
  }
}
