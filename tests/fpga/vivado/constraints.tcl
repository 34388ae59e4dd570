# Part of Tenon, under the Apache License v2.0.
#
# Mock: constraint files. They are read in an interpreter that has only the
# commands of XDC that the project uses; what they name must exist.

namespace eval constraints {
  variable clocks
}

proc constraints::ports {name} {
  foreach interface [dict values $package_state::interfaces] {
    foreach signal [dict values [dict get $interface signals]] {
      if {[lindex $signal 0] eq $name} {
        return port:$name
      }
    }
  }
  error "get_ports: the accelerator has no port '$name'"
}

proc constraints::pins {path} {
  if {![regexp {^(\w+)_i/(\w+/\w+)$} $path - design pin] || $design ne $design::name} {
    error "get_pins: no pin '$path'"
  }
  design::find pins $pin
  return pin:$path
}

proc constraints::clock {args} {
  set ports [options create_clock {} {-name -period} $args]
  set period [given $flag -period]
  if {![string is double -strict $period] || $period <= 0 || [given $flag -name] eq ""} {
    error "create_clock: expected a name and a period above 0, found '$period'"
  }
  if {[llength $ports] != 1 || ![string match port:* $ports]} {
    error "create_clock: expected one port"
  }
  lappend constraints::clocks [list [given $flag -name] $period]
}

proc constraints::falsePath {args} {
  set rest [options set_false_path {} {-from -to -through} $args]
  if {[llength $rest] || ![dict size $flag]} {
    error "set_false_path: expected -from, -to or -through"
  }
}

proc constraints::property {name value object} {
  if {$object ne "current_design" || $name ne "BITSTREAM.GENERAL.COMPRESS" || $value ni {TRUE FALSE}} {
    error "set_property: unexpected $name '$value' of $object"
  }
}

proc constraints::design {} {
  return current_design
}

proc constraints::check {project stage} {
  set constraints::clocks {}
  foreach {name stages} {accelerator.xdc {ip project synthesis bitstream}
      board.xdc {project synthesis bitstream}} {
    if {$stage in $stages} {
      set channel [open [file join $project constraints $name]]
      set text [::read $channel]
      close $channel
      constraints::evaluate $name $text
    }
  }
  if {[llength $constraints::clocks] != 1} {
    error "expected one clock, found '$constraints::clocks'"
  }
  puts "constraints: clock [lindex $constraints::clocks 0]"
}

proc constraints::evaluate {name text} {
  set reader [interp create -safe]
  foreach command [$reader eval {info commands}] {
    $reader hide $command
  }
  foreach {command implementation} {get_ports constraints::ports
      get_pins constraints::pins create_clock constraints::clock
      set_false_path constraints::falsePath set_property constraints::property
      current_design constraints::design} {
    $reader alias $command $implementation
  }
  set failed [catch {$reader eval $text} reason]
  interp delete $reader
  if {$failed} {
    error "$name: $reason"
  }
}
