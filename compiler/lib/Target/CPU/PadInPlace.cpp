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

#include "mlir/Dialect/Affine/IR/AffineOps.h"
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
    Registry.insert<affine::AffineDialect, linalg::LinalgDialect,
                    tensor::TensorDialect>();
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

/// A constant border of known extents around more than it has itself. An axis
/// of open extent is taken for a long one.
static bool isWorthIt(tensor::PadOp Op) {
  auto isExtent = [](int64_t Pad) { return Pad >= 0; }; // nor dynamic
  if (!llvm::all_of(Op.getStaticLow(), isExtent) ||
      !llvm::all_of(Op.getStaticHigh(), isExtent) || !numberOf(Op))
    return false;
  double Inside = 1; // of all elements
  for (auto [Extent, Low, High] :
       llvm::zip(Op.getSourceType().getShape(), Op.getStaticLow(),
                 Op.getStaticHigh()))
    if (!ShapedType::isDynamic(Extent))
      Inside *=
          double(Extent) / double(std::max<int64_t>(Extent + Low + High, 1));
  return Inside > 0.5;
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

/// Parts of the padded tensor, whose inside has such extents.
class Padder {
public:
  Padder(ImplicitLocOpBuilder &B, tensor::PadOp Op,
         SmallVector<OpFoldResult> Inside)
      : B(B), Op(Op), Inside(std::move(Inside)), Low(Op.getStaticLow()),
        High(Op.getStaticHigh()) {}

  /// A tensor with the border alone.
  Value border();
  Value inside(Value Of) { return slice(Of, attributes(Low), Inside); }
  Value insertInside(Value V, Value Into) {
    return insert(V, Into, attributes(Low), Inside);
  }

private:
  using Extents = ArrayRef<OpFoldResult>;
  Value slice(Value Of, Extents At, Extents Sizes) {
    return tensor::ExtractSliceOp::create(B, Of, At, Sizes, ones());
  }
  Value insert(Value V, Value Into, Extents At, Extents Sizes) {
    return tensor::InsertSliceOp::create(B, V, Into, At, Sizes, ones());
  }
  OpFoldResult sum(OpFoldResult Extent, int64_t Number) {
    return affine::makeComposedFoldedAffineApply(
        B, B.getLoc(), B.getAffineDimExpr(0) + Number, {Extent});
  }
  SmallVector<OpFoldResult> attributes(ArrayRef<int64_t> Numbers) {
    return getAsIndexOpFoldResult(B.getContext(), Numbers);
  }
  SmallVector<OpFoldResult> ones() {
    return attributes(SmallVector<int64_t>(Low.size(), 1));
  }

  ImplicitLocOpBuilder &B;
  tensor::PadOp Op;
  SmallVector<OpFoldResult> Inside;
  ArrayRef<int64_t> Low, High;
};

} // namespace

/// Along each axis what lies in front of the inside and behind it; of the axes
/// before only what is inside, so that nothing is filled twice.
Value Padder::border() {
  Value Number = B.clone(*numberOf(Op))->getResult(0);
  SmallVector<OpFoldResult> At = attributes(SmallVector<int64_t>(Low.size()));
  SmallVector<OpFoldResult> Sizes;
  for (auto [Axis, Extent] : llvm::enumerate(Inside))
    Sizes.push_back(sum(Extent, Low[Axis] + High[Axis]));
  Value All =
      tensor::EmptyOp::create(B, Sizes, Op.getResultType().getElementType());
  auto fill = [&](unsigned Axis, OpFoldResult From, int64_t Size) {
    if (!Size)
      return;
    At[Axis] = From;
    Sizes[Axis] = B.getIndexAttr(Size);
    Value Part = slice(All, At, Sizes);
    Part = linalg::FillOp::create(B, Number, Part).getResult(0);
    All = insert(Part, All, At, Sizes);
  };
  for (auto [Axis, Extent] : llvm::enumerate(Inside)) {
    fill(Axis, B.getIndexAttr(0), Low[Axis]);
    fill(Axis, sum(Extent, Low[Axis]), High[Axis]);
    At[Axis] = B.getIndexAttr(Low[Axis]);
    Sizes[Axis] = Extent;
  }
  return All;
}

static void padInPlace(tensor::PadOp Op) {
  ImplicitLocOpBuilder B(Op.getLoc(), Op);
  tensor::EmptyOp Place = placeOf(Op.getSource());
  if (Place && Place.getType() != Op.getSourceType())
    Place = nullptr; // one of them knows an extent more
  if (Place)
    B.setInsertionPoint(Place);
  Padder P(B, Op,
           Place ? Place.getMixedSizes()
                 : tensor::getMixedSizes(B, B.getLoc(), Op.getSource()));
  Value Border = P.border();
  if (Place) {
    Place.replaceAllUsesWith(P.inside(Border));
    Place.erase();
    B.setInsertionPoint(Op);
  }
  Value Padded = P.insertInside(Op.getSource(), Border);
  if (Padded.getType() != Op.getType())
    Padded = tensor::CastOp::create(B, Op.getType(), Padded);
  Op.replaceAllUsesWith(Padded);
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
