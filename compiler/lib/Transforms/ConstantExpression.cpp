//===- ConstantExpression.cpp - What is known before the run --------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Two forms: element-wise operations of linalg, in whose indexing maps each
// result is a loop or a constant (broadcasts and transposes among them), and
// operations of the tensor dialect that place elements.
//
//===----------------------------------------------------------------------===//

#include "ConstantExpression.h"

#include "ConstantTensor.h"
#include "ScalarBody.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tenon;

/// Where loops find the elements of a tensor: at Offset + sum of index *
/// stride.
namespace {
struct Walk {
  int64_t Offset = 0;
  SmallVector<int64_t> Strides; ///< of the loops
};
} // namespace

/// None where `Map` has other results than loops and constants.
static std::optional<Walk> walkOf(AffineMap Map, ArrayRef<int64_t> Shape) {
  Walk Result;
  Result.Strides.assign(Map.getNumDims(), 0);
  for (auto [Expression, Stride] :
       llvm::zip(Map.getResults(), computeStrides(Shape))) {
    if (auto Dim = dyn_cast<AffineDimExpr>(Expression))
      Result.Strides[Dim.getPosition()] += Stride;
    else if (auto At = dyn_cast<AffineConstantExpr>(Expression))
      Result.Offset += At.getValue() * Stride;
    else
      return std::nullopt;
  }
  return Result;
}

/// Calls `Do` with every index of `Extents` in row-major order and the places
/// of the walks there, until it returns false.
static bool forEach(
    ArrayRef<int64_t> Extents, ArrayRef<Walk> Walks,
    function_ref<bool(ArrayRef<int64_t> Index, ArrayRef<int64_t> Places)> Do) {
  if (llvm::is_contained(Extents, 0))
    return true;
  SmallVector<int64_t> Index(Extents.size(), 0);
  SmallVector<int64_t> Places =
      llvm::map_to_vector(Walks, [](const Walk &W) { return W.Offset; });
  for (;;) {
    if (!Do(Index, Places))
      return false;
    int64_t Loop = int64_t(Extents.size()) - 1;
    for (; Loop >= 0; --Loop) {
      bool Wraps = ++Index[Loop] == Extents[Loop];
      int64_t Steps = Wraps ? 1 - Extents[Loop] : 1;
      for (auto [Place, W] : llvm::zip(Places, Walks))
        Place += Steps * W.Strides[Loop];
      if (!Wraps)
        break;
      Index[Loop] = 0;
    }
    if (Loop < 0)
      return true;
  }
}

//===----------------------------------------------------------------------===//
// Element-wise operations
//===----------------------------------------------------------------------===//

static bool isElementwise(linalg::LinalgOp Op) {
  return Op.hasPureTensorSemantics() && Op->getNumResults() == 1 &&
         !Op.hasDynamicShape() &&
         Op.getNumLoops() == Op.getNumParallelLoops() &&
         llvm::all_of(Op->getOpOperands(), [&](OpOperand &Operand) {
           auto Type = dyn_cast<RankedTensorType>(Operand.get().getType());
           return !Type ||
                  walkOf(Op.getMatchingIndexingMap(&Operand), Type.getShape());
         });
}

static ElementsAttr evaluateElementwise(linalg::LinalgOp Op) {
  SmallVector<std::optional<ConstantTensor>> Tensors;
  SmallVector<Walk> Walks;
  for (OpOperand &Operand : Op->getOpOperands()) {
    auto Type = dyn_cast<RankedTensorType>(Operand.get().getType());
    if (!Type)
      return {};
    Walks.push_back(
        *walkOf(Op.getMatchingIndexingMap(&Operand), Type.getShape()));
    Tensors.push_back(ConstantTensor::read(Operand.get()));
    if (!Tensors.back() && Op.payloadUsesValueFromOperand(&Operand))
      return {};
  }
  auto Body = ScalarBody::read(*Op.getBlock());
  if (!Body)
    return {};
  ConstantTensor Result(cast<RankedTensorType>(Op->getResult(0).getType()));
  SmallVector<Scalar> Arguments(Tensors.size());
  auto Moved = Body->yieldedArgument();
  auto Compute = [&](ArrayRef<int64_t> Index, ArrayRef<int64_t> Places) {
    if (Moved) {
      Result.copy(Places.back(), *Tensors[*Moved], Places[*Moved]);
      return true;
    }
    for (auto [Argument, Tensor, Place] : llvm::zip(Arguments, Tensors, Places))
      if (Tensor)
        Argument = Tensor->at(Place);
    Scalar Value;
    if (!Body->compute(Arguments, Index, Value))
      return false;
    Result.set(Places.back(), Value);
    return true;
  };
  return forEach(Op.getStaticLoopRanges(), Walks, Compute) ? Result.attribute()
                                                           : ElementsAttr();
}

