//===- Checks.cpp - What only the run can check of many elements ---------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace tenon::frontend;

void tenon::frontend::requireAll(Lowering &L, Value Tensor,
                                 Lowering::Body Holds, const Twine &Message) {
  int64_t Rank = cast<RankedTensorType>(Tensor.getType()).getRank();
  Value Fine = L.reduced(
      Tensor, llvm::to_vector(llvm::seq<int64_t>(0, Rank)), /*Keeps=*/false,
      L.integer(L.B.getI1Type(), 1),
      [&](OpBuilder &B, Location Loc, ValueRange E) -> Value {
        return arith::AndIOp::create(B, Loc, Holds(B, Loc, E[0]), E[1]);
      });
  L.require(tensor::ExtractOp::create(L.B, Fine, ValueRange()), Message);
}

void tenon::frontend::requireIndices(Lowering &L, Value Indices,
                                     OpFoldResult Limit,
                                     std::optional<int64_t> Except,
                                     const Twine &Message) {
  Value End = L.index(Limit), Zero = L.index(int64_t(0));
  Value Ignored = Except ? L.index(*Except) : Value();
  requireAll(
      L, Indices,
      [&](OpBuilder &B, Location Loc, ValueRange E) -> Value {
        Value At = arith::IndexCastOp::create(B, Loc, B.getIndexType(), E[0]);
        Value Fits = arith::AndIOp::create(
            B, Loc,
            arith::CmpIOp::create(B, Loc, arith::CmpIPredicate::sge, At, Zero),
            arith::CmpIOp::create(B, Loc, arith::CmpIPredicate::slt, At, End));
        if (!Ignored)
          return Fits;
        return arith::OrIOp::create(
            B, Loc, Fits,
            arith::CmpIOp::create(B, Loc, arith::CmpIPredicate::eq, At,
                                  Ignored));
      },
      Message);
}

Value tenon::frontend::clampedIndex(OpBuilder &B, Location Loc, Value Index,
                                    Value Limit) {
  Value Zero = arith::ConstantIndexOp::create(B, Loc, 0);
  Value One = arith::ConstantIndexOp::create(B, Loc, 1);
  Value At = arith::IndexCastOp::create(B, Loc, B.getIndexType(), Index);
  At = arith::MinSIOp::create(B, Loc, At,
                              arith::SubIOp::create(B, Loc, Limit, One));
  return arith::MaxSIOp::create(B, Loc, At, Zero);
}
