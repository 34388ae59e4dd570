//===- compiler/driver/pass_statistics.h - Sizes around passes --*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Inside the driver only.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_COMPILER_DRIVER_PASS_STATISTICS_H
#define TENON_COMPILER_DRIVER_PASS_STATISTICS_H

#include "compiler/driver/statistics.pb.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "tenon/Transforms/CountingPass.h"
#include "llvm/ADT/DenseMap.h"

#include <string>

namespace tenon::compiler {

/// Adds a row to `statistics` for each pass of a manager that finds tensors and
/// leaves some: the graph's size before and behind it, and what it counted. A
/// pass over functions has one row, in which those of all functions are added
/// up (of peaks the greatest stands). `statistics` outlives the manager. MLIR
/// calls it from one thread at a time, also where passes run in several.
class PassStatisticsCollector : public mlir::PassInstrumentation {
public:
  PassStatisticsCollector(std::string stage, Statistics &statistics)
      : stage(std::move(stage)), statistics(statistics),
        groupStart(statistics.passes_size()) {}
  /// Rows of the other passes go.
  ~PassStatisticsCollector() override;

  void runBeforePass(mlir::Pass *pass, mlir::Operation *root) override;
  void runAfterPass(mlir::Pass *pass, mlir::Operation *root) override;

private:
  struct Running {
    GraphSize size;
    CountingPass::Counts counts;
  };
  PassStatistics &rowOf(const mlir::Pass &pass, mlir::Operation *root);

  const std::string stage;
  Statistics &statistics;
  llvm::DenseMap<mlir::Operation *, Running> running;
  // Where the rows of neighbouring passes over functions begin, and how many of
  // them each function has gone through.
  int groupStart;
  llvm::DenseMap<mlir::Operation *, int> passed;
};

} // namespace tenon::compiler

#endif // TENON_COMPILER_DRIVER_PASS_STATISTICS_H
