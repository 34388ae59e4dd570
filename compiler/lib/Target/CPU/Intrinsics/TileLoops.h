//===- TileLoops.h - Loops over tiles of results ----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// What intrinsics derive from: the loops over tiles of one operation, and how
// its operands are read and written in one.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_CPU_INTRINSICS_TILELOOPS_H
#define TENON_LIB_TARGET_CPU_INTRINSICS_TILELOOPS_H

#include "TileShape.h"

#include "../ShareLoops.h"
#include "../SumOfProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/IRMapping.h"

#include <map>

namespace tenon {

/// Writes the loops of one operation.
class TileLoops {
public:
  virtual ~TileLoops() = default;
  /// All loops, or those of a share.
  void write(const std::optional<Share> &S);

protected:
  TileLoops(mlir::OpBuilder &B, mlir::linalg::GenericOp Op, const TileShape &T)
      : B(B), Loc(Op.getLoc()), Op(Op), T(T), At(Op.getNumLoops()) {}

  /// A tile that is whole or what is left of one.
  struct Part {
    int64_t Rows, Vectors, Lanes;
    /// That there are: fewer than its vectors have where the last of these is
    /// masked; dynamic where that is what `Rest` says.
    int64_t Columns = Vectors * Lanes;
    int64_t Outers = 1; ///< of matrices

    Part withRows(int64_t Number) const {
      return {Number, Vectors, Lanes, Columns, Outers};
    }
  };
  using Body = llvm::function_ref<void()>;
  /// What a step makes of the sums.
  using Step =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)>;
  /// What was loaded of an input for a row and a vector, once for all that it
  /// is the same for.
  using Loads =
      std::map<std::tuple<mlir::OpOperand *, int64_t, int64_t>, mlir::Value>;

  //===--------------------------------------------------------------------===//
  // What an intrinsic says
  //===--------------------------------------------------------------------===//

  /// Computes and stores a tile, where `At` says.
  virtual void tile(Part P) = 0;
  /// Before any loop; extents and reductions are there.
  virtual void begin() {}
  /// The loops around tiles, and tiles; `Others` are the parallel loops that
  /// tiles do not extend along.
  virtual void nest(llvm::ArrayRef<unsigned> Others);
  /// Iterations of a parallel loop that belong together.
  virtual int64_t stepOf(unsigned Loop) const;

  //===--------------------------------------------------------------------===//
  // Loops
  //===--------------------------------------------------------------------===//

  mlir::Value index(int64_t Number) {
    return mlir::arith::ConstantIndexOp::create(B, Loc, Number);
  }
  mlir::Value bound(mlir::OpFoldResult Extent) {
    return mlir::getValueOrCreateConstantIndexOp(B, Loc, Extent);
  }
  /// A loop over At[Loop] from `From` to `To`.
  void loop(unsigned Loop, mlir::OpFoldResult From, mlir::OpFoldResult To,
            int64_t Step, Body Inner);
  /// Loop `Loop` in parts: as many of the first size as fit, then of the next.
  /// What is left begins at the result.
  mlir::OpFoldResult inParts(unsigned Loop, llvm::ArrayRef<Part> Parts,
                             llvm::function_ref<int64_t(const Part &)> SizeOf,
                             llvm::function_ref<void(Part)> Inner);
  /// Over parts of one row.
  void vectors(llvm::function_ref<void(Part)> Inner);
  llvm::SmallVector<Part> partsOfVectors();
  void rows(llvm::function_ref<void(int64_t)> Inner);
  void others(llvm::ArrayRef<unsigned> Loops, Body Inner);
  /// The sums after loops, outermost first.
  llvm::SmallVector<mlir::Value> reduce(llvm::ArrayRef<unsigned> Loops,
                                        llvm::SmallVector<mlir::Value> Sums,
                                        Step Each);
  llvm::SmallVector<mlir::Value> reduce(unsigned Loop, mlir::OpFoldResult From,
                                        mlir::OpFoldResult To, int64_t Distance,
                                        llvm::SmallVector<mlir::Value> Sums,
                                        Step Each);

  //===--------------------------------------------------------------------===//
  // Operands
  //===--------------------------------------------------------------------===//

  bool depends(mlir::OpOperand &Operand, std::optional<unsigned> Loop) {
    return Loop && Op.getMatchingIndexingMap(&Operand).isFunctionOfDim(*Loop);
  }
  mlir::Type onLanes(mlir::Type Element, Part P) {
    return P.Lanes == 1 ? Element : mlir::VectorType::get({P.Lanes}, Element);
  }
  mlir::Value spread(mlir::Value V, Part P);
  llvm::SmallVector<mlir::Value> place(mlir::OpOperand &Operand, int64_t Row,
                                       int64_t Vector, Part P);
  /// The elements of a vector that there are, so many for each lane; null where
  /// that is all of them.
  mlir::Value mask(int64_t Vector, Part P, int64_t Each = 1);
  mlir::Value loadVector(mlir::Value Memory, mlir::ValueRange Where,
                         int64_t Count, mlir::Value Mask = mlir::Value());
  mlir::Value load(mlir::OpOperand &Operand, int64_t Row, int64_t Vector,
                   Part P);
  mlir::Value read(mlir::OpOperand &Input, int64_t Row, int64_t Vector, Part P,
                   Loads &Loaded);
  void store(mlir::Value V, mlir::OpOperand &Operand, int64_t Row,
             int64_t Vector, Part P);

  //===--------------------------------------------------------------------===//
  // Bodies
  //===--------------------------------------------------------------------===//

  /// An operation of the body, on vectors.
  void clone(mlir::Operation &Inner, Part P, mlir::IRMapping &Map);
  /// Several, with the inputs that they need.
  void clone(llvm::ArrayRef<mlir::Operation *> Body, int64_t Row,
             int64_t Vector, Part P, mlir::IRMapping &Map, Loads &Loaded);
  /// The part of a body that is done at each step: it makes `After` of
  /// `Before`.
  struct StepBody {
    llvm::SmallVector<mlir::Value> Before;
    llvm::SmallVector<mlir::Operation *> Ops;
    llvm::SmallVector<mlir::Value> After;
  };
  /// All of it.
  StepBody wholeBody();
  /// Of each row and vector, in that order, what a step makes of its sums.
  llvm::SmallVector<mlir::Value> step(const StepBody &Of, Part P,
                                      mlir::ValueRange Sums);
  /// Stores what an operation makes of a whole sum.
  void finish(const SumOfProducts &Of, mlir::Value Sum, int64_t Row,
              int64_t Vector, Part P, Loads &Loaded);

  mlir::OpBuilder &B;
  mlir::Location Loc;
  mlir::linalg::GenericOp Op;
  TileShape T;
  llvm::SmallVector<mlir::Value> At; ///< where each loop is
  llvm::SmallVector<mlir::OpFoldResult> Extents;
  llvm::SmallVector<unsigned> Reductions;

private:
  /// Ranges of all loops.
  void range(const std::optional<Share> &S, llvm::ArrayRef<unsigned> Others);

  llvm::SmallVector<LoopRange> Ranges; ///< that are walked
  mlir::Value Rest; ///< lanes of a masked vector, where that is dynamic
};

} // namespace tenon

#endif // TENON_LIB_TARGET_CPU_INTRINSICS_TILELOOPS_H
