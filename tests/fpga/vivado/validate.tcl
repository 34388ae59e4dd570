# Part of Tenon, under the Apache License v2.0.
#
# Mock: what must hold of the whole block design: drivers, clocks, resets,
# interrupts, and an address map that covers what each master reaches.

proc regenerate_bd_layout {} {}

proc save_bd_design {} {
  if {!$design::valid} {
    error "save_bd_design: the design was not validated"
  }
}

# Slave interfaces behind a master, through interconnects.
proc design::reach {master} {
  if {![dict exists $design::links $master]} {
    return {}
  }
  set other [dict get $design::links $master]
  lassign [split $other /] cell
  if {![dict exists $catalogue::cells [dict get $design::cells $cell] passes]} {
    return [list $other]
  }
  set found {}
  foreach item [design::items $cell interfaces] {
    if {[lindex $item 1] eq "Master"} {
      lappend found {*}[design::reach $cell/[lindex $item 0]]
    }
  }
  return $found
}

proc design::clockOf {interface} {
  lassign [split $interface /] cell
  set clock $cell/[lindex [design::find interfaces $interface] 4]
  return [dict get $design::driver_of $clock]
}

proc design::checkAddresses {} {
  set segments [design::segments]
  foreach cell [dict keys $design::cells] {
    set description [dict get $catalogue::cells [dict get $design::cells $cell]]
    if {![dict exists $description space]} {
      continue
    }
    dict for {name ports} [dict get $description space] {
      set space $cell/$name
      set reached {}
      dict for {port windows} $ports {
        foreach slave [design::reach $cell/$port] {
          dict for {segment place} $segments {
            if {[lindex $place 0] ne $slave} {
              continue
            }
            lappend reached $segment
            if {[dict exists $design::assigned $space $segment]} {
              lassign [dict get $design::assigned $space $segment] offset range
              set inside 0
              foreach window $windows {
                lassign $window first last
                if {$offset >= $first && $offset + $range - 1 <= $last} {
                  set inside 1
                }
              }
              if {!$inside} {
                error "validate_bd_design: $segment at [format 0x%x $offset] is\
                    outside of what $cell/$port reaches"
              }
            } elseif {![dict exists $design::excluded $space] ||
                $segment ni [dict get $design::excluded $space]} {
              error "validate_bd_design: $segment is neither assigned in $space\
                  nor excluded"
            }
          }
        }
      }
      if {![llength $reached]} {
        error "validate_bd_design: $space reaches nothing"
      }
      if {![dict exists $design::assigned $space]} {
        error "validate_bd_design: $space has no segment"
      }
      foreach segment [dict keys [dict get $design::assigned $space]] {
        if {$segment ni $reached} {
          error "validate_bd_design: $segment is assigned in $space, which does\
              not reach it"
        }
      }
    }
  }
}

# Every AXI cell's resets are released on the clock that its interfaces use.
proc design::checkReset {cell} {
  foreach item [design::items $cell pins] {
    lassign $item name direction - kind
    if {$direction ne "I" || $kind ni {rst rst_n} || ![llength [design::items $cell interfaces]]} {
      continue
    }
    set source [dict get $design::driver_of $cell/$name]
    lassign [split $source /] reset
    if {[dict get $design::cells $reset] ne "xilinx.com:ip:proc_sys_reset"} {
      error "validate_bd_design: reset $cell/$name comes from $source, which is on no clock"
    }
    set clock [dict get $design::driver_of $reset/slowest_sync_clk]
    foreach interface [design::items $cell interfaces] {
      set path $cell/[lindex $interface 0]
      if {[design::clockOf $path] ne $clock} {
        error "validate_bd_design: $cell/$name belongs to clock $clock, $path to another"
      }
    }
  }
}

proc validate_bd_design {} {
  foreach cell [dict keys $design::cells] {
    foreach item [design::items $cell pins] {
      lassign $item name direction - kind
      if {$direction eq "I" && $kind ne "optional" && ![dict exists $design::driver_of $cell/$name]} {
        error "validate_bd_design: input $cell/$name has no driver"
      }
    }
    set vlnv [dict get $design::cells $cell]
    if {[dict exists $catalogue::cells $vlnv external] &&
        [llength [dict get $catalogue::cells $vlnv external]] && $cell ni $design::external} {
      error "validate_bd_design: [dict get $catalogue::cells $vlnv external] of $cell\
          are not external"
    }
  }
  foreach cell [dict keys $design::cells] {
    foreach item [design::items $cell interfaces] {
      set path $cell/[lindex $item 0]
      if {![dict exists $design::links $path]} {
        error "validate_bd_design: interface $path is not connected"
      }
      set other [dict get $design::links $path]
      if {[design::clockOf $path] ne [design::clockOf $other]} {
        error "validate_bd_design: $path and $other are on different clocks"
      }
    }
    design::checkReset $cell
  }
  # The processor hears of the end of a launch.
  foreach cell [dict keys $design::cells] {
    foreach item [design::items $cell pins] {
      if {[lindex $item 1] eq "O" && [lindex $item 3] eq "intr" &&
          ![dict exists $design::nets $cell/[lindex $item 0]]} {
        error "validate_bd_design: interrupt $cell/[lindex $item 0] goes nowhere"
      }
    }
  }
  design::checkAddresses
  set design::valid 1
}
