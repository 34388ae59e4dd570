#!/usr/bin/env bash
# lint.sh verilator|yosys WRITE_PACKAGE CONFIG RTL_FOLDER OUT_FOLDER
# Reads the whole machine in one configuration; any warning or error fails.
set -euo pipefail
tool=$1 write_package=$2 config=$3 rtl=$4 out=$5
package=$out/$tool.$config.sv
"$write_package" "$config" >"$package"
case $tool in
  verilator)
    # The package has every number of the configuration; a design needs not use
    # each of them.
    verilator --lint-only -Wall -Wno-UNUSEDPARAM -Wno-DECLFILENAME --top-module tenon_top "$package" "$rtl"/*.sv ;;
  yosys)
    yosys -q -p "read_verilog -sv $package $(echo "$rtl"/*.sv); hierarchy -check -top tenon_top; proc; check -assert" ;;
esac
