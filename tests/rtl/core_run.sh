#!/bin/bash
# Part of Tenon, under the Apache License v2.0.
#
# core_run.sh WRITE_PACKAGE CONFIGURATION DIRECTORY PROGRAMS [Verilator flags]:
# builds core_test for the configuration (if anything changed) and runs it.
set -e
here=$(cd "$(dirname "$0")" && pwd)
write=$1 configuration=$2 directory=$3 programs=$4; shift 4
[ -z "$TENON_RTL_COVERAGE" ] || directory=$directory.counted
mkdir -p "$directory"
"$write" "$configuration" > "$directory/tenon_pkg.sv.new"
cmp -s "$directory/tenon_pkg.sv.new" "$directory/tenon_pkg.sv" ||
  mv "$directory/tenon_pkg.sv.new" "$directory/tenon_pkg.sv"
"$here/core_build.sh" "$directory/tenon_pkg.sv" "$directory/model" "$@" > "$directory/build.log" 2>&1 ||
  { tail -40 "$directory/build.log"; exit 1; }
"$directory/model/core_test" --programs "$programs"
