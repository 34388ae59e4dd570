//===- PackProducts.cpp - Weights in the order of products ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Processors multiply four neighbouring bytes of one operand by four of another
// and add the products. For that, four neighbours of the innermost reduction
// have to lie together in both: activations have them so, weights are packed
// here, once, as constants: [..., C / 4, F, 4]; of many results in panels,
// [F / 16, ..., C / 4, 16, 4], so that who computes a few of them reads on and
// on. Activations whose channels are not innermost, or no multiple of four, are
// copied so.
//
// With u = x + 128, which has no sign, as the instructions ask for,
//   sum (x - z) * v = sum u * v - (z + 128) * sum v,    v = w - its zero point,
// whose last part is a constant of the channel and goes into what the sums
// begin with. All of this is arithmetic modulo 2^32: the bits stay.
//
// Weights of floats lie in panels, too: [F / 16, ..., 16].
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "DotProduct.h"
#include "TransposeConstant.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tenon;

namespace {

/// sum (x - Offset) * (w - ZeroPoint) over the reductions of an operation on
/// tensors.
struct Product {
  OpOperand *X = nullptr, *W = nullptr;
  int32_t Offset = 0, ZeroPoint = 0;
  ElementsAttr Weights;
  unsigned Channels = 0; ///< the loop whose neighbours lie together
  int64_t Axis = 0;      ///< it is along in x
  unsigned Results = 0;  ///< innermost loop of w
  int64_t Extent = 0;    ///< of Channels
  int64_t Columns = 0;   ///< extent of Results

  bool hasPanels() const { return Columns > DotProduct::Panel; }
  int64_t padded() const { return llvm::alignTo(Extent, DotProduct::Depth); }
};

/// An input, extended to 32 bits, less a constant.
struct Factor {
  OpOperand *Input;
  int32_t Offset;
};

} // namespace

static std::optional<Factor> readFactor(linalg::GenericOp Op, Value V) {
  auto [Extended, Offset] = readOffset(V);
  auto Ext = Extended.getDefiningOp<arith::ExtSIOp>();
  auto Argument = Ext ? dyn_cast<BlockArgument>(Ext.getIn()) : BlockArgument();
  if (!Argument || !Argument.getType().isInteger(8) ||
      Argument.getOwner() != Op.getBody())
    return std::nullopt;
  return Factor{&Op->getOpOperand(Argument.getArgNumber()), Offset};
}

static std::optional<unsigned> loopOf(AffineExpr Expr) {
  auto Dim = dyn_cast<AffineDimExpr>(Expr);
  return Dim ? std::optional<unsigned>(Dim.getPosition()) : std::nullopt;
}

/// The longest reduction along an axis of its own in x, the innermost of those.
static bool findChannels(linalg::GenericOp Op, AffineMap OfX, AffineMap OfW,
                         Product &P) {
  auto Kinds = Op.getIteratorTypesArray();
  SmallVector<int64_t> Extents = Op.getStaticLoopRanges();
  P.Extent = 0;
  for (auto [Axis, Expr] : llvm::enumerate(OfX.getResults())) {
    auto Loop = loopOf(Expr);
    if (!Loop || Kinds[*Loop] != utils::IteratorType::reduction ||
        !OfW.isFunctionOfDim(*Loop) || Extents[*Loop] < P.Extent ||
        llvm::count_if(
            OfX.getResults(),
            [&](AffineExpr Other) { return Other.isFunctionOfDim(*Loop); }) !=
            1)
      continue; // dynamic extents are negative
    P.Channels = *Loop, P.Axis = Axis, P.Extent = Extents[*Loop];
  }
  if (P.Extent < 1)
    return false;
  bool IsCopied =
      P.Axis + 1 != int64_t(OfX.getNumResults()) || P.Extent != P.padded();
  // A copy has to serve some results, with more channels than nothing.
  constexpr int64_t FewResults = 8;
  int64_t Results = Extents[P.Results];
  return !IsCopied || (Results >= FewResults && P.padded() <= 2 * P.Extent);
}

