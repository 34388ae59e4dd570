//===- ReadNode.cpp - Nodes of an ONNX graph ------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "BodyReader.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tenon::frontend;
using namespace tenon::onnx;
using ::onnx::AttributeProto;

/// The two spellings of ONNX's own domain are one.
static StringRef canonicalDomain(StringRef Domain) {
  return Domain == "ai.onnx" ? "" : Domain;
}

Opsets Reader::readOpsets(
    const google::protobuf::RepeatedPtrField<::onnx::OperatorSetIdProto>
        &Imports) {
  Opsets Versions;
  for (const auto &Import : Imports) {
    StringRef Domain = canonicalDomain(Import.domain());
    auto [Known, IsNew] = Versions.try_emplace(Domain, Import.version());
    if (Import.version() < 1)
      error() << "opset " << Import.version() << " of " << domainName(Domain)
              << " does not exist: 1 is the first";
    if (!IsNew && Known->second != Import.version())
      error() << "the model imports the opsets " << Known->second << " and "
              << Import.version() << " of " << domainName(Domain);
  }
  return Versions;
}

void BodyReader::readNodes(Nodes &Protos) {
  for (const auto &Proto : Protos)
    for (const std::string &Output : Proto.output())
      Produced.insert(Output);
  int64_t Index = 0;
  for (auto &Proto : Protos)
    readNode(Proto, Index++);
}

void BodyReader::readAttributes(::onnx::NodeProto &Proto, const Twine &Where,
                                OperationState &State) {
  NamedAttrList Attributes;
  llvm::StringSet<> Names;
  SmallVector<Attribute> Graphs;
  auto AddGraph = [&](AttributeProto &Holder, ::onnx::GraphProto &Graph,
                      bool IsListed) {
    BodyReader Body(R, Versions, this, *State.addRegion());
    Graphs.push_back(
        Body.readGraph(Graph, B.getStringAttr(Holder.name()), IsListed));
  };
  for (AttributeProto &Held : *Proto.mutable_attribute()) {
    if (Held.name().empty() || !Names.insert(Held.name()).second) {
      R.error() << Where << " has "
                << (Held.name().empty() ? "an attribute without a name"
                                        : "two attributes of one name: ")
                << Held.name();
      continue;
    }
    bool IsRef = !Held.ref_attr_name().empty();
    if (Held.has_g() && !IsRef)
      AddGraph(Held, *Held.mutable_g(), false);
    else if (Held.graphs_size() != 0 && !IsRef)
      for (auto &Graph : *Held.mutable_graphs())
        AddGraph(Held, Graph, true);
    else if (Attribute Value = R.readAttribute(Held, Where))
      Attributes.set(Held.name(), Value);
  }
  State.addAttribute("node_attributes",
                     Attributes.getDictionary(B.getContext()));
  State.addAttribute("graphs", B.getArrayAttr(Graphs));
}

void BodyReader::readNode(::onnx::NodeProto &Proto, int64_t Index) {
  std::string Name = Proto.name().empty()
                         ? llvm::formatv("{0}_{1}", Proto.op_type(), Index)
                         : Proto.name();
  std::string Where = llvm::formatv("node '{0}' ({1})", Name, Proto.op_type());
  StringRef Domain = canonicalDomain(Proto.domain());
  auto Opset = Versions.find(Domain);
  if (Opset == Versions.end())
    R.error() << Where << ": its domain " << domainName(Domain)
              << " is not in the model's opset_import";
  OperationState State(NameLoc::get(B.getStringAttr(Name)),
                       NodeOp::getOperationName());
  for (const std::string &Input : Proto.input())
    State.operands.push_back(use(Input, Where));
  SmallVector<StringRef> Outputs(Proto.output().begin(), Proto.output().end());
  for (StringRef Output : Outputs)
    State.types.push_back(Output.empty() ? Type(B.getNoneType())
                                         : declaredType(Output));
  State.addAttribute("op_type", B.getStringAttr(Proto.op_type()));
  State.addAttribute("domain", B.getStringAttr(Domain));
  State.addAttribute("overload", B.getStringAttr(Proto.overload()));
  State.addAttribute("opset", B.getI64IntegerAttr(
                                  Opset == Versions.end() ? 1 : Opset->second));
  State.addAttribute("name", B.getStringAttr(Name));
  State.addAttribute("outputs", B.getStrArrayAttr(Outputs));
  if (!Proto.doc_string().empty())
    State.addAttribute("onnx.doc", B.getStringAttr(Proto.doc_string()));
  if (ArrayAttr Pairs = readPairs(B, Proto.metadata_props()))
    State.addAttribute("onnx.metadata", Pairs);
  readAttributes(Proto, Where, State);
  Operation *Node = B.create(State);
  for (auto [Output, Result] : llvm::zip(Outputs, Node->getResults()))
    // A name around this graph is taken as well: its uses would be ambiguous.
    if (!Output.empty() && (find(Output) || !define(Output, Result)))
      R.error() << Where << " defines '" << Output << "' a second time";
}
