//===- ShieldFloats.cpp - What onnxruntime is not to round ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "ShieldFloats.h"
#include "tenon/Frontend/ONNX/Clusters.h"

using namespace mlir;
using namespace tenon;
using namespace tenon::onnx;
using namespace tenon::quantization;

/// Whether a product has floats that would be rounded; those of a MatMul are
/// also what is added behind it.
static bool holdsFloats(const Node &N) {
  if (N.is("MatMul"))
    return true;
  if (!N.is("Conv") && !N.is("ConvTranspose") && !N.is("Gemm"))
    return false;
  for (int64_t Index : {1, 2})
    if (auto Held = N.constant(Index); Held && Held->isFloat())
      return true;
  return false;
}

/// The axis with the fewest elements of those with two or more.
static std::optional<int64_t> shortestAxis(RankedTensorType Of) {
  std::optional<int64_t> Result;
  for (int64_t Axis = 0; Axis < Of.getRank(); ++Axis)
    if (!Of.isDynamicDim(Axis) && Of.getDimSize(Axis) > 1 &&
        (!Result || Of.getDimSize(Axis) < Of.getDimSize(*Result)))
      Result = Axis;
  return Result;
}

static Value zeroPoints(Rewriting &R, const Node &N, int64_t Count) {
  const auto Given = *N.constant(2);
  const std::string Name = N.inputName(2).str() + "/each";
  if (Given.elementType().isInteger(16))
    return R.constant<int16_t>(
        Name, Given.elementType(), {Count},
        std::vector<int16_t>(Count, int16_t(Given.integer(0))));
  return R.constant<int8_t>(
      Name, Given.elementType(), {Count},
      std::vector<int8_t>(Count, int8_t(Given.integer(0))));
}

/// The same values with a scale for each index of an axis; null where there is
/// no such axis.
static Value scaledEach(Rewriting &R, NodeOp Dequantize) {
  Node N(Dequantize);
  auto Type = cast<RankedTensorType>(N.output(0).getType());
  const auto Axis = shortestAxis(Type);
  if (!Axis)
    return nullptr;
  const int64_t Count = Type.getDimSize(*Axis);
  Value Scales =
      R.floats(N.inputName(1) + "/each", {Count},
               std::vector<float>(Count, float(N.constant(1)->real(0))));
  Value Zeros = zeroPoints(R, N, Count);
  R.B.setInsertionPointAfter(Dequantize);
  return R.node("DequantizeLinear", {N.input(0), Scales, Zeros}, Type,
                N.outputName(0) + "/each",
                {R.B.getNamedAttr("axis", R.B.getI64IntegerAttr(*Axis))});
}

void tenon::quantization::shieldFloats(
    Rewriting &R, GraphOp Graph,
    llvm::function_ref<bool(Operation *)> InIntegers) {
  llvm::DenseSet<Operation *> Shielded;
  auto Reads = [&](Operation *User) { return Shielded.contains(User); };
  Block &Body = Graph.getBody().front();
  for (Operation &Op : llvm::reverse(Body))
    if (auto Of = dyn_cast<NodeOp>(Op); Of && !InIntegers(Of))
      if (Node N(Of);
          holdsFloats(N) || (clusterRole(N) == ClusterRole::Selection &&
                             llvm::any_of(Of->getUsers(), Reads)))
        Shielded.insert(Of);
  for (auto Of : llvm::make_early_inc_range(Body.getOps<NodeOp>())) {
    Node N(Of);
    if (!N.is("DequantizeLinear") || N.constant(0) ||
        N.constant(1)->size() != 1 || llvm::none_of(Of->getUsers(), Reads))
      continue;
    if (Value Each = scaledEach(R, Of))
      Of.getResult(0).replaceUsesWithIf(
          Each, [&](OpOperand &Use) { return Reads(Use.getOwner()); });
  }
}
