//===- sim/rtl/recipe.h - Everything a simulator depends on -----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_RTL_RECIPE_H
#define TENON_SIM_RTL_RECIPE_H

#include "isa/isa.h"
#include "sim/rtl/process.h"
#include "sim/rtl/sources.h"
#include "sim/rtl/toolchain.h"

#include <string>
#include <vector>

namespace tenon::sim {

/// All inputs of a build. Two builds of equal recipes give equal simulators.
struct Recipe {
  std::string kind; // "rtl": its folder in the cache
  std::string name; // of the configuration or board
  Toolchain tools;
  std::vector<SourceFile> files; // in the order Verilator and compiler see them
  std::string prefix;            // of what Verilator writes
  std::string harness;           // the unit that drives the model
  bool oneUnit = true;           // what runs each cycle is compiled as a whole
  std::string product;           // file name of the simulator
  std::vector<std::string> verilatorFlags;
  std::vector<std::string> compilerFlags; // of every unit
  std::vector<std::string> fastFlags;     // of what runs each cycle
  std::vector<std::string> slowFlags;     // of the rest
  std::vector<std::string> linkFlags;
};

/// The generated package, the RTL, the harness and the flags for them.
absl::StatusOr<Recipe> recipeFor(const isa::Layout &layout, Toolchain tools);

/// Binds the probe of sim/rtl/probe to the machine.
void addProbe(Recipe &recipe);

/// Flags that every simulator has, for the recipe's prefix.
void addCommonFlags(Recipe &recipe);

/// Has Verilator unroll every loop over lanes, whatever the block size.
void addUnrolling(Recipe &recipe);

/// The assertions of the RTL are checked: the first that fails ends a launch
/// (model.cpp). Without, they cost nothing.
void addAssertions(Recipe &recipe);

/// The RTL as synthesis reads it: the other bodies of the dot product and of
/// the ALU's lanes, no assertions, and what a collision in a scratchpad gives
/// is not marked.
void addSynthesisBodies(Recipe &recipe);

/// Where $TENON_RTL_COVERAGE names a folder, the simulator counts which lines
/// run and which signals toggle (coverage_counts.h).
void addCoverage(Recipe &recipe);

/// Verilog whose clock counts cycles with both its edges: one evaluation of the
/// model is a cycle, where clocks that rise and fall need two.
std::string onBothEdges(absl::string_view verilog);

/// 32 hexadecimal digits that change with anything in the recipe but the
/// configuration's name: 128-bit FNV-1a.
std::string cacheKey(const Recipe &recipe);

} // namespace tenon::sim

#endif // TENON_SIM_RTL_RECIPE_H
