//===- Joins.cpp - Tensors joined and taken apart along an axis ----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "Scalars.h"

using namespace mlir;
using namespace tenon::frontend;

//===----------------------------------------------------------------------===//
// Concat
//===----------------------------------------------------------------------===//

/// The elements side by side, where all inputs are lists.
static Value concatenatedLists(Lowering &L) {
  SmallVector<Value> All;
  bool IsAnyKnown = false;
  for (int64_t Index = 0; Index < L.inputCount(); ++Index) {
    auto Elements = L.elementsOf(L.in(Index).Tensor);
    if (!Elements)
      return {};
    IsAnyKnown |= !L.N.constant(Index);
    All.append(*Elements);
  }
  if (!IsAnyKnown || All.empty())
    return {};
  return L.list(All, All[0].getType(), 1);
}

static LogicalResult lowerConcat(Lowering &L) {
  const Plain &First = L.in(0);
  FailureOr<int64_t> Given = L.N.integer("axis", 1);
  if (failed(Given))
    return failure();
  FailureOr<int64_t> Axis = L.axis(*Given, First.rank());
  if (failed(Axis))
    return failure();
  Scalars S(L.B, L.B.getLoc());
  SmallVector<Value> Tensors;
  for (int64_t Index = 0; Index < L.inputCount(); ++Index) {
    const Plain &Part = L.in(Index);
    if (Part.rank() != First.rank() || Part.Element != First.Element)
      return L.error() << "its input '" << L.N.inputName(Index)
                       << "' has another rank or element type than the first";
    Tensors.push_back(Part.Tensor);
    for (int64_t At = 0; At < Part.rank(); ++At) {
      OpFoldResult A = L.extentOf(First.Tensor, At),
                   B = L.extentOf(Part.Tensor, At);
      if (At == *Axis || L.surelyEqual(A, B))
        continue;
      constexpr StringLiteral Message = "its inputs differ in a dimension that "
                                        "is not joined";
      if (getConstantIntValue(A) && getConstantIntValue(B))
        return L.error() << Message;
      L.require(S.equal(L.index(A), L.index(B)), Message);
    }
  }
  if (First.rank() == 1)
    if (Value List = concatenatedLists(L))
      return L.define({List, First.Element});
  if (Tensors.size() == 1)
    return L.define(First);
  return L.define({L.concatenated(Tensors, *Axis), First.Element});
}

//===----------------------------------------------------------------------===//
// Split
//===----------------------------------------------------------------------===//

/// Equal parts; the last has what is left.
static FailureOr<Extents> equalParts(Lowering &L, OpFoldResult Whole) {
  int64_t Count = L.N.outputCount();
  FailureOr<int64_t> Asked = L.N.integer("num_outputs", Count);
  if (failed(Asked))
    return failure();
  if (*Asked != Count)
    return L.error() << "num_outputs is " << *Asked << ", but it has " << Count
                     << " outputs";
  OpFoldResult Size = L.ceilDiv(Whole, L.extent(Count));
  Extents Parts(Count, Size);
  OpFoldResult Rest = Whole;
  for (OpFoldResult &Part : Parts) {
    Part = L.min(Size, Rest);
    Rest = L.sub(Rest, Part);
  }
  return Parts;
}

static FailureOr<Extents> splitParts(Lowering &L, OpFoldResult Whole) {
  if (!L.has(1))
    return equalParts(L, Whole);
  FailureOr<Extents> Parts = L.listed(1);
  if (failed(Parts))
    return failure();
  if (int64_t(Parts->size()) != L.N.outputCount())
    return L.error() << "it splits into " << Parts->size() << " parts, but has "
                     << L.N.outputCount() << " outputs";
  Scalars S(L.B, L.B.getLoc());
  OpFoldResult Rest = Whole;
  Value Fit = S.truth(true);
  for (OpFoldResult &Part : *Parts) {
    Fit = S.both(Fit, S.both(S.atMost(S.index(0), L.index(Part)),
                             S.atMost(L.index(Part), L.index(Rest))));
    Part = L.max(L.min(Part, Rest), L.extent(0));
    Rest = L.sub(Rest, Part);
  }
  Fit = S.both(Fit, S.equal(L.index(Rest), S.index(0)));
  constexpr StringLiteral Message =
      "the parts do not add up to the dimension that is split";
  if (getConstantIntValue(Fit) == 0)
    return L.error() << Message;
  L.require(Fit, Message);
  return Parts;
}

static LogicalResult lowerSplit(Lowering &L) {
  const Plain &Whole = L.in(0);
  FailureOr<int64_t> Given = L.N.integer("axis", 0);
  if (failed(Given))
    return failure();
  FailureOr<int64_t> Axis = L.axis(*Given, Whole.rank());
  if (failed(Axis))
    return failure();
  FailureOr<Extents> Parts = splitParts(L, L.extentOf(Whole.Tensor, *Axis));
  if (failed(Parts))
    return failure();
  Extents Counts = L.extentsOf(Whole.Tensor);
  Extents Starts(Whole.rank(), L.extent(0)), Steps(Whole.rank(), L.extent(1));
  for (auto [Index, Part] : llvm::enumerate(*Parts)) {
    Counts[*Axis] = Part;
    if (failed(L.define(Index, L.sliced(Whole.Tensor, Starts, Counts, Steps),
                        Whole.Element)))
      return failure();
    Starts[*Axis] = L.add(Starts[*Axis], Part);
  }
  return success();
}

ArrayRef<LoweredOperator> tenon::frontend::joinOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "Concat", 4, lowerConcat},
      {"", "Split", 13, lowerSplit},
  };
  return Table;
}
