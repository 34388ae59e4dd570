//===- DotInstruction.h - Products of bytes by what a host has --*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_CPU_INTRINSICS_DOTINSTRUCTION_H
#define TENON_LIB_TARGET_CPU_INTRINSICS_DOTINSTRUCTION_H

#include "../RegisterFile.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tenon {

/// Whether it multiplies four bytes by four.
inline bool multipliesBytes(DotInstruction Instruction) {
  return Instruction == DotInstruction::Quads ||
         Instruction == DotInstruction::SignedQuads;
}

/// Sum + X * W, each number of which is added to one of Sum with its
/// neighbours: of 16 bits two of them, of 8 bits four.
mlir::Value multiplyNeighbours(mlir::OpBuilder &B, mlir::Location Loc,
                               DotInstruction Instruction, mlir::Value Sum,
                               mlir::Value X, mlir::Value W);

/// Writes steps of dot products sum u * (w - z), u = x + 128, for so many
/// results at a time. Sums are held in `partial` numbers a result, which
/// `finish` adds. Bytes less a zero point are no bytes: what multiplies bytes
/// sums up its activations a, u or x, beside, since
///   sum a * (w - z) = sum a * w - z * sum a.
/// What multiplies bytes with signs has x itself, and its sums lack
///   sum 128 * (w - z).
class DotWriter {
public:
  DotWriter(mlir::OpBuilder &B, mlir::Location Loc, DotInstruction Instruction,
            int64_t Lanes, int32_t ZeroPoint);

  /// Whether `finish` asks for a sum of x.
  static bool sumsActivations(DotInstruction Instruction, int32_t ZeroPoint) {
    return multipliesBytes(Instruction) && ZeroPoint != 0;
  }
  bool sumsActivations() const {
    return sumsActivations(Instruction, ZeroPoint);
  }

  /// Whether `offsets` are to be added to what `finish` makes.
  bool lacksOffsets() const {
    return Instruction == DotInstruction::SignedQuads;
  }

  mlir::Value zero();
  /// What four bytes of x, a vector, are multiplied as.
  mlir::Value activations(mlir::Value Bytes);
  /// What 4 * Lanes bytes of w, a vector, are multiplied as.
  mlir::Value weights(mlir::Value Bytes);
  mlir::Value step(mlir::Value Sum, mlir::Value Activations,
                   mlir::Value Weights);
  /// A step of a sum of activations.
  mlir::Value step(mlir::Value Sum, mlir::Value Activations);
  /// `Sum` and what a step lacks where x has a sign: 128 * (w - z).
  mlir::Value offsets(mlir::Value Sum, mlir::Value Weights);
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

#endif // TENON_LIB_TARGET_CPU_INTRINSICS_DOTINSTRUCTION_H
