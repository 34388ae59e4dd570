//===- ShareLoops.cpp - A part of a loop nest -----------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "ShareLoops.h"

#include "Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tenon;

std::optional<Share> tenon::shareOf(Operation *Op) {
  auto Function = Op->getParentOfType<func::FuncOp>();
  if (!Function->hasAttr(UnaliasedAttr))
    return std::nullopt;
  auto Arguments = Function.getArguments();
  return Share{Arguments[Arguments.size() - 2], Arguments.back()};
}

std::optional<unsigned>
tenon::loopToShare(linalg::LinalgOp Op, ArrayRef<unsigned> Loops,
                   llvm::function_ref<int64_t(unsigned)> StepOf) {
  // What is not known is rather large.
  constexpr int64_t StepsOfUnknown = 64;
  SmallVector<int64_t> Extents = Op.getStaticLoopRanges();
  std::optional<unsigned> Best;
  int64_t Most = 1;
  for (unsigned Loop : Loops) {
    int64_t Steps = ShapedType::isDynamic(Extents[Loop])
                        ? StepsOfUnknown
                        : llvm::divideCeil(Extents[Loop], StepOf(Loop));
    if (Steps > Most) {
      Best = Loop;
      Most = Steps;
    }
  }
  return Best;
}

LoopRange tenon::rangeOf(OpBuilder &B, Location Loc, const Share &S,
                         OpFoldResult Extent, int64_t Step) {
  AffineExpr All = B.getAffineSymbolExpr(0);
  Value Steps =
      getValueOrCreateConstantIndexOp(B, Loc,
                                      affine::makeComposedFoldedAffineApply(
                                          B, Loc, All.ceilDiv(Step), {Extent}));
  Value Each = arith::ConstantIndexOp::create(B, Loc, Step);
  Value End = getValueOrCreateConstantIndexOp(B, Loc, Extent);
  // Where one part ends the next begins; the last ends with the loop.
  auto begin = [&](Value Part) -> OpFoldResult {
    Value First = arith::DivUIOp::create(
        B, Loc, arith::MulIOp::create(B, Loc, Steps, Part), S.Parts);
    return arith::MinUIOp::create(
               B, Loc, arith::MulIOp::create(B, Loc, First, Each), End)
        .getResult();
  };
  Value One = arith::ConstantIndexOp::create(B, Loc, 1);
  return {begin(S.Part), begin(arith::AddIOp::create(B, Loc, S.Part, One))};
}

void tenon::leaveToFirst(OpBuilder &B, Location Loc, const Share &S) {
  Value IsFirst =
      arith::CmpIOp::create(B, Loc, arith::CmpIPredicate::eq, S.Part,
                            arith::ConstantIndexOp::create(B, Loc, 0));
  auto If = scf::IfOp::create(B, Loc, IsFirst, /*withElseRegion=*/false);
  B.setInsertionPointToStart(If.thenBlock());
}

void tenon::writeSharedLoops(RewriterBase &Rewriter, linalg::LinalgOp Op,
                             const Share &S) {
  Location Loc = Op.getLoc();
  SmallVector<unsigned> Parallel;
  Op.getParallelDims(Parallel);
  std::optional<unsigned> Loop =
      loopToShare(Op, Parallel, [](unsigned) { return 1; });
  Rewriter.setInsertionPoint(Op);
  if (!Loop) {
    leaveToFirst(Rewriter, Loc, S);
    Rewriter.moveOpBefore(Op, Rewriter.getInsertionBlock(),
                          Rewriter.getInsertionPoint());
    return;
  }
  auto Loops = linalg::linalgOpToLoops(Rewriter, Op);
  auto For = cast<scf::ForOp>((*Loops)[*Loop]);
  Rewriter.setInsertionPoint(For);
  LoopRange R = rangeOf(Rewriter, Loc, S, For.getUpperBound(), 1);
  For.setLowerBound(getValueOrCreateConstantIndexOp(Rewriter, Loc, R.From));
  For.setUpperBound(getValueOrCreateConstantIndexOp(Rewriter, Loc, R.To));
  Rewriter.eraseOp(Op);
}
