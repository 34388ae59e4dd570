# Part of Tenon, under the Apache License v2.0.
#
# Runs, reports and the files for the board. A bitstream is written only where
# every path meets its time.

proc tenonRun {name step jobs} {
  if {$step eq ""} {
    launch_runs $name -jobs $jobs
  } else {
    launch_runs $name -to_step $step -jobs $jobs
  }
  wait_on_run $name
  set run [get_runs $name]
  if {[get_property PROGRESS $run] ne "100%"} {
    error "run $name failed: [get_property STATUS $run]; its log is\
        [get_property DIRECTORY $run]/runme.log"
  }
}

proc tenonSynthesise {directory jobs} {
  tenonRun synth_1 "" $jobs
  open_run synth_1
  report_utilization -hierarchical \
      -file [file join $directory out utilization_synthesis.txt]
  close_design
}

proc tenonImplement {directory settings jobs} {
  set_property strategy [dict get $settings strategy] [get_runs impl_1]
  # All steps of the strategy, those behind routing too, but no bitstream yet.
  tenonRun impl_1 "" $jobs
  open_run impl_1
  report_utilization -file [file join $directory out utilization.txt]
  report_utilization -hierarchical \
      -file [file join $directory out utilization_hierarchy.txt]
  report_timing_summary -max_paths 10 -report_unconstrained \
      -file [file join $directory out timing.txt]
  report_drc -file [file join $directory out drc.txt]
  tenonCheckTiming $directory $settings
  close_design
  tenonRun impl_1 write_bitstream $jobs
  tenonExport $directory $settings
}

# Slack of set-up, hold and pulse width, and that the accelerator's clock is the
# one that was asked for: an unconstrained clock has no slack to miss.
proc tenonCheckTiming {directory settings} {
  set period [get_property PERIOD \
      [get_clocks -of_objects [get_pins -hierarchical -filter {NAME =~ */tenon/aclk}]]]
  set asked [expr {1000.0 / [dict get $settings clock_mhz]}]
  if {$period eq "" || abs($period - $asked) > 0.01 * $asked} {
    error "the accelerator's clock has a period of '$period' ns, expected\
        [format %.3f $asked]"
  }
  set run [get_runs impl_1]
  foreach {name property} {setup STATS.WNS hold STATS.WHS pulse STATS.TPWS} {
    set slack [get_property $property $run]
    puts "tenon: $name slack $slack ns"
    if {![string is double -strict $slack]} {
      error "no $name slack: nothing is constrained; see\
          [file join $directory out timing.txt]"
    }
    if {$slack < 0} {
      error "timing is missed: $name slack $slack ns; see\
          [file join $directory out timing.txt]"
    }
  }
}

# out/: tenon.bit and tenon.hwh for PYNQ, tenon.bit.bin for Linux's FPGA
# manager, tenon.xsa for Vitis and PetaLinux.
proc tenonExport {directory settings} {
  set out [file join $directory out]
  set run [get_property DIRECTORY [get_runs impl_1]]
  file copy -force [file join $run tenon_system_wrapper.bit] \
      [file join $out tenon.bit]
  file copy -force [file join $directory project tenon.gen sources_1 bd \
      tenon_system hw_handoff tenon_system.hwh] [file join $out tenon.hwh]
  write_hw_platform -fixed -include_bit -force -file [file join $out tenon.xsa]
  set image [open [file join $out tenon.bif] w]
  puts $image "all: { [file join $out tenon.bit] }"
  close $image
  # It writes beside its input, and notes to standard error.
  exec -ignorestderr bootgen -image [file join $out tenon.bif] \
      -arch [dict get $settings bootgen_arch] -process_bitstream bin -w on
}
