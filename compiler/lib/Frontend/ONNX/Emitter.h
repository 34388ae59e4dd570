//===- Emitter.h - Writes TOSA operations -----------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_EMITTER_H
#define TENON_LIB_FRONTEND_ONNX_EMITTER_H

#include "Arithmetic.h"
#include "Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/Builders.h"

namespace tenon::frontend {

/// A builder of the few TOSA forms that import needs.  Every operation gets the
/// location last set by at().
class Emitter {
public:
  explicit Emitter(mlir::MLIRContext *Context)
      : Builder(Context), Loc(mlir::UnknownLoc::get(Context)) {}

  void at(mlir::Location Location) { Loc = Location; }

  mlir::RankedTensorType type(llvm::ArrayRef<int64_t> Dims,
                              mlir::Type Element) const {
    return mlir::RankedTensorType::get(Dims, Element);
  }
  mlir::Type byte(bool IsUnsigned) {
    return IsUnsigned ? Builder.getIntegerType(8, /*isSigned=*/false) : i8();
  }
  mlir::Type i8() { return Builder.getI8Type(); }
  mlir::Type i32() { return Builder.getI32Type(); }
  mlir::Type f32() { return Builder.getF32Type(); }

  mlir::Value bytes(llvm::ArrayRef<int8_t> Values,
                    llvm::ArrayRef<int64_t> Dims);
  mlir::Value words(llvm::ArrayRef<int32_t> Values,
                    llvm::ArrayRef<int64_t> Dims);
  /// One integer of `Element` (i8, ui8 or i32), of shape 1x..x1.
  mlir::Value integer(int64_t Value, mlir::Type Element, int64_t Rank = 1);
  mlir::Value real(float Value, int64_t Rank);
  mlir::Value shape(llvm::ArrayRef<int64_t> Dims);

  /// `Tensor` with its axes in `Wanted` order.
  mlir::Value permuted(const Stored &Tensor, const Order &Wanted);
  /// Looks through a reshape that made `Value`.
  mlir::Value reshaped(mlir::Value Value, llvm::ArrayRef<int64_t> Dims);
  /// The first `Dims` of each axis; `Value` itself when that is all.
  mlir::Value sliced(mlir::Value Value, llvm::ArrayRef<int64_t> Dims);
  /// `Counts` elements of each axis from `Starts` on, `Steps` (1 or more)
  /// apart; `Value` itself when that is all.
  mlir::Value extracted(mlir::Value Value, llvm::ArrayRef<int64_t> Starts,
                        llvm::ArrayRef<int64_t> Counts,
                        llvm::ArrayRef<int64_t> Steps);
  /// An image of `Dims` (N, H, W, C) whose rows and columns `Steps` apart are
  /// the phases, phase (y, x) at y * Steps[1] + x.
  mlir::Value interleaved(llvm::ArrayRef<mlir::Value> Phases,
                          llvm::ArrayRef<int64_t> Dims,
                          llvm::ArrayRef<int64_t> Steps);
  /// `Scales`: one, or one an index of the last axis when `PerChannel`.
  mlir::Value rescaled(mlir::Value Value, mlir::Type Element,
                       llvm::ArrayRef<MultiplierShift> Scales,
                       int64_t InputZeroPoint, int64_t OutputZeroPoint,
                       bool PerChannel = false);
  /// int8; `Value` itself when the bounds are the type's.
  mlir::Value clamped(mlir::Value Value, int64_t Low, int64_t High);
  mlir::Value cast(mlir::Value Value, mlir::Type Element);
  /// The same bits as elements of another type of that width.
  mlir::Value withElement(mlir::Value Value, mlir::Type Element);
  mlir::Value multiplied(mlir::Value First, mlir::Value Second);

  template <typename Op, typename... Args>
  mlir::Value create(mlir::Type Type, Args &&...Operands) {
    return Op::create(Builder, Loc, Type, std::forward<Args>(Operands)...);
  }

  mlir::OpBuilder Builder;

private:
  mlir::Location Loc;
};

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_EMITTER_H