static std::optional<Product> readProduct(linalg::GenericOp Op) {
  if (!Op.hasPureTensorSemantics() || Op.getNumDpsInputs() != 2 ||
      Op.getNumDpsInits() != 1 || Op.hasIndexSemantics())
    return std::nullopt;
  auto S = readSumOfProducts(Op);
  auto A = S ? readFactor(Op, S->Factors[0]) : std::nullopt;
  auto B = S ? readFactor(Op, S->Factors[1]) : std::nullopt;
  if (!A || !B || A->Input == B->Input)
    return std::nullopt;
  Product P;
  if (matchPattern(A->Input->get(), m_Constant(&P.Weights)))
    std::swap(*A, *B);
  else if (!matchPattern(B->Input->get(), m_Constant(&P.Weights)))
    return std::nullopt;
  P.X = A->Input, P.W = B->Input;
  P.Offset = A->Offset, P.ZeroPoint = B->Offset;
  auto T = cast<RankedTensorType>(P.W->get().getType());
  if (P.ZeroPoint < INT8_MIN || P.ZeroPoint > INT8_MAX ||
      int64_t(bytesOf(P.Weights).size()) != T.getNumElements())
    return std::nullopt;

  AffineMap OfX = Op.getMatchingIndexingMap(P.X),
            OfW = Op.getMatchingIndexingMap(P.W);
  if (!OfX.getNumResults() || !OfW.isProjectedPermutation())
    return std::nullopt;
  auto Results = loopOf(OfW.getResults().back());
  if (!Results || OfX.isFunctionOfDim(*Results) ||
      Op.getIteratorTypesArray()[*Results] != utils::IteratorType::parallel)
    return std::nullopt;
  P.Results = *Results;
  P.Columns = T.getShape().back();
  if (!findChannels(Op, OfX, OfW, P))
    return std::nullopt;
  return P;
}

namespace {

class Packer {
public:
  Packer(linalg::GenericOp Op, const Product &P, TransposedConstants &Constants)
      : B(Op.getLoc(), Op), Op(Op), P(P), Constants(Constants),
        OfW(Op.getMatchingIndexingMap(P.W)),
        Type(cast<RankedTensorType>(P.W->get().getType())) {}
  void pack();

private:
  Value activations();
  Value weights();
  Value init();
  Value lessByChannel(Value Init, DenseElementsAttr Less, AffineMap OfLess);

  ImplicitLocOpBuilder B;
  linalg::GenericOp Op;
  const Product &P;
  TransposedConstants &Constants;
  AffineMap OfW;
  RankedTensorType Type;
};

} // namespace

/// Axes of the weights that are neither the packed one nor the results'.
static SmallVector<int64_t> otherAxes(AffineMap OfW, const Product &P) {
  SmallVector<int64_t> Axes;
  for (auto [Axis, Expr] : llvm::enumerate(OfW.getResults()))
    if (loopOf(Expr) != P.Channels && loopOf(Expr) != P.Results)
      Axes.push_back(Axis);
  return Axes;
}

static int64_t axisOf(AffineMap Map, unsigned Loop) {
  return llvm::find_if(Map.getResults(),
                       [&](AffineExpr Expr) { return loopOf(Expr) == Loop; }) -
         Map.getResults().begin();
}

/// x with its channels innermost, a multiple of four of them.
Value Packer::activations() {
  Value X = P.X->get();
  auto From = cast<RankedTensorType>(X.getType());
  if (P.Axis + 1 == From.getRank() && P.Extent == P.padded())
    return X;
  SmallVector<int64_t> Order;
  for (int64_t Axis = 0; Axis < From.getRank(); ++Axis)
    if (Axis != P.Axis)
      Order.push_back(Axis);
  Order.push_back(P.Axis);
  SmallVector<OpFoldResult> Sizes =
      applyPermutation(tensor::getMixedSizes(B, B.getLoc(), X), Order);
  Value Into = tensor::EmptyOp::create(B, Sizes, From.getElementType());
  X = linalg::TransposeOp::create(B, X, Into, Order).getResult().front();
  if (P.Extent == P.padded())
    return X;
  SmallVector<OpFoldResult> Low(From.getRank(), B.getIndexAttr(0)), High = Low;
  High.back() = B.getIndexAttr(P.padded() - P.Extent);
  Value Zero = arith::ConstantOp::create(B, B.getI8IntegerAttr(0));
  return tensor::PadOp::create(B, mlir::Type(), X, Low, High, Zero);
}

