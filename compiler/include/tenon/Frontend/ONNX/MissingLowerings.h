//===- MissingLowerings.h - What of a model cannot be imported --*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_FRONTEND_ONNX_MISSINGLOWERINGS_H
#define TENON_FRONTEND_ONNX_MISSINGLOWERINGS_H

#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace tenon {

/// A problem of the import.
struct MissingLowering {
  /// The node; empty, as the next three, where the problem is an input's or an
  /// output's.
  std::string Node, Operator;
  std::string Domain; ///< empty for ai.onnx
  int64_t Opset = 0;
  std::string Reason;
};

/// Every problem that importing `model`, a module that prepareModel prepared,
/// has: each node without a lowering once, in the order of the graph,
/// with those in bodies.  A node that only reads what another one lacks is not
/// among them.
std::vector<MissingLowering> findMissing(mlir::ModuleOp model);

} // namespace tenon

#endif // TENON_FRONTEND_ONNX_MISSINGLOWERINGS_H
