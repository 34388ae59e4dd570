//===- tools/fpga/vivado.cpp - Generated Vivado projects ------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The scripts are copied as they stand in hw/flows/vivado; what depends on
// board and configuration goes into settings.tcl, which they read. Verilog,
// constraints and device tree cannot read it, so their @NAME@ are filled in.
//
//===----------------------------------------------------------------------===//

#include "tools/fpga/vivado.h"

#include "tools/fpga/sources.h"

#include "hw/boards/proto/board.pb.h"
#include "isa/configuration.h"
#include "isa/files.h"
#include "isa/isa.h"
#include "isa/verilog.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "fmt/format.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

namespace tenon::fpga {
namespace {

namespace fs = std::filesystem;

constexpr char templates[] = "flows/vivado/";
// Present in every project and in nothing else.
constexpr char mark[] = "settings.tcl";

bool isPowerOfTwo(uint64_t value) { return value && !(value & (value - 1)); }

std::string hex(uint64_t value) { return fmt::format("0x{:x}", value); }

//===----------------------------------------------------------------------===//
// What board and configuration say together
//===----------------------------------------------------------------------===//

struct Project {
  const Board &board;
  const Vivado &vivado;
  const isa::Layout &layout;

  const isa::Configuration &configuration() const { return layout.config; }
  double clockMhz() const {
    return board.clock_mhz() > 0 ? board.clock_mhz()
                                 : configuration().clock_mhz();
  }
  bool isZynq7000() const { return vivado.family() == Vivado::ZYNQ_7000; }
  /// The processor's port is as wide as the bus where it can be.
  unsigned portBits() const {
    return std::clamp(configuration().bus_bits(), 32u,
                      vivado.memory_port_bits());
  }
  /// The width as the port's registers have it: 0 is the widest.
  unsigned portCode() const {
    unsigned code = 0;
    for (unsigned bits = portBits(); bits < vivado.memory_port_bits();
         bits *= 2)
      ++code;
    return code;
  }
  std::string family() const {
    return isZynq7000() ? "zynq_7000" : "zynq_ultrascale";
  }
};

absl::Status checkVivado(const Board &board) {
  const Vivado &vivado = board.vivado();
  auto wrong = [&](absl::string_view field, const std::string &text) {
    return absl::InvalidArgumentError(
        absl::StrCat("board ", board.name(), ": vivado.", field, ": ", text));
  };
  if (vivado.part().empty())
    return wrong("part", "expected the name of a part, found none");
  if (vivado.memory_port_bits() != 64 && vivado.memory_port_bits() != 128)
    return wrong("memory_port_bits", absl::StrCat("expected 64 or 128, found ",
                                                  vivado.memory_port_bits()));
  if (vivado.memory_port_beats() != 16 && vivado.memory_port_beats() != 256)
    return wrong("memory_port_beats",
                 absl::StrCat("expected 16 (AXI3) or 256 (AXI4), found ",
                              vivado.memory_port_beats()));
  if (vivado.fabric_clock_mhz() == 0)
    return wrong("fabric_clock_mhz", "expected more than 0");
  for (auto [field, base, bytes] :
       {std::tuple("register_bytes", vivado.register_base(),
                   vivado.register_bytes()),
        std::tuple("dram_bytes", vivado.dram_base(), vivado.dram_bytes())}) {
    if (!isPowerOfTwo(bytes) || bytes < 4096)
      return wrong(field, absl::StrCat("expected a power of two from 4096 on, "
                                       "found ",
                                       bytes));
    if (base % bytes)
      return wrong(field, absl::StrCat("its base ", hex(base),
                                       " is not a multiple of ", hex(bytes)));
  }
  if (vivado.buffer_bytes() == 0 || vivado.buffer_bytes() > vivado.dram_bytes())
    return wrong("buffer_bytes",
                 absl::StrCat("expected 1 to ", vivado.dram_bytes(),
                              " (dram_bytes), found ", vivado.buffer_bytes()));
  for (const std::string &connection : vivado.board_connections())
    if (std::vector<std::string> sides = absl::StrSplit(connection, '=');
        sides.size() != 2)
      return wrong(
          "board_connections",
          absl::StrCat("expected CONNECTOR=BOARD, found '", connection, "'"));
  return absl::OkStatus();
}

// A burst of the machine, which never crosses 4 KB, is one of the port's as
// well, whatever their widths.
absl::Status checkBursts(const Project &project) {
  const uint32_t beatBytes = project.configuration().bus_bits() / 8;
  const uint32_t portBytes = project.portBits() / 8;
  const uint32_t beats = project.configuration().burst_beats();
  const uint32_t most = project.vivado.memory_port_beats();
  const uint32_t burst = std::min(beats * beatBytes, 4096u) / portBytes;
  if (burst <= most)
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "configuration ", project.configuration().name(), " asks for bursts of ",
      burst, " beats of ", portBytes, " bytes, the memory port of ",
      project.board.name(), " takes ", most,
      ": give it burst_beats: ", std::max(1u, most * portBytes / beatBytes)));
}

