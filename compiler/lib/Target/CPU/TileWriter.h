//===- TileWriter.h - Loops over tiles, and tiles of every kind -*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// TileLoops.cpp has the loops and the tiles that compute a body as it is, the
// others are each in a file of their own.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_CPU_TILEWRITER_H
#define TENON_LIB_TARGET_CPU_TILEWRITER_H

#include "RegisterTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/IRMapping.h"

#include <map>

namespace tenon {

/// Writes the loops of one operation.
class TileWriter {
public:
  TileWriter(mlir::OpBuilder &B, mlir::linalg::GenericOp Op,
             const RegisterTile &T)
      : B(B), Loc(Op.getLoc()), Op(Op), T(T), At(Op.getNumLoops()) {}
  void write(const std::optional<Share> &S);

private:
  friend class DepthwiseTile;

  /// A tile that is whole or what is left of one.
  struct Part {
    int64_t Rows, Vectors, Lanes;
    int64_t Columns = Vectors * Lanes; ///< that there are
    int64_t Outers = 1;                ///< of matrices
  };
  using Body = llvm::function_ref<void()>;

  mlir::Value index(int64_t Number) {
    return mlir::arith::ConstantIndexOp::create(B, Loc, Number);
  }
  mlir::Value bound(mlir::OpFoldResult Extent) {
    return mlir::getValueOrCreateConstantIndexOp(B, Loc, Extent);
  }
  /// Ranges of all loops.
  void range(const std::optional<Share> &S, llvm::ArrayRef<unsigned> Others);
  /// A loop over At[Loop] from `From` to `To`.
  void loop(unsigned Loop, mlir::OpFoldResult From, mlir::OpFoldResult To,
            int64_t Step, Body Inner);
  /// Loop `Loop` in parts: as many of the first size as fit, then of the next.
  void inParts(unsigned Loop, llvm::ArrayRef<Part> Parts,
               llvm::function_ref<int64_t(const Part &)> SizeOf,
               llvm::function_ref<void(Part)> Inner);
  void vectors(int64_t Rows, llvm::function_ref<void(Part)> Inner);
  void rows(llvm::function_ref<void(int64_t)> Inner);
  void others(llvm::ArrayRef<unsigned> Loops, Body Inner);
  void tile(Part P);
  /// What a step makes of the sums.
  using Step =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)>;
  /// The sums after loops, outermost first.
  llvm::SmallVector<mlir::Value> reduce(llvm::ArrayRef<unsigned> Loops,
                                        llvm::SmallVector<mlir::Value> Sums,
                                        Step Each);
  llvm::SmallVector<mlir::Value> reduce(unsigned Loop, mlir::OpFoldResult From,
                                        mlir::OpFoldResult To, int64_t Distance,
                                        llvm::SmallVector<mlir::Value> Sums,
                                        Step Each);
  /// What was loaded of an input for a row and a vector, once for all that it
  /// is the same for.
  using Loads =
      std::map<std::tuple<mlir::OpOperand *, int64_t, int64_t>, mlir::Value>;
  mlir::Value read(mlir::OpOperand &Input, int64_t Row, int64_t Vector, Part P,
                   Loads &Loaded);
  /// An operation of the body, on vectors.
  void clone(mlir::Operation &Inner, Part P, mlir::IRMapping &Map);
  /// Several, with the inputs that they need.
  void clone(llvm::ArrayRef<mlir::Operation *> Body, int64_t Row,
             int64_t Vector, Part P, mlir::IRMapping &Map, Loads &Loaded);
  llvm::SmallVector<mlir::Value> step(Part P, mlir::ValueRange Sums);
  llvm::SmallVector<mlir::Value> dotStep(Part P, mlir::ValueRange Sums);
  llvm::SmallVector<mlir::Value> fusedStep(Part P, mlir::ValueRange Sums);
  void dotTile(Part P);
  mlir::Value rowsOfWeights(mlir::Value Packed);
  mlir::Value loadWeights(int64_t Vector, Part P);
  llvm::SmallVector<mlir::Value> placeOfWeights(int64_t Vector, Part P);
  void sumWeights(Part P);
  /// Whether all tiles of a part have the same matrices.
  bool hasOneShape();
  void configure(Part P);
  void releaseMatrices();
  void matrixStep(Part P);
  void matrixLoops(Part P, llvm::ArrayRef<unsigned> Others);
  void matrixTile(Part P);
  void unload(Part P);
  void finishUnloaded(Part P);
  void finishColumns(mlir::Value Row, mlir::Value First, int64_t Column,
                     Part P);
  void depthwiseTile(Part P);
  void fusedTile(Part P);
  void extremumTile(Part P);
  llvm::SmallVector<mlir::Value> extrema(llvm::ArrayRef<mlir::Value> Starts,
                                         Part P);
  /// Stores what an operation makes of a whole sum.
  void finish(const SumOfProducts &Of, mlir::Value Sum, int64_t Row,
              int64_t Vector, Part P, Loads &Loaded);
  DotWriter dot(Part P) {
    return DotWriter(B, Loc, T.Instruction, P.Lanes, T.Dot->ZeroPoint);
  }
  mlir::Value loadBytes(mlir::Value Memory, mlir::ValueRange Where,
                        int64_t Count);

  llvm::SmallVector<mlir::Value> place(mlir::OpOperand &Operand, int64_t Row,
                                       int64_t Vector, Part P);
  mlir::Type onLanes(mlir::Type Element, Part P) {
    return P.Lanes == 1 ? Element : mlir::VectorType::get({P.Lanes}, Element);
  }
  mlir::Value load(mlir::OpOperand &Operand, int64_t Row, int64_t Vector,
                   Part P);
  void store(mlir::Value V, mlir::OpOperand &Operand, int64_t Row,
             int64_t Vector, Part P);
  bool depends(mlir::OpOperand &Operand, std::optional<unsigned> Loop) {
    return Loop && Op.getMatchingIndexingMap(&Operand).isFunctionOfDim(*Loop);
  }
  mlir::Value spread(mlir::Value V, Part P);

  mlir::OpBuilder &B;
  mlir::Location Loc;
  mlir::linalg::GenericOp Op;
  const RegisterTile &T;
  llvm::SmallVector<mlir::Value> At; ///< where each loop is
  llvm::SmallVector<mlir::OpFoldResult> Extents;
  llvm::SmallVector<LoopRange> Ranges; ///< of it that are walked
  llvm::SmallVector<unsigned> Reductions;
  mlir::Value Weights; ///< of a dot product, [..., F * 4]
  /// Of matrices: sums of 128 * Weights, of each vector; where sums lie that
  /// leave the tile registers.
  llvm::SmallVector<mlir::Value> WeightSums;
  mlir::Value Unloaded, ShapesOfTiles;
};

} // namespace tenon

#endif // TENON_LIB_TARGET_CPU_TILEWRITER_H
