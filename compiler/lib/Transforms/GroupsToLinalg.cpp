//===- GroupsToLinalg.cpp - Convolutions with groups on the host ----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// See the description in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "GroupedConvolution.h"
#include "Reduction.h"
#include "tenon/Transforms/Passes.h"

#include "mlir/Dialect/Tosa/Utils/ConversionUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tenon {
#define GEN_PASS_DEF_GROUPSTOLINALG
#include "tenon/Transforms/Passes.h.inc"
} // namespace tenon

using namespace mlir;
using namespace tenon;

static RankedTensorType typeOf(Value V) {
  return cast<RankedTensorType>(V.getType());
}

namespace {

/// What one operation needs of all groups.
struct Operands {
  int64_t Groups;
  SmallVector<int8_t> Weights; ///< [groups, results, rows, columns, channels]
  SmallVector<int32_t> Bias;   ///< [groups, results]
  int64_t InputZp, WeightZp;
};

} // namespace

/// Nothing where weights or biases are computed, or sums are not of 32 bits.
static std::optional<Operands> readOperands(GroupedConvolution &G) {
  tosa::Conv2DOp First = G.Convolutions.front();
  auto InputZp = readSplat(First.getInputZp());
  auto WeightZp = readSplat(First.getWeightZp());
  if (!typeOf(First.getInput()).getElementType().isInteger(8) ||
      !typeOf(First.getOutput()).getElementType().isInteger(32) ||
      !typeOf(G.Sums.getOutput()).hasStaticShape() || !InputZp || !WeightZp)
    return std::nullopt;
  int64_t Results = typeOf(First.getOutput()).getDimSize(3);
  Operands All{int64_t(G.Convolutions.size()), {}, {}, *InputZp, *WeightZp};
  for (tosa::Conv2DOp Conv : G.Convolutions) {
    auto Weights = readBytes(Conv.getWeight());
    auto Bias = readIntegers(Conv.getBias());
    if (!Weights || !Bias)
      return std::nullopt;
    llvm::append_range(All.Weights, *Weights);
    for (int64_t Channel = 0; Channel < Results; ++Channel)
      All.Bias.push_back((*Bias)[Bias->size() == 1 ? 0 : Channel]);
  }
  return All;
}

/// The input with its padding and its channels group by group.
static Value imagesOf(ImplicitLocOpBuilder &B, GroupedConvolution &G) {
  tosa::Conv2DOp First = G.Convolutions.front();
  ArrayRef<int64_t> Pad = First.getPad(); // top, bottom, left, right
  Value Image = G.Input;
  SmallVector<int64_t> Dims(typeOf(Image).getShape());
  if (llvm::any_of(Pad, [](int64_t Pixels) { return Pixels != 0; })) {
    Dims[1] += Pad[0] + Pad[1];
    Dims[2] += Pad[2] + Pad[3];
    Value Pads = tosa::getTosaConstShape(
        B, {0, 0, Pad[0], Pad[1], Pad[2], Pad[3], 0, 0});
    Image = tosa::PadOp::create(B, typeOf(Image).clone(Dims), Image, Pads,
                                First.getInputZp());
  }
  int64_t Groups = G.Convolutions.size();
  Dims[3] /= Groups;
  Dims.insert(Dims.begin() + 3, Groups);
  return tensor::ExpandShapeOp::create(
      B, typeOf(Image).clone(Dims), Image,
      ArrayRef<ReassociationIndices>{{0}, {1}, {2}, {3, 4}});
}

template <typename Element>
static Value constant(ImplicitLocOpBuilder &B, ArrayRef<int64_t> Dims,
                      ArrayRef<Element> Values) {
  auto Type =
      RankedTensorType::get(Dims, B.getIntegerType(8 * sizeof(Element)));
  return arith::ConstantOp::create(B, DenseElementsAttr::get(Type, Values));
}

static void replace(GroupedConvolution &G, const Operands &All) {
  ImplicitLocOpBuilder B(G.Sums.getLoc(), G.Sums);
  tosa::Conv2DOp First = G.Convolutions.front();
  SmallVector<int64_t> Dims(typeOf(First.getOutput()).getShape());
  Dims.insert(Dims.begin() + 3, All.Groups);
  auto Type = typeOf(First.getOutput()).clone(Dims);
  SmallVector<int64_t> WeightDims(typeOf(First.getWeight()).getShape());
  WeightDims.insert(WeightDims.begin(), All.Groups);

  Value Bias = constant<int32_t>(B, {All.Groups, Dims[4]}, All.Bias);
  Value Sums = tensor::EmptyOp::create(B, Dims, Type.getElementType());
  Sums = linalg::BroadcastOp::create(B, Bias, Sums, ArrayRef<int64_t>{0, 1, 2})
             ->getResult(0);
  auto zeroPoint = [&](int64_t Value) -> mlir::Value {
    return arith::ConstantOp::create(B, B.getI32IntegerAttr(Value));
  };
  Value Inputs[] = {imagesOf(B, G),
                    constant<int8_t>(B, WeightDims, All.Weights),
                    zeroPoint(All.InputZp), zeroPoint(All.WeightZp)};
  Value Result = linalg::Conv2DNhwgcGfhwcQOp::create(
                     B, TypeRange(Type), ValueRange(Inputs), ValueRange(Sums),
                     B.getI64TensorAttr(First.getStride()),
                     B.getI64TensorAttr(First.getDilation()))
                     .getResult(0);
  Result = tensor::CollapseShapeOp::create(
      B, Result, ArrayRef<ReassociationIndices>{{0}, {1}, {2}, {3, 4}});
  G.Sums.getOutput().replaceAllUsesWith(Result);
  Result.getDefiningOp()->setDiscardableAttrs(
      G.Sums->getDiscardableAttrDictionary());
  G.Sums->erase();
  for (tosa::Conv2DOp Conv : G.Convolutions)
    Conv->erase();
}

namespace {
struct GroupsToLinalg : tenon::impl::GroupsToLinalgBase<GroupsToLinalg> {
  void runOnOperation() override {
    getOperation().walk([](tosa::ConcatOp Op) {
      auto G = readGrouped(Op);
      if (!G)
        return;
      if (auto All = readOperands(*G))
        replace(*G, *All);
    });
  }
};
} // namespace
