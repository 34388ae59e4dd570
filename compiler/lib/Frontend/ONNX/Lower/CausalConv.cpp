//===- CausalConv.cpp - Convolution of what came before ------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "LinearAttention.h"
#include "Products.h"
#include "RecurrentFunctions.h"
#include "Statistics.h"
#include "WindowGeometry.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tenon::frontend;

/// What stands before the input: input 3, or zeros.
static FailureOr<Value> before(Lowering &L, int64_t Length) {
  Extents Of = L.extentsOf(L.in(0).Tensor);
  Of[2] = L.extent(Length);
  if (!L.has(3))
    return L.filled(Of, L.number(heldType(L.in(0).Element), 0));
  if (L.in(3).rank() != 3)
    return L.error() << "its past_state has " << L.in(3).rank()
                     << " dimensions, expected 3";
  for (auto [Axis, Extent] : llvm::enumerate(Of))
    if (failed(L.agreed(Extent, L.extentOf(L.in(3).Tensor, Axis),
                        "its past_state does not fit its input and weights")))
      return failure();
  return L.in(3).Tensor;
}

/// x * sigmoid(x).
static Value silu(Lowering &L, Value X) {
  return L.each(
      X, heldBy(X), [](OpBuilder &B, Location Loc, ValueRange E) -> Value {
        return arith::MulFOp::create(B, Loc, E[0], logistic(B, Loc, E[0]));
      });
}

LogicalResult tenon::frontend::lowerCausalConvWithState(Lowering &L) {
  FailureOr<std::string> Function = L.N.string("activation", "none");
  if (failed(Function))
    return failure();
  if (*Function != "none" && *Function != "silu" && *Function != "swish")
    return L.error() << "activation is '" << *Function
                     << "', expected none, silu or swish";
  if (L.in(0).rank() != 3 || L.in(1).rank() != 3)
    return L.error() << "its input has " << L.in(0).rank()
                     << " dimensions and its weights " << L.in(1).rank()
                     << ": expected 3 of both";
  FailureOr<SmallVector<int64_t>> Kernel = kernelOf(L, L.in(1).Tensor);
  if (failed(Kernel))
    return failure();
  Type Element = L.in(0).Element;
  int64_t Channels = L.in(1).type().getDimSize(0);
  if (ShapedType::isDynamic(Channels))
    return L.error() << "its channels are known at run time only: fix them in "
                        "the model";
  FailureOr<Value> Past = before(L, Kernel->front() - 1);
  if (failed(Past))
    return failure();
  Value X = L.concatenated({*Past, L.in(0).Tensor}, 2);
  FailureOr<Value> Result = convolutionOf(
      L, L.converted(X, Element, arithmeticType(Element)), L.widened(L.in(1)),
      Channels, Step{1, 1}, L.extentOf(L.in(0).Tensor, 2));
  if (failed(Result))
    return failure();
  Result = biased(L, *Result, 2);
  if (failed(Result))
    return failure();
  if (*Function != "none")
    Result = silu(L, *Result);
  if (failed(L.define(L.narrowed(*Result, Element))))
    return failure();
  if (!isAsked(L, 1))
    return success();
  // Its end, which begins where a tensor that has none does.
  int64_t Last = Kernel->front() - 1;
  Extents Counts = L.extentsOf(X), Starts(3, L.extent(0)), Ones(3, L.extent(1));
  Counts[2] = L.extent(Last);
  if (Last > 0)
    Starts[2] = L.extentOf(L.in(0).Tensor, 2);
  return L.define(1, L.sliced(X, Starts, Counts, Ones), Element);
}
