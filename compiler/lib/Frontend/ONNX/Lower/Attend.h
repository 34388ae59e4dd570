//===- Attend.h - One Attention ---------------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_LOWER_ATTEND_H
#define TENON_LIB_FRONTEND_ONNX_LOWER_ATTEND_H

#include "Lowering.h"

namespace tenon::frontend {

/// One Attention: tensors are [batch, heads, length, size].
class Attend {
public:
  explicit Attend(Lowering &L) : L(L) {}
  mlir::LogicalResult run();

private:
  mlir::LogicalResult readAttributes();
  mlir::LogicalResult readInputs();
  mlir::FailureOr<mlir::Value> heads(int64_t Input, int64_t Count);
  mlir::FailureOr<mlir::Value> withPast(mlir::Value Of, int64_t Past);
  mlir::Value rowsPerKey(mlir::Value X);
  mlir::Value ofQueries(mlir::Value X);
  mlir::Value scores();
  mlir::FailureOr<mlir::Value> mask();
  mlir::LogicalResult checkMask(llvm::ArrayRef<OpFoldResult> Of);
  mlir::FailureOr<mlir::Value> masked(mlir::Value Scores);
  mlir::Value isAllowed(mlir::OpBuilder &B, mlir::Location Loc,
                        mlir::Value Valid);
  mlir::Value probabilities(mlir::Value Masked);
  mlir::LogicalResult definePresent(int64_t Output, mlir::Value Of);
  mlir::LogicalResult defineScores(mlir::Value Of);

  Lowering &L;
  bool HasHeads = true, IsCausal = false;
  int64_t QueryHeads = 0, KeyHeads = 0, Mode = 0, Left = -1, Right = -1;
  double Scale = 0, Softcap = 0;
  bool IsDouble = false;
  mlir::Type Element, Sum;
  mlir::Value Q, K, V;      ///< in `Sum`
  mlir::Value Keys, Values; ///< K and V as they are handed out
  OpFoldResult Shared;      ///< heads of queries for each of keys
  OpFoldResult Queries;     ///< how many there are
  OpFoldResult Offset;      ///< keys before the first query
};

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_LOWER_ATTEND_H
