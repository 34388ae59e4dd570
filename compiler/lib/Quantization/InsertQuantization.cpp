//===- InsertQuantization.cpp - A plan put into a network -----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Quantization/InsertQuantization.h"
#include "QuantizeProducts.h"
#include "mlir/Pass/Pass.h"
#include "tenon/Quantization/Rewriting.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tenon;
using namespace tenon::onnx;
using namespace tenon::quantization;

namespace {

class Inserter {
public:
  Inserter(GraphOp Graph, const Plan &Of, const Calibration &With)
      : R(Graph), Of(Of), With(With),
        Yield(cast<YieldOp>(Graph.getBody().front().getTerminator())) {
    for (const PlannedLayer &Layer : Of.Layers)
      Computing.insert(R.find(Layer.Output).getDefiningOp());
  }

  FailureOr<std::vector<std::string>> run();
  FailureOr<std::vector<std::string>> runSwitched();

private:
  std::pair<Value, Value> scaleOf(const PlannedTensor &Tensor);
  Value insertBehind(const PlannedTensor &Tensor);
  std::string unitOf(const PlannedTensor &Tensor) const;
  Value switched(StringRef Unit, Value Rounded, Value Float);
  LogicalResult quantizeAllProducts();

  Rewriting R;
  const Plan &Of;
  const Calibration &With;
  YieldOp Yield;
  llvm::DenseSet<Operation *> Computing;
  llvm::DenseMap<int64_t, std::pair<Value, Value>> Scales; // of groups
  llvm::StringMap<Value> Switches; // of layers and tensors, if any
};

} // namespace

Calibration::Calibration(const Plan &Of) {
  int64_t Count = 0;
  for (const PlannedTensor &Tensor : Of.Tensors)
    Count = std::max(Count, Tensor.Group + 1);
  Groups.resize(Count);
}

std::pair<Value, Value> Inserter::scaleOf(const PlannedTensor &Tensor) {
  auto [Found, IsNew] = Scales.try_emplace(Tensor.Group);
  if (IsNew) {
    const Parameters &P = With.Groups[Tensor.Group];
    const int8_t Zero = int8_t(P.ZeroPoint);
    Found->second = {R.floats(Tensor.Name + "/scale", {}, P.Scale),
                     R.constant<int8_t>(Tensor.Name + "/zero_point",
                                        R.B.getI8Type(), {}, Zero)};
  }
  return Found->second;
}

/// The layer that computes a tensor, or the tensor itself where none does.
std::string Inserter::unitOf(const PlannedTensor &Tensor) const {
  for (const PlannedLayer &Layer : Of.Layers)
    if (Layer.Result == Tensor.Name)
      return Layer.Node;
  return Tensor.Name;
}

/// `Rounded` where the switch of the unit is on, or there is none.
Value Inserter::switched(StringRef Unit, Value Rounded, Value Float) {
  auto Switch = Switches.find(Unit);
  if (Switch == Switches.end())
    return Rounded;
  return R.node("Where", {Switch->second, Rounded, Float}, Rounded.getType(),
                nameOf(Rounded) + "/switched");
}

/// What the integers stand for.
Value Inserter::insertBehind(const PlannedTensor &Tensor) {
  Value Float = R.find(Tensor.Name);
  auto Type = cast<RankedTensorType>(Float.getType());
  auto [Scale, Zero] = scaleOf(Tensor);
  R.setInsertionPointAfter(Float);
  if (isa<BlockArgument>(Float))
    R.B.setInsertionPointAfter(Scale.getDefiningOp()); // the lower of the two
  Value Integers =
      R.node("QuantizeLinear", {Float, Scale, Zero},
             RankedTensorType::get(Type.getShape(), R.B.getI8Type(),
                                   Type.getEncoding()),
             integersName(Tensor.Name));
  Value Back = R.node("DequantizeLinear", {Integers, Scale, Zero}, Type,
                      roundedName(Tensor.Name));
  Back = switched(unitOf(Tensor), Back, Float);
  bool IsOutput = false;
  Float.replaceUsesWithIf(Back, [&](OpOperand &Use) {
    Operation *User = Use.getOwner();
    if (User == Integers.getDefiningOp() || User == Back.getDefiningOp())
      return false;
    if (Tensor.IsFromFloat && !Computing.contains(User))
      return false;
    IsOutput |= User == Yield;
    return true;
  });
  if (IsOutput) {
    R.rename(Float, R.fresh(Tensor.Name + "/float"));
    R.rename(Back, Tensor.Name);
  }
  return Back;
}

LogicalResult Inserter::quantizeAllProducts() {
  return quantizeProducts(
      R, Of, With, !Switches.empty(),
      [&](const PlannedLayer &Layer, Value Rounded, Value Float) {
        return switched(Layer.Node, Rounded, Float);
      });
}

FailureOr<std::vector<std::string>> Inserter::run() {
  if (failed(quantizeAllProducts()))
    return failure();
  std::vector<std::string> Names;
  for (const PlannedTensor &Tensor : Of.Tensors)
    Names.push_back(nameOf(insertBehind(Tensor)).str());
  return Names;
}

/// What is selected from a tensor is as rounded as that one.
FailureOr<std::vector<std::string>> Inserter::runSwitched() {
  std::vector<std::string> Units;
  auto Bool = RankedTensorType::get({}, R.B.getI1Type());
  for (const PlannedTensor &Tensor : Of.Tensors)
    if (!Tensor.IsSelected) {
      Units.push_back(unitOf(Tensor));
      Switches[Units.back()] = R.input(Bool, "quantize/" + Units.back());
    }
  if (failed(quantizeAllProducts()))
    return failure();
  for (const PlannedTensor &Tensor : Of.Tensors)
    if (!Tensor.IsSelected)
      insertBehind(Tensor);
  return Units;
}

FailureOr<std::vector<std::string>>
tenon::quantization::insertQuantization(GraphOp Graph, const Plan &Of,
                                        const Calibration &With) {
  auto Names = Inserter(Graph, Of, With).run();
  dropUnusedConstants(Graph);
  return Names;
}

FailureOr<std::vector<std::string>>
tenon::quantization::insertSwitched(GraphOp Graph, const Plan &Of,
                                    const Calibration &With) {
  auto Units = Inserter(Graph, Of, With).runSwitched();
  dropUnusedConstants(Graph);
  return Units;
}

namespace {
struct QuantizePass
    : public PassWrapper<QuantizePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(QuantizePass)

  StringRef getArgument() const final { return "onnx-quantize"; }
  StringRef getDescription() const final {
    return "Plan the quantisation of a network and put it in place";
  }
  void runOnOperation() final {
    GraphOp Graph = mainGraph(getOperation());
    if (!Graph)
      return;
    Plan Planned = planQuantization(Graph);
    if (failed(insertQuantization(Graph, Planned, Calibration(Planned))))
      signalPassFailure();
  }
};
} // namespace

void tenon::quantization::registerQuantizePass() {
  PassRegistration<QuantizePass>();
}
