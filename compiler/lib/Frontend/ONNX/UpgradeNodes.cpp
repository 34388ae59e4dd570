//===- UpgradeNodes.cpp - The table of old forms --------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "NormalizeSteps.h"
#include "Upgrade.h"

using namespace mlir;
using namespace tenon::frontend;
using namespace tenon::onnx;

/// In the order in which the forms of one operator followed each other.
static const OldForm Table[] = {
    {"Add", 7, upgradeBinary},
    {"And", 7, upgradeBinary},
    {"BatchNormalization", 15, upgradeBatchNormalization},
    {"Cast", 6, upgradeCast},
    {"Clip", 11, upgradeClip},
    {"Div", 7, upgradeBinary},
    {"Dropout", 12, upgradeDropout},
    {"Equal", 7, upgradeBinary},
    {"Gemm", 7, upgradeGemm},
    {"Greater", 7, upgradeBinary},
    {"Hardmax", 13, upgradeSoftmax},
    {"Less", 7, upgradeBinary},
    {"LogSoftmax", 13, upgradeSoftmax},
    {"Mul", 7, upgradeBinary},
    {"Or", 7, upgradeBinary},
    {"PRelu", 7, upgradeSlope},
    {"Pad", 2, upgradePad2},
    {"Pad", 11, upgradePad11},
    {"Pow", 7, upgradeBinary},
    {"ReduceL1", 18, upgradeAxes},
    {"ReduceL2", 18, upgradeAxes},
    {"ReduceLogSum", 18, upgradeAxes},
    {"ReduceLogSumExp", 18, upgradeAxes},
    {"ReduceMax", 18, upgradeAxes},
    {"ReduceMean", 18, upgradeAxes},
    {"ReduceMin", 18, upgradeAxes},
    {"ReduceProd", 18, upgradeAxes},
    {"ReduceSum", 13, upgradeAxes},
    {"ReduceSumSquare", 18, upgradeAxes},
    {"Reshape", 5, upgradeReshape},
    {"Resize", 11, upgradeResize},
    {"Scatter", 11, upgradeScatter},
    {"Slice", 10, upgradeSlice},
    {"Softmax", 13, upgradeSoftmax},
    {"Split", 13, upgradeSplit},
    {"Squeeze", 13, upgradeAxes},
    {"Sub", 7, upgradeBinary},
    {"TopK", 10, upgradeTopK},
    {"Unsqueeze", 13, upgradeAxes},
    {"Upsample", 9, upgradeUpsample9},
    {"Upsample", 11, upgradeUpsample},
    {"Xor", 7, upgradeBinary},
};

void tenon::frontend::upgrade(NodeOp Op, const OldForm &Form) {
  Upgrade U(Op);
  if (!U.View.is(Form.Operator) || U.View.opset() >= Form.Becomes)
    return;
  SmallVector<Value> Inputs(Op.getInputs());
  DictionaryAttr Attributes = Op.getNodeAttributes();
  if (succeeded(Form.Rewrite(U))) {
    Op.setOpset(Form.Becomes);
    return;
  }
  Op.getInputsMutable().assign(Inputs);
  Op.setNodeAttributesAttr(Attributes);
}

void tenon::frontend::upgradeNodes(GraphOp Graph) {
  SmallVector<NodeOp> Nodes;
  Graph.walk([&](NodeOp Op) { Nodes.push_back(Op); });
  for (NodeOp Op : Nodes)
    for (const OldForm &Form : Table)
      upgrade(Op, Form);
}

//===----------------------------------------------------------------------===//
// What rewritings share
//===----------------------------------------------------------------------===//

Attribute Upgrade::take(StringRef Name) {
  NamedAttrList Rest(Op.getNodeAttributes());
  Attribute Taken = Rest.erase(Name);
  Op.setNodeAttributesAttr(Rest.getDictionary(B.getContext()));
  return Taken;
}

void Upgrade::drop(ArrayRef<StringRef> Names) {
  for (StringRef Name : Names)
    take(Name);
}

void Upgrade::set(StringRef Name, Attribute Value) {
  NamedAttrList Changed(Op.getNodeAttributes());
  Changed.set(Name, Value);
  Op.setNodeAttributesAttr(Changed.getDictionary(B.getContext()));
}

/// After a result.
std::string Upgrade::nameFor(StringRef Name) {
  return (View.outputName(0) + "/" + Name).str();
}

