# Part of Tenon, under the Apache License v2.0.
#
# Mock: address segments and spaces of the block design, and what may be assigned
# where.

# Segments by their path: cell/port/segment or, where the port has another name
# for its segments, cell/that/segment.
proc design::segments {} {
  set segments [dict create]
  foreach cell [dict keys $design::cells] {
    foreach item [design::items $cell segments] {
      lassign $item port name base size
      lassign [split $port :] interface alias
      set path $cell/[expr {$alias eq "" ? $interface : $alias}]/$name
      dict set segments $path [list $cell/$interface $base $size]
    }
  }
  return $segments
}

proc get_bd_addr_segs {args} {
  set patterns [options get_bd_addr_segs {-quiet} {} $args]
  set found {}
  foreach path [dict keys [design::segments]] {
    if {[string match [string trimleft [lindex $patterns 0] /] $path]} {
      lappend found segment:$path
    }
  }
  if {![llength $found] && ![dict exists $flag -quiet]} {
    error "get_bd_addr_segs: no segment $patterns"
  }
  return $found
}

proc design::spaceOf {path} {
  lassign [split [string trimleft $path /] /] cell name
  set description [dict get $catalogue::cells [dict get $design::cells $cell]]
  if {![dict exists $description space $name]} {
    error "no address space $path"
  }
  return [dict get $description space $name]
}

proc get_bd_addr_spaces {path} {
  design::spaceOf $path
  return aspace:[string trimleft $path /]
}

proc assign_bd_address {args} {
  set segments [options assign_bd_address {-force} {-offset -range -target_address_space} $args]
  foreach needed {-offset -range -target_address_space} {
    if {![dict exists $flag $needed]} {
      error "assign_bd_address: $needed is missing"
    }
  }
  if {[llength $segments] != 1 || ![string match segment:* $segments]} {
    error "assign_bd_address: expected one segment, found '$segments'"
  }
  set segment [string range $segments 8 end]
  set space [string range [dict get $flag -target_address_space] 7 end]
  set offset [expr {[dict get $flag -offset]}]
  set range [expr {[dict get $flag -range]}]
  lassign [dict get [design::segments] $segment] port base size
  if {$range < 4096 || $range & ($range - 1) || $offset % $range} {
    error "assign_bd_address: [format 0x%x $range] bytes at [format 0x%x $offset]\
        are no power of two, or not aligned to it"
  }
  if {$range > $size} {
    error "assign_bd_address: $segment has only [format 0x%x [expr {$size}]] bytes"
  }
  # DRAM stands where the processor has it.
  if {$base != 0 || [string match *DDR* $segment]} {
    if {$offset < $base || $offset + $range > $base + $size} {
      error "assign_bd_address: $segment is not at [format 0x%x $offset]"
    }
  }
  if {[dict exists $design::assigned $space]} {
    dict for {other place} [dict get $design::assigned $space] {
      lassign $place first bytes
      if {$offset < $first + $bytes && $first < $offset + $range} {
        error "assign_bd_address: $segment overlaps $other in $space"
      }
    }
  }
  dict set design::assigned $space $segment [list $offset $range]
}

proc exclude_bd_addr_seg {args} {
  set segments [options exclude_bd_addr_seg {} {-target_address_space} $args]
  set space [string range [given $flag -target_address_space] 7 end]
  foreach segment $segments {
    dict lappend design::excluded $space [string range $segment 8 end]
  }
}
