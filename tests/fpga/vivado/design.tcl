# Part of Tenon, under the Apache License v2.0.
#
# Mock: the block design. Cells come from the catalogue; nets join pins, one
# driver each; interface nets join two. addresses.tcl has the address spaces,
# validate.tcl what must hold of the whole.

namespace eval design {
  variable name ""
  variable cells [dict create]      ;# cell -> vlnv
  variable nets [dict create]       ;# driver -> sinks
  variable driver_of [dict create]  ;# sink -> driver
  variable links [dict create]      ;# interface pin -> the other one
  variable assigned [dict create]   ;# space -> segment -> {offset range}
  variable excluded [dict create]   ;# space -> segments
  variable external {}
  variable valid 0
  variable generated 0
}

proc create_bd_design {name} {
  expectProject create_bd_design
  set directory [get_property DIRECTORY $state::project]
  set file [file join $directory tenon.srcs sources_1 bd $name $name.bd]
  file mkdir [file dirname $file]
  close [open $file w]
  lappend state::files file:$file
  newObject file:$file {}
  set design::name $name
}

proc create_bd_cell {args} {
  set name [options create_bd_cell {} {-type -vlnv} $args]
  set vlnv [given $flag -vlnv]
  if {[given $flag -type] ne "ip" || ![dict exists $catalogue::cells $vlnv]} {
    error "create_bd_cell: the catalogue has no '$vlnv'"
  }
  if {[dict exists $design::cells $name]} {
    error "create_bd_cell: there is a cell $name"
  }
  set cell [dict get $catalogue::cells $vlnv]
  set family [dict get $catalogue::parts [get_property PART $state::project]]
  if {$family ni [dict get $cell families]} {
    error "create_bd_cell: $vlnv is not for $family"
  }
  dict set design::cells $name $vlnv
  set properties [dict create]
  dict for {property description} [dict get $cell properties] {
    dict set properties CONFIG.$property $description
  }
  return [newObject cell:$name $properties]
}

# What the catalogue says of a cell, its conditions and widths worked out.
proc design::items {cell kind} {
  set vlnv [dict get $design::cells $cell]
  set description [dict get $catalogue::cells $vlnv]
  if {![dict exists $description $kind]} {
    return {}
  }
  foreach property [dict keys [dict get $description properties]] {
    set p($property) [get_property CONFIG.$property cell:$cell]
  }
  set items {}
  foreach item [dict get $description $kind] {
    set condition [lindex $item [expr {$kind eq "pins" ? 4 : 5}]]
    if {$condition eq "" || [expr $condition]} {
      if {$kind eq "interfaces"} {
        set item [lreplace $item 3 3 [subst -nocommands [lindex $item 3]]]
      }
      lappend items $item
    }
  }
  return $items
}

proc design::find {kind path} {
  if {![regexp {^/?(\w+)/(\w+)$} $path - cell name] || ![dict exists $design::cells $cell]} {
    error "no cell for '$path'"
  }
  foreach item [design::items $cell $kind] {
    if {[lindex $item 0] eq $name} {
      return $item
    }
  }
  error "cell $cell ([dict get $design::cells $cell]) has no '$name' among its $kind"
}

proc get_bd_pins {path} {
  design::find pins $path
  return pin:[string trimleft $path /]
}

proc get_bd_intf_pins {path} {
  design::find interfaces $path
  return intf:[string trimleft $path /]
}

proc connect_bd_net {args} {
  set pins [options connect_bd_net {} {-net} $args]
  set drivers {}
  set sinks {}
  foreach pin $pins {
    if {![string match pin:* $pin]} {
      error "connect_bd_net: '$pin' is no pin"
    }
    set path [string range $pin 4 end]
    if {[lindex [design::find pins $path] 1] eq "O"} {
      lappend drivers $path
    } else {
      lappend sinks $path
    }
  }
  if {[llength $drivers] != 1 || ![llength $sinks]} {
    error "connect_bd_net: expected one driver and its sinks, found drivers\
        '$drivers' and sinks '$sinks'"
  }
  lassign [design::find pins $drivers] - - width kind
  foreach sink $sinks {
    if {[dict exists $design::driver_of $sink]} {
      error "connect_bd_net: $sink is driven by [dict get $design::driver_of $sink] already"
    }
    lassign [design::find pins $sink] - - sink_width sink_kind
    if {$width != $sink_width} {
      error "connect_bd_net: $drivers has $width bits, $sink $sink_width"
    }
    if {$kind ne $sink_kind && $sink_kind ne "optional"} {
      error "connect_bd_net: $drivers is of kind $kind, $sink of kind $sink_kind"
    }
    dict set design::driver_of $sink $drivers
    dict lappend design::nets $drivers $sink
  }
}

