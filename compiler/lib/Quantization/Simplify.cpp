//===- Simplify.cpp - What computes nothing -------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Quantization/Simplify.h"
#include "mlir/Pass/Pass.h"
#include "tenon/Quantization/Rewriting.h"

using namespace mlir;
using namespace tenon;
using namespace tenon::onnx;
using namespace tenon::quantization;

//===----------------------------------------------------------------------===//
// Nodes whose result is their input
//===----------------------------------------------------------------------===//

/// Dropout multiplies nothing unless it is told to train: from opset 12 by
/// input 2, from 7 never, before by the attribute is_test, which is not looked
/// at.
static bool isInferenceDropout(const Node &N) {
  if (!N.is("Dropout") || N.opset() < 7)
    return false;
  for (int64_t Index = 1; Index < N.outputCount(); ++Index)
    if (!N.output(Index).use_empty())
      return false;
  if (!N.hasInput(2))
    return true;
  auto Training = N.constant(2);
  return Training && Training->size() == 1 && Training->integer(0) == 0;
}

static bool isOutput(Value Of) {
  return llvm::any_of(Of.getUsers(),
                      [](Operation *User) { return isa<YieldOp>(User); });
}

/// An output of the network keeps its name: an Identity gives it.
static void dropIdentity(NodeOp Op, Rewriting &R) {
  Node N(Op);
  if (!N.is("Identity") && !isInferenceDropout(N))
    return;
  if (!isOutput(N.output(0))) {
    Op.getResult(0).replaceAllUsesWith(N.input(0));
    Op.erase();
    return;
  }
  if (N.is("Identity"))
    return;
  R.B.setInsertionPoint(Op);
  std::string Name = N.outputName(0).str();
  Value Result =
      R.node("Identity", N.input(0), N.output(0).getType(), N.name());
  Op.getResult(0).replaceAllUsesWith(Result);
  Op.erase();
  R.rename(Result, Name);
}

//===----------------------------------------------------------------------===//
// Constants that move
//===----------------------------------------------------------------------===//

/// The bytes of `Held` with axis i taken from axis Perm[i].
static SmallVector<char> transposed(const TensorData &Held,
                                    ArrayRef<int64_t> Perm) {
  SmallVector<char> Scratch;
  ArrayRef<char> Bytes = Held.bytes(Scratch);
  const int64_t Width = storageBits(Held.elementType()) / 8;
  const int64_t Rank = Perm.size();
  SmallVector<int64_t> Strides(Rank, 1), Dims, Steps, Index(Rank, 0);
  for (int64_t Axis = Rank - 1; Axis > 0; --Axis)
    Strides[Axis - 1] = Strides[Axis] * Held.shape()[Axis];
  for (int64_t From : Perm) {
    Dims.push_back(Held.shape()[From]);
    Steps.push_back(Strides[From]);
  }
  SmallVector<char> Result;
  Result.reserve(Bytes.size());
  for (int64_t Count = 0; Count < Held.size(); ++Count) {
    int64_t At = 0;
    for (int64_t Axis = 0; Axis < Rank; ++Axis)
      At += Index[Axis] * Steps[Axis];
    Result.append(Bytes.begin() + At * Width, Bytes.begin() + (At + 1) * Width);
    for (int64_t Axis = Rank - 1; Axis >= 0 && ++Index[Axis] == Dims[Axis];
         --Axis)
      Index[Axis] = 0;
  }
  return Result;
}

/// What the node makes of the bytes of its input; none where it computes.
static std::optional<SmallVector<char>> movedBytes(const Node &N,
                                                   const TensorData &Held) {
  if (N.is("Reshape") || N.is("Squeeze") || N.is("Unsqueeze") ||
      N.is("Flatten")) {
    SmallVector<char> Scratch;
    ArrayRef<char> Bytes = Held.bytes(Scratch);
    return SmallVector<char>(Bytes);
  }
  if (!N.is("Transpose") || Held.shape().empty())
    return std::nullopt;
  const int64_t Rank = Held.shape().size();
  auto Perm = N.integers("perm", {});
  if (failed(Perm))
    return std::nullopt;
  if (Perm->empty())
    for (int64_t Axis = Rank - 1; Axis >= 0; --Axis)
      Perm->push_back(Axis);
  auto All = llvm::to_vector(llvm::seq<int64_t>(0, Rank));
  if (!std::is_permutation(Perm->begin(), Perm->end(), All.begin(), All.end()))
    return std::nullopt;
  return transposed(Held, *Perm);
}

static void foldMovement(NodeOp Op, Rewriting &R) {
  Node N(Op);
  auto Held = N.constant(0);
  if (!Held || !Held->isFloat() || N.outputCount() != 1 ||
      isOutput(N.output(0)))
    return;
  auto Type = dyn_cast<RankedTensorType>(N.output(0).getType());
  if (!Type || !Type.hasStaticShape() || Type.getNumElements() != Held->size())
    return;
  auto Bytes = movedBytes(N, *Held);
  if (!Bytes)
    return;
  Value Moved = R.constant<char>(N.outputName(0) + "/moved",
                                 Held->elementType(), Type.getShape(), *Bytes);
  Op.getResult(0).replaceAllUsesWith(Moved);
  Op.erase();
}

void tenon::quantization::simplify(GraphOp Graph) {
  Rewriting R(Graph);
  Block &Body = Graph.getBody().front();
  for (NodeOp Op : llvm::make_early_inc_range(Body.getOps<NodeOp>()))
    dropIdentity(Op, R);
  for (NodeOp Op : llvm::make_early_inc_range(Body.getOps<NodeOp>()))
    foldMovement(Op, R);
  dropUnusedConstants(Graph);
}

namespace {
struct SimplifyPass
    : public PassWrapper<SimplifyPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SimplifyPass)

  StringRef getArgument() const final { return "onnx-simplify"; }
  StringRef getDescription() const final {
    return "Drop what computes nothing, and let constants be what moves them";
  }
  void runOnOperation() final {
    if (GraphOp Graph = mainGraph(getOperation()))
      simplify(Graph);
  }
};
} // namespace

void tenon::quantization::registerSimplifyPass() {
  PassRegistration<SimplifyPass>();
}
