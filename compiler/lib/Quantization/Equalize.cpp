//===- Equalize.cpp - Channels of equal ranges ----------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Quantization/Equalize.h"
#include "mlir/Pass/Pass.h"
#include "tenon/Quantization/Rewriting.h"
#include "llvm/ADT/MapVector.h"
#include <cmath>

using namespace mlir;
using namespace tenon;
using namespace tenon::onnx;
using namespace tenon::quantization;

namespace {

/// A convolution, whose weights are O x PerGroup x Window.
struct Convolution {
  std::vector<float> Weights, Bias; // no bias: empty
  int64_t Outputs, PerGroup, Window, Groups;

  int64_t inputs() const { return PerGroup * Groups; }
  /// The weights that input channel `Input` meets, each given to `Apply`.
  template <typename Function> void ofInput(int64_t Input, Function Apply) {
    const int64_t Many = Outputs / Groups, First = Input / PerGroup * Many;
    for (int64_t Output = First; Output < First + Many; ++Output)
      for (int64_t At = 0; At < Window; ++At)
        Apply(Weights[(Output * PerGroup + Input % PerGroup) * Window + At]);
  }
  template <typename Function> void ofOutput(int64_t Output, Function Apply) {
    for (int64_t At = 0; At < PerGroup * Window; ++At)
      Apply(Weights[Output * PerGroup * Window + At]);
  }
};

using Convolutions = llvm::MapVector<Operation *, Convolution>;
using Pairs = std::vector<std::pair<Operation *, Operation *>>;

} // namespace

static std::optional<Convolution> convolutionOf(NodeOp Op) {
  Node N(Op);
  auto Weights = N.is("Conv") ? N.constant(1) : std::nullopt;
  auto Groups = N.integer("group", 1);
  if (!Weights || failed(Groups) || !Weights->elementType().isF32() ||
      Weights->shape().size() < 3 || Weights->size() == 0)
    return std::nullopt;
  Convolution Result{floatsOf(N.input(1)), {}, Weights->shape()[0],
                     Weights->shape()[1],  1,  *Groups};
  for (int64_t Extent : Weights->shape().drop_front(2))
    Result.Window *= Extent;
  if (*Groups < 1 || Result.Outputs % *Groups != 0)
    return std::nullopt;
  if (Value Bias = N.input(2)) {
    Result.Bias = floatsOf(Bias);
    if (int64_t(Result.Bias.size()) != Result.Outputs)
      return std::nullopt;
  }
  return Result;
}

/// Whether f(a x) = a f(x) for each channel and a > 0.
static bool isHomogeneous(const Node &N) {
  for (StringRef Name : {"Relu", "LeakyRelu", "MaxPool", "AveragePool",
                         "GlobalAveragePool", "GlobalMaxPool"})
    if (N.is(Name))
      return N.outputCount() == 1;
  return false;
}

/// The one convolution that reads what `Of` leads to; null where there is none.
static Operation *nextOf(Value Of, const Convolutions &Found) {
  while (Of.hasOneUse()) {
    auto User = dyn_cast<NodeOp>(*Of.getUsers().begin());
    if (!User || Node(User).input(0) != Of)
      return nullptr;
    if (Found.count(User))
      return User;
    if (!isHomogeneous(Node(User)))
      return nullptr;
    Of = User.getResult(0);
  }
  return nullptr;
}

/// Equalises a pair; how far the factors are from 1.
static double equalizePair(Convolution &First, Convolution &Second) {
  double Farthest = 0;
  for (int64_t Channel = 0; Channel < First.Outputs; ++Channel) {
    float Before = 0, Behind = 0;
    First.ofOutput(Channel,
                   [&](float &W) { Before = std::max(Before, std::fabs(W)); });
    Second.ofInput(Channel,
                   [&](float &W) { Behind = std::max(Behind, std::fabs(W)); });
    const float Factor = std::sqrt(Before / Behind);
    if (!(Before > 0) || !(Behind > 0) || !std::isnormal(Factor))
      continue;
    First.ofOutput(Channel, [&](float &W) { W /= Factor; });
    Second.ofInput(Channel, [&](float &W) { W *= Factor; });
    if (!First.Bias.empty())
      First.Bias[Channel] /= Factor;
    Farthest = std::max<double>(Farthest, std::fabs(std::log(Factor)));
  }
  return Farthest;
}

static void write(Operation *Op, const Convolution &Of, Rewriting &R) {
  auto Conv = cast<NodeOp>(Op);
  Node N(Conv);
  std::string Name = N.outputName(0).str();
  ArrayRef<int64_t> Dims = N.constant(1)->shape();
  Conv.setOperand(1, R.floats(Name + "/equalized", Dims, Of.Weights));
  if (!Of.Bias.empty())
    Conv.setOperand(2,
                    R.floats(Name + "/equalized_bias", {Of.Outputs}, Of.Bias));
}

int64_t tenon::quantization::equalize(GraphOp Graph) {
  Convolutions Found;
  for (auto Op : Graph.getBody().front().getOps<NodeOp>())
    if (auto Of = convolutionOf(Op))
      Found.insert({Op, *Of});
  Pairs Links;
  for (auto &[Op, Of] : Found)
    if (Operation *Next = nextOf(Op->getResult(0), Found);
        Next && Found.find(Next)->second.inputs() == Of.Outputs)
      Links.push_back({Op, Next});
  // In a chain each pair moves its neighbours.
  constexpr int MostSweeps = 40;
  constexpr double Settled = 1e-4;
  double Farthest = 1;
  for (int Sweep = 0; Sweep < MostSweeps && Farthest > Settled; ++Sweep) {
    Farthest = 0;
    for (auto [First, Second] : Links)
      Farthest = std::max(Farthest, equalizePair(Found[First], Found[Second]));
  }
  Rewriting R(Graph);
  llvm::SetVector<Operation *> Changed;
  for (auto [First, Second] : Links) {
    Changed.insert(First);
    Changed.insert(Second);
  }
  for (Operation *Op : Changed)
    write(Op, Found[Op], R);
  dropUnusedConstants(Graph);
  return Links.size();
}

namespace {
struct EqualizePass
    : public PassWrapper<EqualizePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EqualizePass)

  StringRef getArgument() const final { return "onnx-equalize"; }
  StringRef getDescription() const final {
    return "Give the channels of neighbouring convolutions equal ranges";
  }
  void runOnOperation() final {
    if (GraphOp Graph = mainGraph(getOperation()))
      equalize(Graph);
  }
};
} // namespace

void tenon::quantization::registerEqualizePass() {
  PassRegistration<EqualizePass>();
}
