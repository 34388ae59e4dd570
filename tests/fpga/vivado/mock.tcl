# Part of Tenon, under the Apache License v2.0.
#
# tclsh mock.tcl PROJECT [STAGE] [-boards 0|1] [-slack NS]
#
# Runs a generated project's build.tcl against a mock of Vivado's commands, then
# reads its constraints. Prints what was built; exit status 0 only if nothing is
# wrong: every command and option exists, every file, cell, pin, interface,
# property and segment that is named exists, every input has one driver of its
# width and kind, clocks and resets belong together, the address map is whole
# and has no overlap. What the cells have is in catalogue.tcl.
#
# -boards 0: no board files are installed. -slack: what implementation reaches.

set mock_folder [file dirname [file normalize [info script]]]
foreach part {catalogue wrapper project package design addresses validate run constraints} {
  source [file join $mock_folder $part.tcl]
}

set mock_project [file normalize [lindex $argv 0]]
set mock_stage bitstream
set mock_options {-boards 1 -slack 0.5}
foreach {name value} [lrange $argv 1 end] {
  if {$name eq "-stage"} {
    set mock_stage $value
  } else {
    dict set mock_options $name $value
  }
}

rename exit mock_exit
proc exit {{code 0}} {
  mock_exit $code
}

set argv [list $mock_stage 2]
set argc 2
source [file join $mock_project build.tcl]
if {[catch {constraints::check $mock_project $mock_stage} reason]} {
  puts "ERROR: constraints: $reason"
  mock_exit 1
}
design::describe
mock_exit 0
