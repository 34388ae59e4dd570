//===- WriteModel.cpp - The onnx dialect to model files -------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Frontend/ONNX/WriteModel.h"
#include "Writer.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tenon::frontend;
using namespace tenon::onnx;

/// Keys and values from a list of pairs.
template <typename Entries> static void writePairs(Attribute Of, Entries &To) {
  auto Pairs = dyn_cast_or_null<ArrayAttr>(Of);
  if (!Pairs)
    return;
  for (auto Pair : Pairs.getAsRange<ArrayAttr>()) {
    auto *Entry = To.Add();
    Entry->set_key(cast<StringAttr>(Pair[0]).str());
    Entry->set_value(cast<StringAttr>(Pair[1]).str());
  }
}

static std::string stringOf(Attribute Of) {
  auto String = dyn_cast_or_null<StringAttr>(Of);
  return String ? String.str() : "";
}

static int64_t integerOf(Attribute Of) {
  auto Integer = dyn_cast_or_null<IntegerAttr>(Of);
  return Integer ? Integer.getInt() : 0;
}

template <typename Imports>
static void writeOpsets(DictionaryAttr Opsets, Imports &To) {
  for (NamedAttribute Opset : Opsets) {
    auto *Import = To.Add();
    Import->set_domain(Opset.getName() == "ai.onnx" ? ""
                                                    : Opset.getName().str());
    Import->set_version(integerOf(Opset.getValue()));
  }
}

static void declare(StringRef Name, Type Of, ::onnx::ValueInfoProto &Proto) {
  Proto.set_name(Name.str());
  if (!isa<UnknownType>(Of))
    writeType(Of, *Proto.mutable_type());
}

void Writer::writeConstant(ConstantOp Op, ::onnx::GraphProto &Proto) {
  if (auto Sparse = dyn_cast<SparseTensorAttr>(Op.getValue())) {
    auto *To = Proto.add_sparse_initializer();
    writeSparse(Sparse, *To);
    To->mutable_values()->set_name(Op.getName().str());
    return;
  }
  auto *To = Proto.add_initializer();
  writeTensor(cast<ElementsAttr>(Op.getValue()), *To);
  To->set_name(Op.getName().str());
}

void Writer::writeNodeAlone(NodeOp Op, ::onnx::NodeProto &Proto) {
  Proto.set_op_type(Op.getOpType().str());
  Proto.set_name(Op.getName().str());
  Proto.set_domain(Op.getDomain().str());
  Proto.set_overload(Op.getOverload().str());
  for (Value Input : Op.getInputs())
    Proto.add_input(nameOf(Input).str());
  for (StringRef Output : Op.getOutputs().getAsValueRange<StringAttr>())
    Proto.add_output(Output.str());
  for (NamedAttribute Held : Op.getNodeAttributes()) {
    auto *To = Proto.add_attribute();
    To->set_name(Held.getName().str());
    writeAttribute(Held.getValue(), *To);
  }
  Proto.set_doc_string(stringOf(Op->getAttr("onnx.doc")));
  writePairs(Op->getAttr("onnx.metadata"), *Proto.mutable_metadata_props());
}

void Writer::writeNode(NodeOp Op, ::onnx::NodeProto &Proto) {
  writeNodeAlone(Op, Proto);
  ::onnx::AttributeProto *To = nullptr;
  for (auto [Info, Body] :
       llvm::zip(Op.getGraphs().getAsRange<GraphAttr>(), Op.getBodies())) {
    if (!To || To->name() != Info.getAttribute().getValue()) {
      To = Proto.add_attribute();
      To->set_name(Info.getAttribute().str());
      To->set_type(Info.getListed() ? ::onnx::AttributeProto::GRAPHS
                                    : ::onnx::AttributeProto::GRAPH);
    }
    writeGraph(Info, Body,
               Info.getListed() ? *To->add_graphs() : *To->mutable_g());
  }
}

::onnx::NodeProto tenon::frontend::writeAlone(NodeOp Op, uint64_t MostBytes) {
  ::onnx::NodeProto Proto;
  Writer(MostBytes).writeNodeAlone(Op, Proto);
  return Proto;
}

std::unique_ptr<::onnx::TensorProto>
tenon::frontend::writeTensor(ElementsAttr Value, uint64_t MostBytes) {
  if (uint64_t(Value.getNumElements()) > MostBytes)
    return nullptr;
  auto Proto = std::make_unique<::onnx::TensorProto>();
  Writer(UINT64_MAX).writeTensor(Value, *Proto);
  return Proto;
}

/// Declares the types of the values that nodes compute, but for the outputs.
template <typename Infos> static void writeTypes(Region &Body, Infos &To) {
  auto Yield = cast<YieldOp>(Body.front().getTerminator());
  llvm::StringSet<> Outputs;
  for (StringRef Name : Yield.getNames().getAsValueRange<StringAttr>())
    Outputs.insert(Name);
  for (NodeOp Node : Body.getOps<NodeOp>())
    for (Value Result : Node.getResults())
      if (StringRef Name = nameOf(Result); !Name.empty() &&
                                           !Outputs.contains(Name) &&
                                           !isa<UnknownType>(Result.getType()))
        declare(Name, Result.getType(), *To.Add());
}

