# Part of Tenon, under the Apache License v2.0.
#
# Reads the generated Verilog as far as IP packaging does: the modules of a file
# and what they instantiate; the ports of the wrapper with their interface
# attributes, checked against the bus definitions.

namespace eval wrapper {}

proc wrapper::read {path} {
  set file [open $path]
  set text [::read $file]
  close $file
  return [regsub -all {//[^\n]*} $text ""]
}

# Names of modules and packages that a file defines, and of those it uses.
proc wrapper::modules {text} {
  set defined {}
  foreach {- name} [regexp -all -inline {\m(?:module|package)\s+(\w+)} $text] {
    lappend defined $name
  }
  set used {}
  foreach {- name} [regexp -all -inline {\n\s+(\w+)\s+u_\w+\s*\(} $text] {
    lappend used $name
  }
  foreach {- name} [regexp -all -inline {\n\s+(\w+)\s+#\(} $text] {
    if {$name ne "module"} {
      lappend used $name
    }
  }
  foreach {- name} [regexp -all -inline {\m(\w+)::} $text] {
    lappend used $name
  }
  return [list $defined [lsort -unique $used]]
}

# port -> {direction width attributes...}, of module `name`.
proc wrapper::ports {text name} {
  if {![regexp "\\mmodule\\s+$name\\s*\\((.*?)\\n\\);" $text - body]} {
    error "no module $name with a list of ports"
  }
  set ports [dict create]
  set attributes {}
  while {[string trim $body] ne ""} {
    set body [string trimleft $body ", \n\t"]
    if {[regexp {^\(\*\s*(\w+)\s*=\s*"([^"]*)"\s*\*\)} $body all key value]} {
      dict set attributes $key $value
    } elseif {[regexp {^(input|output)\s+wire\s+(?:\[\s*(\d+)\s*:\s*0\s*\]\s*)?(\w+)} \
        $body all direction high port]} {
      set width [expr {$high eq "" ? 1 : $high + 1}]
      dict set ports $port \
          [list [string toupper [string index $direction 0]] $width $attributes]
      set attributes {}
    } else {
      error "port list of $name: cannot read '[string range $body 0 40]'"
    }
    set body [string range $body [string length $all] end]
  }
  return $ports
}

# interface -> {vlnv, mode, parameters, map of logical to physical, widths}.
proc wrapper::interfaces {ports} {
  set interfaces [dict create]
  dict for {port description} $ports {
    lassign $description direction width attributes
    if {![dict exists $attributes X_INTERFACE_INFO]} {
      error "port $port belongs to no interface"
    }
    if {![regexp {^(\S+) (\S+) (\S+)$} [dict get $attributes X_INTERFACE_INFO] - \
        vlnv name logical]} {
      error "port $port: X_INTERFACE_INFO is not 'VLNV NAME SIGNAL'"
    }
    if {[dict exists $interfaces $name] && [dict get $interfaces $name vlnv] ne $vlnv} {
      error "interface $name has two types"
    }
    dict set interfaces $name vlnv $vlnv
    if {[dict exists $interfaces $name signals $logical]} {
      error "interface $name: $logical is mapped twice"
    }
    dict set interfaces $name signals $logical [list $port $direction $width]
    if {[dict exists $attributes X_INTERFACE_PARAMETER]} {
      foreach entry [split [dict get $attributes X_INTERFACE_PARAMETER] ,] {
        dict set interfaces $name parameters \
            [lindex [string trim $entry] 0] [lindex [string trim $entry] 1]
      }
      if {[dict get $interfaces $name parameters XIL_INTERFACENAME] ne $name} {
        error "interface $name: XIL_INTERFACENAME differs"
      }
    }
  }
  dict for {name interface} $interfaces {
    switch [dict get $interface vlnv] {
      xilinx.com:signal:clock:1.0 {wrapper::expectOnly $name $interface CLK I}
      xilinx.com:signal:reset:1.0 {
        wrapper::expectOnly $name $interface RST I
        if {[dict get $interface parameters POLARITY] ni {ACTIVE_LOW ACTIVE_HIGH}} {
          error "reset $name: bad polarity"
        }
      }
      xilinx.com:signal:interrupt:1.0 {
        wrapper::expectOnly $name $interface INTERRUPT O
        if {[dict get $interface parameters SENSITIVITY] ni {LEVEL_HIGH EDGE_RISING}} {
          error "interrupt $name: bad sensitivity"
        }
      }
      xilinx.com:interface:aximm:1.0 {
        dict set interfaces $name mode [wrapper::checkBus $name $interface]
      }
      default {error "interface $name: unknown type [dict get $interface vlnv]"}
    }
  }
  return $interfaces
}

proc wrapper::expectOnly {name interface signal direction} {
  set signals [dict get $interface signals]
  if {[dict keys $signals] ne $signal || [lindex [dict get $signals $signal] 1] ne $direction} {
    error "interface $name: expected one port, $signal, of direction $direction"
  }
}

# Signals, directions and widths of an AXI interface; its mode.
proc wrapper::checkBus {name interface} {
  set signals [dict get $interface signals]
  set parameters [dict get $interface parameters]
  dict for {key -} $parameters {
    if {$key ni $catalogue::bus_parameters && $key ne "XIL_INTERFACENAME"} {
      error "interface $name: unknown parameter $key"
    }
  }
  set protocol [dict get $parameters PROTOCOL]
  if {![dict exists $catalogue::needed $protocol]} {
    error "interface $name: unknown protocol $protocol"
  }
  foreach signal [dict get $catalogue::needed $protocol] {
    if {![dict exists $signals $signal]} {
      error "interface $name: $signal is missing"
    }
  }
  set mode [expr {[lindex [dict get $signals AWVALID] 1] eq "O" ? "Master" : "Slave"}]
  set data [dict get $parameters DATA_WIDTH]
  set id [expr {[dict exists $parameters ID_WIDTH] ? [dict get $parameters ID_WIDTH] : 0}]
  set address [dict get $parameters ADDR_WIDTH]
  set widths [dict create WDATA $data RDATA $data WSTRB [expr {$data / 8}] \
      AWADDR $address ARADDR $address AWID $id ARID $id RID $id BID $id AWLEN 8 \
      ARLEN 8 AWSIZE 3 ARSIZE 3 AWBURST 2 ARBURST 2 AWCACHE 4 ARCACHE 4 AWPROT 3 \
      ARPROT 3 BRESP 2 RRESP 2]
  dict for {signal description} $signals {
    lassign $description port direction width
    if {![dict exists $catalogue::aximm $signal]} {
      error "interface $name: the bus has no signal $signal"
    }
    if {$protocol eq "AXI4LITE" && $signal in $catalogue::only_full} {
      error "interface $name: AXI4-Lite has no $signal"
    }
    set atMaster [dict get $catalogue::aximm $signal]
    if {($direction eq $atMaster) != ($mode eq "Master")} {
      error "interface $name: port $port has the wrong direction"
    }
    set expected [expr {[dict exists $widths $signal] ? [dict get $widths $signal] : 1}]
    if {$width != $expected} {
      error "interface $name: port $port has $width bits, expected $expected"
    }
  }
  if {$id > 0} {
    foreach signal {ARID RID AWID BID} {
      if {![dict exists $signals $signal]} {
        error "interface $name: $signal is missing"
      }
    }
  }
  return $mode
}
