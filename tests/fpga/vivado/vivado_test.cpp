//===- tests/fpga/vivado/vivado_test.cpp - Generated projects -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Generates the project of every board that Vivado builds and runs its scripts
// against the mock beside this file; lints its Verilog; then damages the
// project in one place at a time and expects the mock to say so.
//
//===----------------------------------------------------------------------===//

#include "tools/fpga/vivado.h"

#include "isa/configuration.h"
#include "isa/files.h"
#include "tests/scratch_folder.h"
#include "tools/fpga/board.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <ostream>
#include <sys/wait.h>

namespace tenon::fpga {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

struct Output {
  int status = -1;
  std::string text;
};

Output runShell(const std::string &command) {
  Output output;
  FILE *pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe)
    return output;
  std::array<char, 4096> buffer;
  while (size_t bytes = fread(buffer.data(), 1, buffer.size(), pipe))
    output.text.append(buffer.data(), bytes);
  int status = pclose(pipe);
  output.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return output;
}

class Project : public testing::Test {
protected:
  absl::Status generate(const std::string &board, std::string name = "") {
    absl::StatusOr<Board> description = loadBoard(board);
    if (!description.ok())
      return description.status();
    auto configuration = isa::loadConfiguration(
        name.empty() ? description->configuration() : name);
    if (!configuration.ok())
      return configuration.status();
    return generateVivadoProject(*description, *configuration,
                                 directory.string());
  }

  Output mock(const std::string &options = "") const {
    return runShell(absl::StrCat("tclsh " TENON_SOURCE_DIR
                                 "/tests/fpga/vivado/mock.tcl ",
                                 directory.string(), " ", options));
  }

  std::string text(const std::string &file) const {
    auto content = isa::readFile((directory / file).string());
    return content.ok() ? *content : content.status().ToString();
  }

  const ScratchFolder folder;
  const fs::path root = folder.path();
  fs::path directory = root / "project";
};

class EveryBoard : public Project,
                   public testing::WithParamInterface<const char *> {};

TEST_P(EveryBoard, RunsToABitstream) {
  ASSERT_EQ(generate(GetParam()), absl::OkStatus());
  Output output = mock();
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_THAT(output.text,
              HasSubstr("cells: clock control data ps reset tenon"));
  for (const char *file : {"tenon.bit", "tenon.hwh", "tenon.bit.bin",
                           "tenon.xsa", "utilization.txt", "timing.txt"})
    EXPECT_TRUE(fs::exists(directory / "out" / file)) << file;
}

TEST_P(EveryBoard, VerilogIsWhole) {
  ASSERT_EQ(generate(GetParam()), absl::OkStatus());
  // In the order of settings.tcl, which the package needs.
  std::string files = "rtl/tenon_pkg.sv";
  for (absl::string_view line :
       absl::StrSplit(text("settings.tcl"), absl::ByAnyChar("\n\"")))
    if (absl::StartsWith(line, "rtl/") && line != "rtl/tenon_pkg.sv")
      absl::StrAppend(&files, " ", line);
  Output output = runShell(
      absl::StrCat("cd ", directory.string(),
                   " && verilator --lint-only --top-module tenon_axi ", files));
  EXPECT_EQ(output.status, 0) << output.text;
}

INSTANTIATE_TEST_SUITE_P(Vivado, EveryBoard,
                         testing::Values("pynq-z1", "pynq-z2", "zcu104",
                                         "kv260"));

