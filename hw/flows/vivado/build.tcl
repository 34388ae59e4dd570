# Part of Tenon, under the Apache License v2.0.
#
# vivado -mode batch -source build.tcl [-tclargs STAGE [JOBS]]
#
# Makes everything from the files beside this script: the packaged accelerator,
# the block design, a bitstream, a hardware platform and reports in out/. STAGE
# is how far to go: ip, project, synthesis or bitstream (the default). Any
# failure, missed timing included, ends Vivado with a non-zero exit status.

set tenon_directory [file dirname [file normalize [info script]]]
foreach script {settings processor package_ip block_design implement} {
  source [file join $tenon_directory $script.tcl]
}

proc tenonBuild {directory settings stage jobs} {
  set stages {ip project synthesis bitstream}
  if {[lsearch -exact $stages $stage] < 0} {
    error "unknown stage '$stage': expected one of [join $stages {, }]"
  }
  file mkdir [file join $directory out]
  tenonPackageIp $directory $settings
  if {$stage eq "ip"} return
  tenonCreateProject $directory $settings
  tenonCreateDesign $directory $settings
  if {$stage eq "project"} return
  tenonSynthesise $directory $jobs
  if {$stage eq "synthesis"} return
  tenonImplement $directory $settings $jobs
}

set tenon_stage [expr {$argc > 0 ? [lindex $argv 0] : "bitstream"}]
set tenon_jobs [expr {$argc > 1 ? [lindex $argv 1] : 4}]
if {[catch {tenonBuild $tenon_directory $tenon $tenon_stage $tenon_jobs} reason]} {
  puts "ERROR: $reason"
  puts $errorInfo
  exit 1
}
puts "tenon: stage $tenon_stage done"
