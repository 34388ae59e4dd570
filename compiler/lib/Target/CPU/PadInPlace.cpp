//===- PadInPlace.cpp - Only the border of a padded tensor is filled ------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A pad would fill all of its result and copy its source over most of that.
// Here the border alone is filled, and what computes the source, where nothing
// else reads that, writes it to its place inside.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace {

struct PadInPlacePass
    : PassWrapper<PadInPlacePass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PadInPlacePass)

  StringRef getArgument() const override { return "tenon-pad-in-place"; }
  StringRef getDescription() const override {
    return "Fill the border of padded tensors and compute what is inside there";
  }
  void getDependentDialects(DialectRegistry &Registry) const override {
    Registry.insert<linalg::LinalgDialect, tensor::TensorDialect>();
  }
  void runOnOperation() override;
};

} // namespace

/// The constant that `Op` pads with; null where it is none.
static Operation *numberOf(tensor::PadOp Op) {
  Value Number = Op.getConstantPaddingValue();
  return Number && matchPattern(Number, m_Constant()) ? Number.getDefiningOp()
                                                      : nullptr;
}

/// A constant border of known extents around more than it has itself.
static bool isWorthIt(tensor::PadOp Op) {
  RankedTensorType Source = Op.getSourceType(), Result = Op.getResultType();
  auto isExtent = [](int64_t Pad) { return Pad >= 0; }; // nor dynamic
  return Source.hasStaticShape() && Result.hasStaticShape() &&
         Source.getNumElements() >
             Result.getNumElements() - Source.getNumElements() &&
         llvm::all_of(Op.getStaticLow(), isExtent) &&
         llvm::all_of(Op.getStaticHigh(), isExtent) && numberOf(Op);
}

/// The empty tensor whose place `V` is computed in, where whatever is computed
/// there on the way is read by the next alone; null where there is none.
static tensor::EmptyOp placeOf(Value V) {
  while (V.hasOneUse()) {
    if (auto Empty = V.getDefiningOp<tensor::EmptyOp>())
      return Empty;
    auto Made = V.getDefiningOp<linalg::LinalgOp>();
    if (!Made)
      return nullptr;
    // A product with an epilogue has its sums beside.
    V = Made.getDpsInitOperand(cast<OpResult>(V).getResultNumber())->get();
  }
  return nullptr;
}

namespace {

class Padder {
public:
  Padder(ImplicitLocOpBuilder &B, tensor::PadOp Op)
      : B(B), Op(Op), Shape(Op.getResultType().getShape()),
        Inside(Op.getSourceType().getShape()), Low(Op.getStaticLow()) {}

  /// A tensor with the border alone.
  Value border();
  Value slice(Value Of, ArrayRef<int64_t> At, ArrayRef<int64_t> Sizes);
  Value insert(Value V, Value Into, ArrayRef<int64_t> At);
  Value inside(Value Of) { return slice(Of, Low, Inside); }
  Value insertInside(Value V, Value Into) { return insert(V, Into, Low); }

private:
  SmallVector<OpFoldResult> attributes(ArrayRef<int64_t> Numbers) {
    return getAsIndexOpFoldResult(B.getContext(), Numbers);
  }
  SmallVector<OpFoldResult> ones() {
    return attributes(SmallVector<int64_t>(Shape.size(), 1));
  }

  ImplicitLocOpBuilder &B;
  tensor::PadOp Op;
  ArrayRef<int64_t> Shape, Inside, Low;
};

} // namespace

Value Padder::slice(Value Of, ArrayRef<int64_t> At, ArrayRef<int64_t> Sizes) {
  return tensor::ExtractSliceOp::create(B, Of, attributes(At),
                                        attributes(Sizes), ones());
}

Value Padder::insert(Value V, Value Into, ArrayRef<int64_t> At) {
  auto Sizes = cast<RankedTensorType>(V.getType()).getShape();
  return tensor::InsertSliceOp::create(B, V, Into, attributes(At),
                                       attributes(Sizes), ones());
}

/// Along each axis what lies in front of the inside and behind it; of the axes
/// before only what is inside, so that nothing is filled twice.
Value Padder::border() {
  Value Number = B.clone(*numberOf(Op))->getResult(0);
  Value All =
      tensor::EmptyOp::create(B, Shape, Op.getResultType().getElementType());
  SmallVector<int64_t> At(Shape.size(), 0), Sizes(Shape);
  auto fill = [&](unsigned Axis, int64_t From, int64_t Size) {
    if (!Size)
      return;
    At[Axis] = From;
    Sizes[Axis] = Size;
    Value Part = slice(All, At, Sizes);
    Part = linalg::FillOp::create(B, Number, Part).getResult(0);
    All = insert(Part, All, At);
  };
  for (unsigned Axis = 0; Axis < Shape.size(); ++Axis) {
    int64_t Behind = Low[Axis] + Inside[Axis];
    fill(Axis, 0, Low[Axis]);
    fill(Axis, Behind, Shape[Axis] - Behind);
    At[Axis] = Low[Axis];
    Sizes[Axis] = Inside[Axis];
  }
  return All;
}

static void padInPlace(tensor::PadOp Op) {
  ImplicitLocOpBuilder B(Op.getLoc(), Op);
  Padder P(B, Op);
  tensor::EmptyOp Place = placeOf(Op.getSource());
  if (Place)
    B.setInsertionPoint(Place);
  Value Border = P.border();
  if (Place) {
    Place.replaceAllUsesWith(P.inside(Border));
    Place.erase();
    B.setInsertionPoint(Op);
  }
  Op.replaceAllUsesWith(P.insertInside(Op.getSource(), Border));
  Op.erase();
}

void PadInPlacePass::runOnOperation() {
  SmallVector<tensor::PadOp> Ops;
  getOperation().walk([&](tensor::PadOp Op) {
    if (isWorthIt(Op))
      Ops.push_back(Op);
  });
  llvm::for_each(Ops, padInPlace);
}

std::unique_ptr<Pass> tenon::createPadInPlacePass() {
  return std::make_unique<PadInPlacePass>();
}
