//===- VectorTile.h - Tiles of any body -------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_CPU_INTRINSICS_VECTORTILE_H
#define TENON_LIB_TARGET_CPU_INTRINSICS_VECTORTILE_H

#include "TileLoops.h"

namespace tenon {

/// Computes a body as it is, on vectors of neighbouring results or on single
/// ones.
class VectorTile : public TileLoops {
public:
  /// `Fused` where the operation has an epilogue.
  VectorTile(mlir::OpBuilder &B, mlir::linalg::GenericOp Op, const TileShape &T,
             std::optional<SumOfProducts> Fused)
      : TileLoops(B, Op, T), Fused(std::move(Fused)) {}

protected:
  void tile(Part P) override;

private:
  StepBody stepBody();
  llvm::SmallVector<mlir::OpOperand *> starts();

  std::optional<SumOfProducts> Fused;
};

/// A product with an epilogue, which is not plain.
std::optional<SumOfProducts> readFused(mlir::linalg::GenericOp Op);

/// Elements in a vector of the operation's numbers.
int64_t lanesOf(mlir::linalg::GenericOp Op,
                const std::optional<SumOfProducts> &Fused,
                const RegisterFile &Registers);

} // namespace tenon

#endif // TENON_LIB_TARGET_CPU_INTRINSICS_VECTORTILE_H
