//===- FlattenIntoWeights.cpp - A product over a flattened image ----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A product with constant weights over a flattened image is a convolution whose
// window is the whole image: instead of moving the activations into the order
// of the weights (NCHW, in ONNX), the weights move into theirs.
//
//===----------------------------------------------------------------------===//

#include "CandidateReading.h"
#include "GraphPatterns.h"

#include <numeric>

using namespace mlir;
using namespace tenon;

static ArrayRef<int64_t> shapeOf(Value V) {
  return cast<RankedTensorType>(V.getType()).getShape();
}

/// Position of every element of the transposed tensor in the other one.
static std::vector<int64_t> transposed(ArrayRef<int64_t> Shape,
                                       ArrayRef<int32_t> Perms,
                                       ArrayRef<int64_t> Positions) {
  SmallVector<int64_t> Strides(Shape.size(), 1), Index(Shape.size(), 0);
  for (int I = static_cast<int>(Shape.size()) - 2; I >= 0; --I)
    Strides[I] = Strides[I + 1] * Shape[I + 1];
  std::vector<int64_t> Result(Positions.size());
  for (int64_t &Position : Result) {
    int64_t Offset = 0;
    for (auto [Axis, Value] : llvm::enumerate(Index))
      Offset += Value * Strides[Perms[Axis]];
    Position = Positions[Offset];
    for (int Axis = static_cast<int>(Shape.size()) - 1; Axis >= 0; --Axis) {
      if (++Index[Axis] < Shape[Perms[Axis]])
        break;
      Index[Axis] = 0;
    }
  }
  return Result;
}

namespace {

struct FlattenIntoWeights : OpRewritePattern<tosa::Conv2DOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tosa::Conv2DOp Op,
                                PatternRewriter &B) const override {
    if (!isVector(Op.getInput()) || !isProduct(Op))
      return failure();
    auto Weights = readBytes(Op.getWeight());
    if (!Weights)
      return failure();
    // Down from the product to the image, then back up with its positions.
    SmallVector<tosa::TransposeOp> Transposes;
    Value Image = Op.getInput();
    while (Operation *Producer = Image.getDefiningOp()) {
      if (auto Transpose = dyn_cast<tosa::TransposeOp>(Producer))
        Transposes.push_back(Transpose);
      else if (!llvm::isa<tosa::ReshapeOp>(Producer))
        break;
      Image = Producer->getOperand(0);
    }
    if (!isInt8(Image.getType()) || shapeOf(Image).size() != 4 ||
        shapeOf(Image)[0] != 1 || isVector(Image))
      return failure();
    std::vector<int64_t> Positions(shapeOf(Op.getInput()).back());
    std::iota(Positions.begin(), Positions.end(), 0);
    for (tosa::TransposeOp T : llvm::reverse(Transposes))
      Positions = transposed(shapeOf(T.getInput1()), T.getPerms(), Positions);

    ArrayRef<int64_t> Shape = shapeOf(Image);
    int64_t Size = Positions.size(), Out = shapeOf(Op.getWeight())[0];
    std::vector<int8_t> Moved(Out * Size);
    for (int64_t O = 0; O < Out; ++O)
      for (int64_t K = 0; K < Size; ++K)
        Moved[O * Size + Positions[K]] = (*Weights)[O * Size + K];
    auto Type = RankedTensorType::get({Out, Shape[1], Shape[2], Shape[3]},
                                      B.getI8Type());
    Value Constant =
        tosa::ConstOp::create(B, Op.getWeight().getLoc(), Type,
                              DenseElementsAttr::get(Type, ArrayRef(Moved)));
    B.modifyOpInPlace(Op, [&] {
      Op.getInputMutable().assign(Image);
      Op.getWeightMutable().assign(Constant);
      Op.setDilation({1, 1}); // which one element did not show
    });
    return success();
  }

private:
  /// A window of one element, and nothing around the input.
  static bool isProduct(tosa::Conv2DOp Op) {
    ArrayRef<int64_t> Shape = shapeOf(Op.getWeight());
    return Shape[1] == 1 && Shape[2] == 1 &&
           llvm::all_of(Op.getPad(), [](int64_t P) { return P == 0; });
  }

  /// One row, one column.
  static bool isVector(Value V) {
    ArrayRef<int64_t> Shape = shapeOf(V);
    return Shape.size() == 4 && Shape[0] == 1 && Shape[1] == 1 && Shape[2] == 1;
  }
};

} // namespace

void tenon::populateFlattenIntoWeights(RewritePatternSet &Patterns) {
  Patterns.add<FlattenIntoWeights>(Patterns.getContext());
}
