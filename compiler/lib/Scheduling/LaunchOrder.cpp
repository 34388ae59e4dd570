//===- LaunchOrder.cpp - Which launch runs a layer ------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "LaunchOrder.h"

#include "tenon/Dialect/Accel/Accel.h"

using namespace mlir;
using namespace tenon;

llvm::DenseMap<Operation *, uint32_t> tenon::launchesOf(func::FuncOp Main) {
  llvm::DenseMap<Operation *, uint32_t> Launches;
  llvm::DenseMap<Value, uint32_t> Ready;
  for (Operation &Op : Main.getBody().front()) {
    uint32_t Round = 0;
    for (Value V : Op.getOperands())
      Round = std::max(Round, Ready.lookup(V));
    Launches[&Op] = Round;
    if (mlir::isa<accel::UnpackOp>(Op))
      ++Round;
    for (Value V : Op.getResults())
      Ready[V] = Round;
  }
  return Launches;
}
