// Part of Tenon, under the Apache License v2.0.
//
// The problems of problems.mlir through search, check and verification, and
// solutions that are none.

#include "tests/unit/scheduling/layer_runner.h"

#include "isa/configuration.h"
#include "tenon/Scheduling/DescribeLayer.h"
#include "tenon/Scheduling/Machine.h"
#include "tenon/Scheduling/ScheduleProblem.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::scheduling {
namespace {

using testing::HasSubstr;

/// Layers with random constants, one behind the other in DRAM.
std::vector<Layer> placed(const isa::Layout &l, std::vector<Layer> layers,
                          uint64_t &end) {
  std::mt19937_64 random(1);
  ViewLayout dram(l);
  auto place = [&](TensorView &t) {
    t.Offset = end, t.GroupBytes = dram.groupBytes(t);
    end += dram.tensorBytes(t);
  };
  for (size_t i = 0; i < layers.size(); ++i) {
    std::string name = layers[i].Name;
    TensorView out = layers[i].Out;
    layers[i] = makeCase(layers[i], random).layer;
    layers[i].Name = name;
    EXPECT_EQ(out.H, layers[i].Out.H) << name;
    EXPECT_EQ(out.W, layers[i].Out.W) << name;
    if (i == 0)
      place(layers[i].In);
    else
      layers[i].In = layers[i - 1].Out;
    if (layers[i].HasResidual)
      place(layers[i].Residual);
    place(layers[i].Out);
  }
  return layers;
}

struct Problem {
  std::string name, refused;
  std::vector<Layer> layers;
  std::vector<Schedule> schedules;
};

class Problems : public testing::Test {
protected:
  void SetUp() override {
    context.loadDialect<accel::AccelDialect>();
    module = mlir::parseSourceFile<mlir::ModuleOp>(
        TENON_SOURCE_DIR "/tests/unit/scheduling/problems.mlir", &context);
    ASSERT_TRUE(module);
    auto machine = (*module)->getAttrOfType<accel::MachineAttr>(MachineAttr);
    auto configuration =
        isa::parseConfiguration(machine.getConfiguration().str(), "problems");
    ASSERT_TRUE(configuration.ok()) << configuration.status();
    layout.emplace(*isa::Layout::get(*configuration));
    for (auto op : module->getOps<accel::ProblemOp>())
      problems.push_back(read(op));
    ASSERT_EQ(problems.size(), 11u);
  }

  static Problem read(accel::ProblemOp op) {
    Problem p;
    p.name = op.getName().str();
    if (auto refused = op->getAttrOfType<mlir::StringAttr>("refused"))
      p.refused = refused.str();
    for (auto layer : op.getLayers().getAsRange<accel::LayerAttr>()) {
      p.layers.push_back(layerOf(layer));
      p.layers.back().Name = p.name;
    }
    for (auto s : op.getSchedules().getAsRange<accel::ScheduleAttr>())
      p.schedules.push_back(fromAttribute(s));
    return p;
  }