//===----------------------------------------------------------------------===//
// Files of the project
//===----------------------------------------------------------------------===//

/// Paths below the project's directory, and what stands in them.
using Files = std::map<std::string, std::string>;

/// A word of Tcl that stands for `text`, whatever is in it.
std::string tclWord(absl::string_view text) {
  return absl::StrCat("\"",
                      absl::StrReplaceAll(text, {{"\\", "\\\\"},
                                                 {"\"", "\\\""},
                                                 {"$", "\\$"},
                                                 {"[", "\\["},
                                                 {"\n", "\\n"}}),
                      "\"");
}

std::string tclList(const std::vector<std::string> &words) {
  std::string text = "[list";
  for (const std::string &word : words)
    absl::StrAppend(&text, " \\\n    ", tclWord(word));
  return text + "]";
}

std::string settings(const Project &project,
                     const std::vector<std::string> &sources) {
  const Vivado &vivado = project.vivado;
  std::vector<std::string> properties, connections;
  for (const Vivado::Property &property : vivado.processor()) {
    properties.push_back(property.name());
    properties.push_back(property.value());
  }
  for (const std::string &connection : vivado.board_connections()) {
    std::vector<std::string> sides = absl::StrSplit(connection, '=');
    connections.insert(connections.end(), sides.begin(), sides.end());
  }
  const std::pair<const char *, std::string> entries[] = {
      {"board", tclWord(project.board.name())},
      {"configuration", tclWord(project.configuration().name())},
      {"part", tclWord(vivado.part())},
      {"device_family", project.isZynq7000() ? "zynq" : "zynquplus"},
      {"bootgen_arch", project.isZynq7000() ? "zynq" : "zynqmp"},
      {"board_part", tclWord(vivado.board_part())},
      {"board_part_required", vivado.board_part_required() ? "1" : "0"},
      {"board_connections", tclList(connections)},
      {"processor", tclList(properties)},
      {"fabric_clock_mhz", absl::StrCat(vivado.fabric_clock_mhz())},
      {"clock_mhz", fmt::format("{:.6g}", project.clockMhz())},
      {"port_bits", absl::StrCat(project.portBits())},
      {"register_base", hex(vivado.register_base())},
      {"register_bytes", hex(vivado.register_bytes())},
      {"dram_base", hex(vivado.dram_base())},
      {"dram_bytes", hex(vivado.dram_bytes())},
      {"strategy", "Performance_ExplorePostRoutePhysOpt"},
      {"sources", tclList(sources)}};
  std::string text = fmt::format(
      "# Generated by tenon: configuration {} on board {}.\n# What the scripts "
      "beside this file must know of both.\n\nset tenon [dict create]\n",
      project.configuration().name(), project.board.name());
  for (const auto &[name, value] : entries)
    absl::StrAppend(&text, "dict set tenon ", name, " ", value, "\n");
  return text;
}

std::map<std::string, std::string> placeholders(const Project &project) {
  const Vivado &vivado = project.vivado;
  const isa::Configuration &configuration = project.configuration();
  const unsigned bits = configuration.bus_bits();
  constexpr uint64_t megabyte = 1 << 20, spareMegabytes = 64;
  return {
      {"@BUS_BITS@", absl::StrCat(bits)},
      {"@DATA_HIGH@", absl::StrCat(bits - 1)},
      {"@STROBE_HIGH@", absl::StrCat(bits / 8 - 1)},
      {"@BURST_BEATS@", absl::StrCat(configuration.burst_beats())},
      {"@OUTSTANDING@", absl::StrCat(configuration.outstanding_bursts())},
      {"@PERIOD_NS@", fmt::format("{:.3f}", 1000 / project.clockMhz())},
      {"@RESET_PIN@", project.isZynq7000() ? "FCLK_RESET0_N" : "pl_resetn0"},
      {"@TITLE@", project.board.title()},
      {"@CONFIGURATION@", configuration.name()},
      {"@PART@", vivado.part()},
      {"@CLOCK_MHZ@", fmt::format("{:.6g}", project.clockMhz())},
      {"@FABRIC_MHZ@", absl::StrCat(vivado.fabric_clock_mhz())},
      {"@FABRIC_HZ@", absl::StrCat(vivado.fabric_clock_mhz() * 1000000ull)},
      {"@REGISTER_BASE@", hex(vivado.register_base())},
      {"@REGISTER_UNIT@", fmt::format("{:x}", vivado.register_base())},
      {"@REGISTER_BYTES@", hex(vivado.register_bytes())},
      {"@DRAM_BASE@", hex(vivado.dram_base())},
      {"@DRAM_BYTES@", hex(vivado.dram_bytes())},
      {"@PORT_BITS@", absl::StrCat(project.portBits())},
      {"@PORT_CODE@", absl::StrCat(project.portCode())},
      {"@INTERRUPT@", absl::StrCat(vivado.interrupt())},
      {"@BUFFER_BYTES@", hex(vivado.buffer_bytes())},
      // The buffer and what other drivers want.
      {"@CMA_MEGABYTES@",
       absl::StrCat(vivado.buffer_bytes() / megabyte + spareMegabytes)},
      {"@HASH@",
       fmt::format("{:016x}", isa::configurationHash(configuration))}};
}

