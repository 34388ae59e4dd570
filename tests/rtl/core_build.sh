#!/bin/bash
# Part of Tenon, under the Apache License v2.0.
#
# core_build.sh PACKAGE.sv OUTPUT-DIRECTORY [verilator flags]: builds core_test
# for the configuration of the given package. -DSYNTHESIS takes the body of the
# dot product that is meant for synthesis. RTL is the folder of the sources. With
# TENON_RTL_COVERAGE the model counts which lines run and which signals toggle.
set -e
package=$(realpath "$1"); output=$2; shift 2
here=$(cd "$(dirname "$0")" && pwd); rtl=$(realpath "${RTL:-$here/../../hw/rtl}")
mkdir -p "$output"; output=$(realpath "$output"); build=$output
if [[ $output = *[[:space:]]* ]]; then # make does not build in such a folder
  build=$(mktemp -d); trap 'rm -rf "$build"' EXIT
fi
cd "$build" # what make and the compiler are told has no letter of the other paths
{ echo "#pragma once"; echo "#include <cstdint>"; echo "namespace core { namespace sizes {"
  sed -nE 's/^ *localparam int (unsigned )?([A-Z0-9_]+) = ([0-9]+);.*/constexpr uint32_t \2 = \3;/p' "$package"
  echo "} }"; sed -nE 's/^ *localparam int (unsigned )?ACC_BANKS = ([0-9]+);.*/#define CORE_ACC_BANKS \2/p' "$package"
} > core_sizes.h
ln -sfn "$here/../.." tree; ln -sfn "$rtl" rtl_sources; ln -sf "$package" core_pkg.sv
# Clang 22 ends in its scheduler on batch4's model with -O2 and a processor without AVX-512.
fast="-O1 -march=native -std=c++17 -I. -Itree/tests/rtl -Itree" counts=
if [ -n "$TENON_RTL_COVERAGE" ]; then # of data as wide as vectors the first elements say enough
  fast=${fast/-O1/-O0} counts="--coverage-line --coverage-toggle --coverage-max-width 128"
fi
verilator --cc --exe --build -j 1 --top-module core --prefix Vcore --Mdir . -o core_test \
  -O3 --x-assign fast --x-initial unique --assert --unroll-count 100000 --unroll-stmts 10000000 $counts "$@" core_pkg.sv \
  rtl_sources/{uop_sequencer,copy,scratchpad,scratchpad_beats,acc_load,acc,multiplier,gemm_adder,gemm_tree,gemm_dot,gemm,alu_issue,alu_factors,alu_multiply,alu_execute,alu_results,alu,core_order,core}.sv \
  tree/tests/rtl/core_{test,speed,bench,program,model}.cpp \
  -MAKEFLAGS "CXX=${CXX:-clang++-22} LINK=${CXX:-clang++-22} OPT_FAST='$fast' OPT_SLOW='-O0 -std=c++17 -I. -Itree/tests/rtl -Itree' OPT_GLOBAL='$fast'"
[ "$build" = "$output" ] || cp core_test "$output"
