//===- Lists.cpp - Short tensors as single numbers -----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Models compute shapes with operators on tensors: Shape, Gather, Mul, Concat,
// Reshape.  Of such short tensors the elements are kept apart
// (tensor.from_elements), and operators on them become arithmetic on single
// numbers, folded as it is made.  A number that was an extent stays that very
// value, so that what it equals is still known where it becomes one again.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tenon::frontend;

/// More elements than this are a tensor like any other.
static constexpr int64_t MostElements = 32;

std::optional<SmallVector<Value>> Lowering::elementsOf(Value Tensor) {
  auto Of = cast<RankedTensorType>(Tensor.getType());
  if (!Of.hasStaticShape() || Of.getRank() > 1 ||
      Of.getNumElements() > MostElements)
    return std::nullopt;
  if (auto Made = Tensor.getDefiningOp<tensor::FromElementsOp>())
    return llvm::to_vector(Made.getElements());
  DenseElementsAttr Held;
  if (!matchPattern(Tensor, m_Constant(&Held)))
    return std::nullopt;
  SmallVector<Value> Elements;
  for (Attribute Element : Held.getValues<Attribute>())
    Elements.push_back(
        arith::ConstantOp::create(B, cast<TypedAttr>(Element)).getResult());
  return Elements;
}

Value Lowering::list(ArrayRef<Value> Elements, Type Held, int64_t Rank) {
  auto Of = RankedTensorType::get(
      Rank ? SmallVector<int64_t>{int64_t(Elements.size())}
           : SmallVector<int64_t>{},
      Held);
  if (Elements.empty())
    return empty(extent(0), Held);
  return tensor::FromElementsOp::create(B, Of, Elements);
}

Value Lowering::list(ArrayRef<OpFoldResult> Of) {
  SmallVector<Value> Elements;
  for (OpFoldResult Extent : Of)
    Elements.push_back(
        B.createOrFold<arith::IndexCastOp>(B.getI64Type(), index(Extent)));
  return list(Elements, B.getI64Type(), 1);
}

std::optional<SmallVector<int64_t>> Lowering::integers(int64_t Index) {
  SmallVector<int64_t> Values;
  if (std::optional<onnx::TensorData> Data = N.constant(Index)) {
    if (!Data->isInteger())
      return std::nullopt;
    for (int64_t I = 0; I < Data->size(); ++I)
      Values.push_back(Data->integer(I));
    return Values;
  }
  auto Made = has(Index) ? in(Index).Tensor.getDefiningOp() : nullptr;
  if (!isa_and_nonnull<tensor::FromElementsOp>(Made))
    return std::nullopt;
  for (Value Element : Made->getOperands()) {
    std::optional<int64_t> Known = getConstantIntValue(Element);
    if (!Known)
      return std::nullopt;
    Values.push_back(*Known);
  }
  return Values;
}

FailureOr<Extents> Lowering::listed(int64_t Index) {
  Extents Result;
  if (auto Values = integers(Index)) {
    for (int64_t Value : *Values)
      Result.push_back(extent(Value));
    return Result;
  }
  const Plain &Held = in(Index);
  if (Held.rank() > 1 || !Held.type().hasStaticShape())
    return error() << "how many numbers its input '" << N.inputName(Index)
                   << "' has is not known before the run: give it a fixed "
                      "length";
  if (Held.type().getNumElements() > INT16_MAX)
    return error() << "its input '" << N.inputName(Index) << "' has "
                   << Held.type().getNumElements()
                   << " numbers, expected at most " << INT16_MAX;
  std::optional<SmallVector<Value>> Elements = elementsOf(Held.Tensor);
  for (int64_t I = 0; I < Held.type().getNumElements(); ++I) {
    Value Element;
    if (Elements)
      Element = (*Elements)[I];
    else
      Element = tensor::ExtractOp::create(
          B, Held.Tensor, Held.rank() ? ValueRange(index(I)) : ValueRange());
    auto Cast = Element.getDefiningOp<arith::IndexCastOp>();
    if (auto Known = getConstantIntValue(Element))
      Result.push_back(extent(*Known));
    else if (Cast && Cast.getIn().getType().isIndex())
      Result.push_back(Cast.getIn());
    else
      Result.push_back(
          arith::IndexCastOp::create(B, B.getIndexType(), Element).getResult());
  }
  return Result;
}

/// Folds what `Make` builds, operation by operation; gives its result.
static Value foldedAsMade(OpBuilder &B, llvm::function_ref<Value()> Make) {
  Block *Here = B.getInsertionBlock();
  Block::iterator End = B.getInsertionPoint();
  bool IsFirst = End == Here->begin();
  Operation *Before = IsFirst ? nullptr : &*std::prev(End);
  Value Result = Make();
  SmallVector<Operation *> Made;
  for (auto At = IsFirst ? Here->begin() : std::next(Before->getIterator());
       At != End; ++At)
    Made.push_back(&*At);
  for (Operation *Op : Made) {
    OpBuilder::InsertionGuard Guard(B);
    B.setInsertionPoint(Op);
    SmallVector<Value> Folded;
    if (failed(B.tryFold(Op, Folded)) || Folded.empty())
      continue;
    for (auto [Old, New] : llvm::zip(Op->getResults(), Folded)) {
      Old.replaceAllUsesWith(New);
      if (Result == Old)
        Result = New;
    }
    if (Op->use_empty() && isMemoryEffectFree(Op))
      Op->erase();
  }
  return Result;
}

/// Integers that the model holds may count what a shape is made of; its floats
/// are weights.
static bool mayBeShape(Value Tensor) {
  return Tensor.getDefiningOp<tensor::FromElementsOp>() ||
         (matchPattern(Tensor, m_Constant()) &&
          getElementTypeOrSelf(Tensor).isInteger());
}

Value Lowering::mappedLists(ArrayRef<Value> Tensors, ArrayRef<OpFoldResult> Of,
                            Type Held, Body Each) {
  auto Count = Of.empty() ? 1 : getConstantIntValue(Of[0]);
  if (Of.size() > 1 || !Count || *Count > MostElements ||
      !llvm::any_of(Tensors, mayBeShape))
    return {};
  SmallVector<SmallVector<Value>> Inputs;
  for (Value Tensor : Tensors) {
    std::optional<SmallVector<Value>> Elements = elementsOf(Tensor);
    if (!Elements)
      return {};
    Inputs.push_back(std::move(*Elements));
  }
  SmallVector<Value> Results;
  for (int64_t I = 0; I < *Count; ++I) {
    SmallVector<Value> Elements;
    for (ArrayRef<Value> Input : Inputs)
      Elements.push_back(Input.size() == 1 ? Input[0] : Input[I]);
    Results.push_back(
        foldedAsMade(B, [&] { return Each(B, B.getLoc(), Elements); }));
  }
  return list(Results, Held, Of.size());
}
