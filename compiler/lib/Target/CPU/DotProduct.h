//===- DotProduct.h - Sums of four products of bytes ------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// sum u[4 * c + k] * (w[c, f, k] - z) over k < 4 and whatever else is reduced,
// or, of many results, w[f / 16, c, f % 16, k],
// with u = x + 128 without a sign: what PackProducts makes, and tiles are
// written for by what the host has.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_CPU_DOTPRODUCT_H
#define TENON_LIB_TARGET_CPU_DOTPRODUCT_H

#include "RegisterFile.h"
#include "SumOfProducts.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace tenon {

struct DotProduct {
  static constexpr int64_t Depth = 4; ///< products that are added at once
  /// Results whose weights lie together: of no host does a vector have more.
  static constexpr int64_t Panel = 16;

  mlir::OpOperand *X = nullptr, *W = nullptr;
  unsigned Results = 0;  ///< the loop over f
  unsigned InFour = 0;   ///< the loop over k
  int32_t ZeroPoint = 0; ///< of w
  SumOfProducts Sum;

  /// Sum + (X + 128) * (W - ZeroPoint), of single elements.
  static mlir::Value writeBody(mlir::OpBuilder &B, mlir::Location Loc,
                               mlir::Value X, mlir::Value W, mlir::Value Sum,
                               int32_t ZeroPoint);
};

/// `Op`, on buffers or tensors, as PackProducts or FuseEpilogues made it.
std::optional<DotProduct> readDotProduct(mlir::linalg::GenericOp Op);

/// Sum + X * W, each number of which is added to one of Sum with its
/// neighbours: of 16 bits two of them, of 8 bits four, of X without a sign.
mlir::Value multiplyNeighbours(mlir::OpBuilder &B, mlir::Location Loc,
                               DotInstruction Instruction, mlir::Value Sum,
                               mlir::Value X, mlir::Value W);

/// Writes steps of dot products for so many results at a time. Sums are held in
/// `partial` numbers a result, which `finish` adds. Bytes less a zero point are
/// no bytes: what multiplies bytes sums up x beside, since
///   sum u * (w - z) = sum u * w - z * sum u.
class DotWriter {
public:
  DotWriter(mlir::OpBuilder &B, mlir::Location Loc, DotInstruction Instruction,
            int64_t Lanes, int32_t ZeroPoint);

  /// Whether `finish` asks for a sum of x.
  static bool sumsActivations(DotInstruction Instruction, int32_t ZeroPoint) {
    return Instruction == DotInstruction::Quads && ZeroPoint != 0;
  }
  bool sumsActivations() const {
    return sumsActivations(Instruction, ZeroPoint);
  }

  mlir::Value zero();
  /// What four bytes of x, a vector, are multiplied as.
  mlir::Value activations(mlir::Value Bytes);
  /// What 4 * Lanes bytes of w, a vector, are multiplied as.
  mlir::Value weights(mlir::Value Bytes);
  mlir::Value step(mlir::Value Sum, mlir::Value Activations,
                   mlir::Value Weights);
  /// A step of a sum of x.
  mlir::Value step(mlir::Value Sum, mlir::Value Activations);
  /// A vector of Lanes numbers of 32 bits, or the number where it is one.
  /// `OfActivations` where it is summed, else null.
  mlir::Value finish(mlir::Value Sum, mlir::Value OfActivations);

  /// Results in one vector register, which holds all their partial sums.
  static int64_t lanes(const RegisterFile &Registers);

private:
  /// Four numbers of so many bits for every result.
  mlir::Value repeat(mlir::Value Four, unsigned Bits);
  mlir::VectorType vector(int64_t Count, unsigned Bits);

  mlir::OpBuilder &B;
  mlir::Location Loc;
  DotInstruction Instruction;
  int64_t Lanes;
  int32_t ZeroPoint; ///< of w
  int64_t Partial;   ///< sums of a result
};

} // namespace tenon

#endif // TENON_LIB_TARGET_CPU_DOTPRODUCT_H
