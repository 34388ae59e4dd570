//===- compiler/driver/quantization.cpp - How a model is quantised --------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/macs.h"
#include "compiler/driver/model_facts.h"
#include "compiler/driver/onnx_types.h"

#include "absl/strings/str_join.h"

#include <set>

namespace tenon::compiler {

using namespace mlir;
using onnx::Node;
using onnx::NodeOp;

namespace {

/// What the contractions of a model have in common.
struct Found {
  std::set<std::string> forms, weights, activations, granularities;
};

/// The node that dequantises `value`.
std::optional<Node> dequantizer(Value value) {
  auto made = value ? value.getDefiningOp<NodeOp>() : NodeOp();
  if (!made || !Node(made).is("DequantizeLinear"))
    return std::nullopt;
  return Node(made);
}

/// Whether it changes no value, so that what is behind it counts.
bool isMovement(const Node &node) {
  for (const char *name :
       {"Transpose", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Identity"})
    if (node.is(name))
      return true;
  return false;
}

Value behindMovements(Value value) {
  while (value) {
    auto made = value.getDefiningOp<NodeOp>();
    if (!made || !isMovement(Node(made)))
      break;
    value = Node(made).input(0);
  }
  return value;
}

void addGranularity(Value scale, Found &found) {
  auto elements = scale ? elementsOf(scale.getType()) : std::nullopt;
  if (elements)
    found.granularities.insert(*elements > 1 ? "channel" : "tensor");
}

/// The file need not tell the type of what a node computes.
void addElement(Value value, std::set<std::string> &types) {
  if (std::string type = value ? elementText(value.getType()) : "?";
      type != "?")
    types.insert(std::move(type));
}

/// The weights' scale, where the operator takes it itself.
Value ownScale(const Node &node) {
  bool hasScale = node.is("QLinearConv") || node.is("QLinearMatMul");
  return hasScale ? node.input(4) : Value();
}

void addContraction(const Node &node, const Contraction &of, Found &found) {
  Value input = behindMovements(node.input(of.input));
  Value weights = behindMovements(node.input(of.weights));
  auto data = dequantizer(input), kernel = dequantizer(weights);
  if (of.form)
    found.forms.insert(of.form);
  else
    found.forms.insert(data && kernel ? "QDQ" : "float");
  if (kernel) {
    weights = kernel->input(0);
    if (auto block = kernel->integer("block_size", 0);
        succeeded(block) && *block != 0)
      found.granularities.insert("group");
    else
      addGranularity(kernel->input(1), found);
  }
  addGranularity(ownScale(node), found);
  if (data)
    input = data->input(0);
  addElement(input, found.activations);
  addElement(weights, found.weights);
}

std::string formOf(const std::set<std::string> &forms) {
  return forms.empty() ? "none" : forms.size() > 1 ? "mixed" : *forms.begin();
}

} // namespace

void addQuantization(ModuleOp model, Inspection &out) {
  Found found;
  model.walk([&](NodeOp op) {
    Node node(op);
    if (const Contraction *contraction = contractionOf(node))
      addContraction(node, *contraction, found);
  });
  Quantization &quantization = *out.mutable_quantization();
  quantization.set_form(formOf(found.forms));
  quantization.mutable_forms()->Add(found.forms.begin(), found.forms.end());
  quantization.mutable_weights()->Add(found.weights.begin(),
                                      found.weights.end());
  quantization.mutable_activations()->Add(found.activations.begin(),
                                          found.activations.end());
  quantization.set_granularity(absl::StrJoin(found.granularities, " and "));
}

} // namespace tenon::compiler
