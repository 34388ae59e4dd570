//===- LoopWork.cpp - How much a loop nest does ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "LoopWork.h"

#include "SumOfProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tenon;

/// Not constants, nor casts, which prepare for others: of a sum of products of
/// bytes, what counts are the products and the sum.
static bool computes(Operation &Op) {
  return Op.getNumResults() && !Op.hasTrait<OpTrait::ConstantLike>() &&
         !llvm::isa<CastOpInterface>(Op);
}

/// An epilogue, once for each of many products, is not counted, nor is the
/// tensor of sums beside its result, which nobody touches.
LoopWork tenon::workOf(linalg::LinalgOp Op) {
  LoopWork Work;
  auto elements = [](ArrayRef<int64_t> Extents) -> std::optional<uint64_t> {
    uint64_t Count = 1;
    for (int64_t Extent : Extents) {
      if (ShapedType::isDynamic(Extent))
        return std::nullopt;
      Count = llvm::SaturatingMultiply<uint64_t>(Count, Extent);
    }
    return Count;
  };
  auto Generic = dyn_cast<linalg::GenericOp>(Op.getOperation());
  auto Sum = Generic ? readSumOfProducts(Generic) : std::nullopt;
  auto isTouched = [&](OpOperand &Operand) {
    return !Sum || !Sum->hasEpilogue() || !Op.isDpsInit(&Operand) ||
           &Operand == Sum->Destination;
  };
  if (auto Steps = elements(Op.getStaticLoopRanges())) {
    uint64_t Each = Sum ? 2 : llvm::count_if(*Op.getBlock(), computes);
    Work.Operations = llvm::SaturatingMultiply<uint64_t>(*Steps, Each);
  }
  for (OpOperand &Operand : Op->getOpOperands()) {
    auto Type = dyn_cast<MemRefType>(Operand.get().getType());
    if (!Type || !Type.getElementType().isIntOrFloat() || !isTouched(Operand))
      continue;
    auto Count = elements(Type.getShape());
    if (!Count)
      return {};
    Work.Bytes += *Count * llvm::divideCeil(Type.getElementTypeBitWidth(), 8);
  }
  return Work;
}

Value tenon::estimatedNanoseconds(OpBuilder &B, linalg::LinalgOp Op) {
  constexpr uint64_t StepsOfReduction = 32, OpsOfWalk = 16, OpsOfFunction = 16;
  bool Reduces = Op.getNumReductionLoops() > 0;
  uint64_t Ops = Reduces ? 1 : 0;
  Op->walk([&](Operation *Inner) {
    if (llvm::isa<math::MathDialect>(Inner->getDialect()))
      Ops += OpsOfFunction;
    else if (!Reduces)
      ++Ops; // `Op` too: it writes
  });
  uint64_t Each = Reduces ? StepsOfReduction : OpsOfWalk;
  SmallVector<Value> Open;
  for (Range R : Op.createLoopRanges(B, Op.getLoc())) {
    if (auto Extent = getConstantIntValue(R.size))
      Ops = llvm::SaturatingMultiply<uint64_t>(Ops, *Extent);
    else
      Open.push_back(cast<Value>(R.size));
  }
  Value Result = arith::ConstantIndexOp::create(
      B, Op.getLoc(), Open.empty() ? Ops / Each : Ops);
  for (Value Extent : Open)
    Result = arith::MulIOp::create(B, Op.getLoc(), Result, Extent);
  if (Open.empty())
    return Result;
  return arith::DivUIOp::create(
      B, Op.getLoc(), Result,
      arith::ConstantIndexOp::create(B, Op.getLoc(), Each));
}
