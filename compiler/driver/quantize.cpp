//===- compiler/driver/quantize.cpp - Float networks to integers ----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/quantize.h"

#include "compiler/driver/collector.h"

#include "tenon/Dialect/ONNX/ONNX.h"
#include "tenon/Frontend/ONNX/Clusters.h"
#include "tenon/Frontend/ONNX/ImportModel.h"
#include "tenon/Frontend/ONNX/RaiseOpset.h"
#include "tenon/Frontend/ONNX/ReadModel.h"
#include "tenon/Frontend/ONNX/WriteModel.h"
#include "tenon/Quantization/BalanceChannels.h"
#include "tenon/Quantization/Equalize.h"
#include "tenon/Quantization/FoldAffine.h"
#include "tenon/Quantization/InsertQuantization.h"
#include "tenon/Quantization/IntegerSum.h"
#include "tenon/Quantization/ProductInputs.h"
#include "tenon/Quantization/Simplify.h"
#include "tenon/Quantization/WatchTensors.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <array>

namespace tenon::compiler {

using namespace mlir;
using namespace quantization;

/// The few names that are fewest changes of letters away.
static std::string nearNames(const std::string &name,
                             const std::vector<std::string> &known) {
  constexpr size_t most = 3;
  std::set<std::pair<unsigned, std::string>> sorted;
  for (const std::string &other : known)
    sorted.insert({StringRef(name).edit_distance_insensitive(other), other});
  std::vector<std::string> nearest;
  for (const auto &[distance, other] : sorted)
    if (nearest.size() < most)
      nearest.push_back(absl::StrCat("'", other, "'"));
  return absl::StrJoin(nearest, ", ");
}

namespace {

/// The first opset that has QuantizeLinear to 16 bits, and DequantizeLinear of
/// 4 bits and of groups.
constexpr int64_t wideOpset = 21;

/// The first opset whose DequantizeLinear has scales for channels.
constexpr int64_t leastOpset = 13;

class NetworkQuantizer : public Quantizer {
public:
  NetworkQuantizer(const std::string &path, const Options &options,
                   const WeightOptions &weights)
      : path(path), weights(weights), diagnostics(context, options.listener) {}

  absl::Status open(const InputShapes &shapes, const Preparation &prepared);

  const std::vector<QuantizedTensor> &tensors() const override {
    return allTensors;
  }
  const std::vector<QuantizedLayer> &layers() const override {
    return allLayers;
  }
  const std::vector<LeftNode> &left() const override { return leftNodes; }
  const std::vector<std::pair<std::string, int64_t>> &
  ungrouped() const override {
    return plan.Ungrouped;
  }
  int64_t equalizedPairs() const override { return pairs; }
  int64_t balancedChannels() const override { return balanced; }
  std::set<std::string> balanceable() const override;
  SeenChannels seenChannels() const override;

  absl::StatusOr<std::string> floatNetwork(bool watched) override;
  void observe(size_t index, const float *values,
               absl::Span<const int64_t> shape) override;
  const TensorStatistics &statistics(size_t index) const override {
    return seen[index];
  }
  absl::StatusOr<bool> leaveSums() override;
  Parameters parameters(size_t index,
                        const QuantizationSetting &setting) const override;
  absl::StatusOr<std::string> quantize(const QuantizationSetting &setting,
                                       bool watched) override;

  absl::StatusOr<Switched>
  quantizeSwitched(const QuantizationSetting &setting) override;

private:
  absl::Status errors() const {
    return diagnostics.statusOf(path, "quantisation failed without saying why");
  }
  absl::Status makePlan();
  absl::Status keepInFloat(const std::vector<std::string> &nodes);
  void sampleInputs();
  FailureOr<bool> leaveRefused();
  bool leave(const std::string &node, const std::string &reason);
  void describePlan();
  void describeGrouped();
  void findFloatReaders();
  absl::StatusOr<std::string> write(ModuleOp network) const;
  Calibration calibrate(const QuantizationSetting &setting);
  std::vector<Parameters>
  groupParameters(const QuantizationSetting &setting) const;
  std::vector<Parameters>
  wideParameters(const QuantizationSetting &setting) const;
  Range rangeOf(size_t index, const QuantizationSetting &setting) const;

