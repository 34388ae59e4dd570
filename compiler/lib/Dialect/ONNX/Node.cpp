//===- Node.cpp - A convenient view of one node ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Dialect/ONNX/Node.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tenon::onnx;

bool Node::is(StringRef Operator) const {
  return domain().empty() && operatorName() == Operator;
}

std::string Node::describe() const {
  return llvm::formatv("{0} of {1}, opset {2}", operatorName(),
                       domainName(domain()), opset());
}

InFlightDiagnostic Node::error() const {
  return mlir::emitError(location())
         << "node '" << name() << "' (" << describe() << "): ";
}

//===----------------------------------------------------------------------===//
// Inputs and outputs
//===----------------------------------------------------------------------===//

Value Node::input(int64_t Index) const {
  if (Index >= inputCount())
    return {};
  Value Operand = Op.getInputs()[Index];
  return Operand.getDefiningOp<NoneOp>() ? Value() : Operand;
}

StringRef Node::inputName(int64_t Index) const {
  Value Operand = input(Index);
  return Operand ? nameOf(Operand) : StringRef();
}

StringRef Node::outputName(int64_t Index) const {
  return nameOf(output(Index));
}

std::optional<TensorData> tenon::onnx::constantOf(Value Of) {
  Attribute Held;
  if (auto Constant = Of.getDefiningOp<ConstantOp>())
    Held = Constant.getValue();
  else if (auto Producer = Of.getDefiningOp<NodeOp>();
           Producer && Node(Producer).is("Constant"))
    Held = Producer.getNodeAttributes().get("value");
  auto Elements = dyn_cast_or_null<ElementsAttr>(Held);
  return Elements ? std::optional(TensorData(Elements)) : std::nullopt;
}

std::optional<TensorData> Node::constant(int64_t Index) const {
  Value Operand = input(Index);
  return Operand ? constantOf(Operand) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

Kind tenon::onnx::kindOf(Attribute Of) {
  return llvm::TypeSwitch<Attribute, Kind>(Of)
      .Case<FloatAttr>([](auto) { return Kind::Float; })
      .Case<IntegerAttr>([](auto) { return Kind::Int; })
      .Case<StringAttr>([](auto) { return Kind::String; })
      .Case<DenseF32ArrayAttr>([](auto) { return Kind::Floats; })
      .Case<DenseI64ArrayAttr>([](auto) { return Kind::Ints; })
      .Case<TypeAttr>([](auto) { return Kind::TypeProto; })
      .Case<SparseTensorAttr>([](auto) { return Kind::SparseTensor; })
      .Case<ListAttr, RefAttr>([](auto Held) { return Held.getKind(); })
      .Case<ElementsAttr>([](auto) { return Kind::Tensor; })
      .Default([](auto) { return Kind::Undefined; });
}

std::string tenon::onnx::describeKind(Kind Of) {
  return stringifyKind(Of).upper();
}

bool Node::hasAttribute(StringRef Name) const {
  return Op.getNodeAttributes().contains(Name);
}

template <typename AttrT>
FailureOr<AttrT> Node::find(StringRef Name, Kind Expected) const {
  Attribute Found = Op.getNodeAttributes().get(Name);
  if (!Found)
    return AttrT();
  auto Value = dyn_cast<AttrT>(Found);
  if (kindOf(Found) != Expected || !Value)
    return error() << "attribute '" << Name << "' is of type "
                   << describeKind(kindOf(Found)) << ", expected "
                   << describeKind(Expected);
  return Value;
}

FailureOr<int64_t> Node::integer(StringRef Name, int64_t Default) const {
  FailureOr<IntegerAttr> Found = find<IntegerAttr>(Name, Kind::Int);
  if (failed(Found))
    return failure();
  return *Found ? Found->getInt() : Default;
}

FailureOr<double> Node::real(StringRef Name, double Default) const {
  FailureOr<FloatAttr> Found = find<FloatAttr>(Name, Kind::Float);
  if (failed(Found))
    return failure();
  // An attribute is a float, and so is what stands for one.
  return *Found ? Found->getValueAsDouble() : double(float(Default));
}

FailureOr<std::string> Node::string(StringRef Name, StringRef Default) const {
  FailureOr<StringAttr> Found = find<StringAttr>(Name, Kind::String);
  if (failed(Found))
    return failure();
  return *Found ? Found->getValue().str() : Default.str();
}

FailureOr<SmallVector<int64_t>>
Node::integers(StringRef Name, ArrayRef<int64_t> Default) const {
  FailureOr<DenseI64ArrayAttr> Found =
      find<DenseI64ArrayAttr>(Name, Kind::Ints);
  if (failed(Found))
    return failure();
  return SmallVector<int64_t>(*Found ? Found->asArrayRef() : Default);
}

FailureOr<SmallVector<double>> Node::reals(StringRef Name,
                                           ArrayRef<double> Default) const {
  FailureOr<DenseF32ArrayAttr> Found =
      find<DenseF32ArrayAttr>(Name, Kind::Floats);
  if (failed(Found))
    return failure();
  if (!*Found)
    return SmallVector<double>(Default);
  return SmallVector<double>(Found->asArrayRef().begin(),
                             Found->asArrayRef().end());
}

FailureOr<SmallVector<std::string>>
Node::strings(StringRef Name, ArrayRef<std::string> Default) const {
  FailureOr<ListAttr> Found = find<ListAttr>(Name, Kind::Strings);
  if (failed(Found))
    return failure();
  SmallVector<std::string> Values(Default);
  if (*Found) {
    Values.clear();
    for (StringRef Value : Found->getElements().getAsValueRange<StringAttr>())
      Values.push_back(Value.str());
  }
  return Values;
}

FailureOr<ElementsAttr> Node::tensor(StringRef Name) const {
  return find<ElementsAttr>(Name, Kind::Tensor);
}

FailureOr<Type> Node::type(StringRef Name) const {
  FailureOr<TypeAttr> Found = find<TypeAttr>(Name, Kind::TypeProto);
  if (failed(Found))
    return failure();
  return *Found ? Found->getValue() : Type();
}

Region *Node::graph(StringRef Name) const {
  for (auto [Info, Body] :
       llvm::zip(Op.getGraphs().getAsRange<GraphAttr>(), Op.getBodies()))
    if (Info.getAttribute().getValue() == Name)
      return &Body;
  return nullptr;
}
