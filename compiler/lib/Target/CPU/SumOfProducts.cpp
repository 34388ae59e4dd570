//===- SumOfProducts.cpp - What products add up to ------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "SumOfProducts.h"

#include "VectorBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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

/// Before, Factors and Sum.
static bool readStep(linalg::GenericOp Op, SumOfProducts &S) {
  S.Sum = Op.getBody()->getTerminator()->getOperand(0);
  auto Add = S.Sum.getDefiningOp<arith::AddIOp>();
  if (!Add)
    return false;
  S.Before = Add.getLhs();
  auto Product = Add.getRhs().getDefiningOp<arith::MulIOp>();
  if (!Product) {
    S.Before = Add.getRhs();
    Product = Add.getLhs().getDefiningOp<arith::MulIOp>();
  }
  if (!Product || !Product.getType().isInteger(32))
    return false;
  S.Factors[0] = Product.getLhs();
  S.Factors[1] = Product.getRhs();
  return true;
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

std::optional<SumOfProducts> tenon::readSumOfProducts(linalg::GenericOp Op) {
  SumOfProducts S;
  if (!readStep(Op, S) || !collect(Op, S.Sum, S.Before, S.Step))
    return std::nullopt;
  if (Op.getNumDpsInits() == 1) {
    S.Start = operandOf(Op, S.Before);
    return S.Start == Op.getDpsInitOperand(0) ? std::optional(S) : std::nullopt;
  }
  auto Choice = S.Before.getDefiningOp<arith::SelectOp>();
  if (!Choice || Choice.getFalseValue() != Op.getRegionOutputArgs()[0])
    return std::nullopt;
  S.Start = operandOf(Op, Choice.getTrueValue());
  SmallVector<Value> Others(
      Op.getBody()->getTerminator()->getOperands().drop_front());
  if (!S.Start || !collect(Op, Others, S.Sum, S.Epilogue) || S.Epilogue.empty())
    return std::nullopt;
  return S;
}