//===----------------------------------------------------------------------===//
// Operations that place elements
//===----------------------------------------------------------------------===//

/// Copies elements of `From` from `Source` on, a step apart along each axis, to
/// where they stand in `To` from `Target` on.
static void copy(const ConstantTensor &From, ArrayRef<int64_t> Source,
                 ArrayRef<int64_t> SourceSteps, ConstantTensor &To,
                 ArrayRef<int64_t> Target, ArrayRef<int64_t> TargetSteps,
                 ArrayRef<int64_t> Extents) {
  auto WalkFrom = [](RankedTensorType Type, ArrayRef<int64_t> First,
                     ArrayRef<int64_t> Steps) {
    Walk Result;
    for (auto [At, Step, Stride] :
         llvm::zip(First, Steps, computeStrides(Type.getShape()))) {
      Result.Offset += At * Stride;
      Result.Strides.push_back(Step * Stride);
    }
    return Result;
  };
  forEach(Extents,
          {WalkFrom(From.type(), Source, SourceSteps),
           WalkFrom(To.type(), Target, TargetSteps)},
          [&](ArrayRef<int64_t>, ArrayRef<int64_t> Places) {
            To.copy(Places[1], From, Places[0]);
            return true;
          });
}

static ElementsAttr evaluateSlice(tensor::ExtractSliceOp Op) {
  auto From = ConstantTensor::read(Op.getSource());
  if (!From)
    return {};
  ArrayRef<int64_t> Sizes = Op.getStaticSizes();
  ConstantTensor Cut(
      RankedTensorType::get(Sizes, From->type().getElementType()));
  SmallVector<int64_t> Zeros(Sizes.size(), 0), Ones(Sizes.size(), 1);
  copy(*From, Op.getStaticOffsets(), Op.getStaticStrides(), Cut, Zeros, Ones,
       Sizes);
  return cast<DenseElementsAttr>(Cut.attribute()).reshape(Op.getType());
}

static ElementsAttr evaluateConcat(tensor::ConcatOp Op) {
  auto Type = cast<RankedTensorType>(Op.getType());
  ConstantTensor Result(Type);
  SmallVector<int64_t> Zeros(Type.getRank(), 0), Ones(Type.getRank(), 1),
      Target = Zeros;
  for (Value Input : Op.getInputs()) {
    auto From = ConstantTensor::read(Input);
    if (!From)
      return {};
    ArrayRef<int64_t> Shape = From->type().getShape();
    copy(*From, Zeros, Ones, Result, Target, Ones, Shape);
    Target[Op.getDim()] += Shape[Op.getDim()];
  }
  return Result.attribute();
}

static ElementsAttr evaluateInsert(tensor::InsertSliceOp Op) {
  auto From = ConstantTensor::read(Op.getSource());
  auto Into = ConstantTensor::read(Op.getDest());
  if (!From || !Into || From->type().getRank() != Into->type().getRank())
    return {};
  ConstantTensor Result(Into->type());
  SmallVector<int64_t> Zeros(Into->type().getRank(), 0),
      Ones(Into->type().getRank(), 1);
  copy(*Into, Zeros, Ones, Result, Zeros, Ones, Into->type().getShape());
  copy(*From, Zeros, Ones, Result, Op.getStaticOffsets(), Op.getStaticStrides(),
       Op.getStaticSizes());
  return Result.attribute();
}

/// The same elements with another shape; of weights without a copy.
static ElementsAttr evaluateReshape(Operation *Op) {
  auto Type = cast<RankedTensorType>(Op->getResult(0).getType());
  ElementsAttr Elements;
  if (!matchPattern(Op->getOperand(0), m_Constant(&Elements)))
    return {};
  if (auto Resource = dyn_cast<DenseResourceElementsAttr>(Elements))
    return DenseResourceElementsAttr::get(Type, Resource.getRawHandle());
  auto Dense = dyn_cast<DenseElementsAttr>(Elements);
  return Dense ? Dense.reshape(Type) : ElementsAttr();
}

