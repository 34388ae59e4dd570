//===- tools/fpga/synthesis.cpp - Yosys -----------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// One run makes both netlists: the design is synthesised with the checked
// module kept as it is, that module is written as Verilog for simulation, and
// only then is everything flattened into the JSON that is placed. So what is
// simulated is what is placed, cell by cell; outside of it are only the top's
// PLL, reset and pads.
//
//===----------------------------------------------------------------------===//

#include "tools/fpga/board.h"
#include "tools/fpga/board_words.h"
#include "tools/fpga/flow.h"
#include "tools/fpga/reports.h"

#include "isa/files.h"
#include "isa/verilog.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

#include <algorithm>
#include <filesystem>

namespace tenon::fpga {
namespace {

namespace fs = std::filesystem;

// What differs between the families.
struct FamilyScript {
  std::string synthesis; // command, without top and options
  std::string end;       // label behind the last one that is run
  std::string pads;      // after flattening; nextpnr adds the others' itself
  std::string inferred;  // RAMs and multipliers
};

FamilyScript scriptOf(const Board &board) {
  switch (board.family()) {
  case Board::GOWIN:
    // Pads are mapped last: synth_gowin would give some to kept modules. A
    // flip-flop behind a wide multiplexer takes a LUT of its own: without
    // those `tiny` needs 4 % fewer sites.
    return {"synth_gowin -family gw2a -noiopads -nowidelut", "vout",
            "iopadmap -bits -inpad IBUF O:I -outpad OBUF I:O -toutpad TBUF "
            "~OEN:I:O -tinoutpad IOBUF ~OEN:O:I:IO",
            "SP SDPB SDPX9B DPB DPX9B SPX9 MULT9X9 MULT18X18 MULT36X36"};
  case Board::ICE40:
    return {absl::StrCat("synth_ice40 -abc9 -device ",
                         absl::StartsWith(board.device(), "up")   ? "u"
                         : absl::StartsWith(board.device(), "lp") ? "lp"
                                                                  : "hx"),
            "blif", "", "SB_RAM40_4K SB_SPRAM256KA SB_MAC16"};
  default:
    return {"synth_ecp5 -abc9", "edif", "",
            "DP16KD PDPW16KD MULT18X18D MULT9X9D"};
  }
}

std::string synthesisScript(const Design &design,
                            const std::vector<SourceFile> &files) {
  const Board &board = design.board;
  const FamilyScript family = scriptOf(board);
  std::string text = "read_verilog -sv -DSYNTHESIS";
  for (const SourceFile &file : files)
    absl::StrAppend(&text, " ", file.path);
  for (const auto &[name, value] : design.parameters)
    absl::StrAppend(&text, "\nchparam -set ", name, " ", value, " ",
                    board.top());
  absl::StrAppend(&text, "\nhierarchy -top ", board.top());
  if (checkedModule(board) != board.top())
    absl::StrAppend(&text, "\nsetattr -mod -set keep_hierarchy 1 *",
                    checkedModule(board), "*");
  absl::StrAppend(&text, "\n", family.synthesis, " -top ", board.top(),
                  " -run begin:", family.end);
  for (const std::string &option : board.synthesis_options())
    absl::StrAppend(&text, " ", option);
  absl::StrAppend(&text, "\ndelete t:$scopeinfo\nselect A:keep_hierarchy=1\n",
                  "write_verilog -noattr -selected netlist.v\nselect -clear\n",
                  "setattr -mod -unset keep_hierarchy *\nflatten\n",
                  "delete t:$scopeinfo\n", family.pads, "\nopt_clean\n",
                  "tee -q -o statistics.json stat -json\n");
  for (absl::string_view type : absl::StrSplit(family.inferred, ' '))
    absl::StrAppend(&text, "tee -q -o inferred.", type,
                    " select -list t:", type, "\n");
  absl::StrAppend(&text, "write_json design.json\n");
  return text;
}

// Package first. Files of the user's stand in a folder of their own.
absl::StatusOr<std::vector<SourceFile>> sourcesOf(const Design &design) {
  std::vector<SourceFile> files{
      {"tenon_pkg.sv", isa::verilogPackage(design.layout)}};
  for (const std::string &glob : design.board.sources()) {
    auto found = hardwareFiles(glob);
    if (!found.ok())
      return absl::Status(found.status().code(),
                          absl::StrCat("board ", design.board.name(), ": ",
                                       found.status().message()));
    for (SourceFile &file : *found) {
      if (fs::path(file.path).is_absolute())
        file.path = "board/" + fs::path(file.path).filename().string();
      if (!isPlainPath(file.path))
        return absl::InvalidArgumentError(absl::StrCat(
            "board ", design.board.name(), ": the name of source file '",
            file.path, "' has more than letters, digits, '.', '_' and '-'"));
      const fs::path name = fs::path(file.path).filename();
      if (name == "tenon_pkg.sv")
        continue;
      files.erase(std::remove_if(files.begin(), files.end(),
                                 [&](const SourceFile &other) {
                                   return fs::path(other.path).filename() ==
                                          name;
                                 }),
                  files.end());
      files.push_back(std::move(file));
    }
  }
  return files;
}

// Yosys names a module by its parameters; the netlist has the plain name.
std::string withPlainName(std::string netlist, const std::string &module) {
  size_t begin = 0;
  while ((begin = netlist.find("\nmodule \\", begin)) != std::string::npos) {
    begin += 8;
    std::string name = netlist.substr(begin, netlist.find(' ', begin) - begin);
    if (absl::StrContains(name, "\\" + module) &&
        absl::StartsWith(name, "\\$paramod"))
      return absl::StrReplaceAll(netlist, {{name + " ", module + " "}});
  }
  return netlist;
}

} // namespace

absl::StatusOr<StepResult> synthesise(const Design &design,
                                      const FlowOptions &options,
                                      const BuildProgress &progress,
                                      BuildReport &report) {
  const Board &board = design.board;
  auto tool = requireTool(toolsFor(board.family())[0], progress);
  if (!tool.ok())
    return tool.status();
  auto files = sourcesOf(design);
  if (!files.ok())
    return files.status();
  Step step;
  step.name = "synthesis";
  step.title = absl::StrCat("synthesis of ", design.layout.config.name(),
                            " for ", board.name());
  step.tool = *tool;
  step.limit = options.toolLimit;
  // What YoWASP's Yosys prints after its first ABC does not reach stdout.
  step.arguments = {"-Q", "-l", "yosys.log", "-s", "synthesis.ys"};
  SourceFile script{"synthesis.ys", synthesisScript(design, *files)};
  step.files = *std::move(files);
  step.files.push_back(std::move(script));
  step.outputs = {"design.json", "netlist.v", "statistics.json"};
  step.explain = [&](const std::string &directory) -> absl::Status {
    std::string errors;
    for (const char *name : {"/yosys.log", "/synthesis.log"})
      if (auto log = isa::readFile(directory + name);
          log.ok() && errors.empty())
        errors = errorsIn(*log);
    return errors.empty() ? absl::OkStatus()
                          : absl::InvalidArgumentError("synthesis: " + errors);
  };
  auto result = runStep(step, options.output, progress);
  if (!result.ok())
    return result.status();

  auto json = isa::readFile(result->file("statistics.json"));
  auto netlist = isa::readFile(result->file("netlist.v"));
  if (!json.ok() || !netlist.ok())
    return json.ok() ? netlist.status() : json.status();
  auto cells = parseStatistics(*json);
  if (!cells.ok())
    return cells.status();
  Resources used = resourcesOf(board.family(), *cells);
  report.set_stage("synthesis");
  report.set_lut(used.lut());
  report.set_ff(used.ff());
  report.set_dsp(used.dsp());
  report.set_ram(used.ram());
  report.mutable_cells()->insert(cells->begin(), cells->end());
  std::string inferred;
  for (absl::string_view type : absl::StrSplit(scriptOf(board).inferred, ' '))
    if (auto list =
            isa::readFile(result->file(absl::StrCat("inferred.", type)));
        list.ok())
      for (absl::string_view line :
           absl::StrSplit(*list, '\n', absl::SkipWhitespace()))
        absl::StrAppend(&inferred, line, " ", type, "\n");
  for (Inferred &entry : groupInferred(inferred))
    *report.add_inferred() = std::move(entry);

  report.set_netlist(options.output + "/netlist.v");
  if (absl::Status status =
          isa::writeFile(report.netlist(), withPlainName(*std::move(netlist),
                                                         checkedModule(board)));
      !status.ok())
    return status;
  return result;
}

} // namespace tenon::fpga
