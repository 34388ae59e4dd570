//===- ChooseLayouts.cpp - Order of axes that vectors can walk along ------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// ONNX keeps images with channels outside. A vector register holds neighbours
// in memory, and of a convolution's results only channels share everything that
// is loaded: its result is stored with them innermost, and so are its weights,
// where that is known to pay. Of too few channels to fill a register it is
// stored with a row of pixels innermost. What follows takes the order that it
// finds, so that images are turned round where a network's border or an
// operation that cannot do otherwise asks for it.
//
// A turned value has axes in another order; the operations that read it change
// their indexing maps. No element is computed otherwise.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "TurnedValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tenon;

namespace {

/// Walks through a block in order and writes each operation that reads a turned
/// value, or is to make one, anew.
class Turner {
public:
  explicit Turner(IRRewriter &B) : B(B), Values(B) {}
  void run(Block &Block);

private:
  void visit(Operation *Op);
  void visit(linalg::GenericOp Op);
  void settleCaptured(Operation *Op);
  bool visit(tensor::PadOp Op);
  bool visit(tensor::ExtractSliceOp Op);
  bool visit(tensor::InsertSliceOp Op);

  bool takeTransposition(linalg::GenericOp Op);
  std::optional<unsigned> loopForVectors(linalg::GenericOp Op);

  IRRewriter &B;
  TurnedValues Values;
};

} // namespace

//===----------------------------------------------------------------------===//
// linalg
//===----------------------------------------------------------------------===//

/// The axis along which `Loop` walks from one element to the next: its index is
/// `Loop`, or that and what other loops add to it, as in a window. None where
/// another axis moves along as well.
static std::optional<int64_t> axisOf(AffineMap Map, unsigned Loop) {
  std::optional<int64_t> Found;
  AffineExpr Dim = getAffineDimExpr(Loop, Map.getContext());
  for (auto [Axis, Expr] : llvm::enumerate(Map.getResults())) {
    if (!Expr.isFunctionOfDim(Loop))
      continue;
    AffineExpr Others = simplifyAffineExpr(Expr - Dim, Map.getNumDims(), 0);
    if (Found || Others.isFunctionOfDim(Loop))
      return std::nullopt;
    Found = Axis;
  }
  return Found;
}

/// Axes with the one at `Axis` last, the others as they are.
static SmallVector<int64_t> withLast(int64_t Rank,
                                     std::optional<int64_t> Axis) {
  auto Axes = llvm::to_vector(llvm::seq<int64_t>(0, Rank));
  if (Axis)
    std::rotate(Axes.begin() + *Axis, Axes.begin() + *Axis + 1, Axes.end());
  return Axes;
}

static AffineMap turned(AffineMap Map, ArrayRef<int64_t> Axes) {
  return AffineMap::get(Map.getNumDims(), 0,
                        applyPermutation(Map.getResults(), Axes),
                        Map.getContext());
}

/// A sum of products: each element that is loaded is used many times.
static bool isProduct(linalg::GenericOp Op) {
  return Op.getNumReductionLoops() && Op.getNumDpsInputs() >= 2 &&
         Op.getNumDpsInits() == 1;
}

/// Whether along `Loop` every operand is the same, or dense where its axes are
/// in the right order.
static bool canBeDense(linalg::GenericOp Op, unsigned Loop) {
  return llvm::all_of(Op.getIndexingMapsArray(), [&](AffineMap Map) {
    return !Map.isFunctionOfDim(Loop) || axisOf(Map, Loop);
  });
}

/// Whether along `Loop` elements of an operand are used for several results, as
/// windows overlap: then nothing that is loaded serves a whole vector.
static bool overlaps(linalg::GenericOp Op, unsigned Loop) {
  return llvm::any_of(Op.getIndexingMapsArray(), [&](AffineMap Map) {
    return llvm::any_of(Map.getResults(), [&](AffineExpr Expr) {
      return Expr.isFunctionOfDim(Loop) && !llvm::isa<AffineDimExpr>(Expr);
    });
  });
}