//===----------------------------------------------------------------------===//
// Everything
//===----------------------------------------------------------------------===//

static bool isStatic(ArrayRef<int64_t> Values) {
  return llvm::none_of(Values, ShapedType::isDynamic);
}

static bool isReshape(Operation *Op) {
  return isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(Op);
}

static int64_t bytesOf(RankedTensorType Type) {
  return Type.getNumElements() *
         (Type.getElementType().isIndex()
              ? 8
              : llvm::divideCeil(Type.getElementTypeBitWidth(), 8));
}

/// A result that is larger than what it is made of makes the program larger:
/// only small ones may, and wider elements (of stored weights, which a run
/// would widen into memory each time). Beyond the most elements a compilation
/// would wait.
static bool isWorthwhile(Operation *Op) {
  constexpr int64_t MostElements = int64_t{1} << 24, Small = 64 << 10,
                    Widening = 4;
  auto Type = cast<RankedTensorType>(Op->getResult(0).getType());
  if (Type.getNumElements() > MostElements)
    return false;
  int64_t Sources = 0;
  for (Value Operand : Op->getOperands())
    if (auto Source = dyn_cast<RankedTensorType>(Operand.getType());
        Source && !Operand.getDefiningOp<tensor::EmptyOp>())
      Sources += bytesOf(Source);
  return bytesOf(Type) <= std::max(Widening * Sources, Small);
}

bool tenon::canEvaluate(Operation *Op) {
  if (Op->getNumResults() != 1 || isa<linalg::FillOp>(Op))
    return false; // a fill is a splat already
  auto hasStaticShape = [](Type T) {
    auto Tensor = dyn_cast<RankedTensorType>(T);
    return !isa<TensorType>(T) ||
           (Tensor && Tensor.hasStaticShape() && Tensor.getNumElements() > 0 &&
            ConstantTensor::holds(Tensor.getElementType()));
  };
  if (!isa<RankedTensorType>(Op->getResult(0).getType()) ||
      !llvm::all_of(Op->getOperandTypes(), hasStaticShape) ||
      !llvm::all_of(Op->getResultTypes(), hasStaticShape))
    return false;
  if (isReshape(Op))
    return true;
  if (!isWorthwhile(Op))
    return false;
  if (auto Linalg = dyn_cast<linalg::LinalgOp>(Op))
    return isElementwise(Linalg);
  if (auto Slice = dyn_cast<OffsetSizeAndStrideOpInterface>(Op))
    return isa<tensor::ExtractSliceOp, tensor::InsertSliceOp>(Op) &&
           isStatic(Slice.getStaticOffsets()) &&
           isStatic(Slice.getStaticSizes()) &&
           isStatic(Slice.getStaticStrides());
  return isa<tensor::ConcatOp>(Op);
}

bool tenon::isConstantExpression(Value V) {
  // Factors of a normalisation are a handful of operations deep.
  auto IsKnown = [](auto &Self, Value V, unsigned Depth) -> bool {
    Operation *Op = V.getDefiningOp();
    if (!Op || !isa<RankedTensorType>(V.getType()) || !Depth)
      return false;
    if (Op->hasTrait<OpTrait::ConstantLike>())
      return true;
    auto Writer = dyn_cast<DestinationStyleOpInterface>(Op);
    return canEvaluate(Op) &&
           llvm::all_of(Op->getOpOperands(), [&](OpOperand &Operand) {
             return (Writer && Writer.isDpsInit(&Operand) &&
                     Operand.get().getDefiningOp<tensor::EmptyOp>()) ||
                    Self(Self, Operand.get(), Depth - 1);
           });
  };
  constexpr unsigned Deepest = 12;
  return IsKnown(IsKnown, V, Deepest);
}

ElementsAttr tenon::evaluate(Operation *Op) {
  return llvm::TypeSwitch<Operation *, ElementsAttr>(Op)
      .Case([](linalg::LinalgOp Op) { return evaluateElementwise(Op); })
      .Case([](tensor::ExtractSliceOp Op) { return evaluateSlice(Op); })
      .Case([](tensor::InsertSliceOp Op) { return evaluateInsert(Op); })
      .Case([](tensor::ConcatOp Op) { return evaluateConcat(Op); })
      .Default([](Operation *Op) { return evaluateReshape(Op); });
}
