//===- InsertQuantization.cpp - A plan put into a network -----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Quantization/InsertQuantization.h"
#include "QuantizeProducts.h"
#include "ShieldFromOptimizer.h"
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
      Computing[R.find(Layer.Output).getDefiningOp()] = &Layer;
  }

  FailureOr<std::vector<std::string>> run();
  FailureOr<SwitchNames> runSwitched();

private:
  using Users = llvm::function_ref<bool(const PlannedLayer *)>;

  Precision precisionOf(const PlannedLayer *Layer) const {
    return Layer ? quantization::precisionOf(With.Layers, Layer->Node)
                 : Precision::Float;
  }
  std::pair<Value, Value> scaleOf(const PlannedTensor &Tensor, Precision In);
  Value rounded(const PlannedTensor &Tensor, Value Real, Precision In);
  void replace(const PlannedTensor &Tensor, Value Real, Value By, Users Which);
  Value insertBehind(const PlannedTensor &Tensor);
  void insertSwitchesBehind(const PlannedTensor &Tensor);
  void addSwitches(SwitchNames &Names);
  Value switched(Value Switch, Value Rounded, Value Float);
  LogicalResult quantizeAllProducts();

  Rewriting R;
  const Plan &Of;
  const Calibration &With;
  YieldOp Yield;
  /// Layers by their first nodes, which read planned tensors.
  llvm::DenseMap<Operation *, const PlannedLayer *> Computing;
  llvm::DenseSet<Operation *> Rounding; // QuantizeLinear of this
  std::map<std::pair<int64_t, Precision>, std::pair<Value, Value>>
      Scales;                      // of groups
  llvm::StringMap<Value> Switches; // of layers and tensors, if any
  llvm::StringMap<Value> Reads;    // of layers: whether they read integers
  Operation *LastSwitch = nullptr; // computed; behind all constants
};

} // namespace

Calibration::Calibration(const Plan &Of) {
  int64_t Count = 0;
  for (const PlannedTensor &Tensor : Of.Tensors)
    Count = std::max(Count, Tensor.Group + 1);
  Groups.resize(Count);
  Wide.resize(Count, Parameters{1, 0, 16});
}

static std::string suffixOf(Precision In) {
  return In == Precision::Int16 ? "/int16" : "";
}

std::pair<Value, Value> Inserter::scaleOf(const PlannedTensor &Tensor,
                                          Precision In) {
  auto [Found, IsNew] = Scales.try_emplace({Tensor.Group, In});
  if (!IsNew)
    return Found->second;
  const bool IsWide = In == Precision::Int16;
  const Parameters &P = (IsWide ? With.Wide : With.Groups)[Tensor.Group];
  const std::string Name = Tensor.Name + "/zero_point" + suffixOf(In);
  Found->second = {R.floats(Tensor.Name + "/scale" + suffixOf(In), {}, P.Scale),
                   IsWide ? R.constant<int16_t>(Name, R.B.getIntegerType(16),
                                                {}, int16_t(P.ZeroPoint))
                          : R.constant<int8_t>(Name, R.B.getI8Type(), {},
                                               int8_t(P.ZeroPoint))};
  return Found->second;
}

/// `Rounded` where the switch is on, or there is none.
Value Inserter::switched(Value Switch, Value Rounded, Value Float) {
  if (!Switch)
    return Rounded;
  return R.node("Where", {Switch, Rounded, Float}, Rounded.getType(),
                nameOf(Rounded) + "/switched");
}

/// What the integers of `Real`, the tensor or what stands for it, stand for.
Value Inserter::rounded(const PlannedTensor &Tensor, Value Real, Precision In) {
  auto Type = cast<RankedTensorType>(Real.getType());
  auto [Scale, Zero] = scaleOf(Tensor, In);
  R.setInsertionPointAfter(Real);
  if (isa<BlockArgument>(Real))
    R.B.setInsertionPointAfter(
        LastSwitch ? LastSwitch
                   : Scale.getDefiningOp()); // the lower of the two
  auto Element = cast<RankedTensorType>(Zero.getType()).getElementType();
  Value Integers = R.node(
      "QuantizeLinear", {Real, Scale, Zero},
      RankedTensorType::get(Type.getShape(), Element, Type.getEncoding()),
      integersName(Tensor.Name) + suffixOf(In));
  Rounding.insert(Integers.getDefiningOp());
  return R.node("DequantizeLinear", {Integers, Scale, Zero}, Type,
                roundedName(Tensor.Name) + suffixOf(In));
}

/// Gives `By`, made of `Real`, to the layers of `Which`, and
/// to whatever is none where that takes null.
void Inserter::replace(const PlannedTensor &Tensor, Value Real, Value By,
                       Users Which) {
  bool IsOutput = false;
  Real.replaceUsesWithIf(By, [&](OpOperand &Use) {
    Operation *User = Use.getOwner();
    if (User == By.getDefiningOp() || Rounding.contains(User) ||
        !Which(Computing.lookup(User)))
      return false;
    IsOutput |= User == Yield;
    return true;
  });
  if (IsOutput) {
    R.rename(Real, R.fresh(Tensor.Name + "/float"));
    R.rename(By, Tensor.Name);
  }
}

