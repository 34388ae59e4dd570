//===- Gathered.h - What a loop's iterations give, in one tensor -*- C++
//-*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_LOWER_GATHERED_H
#define TENON_LIB_FRONTEND_ONNX_LOWER_GATHERED_H

#include "Bodies.h"

namespace tenon::frontend {

/// `Of` without `Axis`.
mlir::RankedTensorType without(mlir::RankedTensorType Of, int64_t Axis);
/// The slice of `Tensor` at index `At` of `Axis`, without that axis.
mlir::Value sliceAt(Lowering &L, mlir::Value Tensor, int64_t Axis,
                    OpFoldResult At);

/// One tensor an iteration, a row, along a new axis of a tensor that the loop
/// carries, its space.  Where nobody knows the number of rows or their extents
/// before the loop, the first row makes the space and it doubles when it is
/// full.  Rows of different extents are an error at run time.
class Gathered {
public:
  /// Along `Axis` of the space; `Count` rows, where that is known.  `Zeroed`:
  /// rows that no iteration gives are zero.
  Gathered(PlainType Row, int64_t Axis, std::optional<OpFoldResult> Count,
           bool Zeroed = false)
      : Row(Row), Axis(Axis), Count(Count), Zeroed(Zeroed) {}

  /// Before the loop.
  mlir::Value begin(Lowering &L) const;
  /// In iteration `Iteration`, counted from 0: `Space` with `Of` at `Position`,
  /// which is less than the count.
  mlir::Value add(Lowering &L, mlir::Value Space, mlir::Value Of,
                  mlir::Value Iteration, mlir::Value Position) const;
  /// Behind the loop that had `Iterations`.
  Plain end(Lowering &L, mlir::Value Space, OpFoldResult Iterations) const;

private:
  bool isFixed() const { return Count && Row.Tensor.hasStaticShape(); }
  Extents around(llvm::ArrayRef<OpFoldResult> OfRow, OpFoldResult Along) const;
  mlir::Value space(Lowering &L, llvm::ArrayRef<OpFoldResult> Of) const;
  mlir::Value grown(Lowering &L, mlir::Value Space, mlir::Value Of,
                    mlir::Value Iteration) const;

  PlainType Row;
  int64_t Axis;
  std::optional<OpFoldResult> Count;
  bool Zeroed;
};

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_LOWER_GATHERED_H
