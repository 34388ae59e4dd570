//===- RecurrentFunctions.h - Functions of recurrent layers -----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_LOWER_RECURRENTFUNCTIONS_H
#define TENON_LIB_FRONTEND_ONNX_LOWER_RECURRENTFUNCTIONS_H

#include "Lowering.h"

namespace tenon::frontend {

struct ActivationKind;

/// One of the functions that LSTM, GRU and RNN name, with its numbers.
struct Activation {
  const ActivationKind *Kind;
  double Alpha, Beta;
  /// The input is kept within [-Clip, Clip], where this is positive.
  double Clip;

  mlir::Value operator()(mlir::OpBuilder &B, mlir::Location Loc,
                         mlir::Value X) const;
};

/// The attributes activations, activation_alpha, activation_beta and clip:
/// `Default` once for each of `Directions`, where the node names none.
mlir::FailureOr<llvm::SmallVector<Activation>>
readActivations(Lowering &L, llvm::ArrayRef<llvm::StringRef> Default,
                int64_t Directions);

/// 1 / (1 + exp(-x)).
mlir::Value logistic(mlir::OpBuilder &B, mlir::Location Loc, mlir::Value X);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_LOWER_RECURRENTFUNCTIONS_H
