//===- Equalize.cpp - Channels of equal ranges ----------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Quantization/Equalize.h"
#include "Product.h"
#include "mlir/Pass/Pass.h"
#include <cmath>

using namespace mlir;
using namespace tenon;
using namespace tenon::onnx;
using namespace tenon::quantization;

namespace {

using Pairs = std::vector<std::pair<Operation *, Operation *>>;

} // namespace

/// The one convolution that reads what `Of` leads to; null where there is none.
static Operation *nextOf(Value Of, const Products &Found) {
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
static double equalizePair(Product &First, Product &Second) {
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

int64_t tenon::quantization::equalize(GraphOp Graph) {
  Products Found = productsOf(Graph);
  Found.remove_if([](auto &Entry) { return !Entry.second.IsConvolution; });
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
    writeProduct(Op, Found[Op], "equalized", R);
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
