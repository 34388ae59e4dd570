//===- BalanceChannels.cpp - Activations of equal channels ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A variable is a channel with one factor: of all tensors that it goes through
// until weights meet it.
//
//===----------------------------------------------------------------------===//

#include "tenon/Quantization/BalanceChannels.h"
#include "Convolution.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/MapVector.h"
#include <cmath>

using namespace mlir;
using namespace tenon;
using namespace tenon::onnx;
using namespace tenon::quantization;

namespace {

using Variables = std::vector<unsigned>;

class Balancer {
public:
  Balancer(GraphOp Graph, const SeenChannels &Seen)
      : Graph(Graph), Body(Graph.getBody().front()), Seen(Seen),
        Found(convolutionsOf(Graph)) {}

  int64_t run();

private:
  Variables newVariables(Value Of);
  const Variables &of(Value Tensor);
  void join(const Variables &A, const Variables &B);
  void pin(Value Tensor);
  bool takesConvolution(NodeOp Op);
  bool takesConcatenation(NodeOp Op);
  bool takesClip(NodeOp Op);
  bool takesTwo(NodeOp Op);
  bool takes(NodeOp Op);
  void pinForeignUses();
  void measure();
  void choose();
  void scaleWeights(Rewriting &R);
  Value scaled(Value Of, const std::vector<float> &By, const llvm::Twine &Name,
               Rewriting &R);
  std::vector<float> factorsOf(Value Tensor, bool Inverse);
  unsigned leader(unsigned Variable) const { return Classes[Variable]; }

  GraphOp Graph;
  Block &Body;
  const SeenChannels &Seen;
  Convolutions Found;
  llvm::MapVector<Value, Variables> Tensors;
  llvm::IntEqClasses Classes;
  std::vector<bool> Pinned; // before classes are numbered: of variables
  /// Uses that a factor passes, or that weights meet.
  llvm::DenseSet<OpOperand *> Handled;
  // Of leaders.
  std::vector<double> Share;  // of the widest channel's values
  std::vector<double> Weight; // of the largest weight of a full product
  std::vector<float> Factors;
};

} // namespace

/// Channels of one that is narrower than this are widened no further: what was
/// hardly ever seen may be met.
static constexpr double LeastFactor = 1.0 / 16;

/// What may be met beyond what was seen of a channel.
static constexpr double Headroom = 1.25;

static std::optional<int64_t> channelsOf(Value Of) {
  auto Type = dyn_cast<RankedTensorType>(Of.getType());
  if (!Type || Type.getRank() < 2 || Type.isDynamicDim(1) ||
      !Type.getElementType().isF32())
    return std::nullopt;
  return Type.getDimSize(1);
}

//===----------------------------------------------------------------------===//
// Which channels have one factor
//===----------------------------------------------------------------------===//

Variables Balancer::newVariables(Value Of) {
  Variables Result;
  for (int64_t Channel = 0; Channel < channelsOf(Of).value_or(0); ++Channel)
    Result.push_back(Pinned.size() + Channel);
  Pinned.resize(Pinned.size() + Result.size(), false);
  Classes.grow(Pinned.size());
  return Result;
}

/// Those of a tensor that nothing known computes are pinned.
const Variables &Balancer::of(Value Tensor) {
  auto Known = Tensors.find(Tensor);
  if (Known != Tensors.end())
    return Known->second;
  Tensors[Tensor] = newVariables(Tensor);
  pin(Tensor);
  return Tensors[Tensor];
}

void Balancer::pin(Value Tensor) {
  for (unsigned Variable : Tensors[Tensor])
    Pinned[Variable] = true;
}

void Balancer::join(const Variables &A, const Variables &B) {
  for (auto [First, Second] : llvm::zip(A, B))
    Classes.join(First, Second);
}

bool Balancer::takesConvolution(NodeOp Op) {
  auto Of = Found.find(Op);
  if (Of == Found.end() || !channelsOf(Op.getResult(0)) ||
      int64_t(of(Op.getOperand(0)).size()) != Of->second.inputs())
    return false;
  Handled.insert(&Op->getOpOperand(0));
  Tensors[Op.getResult(0)] = newVariables(Op.getResult(0));
  return true;
}

