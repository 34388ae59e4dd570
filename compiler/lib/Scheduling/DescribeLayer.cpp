//===- DescribeLayer.cpp - Operations as layers ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Scheduling/DescribeLayer.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include <google/protobuf/text_format.h>

using namespace mlir;
using namespace tenon;
using namespace tenon::scheduling;

static constexpr llvm::StringLiteral ConfigurationAttr = "tenon.configuration";

bool scheduling::isLayer(Operation *Op) {
  return mlir::isa<accel::ContractOp, accel::WindowOp>(Op);
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

TensorView scheduling::describeTensor(Value V) {
  auto Shape = cast<RankedTensorType>(V.getType()).getShape();
  TensorView T;
  T.N = Shape[0], T.H = Shape[1], T.W = Shape[2], T.C = Shape[3];
  if (DictionaryAttr Place = placeOf(V)) {
    T.Offset = Place.getAs<IntegerAttr>("offset").getInt();
    T.GroupBytes = Place.getAs<IntegerAttr>("group_bytes").getInt();
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

template <typename OpTy> static void describeCommon(OpTy Op, Layer &L) {
  L.In = describeTensor(Op.getInput());
  L.Out = describeTensor(Op.getResult());
  if (Value Residual = Op.getResidual()) {
    L.HasResidual = true;
    L.Residual = describeTensor(Residual);
  }
  L.SY = Op.getStride()[0], L.SX = Op.getStride()[1];
  L.DY = Op.getDilation()[0], L.DX = Op.getDilation()[1];
  L.Top = Op.getPad()[0], L.Bottom = Op.getPad()[1];
  L.Left = Op.getPad()[2], L.Right = Op.getPad()[3];
  L.InputZp = Op.getInputZp();
  L.OutputZp = Op.getQuant().getZeroPoint();
  L.ClampMin = Op.getQuant().getMin(), L.ClampMax = Op.getQuant().getMax();
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
  }
  llvm_unreachable("a window kind without a reduction");
}

FailureOr<Layer> scheduling::describeLayer(Operation *Op) {
  Layer L;
  describeOrigin(Op, L);
  Value Bias, Multiplier, Shift, Weights;
  if (auto Contract = dyn_cast<accel::ContractOp>(Op)) {
    describeCommon(Contract, L);
    auto Shape =
        cast<RankedTensorType>(Contract.getWeights().getType()).getShape();
    L.KH = Shape[1], L.KW = Shape[2];
    L.WeightZp = Contract.getWeightZp();
    Weights = Contract.getWeights();
    Bias = Contract.getBias(), Multiplier = Contract.getMultiplier();
    Shift = Contract.getShift();
  } else {
    auto Window = cast<accel::WindowOp>(Op);
    describeCommon(Window, L);
    L.Kind = reductionOf(Window.getKind());
    L.KH = Window.getKernel()[0], L.KW = Window.getKernel()[1];
    L.WeightZp = Window.getTapZp();
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
  return accel::ScheduleAttr::get(Context, S.Rows, S.Cols, S.Blocks,
                                  S.Reduction, S.KernelRows, S.ChannelsOuter,
                                  S.Threads);
}

Schedule scheduling::fromAttribute(accel::ScheduleAttr A) {
  return {A.getRows(),      A.getCols(),       A.getBlocks(),
          A.getReduction(), A.getKernelRows(), A.getChannelsOuter(),
          A.getThreads()};
}

FailureOr<isa::Layout> scheduling::layoutOf(ModuleOp Module) {
  auto Text = Module->getAttrOfType<StringAttr>(ConfigurationAttr);
  isa::Configuration Configuration;
  if (!Text || !google::protobuf::TextFormat::ParseFromString(Text.str(),
                                                              &Configuration))
    return Module.emitError("expected the configuration as text in the "
                            "attribute 'tenon.configuration', run "
                            "accel-schedule first");
  auto Layout = isa::Layout::get(Configuration);
  if (!Layout.ok())
    return Module.emitError() << std::string(Layout.status().message());
  return *Layout;
}

void scheduling::setConfiguration(ModuleOp Module,
                                  const isa::Configuration &Configuration) {
  google::protobuf::TextFormat::Printer Printer;
  Printer.SetSingleLineMode(true);
  std::string Text;
  Printer.PrintToString(Configuration, &Text);
  Module->setAttr(ConfigurationAttr,
                  StringAttr::get(Module.getContext(), Text));
}
