//===- Operations.cpp - Of two tensors, element by element ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Operations.h"
#include "Movement.h"

using namespace mlir;
using namespace tenon::frontend;

/// With axes of one element in front.
static void widen(Importer &I, Quantized &Of, size_t Rank) {
  Shape Dims = Of.Tensor.shape();
  if (Dims.size() == Rank)
    return;
  Value Held = I.Emit.permuted(Of.Tensor, identityOrder(Dims.size()));
  Dims.insert(Dims.begin(), Rank - Dims.size(), 1);
  Of.Tensor.Value = I.Emit.reshaped(Held, Dims);
  Of.Tensor.Axes = identityOrder(Rank);
}

FailureOr<Shape> tenon::frontend::spread(Importer &I, const Node &N,
                                         Quantized &First, Quantized &Second) {
  Shape A = First.Tensor.shape(), B = Second.Tensor.shape();
  size_t Rank = std::max(A.size(), B.size());
  Shape Result(Rank, 1);
  for (const Shape &Of : {A, B})
    for (size_t Axis = 0; Axis < Of.size(); ++Axis) {
      int64_t &To = Result[Rank - Of.size() + Axis];
      if (To != 1 && Of[Axis] != 1 && To != Of[Axis])
        return N.error() << "its inputs are of " << describe(A) << " and "
                         << describe(B) << ", which do not broadcast";
      To = Of[Axis] == 1 ? To : Of[Axis];
    }
  widen(I, First, Rank);
  widen(I, Second, Rank);
  if (First.Tensor.shape() != Result && Second.Tensor.shape() == Result)
    std::swap(First, Second);
  // A layer has all pixels, or one of each image, with the channels last.
  if (First.Tensor.shape() != Second.Tensor.shape())
    First.Tensor = channelsLast(I, First.Tensor);
  return Result;
}
