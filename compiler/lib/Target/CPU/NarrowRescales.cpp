//===- NarrowRescales.cpp - Rescaling in 32 bits --------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// TOSA rescales sums by (v * m + 2^(s - 1)) >> s in 64 bits, half as many of
// which fit into a register. Where s is 33 or more, the lower half of the
// product decides nothing: with h = v * m >> 32,
//   (v * m + 2^(s - 1)) >> s = (h + 2^(s - 33)) >> (s - 32).
// h is less than 2^30 in magnitude, since m is positive, and s less than 63:
// nothing overflows. Where m is 2^t, with k = s - t,
//   (v * m + 2^(s - 1)) >> s = (v >> k) + ((v >> (k - 1)) & 1),
// or v where k is 0; t is at most 31, so that the product has 64 bits.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace {
/// trunc((ext(V) * ext(Multiplier) + Round) >> Shift), of 32 bits.
struct Rescale {
  Value V, Multiplier, Shift;
};
} // namespace

/// The least and the greatest of a number in a body: a constant, or an element
/// of an input that is one.
static std::optional<std::pair<APInt, APInt>> rangeOf(linalg::GenericOp Op,
                                                      Value V) {
  APInt Number;
  if (matchPattern(V, m_ConstantInt(&Number)))
    return std::pair(Number, Number);
  auto Argument = dyn_cast<BlockArgument>(V);
  DenseIntElementsAttr Elements;
  if (!Argument || Argument.getOwner() != Op.getBody() ||
      !matchPattern(Op->getOperand(Argument.getArgNumber()),
                    m_Constant(&Elements)) ||
      Elements.empty())
    return std::nullopt;
  auto Values = Elements.getValues<APInt>();
  APInt Least = *Values.begin(), Greatest = Least;
  for (const APInt &Value : Values) {
    Least = Value.slt(Least) ? Value : Least;
    Greatest = Value.sgt(Greatest) ? Value : Greatest;
  }
  return std::pair(Least, Greatest);
}

/// The number of fewer bits that `V` is; itself where it is a constant.
static Value narrow(Value V) {
  if (auto Ext = V.getDefiningOp<arith::ExtSIOp>())
    return Ext.getIn();
  if (auto Ext = V.getDefiningOp<arith::ExtUIOp>())
    return Ext.getIn();
  return V;
}

/// Whether `Round` is 2^(Shift - 1).
static bool isHalf(Value Round, Value Shift) {
  APInt R, S;
  if (matchPattern(Round, m_ConstantInt(&R)) &&
      matchPattern(Shift, m_ConstantInt(&S)))
    return R.isPowerOf2() && R.logBase2() + 1 == S;
  auto Halved = Round.getDefiningOp<arith::ShRUIOp>();
  auto Power =
      Halved ? Halved.getLhs().getDefiningOp<arith::ShLIOp>() : arith::ShLIOp();
  return Power && matchPattern(Halved.getRhs(), m_One()) &&
         matchPattern(Power.getLhs(), m_One()) && Power.getRhs() == Shift;
}

static std::optional<Rescale> readRescale(linalg::GenericOp Op,
                                          arith::TruncIOp Trunc) {
  auto Shifted = Trunc.getIn().getDefiningOp<arith::ShRSIOp>();
  auto Rounded = Shifted ? Shifted.getLhs().getDefiningOp<arith::AddIOp>()
                         : arith::AddIOp();
  auto Product = Rounded ? Rounded.getLhs().getDefiningOp<arith::MulIOp>()
                         : arith::MulIOp();
  auto V = Product ? Product.getLhs().getDefiningOp<arith::ExtSIOp>()
                   : arith::ExtSIOp();
  if (!V || !Trunc.getType().isInteger(32) ||
      !Trunc.getIn().getType().isInteger(64) ||
      !V.getIn().getType().isInteger(32) ||
      !isHalf(Rounded.getRhs(), Shifted.getRhs()))
    return std::nullopt;
  Rescale R{V.getIn(), narrow(Product.getRhs()), narrow(Shifted.getRhs())};
  auto Multiplier = rangeOf(Op, R.Multiplier), Shift = rangeOf(Op, R.Shift);
  auto isWithin = [](const std::pair<APInt, APInt> &Range, int64_t Least,
                     int64_t Greatest) {
    return Range.first.getSExtValue() >= Least &&
           Range.second.getSExtValue() <= Greatest;
  };
  if (!Multiplier || !isWithin(*Multiplier, 0, INT32_MAX) || !Shift ||
      !isWithin(*Shift, 33, 62))
    return std::nullopt;
  return R;
}

namespace {
/// (V + 2^(Shift - 1)) >> Shift, of 32 bits.
struct Halving {
  Value V;
  int64_t Shift;
};
} // namespace

