//===- Border.cpp - Layouts where values cross the border -----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Border.h"

#include "CandidateReading.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tenon;

static ArrayRef<int64_t> shapeOf(Value V) {
  return cast<RankedTensorType>(V.getType()).getShape();
}

/// An array of bytes of known shape.
static bool isByteArray(Value V) {
  auto Type = dyn_cast<RankedTensorType>(V.getType());
  return Type && Type.hasStaticShape() && Type.getElementType().isInteger(8);
}

bool tenon::isBorderCandidate(Operation *Op) {
  if (Op->getNumResults() != 1 || !Op->getNumOperands() ||
      !isByteArray(Op->getResult(0)) || !isByteArray(Op->getOperand(0)))
    return false;
  int64_t Offset;
  if (auto Rescale = dyn_cast<tosa::RescaleOp>(Op))
    return isBorderRescale(Rescale, Offset);
  return llvm::isa<tosa::TransposeOp, tosa::ReshapeOp>(Op);
}

Value tenon::borderRoot(Value V, BorderFilter Through) {
  while (Operation *Op = V.getDefiningOp()) {
    if (!isBorderCandidate(Op) || !Through(Op))
      break;
    V = Op->getOperand(0);
  }
  return V;
}

/// The axes of a shape that are not 1.
static SmallVector<int64_t> longAxes(ArrayRef<int64_t> Shape) {
  SmallVector<int64_t> Axes;
  for (auto [Axis, Size] : llvm::enumerate(Shape))
    if (Size != 1)
      Axes.push_back(Axis);
  return Axes;
}

/// For a reshape that only inserts and removes axes of size 1: the axis of
/// `From` that each axis of `To` is, or -1.
static std::optional<SmallVector<int64_t>> matchAxes(ArrayRef<int64_t> From,
                                                     ArrayRef<int64_t> To) {
  SmallVector<int64_t> FromLong = longAxes(From), ToLong = longAxes(To);
  if (FromLong.size() != ToLong.size())
    return std::nullopt;
  SmallVector<int64_t> Result(To.size(), -1);
  for (auto [F, T] : llvm::zip(FromLong, ToLong)) {
    if (From[F] != To[T])
      return std::nullopt;
    Result[T] = F;
  }
  // The other axes of `To` are any of size 1 that `From` still has.
  size_t Next = 0;
  for (size_t I = 0; I < To.size(); ++I) {
    if (Result[I] >= 0)
      continue;
    while (Next < From.size() && From[Next] != 1)
      ++Next;
    if (Next < From.size())
      Result[I] = Next++;
  }
  return Result;
}

std::optional<BorderLayout> tenon::describePack(Value V, BorderFilter Through) {
  if (!isByteArray(V) || !shapeNHWC(V.getType()))
    return std::nullopt;
  int64_t Rank = shapeOf(V).size();
  if (Rank > 4)
    return std::nullopt;
  BorderLayout B;
  for (int64_t Axis = 0; Axis < 4; ++Axis)
    B.Permutation.push_back(Axis < 4 - Rank ? -1 : Axis - (4 - Rank));
  while (Operation *Op = V.getDefiningOp()) {
    if (!isBorderCandidate(Op) || !Through(Op))
      break;
    SmallVector<int64_t> Axes;
    if (auto Transpose = dyn_cast<tosa::TransposeOp>(Op)) {
      Axes.assign(Transpose.getPerms().begin(), Transpose.getPerms().end());
    } else if (llvm::isa<tosa::ReshapeOp>(Op)) {
      auto Matched = matchAxes(shapeOf(Op->getOperand(0)), shapeOf(V));
      if (!Matched)
        return std::nullopt;
      Axes = *Matched;
    } else {
      int64_t Offset = 0;
      isBorderRescale(cast<tosa::RescaleOp>(Op), Offset);
      B.Offset += Offset;
    }
    if (!Axes.empty())
      for (int64_t &Axis : B.Permutation)
        Axis = Axis < 0 ? -1 : Axes[Axis];
    V = Op->getOperand(0);
  }
  B.Source = V;
  return B;
}

/// Whether a transpose changes the order of axes that are not 1.
static bool movesData(ArrayRef<int64_t> Perms, ArrayRef<int64_t> Shape) {
  SmallVector<int64_t> Long;
  for (int64_t P : Perms)
    if (Shape[P] != 1)
      Long.push_back(P);
  return !llvm::is_sorted(Long);
}

