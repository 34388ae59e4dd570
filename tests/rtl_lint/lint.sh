#!/usr/bin/env bash
# lint.sh verilator|bridge|yosys WRITE_PACKAGE CONFIG RTL_FOLDER OUT_FOLDER
# lint.sh TOP:CELLS ...: a board's top, with the models of its vendor's cells
# Reads the whole machine in one configuration; any warning or error fails.
set -euo pipefail
tool=$1 write_package=$2 config=$3 rtl=$4 out=$5
here=$(dirname "$0") hw=$rtl/..
package=$out/$tool.$config.sv
"$write_package" "$config" >"$package"
case $tool in
  verilator)
    # The package has every number of the configuration; a design needs not use
    # each of them.
    verilator --lint-only -Wall -Wno-UNUSEDPARAM -Wno-DECLFILENAME --top-module tenon_top "$package" "$rtl"/*.sv ;;
  bridge)
    for parameters in "-GMemoryBytes=40960" "-GMemoryBytes=65536 -GUseSpi=1"; do
      verilator --lint-only -Wall -Wno-UNUSEDPARAM -Wno-DECLFILENAME --top-module bridge_top $parameters \
        "$package" "$rtl"/*.sv "$hw"/bridge/*.sv
    done ;;
  *:*)
    top=${tool%:*}
    board=("$hw/boards/$top"/*.sv)
    # A board's file stands for that of the same name.
    others=()
    for file in "$rtl"/*.sv "$hw"/bridge/*.sv; do
      [ -e "$hw/boards/$top/$(basename "$file")" ] || others+=("$file")
    done
    case ${tool#*:} in
      ice40) cells=("$here"/ice40.sv "$here"/../bridge/spram_model.sv) ;;
      *) cells=("$hw/boards/cells/${tool#*:}.v") ;;
    esac
    verilator --lint-only -Wall -Wno-UNUSEDPARAM -Wno-DECLFILENAME --top-module "$top" "$here"/boards.vlt \
      "${cells[@]}" "$package" "${others[@]}" "${board[@]}" ;;
  yosys)
    yosys -q -p "read_verilog -sv $package $(echo "$rtl"/*.sv "$hw"/bridge/*.sv); hierarchy -check -top bridge_top; proc; check -assert" ;;
esac