static std::optional<Halving> readHalving(arith::TruncIOp Trunc) {
  auto Shifted = Trunc.getIn().getDefiningOp<arith::ShRSIOp>();
  auto Rounded = Shifted ? Shifted.getLhs().getDefiningOp<arith::AddIOp>()
                         : arith::AddIOp();
  APInt Shift, Multiplier(64, 1);
  if (!Rounded || !matchPattern(Shifted.getRhs(), m_ConstantInt(&Shift)) ||
      !isHalf(Rounded.getRhs(), Shifted.getRhs()))
    return std::nullopt;
  Value V = Rounded.getLhs();
  if (auto Product = V.getDefiningOp<arith::MulIOp>();
      Product && matchPattern(Product.getRhs(), m_ConstantInt(&Multiplier)))
    V = Product.getLhs();
  auto Ext = V.getDefiningOp<arith::ExtSIOp>();
  int64_t Left = Shift.getSExtValue() - Multiplier.exactLogBase2();
  if (!Ext || !Ext.getIn().getType().isInteger(32) ||
      Ext.getIn().getType() != Trunc.getType() || !Multiplier.isPowerOf2() ||
      Multiplier.getActiveBits() > 32 || Left < 0 || Left > 31)
    return std::nullopt;
  return Halving{Ext.getIn(), Left};
}

static void rewrite(arith::TruncIOp Trunc, const Halving &H) {
  ImplicitLocOpBuilder B(Trunc.getLoc(), Trunc);
  auto shifted = [&](int64_t Shift) -> Value {
    if (!Shift)
      return H.V;
    Value By = arith::ConstantOp::create(B, B.getI32IntegerAttr(Shift));
    return arith::ShRSIOp::create(B, H.V, By);
  };
  Value Result = shifted(H.Shift);
  if (H.Shift) {
    Value One = arith::ConstantOp::create(B, B.getI32IntegerAttr(1));
    Result = arith::AddIOp::create(
        B, Result, arith::AndIOp::create(B, shifted(H.Shift - 1), One));
  }
  Trunc.replaceAllUsesWith(Result);
}

static void rewrite(arith::TruncIOp Trunc, const Rescale &R) {
  ImplicitLocOpBuilder B(Trunc.getLoc(), Trunc);
  auto constant = [&](int64_t Number) -> Value {
    return arith::ConstantOp::create(B, B.getI32IntegerAttr(int32_t(Number)));
  };
  auto of32Bits = [&](Value V) -> Value {
    APInt Number;
    if (matchPattern(V, m_ConstantInt(&Number)))
      return constant(Number.getSExtValue());
    if (V.getType().getIntOrFloatBitWidth() < 32)
      return arith::ExtUIOp::create(B, B.getI32Type(), V);
    return V;
  };
  Value Shift = of32Bits(R.Shift);
  Value High =
      arith::MulSIExtendedOp::create(B, R.V, of32Bits(R.Multiplier)).getHigh();
  Value Half = B.createOrFold<arith::ShLIOp>(
      constant(1), B.createOrFold<arith::SubIOp>(Shift, constant(33)));
  Value Rounded = arith::AddIOp::create(B, High, Half);
  Value Result = arith::ShRSIOp::create(
      B, Rounded, B.createOrFold<arith::SubIOp>(Shift, constant(32)));
  Trunc.replaceAllUsesWith(Result);
}

namespace {
struct NarrowRescalesPass
    : PassWrapper<NarrowRescalesPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NarrowRescalesPass)

  StringRef getArgument() const override { return "tenon-narrow-rescales"; }
  StringRef getDescription() const override {
    return "Rescale sums in 32 bits where the bits stay";
  }
  void getDependentDialects(DialectRegistry &Registry) const override {
    Registry.insert<arith::ArithDialect>();
  }
  void runOnOperation() override {
    getOperation().walk([](linalg::GenericOp Op) {
      SmallVector<arith::TruncIOp> Truncs(
          Op.getBody()->getOps<arith::TruncIOp>());
      for (arith::TruncIOp Trunc : Truncs)
        if (auto H = readHalving(Trunc))
          rewrite(Trunc, *H);
        else if (auto R = readRescale(Op, Trunc))
          rewrite(Trunc, *R);
      SmallVector<Operation *> Body(
          llvm::make_pointer_range(Op.getBody()->without_terminator()));
      for (Operation *Inner : llvm::reverse(Body))
        if (isOpTriviallyDead(Inner))
          Inner->erase();
    });
  }
};
} // namespace

std::unique_ptr<Pass> tenon::createNarrowRescalesPass() {
  return std::make_unique<NarrowRescalesPass>();
}
