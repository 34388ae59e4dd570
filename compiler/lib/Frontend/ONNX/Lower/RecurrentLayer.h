//===- RecurrentLayer.h - What LSTM, GRU and RNN have in common -*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Of each direction the inputs' part of all gates is one matrix product; then a
// loop over the steps carries the states.  A step behind the end of its
// sequence leaves the states as they were and gives 0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_LOWER_RECURRENTLAYER_H
#define TENON_LIB_FRONTEND_ONNX_LOWER_RECURRENTLAYER_H

#include "RecurrentFunctions.h"

namespace tenon::frontend {

/// One direction, as its cell sees it.
struct Direction {
  mlir::Value Recurrence; ///< [hidden, gates * hidden]
  mlir::Value Bias,
      RecurrentBias;     ///< [gates, hidden]; null where there is none
  mlir::Value Peepholes; ///< [3, hidden], LSTM's; null likewise
  llvm::ArrayRef<Activation> Activations;
  Extents State; ///< batch, hidden
};

/// The states behind a step, H first: from the inputs' part of the gates
/// [batch, gates, hidden] and the states before.
using Cell = llvm::function_ref<mlir::FailureOr<llvm::SmallVector<mlir::Value>>(
    const Direction &Of, mlir::Value Gates,
    llvm::ArrayRef<mlir::Value> States)>;

struct LayerKind {
  int64_t Gates;
  /// The inputs that hold the states' initial values: one a state.
  llvm::ArrayRef<int64_t> Initial;
  llvm::ArrayRef<llvm::StringRef> Activations;
  /// Whether the cell adds the recurrent bias by itself.
  bool AddsRecurrentBias;
};

mlir::LogicalResult lowerLayer(Lowering &L, const LayerKind &Kind, Cell Step);

/// H by the recurrence: [batch, gates, hidden].
mlir::FailureOr<mlir::Value> recurrent(Lowering &L, mlir::Value H,
                                       mlir::Value Recurrence, int64_t Gates);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_LOWER_RECURRENTLAYER_H
