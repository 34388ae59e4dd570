//===- compiler/driver/pass_statistics.cpp - Sizes around passes ----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/pass_statistics.h"

#include "tenon/Transforms/GraphSize.h"

#include "mlir/IR/BuiltinOps.h"

#include <algorithm>

namespace tenon::compiler {

namespace {

/// What only holds passes has no argument.
bool isPass(const mlir::Pass &pass) { return !pass.getArgument().empty(); }

CountingPass::Counts countsOf(const mlir::Pass &pass) {
  auto *counting = dynamic_cast<const CountingPass *>(&pass);
  return counting ? counting->counts() : CountingPass::Counts();
}

void add(const tenon::TensorBytes &size, TensorBytes &sum) {
  sum.set_bytes(sum.bytes() + size.Bytes);
  sum.set_open(sum.open() + size.Open);
}

GraphSize sizeOf(mlir::Operation *root) {
  tenon::GraphSize measured = measureGraph(root);
  GraphSize size;
  size.set_operators(measured.Operators);
  add(measured.Tensors, *size.mutable_tensors());
  add(measured.Peak, *size.mutable_peak());
  size.set_constant_bytes(measured.Constants);
  return size;
}

void add(const GraphSize &size, GraphSize &sum) {
  sum.set_operators(sum.operators() + size.operators());
  TensorBytes &tensors = *sum.mutable_tensors();
  tensors.set_bytes(tensors.bytes() + size.tensors().bytes());
  tensors.set_open(tensors.open() + size.tensors().open());
  TensorBytes &peak = *sum.mutable_peak();
  peak.set_bytes(std::max(peak.bytes(), size.peak().bytes()));
  peak.set_open(std::max(peak.open(), size.peak().open()));
  sum.set_constant_bytes(sum.constant_bytes() + size.constant_bytes());
}

bool hasTensors(const GraphSize &size) {
  return size.operators() || size.constant_bytes();
}

void addCount(llvm::StringRef what, uint32_t number, PassStatistics &row) {
  for (Count &count : *row.mutable_counts())
    if (count.what() == what) {
      count.set_number(count.number() + number);
      return;
    }
  Count &count = *row.add_counts();
  count.set_what(what.str());
  count.set_number(number);
}

} // namespace

PassStatisticsCollector::~PassStatisticsCollector() {
  auto &rows = *statistics.mutable_passes();
  rows.erase(std::remove_if(rows.begin(), rows.end(),
                            [](const PassStatistics &row) {
                              return !hasTensors(row.before()) ||
                                     !hasTensors(row.after());
                            }),
             rows.end());
}

void PassStatisticsCollector::runBeforePass(mlir::Pass *pass,
                                            mlir::Operation *root) {
  if (isPass(*pass))
    running[root] = {sizeOf(root), countsOf(*pass)};
}

void PassStatisticsCollector::runAfterPass(mlir::Pass *pass,
                                           mlir::Operation *root) {
  auto started = running.find(root);
  if (!isPass(*pass) || started == running.end())
    return;
  Running before = std::move(started->second);
  running.erase(started);
  PassStatistics &row = rowOf(*pass, root);
  add(before.size, *row.mutable_before());
  add(sizeOf(root), *row.mutable_after());
  for (auto [what, number] : countsOf(*pass))
    if (number != before.counts.lookup(what))
      addCount(what, number - before.counts.lookup(what), row);
}

PassStatistics &PassStatisticsCollector::rowOf(const mlir::Pass &pass,
                                               mlir::Operation *root) {
  int index;
  if (llvm::isa<mlir::ModuleOp>(root)) {
    passed.clear();
    index = statistics.passes_size();
    groupStart = index + 1;
  } else {
    index = groupStart + passed[root]++;
  }
  if (index < statistics.passes_size())
    return *statistics.mutable_passes(index);
  PassStatistics &row = *statistics.add_passes();
  row.set_pass(pass.getArgument().str());
  row.set_stage(stage);
  return row;
}

} // namespace tenon::compiler
