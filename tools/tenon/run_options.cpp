//===- tools/tenon/run_options.cpp - What tenon run is asked for ----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/run_options.h"
#include "tools/tenon/board_choice.h"
#include "tools/tenon/devices.h"
#include "tools/tenon/files.h"
#include "tools/tenon/host_speed.h"
#include "tools/tenon/places.h"
#include "tools/tenon/records.h"
#include "tools/tenon/shapes.h"
#include "tools/tenon/threads.h"

#include "sim/memory/memory_options.h"

#include "CLI/CLI.hpp"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace tenon::tools {

bool isFloat(isa::ElementType type) {
  const isa::ElementFormat *format = isa::findElementFormat(type);
  return format && format->kind == isa::ElementKind::Float;
}

static absl::StatusOr<runtime::Tolerance>
parseTolerance(const std::string &text) {
  std::vector<std::string> words = absl::StrSplit(text, ',');
  runtime::Tolerance tolerance;
  bool valid =
      words.size() <= 2 && absl::SimpleAtod(words[0], &tolerance.relative) &&
      (words.size() == 1 || absl::SimpleAtod(words[1], &tolerance.absolute));
  if (!valid || !(tolerance.relative >= 0) || !(tolerance.absolute >= 0))
    return absl::InvalidArgumentError(absl::StrCat(
        "'", text, "' is not RELATIVE[,ABSOLUTE], such as 1e-3,1e-5"));
  return tolerance;
}

runtime::Tolerance usualTolerance(isa::ElementType type) {
  if (isFloat(type))
    return {1e-3, 1e-7};
  return {0, type != isa::BOOL && isa::elementBytes(type) <= 2 ? 1. : 0.};
}

std::string contradiction(const RunOptions &options) {
  const bool hardware = isHardware(options.target);
  if (!options.many.empty() &&
      (!options.inputs.empty() || !options.expect.empty()))
    return "--inputs is instead of --input and --expect; give one of them";
  if (options.many.empty() && !options.expectLabels.empty())
    return "--expect-labels is of the inputs of --inputs, which is not given";
  if (options.expect.empty() && options.tolerance)
    return "--tolerance is of --expect, which is not given";
  if (isProgram(options.model) && !options.compiling.empty())
    return options.compiling + " is for compiling, and " + options.model +
           " is compiled; give it to tenon compile";
  if (options.target == "cpu" && !options.require.empty())
    return "--require=accelerator: with --target=cpu nothing runs on one";
  for (const std::string &file :
       {options.reportFiles.page, options.reportFiles.trace})
    if (file == "-")
      return "--report and --trace write files, and '-' is stdout; name one";
  if (options.reportFiles.wanted() &&
      (hardware || options.target == "cpu" ||
       absl::StartsWith(options.target, "functional")))
    return "--report and --trace need a target with time, rtl or tlm, "
           "that shows every event; " +
           options.target + " does not";
  if (hardware && !options.memory.empty())
    return "--memory is of the simulators' DRAM model; " + options.target +
           " has memory of its own";
  if (hardware && !options.dumpTensors.empty())
    return "--dump-tensors copies tensors while the network runs, which " +
           options.target + " cannot; use rtl, tlm or functional";
  return "";
}