/// With elements of such bytes at the end of an axis, up to a multiple of
/// `Multiple`.
static ElementsAttr padded(ElementsAttr Elements, int64_t Axis,
                           int64_t Multiple, char Byte) {
  auto Type = cast<RankedTensorType>(Elements.getType());
  int64_t Extent = Type.getDimSize(Axis);
  int64_t Inner = Type.getElementTypeBitWidth() / 8; // bytes
  int64_t Whole = llvm::alignTo(Extent, Multiple);
  if (Extent == Whole)
    return Elements;
  for (int64_t Other : Type.getShape().drop_front(Axis + 1))
    Inner *= Other;
  SmallVector<char> Repeated, Padded;
  ArrayRef<char> From = bytesOf(Elements);
  // Equal elements of a resource are a splat once they are padded with such.
  if (auto Dense = dyn_cast<DenseElementsAttr>(Elements);
      Dense && Dense.isSplat()) {
    for (int64_t I = 0; I < Type.getNumElements(); ++I)
      llvm::append_range(Repeated, Dense.getRawData());
    From = Repeated;
  }
  for (; !From.empty(); From = From.drop_front(Extent * Inner)) {
    llvm::append_range(Padded, From.take_front(Extent * Inner));
    Padded.append((Whole - Extent) * Inner, Byte);
  }
  SmallVector<int64_t> Dims(Type.getShape());
  Dims[Axis] = Whole;
  return DenseElementsAttr::getFromRawBuffer(Type.clone(Dims), Padded);
}

/// With an axis as two, the inner one of `Inner` elements.
static ElementsAttr split(ElementsAttr Elements, int64_t Axis, int64_t Inner) {
  auto Type = cast<RankedTensorType>(Elements.getType());
  SmallVector<int64_t> Dims(Type.getShape());
  Dims[Axis] /= Inner;
  Dims.insert(Dims.begin() + Axis + 1, Inner);
  auto Split = RankedTensorType::get(Dims, Type.getElementType());
  if (auto Dense = dyn_cast<DenseElementsAttr>(Elements))
    return Dense.reshape(Split);
  return DenseResourceElementsAttr::get(
      Split, cast<DenseResourceElementsAttr>(Elements).getRawHandle());
}

/// [others, C / 4, F, 4] or [F / 16, others, C / 4, 16, 4]: with channels that
/// add nothing, and results that nobody reads.
Value Packer::weights() {
  int64_t Packed = axisOf(OfW, P.Channels), Results = Type.getRank() - 1;
  ElementsAttr Elements =
      padded(P.Weights, Packed, DotProduct::Depth, char(P.ZeroPoint));
  if (P.hasPanels()) // from the last axis on: places before it stay
    Elements = split(padded(Elements, Results, DotProduct::Panel, 0), Results,
                     DotProduct::Panel);
  Elements = split(Elements, Packed, DotProduct::Depth);
  SmallVector<int64_t> Axes;
  if (P.hasPanels())
    Axes.push_back(Results + 1);
  auto Add = [&](int64_t Axis) { Axes.push_back(Axis + (Axis > Packed)); };
  for (int64_t Axis : otherAxes(OfW, P))
    Add(Axis);
  Add(Packed);
  Add(Results + P.hasPanels());
  Axes.push_back(Packed + 1);
  return arith::ConstantOp::create(
      B, cast<TypedAttr>(Constants.get(Elements, Axes)));
}

/// `Init`, a tensor of the results, less `Less`. What is the same along the
/// other loops stays so.
Value Packer::lessByChannel(Value Init, DenseElementsAttr Less,
                            AffineMap OfLess) {
  AffineMap Out = Op.getMatchingIndexingMap(Op.getDpsInitOperand(0));
  // From the loops of the product to those over its results.
  SmallVector<AffineExpr> Places(Op.getNumLoops(), B.getAffineConstantExpr(0));
  for (auto [Axis, Expr] : llvm::enumerate(Out.getResults()))
    Places[*loopOf(Expr)] = B.getAffineDimExpr(Axis);
  OfLess = OfLess.replaceDimsAndSymbols(Places, {}, Out.getNumResults(), 0);
  auto Identity = B.getMultiDimIdentityMap(Out.getNumResults());
  SmallVector<utils::IteratorType> Kinds(Out.getNumResults(),
                                         utils::IteratorType::parallel);
  auto Type = cast<RankedTensorType>(Init.getType());
  auto constant = [&](ElementsAttr Elements) -> Value {
    return arith::ConstantOp::create(B, cast<TypedAttr>(Elements));
  };
  auto spread = [&](ArrayRef<APInt> Values, Value Into) -> Value {
    Value Source = constant(DenseElementsAttr::get(Less.getType(), Values));
    return linalg::GenericOp::create(
               B, Type, Source, Into, ArrayRef{OfLess, Identity}, Kinds,
               [](OpBuilder &B, Location Loc, ValueRange Args) {
                 linalg::YieldOp::create(B, Loc, Args[0]);
               })
        .getResult(0);
  };
  SmallVector<APInt> Values = llvm::to_vector(Less.getValues<APInt>());
  APInt Number;
  if (auto Fill = Init.getDefiningOp<linalg::FillOp>();
      Fill && matchPattern(Fill.getInputs()[0], m_ConstantInt(&Number))) {
    for (APInt &Value : Values)
      Value = Number - Value;
    return spread(Values, Fill.getOutputs()[0]);
  }
  DenseElementsAttr Bias;
  if (auto Spread = Init.getDefiningOp<linalg::GenericOp>();
      Spread && Spread.getNumDpsInputs() == 1 && Spread.getNumDpsInits() == 1 &&
      Spread.getBody()->getTerminator()->getOperand(0) ==
          Spread.getBody()->getArgument(0) &&
      Spread.getIndexingMapsArray() == ArrayRef{OfLess, Identity} &&
      matchPattern(Spread.getDpsInputs()[0], m_Constant(&Bias)) &&
      Bias.getType() == Less.getType()) {
    for (auto [Value, Of] : llvm::zip(Values, Bias.getValues<APInt>()))
      Value = Of - Value;
    return spread(Values, Spread.getDpsInits()[0]);
  }
  Value Into = tensor::EmptyOp::create(
      B, tensor::getMixedSizes(B, B.getLoc(), Init), Type.getElementType());
  return linalg::GenericOp::create(
             B, Type, ValueRange{Init, constant(Less)}, Into,
             ArrayRef{Identity, OfLess, Identity}, Kinds,
             [](OpBuilder &B, Location Loc, ValueRange Args) {
               Value Rest = arith::SubIOp::create(B, Loc, Args[0], Args[1]);
               linalg::YieldOp::create(B, Loc, Rest);
             })
      .getResult(0);
}

