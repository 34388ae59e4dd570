//===- compiler/driver/picture.cpp - A graph to be drawn ------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/picture.h"

#include "compiler/driver/onnx_types.h"

#include "tenon/Dialect/ONNX/Node.h"

#include "llvm/ADT/DenseMap.h"

#include <map>

namespace tenon::compiler {

using namespace mlir;

namespace {

/// Texts of attributes are cut here: constants can be large.
constexpr size_t longestText = 200;

struct Placing {
  std::string place, reason;
};

/// Where an inspection puts each node.
std::map<std::string, Placing> placesOf(const Inspection &inspection) {
  std::map<std::string, Placing> places;
  for (const Group &group : inspection.groups())
    for (const std::string &node : group.nodes())
      places.insert({node, {group.place(), group.reason()}});
  for (const Missing &missing : inspection.missing())
    if (!missing.node().empty())
      places[missing.node()] = {"missing", missing.reason()};
  return places;
}

class Drawing {
public:
  explicit Drawing(Picture &picture)
      : picture(picture), places(placesOf(picture.inspection())),
        isPlaced(picture.inspection().groups_size() > 0) {}

  void add(onnx::GraphOp graph);

private:
  Vertex &addVertex(StringRef name, StringRef place) {
    Vertex &vertex = *picture.add_vertices();
    vertex.set_name(name.str());
    vertex.set_place(place.str());
    return vertex;
  }
  void addNode(onnx::NodeOp op);
  void addInput(Value value, StringRef name, Vertex &vertex);
  void addOutput(Value value, Vertex &vertex);
  /// What no group computes has been folded into constants or into its
  /// neighbours, or is not looked at before everything has a lowering.
  void place(StringRef name, Vertex &vertex);

  Picture &picture;
  std::map<std::string, Placing> places;
  const bool isPlaced;
  llvm::DenseMap<Value, int> makers;
};

void Drawing::addOutput(Value value, Vertex &vertex) {
  makers[value] = picture.vertices_size() - 1;
  Port &out = *vertex.add_outputs();
  out.set_name(onnx::nameOf(value).str());
  out.set_type(typeText(value.getType()));
}

void Drawing::addInput(Value value, StringRef name, Vertex &vertex) {
  Port &in = *vertex.add_inputs();
  in.set_name(name.str());
  in.set_type(typeText(value.getType()));
  auto maker = makers.find(value);
  in.set_from(maker == makers.end() ? -1 : maker->second);
}

void Drawing::place(StringRef name, Vertex &vertex) {
  if (auto found = places.find(name.str()); found != places.end()) {
    vertex.set_place(found->second.place);
    vertex.set_reason(found->second.reason);
  } else {
    vertex.set_place(isPlaced ? "constant" : "lowered");
  }
}

std::string shortText(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (auto elements = dyn_cast<ElementsAttr>(attribute))
    stream << typeText(elements.getType());
  else if (auto list = dyn_cast<DenseI64ArrayAttr>(attribute))
    llvm::interleaveComma(list.asArrayRef(), stream);
  else if (auto string = dyn_cast<StringAttr>(attribute))
    stream << string.getValue();
  else
    attribute.print(stream, /*elideType=*/true);
  if (text.size() > longestText)
    text = text.substr(0, longestText) + "...";
  return text;
}

void Drawing::addNode(onnx::NodeOp op) {
  onnx::Node node(op);
  Vertex &vertex = addVertex(node.name(), "");
  vertex.set_operator_(node.operatorName().str());
  vertex.set_domain(onnx::domainName(node.domain()).str());
  place(node.name(), vertex);
  for (NamedAttribute attribute : op.getNodeAttributes()) {
    Property &out = *vertex.add_attributes();
    out.set_name(attribute.getName().str());
    out.set_value(shortText(attribute.getValue()));
  }
  for (int64_t i = 0; i < node.inputCount(); ++i)
    if (node.hasInput(i))
      addInput(node.input(i), node.inputName(i), vertex);
  for (Value result : op.getResults())
    addOutput(result, vertex);
}

void Drawing::add(onnx::GraphOp graph) {
  Block &body = graph.getBody().front();
  for (BlockArgument input : body.getArguments())
    addOutput(input, addVertex(onnx::nameOf(input), "border"));
  for (onnx::NodeOp node : body.getOps<onnx::NodeOp>())
    addNode(node);
  auto yield = cast<onnx::YieldOp>(body.getTerminator());
  for (auto [value, name] : llvm::zip(
           yield.getValues(), yield.getNames().getAsValueRange<StringAttr>()))
    addInput(value, name, addVertex(name, "border"));
}

} // namespace

void addVertices(ModuleOp model, Picture &picture) {
  Drawing(picture).add(onnx::mainGraph(model));
}

} // namespace tenon::compiler
