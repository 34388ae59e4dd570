# Part of Tenon, under the Apache License v2.0.
#
# Mock: options, objects with properties, projects and their files. An object is
# named "kind:name"; its properties are in state::properties.

namespace eval state {
  variable properties [dict create]   ;# object -> property -> value
  variable legal [dict create]        ;# object -> property -> pattern
  variable project ""                 ;# the open project
  variable files {}                   ;# of the open project
  variable reports {}
}

# Splits the arguments of a command: `flags` stand alone, `valued` take a value.
# Sets `flag` of the caller, option -> value (1 for flags); returns the rest.
proc options {command flags valued arguments} {
  upvar flag flag
  set flag [dict create]
  set rest {}
  for {set i 0} {$i < [llength $arguments]} {incr i} {
    set word [lindex $arguments $i]
    if {$word in $flags} {
      dict set flag $word 1
    } elseif {$word in $valued} {
      if {$i + 1 >= [llength $arguments]} {
        error "$command: $word needs a value"
      }
      dict set flag $word [lindex $arguments [incr i]]
    } elseif {[regexp {^-[a-z]} $word]} {
      error "$command: unknown option $word"
    } else {
      lappend rest $word
    }
  }
  return $rest
}

proc given {flag name {default ""}} {
  if {[dict exists $flag $name]} {
    return [dict get $flag $name]
  }
  return $default
}

# An object with the properties that it takes, name -> {default pattern}; the
# names are found whatever their case, as Vivado does.
proc newObject {object properties} {
  dict for {name description} $properties {
    lassign $description default pattern
    dict set state::properties $object [string toupper $name] $default
    dict set state::legal $object [string toupper $name] $pattern
  }
  if {![dict exists $state::legal $object]} {
    dict set state::legal $object [dict create]
  }
  return $object
}

proc legalValue {pattern value} {
  if {[lindex $pattern 0] eq "re"} {
    return [regexp [lindex $pattern 1] $value]
  }
  return [expr {$value in $pattern}]
}

proc setOne {object name value} {
  if {![dict exists $state::legal $object]} {
    error "set_property: no object '$object'"
  }
  set name [string toupper $name]
  if {![dict exists $state::legal $object $name]} {
    error "set_property: $object has no property $name"
  }
  set pattern [dict get $state::legal $object $name]
  if {![legalValue $pattern $value]} {
    error "set_property: $name of $object: '$value' is none of $pattern"
  }
  dict set state::properties $object $name $value
}

proc set_property {args} {
  if {[lindex $args 0] eq "-dict"} {
    lassign $args - pairs objects
    if {[llength $args] != 3 || [llength $pairs] % 2} {
      error "set_property -dict: expected pairs and objects"
    }
  } elseif {[llength $args] == 3} {
    lassign $args name value objects
    set pairs [list $name $value]
  } else {
    error "set_property: expected name, value, objects; found [llength $args] words"
  }
  if {[llength $objects] == 0} {
    error "set_property: no objects"
  }
  foreach object $objects {
    foreach {name value} $pairs {
      setOne $object $name $value
    }
  }
}

proc get_property {name object} {
  set name [string toupper $name]
  if {[llength $object] != 1 || ![dict exists $state::properties $object $name]} {
    error "get_property: '$object' has no property $name"
  }
  return [dict get $state::properties $object $name]
}

proc expectProject {command} {
  if {$state::project eq ""} {
    error "$command: no project is open"
  }
}

proc create_project {args} {
  set rest [options create_project {-force -in_memory} {-part} $args]
  lassign $rest name directory
  set part [given $flag -part]
  if {[llength $rest] != 2 || $part eq ""} {
    error "create_project: expected name, directory and -part"
  }
  if {![dict exists $catalogue::parts $part]} {
    error "create_project: unknown part $part"
  }
  if {$state::project ne ""} {
    error "create_project: project $state::project is open"
  }
  file mkdir $directory
  set state::files {}
  set anything {re .*}
  set state::project [newObject project:$name [dict create \
      PART [list $part [list $part]] DIRECTORY [list $directory $anything] \
      TARGET_LANGUAGE {Verilog {Verilog VHDL}} BOARD_PART [list "" $anything] \
      BOARD_CONNECTIONS [list "" $anything] IP_REPO_PATHS [list "" $anything]]]
  foreach set {sources_1 constrs_1} {
    newObject fileset:$set [dict create TOP [list "" $anything]]
  }
  run::reset $directory $name
  return $state::project
}

proc close_project {} {
  expectProject close_project
  set state::project ""
}

proc current_project {} {
  expectProject current_project
  return $state::project
}

proc current_fileset {} {
  return fileset:sources_1
}

proc add_files {args} {
  expectProject add_files
  set files [options add_files {-norecurse -force} {-fileset} $args]
  set set [given $flag -fileset sources_1]
  if {$set ni {sources_1 constrs_1} || [llength $files] == 0} {
    error "add_files: bad fileset '$set' or no files"
  }
  foreach file $files {
    if {![file isfile $file]} {
      error "add_files: no file $file"
    }
    if {$set eq "constrs_1" && [file extension $file] ne ".xdc"} {
      error "add_files: $file is no constraint file"
    }
    if {"file:$file" in $state::files} {
      error "add_files: $file is there already"
    }
    lappend state::files "file:$file"
    newObject "file:$file" [dict create USED_IN \
        {{synthesis implementation} {{synthesis implementation} {synthesis implementation out_of_context}}}]
  }
}

proc get_files {args} {
  set names [options get_files {-quiet} {} $args]
  set found {}
  foreach name $names {
    foreach file $state::files {
      if {[file tail $file] eq [file tail $name]} {
        lappend found $file
      }
    }
  }
  if {![llength $found] && ![dict exists $flag -quiet]} {
    error "get_files: no file $names"
  }
  return $found
}

proc update_compile_order {args} {
  options update_compile_order {} {-fileset} $args
  if {[given $flag -fileset sources_1] ne "sources_1"} {
    error "update_compile_order: bad fileset"
  }
  set top [get_property TOP fileset:sources_1]
  set defined {}
  set used {}
  foreach file $state::files {
    if {[file extension $file] in {.v .sv}} {
      lassign [wrapper::modules [wrapper::read [string range $file 5 end]]] here needs
      lappend defined {*}$here
      lappend used {*}$needs
    }
  }
  foreach module [lsort -unique $used] {
    if {$module ni $defined && ![string match tenon_system* $module]} {
      error "update_compile_order: no source defines '$module'"
    }
  }
  if {$top ni $defined} {
    error "update_compile_order: top '$top' is in no source"
  }
}

proc get_board_parts {args} {
  set patterns [options get_board_parts {-quiet -latest_file_version} {} $args]
  if {![dict get $::mock_options -boards]} {
    return {}
  }
  set found {}
  foreach board [lsort [dict keys $catalogue::boards]] {
    if {[string match [lindex $patterns 0] $board]} {
      lappend found $board
    }
  }
  return [expr {[dict exists $flag -latest_file_version] ? [lindex $found end] : $found}]
}

proc update_ip_catalog {args} {
  options update_ip_catalog {-rebuild -scan_changes} {} $args
  expectProject update_ip_catalog
  foreach path [get_property IP_REPO_PATHS $state::project] {
    if {![file isfile [file join $path component.xml]]} {
      error "update_ip_catalog: no component.xml in $path"
    }
  }
}