  /// The stream of a solution.
  std::vector<StreamInstruction> lower(const ScheduleProblem &problem,
                                       const std::vector<Schedule> &schedules,
                                       uint64_t begin) {
    ConstantPool pool(begin, layout->beatBytes);
    StreamBuilder builder(*layout, pool);
    auto error = problem.lower(builder, schedules, 0);
    EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
    return builder.finish();
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::optional<isa::Layout> layout;
  std::vector<Problem> problems;
};

TEST_F(Problems, AreSolvedOrRefused) {
  for (const Problem &p : problems) {
    uint64_t end = 0;
    ScheduleProblem problem(*layout, placed(*layout, p.layers, end));
    std::vector<Schedule> schedules = p.schedules;
    if (schedules.empty()) {
      auto found = searchSchedule(*layout, problem.layers()[0], 2);
      ASSERT_TRUE(bool(found)) << p.name;
      schedules = {*found};
    }
    std::string error = llvm::toString(problem.check());
    if (error.empty())
      error = llvm::toString(problem.check(schedules));
    EXPECT_THAT(error, HasSubstr(p.refused)) << p.name;
    EXPECT_EQ(error.empty(), p.refused.empty()) << p.name << ": " << error;
    if (!error.empty())
      continue;
    EXPECT_EQ(llvm::toString(problem.verify(lower(problem, schedules, end), 0)),
              "")
        << p.name;
  }
}

TEST_F(Problems, ATextIsReadBack) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  auto again = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  ASSERT_TRUE(again);
  // Attributes are unique in their context: equal texts are one attribute.
  for (auto [a, b] : llvm::zip_equal(module->getOps<accel::ProblemOp>(),
                                     again->getOps<accel::ProblemOp>())) {
    EXPECT_EQ(a.getLayers(), b.getLayers());
    EXPECT_EQ(a.getSchedules(), b.getSchedules());
  }
}

TEST_F(Problems, WhatIsNoSolutionIsSaidToBe) {
  const Problem &p = problems[4]; // by_hand
  uint64_t end = 0;
  ScheduleProblem problem(*layout, placed(*layout, p.layers, end));
  auto stream = lower(problem, p.schedules, end);
  auto change = [&](auto pick, auto edit) {
    auto other = stream;
    auto found = std::find_if(other.begin(), other.end(),
                              [&](auto &i) { return pick(i.Inst); });
    EXPECT_NE(found, other.end());
    edit(other, found);
    return llvm::toString(problem.verify(other, 0));
  };
  auto is = [](auto kind) {
    return [](const isa::Instruction &i) {
      return std::holds_alternative<decltype(kind)>(i);
    };
  };
  auto erase = [](auto &all, auto at) { all.erase(at); };
  auto repeat = [](auto &all, auto at) { all.insert(at, *at); };
  EXPECT_THAT(change(is(isa::Store{}), erase),
              HasSubstr("expected each vector of the result stored once and "
                        "nothing else"));
  EXPECT_THAT(change(is(isa::Store{}), repeat), HasSubstr("byte"));
  EXPECT_THAT(
      change(is(isa::Store{}),
             [](auto &, auto at) { std::get<isa::Store>(at->Inst).dram += 2; }),
      HasSubstr("stored once"));
  // 8 rows of 8 pixels, 4 blocks in and 4 out; a tile has 8 pixels and 2.
  EXPECT_THAT(change(is(isa::Gemm{}), erase),
              HasSubstr("products of blocks on GEMM: expected 1024, found"));
  EXPECT_THAT(change(is(isa::Alu{}), erase),
              HasSubstr("requantised vectors: expected 256, found 240"));
  EXPECT_THAT(
      change(is(isa::Alu{}),
             [](auto &, auto at) {
               auto &alu = std::get<isa::Alu>(at->Inst);
               alu.op = isa::AluOp::Add, alu.target = isa::Target::Acc;
             }),
      HasSubstr("elements of windows on the ALU: expected 0, found 16"));
  EXPECT_NE(change(is(isa::Load{}),
                   [](auto &, auto at) {
                     std::get<isa::Load>(at->Inst).xSize = 5000;
                   }),
            "");
}

TEST_F(Problems, ScheduleForEachLayer) {
  uint64_t end = 0;
  ScheduleProblem problem(*layout, placed(*layout, problems[0].layers, end));
  EXPECT_THAT(llvm::toString(problem.check(std::vector<Schedule>(2))),
              HasSubstr("expected 1 schedules, found 2"));
}

TEST_F(Problems, OnlyAContractionAndItsReaderArePaired) {
  uint64_t end = 0;
  ScheduleProblem problem(*layout, placed(*layout, problems[10].layers, end));
  EXPECT_EQ(llvm::toString(problem.check()),
            "expected one layer, or a contraction and a layer on the ALU "
            "without a residual that reads it; found 2 layers");
}

/// Fewer contexts than were wanted are said in the schedule.
TEST_F(Problems, FewerThreadsAreRecorded) {
  Layer wide = problems[0].layers[0]; // two contexts of INP do not fit
  wide.In = TensorView();
  wide.In.W = 1500, wide.In.C = 16;
  wide.KH = 1, wide.KW = 1200, wide.Top = wide.Bottom = 0;
  wide.HasResidual = false;
  finishShapes(wide);
  auto found = searchSchedule(*layout, wide, 2);
  EXPECT_EQ(llvm::toString(found.takeError()),
            "does not fit configuration pynq: WGT: a tile of 1x1 pixels and 1 "
            "blocks needs 1200 entries in 1 contexts, there are 1024");
  wide.KW = 1000;
  finishShapes(wide);
  found = searchSchedule(*layout, wide, 2);
  ASSERT_TRUE(bool(found));
  EXPECT_EQ(found->Threads, 1u);
  EXPECT_EQ(found->Wanted, 2u);
  found = searchSchedule(*layout, problems[1].layers[0], 3);
  ASSERT_TRUE(bool(found));
  EXPECT_EQ(found->Threads, 3u);
  EXPECT_EQ(found->Wanted, 0u);
}

} // namespace
} // namespace tenon::scheduling
