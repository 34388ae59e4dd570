//===- NarrowProducts.cpp - Products of 32 bits that multiply bytes -------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// ONNX's operators on integers subtract zero points first, which leaves 32
// bits, and constants among them have been computed by then. Where each factor
// is a byte less a constant all the same, the product reads bytes, which
// processors multiply four at a time (PackProducts): what widens an activation
// stops short of that, and weights that fit are stored as bytes. The sums are
// those of before.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "SumOfProducts.h"
#include "TransposeConstant.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tenon;

namespace {

/// A tensor of signed bytes less a constant.
struct Bytes {
  Value Tensor;
  int32_t Offset = 0;
};

/// In a body: a byte less a constant. `Flip` where the byte's highest bit is to
/// be turned first.
struct Widened {
  Value Byte;
  int32_t Offset = 0;
  bool Flip = false;
};

/// Finds for tensors of 32 bits those of bytes, and makes them.
class Narrower {
public:
  explicit Narrower(IRRewriter &B) : B(B) {}
  std::optional<Bytes> narrowed(Value V);

private:
  std::optional<Bytes> constant(Value V, ElementsAttr Elements);
  std::optional<Bytes> computed(linalg::GenericOp Op);
  std::optional<Bytes> padded(tensor::PadOp Op);

  IRRewriter &B;
  DenseMap<Value, std::optional<Bytes>> Known;
};

} // namespace

static std::optional<int32_t> constantOf(Value V) {
  APInt Number;
  if (!matchPattern(V, m_ConstantInt(&Number)))
    return std::nullopt;
  return int32_t(Number.getSExtValue());
}

/// `V` of 32 bits as a byte less a constant. With u without a sign and s = u
/// with its highest bit turned, u = s + 128.
static std::optional<Widened> readWidened(Value V) {
  Widened W;
  auto minus = [&](int32_t Number) {
    W.Offset = int32_t(uint32_t(W.Offset) + uint32_t(Number));
  };
  while (auto Sub = V.getDefiningOp<arith::SubIOp>()) {
    auto Number = constantOf(Sub.getRhs());
    if (!Number)
      return std::nullopt;
    minus(*Number);
    V = Sub.getLhs();
  }
  if (auto Signed = V.getDefiningOp<arith::ExtSIOp>()) {
    W.Byte = Signed.getIn();
  } else if (auto Unsigned = V.getDefiningOp<arith::ExtUIOp>()) {
    W.Byte = Unsigned.getIn();
    W.Flip = true;
    minus(-128);
    auto Flip = W.Byte.getDefiningOp<arith::XOrIOp>();
    if (Flip && constantOf(Flip.getRhs()) == -128) {
      W.Byte = Flip.getLhs();
      W.Flip = false;
    }
  }
  if (!W.Byte || !W.Byte.getType().isInteger(8))
    return std::nullopt;
  return W;
}

std::optional<Bytes> Narrower::constant(Value V, ElementsAttr Elements) {
  auto Type = cast<RankedTensorType>(V.getType());
  ArrayRef<char> Raw = bytesOf(Elements);
  if (Raw.empty() || int64_t(Raw.size()) != 4 * Type.getNumElements())
    return std::nullopt;
  ArrayRef<int32_t> Values(reinterpret_cast<const int32_t *>(Raw.data()),
                           Raw.size() / 4);
  auto [Least, Greatest] = std::minmax_element(Values.begin(), Values.end());
  int64_t Offset = 0;
  if (*Least < INT8_MIN || *Greatest > INT8_MAX)
    Offset = int64_t(INT8_MAX) - *Greatest;
  if (*Least + Offset < INT8_MIN || Offset < INT8_MIN || Offset > INT8_MAX)
    return std::nullopt;
  SmallVector<int8_t> Narrow;
  for (int32_t Value : Values)
    Narrow.push_back(int8_t(Value + Offset));
  OpBuilder::InsertionGuard Guard(B);
  B.setInsertionPointAfterValue(V);
  auto As = DenseElementsAttr::get(Type.clone(B.getI8Type()),
                                   ArrayRef<int8_t>(Narrow));
  return Bytes{arith::ConstantOp::create(B, V.getLoc(), As), int32_t(Offset)};
}