bool Balancer::takesConcatenation(NodeOp Op) {
  Node N(Op);
  auto Axis = N.integer("axis", -1);
  if (!N.is("Concat") || failed(Axis) || *Axis != 1)
    return false;
  Variables All;
  for (Value Part : Op.getOperands())
    llvm::append_range(All, of(Part));
  if (int64_t(All.size()) != channelsOf(Op.getResult(0)))
    return false;
  for (OpOperand &Part : Op->getOpOperands())
    Handled.insert(&Part);
  Tensors[Op.getResult(0)] = std::move(All);
  return true;
}

/// A channel that was cut off, or whose values were not seen, has no factor;
/// another one reaches the bound with none either.
bool Balancer::takesClip(NodeOp Op) {
  Node N(Op);
  auto Low = N.is("Clip") ? N.constant(1) : std::nullopt;
  auto High = N.is("Clip") ? N.constant(2) : std::nullopt;
  if (!Low || !High || Low->size() != 1 || High->size() != 1 ||
      Low->real(0) != 0)
    return false;
  Variables Same = of(Op.getOperand(0));
  auto Values = Seen.find(nameOf(Op.getResult(0)).str());
  const bool IsKnown =
      Values != Seen.end() && Values->second.size() == Same.size();
  for (auto [Channel, Variable] : llvm::enumerate(Same))
    if (!IsKnown || !(Values->second[Channel].High * Headroom < High->real(0)))
      Pinned[Variable] = true;
  Handled.insert(&Op->getOpOperand(0));
  Tensors[Op.getResult(0)] = std::move(Same);
  return true;
}

/// Sums of tensors, and products with a gate for each channel.
bool Balancer::takesTwo(NodeOp Op) {
  Node N(Op);
  if ((!N.is("Add") && !N.is("Mul")) || Op->getNumOperands() != 2 ||
      !channelsOf(Op.getResult(0)))
    return false;
  Value A = Op.getOperand(0), B = Op.getOperand(1);
  if (constantOf(A) || constantOf(B))
    return false;
  const Type Whole = Op.getResult(0).getType();
  if (N.is("Add")) {
    if (A.getType() != Whole || B.getType() != Whole || A == B)
      return false;
    Variables Same = of(A);
    join(Same, of(B));
    Handled.insert(&Op->getOpOperand(0));
    Handled.insert(&Op->getOpOperand(1));
    Tensors[Op.getResult(0)] = std::move(Same);
    return true;
  }
  const unsigned Main = A.getType() == Whole ? 0 : 1;
  if (A == B || Op.getOperand(Main).getType() != Whole)
    return false;
  Variables Same = of(Op.getOperand(Main));
  Handled.insert(&Op->getOpOperand(Main));
  Tensors[Op.getResult(0)] = std::move(Same);
  return true;
}

bool Balancer::takes(NodeOp Op) {
  Node N(Op);
  if (Op->getNumResults() == 0 || Op->getNumOperands() == 0)
    return false;
  if (takesConvolution(Op) || takesConcatenation(Op) || takesClip(Op) ||
      takesTwo(Op))
    return true;
  if (!channelsOf(Op.getResult(0)))
    return false;
  if (!isHomogeneous(N))
    return false;
  Variables Same = of(Op.getOperand(0));
  Tensors[Op.getResult(0)] = std::move(Same);
  Handled.insert(&Op->getOpOperand(0));
  return true;
}

