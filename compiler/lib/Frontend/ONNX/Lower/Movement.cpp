//===- Movement.cpp - Operators that move elements -----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace tenon::frontend;

static LogicalResult lowerIdentity(Lowering &L) { return L.define(L.in(0)); }

static LogicalResult lowerTranspose(Lowering &L) {
  int64_t Rank = L.in(0).rank();
  SmallVector<int64_t> Reversed =
      llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, Rank)));
  FailureOr<SmallVector<int64_t>> Axes = L.N.integers("perm", Reversed);
  if (failed(Axes))
    return failure();
  if (int64_t(Axes->size()) != Rank || !isPermutationVector(*Axes))
    return L.error() << "perm is not a permutation of " << Rank << " axes";
  return L.define({L.transposed(L.in(0).Tensor, *Axes), L.in(0).Element});
}

ArrayRef<LoweredOperator> tenon::frontend::movementOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "Identity", 1, lowerIdentity},
      {"", "Transpose", 1, lowerTranspose},
  };
  return Table;
}
