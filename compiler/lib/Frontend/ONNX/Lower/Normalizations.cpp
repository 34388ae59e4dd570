//===- Normalizations.cpp - Normalisation --------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Means and variances are computed in f32 at least.
//
//===----------------------------------------------------------------------===//

#include "Normalizations.h"
#include "Attention.h"
#include "LinearAttention.h"
#include "Losses.h"
#include "Operators.h"
#include "Softmax.h"
#include "Statistics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tenon::frontend;

namespace {
/// X - mean, and what was found on the way.
struct Centered {
  Value Mean, Tensor, InverseDeviation;
};
} // namespace

static FailureOr<Centered> centered(Lowering &L, Value X,
                                    ArrayRef<int64_t> Axes, double Epsilon) {
  Centered Of;
  Of.Mean = meanOver(L, X, Axes);
  FailureOr<Value> Minus = broadcastBy<arith::SubFOp>(L, X, Of.Mean);
  if (failed(Minus))
    return failure();
  Of.Tensor = *Minus;
  Value Variance = meanOver(L, squared(L, Of.Tensor), Axes);
  Of.InverseDeviation = inverseRoot(L, Variance, Epsilon);
  return Of;
}

//===----------------------------------------------------------------------===//
// LayerNormalization, RMSNormalization
//===----------------------------------------------------------------------===//

namespace {
/// What both have.
struct LastAxes {
  SmallVector<int64_t> Axes;
  double Epsilon;
  Type Stash; ///< what statistics are computed in, and output as
};
} // namespace

static FailureOr<LastAxes> readLastAxes(Lowering &L) {
  int64_t Rank = L.in(0).rank();
  FailureOr<int64_t> Axis = L.N.integer("axis", -1);
  FailureOr<double> Epsilon = L.N.real("epsilon", 1e-5);
  FailureOr<int64_t> Stash = L.N.integer("stash_type", 1);
  if (failed(Axis) || failed(Epsilon) || failed(Stash))
    return failure();
  FailureOr<int64_t> First = L.axis(*Axis, Rank);
  if (failed(First))
    return failure();
  if (*Stash != 1 && *Stash != 16)
    return L.error() << "stash_type is " << *Stash
                     << ", expected 1 (FLOAT) or 16 (BFLOAT16)";
  return LastAxes{llvm::to_vector(llvm::seq(*First, Rank)), *Epsilon,
                  *Stash == 1 ? Type(L.B.getF32Type())
                              : Type(L.B.getBF16Type())};
}

/// Input `Index` where the node has it.
static Value optional(Lowering &L, int64_t Index) {
  return L.has(Index) ? L.widened(L.in(Index)) : Value();
}

static LogicalResult lowerLayerNormalization(Lowering &L) {
  FailureOr<LastAxes> Says = readLastAxes(L);
  if (failed(Says))
    return failure();
  Type Element = L.in(0).Element;
  FailureOr<Centered> Of =
      centered(L, L.widened(L.in(0)), Says->Axes, Says->Epsilon);
  if (failed(Of))
    return failure();
  FailureOr<Value> Normal =
      broadcastBy<arith::MulFOp>(L, Of->Tensor, Of->InverseDeviation);
  if (failed(Normal))
    return failure();
  FailureOr<Value> Result = scaled(L, *Normal, optional(L, 1), optional(L, 2));
  if (failed(Result) || failed(L.define(L.narrowed(*Result, Element))))
    return failure();
  Type Sum = arithmeticType(Element);
  if (isAsked(L, 1) &&
      failed(L.define(1, L.converted(Of->Mean, Sum, Says->Stash), Says->Stash)))
    return failure();
  if (isAsked(L, 2))
    return L.define(2, L.converted(Of->InverseDeviation, Sum, Says->Stash),
                    Says->Stash);
  return success();
}

static LogicalResult lowerRMSNormalization(Lowering &L) {
  FailureOr<LastAxes> Says = readLastAxes(L);
  if (failed(Says))
    return failure();
  Value X = L.widened(L.in(0));
  Value Inverse =
      inverseRoot(L, meanOver(L, squared(L, X), Says->Axes), Says->Epsilon);
  FailureOr<Value> Normal = broadcastBy<arith::MulFOp>(L, X, Inverse);
  if (failed(Normal))
    return failure();
  FailureOr<Value> Result = scaled(L, *Normal, L.widened(L.in(1)), {});
  return failed(Result) ? failure()
                        : L.define(L.narrowed(*Result, L.in(0).Element));
}

//===----------------------------------------------------------------------===//
// GroupNormalization, InstanceNormalization, MeanVarianceNormalization
//===----------------------------------------------------------------------===//

/// Inputs 1 and 2, scale and bias, are lists of `Count` numbers.
static LogicalResult checkFactors(Lowering &L, OpFoldResult Count,
                                  StringRef What) {
  for (int64_t Index : {1, 2})
    if (failed(L.checkRank(Index, 1)) ||
        failed(L.agreed(L.extentOf(L.in(Index).Tensor, 0), Count,
                        "its scale or bias has not one for each " + What)))
      return failure();
  return success();
}

