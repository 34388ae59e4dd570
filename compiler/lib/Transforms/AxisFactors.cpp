//===- AxisFactors.cpp - Where a view's elements lie ----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "AxisFactors.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;
using namespace tenon;

void tenon::append(Axis &To, Factor F) {
  if (!To.empty() && To.back().Distance == F.Size * F.Distance)
    To.back() = {To.back().Size * F.Size, F.Distance};
  else if (F.Size != 1)
    To.push_back(F);
}

/// Axes of a tensor whose elements lie in order.
static Axes inOrder(ArrayRef<int64_t> Shape) {
  Axes Result(Shape.size());
  int64_t Distance = 1;
  for (int64_t I = Shape.size(); I-- > 0;) {
    append(Result[I], {Shape[I], Distance});
    Distance *= Shape[I];
  }
  return Result;
}

std::optional<Axes> tenon::reshaped(const Axes &From, ArrayRef<int64_t> Shape) {
  Axis All;
  for (const Axis &A : From)
    All.append(A);
  Axes Result;
  auto Next = All.begin();
  for (int64_t Extent : Shape) {
    Axis &To = Result.emplace_back();
    while (Extent > 1) {
      int64_t Part = std::min(Extent, Next->Size);
      if (Extent % Part || Next->Size % Part)
        return std::nullopt;
      append(To, {Part, Next->Distance * (Next->Size / Part)});
      Extent /= Part;
      Next->Size /= Part;
      if (Next->Size == 1)
        ++Next;
    }
  }
  return Result;
}

std::optional<Axes> tenon::followed(Value V, Value Root) {
  if (V == Root)
    return inOrder(cast<RankedTensorType>(Root.getType()).getShape());
  Operation *Op = V.getDefiningOp();
  auto Before = followed(Op->getOperand(0), Root);
  if (!Before)
    return std::nullopt;
  if (llvm::isa<tosa::ReshapeOp>(Op))
    return reshaped(*Before, cast<RankedTensorType>(V.getType()).getShape());
  auto Transpose = dyn_cast<tosa::TransposeOp>(Op);
  if (!Transpose)
    return std::nullopt;
  Axes Result;
  for (int32_t From : Transpose.getPerms())
    Result.push_back((*Before)[From]);
  return Result;
}
