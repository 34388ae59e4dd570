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
#include "tenon/Frontend/ONNX/MissingLowerings.h"
#include "tenon/Frontend/ONNX/ReadModel.h"

#include "isa/configuration.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <set>

namespace tenon::compiler {

using namespace mlir;

namespace {

/// What lowering the prepared model lacks.
void addMissing(ModuleOp prepared, Inspection &out) {
  std::set<std::pair<std::string, std::string>> lacking;
  for (const MissingLowering &found : findMissing(prepared)) {
    Missing &missing = *out.add_missing();
    missing.set_node(found.Node);
    missing.set_operator_(found.Operator);
    missing.set_reason(found.Reason);
    lacking.insert({found.Operator, onnx::domainName(found.Domain).str()});
  }
  for (Operator &entry : *out.mutable_operators())
    entry.set_lowered(!lacking.count({entry.name(), entry.domain()}));
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
absl::Status addGroups(const std::string &path, Options options,
                       Inspection &out) {
  options.keepReference = false;
  options.hostCode = false;
  options.verify = false;
  auto compiled = compile(path, options, Level::Program);
  if (absl::IsInvalidArgument(compiled.status())) {
    out.set_groups_reason(std::string(compiled.status().message()));
    return absl::OkStatus();
  }
  if (!compiled.ok())
    return compiled.status();
  const isa::Program &program = compiled->program;
  for (const isa::Layer &layer : program.debug().layers())
    addLayer(program, layer, out);
  for (const isa::Step &step : program.steps())
    if (step.has_host_kernel())
      addHostStep(step.host_kernel(), out);
  return absl::OkStatus();
}

} // namespace

absl::StatusOr<Picture> inspect(const std::string &path,
                                const Options &options) {
  // No fact of the model.
  if (auto config = isa::loadConfiguration(options.config);
      !options.machine && !config.ok())
    return config.status();
  MLIRContext context;
  Collector diagnostics(context, options.listener);
  OwningOpRef<ModuleOp> model = readModel(path, context);
  if (!model)
    return diagnostics.statusOf(path, "a file was refused without saying why");
  Picture picture;
  Inspection &out = *picture.mutable_inspection();
  addBorders(*model, out);
  addOperators(*model, out);
  addQuantization(*model, out);
  // What the file leaves open, inference tells: sizes are asked behind it.
  OwningOpRef<ModuleOp> prepared = model->clone();
  if (failed(prepareModel(*prepared, options.shapes)))
    return diagnostics.statusOf(path, "a file was refused without saying why");
  out.set_model(path);
  addWork(*prepared, out);
  addPeak(*prepared, out);
  addMissing(*prepared, out);
  if (out.missing_size())
    out.set_groups_reason("not every node has a lowering");
  else if (auto status = addGroups(path, options, out); !status.ok())
    return status;
  addVertices(*model, picture);
  return picture;
}

} // namespace tenon::compiler