TEST_F(Project, AddressMapAndBusesOfPynq) {
  ASSERT_EQ(generate("pynq-z2"), absl::OkStatus());
  const std::string text = mock().text;
  // Zynq-7000: GP0 reaches 0x4000_0000..0x7fff_ffff, DRAM has 512 MB from 0 on.
  EXPECT_THAT(text, HasSubstr("address ps/Data: tenon/s_axil/reg0 at "
                              "0x43c00000, 0x1000 bytes"));
  EXPECT_THAT(text, HasSubstr("address tenon/m_axi: "
                              "ps/S_AXI_HP0/HP0_DDR_LOWOCM at 0x0, 0x20000000 "
                              "bytes"));
  EXPECT_THAT(text, HasSubstr("bus tenon/m_axi: data/S00_AXI (64, any bits)"));
  EXPECT_THAT(text, HasSubstr("bus data/M00_AXI: ps/S_AXI_HP0 (any, 64 bits)"));
  EXPECT_THAT(text, HasSubstr("net tenon/done: ps/IRQ_F2P"));
  EXPECT_THAT(text, HasSubstr("constraints: clock aclk 10.000"));
}

TEST_F(Project, PortFollowsTheBusAsFarAsItCan) {
  ASSERT_EQ(generate("zcu104"), absl::OkStatus()); // 256 bits
  EXPECT_THAT(mock().text,
              HasSubstr("bus data/M00_AXI: ps/S_AXI_HP0_FPD (any, 128 bits)"));
  ASSERT_EQ(generate("zcu104", "pynq"), absl::OkStatus()); // 64 bits
  EXPECT_THAT(mock().text,
              HasSubstr("bus data/M00_AXI: ps/S_AXI_HP0_FPD (any, 64 bits)"));
  EXPECT_THAT(text("tenon.dts"), HasSubstr("config-afi = <4 1>, <5 1>;"));
}

// What the drivers of AMD's kernel match and read: drivers/fpga/zynq-afi.c and
// its binding, xlnx,zynq-afi-fpga; drivers/fpga/zynqmp-afi.c.
TEST_F(Project, DriversKnowTheNodeOfThePort) {
  auto board = loadBoard("pynq-z1");
  auto configuration = isa::loadConfiguration("pynq");
  ASSERT_TRUE(board.ok() && configuration.ok());
  for (auto [bits, code] : {std::pair(64, 0), {32, 1}}) {
    configuration->set_bus_bits(bits);
    ASSERT_EQ(generateVivadoProject(*board, *configuration, directory.string()),
              absl::OkStatus());
    const std::string tree = text("tenon.dts");
    EXPECT_THAT(tree, HasSubstr("compatible = \"xlnx,zynq-afi-fpga\";"));
    for (const char *property : {"xlnx,afi-width", "xlnx,afi-buswidth"})
      EXPECT_THAT(tree, HasSubstr(absl::StrCat(property, " = <", code, ">;")));
  }
  ASSERT_EQ(generate("zcu104"), absl::OkStatus());
  EXPECT_THAT(text("tenon.dts"), HasSubstr("compatible = \"xlnx,afi-fpga\";"));
}

TEST_F(Project, WorksWithoutBoardFilesWhereItCan) {
  ASSERT_EQ(generate("pynq-z1"), absl::OkStatus());
  Output output = mock("-boards 0");
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_THAT(output.text, HasSubstr("come from settings.tcl"));
  ASSERT_EQ(generate("kv260"), absl::OkStatus());
  output = mock("-boards 0");
  EXPECT_EQ(output.status, 1);
  EXPECT_THAT(output.text, HasSubstr("xhub::install"));
}

TEST_P(EveryBoard, DeviceTreeCompiles) {
  ASSERT_EQ(generate(GetParam()), absl::OkStatus());
  Output output = runShell(absl::StrCat("dtc -@ -I dts -O dtb -o /dev/null ",
                                        (directory / "tenon.dts").string()));
  EXPECT_EQ(output.status, 0);
  EXPECT_EQ(output.text, ""); // no warnings either
}

TEST_F(Project, MissedTimingWritesNoBitstream) {
  ASSERT_EQ(generate("pynq-z1"), absl::OkStatus());
  Output output = mock("-slack -0.012");
  EXPECT_EQ(output.status, 1);
  EXPECT_THAT(output.text, HasSubstr("timing is missed: setup slack -0.012"));
  EXPECT_FALSE(fs::exists(directory / "out/tenon.bit"));
  EXPECT_TRUE(fs::exists(directory / "out/timing.txt"));
}

