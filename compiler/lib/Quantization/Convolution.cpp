//===- Convolution.cpp - Weights that change ------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Convolution.h"

using namespace mlir;
using namespace tenon;
using namespace tenon::onnx;
using namespace tenon::quantization;

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

Convolutions tenon::quantization::convolutionsOf(GraphOp Graph) {
  Convolutions Found;
  for (auto Op : Graph.getBody().front().getOps<NodeOp>())
    if (auto Of = convolutionOf(Op))
      Found.insert({Op, *std::move(Of)});
  return Found;
}

void tenon::quantization::writeConvolution(Operation *Op, const Convolution &Of,
                                           StringRef Suffix, Rewriting &R) {
  auto Conv = cast<NodeOp>(Op);
  Node N(Conv);
  std::string Name = N.outputName(0).str();
  ArrayRef<int64_t> Dims = N.constant(1)->shape();
  Conv.setOperand(1, R.floats(Name + "/" + Suffix, Dims, Of.Weights));
  if (!Of.Bias.empty())
    Conv.setOperand(
        2, R.floats(Name + "/" + Suffix + "_bias", {Of.Outputs}, Of.Bias));
}

bool tenon::quantization::isHomogeneous(const Node &N) {
  for (StringRef Name : {"Relu", "LeakyRelu", "MaxPool", "AveragePool",
                         "GlobalAveragePool", "GlobalMaxPool"})
    if (N.is(Name))
      return N.outputCount() == 1;
  return false;
}
