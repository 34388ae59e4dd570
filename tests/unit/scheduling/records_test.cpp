// Part of Tenon, under the Apache License v2.0.
//
// Schedules that an earlier compilation found, by the machine that asks.

#include "tenon/Scheduling/DescribeLayer.h"
#include "tenon/Scheduling/Machine.h"

#include "tests/scratch_folder.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::scheduling {
namespace {

class RecordsTest : public testing::Test {
protected:
  void SetUp() override {
    context.loadDialect<accel::AccelDialect>();
    module = mlir::parseSourceFile<mlir::ModuleOp>(
        TENON_SOURCE_DIR "/tests/unit/scheduling/problems.mlir", &context);
    ASSERT_TRUE(module);
    for (auto op :
         llvm::make_early_inc_range(module->getOps<accel::ProblemOp>())) {
      problems[op.getName().str()] = {
          llvm::to_vector(op.getLayers().getAsRange<accel::LayerAttr>()),
          llvm::map_to_vector(
              op.getSchedules().getAsRange<accel::ScheduleAttr>(),
              fromAttribute)};
      op->erase(); // nothing is given
    }
    attachRecords(*module, directory);
  }

  struct Problem {
    llvm::SmallVector<accel::LayerAttr> layers;
    llvm::SmallVector<Schedule> schedules;
  };
  void keep(const Problem &problem) {
    ScheduleRecords(directory, machineAttribute())
        .keep(problem.layers,
              {problem.schedules.begin(), problem.schedules.end()});
  }
  accel::MachineAttr machineAttribute() {
    return (*module)->getAttrOfType<accel::MachineAttr>(MachineAttr);
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::map<std::string, Problem> problems;
  const ScratchFolder folder;
  const std::string directory = folder.path();
};

/// By hand, and slower than what the search finds.
TEST_F(RecordsTest, AreTakenInsteadOfASearch) {
  const Problem &problem = problems["by_hand"];
  Machine searching(*module);
  const Answer searched = searching.answer(problem.layers[0]);
  EXPECT_EQ(searching.searched(), 1);
  keep(problem);
  Machine machine(*module);
  const Answer &answer = machine.answer(problem.layers[0]);
  EXPECT_EQ(machine.searched(), 0);
  EXPECT_EQ(machine.recalled(), 1);
  EXPECT_EQ(toAttribute(&context, answer.Best),
            toAttribute(&context, problem.schedules[0]));
  EXPECT_GT(answer.BestCost.score(), searched.BestCost.score());
}

TEST_F(RecordsTest, OfTheSearchGiveItsAnswer) {
  accel::LayerAttr layer = problems["searched"].layers[0];
  Machine first(*module), second(*module);
  const Answer &searched = first.answer(layer), &found = second.answer(layer);
  EXPECT_EQ(second.recalled(), 1);
  EXPECT_EQ(toAttribute(&context, searched.Best),
            toAttribute(&context, found.Best));
  EXPECT_EQ(searched.BestCost.Cycles, found.BestCost.Cycles);
}

TEST_F(RecordsTest, OfAPairSayAlsoThatItIsBetterApart) {
  const Problem &pair = problems["pair"];
  for (uint64_t apart : {1, 1 << 30}) { // no pair is that fast; any is
    std::filesystem::remove_all(directory);
    Machine first(*module), second(*module);
    auto searched = first.searchPair(pair.layers[0], pair.layers[1], apart);
    auto found = second.searchPair(pair.layers[0], pair.layers[1], apart);
    ASSERT_TRUE(searched && found);
    EXPECT_EQ(searched->size(), apart == 1 ? 0 : 2);
    EXPECT_EQ(found->size(), searched->size());
    EXPECT_EQ(first.searched(), 1);
    EXPECT_EQ(second.recalled(), 1);
  }
}

TEST_F(RecordsTest, ThatDoNotFitAreSearchedAgain) {
  const Problem &problem = problems["too_large"];
  keep(problem);
  Machine machine(*module);
  EXPECT_TRUE(machine.answer(problem.layers[0]).fits());
  EXPECT_EQ(machine.searched(), 1);
  // And the record is mended.
  Machine later(*module);
  EXPECT_TRUE(later.answer(problem.layers[0]).fits());
  EXPECT_EQ(later.searched(), 0);
}

TEST_F(RecordsTest, AreOfOneMachine) {
  accel::LayerAttr layer = problems["searched"].layers[0];
  Machine(*module).answer(layer);
  (*module)->setAttr(MachineAttr,
                     accel::MachineAttr::get(
                         &context, machineAttribute().getConfiguration(), 1));
  Machine other(*module);
  EXPECT_EQ(other.answer(layer).Best.Threads, 1);
  EXPECT_EQ(other.searched(), 1);
}

} // namespace
} // namespace tenon::scheduling