/// The parallel loop that vectors are to walk along. Of a product: the one that
/// is innermost in the result among those that fill half a register, else the
/// longest of known extent, since an open one may have one element. Pixels that
/// windows share come after that: floats walk along them where no such loop
/// fills a whole register. Of anything else: what a turned operand has
/// innermost.
std::optional<unsigned> Turner::loopForVectors(linalg::GenericOp Op) {
  if (!isProduct(Op)) {
    for (OpOperand *Input : Op.getDpsInputOperands())
      if (const Turned *Stored = Values.find(Input->get())) {
        auto Dim = dyn_cast<AffineDimExpr>(
            Op.getMatchingIndexingMap(Input).getResult(Stored->Axes.back()));
        if (Dim && Op.getIteratorTypesArray()[Dim.getPosition()] ==
                       utils::IteratorType::parallel)
          return Dim.getPosition();
      }
    return std::nullopt;
  }
  constexpr int64_t Half = 8, Whole = 16; // elements of the widest register
  SmallVector<int64_t> Extents = Op.getStaticLoopRanges();
  OpOperand *Result = Op.getDpsInitOperand(0);
  auto Fills = [&](unsigned Loop, int64_t Elements) {
    return ShapedType::isDynamic(Extents[Loop]) || Extents[Loop] >= Elements;
  };
  std::optional<unsigned> Best, OfPixels;
  for (AffineExpr Expr :
       llvm::reverse(Op.getMatchingIndexingMap(Result).getResults())) {
    auto Dim = dyn_cast<AffineDimExpr>(Expr);
    if (!Dim || !canBeDense(Op, Dim.getPosition()))
      continue;
    unsigned Loop = Dim.getPosition();
    if (overlaps(Op, Loop)) {
      if (!OfPixels && Fills(Loop, Whole))
        OfPixels = Loop;
      continue;
    }
    if (!Best || (!Fills(*Best, Half) && Extents[Loop] > Extents[*Best]))
      Best = Loop;
  }
  // Products of bytes add four neighbouring channels.
  bool IsFloat =
      llvm::isa<FloatType>(getElementTypeOrSelf(Result->get().getType()));
  return IsFloat && OfPixels && !(Best && Fills(*Best, Whole)) ? OfPixels
                                                               : Best;
}

/// A copy with axes in another order: its operand is the result, turned.
bool Turner::takeTransposition(linalg::GenericOp Op) {
  if (!linalg::isaTransposeOpInterface(Op) || Op.getNumDpsInputs() != 1)
    return false;
  AffineMap In = Op.getIndexingMapsArray()[0];
  AffineMap Out = Op.getIndexingMapsArray()[1];
  SmallVector<int64_t> Axes; // of the result, in the operand's order
  for (AffineExpr Expr : In.getResults())
    Axes.push_back(*axisOf(Out, cast<AffineDimExpr>(Expr).getPosition()));
  Value Source = Op.getDpsInputs()[0];
  if (const Turned *Stored = Values.find(Source)) {
    SmallVector<int64_t> Both = applyPermutation(Axes, Stored->Axes);
    Values.replace(Op.getResult(0), Stored->V, Both);
  } else {
    Values.replace(Op.getResult(0), Source, Axes);
  }
  return true;
}

/// Loops in the order of the result's axes, then the others as they are.
static linalg::GenericOp orderLoops(IRRewriter &B, linalg::GenericOp Op) {
  SmallVector<unsigned> Order;
  AffineMap Out = Op.getMatchingIndexingMap(Op.getDpsInitOperand(0));
  auto Add = [&](unsigned Loop) {
    if (!llvm::is_contained(Order, Loop))
      Order.push_back(Loop);
  };
  for (AffineExpr Expr : Out.getResults())
    if (auto Dim = dyn_cast<AffineDimExpr>(Expr))
      Add(Dim.getPosition());
  for (unsigned Loop = 0; Loop < Op.getNumLoops(); ++Loop)
    Add(Loop);
  if (llvm::is_sorted(Order))
    return Op;
  B.setInsertionPoint(Op);
  auto New = linalg::interchangeGenericOp(B, Op, Order);
  return succeeded(New) ? *New : Op;
}

