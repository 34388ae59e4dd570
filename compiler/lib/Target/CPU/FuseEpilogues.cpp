//===- FuseEpilogues.cpp - Products with what is done with their sums -----===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Sums need not be in memory: those of bytes have four times as many. Here a
// product gets what its sums begin with as an input, and makes what an
// elementwise operation makes of each:
//
//   before = all reductions at 0 ? start : so far
//   sum = before + x * w
//   result = all reductions at their ends ? epilogue(sum) : sum
//
// Where the result is of another type, it is a second one, which every step
// overwrites; the last one's stays. A tile has its sums in registers and makes
// the result once. Then no sum is stored: their tensor has no reader and is
// written by nobody.
//
// Of a product whose sums are the result, what they begin with is an input all
// the same where it is a number or one for each channel, so that nobody stores
// it for each sum.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "DotProduct.h"
#include "LoopStride.h"
#include "SumOfProducts.h"
#include "VectorBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tenon;

namespace {

/// What sums begin with: a tensor, read by the loops of the product.
struct Start {
  Value V;
  AffineMap Map;
  Value Destination; ///< of the sums
};

class Fuser {
public:
  /// Without an epilogue where that is null.
  Fuser(linalg::GenericOp Product, const SumOfProducts &S,
        linalg::GenericOp Epilogue)
      : B(Product.getLoc(), Product), Product(Product), S(S),
        Epilogue(Epilogue),
        Out(Product.getMatchingIndexingMap(Product.getDpsInitOperand(0))) {}

  bool fits();
  bool fitsEpilogue();
  void fuse();
  void fuseStart();

private:
  /// Along which the vectors of a tile lie.
  unsigned lastLoop() {
    return cast<AffineDimExpr>(Out.getResults().back()).getPosition();
  }
  OpOperand *sums() { return &*Product.getResult(0).use_begin(); }
  AffineMap onProduct(AffineMap OfEpilogue);
  Start start();
  /// Whether the result has a tensor beside that of the sums.
  bool isSecond() {
    OpOperand *Result = Epilogue.getDpsInitOperand(0);
    return getElementTypeOrSelf(Result->get()) !=
               getElementTypeOrSelf(Product.getDpsInits()[0]) ||
           onProduct(Epilogue.getMatchingIndexingMap(Result)) != Out;
  }
  Value isAt(OpBuilder &B, Location Loc, bool End);
  Value writeSum(OpBuilder &B, Location Loc, ValueRange Arguments);
  void writeBody(OpBuilder &B, Location Loc, ValueRange Arguments);

  ImplicitLocOpBuilder B;
  linalg::GenericOp Product;
  const SumOfProducts &S;
  linalg::GenericOp Epilogue;
  AffineMap Out;
};

} // namespace

/// A map of the epilogue's loops as one of the product's.
AffineMap Fuser::onProduct(AffineMap OfEpilogue) {
  AffineMap Read = Epilogue.getMatchingIndexingMap(sums());
  SmallVector<AffineExpr> Loops(Read.getNumDims());
  for (auto [Axis, Expr] : llvm::enumerate(Read.getResults()))
    Loops[cast<AffineDimExpr>(Expr).getPosition()] = Out.getResult(Axis);
  return OfEpilogue.replaceDimsAndSymbols(Loops, {}, Product.getNumLoops(), 0);
}

bool Fuser::fits() {
  // Without a step there would be no result.
  SmallVector<unsigned> Reductions;
  Product.getReductionDims(Reductions);
  SmallVector<int64_t> Extents = Product.getStaticLoopRanges();
  if (llvm::any_of(Reductions,
                   [&](unsigned Loop) { return Extents[Loop] < 1; }))
    return false; // dynamic ones are negative
  // Loops of single elements would choose the start at each step.
  if (Out.getNumResults() == 0 ||
      !llvm::isa<AffineDimExpr>(Out.getResults().back()) ||
      Extents[lastLoop()] == 1)
    return false;
  // Where no dot product reads its operands in another way.
  return readDotProduct(Product) ||
         llvm::all_of(Product->getOpOperands(), [&](OpOperand &Operand) {
           return isDenseAlong(Product, Operand, lastLoop());
         });
}

bool Fuser::fitsEpilogue() {
  if (Epilogue.getNumReductionLoops() || Epilogue.getNumDpsInits() != 1 ||
      Epilogue.hasIndexSemantics() || !Epilogue.hasPureTensorSemantics() ||
      Epilogue.isDpsInit(sums()) ||
      !Epilogue.getMatchingIndexingMap(sums()).isPermutation() ||
      !Epilogue.getRegionOutputArgs()[0].use_empty() ||
      !llvm::all_of(*Epilogue.getBody(), worksOnVectors))
    return false;
  // A result that the sum is no part of, or no operation makes, is no epilogue.
  Operation *Made =
      Epilogue.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  if (!Made || llvm::isa<arith::ConstantOp>(Made) ||
      Epilogue.getMatchingBlockArgument(sums()).use_empty())
    return false;
  for (OpOperand &Operand : Epilogue->getOpOperands()) {
    auto T = dyn_cast<RankedTensorType>(Operand.get().getType());
    if (!T || !T.getElementType().isIntOrFloat() ||
        T.getElementTypeBitWidth() % 8)
      return false;
    auto Stride = strideAlong(
        onProduct(Epilogue.getMatchingIndexingMap(&Operand)), lastLoop());
    bool IsResult = Epilogue.isDpsInit(&Operand);
    if (Stride != 1 && (IsResult || Stride != 0))
      return false;
  }
  return true;
}

