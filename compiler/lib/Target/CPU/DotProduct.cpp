//===- DotProduct.cpp - Sums of four products of bytes --------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "DotProduct.h"

#include "LoopStride.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tenon;

Value DotProduct::writeBody(OpBuilder &B, Location Loc, Value X, Value W,
                            Value Sum, int32_t ZeroPoint) {
  Value Sign =
      arith::ConstantOp::create(B, Loc, B.getIntegerAttr(X.getType(), -128));
  X = arith::XOrIOp::create(B, Loc, X, Sign);
  X = arith::ExtUIOp::create(B, Loc, Sum.getType(), X);
  W = arith::ExtSIOp::create(B, Loc, Sum.getType(), W);
  if (ZeroPoint) {
    Value Zero =
        arith::ConstantOp::create(B, Loc, B.getI32IntegerAttr(ZeroPoint));
    W = arith::SubIOp::create(B, Loc, W, Zero);
  }
  Value Product = arith::MulIOp::create(B, Loc, X, W);
  return arith::AddIOp::create(B, Loc, Sum, Product);
}

/// The loop that one of the last axes of an operand goes along, in panels or
/// not.
static std::optional<unsigned> lastLoop(AffineMap Map, unsigned FromLast) {
  if (Map.getNumResults() <= FromLast)
    return std::nullopt;
  AffineExpr Expr = Map.getResult(Map.getNumResults() - 1 - FromLast);
  if (auto Mod = dyn_cast<AffineBinaryOpExpr>(Expr);
      Mod && Mod.getKind() == AffineExprKind::Mod &&
      Mod.getRHS() ==
          getAffineConstantExpr(DotProduct::Panel, Map.getContext()))
    Expr = Mod.getLHS();
  auto Dim = dyn_cast<AffineDimExpr>(Expr);
  return Dim ? std::optional<unsigned>(Dim.getPosition()) : std::nullopt;
}

/// x and w: (x ^ 128) without a sign, and w, signed, less its zero point.
static bool readFactors(linalg::GenericOp Op, const SumOfProducts &S,
                        DotProduct &P) {
  auto Unsigned = S.Factors[0].getDefiningOp<arith::ExtUIOp>();
  auto [Extended, ZeroPoint] = readOffset(S.Factors[1]);
  auto Signed = Extended.getDefiningOp<arith::ExtSIOp>();
  auto Flip = Unsigned ? Unsigned.getIn().getDefiningOp<arith::XOrIOp>()
                       : arith::XOrIOp();
  APInt Sign;
  if (!Flip || !Signed || !matchPattern(Flip.getRhs(), m_ConstantInt(&Sign)) ||
      Sign != APInt::getSignMask(8) || !Signed.getIn().getType().isInteger(8))
    return false;
  P.X = operandOf(Op, Flip.getLhs());
  P.W = operandOf(Op, Signed.getIn());
  P.ZeroPoint = ZeroPoint;
  return P.X && P.W;
}

/// Whether steps find their bytes as they read them.
static bool readLoops(linalg::GenericOp Op, DotProduct &P) {
  AffineMap OfX = Op.getMatchingIndexingMap(P.X),
            OfW = Op.getMatchingIndexingMap(P.W);
  auto InFour = lastLoop(OfW, 0), Results = lastLoop(OfW, 1),
       Fours = lastLoop(OfW, 2);
  if (!InFour || !Results || !Fours ||
      Op.getStaticLoopRanges()[*InFour] != DotProduct::Depth)
    return false;
  P.Results = *Results, P.InFour = *InFour;
  MLIRContext *Context = Op.getContext();
  return OfX.getResults().back() ==
         getAffineDimExpr(*Fours, Context) * DotProduct::Depth +
             getAffineDimExpr(*InFour, Context);
}

std::optional<DotProduct> tenon::readDotProduct(linalg::GenericOp Op) {
  auto S = readSumOfProducts(Op);
  DotProduct P;
  if (!S || !readFactors(Op, *S, P) || !readLoops(Op, P))
    return std::nullopt;
  P.Sum = *std::move(S);
  for (OpOperand &Operand : Op->getOpOperands())
    if (&Operand != P.X && &Operand != P.W &&
        !isDenseAlong(Op, Operand, P.Results))
      return std::nullopt;
  auto X = dyn_cast<MemRefType>(P.X->get().getType());
  auto W = dyn_cast<MemRefType>(P.W->get().getType());
  if ((X && !X.isLastDimUnitStride()) || (W && !W.getLayout().isIdentity()))
    return std::nullopt;
  return P;
}