/// What is computed element by element, up to where it is widened.
std::optional<Bytes> Narrower::computed(linalg::GenericOp Op) {
  if (!Op.hasPureTensorSemantics() || Op.getNumReductionLoops() ||
      Op.getNumDpsInits() != 1 ||
      !Op.getMatchingIndexingMap(Op.getDpsInitOperand(0)).isIdentity())
    return std::nullopt;
  auto W = readWidened(Op.getBody()->getTerminator()->getOperand(0));
  if (!W || !Op.getRegionOutputArgs()[0].use_empty())
    return std::nullopt;
  OpOperand *Input = operandOf(Op, W->Byte);
  if (Input && !W->Flip && Op.getMatchingIndexingMap(Input).isIdentity())
    return Bytes{Input->get(), W->Offset};
  OpBuilder::InsertionGuard Guard(B);
  B.setInsertionPoint(Op);
  auto Type = cast<RankedTensorType>(Op.getResult(0).getType());
  Value Into = tensor::EmptyOp::create(
      B, Op.getLoc(),
      tensor::getMixedSizes(B, Op.getLoc(), Op.getDpsInits()[0]),
      B.getI8Type());
  auto New = linalg::GenericOp::create(
      B, Op.getLoc(), Type.clone(B.getI8Type()), Op.getDpsInputs(), Into,
      Op.getIndexingMapsArray(), Op.getIteratorTypesArray(),
      [&](OpBuilder &B, Location Loc, ValueRange Args) {
        IRMapping Map;
        Map.map(Op.getRegionInputArgs(), Args.drop_back());
        for (Operation &Inner : Op.getBody()->without_terminator())
          B.clone(Inner, Map);
        Value Byte = Map.lookup(W->Byte);
        if (W->Flip)
          Byte = arith::XOrIOp::create(
              B, Loc, Byte,
              arith::ConstantOp::create(B, Loc, B.getI8IntegerAttr(-128)));
        linalg::YieldOp::create(B, Loc, Byte);
      });
  return Bytes{New.getResult(0), W->Offset};
}

std::optional<Bytes> Narrower::padded(tensor::PadOp Op) {
  auto Number = Op.getConstantPaddingValue()
                    ? constantOf(Op.getConstantPaddingValue())
                    : std::nullopt;
  auto Inner = Number ? narrowed(Op.getSource()) : std::nullopt;
  int64_t Byte = Inner ? int64_t(*Number) + Inner->Offset : INT64_MAX;
  if (Byte < INT8_MIN || Byte > INT8_MAX)
    return std::nullopt;
  OpBuilder::InsertionGuard Guard(B);
  B.setInsertionPoint(Op);
  Value Fill = arith::ConstantOp::create(B, Op.getLoc(),
                                         B.getI8IntegerAttr(int8_t(Byte)));
  Value Padded = tensor::PadOp::create(
      B, Op.getLoc(), Op.getResultType().clone(B.getI8Type()), Inner->Tensor,
      Op.getMixedLowPad(), Op.getMixedHighPad(), Fill);
  return Bytes{Padded, Inner->Offset};
}

std::optional<Bytes> Narrower::narrowed(Value V) {
  if (auto Found = Known.find(V); Found != Known.end())
    return Found->second;
  std::optional<Bytes> Result;
  ElementsAttr Elements;
  if (matchPattern(V, m_Constant(&Elements)))
    Result = constant(V, Elements);
  else if (auto Op = V.getDefiningOp<linalg::GenericOp>())
    Result = computed(Op);
  else if (auto Op = V.getDefiningOp<tensor::PadOp>())
    Result = padded(Op);
  return Known[V] = Result;
}

