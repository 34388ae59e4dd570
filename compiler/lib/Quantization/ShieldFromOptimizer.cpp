//===- ShieldFromOptimizer.cpp - What onnxruntime would break -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "ShieldFromOptimizer.h"
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

/// Whether a DequantizeLinear has one constant scale and zero point, of 8 or 16
/// bits, as all have that quantisation has put there.
static bool hasOneScale(const Node &N) {
  auto Scale = N.constant(1), Zero = N.constant(2);
  return Scale && Scale->elementType().isF32() && Scale->size() == 1 && Zero &&
         (Zero->elementType().isInteger(8) ||
          Zero->elementType().isInteger(16));
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

/// The first opset whose QuantizeLinear says the type of its result.
static constexpr int64_t TypedOpset = 21;

/// The sum with a vector, behind a MatMul of more than two axes, as one with a
/// matrix of one row.
static void shieldSum(Rewriting &R, NodeOp Op) {
  Node N(Op);
  auto Type = dyn_cast<RankedTensorType>(Op.getResult(0).getType());
  if (!N.is("Add") || !Type || Type.getRank() < 3)
    return;
  for (int64_t Index : {0, 1}) {
    auto Product = N.input(1 - Index).getDefiningOp<NodeOp>();
    auto Held = N.constant(Index);
    if (Product && Node(Product).is("MatMul") && Held && Held->isFloat() &&
        Held->shape().size() == 1)
      Op.setOperand(Index,
                    R.floats(N.inputName(Index) + "/row", {1, Held->size()},
                             floatsOf(N.input(Index))));
  }
}

/// The nodes whose inputs have a scale for each index.
static llvm::DenseSet<Operation *>
findShielded(Rewriting &R, Block &Body,
             llvm::function_ref<bool(Operation *)> InIntegers) {
  llvm::DenseSet<Operation *> Result;
  for (Operation &Op : llvm::reverse(Body)) {
    auto Of = dyn_cast<NodeOp>(Op);
    if (!Of || InIntegers(Of) || Node(Of).is("QuantizeLinear"))
      continue;
    Node N(Of);
    if (R.opset() >= TypedOpset || holdsFloats(N) ||
        (clusterRole(N) == ClusterRole::Selection &&
         llvm::any_of(Of->getUsers(),
                      [&](Operation *User) { return Result.contains(User); })))
      Result.insert(Of);
  }
  return Result;
}

void tenon::quantization::shieldFromOptimizer(
    Rewriting &R, GraphOp Graph,
    llvm::function_ref<bool(Operation *)> InIntegers) {
  Block &Body = Graph.getBody().front();
  const auto Shielded = findShielded(R, Body, InIntegers);
  auto Reads = [&](Operation *User) { return Shielded.contains(User); };
  for (auto Of : llvm::make_early_inc_range(Body.getOps<NodeOp>())) {
    Node N(Of);
    if (R.opset() >= TypedOpset)
      shieldSum(R, Of);
    if (!N.is("DequantizeLinear") || N.constant(0) || !hasOneScale(N) ||
        llvm::none_of(Of->getUsers(), Reads))
      continue;
    if (Value Each = scaledEach(R, Of))
      Of.getResult(0).replaceUsesWithIf(
          Each, [&](OpOperand &Use) { return Reads(Use.getOwner()); });
  }
}