TEST_F(Project, StagesStop) {
  ASSERT_EQ(generate("pynq-z1"), absl::OkStatus());
  Output output = mock("-stage project");
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_FALSE(fs::exists(directory / "out/utilization_synthesis.txt"));
  output = mock("-stage everything");
  EXPECT_EQ(output.status, 1);
  EXPECT_THAT(output.text, HasSubstr("unknown stage 'everything'"));
}

TEST_F(Project, NothingIsLeftToFillIn) {
  for (const char *board : {"pynq-z1", "kv260"}) {
    ASSERT_EQ(generate(board), absl::OkStatus());
    for (const fs::directory_entry &entry :
         fs::recursive_directory_iterator(directory))
      if (entry.is_regular_file() && entry.path().extension() != ".sv")
        EXPECT_THAT(text(entry.path().lexically_relative(directory)),
                    Not(testing::ContainsRegex("@[A-Z_]+@")))
            << entry.path();
  }
}

TEST_F(Project, RefusesWhatItCannotWrite) {
  EXPECT_EQ(generate("ulx3s-85f").code(), absl::StatusCode::kInvalidArgument);
  directory = root / "no" / "project";
  EXPECT_EQ(generate("pynq-z1").code(), absl::StatusCode::kFailedPrecondition);
  directory = root; // holds something else
  ASSERT_EQ(isa::writeFile((root / "thesis.txt").string(), "years of work"),
            absl::OkStatus());
  absl::Status status = generate("pynq-z1");
  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(status.message()), HasSubstr("settings.tcl"));
  EXPECT_FALSE(fs::exists(root / "build.tcl"));
}

TEST_F(Project, RefusesABadBoard) {
  auto board = loadBoard("pynq-z1");
  ASSERT_TRUE(board.ok());
  auto configuration = isa::loadConfiguration("pynq");
  ASSERT_TRUE(configuration.ok());
  auto refusal = [&](auto change) {
    Board changed = *board;
    change(*changed.mutable_vivado());
    return std::string(
        generateVivadoProject(changed, *configuration, directory.string())
            .message());
  };
  EXPECT_THAT(refusal([](Vivado &v) { v.clear_part(); }),
              HasSubstr("board pynq-z1: vivado.part"));
  EXPECT_THAT(refusal([](Vivado &v) { v.set_register_bytes(5000); }),
              HasSubstr("vivado.register_bytes: expected a power of two"));
  EXPECT_THAT(refusal([](Vivado &v) { v.set_register_base(0x43c00800); }),
              HasSubstr("0x43c00800 is not a multiple of 0x1000"));
  EXPECT_THAT(refusal([](Vivado &v) { v.set_memory_port_bits(256); }),
              HasSubstr("expected 64 or 128, found 256"));
  EXPECT_THAT(refusal([](Vivado &v) { v.set_memory_port_beats(8); }),
              HasSubstr("expected 16 (AXI3) or 256 (AXI4), found 8"));
  EXPECT_THAT(refusal([](Vivado &v) { v.set_buffer_bytes(0x40000000); }),
              HasSubstr("vivado.buffer_bytes"));
  EXPECT_FALSE(fs::exists(directory));
}

// Nothing but an interconnect would split them.
TEST_F(Project, BurstsFitTheMemoryPort) {
  auto refusal = [&](const char *name, const char *configuration) {
    auto board = loadBoard(name);
    auto machine = isa::loadConfiguration(configuration);
    EXPECT_TRUE(board.ok() && machine.ok());
    return std::string(
        generateVivadoProject(*board, *machine, directory.string()).message());
  };
  EXPECT_THAT(refusal("pynq-z1", "small"),
              HasSubstr("configuration small asks for bursts of 256 beats of 8 "
                        "bytes, the memory port of pynq-z1 takes 16: give it "
                        "burst_beats: 16"));
  EXPECT_THAT(refusal("pynq-z2", "tiny"), HasSubstr("256 beats of 4 bytes"));
  EXPECT_FALSE(fs::exists(directory));
  // 128 beats of 32 bytes, which 4 KB allow, are 256 of the port's 16.
  EXPECT_EQ(refusal("zcu104", "wide"), "");
  EXPECT_EQ(refusal("zcu104", "huge"), "");
}