/// What the sums begin with.
Value Packer::init() {
  auto Kinds = Op.getIteratorTypesArray();
  SmallVector<int64_t> Dims;
  SmallVector<AffineExpr> Loops;
  SmallVector<int64_t> Steps(Type.getRank(), 0); // of an element's sum
  for (int64_t Axis = Type.getRank(), Step = 1; Axis-- > 0;) {
    AffineExpr Expr = OfW.getResult(Axis);
    if (Kinds[*loopOf(Expr)] != utils::IteratorType::parallel)
      continue;
    Dims.insert(Dims.begin(), Type.getDimSize(Axis));
    Loops.insert(Loops.begin(), Expr);
    Steps[Axis] = Step;
    Step *= Type.getDimSize(Axis);
  }
  auto Of = RankedTensorType::get(Dims, B.getI32Type());
  SmallVector<int32_t> Less(Of.getNumElements());
  SmallVector<int64_t> At(Type.getRank());
  int64_t Sum = 0;
  for (char Byte : bytesOf(P.Weights)) {
    // Modulo 2^32, as the sums are.
    Less[Sum] =
        int32_t(uint32_t(Less[Sum]) + uint32_t(P.Offset + 128) *
                                          uint32_t(int8_t(Byte) - P.ZeroPoint));
    for (int64_t Axis = Type.getRank(); Axis-- > 0;) {
      Sum += Steps[Axis];
      if (++At[Axis] < Type.getDimSize(Axis))
        break;
      Sum -= Steps[Axis] * At[Axis];
      At[Axis] = 0;
    }
  }
  Value Init = Op.getDpsInits()[0];
  if (llvm::all_of(Less, [](int32_t Number) { return Number == 0; }))
    return Init;
  return lessByChannel(
      Init, DenseElementsAttr::get(Of, ArrayRef<int32_t>(Less)),
      AffineMap::get(Op.getNumLoops(), 0, Loops, B.getContext()));
}