/// The product's two factors where those are its two inputs.
static std::optional<std::array<OpOperand *, 2>>
readFactors(linalg::GenericOp Op) {
  auto S = Op.hasPureTensorSemantics() && Op.getNumDpsInputs() == 2
               ? readSumOfProducts(Op)
               : std::nullopt;
  if (!S)
    return std::nullopt;
  std::array<OpOperand *, 2> Factors = {operandOf(Op, S->Factors[0]),
                                        operandOf(Op, S->Factors[1])};
  return Factors[0] && Factors[1] && Factors[0] != Factors[1]
             ? std::optional(Factors)
             : std::nullopt;
}

namespace {
struct NarrowProductsPass
    : PassWrapper<NarrowProductsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NarrowProductsPass)

  StringRef getArgument() const override { return "tenon-narrow-products"; }
  StringRef getDescription() const override {
    return "Multiply bytes where products of 32 bits have no wider factors";
  }
  void getDependentDialects(DialectRegistry &Registry) const override {
    Registry.insert<arith::ArithDialect, linalg::LinalgDialect,
                    tensor::TensorDialect>();
  }
  void runOnOperation() override;
};
} // namespace

/// `Op` on bytes, written in front of it.
static linalg::GenericOp multiplyBytes(IRRewriter &B, linalg::GenericOp Op,
                                       ArrayRef<Bytes> Factors) {
  return linalg::GenericOp::create(
      B, Op.getLoc(), Op.getResultTypes(),
      ValueRange{Factors[0].Tensor, Factors[1].Tensor}, Op.getDpsInits(),
      Op.getIndexingMapsArray(), Op.getIteratorTypesArray(),
      [&](OpBuilder &B, Location Loc, ValueRange Args) {
        SmallVector<Value, 2> Wide;
        for (auto [Byte, Factor] : llvm::zip(Args, Factors)) {
          Wide.push_back(arith::ExtSIOp::create(B, Loc, B.getI32Type(), Byte));
          if (Factor.Offset)
            Wide.back() = arith::SubIOp::create(
                B, Loc, Wide.back(),
                arith::ConstantOp::create(B, Loc,
                                          B.getI32IntegerAttr(Factor.Offset)));
        }
        Value Product = arith::MulIOp::create(B, Loc, Wide[0], Wide[1]);
        linalg::YieldOp::create(
            B, Loc,
            arith::AddIOp::create(B, Loc, Args.back(), Product).getResult());
      });
}

void NarrowProductsPass::runOnOperation() {
  IRRewriter B(&getContext());
  SmallVector<linalg::LinalgOp> Ops;
  getOperation().walk([&](linalg::LinalgOp Op) {
    if (Op.getNumReductionLoops() &&
        llvm::all_of(Op->getOperandTypes(), [](Type T) {
          return getElementTypeOrSelf(T).isInteger(32);
        }))
      Ops.push_back(Op);
  });
  Narrower N(B);
  for (linalg::LinalgOp Op : Ops) {
    B.setInsertionPoint(Op);
    auto Generic = dyn_cast<linalg::GenericOp>(Op.getOperation());
    if (!Generic)
      if (auto General = linalg::generalizeNamedOp(B, Op); succeeded(General))
        Generic = *General;
    auto Factors = Generic ? readFactors(Generic) : std::nullopt;
    SmallVector<Bytes, 2> Narrow;
    for (OpOperand *Factor : Factors.value_or(std::array<OpOperand *, 2>()))
      if (auto Of = Factor ? N.narrowed(Factor->get()) : std::nullopt)
        Narrow.push_back(*Of);
    // Without constants nothing is packed, and bytes would be widened again and
    // again.
    if (Narrow.size() != 2 || llvm::none_of(Narrow, [](const Bytes &Of) {
          return matchPattern(Of.Tensor, m_Constant());
        }))
      continue;
    if ((*Factors)[0]->getOperandNumber() != 0)
      std::swap(Narrow[0], Narrow[1]);
    B.setInsertionPoint(Generic);
    B.replaceOp(Generic, multiplyBytes(B, Generic, Narrow));
  }
}

std::unique_ptr<Pass> tenon::createNarrowProductsPass() {
  return std::make_unique<NarrowProductsPass>();
}
