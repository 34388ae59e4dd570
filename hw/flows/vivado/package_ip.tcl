# Part of Tenon, under the Apache License v2.0.
#
# The accelerator as an IP core of Vivado's catalogue, in ip/: RTL and wrapper in
# the order of settings.tcl, an AXI4-Lite slave `s_axil` with the control
# registers, an AXI4 master `m_axi` with the address space of DRAM, the interrupt
# and the clock that all of them belong to. The interfaces are named by the
# attributes in tenon_axi.v; what is added here is what attributes cannot say.

proc tenonPackageIp {directory settings} {
  set ip [file join $directory ip]
  create_project -force tenon_ip [file join $directory package] \
      -part [dict get $settings part]
  foreach source [dict get $settings sources] {
    add_files -norecurse [file join $directory $source]
  }
  add_files -norecurse -fileset constrs_1 \
      [file join $directory constraints accelerator.xdc]
  # Its clock belongs to a run of this core alone; a design brings its own.
  set_property USED_IN {synthesis implementation out_of_context} \
      [get_files accelerator.xdc]
  set_property top tenon_axi [current_fileset]
  update_compile_order -fileset sources_1

  ipx::package_project -root_dir $ip -vendor tenon -library accelerator \
      -taxonomy /Accelerators -import_files -set_current true -force
  set core [ipx::current_core]
  set_property name tenon_axi $core
  set_property version 1.0 $core
  set_property display_name "Tenon [dict get $settings configuration]" $core
  set_property description \
      "Tensor accelerator, configuration [dict get $settings configuration]" $core
  set_property supported_families \
      [list [dict get $settings device_family] Production] $core

  tenonRegisterMap $core [dict get $settings register_bytes]
  tenonMemorySpace $core
  foreach interface {s_axil m_axi} {
    ipx::associate_bus_interfaces -busif $interface -clock aclk $core
  }
  ipx::associate_bus_interfaces -clock aclk -reset aresetn $core
  # A frequency in the core would contradict the design's.
  set clock [ipx::get_bus_interfaces aclk -of_objects $core]
  if {[llength [ipx::get_bus_parameters -quiet FREQ_HZ -of_objects $clock]]} {
    ipx::remove_bus_parameter FREQ_HZ $clock
  }

  ipx::create_xgui_files $core
  ipx::update_checksums $core
  ipx::check_integrity $core
  ipx::save_core $core
  close_project
}

# One block of registers behind the slave.
proc tenonRegisterMap {core bytes} {
  set slave [ipx::get_bus_interfaces s_axil -of_objects $core]
  foreach map [ipx::get_memory_maps -quiet -of_objects $core] {
    ipx::remove_memory_map [get_property NAME $map] $core
  }
  set map [ipx::add_memory_map s_axil $core]
  set_property slave_memory_map_ref s_axil $slave
  set block [ipx::add_address_block reg0 $map]
  set_property base_address 0 $block
  set_property range [expr {$bytes}] $block
  set_property width 32 $block
  set_property usage register $block
}

# What the master sees: all 64 bits; the design says where DRAM is.
proc tenonMemorySpace {core} {
  foreach space [ipx::get_address_spaces -quiet -of_objects $core] {
    ipx::remove_address_space [get_property NAME $space] $core
  }
  set space [ipx::add_address_space m_axi $core]
  set_property range 16E $space
  set_property width 64 $space
  set_property master_address_space_ref m_axi \
      [ipx::get_bus_interfaces m_axi -of_objects $core]
}
