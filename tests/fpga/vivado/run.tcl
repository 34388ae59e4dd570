# Part of Tenon, under the Apache License v2.0.
#
# Mock: runs, reports and exports. A run leaves the files that Vivado leaves.

namespace eval run {
  variable launched [dict create]
  variable open ""
  variable steps {opt_design place_design route_design write_bitstream}
}

proc run::reset {directory project} {
  set slack [dict get $::mock_options -slack]
  foreach name {synth_1 impl_1} {
    set folder [file join $directory $project.runs $name]
    file mkdir $folder
    newObject run:$name [dict create PROGRESS {0% {}} STATUS {{Not started} {}} \
        DIRECTORY [list $folder {}] STRATEGY [list {Vivado Implementation Defaults} \
        $catalogue::strategies] STATS.WNS {"" {}} STATS.WHS {"" {}} STATS.TPWS {"" {}}]
    dict set run::launched $name ""
  }
}

proc get_runs {name} {
  if {![dict exists $run::launched $name]} {
    error "get_runs: no run $name"
  }
  return run:$name
}

proc launch_runs {args} {
  set names [options launch_runs {} {-jobs -to_step} $args]
  set step [given $flag -to_step]
  if {$step ne "" && ($names ne "impl_1" || $step ni $run::steps)} {
    error "launch_runs: run $names has no step '$step'"
  }
  if {![string is integer -strict [given $flag -jobs 1]]} {
    error "launch_runs: -jobs [given $flag -jobs] is no number"
  }
  get_runs $names
  if {$names eq "synth_1"} {
    if {[get_property TOP fileset:sources_1] ne "${design::name}_wrapper" || !$design::generated} {
      error "launch_runs: the top is not the wrapper of a generated design"
    }
  } elseif {[get_property PROGRESS run:synth_1] ne "100%"} {
    error "launch_runs: synth_1 is not done"
  }
  if {$step eq "write_bitstream" && $run::open ne ""} {
    error "launch_runs: a design is open"
  }
  dict set run::launched $names [expr {$step eq "" ? "all" : $step}]
}

proc wait_on_run {name} {
  set step [dict get $run::launched $name]
  if {$step eq ""} {
    error "wait_on_run: $name was not launched"
  }
  dict set state::properties run:$name PROGRESS 100%
  dict set state::properties run:$name STATUS "$step Complete!"
  if {$name eq "impl_1"} {
    dict set state::properties run:$name STATS.WNS [dict get $::mock_options -slack]
    dict set state::properties run:$name STATS.WHS 0.03
    dict set state::properties run:$name STATS.TPWS 0.0
  }
  if {$step eq "write_bitstream"} {
    set file [file join [get_property DIRECTORY run:$name] ${design::name}_wrapper.bit]
    close [open $file w]
  }
}

proc open_run {name} {
  if {[get_property PROGRESS [get_runs $name]] ne "100%" || $run::open ne ""} {
    error "open_run: $name is not done, or a design is open"
  }
  set run::open $name
}

proc close_design {} {
  if {$run::open eq ""} {
    error "close_design: no design is open"
  }
  set run::open ""
}

proc run::report {name flags valued arguments} {
  if {[llength [options $name $flags $valued $arguments]] || $run::open eq ""} {
    error "$name: bad arguments, or no design is open"
  }
  close [open [dict get $flag -file] w]
}

proc report_utilization {args} {
  run::report report_utilization {-hierarchical} {-file} $args
}
proc report_timing_summary {args} {
  run::report report_timing_summary {-report_unconstrained} {-file -max_paths} $args
}
proc report_drc {args} {
  run::report report_drc {} {-file} $args
}

proc get_pins {args} {
  set names [options get_pins {-hierarchical -quiet} {-filter} $args]
  if {![regexp {^NAME =~ (\S+)$} [given $flag -filter] - pattern] || [llength $names]} {
    error "get_pins: only -filter {NAME =~ pattern} is understood here"
  }
  set found {}
  foreach cell [dict keys $design::cells] {
    foreach item [design::items $cell pins] {
      set path ${design::name}_i/$cell/[lindex $item 0]
      if {[string match $pattern $path]} {
        lappend found $path
      }
    }
  }
  return $found
}

proc get_clocks {args} {
  options get_clocks {-quiet} {-of_objects} $args
  set pins [given $flag -of_objects]
  if {[llength $pins] != 1} {
    error "get_clocks: expected one pin, found '$pins'"
  }
  set path [string range $pins [string length ${design::name}_i/] end]
  set driver [dict get $design::driver_of $path]
  set cell [lindex [split $driver /] 0]
  if {[dict get $design::cells $cell] ne "xilinx.com:ip:clk_wiz"} {
    error "get_clocks: the clock of $path comes from $driver"
  }
  set megahertz [get_property CONFIG.CLKOUT1_REQUESTED_OUT_FREQ cell:$cell]
  newObject clock:$driver [dict create PERIOD [list [expr {1000.0 / $megahertz}] {}]]
  return clock:$driver
}

proc write_hw_platform {args} {
  options write_hw_platform {-fixed -include_bit -force} {-file} $args
  if {[dict get $run::launched impl_1] ne "write_bitstream"} {
    error "write_hw_platform: there is no bitstream"
  }
  close [open [dict get $flag -file] w]
}

# The one program that the scripts call.
proc exec {option program args} {
  options exec {} {-image -arch -process_bitstream -w} $args
  if {$option ne "-ignorestderr" || $program ne "bootgen" || [given $flag -process_bitstream] ne "bin" ||
      [given $flag -arch] ni {zynq zynqmp}} {
    error "exec: unexpected '$program $args'"
  }
  set image [open [given $flag -image]]
  set text [read $image]
  close $image
  if {![regexp {^all: \{ (\S+) \}\s*$} $text - bitstream] || ![file isfile $bitstream]} {
    error "bootgen: bad image or no bitstream: $text"
  }
  close [open $bitstream.bin w]
}
