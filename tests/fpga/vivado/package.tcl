# Part of Tenon, under the Apache License v2.0.
#
# Mock: IP packaging. The core's interfaces are what the attributes of the top's
# ports say; save_core puts it into the catalogue of cells.

namespace eval package_state {
  variable core ""
  variable interfaces [dict create]
  variable maps [dict create]     ;# memory map -> address block -> {}
  variable spaces {}
  variable clocked [dict create]  ;# interface -> clock
  variable resets [dict create]   ;# clock -> reset
  variable checked 0
}

namespace eval ipx {}

proc ipx::package_project {args} {
  ::options ipx::package_project {-import_files -force} \
      {-root_dir -vendor -library -taxonomy -set_current -name -version} $args
  foreach needed {-root_dir -vendor -library -taxonomy} {
    if {![dict exists $flag $needed]} {
      error "ipx::package_project: $needed is missing"
    }
  }
  set top [get_property TOP fileset:sources_1]
  set source [lindex [get_files $top.v] 0]
  set ports [wrapper::ports [wrapper::read [string range $source 5 end]] $top]
  set package_state::interfaces [wrapper::interfaces $ports]
  set package_state::core core:$top
  set any {re .+}
  newObject core:$top [dict create NAME [list $top $any] \
      VERSION [list 1.0 {re {^[0-9]+\.[0-9]+$}}] DISPLAY_NAME [list $top $any] \
      DESCRIPTION [list $top $any] \
      SUPPORTED_FAMILIES [list "" {re {^(zynq|zynquplus) Production$}}] \
      VENDOR [list [dict get $flag -vendor] $any] \
      LIBRARY [list [dict get $flag -library] $any] \
      ROOT [list [dict get $flag -root_dir] $any]]
  dict for {name interface} $package_state::interfaces {
    newObject busif:$name [dict create \
        SLAVE_MEMORY_MAP_REF [list "" $any] MASTER_ADDRESS_SPACE_REF [list "" $any]]
    newObject busparam:$name/FREQ_HZ [dict create VALUE {100000000 {re .*}}]
  }
  return core:$top
}

proc ipx::current_core {} {
  if {$package_state::core eq ""} {
    error "ipx::current_core: there is none"
  }
  return $package_state::core
}

proc ipx::get_bus_interfaces {args} {
  set names [::options ipx::get_bus_interfaces {-quiet} {-of_objects} $args]
  foreach name $names {
    if {![dict exists $package_state::interfaces $name]} {
      error "ipx::get_bus_interfaces: the core has no interface $name"
    }
  }
  return [lmap name $names {string cat busif: $name}]
}

proc ipx::get_bus_parameters {args} {
  set name [::options ipx::get_bus_parameters {-quiet} {-of_objects} $args]
  set object busparam:[string range [given $flag -of_objects] 6 end]/$name
  return [expr {[dict exists $state::legal $object] ? [list $object] : {}}]
}

proc ipx::remove_bus_parameter {name interface} {
  set object busparam:[string range $interface 6 end]/$name
  if {![dict exists $state::legal $object]} {
    error "ipx::remove_bus_parameter: $interface has no $name"
  }
  dict unset state::legal $object
}

proc ipx::get_memory_maps {args} {
  ::options ipx::get_memory_maps {-quiet} {-of_objects} $args
  return {}
}

proc ipx::get_address_spaces {args} {
  ::options ipx::get_address_spaces {-quiet} {-of_objects} $args
  return {}
}

proc ipx::remove_memory_map {name core} {}
proc ipx::remove_address_space {name core} {}

proc ipx::add_memory_map {name core} {
  dict set package_state::maps $name [dict create]
  return map:$name
}

proc ipx::add_address_block {name map} {
  set map [string range $map 4 end]
  if {![dict exists $package_state::maps $map]} {
    error "ipx::add_address_block: no map $map"
  }
  dict set package_state::maps $map $name {}
  return [newObject block:$map/$name {BASE_ADDRESS {0 {re {^[0-9]+$}}}
    RANGE {0 {re {^[0-9]+$}}} WIDTH {32 {32 64}}
    USAGE {register {register memory}}}]
}

proc ipx::add_address_space {name core} {
  lappend package_state::spaces $name
  return [newObject space:$name {RANGE {0 {re {^([0-9]+|[0-9]+[KMGTPE])$}}} WIDTH {32 {re {^[0-9]+$}}}
    MASTER_ADDRESS_SPACE_REF {{} {re .*}}}]
}