/// [N, C, ...] as [N, groups, C / groups, ...]: normalised over all behind the
/// group.  Version 18 has a factor for each group, 21 one for each channel.
static LogicalResult lowerGroupNormalization(Lowering &L) {
  FailureOr<int64_t> Groups = L.N.integer("num_groups", 1);
  FailureOr<double> Epsilon = L.N.real("epsilon", 1e-5);
  if (failed(Groups) || failed(Epsilon) || failed(checkChannels(L, 2)))
    return failure();
  if (*Groups < 1)
    return L.error() << "num_groups is " << *Groups << ", expected 1 or more";
  Value X = L.widened(L.in(0));
  OpFoldResult Group = L.extent(*Groups), Channels = L.extentOf(X, 1);
  OpFoldResult Each = L.floorDiv(Channels, Group);
  if (failed(L.agreed(L.mul(Each, Group), Channels,
                      "its channels are no multiple of num_groups")))
    return failure();
  bool IsOfGroups = L.N.opset() < 21;
  if (failed(IsOfGroups ? checkFactors(L, Group, "group")
                        : checkFactors(L, Channels, "channel")))
    return failure();
  X = L.split(X, 1, {Group, Each});
  int64_t Rank = L.in(0).rank() + 1;
  FailureOr<Centered> Of =
      centered(L, X, llvm::to_vector(llvm::seq<int64_t>(2, Rank)), *Epsilon);
  if (failed(Of))
    return failure();
  auto Factor = [&](int64_t Index) {
    Value Held = L.widened(L.in(Index));
    Held = L.split(Held, 0, {Group, IsOfGroups ? L.extent(1) : Each});
    Extents Behind = {L.extentOf(Held, 1)};
    Behind.append(Rank - 3, L.extent(1));
    return L.split(Held, 1, Behind);
  };
  FailureOr<Value> Normal =
      broadcastBy<arith::MulFOp>(L, Of->Tensor, Of->InverseDeviation);
  FailureOr<Value> Result =
      failed(Normal) ? Normal : scaled(L, *Normal, Factor(1), Factor(2));
  if (failed(Result))
    return failure();
  return L.define(L.narrowed(L.merged(*Result, 1, 2), L.in(0).Element));
}

static LogicalResult lowerInstanceNormalization(Lowering &L) {
  FailureOr<double> Epsilon = L.N.real("epsilon", 1e-5);
  if (failed(Epsilon) || failed(checkChannels(L, 2)) ||
      failed(checkFactors(L, L.extentOf(L.in(0).Tensor, 1), "channel")))
    return failure();
  int64_t Rank = L.in(0).rank();
  FailureOr<Centered> Of =
      centered(L, L.widened(L.in(0)),
               llvm::to_vector(llvm::seq<int64_t>(2, Rank)), *Epsilon);
  if (failed(Of))
    return failure();
  FailureOr<Value> Normal =
      broadcastBy<arith::MulFOp>(L, Of->Tensor, Of->InverseDeviation);
  if (failed(Normal))
    return failure();
  FailureOr<Value> Result =
      scaled(L, *Normal, channelwise(L, L.widened(L.in(1)), Rank),
             channelwise(L, L.widened(L.in(2)), Rank));
  return failed(Result) ? failure()
                        : L.define(L.narrowed(*Result, L.in(0).Element));
}

/// (X - mean) / (deviation + 1e-9), as its function in ONNX has it.
static LogicalResult lowerMeanVarianceNormalization(Lowering &L) {
  FailureOr<SmallVector<int64_t>> Given = L.N.integers("axes", {0, 2, 3});
  if (failed(Given))
    return failure();
  SmallVector<int64_t> Axes;
  for (int64_t Each : *Given) {
    FailureOr<int64_t> Axis = L.axis(Each, L.in(0).rank());
    if (failed(Axis))
      return failure();
    Axes.push_back(*Axis);
  }
  Value X = L.widened(L.in(0));
  FailureOr<Value> Minus =
      broadcastBy<arith::SubFOp>(L, X, meanOver(L, X, Axes));
  if (failed(Minus))
    return failure();
  Value Variance = meanOver(L, squared(L, *Minus), Axes);
  Value Above = L.number(heldBy(X), 1e-9);
  Value Deviation =
      L.each(Variance, heldBy(X),
             [&](OpBuilder &B, Location Loc, ValueRange E) -> Value {
               return arith::AddFOp::create(
                   B, Loc, math::SqrtOp::create(B, Loc, E[0]), Above);
             });
  FailureOr<Value> Result = broadcastBy<arith::DivFOp>(L, *Minus, Deviation);
  return failed(Result) ? failure()
                        : L.define(L.narrowed(*Result, L.in(0).Element));
}

ArrayRef<LoweredOperator> tenon::frontend::normalizationOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "Attention", 23, lowerAttention},
      {"", "BatchNormalization", 7, lowerBatchNormalization},
      {"", "CausalConvWithState", 27, lowerCausalConvWithState},
      {"", "GroupNormalization", 18, lowerGroupNormalization},
      {"", "Hardmax", 1, lowerHardmax},
      {"", "InstanceNormalization", 6, lowerInstanceNormalization},
      {"", "LRN", 1, lowerLRN},
      {"", "LayerNormalization", 17, lowerLayerNormalization},
      {"", "LinearAttention", 27, lowerLinearAttention},
      {"", "LogSoftmax", 1, lowerLogSoftmax},
      {"", "LpNormalization", 1, lowerLpNormalization},
      {"", "MeanVarianceNormalization", 9, lowerMeanVarianceNormalization},
      {"", "NegativeLogLikelihoodLoss", 12, lowerNegativeLogLikelihoodLoss},
      {"", "RMSNormalization", 23, lowerRMSNormalization},
      {"", "RotaryEmbedding", 23, lowerRotaryEmbedding},
      {"", "Softmax", 1, lowerSoftmax},
      {"", "SoftmaxCrossEntropyLoss", 12, lowerSoftmaxCrossEntropyLoss},
  };
  return Table;
}