Start Fuser::start() {
  Value Init = Product.getDpsInits()[0];
  Type Element = getElementTypeOrSelf(Init);
  if (auto Fill = Init.getDefiningOp<linalg::FillOp>()) {
    Attribute Number;
    if (matchPattern(Fill.getInputs()[0], m_Constant(&Number))) {
      Value Of = arith::ConstantOp::create(
          B, DenseElementsAttr::get(RankedTensorType::get({}, Element),
                                    ArrayRef(Number)));
      return {Of, AffineMap::get(Product.getNumLoops(), 0, B.getContext()),
              Fill.getOutputs()[0]};
    }
  }
  auto Spread = Init.getDefiningOp<linalg::GenericOp>();
  if (Spread && Spread.getNumDpsInputs() == 1 && Spread.getNumDpsInits() == 1 &&
      !Spread.getNumReductionLoops() &&
      Spread.getBody()->getTerminator()->getOperand(0) ==
          Spread.getBody()->getArgument(0) &&
      Spread.getIndexingMapsArray()[1].isIdentity() &&
      llvm::isa<RankedTensorType>(Spread.getDpsInputs()[0].getType())) {
    AffineMap Map = Spread.getIndexingMapsArray()[0].replaceDimsAndSymbols(
        Out.getResults(), {}, Product.getNumLoops(), 0);
    auto Stride = strideAlong(Map, lastLoop());
    if (Stride == 0 || Stride == 1)
      return {Spread.getDpsInputs()[0], Map, Spread.getDpsInits()[0]};
  }
  Value Empty = tensor::EmptyOp::create(
      B, tensor::getMixedSizes(B, B.getLoc(), Init), Element);
  return {Init, Out, Empty};
}

/// Whether all reductions are at their beginnings, or ends.
Value Fuser::isAt(OpBuilder &B, Location Loc, bool End) {
  SmallVector<int64_t> Extents = Product.getStaticLoopRanges();
  SmallVector<unsigned> Reductions;
  Product.getReductionDims(Reductions);
  Value All;
  for (unsigned Loop : Reductions) {
    Value At = linalg::IndexOp::create(B, Loc, Loop);
    Value To =
        arith::ConstantIndexOp::create(B, Loc, End ? Extents[Loop] - 1 : 0);
    Value Is = arith::CmpIOp::create(B, Loc, arith::CmpIPredicate::eq, At, To);
    All = All ? arith::AndIOp::create(B, Loc, All, Is) : Is;
  }
  return All;
}

/// Arguments: the product's inputs, start, and the sum so far as the last one.
Value Fuser::writeSum(OpBuilder &B, Location Loc, ValueRange Arguments) {
  unsigned Inputs = Product.getNumDpsInputs();
  IRMapping Step;
  Step.map(Product.getRegionInputArgs(), Arguments.take_front(Inputs));
  Step.map(S.Before,
           arith::SelectOp::create(B, Loc, isAt(B, Loc, /*End=*/false),
                                   Arguments[Inputs], Arguments.back()));
  for (Operation *Inner : S.Step)
    B.clone(*Inner, Step);
  return Step.lookup(S.Sum);
}

/// Arguments: the product's inputs, start, the epilogue's other inputs, sum,
/// result where that is another.
void Fuser::writeBody(OpBuilder &B, Location Loc, ValueRange Arguments) {
  unsigned Inputs = Product.getNumDpsInputs();
  Value Sum = writeSum(B, Loc, isSecond() ? Arguments.drop_back() : Arguments);
  IRMapping Map;
  auto Other = Arguments.begin() + Inputs + 1;
  for (OpOperand *Input : Epilogue.getDpsInputOperands())
    Map.map(Epilogue.getMatchingBlockArgument(Input),
            Input == sums() ? Sum : *Other++);
  for (Operation &Inner : Epilogue.getBody()->without_terminator())
    B.clone(Inner, Map);
  Value Result = Map.lookup(Epilogue.getBody()->getTerminator()->getOperand(0));
  if (isSecond()) {
    linalg::YieldOp::create(B, Loc, ValueRange{Sum, Result});
    return;
  }
  Value Yielded =
      arith::SelectOp::create(B, Loc, isAt(B, Loc, /*End=*/true), Result, Sum);
  linalg::YieldOp::create(B, Loc, Yielded);
}

