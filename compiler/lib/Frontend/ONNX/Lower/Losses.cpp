//===- Losses.cpp - What a prediction lacks of its target ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// An element's class is picked by a sum over all classes, of which one alone
// counts: no index is followed into memory.
//
//===----------------------------------------------------------------------===//

#include "Losses.h"
#include "Checks.h"
#include "Softmax.h"
#include "Statistics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace tenon::frontend;

namespace {
/// Input 0 of [N, C, ...], its targets of [N, ...], maybe a weight for each C.
struct Loss {
  Lowering &L;
  Value Logs; ///< the logarithms of probabilities
  std::optional<int64_t> Ignored = std::nullopt;

  LogicalResult read();
  Value picked(Value Of);
  Value weights();
  FailureOr<Value> reduced(StringRef How);

  Type Held = heldBy(Logs);
  int64_t Rank = cast<RankedTensorType>(Logs.getType()).getRank();
  Extents Each = {};
};
} // namespace

LogicalResult Loss::read() {
  if (L.N.hasAttribute("ignore_index")) {
    FailureOr<int64_t> Given = L.N.integer("ignore_index", 0);
    if (failed(Given))
      return failure();
    Ignored = *Given;
  }
  const Plain &Targets = L.in(1);
  if (Targets.rank() != Rank - 1)
    return L.error() << "its targets have " << Targets.rank()
                     << " dimensions, expected one less than its input, which "
                        "has "
                     << Rank;
  for (int64_t Axis = 0; Axis < Rank - 1; ++Axis) {
    FailureOr<OpFoldResult> Same = L.agreed(
        L.extentOf(Logs, Axis + (Axis > 0)), L.extentOf(Targets.Tensor, Axis),
        "its targets have another shape than its input");
    if (failed(Same))
      return failure();
    Each.push_back(*Same);
  }
  if (L.has(2) &&
      (failed(L.checkRank(2, 1)) ||
       failed(L.agreed(L.extentOf(L.in(2).Tensor, 0), L.extentOf(Logs, 1),
                       "it has not one weight for each class"))))
    return failure();
  requireIndices(L, Targets.Tensor, L.extentOf(Logs, 1), Ignored,
                 "a target is no class of its input");
  return success();
}

/// Of each target what `Of` holds for its class: a tensor of the classes'
/// scores [N, C, ...] or of the classes [C]; 1, where it is null; 0 of what is
/// ignored.
Value Loss::picked(Value Of) {
  MLIRContext *Context = L.B.getContext();
  AffineMap All = L.B.getMultiDimIdentityMap(Rank);
  AffineMap Rows = All.dropResult(1);
  SmallVector<Value> Tensors = {L.in(1).Tensor};
  SmallVector<AffineMap> Maps = {Rows};
  bool IsScores = Of && cast<RankedTensorType>(Of.getType()).getRank() == Rank;
  // The classes are counted by `Logs`, whatever is read of it.
  Tensors.push_back(IsScores ? Of : Logs);
  Maps.push_back(All);
  if (Of && !IsScores) {
    Tensors.push_back(Of);
    Maps.push_back(AffineMap::get(Rank, 0, L.B.getAffineDimExpr(1), Context));
  }
  Maps.push_back(Rows);
  Value Zero = L.number(Held, 0), One = L.number(Held, 1);
  Value None = Ignored ? L.index(*Ignored) : Value();
  return L.accumulated(
      Tensors, Maps, L.filled(Each, Zero),
      [&](OpBuilder &B, Location Loc, ValueRange E) -> Value {
        Value Class =
            arith::IndexCastOp::create(B, Loc, B.getIndexType(), E[0]);
        auto Is = [&](arith::CmpIPredicate How, Value X) -> Value {
          return arith::CmpIOp::create(B, Loc, How, Class, X);
        };
        Value Counts =
            Is(arith::CmpIPredicate::eq, linalg::IndexOp::create(B, Loc, 1));
        if (None)
          Counts = arith::AndIOp::create(B, Loc, Counts,
                                         Is(arith::CmpIPredicate::ne, None));
        Value Here = !Of ? One : E[IsScores ? 1 : 2];
        Here = arith::SelectOp::create(B, Loc, Counts, Here, Zero);
        return arith::AddFOp::create(B, Loc, E.back(), Here);
      });
}

Value Loss::weights() {
  return picked(L.has(2) ? L.widened(L.in(2)) : Value());
}

/// The loss of each element, or their sum or mean by weights.
FailureOr<Value> Loss::reduced(StringRef How) {
  Value Weights = weights(), Own = picked(Logs);
  FailureOr<Value> Losses =
      L.pointwise({Own, Weights}, Held,
                  [](OpBuilder &B, Location Loc, ValueRange E) -> Value {
                    return arith::NegFOp::create(
                        B, Loc, arith::MulFOp::create(B, Loc, E[0], E[1]));
                  });
  if (failed(Losses) || How == "none")
    return Losses;
  auto Axes = llvm::to_vector(llvm::seq<int64_t>(0, Rank - 1));
  auto Total = [&](Value Of) { return L.reshaped(sumOver(L, Of, Axes), {}); };
  if (How == "sum")
    return Total(*Losses);
  if (How != "mean")
    return L.error() << "reduction is '" << How
                     << "', expected none, sum or mean";
  return broadcastBy<arith::DivFOp>(L, Total(*Losses), Total(Weights));
}

/// Output 0, of the logarithms of probabilities `Logs`.
static LogicalResult defineLoss(Lowering &L, Value Logs) {
  FailureOr<std::string> How = L.N.string("reduction", "mean");
  Loss Of{L, Logs};
  if (failed(How) || failed(Of.read()))
    return failure();
  FailureOr<Value> Result = Of.reduced(*How);
  return failed(Result) ? failure()
                        : L.define(L.narrowed(*Result, L.in(0).Element));
}

LogicalResult tenon::frontend::lowerNegativeLogLikelihoodLoss(Lowering &L) {
  if (failed(checkChannels(L, 2)))
    return failure();
  return defineLoss(L, L.widened(L.in(0)));
}

LogicalResult tenon::frontend::lowerSoftmaxCrossEntropyLoss(Lowering &L) {
  if (failed(checkChannels(L, 2)))
    return failure();
  Value Logs = logSoftmax(L, L.widened(L.in(0)), 1);
  if (failed(defineLoss(L, Logs)))
    return failure();
  if (!isAsked(L, 1))
    return success();
  Type Element = L.in(0).Element;
  return L.define(1, L.narrowed(Logs, Element).Tensor, Element);
}