void Balancer::pinForeignUses() {
  for (auto &[Tensor, Variables] : Tensors)
    for (OpOperand &Use : Tensor.getUses())
      if (!Handled.contains(&Use)) {
        for (unsigned Variable : Variables)
          Pinned[Variable] = true;
        break;
      }
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

/// Of each leader: how wide its values are, and its weights, of the widest.
void Balancer::measure() {
  for (auto &[Tensor, Variables] : Tensors) {
    auto Values = Seen.find(nameOf(Tensor).str());
    if (Values == Seen.end() || Values->second.size() != Variables.size())
      continue;
    std::vector<double> Widths;
    for (const quantization::Range &Of : Values->second)
      Widths.push_back(
          Of.isEmpty() ? 0 : std::max(std::fabs(Of.Low), std::fabs(Of.High)));
    const double Widest = llvm::max_element(Widths)[0];
    for (auto [Variable, Width] : llvm::zip(Variables, Widths))
      if (Widest > 0)
        Share[leader(Variable)] =
            std::max(Share[leader(Variable)], Width / Widest);
  }
  for (auto &[Op, Of] : Found) {
    auto Read = Tensors.find(Op->getOperand(0));
    if (Of.PerGroup == 1 || Read == Tensors.end() || Of.Weights.empty() ||
        int64_t(Read->second.size()) != Of.inputs())
      continue;
    double Largest = 0;
    for (float W : Of.Weights)
      Largest = std::max<double>(Largest, std::fabs(W));
    for (auto [Channel, Variable] : llvm::enumerate(Read->second))
      Of.ofInput(Channel, [&, V = leader(Variable)](float &W) {
        if (Largest > 0)
          Weight[V] = std::max(Weight[V], std::fabs(W) / Largest);
      });
  }
}

void Balancer::choose() {
  for (size_t Variable = 0; Variable < Pinned.size(); ++Variable)
    if (Pinned[Variable])
      Factors[leader(Variable)] = 1;
  for (size_t Class = 0; Class < Factors.size(); ++Class) {
    if (Factors[Class] == 1)
      continue;
    const double Values = Share[Class] * Headroom;
    double Factor =
        Weight[Class] > 0 ? std::sqrt(Share[Class] / Weight[Class]) : Values;
    Factor = std::max({Factor, Values, LeastFactor});
    Factors[Class] = Share[Class] > 0 && Factor < 1 ? float(Factor) : 1;
  }
}

//===----------------------------------------------------------------------===//
// The network with them
//===----------------------------------------------------------------------===//

std::vector<float> Balancer::factorsOf(Value Tensor, bool Inverse) {
  std::vector<float> Result;
  for (unsigned Variable : Tensors[Tensor]) {
    const float Factor = Factors[leader(Variable)];
    Result.push_back(Inverse ? 1 / Factor : Factor);
  }
  return Result;
}

void Balancer::scaleWeights(Rewriting &R) {
  for (auto &[Op, Of] : Found) {
    if (!Tensors.count(Op->getResult(0)))
      continue;
    const auto Read = factorsOf(Op->getOperand(0), /*Inverse=*/false);
    const auto Made = factorsOf(Op->getResult(0), /*Inverse=*/true);
    auto IsOne = [](float Factor) { return Factor == 1; };
    if (llvm::all_of(Read, IsOne) && llvm::all_of(Made, IsOne))
      continue;
    for (auto [Channel, Factor] : llvm::enumerate(Read))
      Of.ofInput(Channel, [&, By = Factor](float &W) { W *= By; });
    for (auto [Channel, Factor] : llvm::enumerate(Made)) {
      Of.ofOutput(Channel, [&, By = Factor](float &W) { W *= By; });
      if (!Of.Bias.empty())
        Of.Bias[Channel] *= Factor;
    }
    writeConvolution(Op, Of, "balanced", R);
  }
}

Value Balancer::scaled(Value Of, const std::vector<float> &By,
                       const llvm::Twine &Name, Rewriting &R) {
  auto Type = cast<RankedTensorType>(Of.getType());
  SmallVector<int64_t> Dims(Type.getRank(), 1);
  Dims[1] = By.size();
  Value Held = R.floats(Name + "/factors", Dims, By);
  return R.node("Mul", {Of, Held}, Type, Name);
}

int64_t Balancer::run() {
  for (auto Op : Body.getOps<NodeOp>())
    takes(Op);
  pinForeignUses();
  Classes.compress();
  const unsigned Count = Classes.getNumClasses();
  Share.resize(Count, 0);
  Weight.resize(Count, 0);
  Factors.resize(Count, 0);
  measure();
  choose();
  Rewriting R(Graph);
  scaleWeights(R);
  dropUnusedConstants(Graph);
  return llvm::count_if(Factors, [](float Factor) { return Factor != 1; });
}

int64_t tenon::quantization::balanceChannels(GraphOp Graph,
                                             const SeenChannels &Seen) {
  return Balancer(Graph, Seen).run();
}
