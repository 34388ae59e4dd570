//===- TransposeRightOperands.cpp - Products as GEMM computes them --------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// See the description in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "Reduction.h"
#include "tenon/Transforms/CountingPass.h"
#include "tenon/Transforms/Passes.h"

#include "mlir/IR/Builders.h"

namespace tenon {
#define GEN_PASS_DEF_TRANSPOSERIGHTOPERANDS
#include "tenon/Transforms/Passes.h.inc"
} // namespace tenon

using namespace mlir;
using namespace tenon;

/// Rows and columns of every matrix exchanged.
static constexpr int32_t Exchanged[] = {0, 2, 1};

static bool isTransposition(Operation *Op) {
  auto Transpose = dyn_cast_or_null<tosa::TransposeOp>(Op);
  return Transpose && Transpose.getPerms() == ArrayRef(Exchanged);
}

static Value exchange(OpBuilder &B, Value Matrices) {
  auto Type = cast<RankedTensorType>(Matrices.getType());
  ArrayRef<int64_t> Dims = Type.getShape();
  return tosa::TransposeOp::create(B, Matrices.getLoc(),
                                   Type.clone({Dims[0], Dims[2], Dims[1]}),
                                   Matrices, Exchanged);
}

namespace {
struct TransposeRightOperands
    : tenon::impl::TransposeRightOperandsBase<TransposeRightOperands>,
      CountingPass {
  void runOnOperation() override {
    getOperation().walk([&](tosa::MatMulOp Op) {
      Value Right = Op.getB();
      auto Type = dyn_cast<RankedTensorType>(Right.getType());
      if (!Type || !Type.hasStaticShape() ||
          !Type.getElementType().isInteger(8) || isConstant(Right) ||
          isTransposition(Right.getDefiningOp()))
        return;
      OpBuilder B(Op);
      Op.getBMutable().assign(exchange(B, exchange(B, Right)));
      count("right operands transposed");
    });
  }
};
} // namespace
