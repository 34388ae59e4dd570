//===- DescribeLayer.cpp - Operations as layers ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Scheduling/DescribeLayer.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tenon;
using namespace tenon::scheduling;

bool scheduling::movesNothing(Operation *Op) {
  return mlir::isa<accel::ChannelsOp, accel::ConcatOp, accel::PhasesOp,
                   accel::RegroupOp>(Op);
}

bool scheduling::isLayer(Operation *Op) {
  return mlir::isa<accel::AcceleratorLayer>(Op);
}

Operation *scheduling::layerBefore(Operation *Op) {
  Operation *Before = Op->getPrevNode();
  while (Before && Before->hasTrait<OpTrait::ConstantLike>())
    Before = Before->getPrevNode();
  bool Reads =
      Before && isLayer(Before) && Op->getOperand(0) == Before->getResult(0);
  return Reads ? Before : nullptr;
}

/// Where a value lies in DRAM once that is planned: its operation says so, also
/// the stream that an earlier launch has become.
static DictionaryAttr placeOf(Value V) {
  Operation *Op = V.getDefiningOp();
  if (auto Stream = mlir::dyn_cast_or_null<accel::StreamOp>(Op))
    return cast<DictionaryAttr>(Stream->getAttrOfType<ArrayAttr>(
        "results")[cast<OpResult>(V).getResultNumber()]);
  return Op ? Op->getAttrOfType<DictionaryAttr>(DramAttr) : nullptr;
}

SmallVector<int64_t> scheduling::withRowsAsImages(ArrayRef<int64_t> Axes) {
  SmallVector<int64_t> Result(Axes);
  for (int64_t &Axis : Result)
    if (Axis == 0 || Axis == 1)
      Axis = 1 - Axis;
  return Result;
}

static TensorView viewOf(ArrayRef<int64_t> Shape) {
  TensorView T;
  T.N = Shape[0], T.H = Shape[1], T.W = Shape[2], T.C = Shape[3];
  return T;
}

TensorView scheduling::describeTensor(Value V) {
  TensorView T = viewOf(cast<RankedTensorType>(V.getType()).getShape());
  if (DictionaryAttr Place = placeOf(V)) {
    T.Offset = Place.getAs<IntegerAttr>("offset").getInt();
    T.GroupBytes = Place.getAs<IntegerAttr>("group_bytes").getInt();
    auto Distance = [&](StringRef Name) -> uint64_t {
      auto Bytes = Place.getAs<IntegerAttr>(Name);
      return Bytes ? Bytes.getInt() : 0;
    };
    T.PlaneBytes = Distance("plane_bytes"), T.RowBytes = Distance("row_bytes");
    T.PixelBytes = Distance("pixel_bytes");
  }
  return T;
}

/// The values of a constant operand, or a diagnostic.
template <typename T>
static LogicalResult constantValues(Operation *Op, Value V, const char *Name,
                                    std::vector<T> &To) {
  if (!V)
    return success();
  DenseElementsAttr Values;
  if (!matchPattern(V, m_Constant(&Values)))
    return Op->emitOpError() << "expected a constant as " << Name;
  // The operation's verifier has seen to the width.
  auto Range = Values.getValues<T>();
  To.assign(Range.begin(), Range.end());
  return success();
}

/// What all layers have.
template <typename OpTy> static void describeCommon(OpTy Op, Layer &L) {
  L.In = describeTensor(Op.getInput());
  L.Out = describeTensor(Op.getResult());
  L.InputZp = Op.getInputZp();
  L.OutputZp = Op.getQuant().getZeroPoint();
  L.ClampMin = Op.getQuant().getMin(), L.ClampMax = Op.getQuant().getMax();
}

/// What layers with a window, and with an addition, have.
template <typename OpTy> static void describeWindow(OpTy Op, Layer &L) {
  describeCommon(Op, L);
  if (Value Residual = Op.getResidual()) {
    L.HasResidual = true;
    L.Residual = describeTensor(Residual);
  }
  L.SY = Op.getStride()[0], L.SX = Op.getStride()[1];
  L.DY = Op.getDilation()[0], L.DX = Op.getDilation()[1];
  L.Top = Op.getPad()[0], L.Bottom = Op.getPad()[1];
  L.Left = Op.getPad()[2], L.Right = Op.getPad()[3];
  if (auto Add = Op.getAdd()) {
    L.AddendMin = Add->getMin(), L.AddendMax = Add->getMax();
    L.AddendScale = Add->getScale();
    L.OperandScale = Add->getOperandScale();
    L.AddShift = Add->getShift();
    L.OperandZp = Add->getOperandZeroPoint();
  }
}

static void describeOrigin(Operation *Op, Layer &L) {
  auto text = [&](const char *Name) {
    auto Text = Op->getAttrOfType<StringAttr>(Name);
    return Text ? Text.str() : std::string();
  };
  L.Name = text("tenon.layer");
  L.OpName = text("tenon.op");
  if (L.OpName.empty())
    L.OpName = Op->getName().stripDialect().str();
  if (auto Macs = Op->getAttrOfType<IntegerAttr>("tenon.macs"))
    L.Macs = Macs.getInt();
  if (auto Nodes = Op->getAttrOfType<ArrayAttr>("tenon.nodes"))
    for (auto Node : Nodes.getAsRange<StringAttr>())
      L.Nodes.push_back(Node.str());
  if (auto Tensor = Op->getAttrOfType<DictionaryAttr>("tenon.tensor"))
    if (auto Name = Tensor.getAs<StringAttr>("name"))
      L.Tensor = Name.str();
}