proc ipx::associate_bus_interfaces {args} {
  ::options ipx::associate_bus_interfaces {} {-busif -clock -reset} $args
  set clock [given $flag -clock]
  foreach name [list $clock [given $flag -busif $clock] [given $flag -reset $clock]] {
    if {![dict exists $package_state::interfaces $name]} {
      error "ipx::associate_bus_interfaces: the core has no interface $name"
    }
  }
  if {[dict exists $flag -busif]} {
    dict set package_state::clocked [dict get $flag -busif] $clock
  }
  if {[dict exists $flag -reset]} {
    dict set package_state::resets $clock [dict get $flag -reset]
  }
}

proc ipx::create_xgui_files {core} {}
proc ipx::update_checksums {core} {}

proc ipx::check_integrity {core} {
  dict for {name interface} $package_state::interfaces {
    if {[dict get $interface vlnv] ne "xilinx.com:interface:aximm:1.0"} {
      continue
    }
    if {![dict exists $package_state::clocked $name]} {
      error "ipx::check_integrity: interface $name has no clock"
    }
    set clock [dict get $package_state::clocked $name]
    if {![dict exists $package_state::resets $clock]} {
      error "ipx::check_integrity: clock $clock has no reset"
    }
    set attribute [dict get $package_state::interfaces $clock parameters ASSOCIATED_BUSIF]
    if {$name ni [split $attribute :]} {
      error "ipx::check_integrity: ASSOCIATED_BUSIF of $clock leaves out $name"
    }
    if {[dict get $interface mode] eq "Slave"} {
      set map [get_property SLAVE_MEMORY_MAP_REF busif:$name]
      if {![dict exists $package_state::maps $map] || ![dict size [dict get $package_state::maps $map]]} {
        error "ipx::check_integrity: slave $name has no memory map"
      }
    } else {
      set space [get_property MASTER_ADDRESS_SPACE_REF busif:$name]
      if {$space ni $package_state::spaces} {
        error "ipx::check_integrity: master $name has no address space"
      }
    }
  }
  if {[get_property SUPPORTED_FAMILIES $core] eq ""} {
    error "ipx::check_integrity: no family"
  }
  set package_state::checked 1
}

# The core as a cell of the catalogue.
proc ipx::save_core {core} {
  if {!$package_state::checked} {
    error "ipx::save_core: the core was not checked"
  }
  set cell [dict create families [lindex [get_property SUPPORTED_FAMILIES $core] 0] \
      properties {}]
  dict for {name interface} $package_state::interfaces {
    set signals [dict get $interface signals]
    lassign [lindex [dict values $signals] 0] port direction width
    set parameters [expr {[dict exists $interface parameters] ? [dict get $interface parameters] : {}}]
    switch [dict get $interface vlnv] {
      xilinx.com:signal:clock:1.0 {dict lappend cell pins [list $port I 1 clk]}
      xilinx.com:signal:reset:1.0 {
        set low [expr {[dict get $parameters POLARITY] eq "ACTIVE_LOW"}]
        dict lappend cell pins [list $port I 1 [expr {$low ? "rst_n" : "rst"}]]
      }
      xilinx.com:signal:interrupt:1.0 {dict lappend cell pins [list $port O 1 intr]}
      default {
        set mode [dict get $interface mode]
        dict lappend cell interfaces [list $name $mode [dict get $parameters PROTOCOL] \
            [dict get $parameters DATA_WIDTH] [dict get $package_state::clocked $name]]
        if {$mode eq "Slave"} {
          set map [get_property SLAVE_MEMORY_MAP_REF busif:$name]
          foreach block [dict keys [dict get $package_state::maps $map]] {
            dict lappend cell segments [list $name $block 0x0 \
                [get_property RANGE block:$map/$block]]
          }
        } else {
          dict set cell space [get_property MASTER_ADDRESS_SPACE_REF busif:$name] \
              [list $name {{0 0xffffffffffffffff}}]
        }
      }
    }
  }
  set vlnv [join [lmap p {VENDOR LIBRARY NAME VERSION} {get_property $p $core}] :]
  dict set catalogue::cells $vlnv $cell
  set root [get_property ROOT $core]
  file mkdir $root
  close [open [file join $root component.xml] w]
}