void Upgrade::setInput(int64_t Index, Value Of) {
  SmallVector<Value> Inputs(Op.getInputs());
  while (int64_t(Inputs.size()) <= Index)
    Inputs.push_back(int64_t(Inputs.size()) == Index
                         ? Of
                         : NoneOp::create(B, Op.getLoc(), B.getNoneType()));
  Inputs[Index] = Of;
  Op.getInputsMutable().assign(Inputs);
}

Value Upgrade::integers(ArrayRef<int64_t> Values, StringRef Name) {
  return integers(RankedTensorType::get(int64_t(Values.size()), B.getI64Type()),
                  Values, Name);
}

Value Upgrade::integer(int64_t Value, StringRef Name) {
  return integers(RankedTensorType::get({}, B.getI64Type()), Value, Name);
}

Value Upgrade::integers(RankedTensorType Type, ArrayRef<int64_t> Values,
                        StringRef Name) {
  ArrayRef<char> Bytes(reinterpret_cast<const char *>(Values.data()),
                       Values.size() * sizeof(int64_t));
  std::string Called = nameFor(Name);
  return ConstantOp::create(B, Op.getLoc(), Type, B.getStringAttr(Called),
                            makeTensor(Type, Called, Bytes), TypeAttr());
}

Value Upgrade::reals(RankedTensorType Type, ArrayRef<double> Values,
                     StringRef Name) {
  auto Element = cast<FloatType>(Type.getElementType());
  SmallVector<APFloat> Rounded;
  for (double Value : Values) {
    bool Loses;
    Rounded.emplace_back(Value).convert(Element.getFloatSemantics(),
                                        APFloat::rmNearestTiesToEven, &Loses);
  }
  return ConstantOp::create(B, Op.getLoc(), Type,
                            B.getStringAttr(nameFor(Name)),
                            DenseElementsAttr::get(Type, Rounded), TypeAttr());
}

LogicalResult Upgrade::integersToInput(StringRef Name, int64_t Index) {
  Attribute Held = Op.getNodeAttributes().get(Name);
  if (!Held)
    return success();
  SmallVector<int64_t> Values;
  if (auto List = dyn_cast<DenseI64ArrayAttr>(Held))
    Values.assign(List.asArrayRef().begin(), List.asArrayRef().end());
  else if (auto One = dyn_cast<IntegerAttr>(Held))
    Values.push_back(One.getInt());
  else
    return failure();
  take(Name);
  setInput(Index, integers(Values, Name));
  return success();
}

LogicalResult Upgrade::realToInput(StringRef Name, int64_t Index) {
  Attribute Held = Op.getNodeAttributes().get(Name);
  if (!Held)
    return success();
  auto Real = dyn_cast<FloatAttr>(Held);
  auto Input = View.hasInput(0) ? dyn_cast<TensorType>(View.input(0).getType())
                                : TensorType();
  if (!Real || !Input || !isa<FloatType>(Input.getElementType()))
    return failure();
  take(Name);
  setInput(Index, reals(RankedTensorType::get({}, Input.getElementType()),
                        Real.getValueAsDouble(), Name));
  return success();
}

Value Upgrade::node(StringRef Operator, int64_t Opset, ValueRange Inputs,
                    Type Of, ArrayRef<NamedAttribute> Attributes,
                    StringRef Name, bool IsBehind) {
  return nodes(Operator, Opset, Inputs, TypeRange(Of), Attributes, Name,
               IsBehind)
      .front();
}

ResultRange Upgrade::nodes(StringRef Operator, int64_t Opset, ValueRange Inputs,
                           TypeRange Of, ArrayRef<NamedAttribute> Attributes,
                           StringRef Name, bool IsBehind) {
  OpBuilder::InsertionGuard Guard(B);
  if (IsBehind)
    B.setInsertionPointAfter(Op);
  StringAttr Called = B.getStringAttr(View.name() + "/" + Name);
  SmallVector<Attribute> Outputs;
  for (size_t At = 0; At < Of.size(); ++At)
    Outputs.push_back(
        B.getStringAttr(nameFor(At ? (Name + Twine(At)).str() : Name.str())));
  StringAttr Empty = B.getStringAttr("");
  auto New = NodeOp::create(
      B, NameLoc::get(Called), Of, B.getStringAttr(Operator), Empty, Empty,
      B.getI64IntegerAttr(Opset), Called, B.getArrayAttr(Outputs),
      B.getDictionaryAttr(Attributes), B.getArrayAttr({}), Inputs,
      /*bodiesCount=*/0);
  return New.getResults();
}
