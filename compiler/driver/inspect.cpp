//===- compiler/driver/inspect.cpp - What is in a model file --------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/inspect.h"

#include "compiler/driver/collector.h"
#include "compiler/driver/model_facts.h"
#include "compiler/driver/picture.h"

#include "tenon/Dialect/ONNX/ONNX.h"
#include "tenon/Frontend/ONNX/ImportModel.h"
#include "tenon/Frontend/ONNX/ReadModel.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <map>
#include <set>

namespace tenon::compiler {

using namespace mlir;

namespace {

std::map<std::string, std::string> operatorsByNode(ModuleOp model) {
  std::map<std::string, std::string> operators;
  model.walk([&](onnx::NodeOp node) {
    operators[node.getName().str()] = node.getOpType().str();
  });
  return operators;
}

/// A diagnostic's text without the node in front, which stands beside it.
std::string reasonOf(const Diagnostic &said) {
  std::string begin = absl::StrCat("node '", said.node, "' (");
  size_t end = said.message.find("): ");
  if (!absl::StartsWith(said.message, begin) || end == std::string::npos)
    return said.message;
  return said.message.substr(end + 3);
}

/// What an import of the file says is wrong.
void addMissing(const std::string &path, ModuleOp model, Inspection &out) {
  auto operators = operatorsByNode(model);
  std::set<std::string> lacking;
  auto listener = [&](const Diagnostic &said) {
    if (said.severity != Severity::Error)
      return;
    Missing &missing = *out.add_missing();
    if (auto known = operators.find(said.node); known != operators.end()) {
      missing.set_node(said.node);
      missing.set_operator_(known->second);
      lacking.insert(known->second);
    }
    missing.set_reason(reasonOf(said));
  };
  MLIRContext context;
  Collector collector(context, listener);
  importModel(path, context);
  for (Operator &entry : *out.mutable_operators())
    entry.set_lowered(!lacking.count(entry.name()));
}

/// A layer of a compiled program as a group.
void addLayer(const isa::Program &program, const isa::Layer &layer,
              Inspection &out) {
  uint64_t cycles = std::max(
      {layer.compute_cycles(), layer.read_cycles(), layer.write_cycles()});
  const char *limit = cycles == layer.compute_cycles() ? "compute"
                      : cycles == layer.read_cycles()  ? "reads"
                                                       : "writes";
  Group &group = *out.add_groups();
  *group.mutable_nodes() = layer.nodes();
  group.set_place("accelerator");
  group.set_reason(absl::StrCat(layer.op(), " in at least ", cycles,
                                " cycles, bound by ", limit));
  group.set_cost_ms(cycles / (program.configuration().clock_mhz() * 1e3));
}

void addHostStep(const isa::HostKernel &kernel, Inspection &out) {
  Group &group = *out.add_groups();
  *group.mutable_nodes() = kernel.nodes();
  group.set_place("host");
  group.set_reason(kernel.reason());
  group.set_cost_ms(kernel.estimated_ms());
}

/// Where the compiler puts the nodes; a refusal is a fact of the model, too.
void addGroups(const std::string &path, Options options, Inspection &out) {
  options.keepReference = false;
  options.verify = false;
  auto compiled = compile(path, options, Level::Program);
  if (!compiled.ok()) {
    out.set_groups_reason(std::string(compiled.status().message()));
    return;
  }
  const isa::Program &program = compiled->program;
  for (const isa::Layer &layer : program.debug().layers())
    addLayer(program, layer, out);
  for (const isa::Step &step : program.steps())
    if (step.has_host_kernel())
      addHostStep(step.host_kernel(), out);
}

} // namespace

absl::StatusOr<Picture> inspect(const std::string &path,
                                const Options &options) {
  MLIRContext context;
  Collector diagnostics(context, options.listener);
  OwningOpRef<ModuleOp> model = readModel(path, context);
  if (!model)
    return diagnostics.statusOf(path, "a file was refused without saying why");
  Picture picture;
  Inspection &out = *picture.mutable_inspection();
  out.set_model(path);
  addBorders(*model, out);
  addOperators(*model, out);
  addPeak(*model, out);
  addQuantization(*model, out);
  addMissing(path, *model, out);
  if (out.missing_size())
    out.set_groups_reason("not every node has a lowering");
  else
    addGroups(path, options, out);
  addVertices(*model, picture);
  return picture;
}

} // namespace tenon::compiler
