//===- DotProduct.h - Sums of four products of bytes ------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// sum u[4 * c + k] * (w[c, f, k] - z) over k < 4 and whatever else is reduced,
// with u = x + 128 without a sign: what PackProducts makes, and tiles are
// written for by what the host has. FuseEpilogues adds what is done with a sum.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_CPU_DOTPRODUCT_H
#define TENON_LIB_TARGET_CPU_DOTPRODUCT_H

#include "RegisterFile.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace tenon {

/// What a body adds to its first result.
struct ProductSum {
  mlir::Value Before;     ///< the sum
  mlir::Value Factors[2]; ///< numbers of 32 bits
  mlir::Value Sum;        ///< with their product
};

/// Nothing where the first result is anything else.
std::optional<ProductSum> readProductSum(mlir::linalg::GenericOp Op);

/// A number less a constant, which may be none.
std::pair<mlir::Value, int32_t> readOffset(mlir::Value V);

struct DotProduct {
  static constexpr int64_t Depth = 4; ///< products that are added at once

  mlir::OpOperand *X = nullptr, *W = nullptr;
  unsigned Results = 0;  ///< the loop over f
  unsigned InFour = 0;   ///< the loop over k
  int32_t ZeroPoint = 0; ///< of w
  /// What sums begin with, an input; null where it is the first result.
  mlir::OpOperand *Start = nullptr;
  mlir::Value Sum; ///< in the body
  /// What makes the other results of the whole sum, in the body's order. The
  /// first is not read by anybody then.
  llvm::SmallVector<mlir::Operation *> Epilogue;

  /// Sum + (X + 128) * (W - ZeroPoint), of single elements.
  static mlir::Value writeBody(mlir::OpBuilder &B, mlir::Location Loc,
                               mlir::Value X, mlir::Value W, mlir::Value Sum,
                               int32_t ZeroPoint);
};

/// `Op`, on buffers or tensors, as PackProducts or FuseEpilogues made it.
std::optional<DotProduct> readDotProduct(mlir::linalg::GenericOp Op);

/// Writes steps of dot products for so many results at a time. Sums are held in
/// `partial` numbers a result, which `finish` adds.
class DotWriter {
public:
  DotWriter(mlir::OpBuilder &B, mlir::Location Loc, DotInstruction Instruction,
            int64_t Lanes);

  mlir::Value zero();
  /// What four bytes of x, a vector, are multiplied as.
  mlir::Value activations(mlir::Value Bytes);
  /// What 4 * Lanes bytes of w, a vector, are multiplied as.
  mlir::Value weights(mlir::Value Bytes, int32_t ZeroPoint);
  mlir::Value step(mlir::Value Sum, mlir::Value Activations,
                   mlir::Value Weights);
  /// A vector of Lanes numbers of 32 bits, or the number where it is one.
  mlir::Value finish(mlir::Value Sum);

  /// Results in one vector register, which holds all their partial sums.
  static int64_t lanes(const RegisterFile &Registers);

private:
  mlir::VectorType vector(int64_t Count, unsigned Bits);

  mlir::OpBuilder &B;
  mlir::Location Loc;
  DotInstruction Instruction;
  int64_t Lanes;
  int64_t Partial; ///< sums of a result
};

} // namespace tenon

#endif // TENON_LIB_TARGET_CPU_DOTPRODUCT_H