void Packer::pack() {
  unsigned Depth = Op.getNumLoops();
  AffineExpr InFour = B.getAffineDimExpr(Depth),
             Fours = B.getAffineDimExpr(P.Channels);
  auto map = [&](ArrayRef<AffineExpr> Results) {
    return AffineMap::get(Depth + 1, 0, Results, B.getContext());
  };
  SmallVector<AffineExpr> X(Op.getMatchingIndexingMap(P.X).getResults()), W;
  X.erase(X.begin() + P.Axis);
  X.push_back(Fours * DotProduct::Depth + InFour);
  AffineExpr Result = B.getAffineDimExpr(P.Results);
  if (P.hasPanels())
    W.push_back(Result.floorDiv(DotProduct::Panel));
  for (int64_t Axis : otherAxes(OfW, P))
    W.push_back(OfW.getResult(Axis));
  W.append(
      {Fours, P.hasPanels() ? Result % DotProduct::Panel : Result, InFour});
  AffineMap Out = Op.getMatchingIndexingMap(Op.getDpsInitOperand(0));
  auto Kinds = Op.getIteratorTypesArray();
  Kinds.push_back(utils::IteratorType::reduction);
  auto New = linalg::GenericOp::create(
      B, Op.getResultTypes(), ValueRange{activations(), weights()}, init(),
      ArrayRef{map(X), map(W), map(Out.getResults())}, Kinds,
      [&](OpBuilder &B, Location Loc, ValueRange Args) {
        Value Sum = DotProduct::writeBody(B, Loc, Args[0], Args[1], Args[2],
                                          P.ZeroPoint);
        linalg::YieldOp::create(B, Loc, Sum);
      });
  Op.getResult(0).replaceAllUsesWith(New.getResult(0));
  Operation *Init = Op.getDpsInits()[0].getDefiningOp();
  Op.erase();
  if (Init && isOpTriviallyDead(Init)) // sums begin with others now
    Init->erase();
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// The constant weights of a product of floats that has more results than a
/// panel, those last.
static OpOperand *readFloatWeights(linalg::GenericOp Op) {
  if (!Op.hasPureTensorSemantics() || Op.getNumDpsInputs() != 2)
    return nullptr;
  auto S = readSumOfProducts(Op);
  OpOperand *X = S ? operandOf(Op, S->Factors[0]) : nullptr;
  OpOperand *W = S ? operandOf(Op, S->Factors[1]) : nullptr;
  if (X && matchPattern(X->get(), m_Constant()))
    std::swap(X, W);
  ElementsAttr Weights;
  if (!X || !W || !matchPattern(W->get(), m_Constant(&Weights)))
    return nullptr;
  auto T = cast<RankedTensorType>(W->get().getType());
  AffineMap OfW = Op.getMatchingIndexingMap(W);
  auto Results = T.getRank() > 1 && OfW.isProjectedPermutation()
                     ? loopOf(OfW.getResults().back())
                     : std::nullopt;
  if (!Results || !T.getElementType().isF32() || bytesOf(Weights).empty() ||
      Op.getMatchingIndexingMap(X).isFunctionOfDim(*Results) ||
      Op.getIteratorTypesArray()[*Results] != utils::IteratorType::parallel ||
      T.getShape().back() <= DotProduct::Panel)
    return nullptr;
  return W;
}

/// [..., F] becomes [F / 16, ..., 16], with results that nobody reads.
static void packPanels(linalg::GenericOp Op, OpOperand &W,
                       TransposedConstants &Constants) {
  ElementsAttr Elements;
  matchPattern(W.get(), m_Constant(&Elements));
  int64_t Results = cast<RankedTensorType>(Elements.getType()).getRank() - 1;
  Elements = split(padded(Elements, Results, DotProduct::Panel, 0), Results,
                   DotProduct::Panel);
  SmallVector<int64_t> Axes = {Results};
  llvm::append_range(Axes, llvm::seq<int64_t>(0, Results));
  Axes.push_back(Results + 1);
  OpBuilder B(Op);
  W.set(arith::ConstantOp::create(
      B, Op.getLoc(), cast<TypedAttr>(Constants.get(Elements, Axes))));
  SmallVector<AffineMap> Maps = Op.getIndexingMapsArray();
  AffineMap &Map = Maps[W.getOperandNumber()];
  SmallVector<AffineExpr> Places(Map.getResults());
  AffineExpr Result = Places.pop_back_val();
  Places.insert(Places.begin(), Result.floorDiv(DotProduct::Panel));
  Places.push_back(Result % DotProduct::Panel);
  Map = AffineMap::get(Map.getNumDims(), 0, Places, B.getContext());
  Op.setIndexingMapsAttr(B.getAffineMapArrayAttr(Maps));
}

namespace {
struct PackProductsPass
    : PassWrapper<PackProductsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PackProductsPass)

  StringRef getArgument() const override { return "tenon-pack-products"; }
  StringRef getDescription() const override {
    return "Pack weights as tiles of products read them: bytes by four, panels";
  }
  void getDependentDialects(DialectRegistry &Registry) const override {
    Registry.insert<arith::ArithDialect, linalg::LinalgDialect,
                    tensor::TensorDialect>();
  }
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> Ops;
    getOperation().walk([&](linalg::GenericOp Op) { Ops.push_back(Op); });
    TransposedConstants Constants;
    for (linalg::GenericOp Op : Ops)
      if (auto P = readProduct(Op))
        Packer(Op, *P, Constants).pack();
      else if (OpOperand *W = readFloatWeights(Op))
        packPanels(Op, *W, Constants);
  }
};
} // namespace

std::unique_ptr<Pass> tenon::createPackProductsPass() {
  return std::make_unique<PackProductsPass>();
}