static Reduction reductionOf(accel::WindowKind Kind) {
  switch (Kind) {
  case accel::WindowKind::Mac:
    return Reduction::Mac;
  case accel::WindowKind::Sum:
    return Reduction::Sum;
  case accel::WindowKind::Max:
    return Reduction::Max;
  case accel::WindowKind::Average:
    return Reduction::Average;
  case accel::WindowKind::Multiply:
    return Reduction::Multiply;
  }
  llvm_unreachable("a window kind without a reduction");
}

FailureOr<Layer> scheduling::describeLayer(Operation *Op) {
  Layer L;
  describeOrigin(Op, L);
  Value Bias, Multiplier, Shift, Weights;
  if (auto Contract = dyn_cast<accel::ContractOp>(Op)) {
    describeWindow(Contract, L);
    auto Shape =
        cast<RankedTensorType>(Contract.getWeights().getType()).getShape();
    L.KH = Shape[1], L.KW = Shape[2];
    L.Groups = Contract.getGroups();
    L.WeightZp = Contract.getWeightZp();
    Weights = Contract.getWeights();
    Bias = Contract.getBias(), Multiplier = Contract.getMultiplier();
    Shift = Contract.getShift();
  } else if (auto Product = dyn_cast<accel::ProductOp>(Op)) {
    describeCommon(Product, L);
    L.Kind = Reduction::Product;
    L.ComputedWeights = describeTensor(Product.getWeights());
    L.WeightZp = Product.getWeightZp();
    Bias = Product.getBias(), Multiplier = Product.getMultiplier();
    Shift = Product.getShift();
  } else {
    auto Window = cast<accel::WindowOp>(Op);
    describeWindow(Window, L);
    L.Kind = reductionOf(Window.getKind());
    L.KH = Window.getKernel()[0], L.KW = Window.getKernel()[1];
    L.WeightZp = Window.getTapZp();
    L.Factor = Window.getFactor();
    L.RepeatsEdge = Window.getRepeatsEdge();
    Weights = Window.getTaps();
    Bias = Window.getBias(), Multiplier = Window.getMultiplier();
    Shift = Window.getShift();
  }
  if (failed(constantValues(Op, Weights, "weights", L.Weights)) ||
      failed(constantValues(Op, Bias, "bias", L.Bias)) ||
      failed(constantValues(Op, Multiplier, "multiplier", L.Multiplier)) ||
      failed(constantValues(Op, Shift, "shift", L.Shift)))
    return failure();
  return L;
}

accel::ScheduleAttr scheduling::toAttribute(MLIRContext *Context,
                                            const Schedule &S) {
  return accel::ScheduleAttr::get(
      Context, S.Rows, S.Cols, S.Blocks, S.Reduction, S.KernelRows,
      S.ChannelsOuter, S.Threads, accel::TileAxis(unsigned(S.Axis)), S.Wanted);
}

Schedule scheduling::fromAttribute(accel::ScheduleAttr A) {
  return {A.getRows(),       A.getCols(),
          A.getBlocks(),     A.getReduction(),
          A.getKernelRows(), A.getChannelsOuter(),
          A.getThreads(),    TileAxis(unsigned(A.getAxis())),
          A.getWanted()};
}

static std::array<int64_t, 4> shapeOf(const TensorView &T) {
  return {T.N, T.H, T.W, T.C};
}

accel::LayerAttr scheduling::attributeOf(MLIRContext *Context, const Layer &L) {
  return accel::LayerAttr::get(
      Context, accel::ReductionKind(unsigned(L.Kind)), shapeOf(L.In),
      shapeOf(L.Out), {L.KH, L.KW}, {L.SY, L.SX}, {L.DY, L.DX},
      {L.Top, L.Bottom, L.Left, L.Right}, L.HasResidual,
      L.hasUniformParameters(), L.Groups, L.needsWeightSums(), L.isSpread(),
      L.RepeatsEdge);
}

Layer scheduling::layerOf(accel::LayerAttr P) {
  Layer L;
  L.Kind = Reduction(unsigned(P.getKind()));
  L.In = viewOf(P.getInput()), L.Out = viewOf(P.getResult());
  L.Residual = L.Out;
  L.Groups = P.getGroups();
  L.HasResidual = P.getResidual();
  if (P.getSpread())
    L.Residual.H = L.Residual.W = 1;
  L.KH = P.getKernel()[0], L.KW = P.getKernel()[1];
  L.SY = P.getStride()[0], L.SX = P.getStride()[1];
  L.DY = P.getDilation()[0], L.DX = P.getDilation()[1];
  L.Top = P.getPad()[0], L.Bottom = P.getPad()[1];
  L.Left = P.getPad()[2], L.Right = P.getPad()[3];
  L.RepeatsEdge = P.getRepeatsEdge();
  if (!P.getUniform())
    L.Bias.resize(L.Out.C);
  if (L.isProduct()) {
    L.ComputedWeights = viewOf({1, L.In.H, L.Out.C, L.In.C});
    L.InputZp = P.getWeightSums();
  }
  return L;
}
