//===- sim/rtl/recipe.cpp - Everything a simulator depends on -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/rtl/recipe.h"

#include "isa/content_hash.h"
#include "isa/verilog.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

#include <algorithm>
#include <cstdlib>

namespace tenon::sim {

void addCommonFlags(Recipe &recipe) {
  recipe.verilatorFlags.insert(recipe.verilatorFlags.end(),
                               {"--cc", "--prefix", recipe.prefix, "--x-assign",
                                "fast", "--noassert", "-Wno-fatal"});
  recipe.compilerFlags.insert(recipe.compilerFlags.end(),
                              {"-std=c++17", "-w", "-DVERILATOR=1", "-DVM_SC=0",
                               "-DVM_TRACE=0", "-DVM_TRACE_FST=0",
                               "-DVM_TRACE_VCD=0"});
}

void addUnrolling(Recipe &recipe) {
  recipe.verilatorFlags.insert(
      recipe.verilatorFlags.end(),
      {"--unroll-count", "100000", "--unroll-stmts", "10000000"});
}

void addAssertions(Recipe &recipe) {
  std::replace(recipe.verilatorFlags.begin(), recipe.verilatorFlags.end(),
               std::string("--noassert"), std::string("--assert"));
  recipe.compilerFlags.push_back("-DVL_USER_STOP");
}

void addSynthesisBodies(Recipe &recipe) {
  recipe.verilatorFlags.push_back("-DSYNTHESIS");
}

void addCoverage(Recipe &recipe) {
  const char *folder = std::getenv("TENON_RTL_COVERAGE");
  if (!folder || !*folder)
    return;
  // Of data as wide as vectors the first elements say enough.
  recipe.verilatorFlags.insert(
      recipe.verilatorFlags.end(),
      {"--coverage-line", "--coverage-toggle", "--coverage-max-width", "128"});
  recipe.compilerFlags.push_back("-DVM_COVERAGE=1");
  // The counters make too much code for more.
  recipe.fastFlags = {"-O1"};
  recipe.slowFlags = {"-O0"};
}

std::string onBothEdges(absl::string_view verilog) {
  return absl::StrReplaceAll(verilog, {{"@(posedge clk", "@(edge clk"}});
}

absl::StatusOr<Recipe> recipeFor(const isa::Layout &layout, Toolchain tools) {
  Recipe recipe;
  const isa::Configuration &configuration = layout.config;
  recipe.kind = "rtl";
  recipe.name = configuration.name();
  recipe.prefix = "Vtenon_top";
  recipe.harness = "sim/rtl/model.cpp";
  recipe.product = "simulator.so";
  recipe.tools = std::move(tools);

  absl::StatusOr<std::vector<SourceFile>> rtl = rtlSources();
  if (!rtl.ok())
    return rtl.status();
  recipe.files.push_back({"rtl/tenon_pkg.sv", isa::verilogPackage(layout)});
  for (SourceFile &file : *rtl)
    if (file.path != "rtl/tenon_pkg.sv")
      recipe.files.push_back({file.path, onBothEdges(file.text)});
  for (SourceFile &file : harnessSources())
    recipe.files.push_back(std::move(file));

  // The style of the RTL and these flags go together: every loop over lanes is
  // unrolled, whatever the block size.
  recipe.verilatorFlags = {"--top-module", "tenon_machine", "-O3", "-Irtl",
                           // What a reset leaves out can be random (Model).
                           "--x-initial", "unique"};
  addCommonFlags(recipe);
  addUnrolling(recipe);
  recipe.compilerFlags.insert(
      recipe.compilerFlags.end(),
      {"-fPIC", "-fvisibility=hidden",
       absl::StrCat("-DTENON_BEAT_BYTES=", layout.beatBytes),
       absl::StrCat("-DTENON_BURST_BEATS=", configuration.burst_beats())});
  recipe.linkFlags = {"-shared", "-Wl,-Bsymbolic"};
  recipe.fastFlags = {"-O3", "-march=native"};
#ifdef __x86_64__
  // Weight elements are thousands of bits wide: the widest registers simulate
  // the GEMM core a sixth faster.
  recipe.fastFlags.push_back("-mprefer-vector-width=512");
#endif
  recipe.slowFlags = {"-O1"};
  addCoverage(recipe);
  return recipe;
}

void addProbe(Recipe &recipe) {
  recipe.harness = "sim/rtl/probe/observed_model.cpp";
  for (SourceFile &file : probeSources())
    recipe.files.push_back({file.path, onBothEdges(file.text)});
}

std::string cacheKey(const Recipe &recipe) {
  isa::ContentHash hash;
  for (const std::string &text :
       {recipe.tools.verilator, recipe.tools.verilatorVersion,
        recipe.tools.verilatorRoot, recipe.tools.compiler,
        recipe.tools.compilerVersion, recipe.tools.cpu, recipe.prefix,
        recipe.harness, recipe.product, std::string(recipe.oneUnit ? "1" : "")})
    hash.add(text);
  for (const SourceFile &file : recipe.files) {
    hash.add(file.path);
    hash.add(file.text);
  }
  for (const auto *flags :
       {&recipe.verilatorFlags, &recipe.compilerFlags, &recipe.fastFlags,
        &recipe.slowFlags, &recipe.linkFlags})
    hash.add(*flags);
  return hash.hex();
}

} // namespace tenon::sim
