//===- DotTile.h - Tiles of dot products of bytes ---------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_CPU_INTRINSICS_DOTTILE_H
#define TENON_LIB_TARGET_CPU_INTRINSICS_DOTTILE_H

#include "DotInstruction.h"
#include "TileLoops.h"

#include "../DotProduct.h"

namespace tenon {

/// Four bytes of each row of x against four of each column of w at a time.
class DotTile : public TileLoops {
public:
  DotTile(mlir::OpBuilder &B, mlir::linalg::GenericOp Op, const TileShape &T,
          const DotProduct &Product, DotInstruction Instruction)
      : TileLoops(B, Op, T), Product(Product), Instruction(Instruction) {}

  /// As many rows and vectors as there are registers for their sums.
  static TileShape shape(mlir::linalg::GenericOp Op, const DotProduct &Product,
                         const RegisterFile &Registers);

protected:
  void begin() override;
  void nest(llvm::ArrayRef<unsigned> Others) override;
  void tile(Part P) override;

  /// Loops `Others`, in which WeightSums are there.
  void othersWithSums(llvm::ArrayRef<unsigned> Others, Part P, Body Inner);

  DotWriter dot(Part P) {
    return DotWriter(B, Loc, Instruction, P.Lanes, Product.ZeroPoint);
  }
  llvm::SmallVector<mlir::Value> placeOfWeights(int64_t Vector, Part P);
  mlir::Value loadWeights(int64_t Vector, Part P);

  DotProduct Product;
  DotInstruction Instruction;
  mlir::Value Weights; ///< with four bytes of all columns in a row
  /// Of each vector, what sums lack (DotWriter::offsets).
  llvm::SmallVector<mlir::Value> WeightSums;

private:
  void sumWeights(Part P);
  llvm::SmallVector<mlir::Value> step(Part P, mlir::ValueRange Sums);
};

} // namespace tenon

#endif // TENON_LIB_TARGET_CPU_INTRINSICS_DOTTILE_H
