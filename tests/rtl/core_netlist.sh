#!/bin/bash
# Part of Tenon, under the Apache License v2.0.
#
# core_netlist.sh WRITE_PACKAGE CONFIGURATION DIRECTORY PROGRAMS MODULE: runs
# core_test with MODULE replaced by its netlist for xc7, in Yosys' models of the
# cells: what Yosys packs into a DSP48 is not always what the RTL says.
set -e
here=$(cd "$(dirname "$0")" && pwd)
write=$1 configuration=$2 directory=$3 programs=$4 module=$5
cells=$(dirname "$(dirname "$(command -v yosys)")")/share/yosys/xilinx/cells_sim.v
rm -rf "$directory/rtl"
mkdir -p "$directory/rtl"
directory=$(realpath "$directory")
cp "$here"/../../hw/rtl/*.sv "$directory/rtl"
"$write" "$configuration" > "$directory/netlist_pkg.sv"
# Yosys' scripts have words: no letter of the paths to the folder.
(cd "$directory" && yosys -q -l yosys.log -p "read_verilog -sv -DSYNTHESIS netlist_pkg.sv $(cd "$directory" && echo rtl/*.sv)
  synth_xilinx -family xc7 -flatten -noiopad -noclkbuf -nowidelut -top $module
  write_verilog -noattr -noexpr netlist.v" > /dev/null 2>&1) || { tail -20 "$directory/yosys.log"; exit 1; }
mv "$directory/netlist.v" "$directory/rtl/$module.sv"
RTL=$directory/rtl "$here/core_run.sh" "$write" "$configuration" "$directory" "$programs" \
  -Wno-fatal -Wno-lint -Wno-style --bbox-unsup "$cells"