absl::Status addTemplates(const Project &project, Files &files) {
  const std::map<std::string, std::string> values = placeholders(project);
  const std::pair<std::string, std::string> copies[] = {
      {"build.tcl", "build.tcl"},
      {"package_ip.tcl", "package_ip.tcl"},
      {"block_design.tcl", "block_design.tcl"},
      {"implement.tcl", "implement.tcl"},
      {"processor_" + project.family() + ".tcl", "processor.tcl"},
      {"tenon_axi.v", "rtl/tenon_axi.v"},
      {"accelerator.xdc", "constraints/accelerator.xdc"},
      {"board.xdc", "constraints/board.xdc"},
      {"overlay_" + project.family() + ".dts", "tenon.dts"},
      {"project.md", "README.md"}};
  for (const auto &[from, to] : copies) {
    absl::StatusOr<SourceFile> file = hardwareFile(templates + from);
    if (!file.ok())
      return file.status();
    files[to] = absl::StrReplaceAll(file->text, values);
  }
  return absl::OkStatus();
}

/// The package, the accelerator's modules by name and the wrapper: an order in
/// which every file stands behind those that it needs the text of.
absl::StatusOr<std::vector<std::string>> addSources(const Project &project,
                                                    Files &files) {
  absl::StatusOr<std::vector<SourceFile>> rtl = hardwareFiles("rtl/*.sv");
  if (!rtl.ok())
    return rtl.status();
  std::vector<std::string> order = {"rtl/tenon_pkg.sv"};
  files[order.front()] = isa::verilogPackage(project.layout);
  for (SourceFile &file : *rtl) {
    files[file.path] = std::move(file.text);
    order.push_back(file.path);
  }
  order.push_back("rtl/tenon_axi.v");
  return order;
}

//===----------------------------------------------------------------------===//
// The directory
//===----------------------------------------------------------------------===//

absl::Status cannotWrite(const fs::path &path, const std::error_code &error) {
  return absl::FailedPreconditionError(absl::StrCat(
      "Vivado project: cannot write ", path.string(), ": ", error.message()));
}

absl::Status prepareDirectory(const fs::path &directory) {
  std::error_code error;
  if (fs::exists(directory, error)) {
    if (!fs::is_directory(directory, error))
      return absl::AlreadyExistsError(
          absl::StrCat(directory.string(), " exists and is no directory"));
    if (!fs::is_empty(directory, error) && !fs::exists(directory / mark, error))
      return absl::AlreadyExistsError(
          absl::StrCat(directory.string(),
                       " is not empty and holds no Vivado project of Tenon's (",
                       mark, " is missing)"));
  } else if (!fs::create_directory(directory, error)) {
    return cannotWrite(directory, error);
  }
  for (const char *folder : {"rtl", "constraints"}) {
    fs::create_directory(directory / folder, error);
    if (error)
      return cannotWrite(directory / folder, error);
  }
  return absl::OkStatus();
}

} // namespace

absl::Status generateVivadoProject(const Board &board,
                                   const isa::Configuration &configuration,
                                   const std::string &directory) {
  if (!board.has_vivado())
    return absl::InvalidArgumentError(
        absl::StrCat("board ", board.name(), " is not built with Vivado"));
  if (absl::Status status = checkVivado(board); !status.ok())
    return status;
  absl::StatusOr<isa::Layout> layout = isa::Layout::get(configuration);
  if (!layout.ok())
    return layout.status();
  const Project project{board, board.vivado(), *layout};
  if (absl::Status status = checkBursts(project); !status.ok())
    return status;

  Files files;
  absl::StatusOr<std::vector<std::string>> sources = addSources(project, files);
  if (!sources.ok())
    return sources.status();
  if (absl::Status status = addTemplates(project, files); !status.ok())
    return status;
  files[mark] = settings(project, *sources);
  if (absl::Status status = prepareDirectory(directory); !status.ok())
    return status;
  // The mark first, so that a directory left half-way can be written again.
  if (absl::Status status =
          isa::writeFile((fs::path(directory) / mark).string(), files[mark]);
      !status.ok())
    return status;
  for (const auto &[path, text] : files)
    if (absl::Status status =
            isa::writeFile((fs::path(directory) / path).string(), text);
        !status.ok())
      return status;
  return absl::OkStatus();
}

} // namespace tenon::fpga
