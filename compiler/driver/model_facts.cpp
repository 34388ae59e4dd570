//===- compiler/driver/model_facts.cpp - What a model says of itself ------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/model_facts.h"

#include "compiler/driver/macs.h"
#include "compiler/driver/onnx_types.h"

#include "tenon/Dialect/ONNX/ONNX.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <map>

namespace tenon::compiler {

using namespace mlir;

namespace {

void addBorder(StringRef name, Type type, Border &out) {
  out.set_name(name.str());
  out.set_type(elementText(type));
  for (std::string &extent : shapeText(type))
    out.add_shape(std::move(extent));
}

/// A constant of the file: an initializer, or what a Constant node holds.
Type constantType(Operation *op) {
  if (auto constant = dyn_cast<onnx::ConstantOp>(op))
    return constant.getResult().getType();
  auto node = dyn_cast<onnx::NodeOp>(op);
  if (!node || node.getOpType() != "Constant")
    return nullptr;
  auto value = node.getNodeAttributes().getAs<ElementsAttr>("value");
  return value ? value.getType() : nullptr;
}

/// Bytes of the results of `op` that something reads, as activations; none
/// where one's shape is open.
std::optional<double> resultBytes(Operation *op) {
  double bytes = 0;
  for (Value result : op->getResults()) {
    if (result.use_empty())
      continue;
    auto size = bytesOf(result.getType());
    if (!size)
      return std::nullopt;
    bytes += *size;
  }
  return bytes;
}

/// The last operation of `block` that reads a result of `op`, itself or in its
/// bodies.
Operation *lastReader(Operation *op, Block &block) {
  Operation *last = op;
  for (Operation *user : op->getUsers())
    if (Operation *at = block.findAncestorOpInBlock(*user))
      if (last->isBeforeInBlock(at))
        last = at;
  return last;
}

} // namespace

void addBorders(ModuleOp model, Inspection &out) {
  onnx::GraphOp graph = onnx::mainGraph(model);
  Block &body = graph.getBody().front();
  for (BlockArgument input : body.getArguments())
    addBorder(onnx::nameOf(input), input.getType(), *out.add_inputs());
  auto yield = cast<onnx::YieldOp>(body.getTerminator());
  for (auto [name, type] :
       llvm::zip(yield.getNames().getAsValueRange<StringAttr>(),
                 yield.getTypes().getAsValueRange<TypeAttr>()))
    addBorder(name, type, *out.add_outputs());
  auto facts = model->getAttrOfType<DictionaryAttr>(onnx::ModelAttrName);
  if (auto opsets = facts ? facts.getAs<DictionaryAttr>("opsets") : nullptr)
    for (NamedAttribute opset : opsets)
      (*out.mutable_opsets())[opset.getName().str()] =
          cast<IntegerAttr>(opset.getValue()).getInt();
}

void addOperators(ModuleOp model, Inspection &out) {
  std::map<std::pair<std::string, std::string>, uint32_t> counts;
  double elements = 0, bytes = 0;
  model.walk([&](Operation *op) {
    if (Type type = constantType(op)) {
      elements += elementsOf(type).value_or(0);
      bytes += bytesOf(type).value_or(0);
    }
    auto node = dyn_cast<onnx::NodeOp>(op);
    if (!node)
      return;
    out.set_nodes(out.nodes() + 1);
    std::string domain = onnx::domainName(node.getDomain()).str();
    ++counts[{node.getOpType().str(), domain}];
  });
  out.set_parameters(elements);
  out.set_parameter_bytes(bytes);
  for (const auto &[name, count] : counts) {
    Operator &entry = *out.add_operators();
    entry.set_name(name.first);
    entry.set_domain(name.second);
    entry.set_count(count);
    entry.set_lowered(true);
  }
  // Those of one count stand in the order of their names.
  std::sort(out.mutable_operators()->begin(), out.mutable_operators()->end(),
            [](const Operator &a, const Operator &b) {
              return std::make_pair(b.count(), a.name()) <
                     std::make_pair(a.count(), b.name());
            });
}

void addWork(ModuleOp model, Inspection &out) {
  double macs = 0;
  model.walk([&](onnx::NodeOp node) {
    onnx::Node view(node);
    if (!contractionOf(view))
      return;
    if (auto work = macsOf(view))
      macs += *work;
    else
      out.set_macs_unknown(out.macs_unknown() + 1);
  });
  out.set_macs(macs);
}

void addPeak(ModuleOp model, Inspection &out) {
  Block &body = onnx::mainGraph(model).getBody().front();
  double live = 0, most = 0;
  for (BlockArgument input : body.getArguments()) {
    auto bytes = bytesOf(input.getType());
    live += bytes.value_or(0);
    out.set_peak_unknown(out.peak_unknown() + !bytes);
  }
  most = live;
  llvm::DenseMap<Operation *, double> freedAfter;
  for (onnx::NodeOp node : body.getOps<onnx::NodeOp>()) {
    if (!constantType(node)) {
      auto bytes = resultBytes(node);
      out.set_peak_unknown(out.peak_unknown() + !bytes);
      live += bytes.value_or(0);
      freedAfter[lastReader(node, body)] += bytes.value_or(0);
      most = std::max(most, live);
    }
    live -= freedAfter.lookup(node);
  }
  if (!out.peak_unknown())
    out.set_peak_bytes(out.parameter_bytes() + most);
}

} // namespace tenon::compiler