// One place of a project changed, and what the mock must say.
struct Damage {
  const char *name, *file, *from, *to, *message;
};

void PrintTo(const Damage &damage, std::ostream *out) { *out << damage.name; }

class Damaged : public Project, public testing::WithParamInterface<Damage> {};

TEST_P(Damaged, IsFound) {
  const Damage &damage = GetParam();
  ASSERT_EQ(generate("pynq-z1"), absl::OkStatus());
  std::string content = text(damage.file);
  size_t place = content.find(damage.from);
  ASSERT_NE(place, std::string::npos) << content;
  content.replace(place, std::string(damage.from).size(), damage.to);
  ASSERT_EQ(isa::writeFile((directory / damage.file).string(), content),
            absl::OkStatus());
  Output output = mock();
  EXPECT_EQ(output.status, 1) << output.text;
  EXPECT_THAT(output.text, HasSubstr(damage.message));
}

constexpr Damage damages[] = {
    {"MissingConnection", "block_design.tcl",
     "      [get_bd_pins tenon/aclk] \\\n", "", "tenon/aclk has no driver"},
    {"MissingBus", "block_design.tcl",
     "    connect_bd_intf_net [get_bd_intf_pins $name/M00_AXI] "
     "[get_bd_intf_pins "
     "$to]\n",
     "", "interface ps/S_AXI_HP0 is not connected"},
    {"MissingInterrupt", "block_design.tcl",
     "  connect_bd_net [get_bd_pins tenon/done]", "  list ",
     "IRQ_F2P has no driver"},
    {"WrongPin", "block_design.tcl", "reset/slowest_sync_clk",
     "reset/slowest_clk", "has no 'slowest_clk' among its pins"},
    {"WrongReset", "block_design.tcl", "reset/peripheral_aresetn",
     "reset/peripheral_reset", "is of kind rst, tenon/aresetn of kind rst_n"},
    {"UnsynchronisedReset", "block_design.tcl",
     "connect_bd_net [get_bd_pins reset/peripheral_aresetn]",
     "connect_bd_net [get_bd_pins [dict get $ps reset]]",
     "which is on no clock"},
    {"TwiceDriven", "block_design.tcl",
     "  connect_bd_net [get_bd_pins reset/peripheral_aresetn]",
     "  connect_bd_net [get_bd_pins clock/clk_out1] [get_bd_pins tenon/aclk]\n "
     " "
     "connect_bd_net [get_bd_pins reset/peripheral_aresetn]",
     "tenon/aclk is driven by clock/clk_out1 already"},
    {"TwoClocks", "block_design.tcl",
     "connect_bd_net [get_bd_pins clock/clk_out1] [get_bd_pins $name/aclk]",
     "connect_bd_net [get_bd_pins ps/FCLK_CLK0] [get_bd_pins $name/aclk]",
     "are on different clocks"},
    {"NoInterconnect", "block_design.tcl", "[get_bd_intf_pins $name/S00_AXI]",
     "[get_bd_intf_pins $to]",
     "ps/M_AXI_GP0 is AXI3 with 32 bits, tenon/s_axil AXI4LITE with 32"},
    {"OtherFamily", "processor.tcl", "xilinx.com:ip:processing_system7",
     "xilinx.com:ip:zynq_ultra_ps_e", "is not for zynq"},
    {"WrongCell", "block_design.tcl", "xilinx.com:ip:proc_sys_reset",
     "xilinx.com:ip:proc_reset", "the catalogue has no"},
    {"WrongProperty", "processor.tcl", "PCW_USE_S_AXI_HP0", "PCW_USE_HP0",
     "has no property CONFIG.PCW_USE_HP0"},
    {"WrongValue", "settings.tcl", "port_bits 64", "port_bits 48",
     "'48' is none of 32 64"},
    {"WrongOption", "implement.tcl", "-hierarchical", "-hierarchy",
     "unknown option -hierarchy"},
    {"UnknownCommand", "block_design.tcl", "validate_bd_design",
     "check_bd_design", "invalid command name \"check_bd_design\""},
    {"PortDisabled", "processor.tcl", "CONFIG.PCW_USE_FABRIC_INTERRUPT 1",
     "CONFIG.PCW_USE_FABRIC_INTERRUPT 0", "has no 'IRQ_F2P' among its pins"},
    {"AddressOutside", "settings.tcl", "register_base 0x43c00000",
     "register_base 0x83c00000", "outside of what ps/M_AXI_GP0 reaches"},
    {"AddressUnaligned", "settings.tcl", "register_base 0x43c00000",
     "register_base 0x43c00800", "not aligned"},
    {"AddressTooLarge", "settings.tcl", "dram_bytes 0x20000000",
     "dram_bytes 0x40000000", "has only 0x20000000 bytes"},
    {"AddressOverlap", "block_design.tcl",
     "  set space [get_bd_addr_spaces tenon/m_axi]\n",
     "  set space [get_bd_addr_spaces tenon/m_axi]\n  assign_bd_address "
     "-offset "
     "0x10000000 -range 0x1000 -target_address_space $space [get_bd_addr_segs "
     "tenon/s_axil/reg0]\n",
     "overlaps"},
    {"AddressMissing", "block_design.tcl", "  assign_bd_address -force \\\n",
     "  list \\\n", "is neither assigned in ps/Data nor excluded"},
    {"MissingSource", "settings.tcl", "    \"rtl/gemm_tree.sv\" \\\n", "",
     "no source defines 'gemm_tree'"},
    {"MissingFile", "settings.tcl", "rtl/gemm_tree.sv", "rtl/gemm_trees.sv",
     "no file "},
    {"WrapperWidth", "rtl/tenon_axi.v", "[63:0] m_axi_rdata",
     "[31:0] m_axi_rdata", "m_axi_rdata has 32 bits, expected 64"},
    {"WrapperSignal", "rtl/tenon_axi.v", "m_axi RLAST", "m_axi RLASTS",
     "RLAST is missing"},
    {"WrapperDirection", "rtl/tenon_axi.v", "output wire        m_axi_rready",
     "input  wire        m_axi_rready", "m_axi_rready has the wrong direction"},
    {"UnassociatedBus", "package_ip.tcl", "{s_axil m_axi}", "{s_axil}",
     "interface m_axi has no clock"},
    {"NoReset", "package_ip.tcl",
     "  ipx::associate_bus_interfaces -clock aclk -reset aresetn $core\n", "",
     "clock aclk has no reset"},
    {"NoAddressSpace", "package_ip.tcl", "  tenonMemorySpace $core\n", "",
     "master m_axi has no address space"},
    {"UnknownPart", "settings.tcl", "xc7z020clg400-1", "xc7z021clg400-1",
     "unknown part"},
    {"ConstraintPin", "constraints/board.xdc", "FCLK_RESET0_N", "FCLK_RESET_N",
     "has no 'FCLK_RESET_N' among its pins"},
    {"ConstraintPort", "constraints/accelerator.xdc", "get_ports aclk",
     "get_ports clk", "has no port 'clk'"},
    {"ConstraintCommand", "constraints/board.xdc", "set_false_path",
     "set_falsepath", "invalid command name \"set_falsepath\""},
};

INSTANTIATE_TEST_SUITE_P(Vivado, Damaged, testing::ValuesIn(damages),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

} // namespace
} // namespace tenon::fpga