proc connect_bd_intf_net {args} {
  set pins [options connect_bd_intf_net {} {-intf_net} $args]
  if {[llength $pins] != 2} {
    error "connect_bd_intf_net: expected two interfaces"
  }
  lassign [lmap pin $pins {string range $pin 5 end}] a b
  lassign [design::find interfaces $a] - mode_a protocol_a width_a
  lassign [design::find interfaces $b] - mode_b protocol_b width_b
  if {$mode_a eq $mode_b} {
    error "connect_bd_intf_net: $a and $b are both of mode $mode_a"
  }
  if {"any" ni [list $width_a $width_b] && ($width_a != $width_b || $protocol_a ne $protocol_b)} {
    error "connect_bd_intf_net: $a is $protocol_a with $width_a bits, $b\
        $protocol_b with $width_b"
  }
  foreach pin [list $a $b] {
    if {[dict exists $design::links $pin]} {
      error "connect_bd_intf_net: $pin is connected already"
    }
  }
  dict set design::links $a $b
  dict set design::links $b $a
}

proc apply_bd_automation {args} {
  set cell [options apply_bd_automation {} {-rule -config} $args]
  set name [string range $cell 5 end]
  set description [dict get $catalogue::cells [dict get $design::cells $name]]
  lassign [dict get $description rule] rule parameters
  if {[given $flag -rule] ne $rule} {
    error "apply_bd_automation: $cell has no rule [given $flag -rule]"
  }
  dict for {key value} [given $flag -config] {
    if {![dict exists $parameters $key] || $value ni [dict get $parameters $key]} {
      error "apply_bd_automation: $key '$value' is not of rule $rule"
    }
    if {$key eq "apply_board_preset" && $value && [get_property BOARD_PART $state::project] eq ""} {
      error "apply_bd_automation: the project has no board"
    }
    if {$key eq "make_external"} {
      lappend design::external $name
    }
  }
}

proc generate_target {what design} {
  if {$what ne "all" || ![string match *.bd $design] || !$design::valid} {
    error "generate_target: expected all targets of a valid design"
  }
  set folder [file join [get_property DIRECTORY $state::project] tenon.gen \
      sources_1 bd $design::name hw_handoff]
  file mkdir $folder
  close [open [file join $folder $design::name.hwh] w]
  set design::generated 1
}

proc make_wrapper {args} {
  options make_wrapper {-top -import -force} {-files} $args
  if {!$design::generated || ![string match *.bd [given $flag -files]] || ![dict exists $flag -top]} {
    error "make_wrapper: expected a generated design and -top"
  }
  set name ${design::name}_wrapper
  set file [file join [get_property DIRECTORY $state::project] tenon.srcs $name.v]
  set out [open $file w]
  puts $out "module $name;\n  $design::name ${design::name}_i();\nendmodule"
  close $out
  if {[dict exists $flag -import]} {
    add_files -norecurse $file
  }
  return $file
}

proc design::describe {} {
  puts "cells: [join [lsort [dict keys $design::cells]]]"
  dict for {driver sinks} $design::nets {
    puts "net $driver: [join [lsort $sinks]]"
  }
  dict for {a b} $design::links {
    if {[lindex [design::find interfaces $a] 1] eq "Master"} {
      puts "bus $a: $b ([lindex [design::find interfaces $a] 3], [lindex [design::find interfaces $b] 3] bits)"
    }
  }
  dict for {space segments} $design::assigned {
    dict for {segment place} $segments {
      puts "address $space: $segment at [format 0x%x [lindex $place 0]], [format 0x%x [lindex $place 1]] bytes"
    }
  }
}
