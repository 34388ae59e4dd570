// Part of Tenon, under the Apache License v2.0.
//
// What a simulated board is made of.

#include "sim/board/board_model.h"

#include "isa/configuration.h"
#include "tests/scratch_folder.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>

namespace tenon::sim {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string textOf(const BoardModel &model, const std::string &path) {
  for (const SourceFile &file : model.files)
    if (file.path == path)
      return file.text;
  ADD_FAILURE() << "there is no " << path;
  return "";
}

TEST(BridgeModel, HasThePackageFirstAndItsParameters) {
  auto layout = isa::Layout::get(*isa::loadConfiguration("tiny"));
  auto model = bridgeModel(*layout, {40960, 54'000'000});
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->files[0].path, "rtl/tenon_pkg.sv");
  EXPECT_EQ(model->parameters["MemoryBytes"], "40960");
  EXPECT_EQ(model->parameters["ClockHz"], "54000000");
  EXPECT_THAT(textOf(*model, "bridge/bridge_top.sv"),
              HasSubstr("module bridge_top"));
  EXPECT_THAT(textOf(*model, "bridge/uart_rx.sv"),
              AllOf(HasSubstr("@(edge clk_i)"), Not(HasSubstr("posedge"))));
}

class NetlistModelTest : public ::testing::Test {
protected:
  NetlistModelTest() {
    fs::create_directories(folder / "share/ecp5");
    write("netlist.v", "module board(input a, output b);\nendmodule\n");
    write("share/ecp5/cells_sim.v",
          "`include \"more.vh\"\n(* blackbox *)\nmodule DP16KD(input A);\n"
          "endmodule\nmodule LUT4(input A, output Z);\nendmodule\n");
    write("share/ecp5/more.vh", "module INV(input A, output Z);\nendmodule\n");
  }
  void write(const std::string &path, const std::string &text) {
    std::ofstream(folder / path) << text;
  }
  absl::StatusOr<BoardModel> model(CellFamily family = CellFamily::Ecp5) {
    return netlistModel(folder / "netlist.v", "board", family,
                        folder / "share");
  }

  const ScratchFolder scratch;
  const fs::path folder = scratch.path();
};

TEST_F(NetlistModelTest, ReplacesBlackBoxesAndKeepsTheRest) {
  auto made = model();
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_TRUE(made->isNetlist);
  EXPECT_THAT(textOf(*made, "netlist.v"), HasSubstr("module board"));
  EXPECT_THAT(textOf(*made, "cells/cells_sim.v"),
              AllOf(HasSubstr("module LUT4"), HasSubstr("more.vh"),
                    Not(HasSubstr("DP16KD"))));
  EXPECT_THAT(textOf(*made, "cells/more.vh"), HasSubstr("module INV"));
  EXPECT_THAT(textOf(*made, "boards/cells/ecp5.v"), HasSubstr("module DP16KD"));
}

TEST_F(NetlistModelTest, NamesWhatIsMissing) {
  auto made = model(CellFamily::Gowin);
  EXPECT_EQ(made.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(made.status().message()), HasSubstr("gowin"));
  fs::remove(folder / "netlist.v");
  made = model();
  EXPECT_EQ(made.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(made.status().message()), HasSubstr("netlist.v"));
}

} // namespace
} // namespace tenon::sim
