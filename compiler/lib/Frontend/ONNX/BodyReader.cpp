//===- BodyReader.cpp - Values and borders of one graph -------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "BodyReader.h"

using namespace mlir;
using namespace tenon::frontend;
using namespace tenon::onnx;

BodyReader::BodyReader(Reader &R, const Opsets &Versions,
                       const BodyReader *Parent, Region &Body)
    : R(R), Versions(Versions), Parent(Parent), B(R.B.getContext()),
      Block(&Body.emplaceBlock()) {
  B.setInsertionPointToEnd(Block);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

Value BodyReader::find(StringRef Name) const {
  for (const BodyReader *At = this; At; At = At->Parent)
    if (auto Found = At->Defined.find(Name); Found != At->Defined.end())
      return Found->second;
  return {};
}

bool BodyReader::isProduced(StringRef Name) const {
  return Produced.contains(Name) || (Parent && Parent->isProduced(Name));
}

bool BodyReader::define(StringRef Name, Value Of) {
  return Defined.try_emplace(Name, Of).second;
}

Type BodyReader::declaredType(StringRef Name) const {
  auto Found = Declared.find(Name);
  return Found == Declared.end() ? UnknownType::get(B.getContext())
                                 : Found->second;
}

void BodyReader::declare(const Values &Infos) {
  for (const auto &Info : Infos)
    Declared.try_emplace(Info.name(), R.readType(Info.type(), Info.name()));
}

/// One operation in a block stands for all the inputs that nodes leave out.
Value BodyReader::none() {
  if (!None) {
    OpBuilder::InsertionGuard Guard(B);
    B.setInsertionPointToStart(Block);
    None = NoneOp::create(B, B.getUnknownLoc(), B.getNoneType());
  }
  return None;
}

Value BodyReader::use(StringRef Name, const Twine &Where) {
  if (Name.empty())
    return none();
  if (Value Found = find(Name))
    return Found;
  R.error() << Where << " uses '" << Name << "'"
            << (isProduced(Name)
                    ? " before it is computed: the graph has a cycle or is "
                      "not sorted"
                    : ", which is neither an input, an initializer nor the "
                      "result of a node");
  return none();
}

//===----------------------------------------------------------------------===//
// Initializers, inputs and outputs
//===----------------------------------------------------------------------===//

void BodyReader::addConstant(StringRef Name, Attribute Value) {
  if (!Value)
    return; // reported; a node that uses it says so as well
  auto Sparse = dyn_cast<SparseTensorAttr>(Value);
  Type Held =
      Sparse ? Type(Sparse.getTensor()) : cast<ElementsAttr>(Value).getType();
  auto Constant =
      ConstantOp::create(B, NameLoc::get(B.getStringAttr(Name)), Held,
                         B.getStringAttr(Name), Value, TypeAttr());
  if (!define(Name, Constant))
    R.error() << "initializer '" << Name << "' is defined twice";
}

void BodyReader::readInitializers(::onnx::GraphProto &Graph) {
  for (auto &Proto : *Graph.mutable_initializer())
    addConstant(Proto.name(), R.readTensor(Proto));
  for (auto &Proto : *Graph.mutable_sparse_initializer())
    addConstant(Proto.values().name(), R.readSparse(Proto));
}

/// Old models list initializers as inputs, too; they are constants.
void BodyReader::addInput(StringRef Name) {
  auto Constant = Defined.lookup(Name);
  auto Default = Constant ? Constant.getDefiningOp<ConstantOp>() : nullptr;
  if (Default && !Default.getInput()) {
    Default.setInput(declaredType(Name));
    return;
  }
  Value Argument = Block->addArgument(declaredType(Name),
                                      NameLoc::get(B.getStringAttr(Name)));
  if (!define(Name, Argument))
    R.error() << "input '" << Name << "' is defined twice";
}

void BodyReader::finish(ArrayRef<StringRef> Outputs) {
  SmallVector<Value> Values;
  SmallVector<Type> Types;
  for (StringRef Name : Outputs) {
    Value Found = find(Name);
    if (!Found)
      R.error() << "output '" << Name << "' is computed by no node";
    Values.push_back(Found ? Found : none());
    Types.push_back(declaredType(Name));
  }
  YieldOp::create(B, B.getUnknownLoc(), Values, B.getStrArrayAttr(Outputs),
                  B.getTypeArrayAttr(Types));
}

//===----------------------------------------------------------------------===//
// Graphs and functions
//===----------------------------------------------------------------------===//

static SmallVector<StringRef> names(const BodyReader::Values &Infos) {
  SmallVector<StringRef> Names;
  for (const auto &Info : Infos)
    Names.push_back(Info.name());
  return Names;
}

/// Documentation and annotations; null where there are none.
static DictionaryAttr readNotes(Builder &B, const ::onnx::GraphProto &Graph) {
  NamedAttrList Notes;
  if (!Graph.doc_string().empty())
    Notes.set("doc", B.getStringAttr(Graph.doc_string()));
  if (ArrayAttr Pairs = readPairs(B, Graph.metadata_props()))
    Notes.set("metadata", Pairs);
  NamedAttrList Annotations;
  for (const auto &Annotation : Graph.quantization_annotation())
    if (ArrayAttr Pairs =
            readPairs(B, Annotation.quant_parameter_tensor_names());
        Pairs && !Annotation.tensor_name().empty())
      Annotations.set(Annotation.tensor_name(), Pairs);
  if (!Annotations.empty())
    Notes.set("quantization", Annotations.getDictionary(B.getContext()));
  return Notes.empty() ? nullptr : Notes.getDictionary(B.getContext());
}

GraphAttr BodyReader::readGraph(::onnx::GraphProto &Graph, StringAttr Attribute,
                                bool IsListed) {
  // Where an output is declared in both places, its own declaration counts.
  declare(Graph.input());
  declare(Graph.output());
  declare(Graph.value_info());
  readInitializers(Graph);
  for (StringRef Input : names(Graph.input()))
    addInput(Input);
  readNodes(*Graph.mutable_node());
  finish(names(Graph.output()));
  return GraphAttr::get(
      B.getContext(), Attribute, IsListed, B.getStringAttr(Graph.name()),
      B.getStrArrayAttr(names(Graph.input())), readNotes(B, Graph));
}

GraphAttr BodyReader::readFunction(::onnx::FunctionProto &Function) {
  SmallVector<StringRef> Inputs(Function.input().begin(),
                                Function.input().end());
  declare(Function.value_info());
  for (StringRef Input : Inputs)
    addInput(Input);
  readNodes(*Function.mutable_node());
  finish(SmallVector<StringRef>(Function.output().begin(),
                                Function.output().end()));
  return GraphAttr::get(B.getContext(), {}, false,
                        B.getStringAttr(Function.name()),
                        B.getStrArrayAttr(Inputs), {});
}