/// N, H, W, C in the order in which `Axes` names them; where they are not all
/// there, those of size 1 stay where they are.
static SmallVector<int64_t> permutationOf(ArrayRef<int64_t> Axes,
                                          ArrayRef<int64_t> Shape) {
  SmallVector<int64_t> Sorted(Axes);
  llvm::sort(Sorted);
  if (Sorted == SmallVector<int64_t>{0, 1, 2, 3})
    return SmallVector<int64_t>(Axes);
  SmallVector<int64_t> Result = {0, 1, 2, 3};
  size_t Next = 0;
  for (int64_t Axis : Axes) {
    if (Axis < 0 || Shape[Axis] == 1)
      continue;
    while (Shape[Next] == 1)
      ++Next;
    Result[Next++] = Axis;
  }
  return Result;
}

std::optional<BorderLayout> tenon::describeUnpack(Value V,
                                                  BorderFilter Through) {
  SmallVector<Operation *> Chain;
  Value Root = V;
  while (Operation *Op = Root.getDefiningOp()) {
    if (!isBorderCandidate(Op) || !Through(Op))
      break;
    Chain.push_back(Op);
    Root = Op->getOperand(0);
  }
  if (!isByteArray(Root) || !shapeNHWC(Root.getType()))
    return std::nullopt;
  BorderLayout B;
  B.Source = Root;
  B.Permutation = {0, 1, 2, 3};
  // The axis of the tensor that each axis of the value is, or -1: of size 1.
  SmallVector<int64_t> Axes;
  for (int64_t Axis = 4 - shapeOf(Root).size(); Axis < 4; ++Axis)
    Axes.push_back(Axis);
  bool IsMerged = false;
  for (Operation *Op : llvm::reverse(Chain)) {
    if (auto Rescale = dyn_cast<tosa::RescaleOp>(Op)) {
      int64_t Offset = 0;
      isBorderRescale(Rescale, Offset);
      B.Offset += Offset;
      continue;
    }
    SmallVector<int64_t> From(shapeOf(Op->getOperand(0)));
    std::optional<SmallVector<int64_t>> Moved;
    if (auto Transpose = dyn_cast<tosa::TransposeOp>(Op))
      Moved = SmallVector<int64_t>(Transpose.getPerms().begin(),
                                   Transpose.getPerms().end());
    else
      Moved = matchAxes(From, shapeOf(Op->getResult(0)));
    if (IsMerged) {
      // Behind a reshape of long axes only what moves no data is allowed.
      if (llvm::isa<tosa::TransposeOp>(Op) && movesData(*Moved, From))
        return std::nullopt;
    } else if (Moved) {
      Axes = llvm::map_to_vector(
          *Moved, [&](int64_t Axis) { return Axis < 0 ? -1 : Axes[Axis]; });
      B.Permutation = permutationOf(Axes, *shapeNHWC(Root.getType()));
    } else {
      IsMerged = true;
    }
  }
  return B;
}

bool tenon::isSameTensor(Value V, BorderFilter Through) {
  Value Root = borderRoot(V, Through);
  auto Want = shapeNHWC(V.getType()), Have = shapeNHWC(Root.getType());
  if (!Want || !Have || *Want != *Have)
    return false;
  auto Layout = describeUnpack(V, Through);
  return Layout && !Layout->Offset && !movesData(Layout->Permutation, *Have);
}

static bool isFloat(Value V) {
  return llvm::isa<FloatType>(getElementTypeOrSelf(V.getType()));
}

/// Scale, zero point, bounds and type of each element, or its place.
static bool isConversion(Operation *Op) {
  return llvm::isa<tosa::AddOp, tosa::CastOp, tosa::ClampOp, tosa::MulOp,
                   tosa::RescaleOp, tosa::ReshapeOp, tosa::SubOp,
                   tosa::TransposeOp>(Op);
}

StringRef tenon::borderConversion(ArrayRef<Operation *> Ops) {
  bool FromInputs = true, ToOutputs = true;
  for (Operation *Op : Ops) {
    if (!isConversion(Op))
      return "";
    for (Value V : Op->getOperands()) {
      Operation *Source = V.getDefiningOp();
      if (Source &&
          (matchPattern(V, m_Constant()) || llvm::is_contained(Ops, Source)))
        continue;
      FromInputs &= !Source && isFloat(V);
      ToOutputs &= isByteArray(V);
    }
    for (Value V : Op->getResults())
      for (Operation *User : V.getUsers()) {
        if (llvm::is_contained(Ops, User))
          continue;
        FromInputs &= isByteArray(V);
        ToOutputs &= User->hasTrait<OpTrait::IsTerminator>() && isFloat(V);
      }
  }
  return FromInputs ? "quantize" : ToOutputs ? "dequantize" : "";
}
