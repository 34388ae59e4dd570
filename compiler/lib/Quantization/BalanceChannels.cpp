//===- BalanceChannels.cpp - Activations of equal channels ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Quantization/BalanceChannels.h"
#include "ChannelClasses.h"
#include <cmath>

using namespace mlir;
using namespace tenon;
using namespace tenon::onnx;
using namespace tenon::quantization;

namespace {

class Balancer {
public:
  Balancer(GraphOp Graph, const Balance &By)
      : Graph(Graph), By(By), Found(productsOf(Graph)),
        Of(classifyChannels(Graph, Found, By.Seen)), Share(Of.Count, 0),
        Weight(Of.Count, 0), Factors(Of.Count, 1) {}

  Balanced run();

private:
  void measureTensors();
  void measureWeights();
  double factorOf(unsigned Class) const;
  std::vector<float> factorsOf(Value Tensor, bool Inverse) const;
  void scaleProducts(Rewriting &R);
  void scaleVectors(Rewriting &R);
  Balanced summary() const;

  GraphOp Graph;
  const Balance &By;
  Products Found;
  ChannelClasses Of;
  // Of classes.
  std::vector<double> Share;  // of the widest channel's values
  std::vector<double> Weight; // of the largest weight of a full product
  std::vector<float> Factors;
};

} // namespace

/// Channels of one that is narrower than this are widened no further: what was
/// hardly ever seen may be met.
static constexpr double LeastFactor = 1.0 / 16;

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

/// How wide the values are, of the widest channel's.
void Balancer::measureTensors() {
  for (auto &[Tensor, Channels] : Of.Tensors) {
    auto Values = By.Seen.find(nameOf(Tensor).str());
    if (Values == By.Seen.end() || Values->second.Axis != Channels.Axis ||
        Values->second.Ranges.size() != Channels.Classes.size())
      continue;
    std::vector<double> Widths;
    for (const quantization::Range &Seen : Values->second.Ranges)
      Widths.push_back(Seen.magnitude());
    const double Widest = llvm::max_element(Widths)[0];
    for (auto [Class, Width] : llvm::zip(Channels.Classes, Widths))
      if (Widest > 0)
        Share[Class] = std::max(Share[Class], Width / Widest);
  }
}

/// How large the weights are that meet the values, of the largest.
void Balancer::measureWeights() {
  for (Operation *Op : Of.Products) {
    Product &P = Found.find(Op)->second;
    if (P.PerGroup == 1)
      continue;
    double Largest = 0;
    for (float W : P.Weights)
      Largest = std::max<double>(Largest, std::fabs(W));
    const auto &Read = Of.Tensors.find(Op->getOperand(0))->second.Classes;
    for (auto [Channel, Class] : llvm::enumerate(Read))
      P.ofInput(Channel, [&, C = Class](float &W) {
        if (Largest > 0)
          Weight[C] = std::max(Weight[C], std::fabs(W) / Largest);
      });
  }
}

double Balancer::factorOf(unsigned Class) const {
  const double Least = std::max(Share[Class] * BalanceHeadroom, LeastFactor);
  if (Of.Pinned[Class] || Share[Class] == 0 || Least >= 1)
    return 1;
  double Factor = Weight[Class] > 0
                      ? std::max(std::sqrt(Share[Class] / Weight[Class]), Least)
                      : Least;
  if (By.PowerOfTwo) {
    Factor = std::exp2(std::round(std::log2(Factor)));
    if (Factor < Least)
      Factor *= 2;
  }
  return std::min(Factor, 1.0);
}

//===----------------------------------------------------------------------===//
// The network with them
//===----------------------------------------------------------------------===//

std::vector<float> Balancer::factorsOf(Value Tensor, bool Inverse) const {
  std::vector<float> Result;
  for (unsigned Class : Of.Tensors.find(Tensor)->second.Classes)
    Result.push_back(Inverse ? 1 / Factors[Class] : Factors[Class]);
  return Result;
}

static bool areOnes(const std::vector<float> &Factors) {
  return llvm::all_of(Factors, [](float Factor) { return Factor == 1; });
}

/// Products that share weights have the same factors.
void Balancer::scaleProducts(Rewriting &R) {
  llvm::DenseMap<std::pair<Value, int64_t>, Value> Shared;
  for (Operation *Op : Of.Products) {
    Product &P = Found.find(Op)->second;
    const auto Read = factorsOf(Op->getOperand(0), /*Inverse=*/false);
    const auto Made = factorsOf(Op->getResult(0), /*Inverse=*/true);
    if (areOnes(Read) && areOnes(Made))
      continue;
    for (auto [Channel, Factor] : llvm::enumerate(Read))
      P.ofInput(Channel, [&, F = Factor](float &W) { W *= F; });
    for (auto [Channel, Factor] : llvm::enumerate(Made)) {
      P.ofOutput(Channel, [&, F = Factor](float &W) { W *= F; });
      if (!P.Bias.empty())
        P.Bias[Channel] *= Factor;
    }
    const std::pair Before(Op->getOperand(1), P.layout());
    writeProduct(Op, P, "balanced", R);
    auto [Known, IsNew] = Shared.try_emplace(Before, Op->getOperand(1));
    if (!IsNew)
      Op->setOperand(1, Known->second);
  }
}

void Balancer::scaleVectors(Rewriting &R) {
  for (OpOperand *Vector : Of.Vectors) {
    Value Made = Vector->getOwner()->getResult(0);
    const auto By = factorsOf(Made, /*Inverse=*/true);
    if (areOnes(By))
      continue;
    std::vector<float> Values = floatsOf(Vector->get());
    for (auto [Value, Factor] : llvm::zip(Values, By))
      Value *= Factor;
    replaceConstant(*Vector, Values, nameOf(Vector->get()) + "/balanced", R);
  }
}

Balanced Balancer::summary() const {
  Balanced Result;
  Result.Channels =
      llvm::count_if(Factors, [](float Factor) { return Factor != 1; });
  for (auto &[Tensor, Channels] : Of.Tensors)
    if (llvm::any_of(Channels.Classes,
                     [&](unsigned Class) { return Factors[Class] != 1; }))
      Result.Tensors.insert(nameOf(Tensor).str());
  return Result;
}

Balanced Balancer::run() {
  measureTensors();
  measureWeights();
  for (unsigned Class = 0; Class < Of.Count; ++Class)
    Factors[Class] = float(factorOf(Class));
  Rewriting R(Graph);
  scaleProducts(R);
  scaleVectors(R);
  dropUnusedConstants(Graph);
  return summary();
}

Balanced tenon::quantization::balanceChannels(GraphOp Graph,
                                              const Balance &By) {
  return Balancer(Graph, By).run();
}