void Turner::visit(linalg::GenericOp Op) {
  if (takeTransposition(Op))
    return;
  settleCaptured(Op); // what the body reads element by element
  std::optional<unsigned> Loop = loopForVectors(Op);
  SmallVector<Value> Inputs, Inits;
  SmallVector<AffineMap> Maps = Op.getIndexingMapsArray();
  bool Turns = false;
  for (OpOperand *Input : Op.getDpsInputOperands()) {
    AffineMap &Map = Maps[Input->getOperandNumber()];
    Value V = Input->get();
    if (const Turned *Stored = Values.find(V)) {
      Map = turned(Map, Stored->Axes);
      V = Stored->V;
      Turns = true;
    }
    if (Loop)
      if (auto Axis = axisOf(Map, *Loop);
          Axis && *Axis + 1 != Map.getNumResults()) {
        auto Axes = withLast(Map.getNumResults(), Axis);
        // For a product a copy pays, for anything else what costs none.
        if (Value Copy = isProduct(Op) ? Values.copied(V, Axes)
                                       : Values.constant(V, Axes)) {
          Map = turned(Map, Axes);
          V = Copy;
          Turns = true;
        }
      }
    Inputs.push_back(V);
  }
  SmallVector<SmallVector<int64_t>> Orders;
  for (OpOperand &Init : Op.getDpsInitsMutable()) {
    AffineMap &Map = Maps[Init.getOperandNumber()];
    Orders.push_back(withLast(Map.getNumResults(),
                              Loop ? axisOf(Map, *Loop) : std::nullopt));
    Map = turned(Map, Orders.back());
    Inits.push_back(Values.destination(Init.get(), Orders.back()));
    Turns |= Inits.back() != Init.get();
  }
  if (!Turns)
    return;
  auto New = linalg::GenericOp::create(B, Op.getLoc(),
                                       ValueRange(Inits).getTypes(), Inputs,
                                       Inits, Maps, Op.getIteratorTypesArray());
  IRMapping Map;
  Op.getRegion().cloneInto(&New.getRegion(), Map);
  New = orderLoops(B, New);
  for (auto [Old, Result, Axes] :
       llvm::zip(Op->getResults(), New->getResults(), Orders))
    Values.replace(Old, Result, Axes);
}

//===----------------------------------------------------------------------===//
// Parts of tensors
//===----------------------------------------------------------------------===//

static SmallVector<OpFoldResult> inOrder(SmallVector<OpFoldResult> Of,
                                         ArrayRef<int64_t> Axes) {
  applyPermutationToVector(Of, Axes);
  return Of;
}

bool Turner::visit(tensor::PadOp Op) {
  const Turned *Stored = Values.find(Op.getSource());
  Value With = Op.getConstantPaddingValue();
  if (!Stored || !With)
    return false;
  SmallVector<int64_t> Axes = Stored->Axes;
  auto T = Op.getResultType();
  if (With.getParentRegion() == &Op.getRegion())
    With = B.clone(*With.getDefiningOp())->getResult(0);
  Values.replace(
      Op.getResult(),
      tensor::PadOp::create(B, Op.getLoc(),
                            T.clone(applyPermutation(T.getShape(), Axes)),
                            Stored->V, inOrder(Op.getMixedLowPad(), Axes),
                            inOrder(Op.getMixedHighPad(), Axes), With),
      Axes);
  return true;
}

bool Turner::visit(tensor::ExtractSliceOp Op) {
  const Turned *Stored = Values.find(Op.getSource());
  if (!Stored || Op.getType().getRank() != Op.getSourceType().getRank())
    return false;
  SmallVector<int64_t> Axes = Stored->Axes;
  auto T = Op.getType(); // it may know more than the sizes say
  auto To =
      cast<RankedTensorType>(T.clone(applyPermutation(T.getShape(), Axes)));
  Values.replace(
      Op.getResult(),
      tensor::ExtractSliceOp::create(B, Op.getLoc(), To, Stored->V,
                                     inOrder(Op.getMixedOffsets(), Axes),
                                     inOrder(Op.getMixedSizes(), Axes),
                                     inOrder(Op.getMixedStrides(), Axes)),
      Axes);
  return true;
}