static void writeNotes(DictionaryAttr Notes, ::onnx::GraphProto &Proto) {
  if (!Notes)
    return;
  Proto.set_doc_string(stringOf(Notes.get("doc")));
  writePairs(Notes.get("metadata"), *Proto.mutable_metadata_props());
  if (auto Quantization = Notes.getAs<DictionaryAttr>("quantization"))
    for (NamedAttribute Annotation : Quantization) {
      auto *To = Proto.add_quantization_annotation();
      To->set_tensor_name(Annotation.getName().str());
      writePairs(Annotation.getValue(),
                 *To->mutable_quant_parameter_tensor_names());
    }
}

/// Nodes for the outputs that are called otherwise than their values.
template <typename Nodes> static void writeOutputs(YieldOp Yield, Nodes &To) {
  for (auto [Name, Of] : llvm::zip(
           Yield.getNames().getAsValueRange<StringAttr>(), Yield.getValues())) {
    if (nameOf(Of) == Name)
      continue;
    auto *Node = To.Add();
    Node->set_op_type("Identity");
    Node->add_input(nameOf(Of).str());
    Node->add_output(Name.str());
  }
}

void Writer::writeGraph(GraphAttr Info, Region &Body,
                        ::onnx::GraphProto &Proto) {
  Proto.set_name(Info.getName().str());
  llvm::StringMap<Type> Inputs;
  for (BlockArgument Argument : Body.getArguments())
    Inputs[nameOf(Argument)] = Argument.getType();
  for (auto Constant : Body.getOps<ConstantOp>()) {
    writeConstant(Constant, Proto);
    if (Constant.getInput())
      Inputs[Constant.getName()] = *Constant.getInput();
  }
  for (StringRef Name : Info.getInputs().getAsValueRange<StringAttr>())
    declare(Name, Inputs.lookup(Name), *Proto.add_input());
  for (NodeOp Node : Body.getOps<NodeOp>())
    writeNode(Node, *Proto.add_node());
  auto Yield = cast<YieldOp>(Body.front().getTerminator());
  writeOutputs(Yield, *Proto.mutable_node());
  for (auto [Name, Of] :
       llvm::zip(Yield.getNames().getAsValueRange<StringAttr>(),
                 Yield.getTypes().getAsValueRange<TypeAttr>()))
    declare(Name, Of, *Proto.add_output());
  writeTypes(Body, *Proto.mutable_value_info());
  writeNotes(Info.getNotes(), Proto);
}

void Writer::writeFunction(FunctionOp Op, ::onnx::FunctionProto &Proto) {
  Proto.set_name(Op.getName().str());
  Proto.set_domain(Op.getDomain().str());
  Proto.set_overload(Op.getOverload().str());
  writeOpsets(Op.getOpsets(), *Proto.mutable_opset_import());
  for (StringRef Name : Op.getRequired().getAsValueRange<StringAttr>())
    Proto.add_attribute(Name.str());
  for (NamedAttribute Default : Op.getDefaults()) {
    auto *To = Proto.add_attribute_proto();
    To->set_name(Default.getName().str());
    writeAttribute(Default.getValue(), *To);
  }
  for (StringRef Name : Op.getInfo().getInputs().getAsValueRange<StringAttr>())
    Proto.add_input(Name.str());
  for (NodeOp Node : Op.getBody().getOps<NodeOp>())
    writeNode(Node, *Proto.add_node());
  auto Yield = cast<YieldOp>(Op.getBody().front().getTerminator());
  writeOutputs(Yield, *Proto.mutable_node());
  for (StringRef Name : Yield.getNames().getAsValueRange<StringAttr>())
    Proto.add_output(Name.str());
  writeTypes(Op.getBody(), *Proto.mutable_value_info());
  Proto.set_doc_string(stringOf(Op->getAttr("onnx.doc")));
  writePairs(Op->getAttr("onnx.metadata"), *Proto.mutable_metadata_props());
}

::onnx::ModelProto Writer::writeModel(ModuleOp Module) {
  ::onnx::ModelProto Model;
  auto Says = Module->getAttrOfType<DictionaryAttr>(ModelAttrName);
  Model.set_ir_version(integerOf(Says.get("ir_version")));
  writeOpsets(Says.getAs<DictionaryAttr>("opsets"),
              *Model.mutable_opset_import());
  Model.set_producer_name(stringOf(Says.get("producer_name")));
  Model.set_producer_version(stringOf(Says.get("producer_version")));
  Model.set_domain(stringOf(Says.get("domain")));
  Model.set_model_version(integerOf(Says.get("model_version")));
  Model.set_doc_string(stringOf(Says.get("doc")));
  writePairs(Says.get("metadata"), *Model.mutable_metadata_props());
  for (auto Function : Module.getOps<FunctionOp>())
    writeFunction(Function, *Model.add_functions());
  GraphOp Main = mainGraph(Module);
  writeGraph(Main.getInfo(), Main.getBody(), *Model.mutable_graph());
  return Model;
}

llvm::Expected<std::string> tenon::writeModel(ModuleOp Module) {
  ::onnx::ModelProto Model = Writer(UINT64_MAX).writeModel(Module);
  if (Model.ByteSizeLong() > size_t(INT32_MAX))
    return llvm::createStringError(
        "the model is larger than the 2 GB that one protobuf file holds");
  return Model.SerializeAsString();
}