void addRunOptions(CLI::App &verb, RunOptions &options) {
  verb.add_option("MODEL", options.model,
                  "ONNX file, TOSA in .mlir, or a compiled .tenon program")
      ->required();
  verb.add_option(
          "--target", options.target,
          "where it runs: "
          "rtl[:fault=OFFSET,jitter=SEED,powerup=SEED,awake=1] (a byte "
          "of DRAM has failed; a memory that does all AXI allows; "
          "registers that begin with random bits; no part sleeps), tlm, "
          "functional[:interleave=SEED] (engines in an order that the "
          "seed draws, stopped at a race), cpu, or a board: "
          "fpga:serial:PORT[@BAUD] or fpga:uio:DEVICE[,KEY=VALUE]")
      ->check([](const std::string &text) {
        return std::string(checkTarget(text).message());
      })
      ->capture_default_str();
  verb.add_option("--config", options.compile.config,
                  "configuration, by name or file")
      ->capture_default_str();
  addBoardOption(verb, options.board,
                 "its configuration, clock and memory; --config and --memory "
                 "take the place of the first and the last");
  addShapeOption(verb, options.compile);
  addPlaceOption(verb, options.compile);
  addRecordsOption(verb, options.compile);
  addHostSpeedOption(verb, options.compile);
  addThreadsOption(verb);
  verb.add_option("--input", options.inputs,
                  "NAME=FILE with .npy, .pb, .png, .jpg or .bmp (default: "
                  "random values)")
      ->type_name("NAME=FILE");
  verb.add_option("--inputs", options.many,
                  "many inputs: a directory of such files, whose folders are "
                  "classes, or a .npz with an array for each input (the first "
                  "axis counts) and the classes in 'labels' or 'y'; output "
                  "files and reports are of the first")
      ->type_name("DIR|FILE.npz");
  verb.add_option(
      "--expect-labels", options.expectLabels,
      "true classes of --inputs: lines 'NAME CLASS' (or with a comma or a "
      "tab), "
      "or one class a line in sorted order; a class is its number or its name "
      "in --labels");
  verb.add_option(
      "--preprocess", options.preprocess,
      "of pictures, and of uint8 arrays of --inputs: "
      "mean=N[/N/N],std=N[/N/N],color=rgb|bgr; value = (pixel - mean) / std");
  verb.add_option("--labels", options.labels,
                  "file with the name of class i in line i");
  verb.add_option("--top", options.top, "answers to show")
      ->capture_default_str();
  verb.add_option(
      "--expect", options.expect,
      "ONNX test_data_set directories: inputs, and outputs that must be as "
      "near as --tolerance says");
  verb.add_option("--check", options.check,
                  "executions to compare with: functional, cpu, none "
                  "(default for rtl and fpga: both)")
      ->delimiter(',')
      ->check(CLI::IsMember({"functional", "cpu", "none"}));
  verb.add_option_function<std::string>(
          "--tolerance",
          [&options](const std::string &text) {
            auto parsed = parseTolerance(text);
            if (!parsed.ok())
              throw CLI::ValidationError(
                  "--tolerance", std::string(parsed.status().message()));
            options.tolerance = *parsed;
          },
          "how far outputs may be from --expect, else the exit code is 3: "
          "RELATIVE[,ABSOLUTE]; |got - expected| <= ABSOLUTE + RELATIVE * "
          "|expected| (default: integers of up to 16 bits 0,1, which is one "
          "LSB; wider ones and bool 0; floats 1e-3,1e-7)")
      ->type_name("RELATIVE[,ABSOLUTE]");
  verb.add_flag("--no-verify", options.noVerify,
                "run a program that is not proved free of races and deadlock");
  addTrustOption(verb, options.trustHostCode);
  verb.add_option("--require", options.require,
                  "'accelerator': a node on the CPU is an error")
      ->check(CLI::IsMember({"accelerator"}));
  verb.add_option("--virtual-threads", options.compile.virtualThreads,
                  "scratchpad contexts that tiles alternate between, where "
                  "that many fit")
      ->check(CLI::Range(1, 8))
      ->capture_default_str();
  verb.add_option("--memory", options.memory,
                  "of the DRAM model: latency=32,bytes-per-cycle=8,"
                  "outstanding=64,dram=NAME; banks, rows and refresh of " +
                      absl::StrJoin(sim::dramPresets(), ", "))
      ->check([](const std::string &text) {
        return std::string(sim::parseMemoryTiming(text).status().message());
      });
  verb.add_option("--output-dir", options.outputDir,
                  "directory for output_I.npy and output_I.pb");
  verb.add_option("--dump-tensors", options.dumpTensors,
                  "directory for every stored tensor as NAME.npy ('/' becomes "
                  "'%')");
  verb.add_option("--seed", options.seed, "of random inputs")
      ->capture_default_str();
  verb.add_option("--json", options.json,
                  "file for the report as JSON; '-' is stdout");
  verb.add_option("--report", options.reportFiles.page,
                  "HTML file with tables and pictures (rtl, tlm)");
  verb.add_option("--trace", options.reportFiles.trace,
                  "file of every event for `tenon report` (rtl, tlm)");
}

} // namespace tenon::tools
