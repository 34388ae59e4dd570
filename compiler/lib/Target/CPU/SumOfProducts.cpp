//===- SumOfProducts.cpp - What products add up to ------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "SumOfProducts.h"

#include "VectorBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tenon;

OpOperand *tenon::operandOf(linalg::GenericOp Op, Value V) {
  auto Argument = dyn_cast_or_null<BlockArgument>(V);
  return Argument && Argument.getOwner() == Op.getBody()
             ? &Op->getOpOperand(Argument.getArgNumber())
             : nullptr;
}

std::pair<Value, int32_t> tenon::readOffset(Value V) {
  auto Sub = V.getDefiningOp<arith::SubIOp>();
  APInt Number;
  if (Sub && matchPattern(Sub.getRhs(), m_ConstantInt(&Number)))
    return {Sub.getLhs(), Number.getSExtValue()};
  return {V, 0};
}

/// The product of `V` and what it is added to, of integers or floats.
template <typename AddOp, typename MulOp>
static bool readAddition(Value V, SumOfProducts &S) {
  auto Add = V.getDefiningOp<AddOp>();
  if (!Add)
    return false;
  S.Before = Add.getLhs();
  auto Product = Add.getRhs().template getDefiningOp<MulOp>();
  if (!Product) {
    S.Before = Add.getRhs();
    Product = Add.getLhs().template getDefiningOp<MulOp>();
  }
  if (!Product || Product.getType().getIntOrFloatBitWidth() != 32)
    return false;
  S.Factors[0] = Product.getLhs();
  S.Factors[1] = Product.getRhs();
  return true;
}

/// Before and Factors, of Sum.
static bool readStep(SumOfProducts &S) {
  if (auto Fused = S.Sum.getDefiningOp<math::FmaOp>();
      Fused && Fused.getType().isF32()) {
    S.Before = Fused.getC();
    S.Factors[0] = Fused.getA();
    S.Factors[1] = Fused.getB();
    return true;
  }
  return readAddition<arith::AddIOp, arith::MulIOp>(S.Sum, S) ||
         readAddition<arith::AddFOp, arith::MulFOp>(S.Sum, S);
}

/// The operations of the body that `Results` need and that lie behind `From`;
/// false where one is not the same on vectors.
static bool collect(linalg::GenericOp Op, ArrayRef<Value> Results, Value From,
                    SmallVector<Operation *> &To) {
  llvm::SmallPtrSet<Value, 16> Needed(Results.begin(), Results.end());
  for (Operation &Inner : llvm::reverse(Op.getBody()->without_terminator())) {
    if (llvm::is_contained(Inner.getResults(), From) ||
        llvm::none_of(Inner.getResults(),
                      [&](Value V) { return Needed.contains(V); }))
      continue;
    if (!worksOnVectors(Inner))
      return false;
    To.push_back(&Inner);
    Needed.insert(Inner.operand_begin(), Inner.operand_end());
  }
  std::reverse(To.begin(), To.end());
  return true;
}

/// Sum and Result, Start, of what FuseEpilogues made.
static bool readFused(linalg::GenericOp Op, SumOfProducts &S) {
  Operation *Yield = Op.getBody()->getTerminator();
  S.Destination = Op.getDpsInitOperand(Op.getNumDpsInits() - 1);
  if (Op.getNumDpsInits() > 1) {
    S.Sum = Yield->getOperand(0);
    S.Result = Yield->getOperand(1);
  } else {
    S.Sum = S.Result = Yield->getOperand(0);
    if (auto Last = S.Sum.getDefiningOp<arith::SelectOp>()) {
      S.Sum = Last.getFalseValue();
      S.Result = Last.getTrueValue();
    }
  }
  if (!readStep(S))
    return false;
  auto First = S.Before.getDefiningOp<arith::SelectOp>();
  S.Start = First ? operandOf(Op, First.getTrueValue()) : nullptr;
  return S.Start && First.getFalseValue() == Op.getRegionOutputArgs()[0] &&
         collect(Op, S.Result, S.Sum, S.Epilogue);
}

std::optional<SumOfProducts> tenon::readSumOfProducts(linalg::GenericOp Op) {
  SumOfProducts S;
  if (Op->hasAttr(EpilogueAttr)) {
    if (!readFused(Op, S))
      return std::nullopt;
  } else {
    S.Sum = Op.getBody()->getTerminator()->getOperand(0);
    if (Op.getNumDpsInits() != 1 || !Op.getNumReductionLoops() ||
        !readStep(S) || S.Before != Op.getRegionOutputArgs()[0])
      return std::nullopt;
    S.Start = S.Destination = Op.getDpsInitOperand(0);
  }
  return collect(Op, S.Sum, S.Before, S.Step) ? std::optional(S) : std::nullopt;
}