bool Turner::visit(tensor::InsertSliceOp Op) {
  const Turned *Stored = Values.find(Op.getSource());
  if (!Stored)
    Stored = Values.find(Op.getDest());
  if (!Stored || Op.getSourceType().getRank() != Op.getDestType().getRank())
    return false;
  SmallVector<int64_t> Axes = Stored->Axes;
  Value Source = Values.inOrder(Op.getSource(), Axes);
  Value Into = Values.destination(Op.getDest(), Axes);
  Values.replace(
      Op.getResult(),
      tensor::InsertSliceOp::create(B, Op.getLoc(), Source, Into,
                                    inOrder(Op.getMixedOffsets(), Axes),
                                    inOrder(Op.getMixedSizes(), Axes),
                                    inOrder(Op.getMixedStrides(), Axes)),
      Axes);
  return true;
}

void Turner::visit(Operation *Op) {
  B.setInsertionPoint(Op);
  if (auto Generic = dyn_cast<linalg::GenericOp>(Op))
    if (Generic.hasPureTensorSemantics())
      return visit(Generic);
  // What fills a result is written anew with it; its type is all that counts.
  if (llvm::isa<linalg::FillOp, tensor::EmptyOp>(Op))
    return;
  bool IsDone = false;
  if (auto Pad = dyn_cast<tensor::PadOp>(Op))
    IsDone = visit(Pad);
  else if (auto Extract = dyn_cast<tensor::ExtractSliceOp>(Op))
    IsDone = visit(Extract);
  else if (auto Insert = dyn_cast<tensor::InsertSliceOp>(Op))
    IsDone = visit(Insert);
  if (IsDone)
    return;
  for (Value V : Op->getOperands())
    Values.settle(V);
  settleCaptured(Op);
}

/// Puts what the regions of `Op` read from outside in its own order.
void Turner::settleCaptured(Operation *Op) {
  llvm::SetVector<Value> Read;
  getUsedValuesDefinedAbove(Op->getRegions(), Read);
  for (Value V : Read)
    Values.settle(V);
}

void Turner::run(Block &Block) {
  SmallVector<Operation *> Ops;
  for (Operation &Op : llvm::make_early_inc_range(Block)) {
    B.setInsertionPoint(&Op);
    auto Named = dyn_cast<linalg::LinalgOp>(Op);
    if (Named && !llvm::isa<linalg::GenericOp, linalg::FillOp>(Op))
      if (auto Generic = linalg::generalizeNamedOp(B, Named);
          succeeded(Generic)) {
        Ops.push_back(*Generic);
        continue;
      }
    Ops.push_back(&Op);
  }
  for (Operation *Op : Ops)
    visit(Op);
  for (Operation *Op : llvm::reverse(Ops))
    if (isOpTriviallyDead(Op))
      B.eraseOp(Op);
}

namespace {
struct ChooseLayoutsPass
    : PassWrapper<ChooseLayoutsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ChooseLayoutsPass)

  StringRef getArgument() const override { return "tenon-choose-layouts"; }
  StringRef getDescription() const override {
    return "Order axes so that vectors walk along what is dense";
  }
  void getDependentDialects(DialectRegistry &Registry) const override {
    Registry.insert<arith::ArithDialect, linalg::LinalgDialect,
                    tensor::TensorDialect>();
  }
  void runOnOperation() override {
    IRRewriter B(&getContext());
    SmallVector<Block *> Blocks;
    getOperation().walk([&](Block *Block) {
      if (!llvm::isa<linalg::LinalgOp, tensor::PadOp>(Block->getParentOp()))
        Blocks.push_back(Block);
    });
    for (Block *Block : Blocks)
      Turner(B).run(*Block);
  }
};
} // namespace

std::unique_ptr<Pass> tenon::createChooseLayoutsPass() {
  return std::make_unique<ChooseLayoutsPass>();
}