void Fuser::fuseStart() {
  Start Begin = start();
  if (Begin.V == Product.getDpsInits()[0])
    return; // in memory already, where the sums go
  SmallVector<Value> Inputs = Product.getDpsInputs();
  SmallVector<AffineMap> Maps = Product.getIndexingMapsArray();
  Maps.insert(Maps.begin() + Inputs.size(), Begin.Map);
  Inputs.push_back(Begin.V);
  auto New = linalg::GenericOp::create(
      B, Product.getResultTypes(), Inputs, Begin.Destination, Maps,
      Product.getIteratorTypesArray(),
      [&](OpBuilder &B, Location Loc, ValueRange Arguments) {
        Value Sum = writeSum(B, Loc, Arguments);
        linalg::YieldOp::create(B, Loc, Sum);
      });
  New->setAttr(EpilogueAttr, B.getUnitAttr());
  Product.getResult(0).replaceAllUsesWith(New.getResult(0));
  Operation *Init = Product.getDpsInits()[0].getDefiningOp();
  Product.erase();
  if (isOpTriviallyDead(Init))
    Init->erase();
}

void Fuser::fuse() {
  B.setInsertionPoint(Epilogue);
  B.setLoc(
      FusedLoc::get(B.getContext(), {Product.getLoc(), Epilogue.getLoc()}));
  Start Begin = start();
  SmallVector<Value> Inputs = Product.getDpsInputs();
  SmallVector<AffineMap> Maps;
  for (OpOperand *Input : Product.getDpsInputOperands())
    Maps.push_back(Product.getMatchingIndexingMap(Input));
  Inputs.push_back(Begin.V);
  Maps.push_back(Begin.Map);
  for (OpOperand *Input : Epilogue.getDpsInputOperands())
    if (Input != sums()) {
      Inputs.push_back(Input->get());
      Maps.push_back(onProduct(Epilogue.getMatchingIndexingMap(Input)));
    }
  SmallVector<Value> Destinations;
  if (isSecond()) {
    Destinations.push_back(Begin.Destination);
    Maps.push_back(Out);
  }
  OpOperand *Result = Epilogue.getDpsInitOperand(0);
  Destinations.push_back(Result->get());
  Maps.push_back(onProduct(Epilogue.getMatchingIndexingMap(Result)));
  auto New = linalg::GenericOp::create(
      B, TypeRange(ValueRange(Destinations)), Inputs, Destinations, Maps,
      Product.getIteratorTypesArray(),
      [&](OpBuilder &B, Location Loc, ValueRange Arguments) {
        writeBody(B, Loc, Arguments);
      });
  New->setAttr(EpilogueAttr, B.getUnitAttr());
  Epilogue.getResult(0).replaceAllUsesWith(New.getResults().back());
  Epilogue.erase();
  Operation *Init = Product.getDpsInits()[0].getDefiningOp();
  Product.erase();
  if (Init && isOpTriviallyDead(Init)) // spread what is read where it is now
    Init->erase();
}

/// What alone reads the result, or null. Under other regions it may run more
/// than once.
static linalg::GenericOp onlyReader(linalg::GenericOp Op) {
  if (!Op->hasOneUse())
    return {};
  auto Reader = dyn_cast<linalg::GenericOp>(*Op->user_begin());
  return Reader && Reader->getBlock() == Op->getBlock() ? Reader
                                                        : linalg::GenericOp();
}

namespace {
struct FuseEpiloguesPass
    : PassWrapper<FuseEpiloguesPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FuseEpiloguesPass)

  StringRef getArgument() const override { return "tenon-fuse-epilogues"; }
  StringRef getDescription() const override {
    return "Let products make what is made of their sums";
  }
  void getDependentDialects(DialectRegistry &Registry) const override {
    Registry.insert<arith::ArithDialect, linalg::LinalgDialect,
                    tensor::TensorDialect>();
  }
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> Ops;
    getOperation().walk([&](linalg::GenericOp Op) { Ops.push_back(Op); });
    llvm::SmallPtrSet<Operation *, 16> Fused;
    for (linalg::GenericOp Op : Ops) {
      if (Fused.contains(Op) || !Op.hasPureTensorSemantics() ||
          Op.getNumDpsInits() != 1)
        continue;
      auto S = readSumOfProducts(Op);
      if (!S)
        continue;
      linalg::GenericOp Epilogue = onlyReader(Op);
      Fuser F(Op, *S, Epilogue);
      if (!F.fits())
        continue;
      if (Epilogue && F.fitsEpilogue()) {
        Fused.insert(Epilogue);
        F.fuse();
      } else {
        F.fuseStart();
      }
    }
  }
};
} // namespace

std::unique_ptr<Pass> tenon::createFuseEpiloguesPass() {
  return std::make_unique<FuseEpiloguesPass>();
}
