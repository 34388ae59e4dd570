//===- RegisterTile.h - A tile of results in registers ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_CPU_REGISTERTILE_H
#define TENON_LIB_TARGET_CPU_REGISTERTILE_H

#include "Depthwise.h"
#include "DotProduct.h"
#include "ShareLoops.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <optional>

namespace tenon {

/// What one of x86's tile registers holds.
struct MatrixShape {
  static constexpr int64_t Rows = 16, Columns = 16, ///< of sums of 32 bits
      Fours = 16;                                   ///< bytes in a row
};

/// The loops that a tile of an operation's results extends along, and how far.
struct RegisterTile {
  std::optional<unsigned> Row, Vector; ///< loops
  int64_t Rows = 1, Vectors = 1, Lanes = 1;
  /// Whether an input is read again for every vector and another for every
  /// row, as in a matrix product.
  bool IsProduct = false;
  /// A product with an epilogue.
  std::optional<SumOfProducts> Fused;
  /// Sums of products of bytes, for what multiplies them so.
  std::optional<DotProduct> Dot;
  /// The loop over groups of four that it multiplies matrices along; where a
  /// row of matrices is enough for `Rows`, one around them that has `Outers`.
  std::optional<unsigned> Fours, Outer;
  int64_t FoursOfStep = 0, Outers = 1;
  std::optional<tenon::Depthwise> Depthwise;
  /// Of a largest or least element: `Vector` is a loop of reductions, of at
  /// least `Lanes`, in any order; what is looked at twice does no harm.
  std::optional<mlir::vector::CombiningKind> Extremum;
  DotInstruction Instruction = DotInstruction::None;
};

/// The tile of `Op`, on buffers, that shares most of what it loads; none where
/// its loops are better walked element by element.
std::optional<RegisterTile> chooseTile(mlir::linalg::GenericOp Op,
                                       const RegisterFile &Registers);

/// Writes `Op`, or a share of it, at `B` as loops over tiles of its results.
void writeTileLoops(mlir::OpBuilder &B, mlir::linalg::GenericOp Op,
                    const RegisterTile &T, const std::optional<Share> &S);

} // namespace tenon

#endif // TENON_LIB_TARGET_CPU_REGISTERTILE_H
