//===- Product.cpp - Weights that change ----------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Product.h"

using namespace mlir;
using namespace tenon;
using namespace tenon::onnx;
using namespace tenon::quantization;

static std::optional<Product> convolutionOf(const Node &N,
                                            ArrayRef<int64_t> Dims) {
  auto Groups = N.integer("group", 1);
  if (failed(Groups) || Dims.size() < 3)
    return std::nullopt;
  Product Result;
  Result.IsConvolution = true;
  Result.Outputs = Dims[0];
  Result.PerGroup = Dims[1];
  Result.Groups = *Groups;
  for (int64_t Extent : Dims.drop_front(2))
    Result.Window *= Extent;
  if (*Groups < 1 || Result.Outputs % *Groups != 0)
    return std::nullopt;
  return Result;
}

static std::optional<Product> matrixProductOf(const Node &N,
                                              ArrayRef<int64_t> Dims) {
  auto First = N.integer("transA", 0), Second = N.integer("transB", 0);
  if (failed(First) || failed(Second) || *First || Dims.size() != 2)
    return std::nullopt;
  Product Result;
  Result.HasInputsFirst = !*Second;
  Result.Outputs = Dims[*Second ? 0 : 1];
  Result.PerGroup = Dims[*Second ? 1 : 0];
  return Result;
}

static std::optional<Product> productOf(NodeOp Op) {
  Node N(Op);
  const bool IsMatrix = N.is("MatMul") || N.is("Gemm");
  auto Weights = IsMatrix || N.is("Conv") ? N.constant(1) : std::nullopt;
  if (!Weights || !Weights->elementType().isF32() || Weights->size() == 0)
    return std::nullopt;
  auto Result = IsMatrix ? matrixProductOf(N, Weights->shape())
                         : convolutionOf(N, Weights->shape());
  if (!Result)
    return std::nullopt;
  Result->Weights = floatsOf(N.input(1));
  if (Value Bias = N.input(2)) {
    Result->Bias = floatsOf(Bias);
    auto Held = constantOf(Bias);
    if (!Held || int64_t(Result->Bias.size()) != Result->Outputs ||
        Held->shape().empty() || Held->shape().back() != Result->Outputs)
      return std::nullopt;
  }
  return Result;
}

Products tenon::quantization::productsOf(GraphOp Graph) {
  Products Found;
  for (auto Op : Graph.getBody().front().getOps<NodeOp>())
    if (auto Of = productOf(Op))
      Found.insert({Op, *std::move(Of)});
  return Found;
}

void tenon::quantization::replaceConstant(OpOperand &Operand,
                                          ArrayRef<float> Values,
                                          const llvm::Twine &Name,
                                          Rewriting &R) {
  auto Type = cast<RankedTensorType>(Operand.get().getType());
  Operand.set(R.floats(Name, Type.getShape(), Values));
}

void tenon::quantization::writeProduct(Operation *Op, const Product &Of,
                                       StringRef Suffix, Rewriting &R) {
  std::string Name = Node(cast<NodeOp>(Op)).outputName(0).str();
  replaceConstant(Op->getOpOperand(1), Of.Weights, Name + "/" + Suffix, R);
  if (!Of.Bias.empty())
    replaceConstant(Op->getOpOperand(2), Of.Bias, Name + "/" + Suffix + "_bias",
                    R);
}

bool tenon::quantization::isHomogeneous(const Node &N) {
  for (StringRef Name : {"Relu", "LeakyRelu", "MaxPool", "AveragePool",
                         "GlobalAveragePool", "GlobalMaxPool"})
    if (N.is(Name))
      return N.outputCount() == 1;
  return false;
}