/// What is left of the tensor: first in the precision of what makes it, then,
/// for coarser readers, in theirs.
Value Inserter::insertBehind(const PlannedTensor &Tensor) {
  Value Held = R.find(Tensor.Name);
  const Precision Made = precisionOf(Of.makerOf(Tensor.Name));
  if (Made != Precision::Float) {
    Value Back = rounded(Tensor, Held, Made);
    replace(Tensor, Held, Back, [](auto *) { return true; });
    Held = Back;
  }
  Value Coarsest = Held;
  for (Precision In : {Precision::Int16, Precision::Int8}) {
    auto Reads = [&](const PlannedLayer *Layer) {
      return Layer && precisionOf(Layer) == In;
    };
    if (In >= Made || llvm::none_of(Held.getUsers(), [&](Operation *User) {
          return Reads(Computing.lookup(User));
        }))
      continue;
    Coarsest = rounded(Tensor, Held, In);
    replace(Tensor, Held, Coarsest, Reads);
  }
  return Coarsest;
}

/// What is selected from a tensor is as rounded as that one.
void Inserter::insertSwitchesBehind(const PlannedTensor &Tensor) {
  Value Float = R.find(Tensor.Name);
  Value Back = rounded(Tensor, Float, Precision::Int8), Own = Float;
  const PlannedLayer *Maker = Of.makerOf(Tensor.Name);
  if (!Tensor.IsSelected) {
    Own = switched(Switches.lookup(Maker ? Maker->Node : Tensor.Name), Back,
                   Float);
    replace(Tensor, Float, Own, [&](const PlannedLayer *Layer) {
      return Layer || !Tensor.IsFromFloat;
    });
  }
  for (const PlannedLayer &Reader : Of.Layers)
    if (llvm::is_contained(Reader.Inputs, Tensor.Name)) {
      R.B.setInsertionPointAfter((Own == Float ? Back : Own).getDefiningOp());
      Value Read = switched(Reads.lookup(Reader.Node), Back, Own);
      Own.replaceUsesWithIf(Read, [&](OpOperand &Use) {
        return Computing.lookup(Use.getOwner()) == &Reader;
      });
    }
}

LogicalResult Inserter::quantizeAllProducts() {
  return quantizeProducts(
      R, Of, With, !Switches.empty(),
      [&](const PlannedLayer &Layer, Value Rounded, Value Float) {
        return switched(Switches.lookup(Layer.Node), Rounded, Float);
      });
}

FailureOr<std::vector<std::string>> Inserter::run() {
  if (failed(quantizeAllProducts()))
    return failure();
  std::vector<std::string> Names;
  for (const PlannedTensor &Tensor : Of.Tensors)
    Names.push_back(nameOf(insertBehind(Tensor)).str());
  shieldFromOptimizer(R, Yield->getParentOfType<GraphOp>(), [&](Operation *Op) {
    return precisionOf(Computing.lookup(Op)) == Precision::Int8;
  });
  return Names;
}

void Inserter::addSwitches(SwitchNames &Names) {
  auto Bool = RankedTensorType::get({}, R.B.getI1Type());
  auto Add = [&](const std::string &Name) {
    return Switches[Name] = R.input(Bool, "quantize/" + Name);
  };
  for (const PlannedTensor &Tensor : Of.Tensors) {
    const PlannedLayer *Maker = Of.makerOf(Tensor.Name);
    if (!Tensor.IsSelected && !Tensor.IsFloat)
      Add(Names.Units.emplace_back(Maker ? Maker->Node : Tensor.Name));
  }
  for (const PlannedLayer &Layer : Of.Layers)
    if (Of.tensor(Layer.Result)->IsSelected)
      Add(Names.Selections.emplace_back(Layer.Node));
  Value Whoever = R.input(Bool, "quantize/reads");
  R.setInsertionPointAfter(Whoever);
  for (const PlannedLayer &Layer : Of.Layers) {
    Value Read = R.node("And", {Whoever, Switches.lookup(Layer.Node)}, Bool,
                        "quantize/reads/" + Layer.Node);
    LastSwitch = Read.getDefiningOp();
    Reads[Layer.Node] = Read;
  }
}

FailureOr<SwitchNames> Inserter::runSwitched() {
  SwitchNames Names;
  addSwitches(Names);
  if (failed(quantizeAllProducts()))
    return failure();
  for (const PlannedTensor &Tensor : Of.Tensors)
    if (!Tensor.IsFloat)
      insertSwitchesBehind(Tensor);
  return Names;
}

FailureOr<std::vector<std::string>>
tenon::quantization::insertQuantization(GraphOp Graph, const Plan &Of,
                                        const Calibration &With) {
  auto Names = Inserter(Graph, Of, With).run();
  dropUnusedConstants(Graph);
  return Names;
}

FailureOr<SwitchNames>
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
