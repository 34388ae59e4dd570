//===- InferenceContext.cpp - One node for ONNX's inference ---------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "InferenceContext.h"
#include "Reader.h"
#include "Writer.h"

using namespace mlir;
using namespace tenon::frontend;
using namespace tenon::onnx;
using ::onnx::TensorProto;
using ::onnx::TensorShapeProto;
using ::onnx::TypeProto;

/// Tensors that decide shapes are small; others are not handed to the library.
static constexpr uint64_t MostBytes = 4096;

/// What inference computes can be nonsense, where the model is; the reader
/// would complain of a dimension that no file has.
static void clearNegative(TypeProto &Proto) {
  if (Proto.has_sequence_type())
    return clearNegative(*Proto.mutable_sequence_type()->mutable_elem_type());
  if (Proto.has_optional_type())
    return clearNegative(*Proto.mutable_optional_type()->mutable_elem_type());
  if (!Proto.has_tensor_type() || !Proto.tensor_type().has_shape())
    return;
  for (auto &Dim : *Proto.mutable_tensor_type()->mutable_shape()->mutable_dim())
    if (Dim.has_dim_value() && Dim.dim_value() < 0)
      Dim.clear_dim_value();
}

Type tenon::frontend::typeFromProto(MLIRContext *Context, TypeProto Proto) {
  clearNegative(Proto);
  return Reader("", Context).readType(Proto, "");
}

/// The elements of a small list of integers, or of one, as dimensions.
static std::unique_ptr<TensorShapeProto>
asDimensions(const std::optional<TensorData> &Data) {
  if (!Data || !Data->isInteger() || Data->shape().size() > 1 ||
      uint64_t(Data->size()) * sizeof(int64_t) > MostBytes)
    return nullptr;
  auto Dims = std::make_unique<TensorShapeProto>();
  for (int64_t Index = 0; Index < Data->size(); ++Index)
    Dims->add_dim()->set_dim_value(Data->integer(Index));
  return Dims;
}

/// Runs inference on the body in a node's attribute.
class NodeContext::BodyInferencer final : public ::onnx::GraphInferencer {
public:
  BodyInferencer(Region &Body, BodyInference Infer)
      : Body(Body), Infer(std::move(Infer)) {}

  std::vector<const TypeProto *>
  doInferencing(const std::vector<const TypeProto *> &Types,
                const std::vector<const TensorProto *> &) override {
    MLIRContext *Context = Body.getContext();
    std::vector<Type> Arguments;
    for (const TypeProto *Of : Types)
      Arguments.push_back(Of ? typeFromProto(Context, *Of)
                             : Type(UnknownType::get(Context)));
    std::vector<const TypeProto *> Result;
    Outputs.clear();
    for (Type Of : Infer(Body, Arguments))
      writeType(Of, *Outputs.emplace_back(std::make_unique<TypeProto>()));
    for (const auto &Of : Outputs)
      Result.push_back(Of.get());
    return Result;
  }

private:
  Region &Body;
  BodyInference Infer;
  std::vector<std::unique_ptr<TypeProto>> Outputs;
};

NodeContext::NodeContext(NodeOp Op, const KnownValues &Known,
                         BodyInference Infer)
    : Op(Op), Infer(std::move(Infer)), Proto(writeAlone(Op, MostBytes)),
      Inputs(Op.getInputs().size()), Outputs(Op.getNumResults()) {
  Node View(Op);
  for (auto [Index, To] : llvm::enumerate(Inputs)) {
    Value Of = View.input(Index);
    To.IsPresent = bool(Of);
    if (!Of)
      continue;
    writeType(Of.getType(), To.Type);
    std::optional<TensorData> Data = constantOf(Of);
    if (auto Found = Known.find(Of); Found != Known.end())
      To.Known = std::make_unique<TensorShapeProto>(Found->second);
    else
      To.Known = asDimensions(Data);
    if (Data)
      To.Constant = writeTensor(Data->attribute(), MostBytes);
  }
  for (auto [Index, To] : llvm::enumerate(Outputs)) {
    writeType(Op.getResult(Index).getType(), To);
    // Some of the library's functions add their dimensions to those there are.
    if (To.has_tensor_type())
      To.mutable_tensor_type()->clear_shape();
  }
}

NodeContext::~NodeContext() = default;

const ::onnx::AttributeProto *
NodeContext::getAttribute(const std::string &Name) const {
  for (const auto &Held : Proto.attribute())
    if (Held.name() == Name)
      return &Held;
  return nullptr;
}

/// Of an input without a type, one that says nothing: not all of the library's
/// functions ask whether there is one.
const TypeProto *NodeContext::getInputType(size_t Index) const {
  bool IsPresent = Index < Inputs.size() && Inputs[Index].IsPresent;
  return IsPresent ? &Inputs[Index].Type : nullptr;
}

const TensorProto *NodeContext::getInputData(size_t Index) const {
  return Index < Inputs.size() ? Inputs[Index].Constant.get() : nullptr;
}

const TensorShapeProto *NodeContext::getSymbolicInput(size_t Index) const {
  return Index < Inputs.size() ? Inputs[Index].Known.get() : nullptr;
}

const TensorShapeProto *NodeContext::getInputData(size_t Index) {
  return getSymbolicInput(Index);
}

/// A loop that carries more than it gives has the library ask for outputs that
/// there are not.
TypeProto *NodeContext::getOutputType(size_t Index) {
  return &Outputs.at(Index);
}

const TypeProto *NodeContext::getOutputType(size_t Index) const {
  return &Outputs.at(Index);
}

::onnx::GraphInferencer *
NodeContext::getGraphAttributeInferencer(const std::string &Name) {
  Region *Body = Node(Op).graph(Name);
  if (!Body)
    throw std::runtime_error("it has no graph '" + Name + "'");
  auto &Of = Bodies[Name];
  if (!Of)
    Of = std::make_unique<BodyInferencer>(*Body, Infer);
  return Of.get();
}

void NodeContext::addOutputData(size_t Index, TensorShapeProto &&Data) {
  Found[Index] = std::move(Data);
}

const TensorShapeProto *NodeContext::outputData(size_t Index) const {
  auto At = Found.find(Index);
  return At == Found.end() ? nullptr : &At->second;
}