  const std::string path;
  const WeightOptions weights;
  MLIRContext context;
  Collector diagnostics;
  OwningOpRef<ModuleOp> model;
  Plan plan;
  std::vector<QuantizedTensor> allTensors;
  std::vector<QuantizedLayer> allLayers;
  std::vector<LeftNode> leftNodes;
  std::set<std::string> leftNames;
  int64_t pairs = 0, balanced = 0;
  std::vector<TensorStatistics> seen; // of the plan's tensors
  AdaptiveRounding rounding;
};

absl::Status NetworkQuantizer::open(const InputShapes &shapes,
                                    const Preparation &prepared) {
  model = readModel(path, context);
  if (!model || failed(prepareModel(*model, shapes)))
    return errors();
  simplify(onnx::mainGraph(*model));
  if (failed(raiseOpset(*model, weights.Bits == 8 ? leastOpset : wideOpset)))
    return errors();
  foldAffine(onnx::mainGraph(*model));
  if (prepared.equalize)
    pairs = quantization::equalize(onnx::mainGraph(*model));
  if (!prepared.balance.Seen.empty())
    balanced =
        balanceChannels(onnx::mainGraph(*model), prepared.balance).Channels;
  auto status = keepInFloat(prepared.keepFloat);
  if (status.ok())
    status = makePlan();
  describeGrouped();
  if (prepared.sampleInputs)
    sampleInputs();
  seen.resize(plan.Tensors.size());
  return status;
}

absl::Status
NetworkQuantizer::keepInFloat(const std::vector<std::string> &nodes) {
  std::vector<std::string> known;
  for (auto op : onnx::mainGraph(*model).getBody().getOps<onnx::NodeOp>())
    known.push_back(onnx::Node(op).name().str());
  for (const std::string &node : nodes) {
    if (!llvm::is_contained(known, node))
      return absl::InvalidArgumentError(absl::StrCat(
          "'", path, "': there is no node '", node,
          "' to keep in float; near it: ", nearNames(node, known)));
    leave(node, "it is to stay in float");
  }
  return absl::OkStatus();
}

/// Of products whose weights can be rounded by what they meet.
void NetworkQuantizer::sampleInputs() {
  auto body = onnx::mainGraph(*model).getBody().getOps<onnx::NodeOp>();
  std::map<std::string, onnx::NodeOp> nodes;
  for (onnx::NodeOp op : body)
    nodes.insert({onnx::Node(op).name().str(), op});
  for (const PlannedLayer *layer : plan.products()) {
    onnx::Node node(nodes.at(layer->Node));
    auto inputs = weightInputsOf(node, *layer);
    auto axes = windowAxesOf(node);
    if (inputs && axes)
      rounding.addProduct(layer->Weights, *inputs, *axes);
  }
}

/// Whether the node was not left in float before.
bool NetworkQuantizer::leave(const std::string &node,
                             const std::string &reason) {
  if (!leftNames.insert(node).second)
    return false;
  leftNodes.push_back({node, reason});
  return true;
}

/// Whether import leaves nodes of the plan out of integer clusters, which then
/// stay in float.
FailureOr<bool> NetworkQuantizer::leaveRefused() {
  OwningOpRef<ModuleOp> trial = model->clone();
  diagnostics.hold();
  auto refusals = FailureOr<std::map<std::string, std::string>>(failure());
  Calibration unseen(plan);
  unseen.Weights = weights;
  if (succeeded(insertQuantization(onnx::mainGraph(*trial), plan, unseen)) &&
      succeeded(prepareModel(*trial, {})))
    refusals = findRefusals(*trial);
  if (failed(refusals)) {
    diagnostics.release();
    return failure();
  }
  diagnostics.forget();
  bool any = false;
  for (const PlannedLayer &layer : plan.Layers)
    for (const std::string &node : layer.Nodes)
      if (auto refusal = refusals->find(node); refusal != refusals->end())
        any |= leave(node, refusal->second);
  return any;
}

absl::Status NetworkQuantizer::makePlan() {
  for (bool again = true; again;) {
    plan = planQuantization(onnx::mainGraph(*model), leftNames, weights.Group);
    FailureOr<bool> refused = leaveRefused();
    if (failed(refused))
      return errors();
    again = *refused;
  }
  if (plan.Layers.empty() && plan.Grouped.empty())
    return absl::InvalidArgumentError(absl::StrCat(
        "'", path,
        "': nothing can be quantised: there is no convolution or matrix "
        "product of float32",
        leftNodes.empty() ? ""
                          : absl::StrCat("; '", leftNodes[0].name,
                                         "' cannot: ", leftNodes[0].reason)));
  describePlan();
  return absl::OkStatus();
}

void NetworkQuantizer::describeGrouped() {
  for (const PlannedLayer &product : plan.Grouped)
    leftNodes.push_back(
        {product.Node,
         absl::StrCat("its int", weights.Bits, " weights have a scale for ",
                      weights.Group,
                      " inputs each, the accelerator one for a channel: it "
                      "runs on the host; --group=0 gives it that")});
}

static bool isPassive(ClusterRole role) {
  return role == ClusterRole::Concatenation || role == ClusterRole::Selection ||
         role == ClusterRole::Activation;
}

void NetworkQuantizer::findFloatReaders() {
  std::set<std::string> readers; // that are layers
  for (const PlannedLayer &layer : plan.Layers)
    readers.insert(layer.Node);
  std::set<std::string> read;
  onnx::mainGraph(*model).getBody().walk([&](Operation *op) {
    auto node = dyn_cast<onnx::NodeOp>(op);
    if (node && readers.count(onnx::Node(node).name().str()))
      return;
    for (Value operand : op->getOperands())
      read.insert(onnx::nameOf(operand).str());
  });
  for (QuantizedLayer &layer : allLayers)
    layer.isReadInFloat = read.count(layer.result);
}

void NetworkQuantizer::describePlan() {
  allLayers.clear();
  allTensors.clear();
  std::map<std::string, std::string> makers;
  for (const PlannedLayer &layer : plan.Layers) {
    makers[layer.Result] = layer.Node;
    allLayers.push_back({layer.Node, layer.Operator, layer.Nodes, layer.Inputs,
                         layer.Result, layer.Role == ClusterRole::Contraction,
                         isPassive(layer.Role), false});
  }
  findFloatReaders();
  for (const PlannedTensor &tensor : plan.Tensors)
    allTensors.push_back({tensor.Name, makers[tensor.Name],
                          !tensor.IsSelected && !tensor.IsFloat});
}

absl::StatusOr<std::string> NetworkQuantizer::write(ModuleOp network) const {
  auto content = writeModel(network);
  if (!content)
    return absl::InvalidArgumentError(
        absl::StrCat("'", path, "': ", llvm::toString(content.takeError())));
  return *std::move(content);
}

absl::StatusOr<std::string> NetworkQuantizer::floatNetwork(bool watched) {
  OwningOpRef<ModuleOp> network = model->clone();
  if (watched) {
    std::vector<std::string> names;
    for (const PlannedTensor &tensor : plan.Tensors)
      names.push_back(tensor.Name);
    watchTensors(onnx::mainGraph(*network), names);
  }
  return write(*network);
}

void NetworkQuantizer::observe(size_t index, const float *values,
                               absl::Span<const int64_t> shape) {
  int64_t parts[] = {1, 1, 1};
  const int64_t axis = plan.Tensors[index].ChannelAxis.value_or(0);
  for (int64_t at = 0; at < int64_t(shape.size()); ++at)
    parts[at < axis ? 0 : at == axis ? 1 : 2] *= shape[at];
  seen[index].add(values, parts[0], parts[1], parts[2]);
  const std::string &name = plan.Tensors[index].Name;
  std::set<std::string> weights; // that layers may share
  for (const PlannedLayer *layer : plan.products())
    if (layer->Inputs[0] == name && weights.insert(layer->Weights).second)
      rounding.observe(layer->Weights, values, {shape.begin(), shape.end()});
}

/// A plan of fewer nodes has no other tensors than the plan before.
absl::StatusOr<bool> NetworkQuantizer::leaveSums() {
  std::map<std::string, TensorStatistics> known;
  for (auto [tensor, statistics] : llvm::zip(plan.Tensors, seen))
    known[tensor.Name] = std::move(statistics);
  bool any = false;
  for (const PlannedLayer &layer : plan.Layers)
    if (layer.Role == ClusterRole::Addition)
      if (std::string why =
              whyNoIntegerSum(known[layer.Inputs[0]], known[layer.Inputs[1]]);
          !why.empty())
        any |= leave(layer.Node, why);
  if (any)
    if (auto status = makePlan(); !status.ok())
      return status;
  seen.clear();
  for (const PlannedTensor &tensor : plan.Tensors)
    seen.push_back(std::move(known.at(tensor.Name)));
  return any;
}

/// Of 16 bits, which have room for every value that was seen.
std::vector<Parameters>
NetworkQuantizer::wideParameters(const QuantizationSetting &setting) const {
  std::vector<Range> ranges(Calibration(plan).Wide.size());
  for (auto [index, tensor] : llvm::enumerate(plan.Tensors))
    ranges[tensor.Group].include(seen[index].range());
  Scheme scheme = setting.activations;
  scheme.Bits = 16;
  std::vector<Parameters> result;
  for (const Range &range : ranges)
    result.push_back(parametersOf(range, scheme));
  return result;
}

/// In the precision of the layer that computes the tensor, or where none does
/// of the coarsest that reads it.
Parameters
NetworkQuantizer::parameters(size_t index,
                             const QuantizationSetting &setting) const {
  const PlannedTensor &tensor = plan.Tensors[index];
  const PlannedLayer *maker = plan.makerOf(tensor.Name);
  auto in =
      maker ? precisionOf(setting.precisions, maker->Node) : Precision::Float;
  if (in == Precision::Float)
    for (const PlannedLayer &layer : plan.Layers)
      if (llvm::is_contained(layer.Inputs, tensor.Name))
        in = std::min(in, precisionOf(setting.precisions, layer.Node));
  return in == Precision::Int16 ? wideParameters(setting)[tensor.Group]
                                : groupParameters(setting)[tensor.Group];
}

SeenChannels NetworkQuantizer::seenChannels() const {
  SeenChannels result;
  for (auto [tensor, statistics] : llvm::zip(plan.Tensors, seen))
    if (tensor.ChannelAxis && !tensor.IsFloat)
      result[tensor.Name] = {*tensor.ChannelAxis, statistics.channelRanges()};
  return result;
}

std::set<std::string> NetworkQuantizer::balanceable() const {
  OwningOpRef<ModuleOp> trial = model.get().clone();
  return balanceChannels(onnx::mainGraph(*trial), {seenChannels()}).Tensors;
}

/// Answers are not cut off, by no method: a logit that is changes the answer.
/// What no reader tells apart is in no range.
Range NetworkQuantizer::rangeOf(size_t index,
                                const QuantizationSetting &setting) const {
  const PlannedTensor &tensor = plan.Tensors[index];
  Range range = chooseRange(seen[index], setting.ranges, setting.activations);
  if (tensor.IsAnswer) {
    range = seen[index].range();
    range.include(0);
  }
  const std::vector<Range> &channels = seen[index].channelRanges();
  if (tensor.Useful.size() != channels.size())
    return range;
  Range useful;
  useful.include(0);
  for (auto [of, told] : llvm::zip(channels, tensor.Useful))
    if (!of.isEmpty())
      useful.include(Range{std::clamp(of.Low, told.Low, told.High),
                           std::clamp(of.High, told.Low, told.High)});
  return {std::max(range.Low, useful.Low), std::min(range.High, useful.High)};
}

std::vector<Parameters>
NetworkQuantizer::groupParameters(const QuantizationSetting &setting) const {
  std::vector<Range> ranges(Calibration(plan).Groups.size());
  for (auto [index, tensor] : llvm::enumerate(plan.Tensors))
    if (!tensor.IsSelected)
      ranges[tensor.Group].include(rangeOf(index, setting));
  std::vector<Parameters> result;
  for (const Range &range : ranges)
    result.push_back(parametersOf(range, setting.activations));
  return result;
}

Calibration NetworkQuantizer::calibrate(const QuantizationSetting &setting) {
  Calibration result(plan);
  result.Weights = weights;
  result.Groups = groupParameters(setting);
  result.Wide = wideParameters(setting);
  result.Layers = setting.precisions;
  if (setting.adaptRounding)
    result.Rounding = &rounding;
  if (!setting.correctBiases)
    return result;
  for (const PlannedLayer *layer : plan.products())
    for (auto [index, tensor] : llvm::enumerate(plan.Tensors))
      if (tensor.Name == layer->Inputs[0])
        result.Means[tensor.Name] = seen[index].channelMeans();
  return result;
}

absl::StatusOr<std::string>
NetworkQuantizer::quantize(const QuantizationSetting &setting, bool watched) {
  OwningOpRef<ModuleOp> network = model->clone();
  if (llvm::any_of(setting.precisions,
                   [](auto &of) { return of.second == Precision::Int16; }) &&
      failed(raiseOpset(*network, wideOpset)))
    return errors();
  onnx::GraphOp graph = onnx::mainGraph(*network);
  auto names = insertQuantization(graph, plan, calibrate(setting));
  if (failed(names))
    return errors();
  if (watched)
    watchTensors(graph, *names);
  return write(*network);
}

absl::StatusOr<Quantizer::Switched>
NetworkQuantizer::quantizeSwitched(const QuantizationSetting &setting) {
  OwningOpRef<ModuleOp> network = model->clone();
  auto names =
      insertSwitched(onnx::mainGraph(*network), plan, calibrate(setting));
  if (failed(names))
    return errors();
  auto content = write(*network);
  if (!content.ok())
    return content.status();
  return Switched{*std::move(content), std::move(names->Units),
                  std::move(names->Selections)};
}

} // namespace

absl::StatusOr<std::unique_ptr<Quantizer>>
Quantizer::open(const std::string &path, const Options &options,
                const Preparation &prepared) {
  auto result =
      std::make_unique<NetworkQuantizer>(path, options, prepared.weights);
  if (auto status = result->open(options.shapes, prepared); !status.ok())
    return status;
  return result;
}

} // namespace tenon::compiler
