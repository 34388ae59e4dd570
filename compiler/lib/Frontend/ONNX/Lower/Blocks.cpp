//===- Blocks.cpp - Elements that change places by a rule ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "../ElementTypes.h"
#include "Checks.h"
#include "Indices.h"
#include "Operators.h"

using namespace mlir;
using namespace tenon::frontend;

//===----------------------------------------------------------------------===//
// DepthToSpace, SpaceToDepth
//===----------------------------------------------------------------------===//

/// The block's extent; the input has the axes NCHW.
static FailureOr<int64_t> blockSize(Lowering &L) {
  FailureOr<int64_t> Size = L.N.integer("blocksize", 0);
  if (failed(Size))
    return failure();
  if (*Size < 1 || *Size > INT16_MAX || L.in(0).rank() != 4)
    return L.error() << "it needs a blocksize from 1 to " << INT16_MAX
                     << " and an input with 4 dimensions";
  return Size;
}

/// Extent `Axis` of the input by `Divisor`, without rest.
static FailureOr<OpFoldResult> divided(Lowering &L, int64_t Axis,
                                       int64_t Divisor) {
  OpFoldResult Whole = L.extentOf(L.in(0).Tensor, Axis);
  OpFoldResult Part = L.floorDiv(Whole, L.extent(Divisor));
  if (failed(L.agreed(L.mul(Part, L.extent(Divisor)), Whole,
                      "a dimension is not a multiple of the blocks")))
    return failure();
  return Part;
}

/// `Tensor` without what a dimension has behind its last block: nothing, or the
/// run ends.
static Value wholeBlocks(Lowering &L, Value Tensor, int64_t Axis,
                         OpFoldResult Blocks, int64_t Divisor) {
  Extents Of = L.extentsOf(Tensor);
  if (getConstantIntValue(Of[Axis]))
    return Tensor;
  Of[Axis] = L.mul(Blocks, L.extent(Divisor));
  return L.sliced(Tensor, Extents(Of.size(), L.extent(0)), Of,
                  Extents(Of.size(), L.extent(1)));
}

/// Whether the blocks are the innermost part of the depth.
static FailureOr<bool> isDepthFirst(Lowering &L) {
  FailureOr<std::string> Mode = L.N.string("mode", "DCR");
  if (failed(Mode))
    return failure();
  if (*Mode != "DCR" && *Mode != "CRD")
    return L.error() << "mode '" << *Mode << "' is neither DCR nor CRD";
  return *Mode == "CRD";
}

static LogicalResult lowerDepthToSpace(Lowering &L) {
  FailureOr<int64_t> Size = blockSize(L);
  FailureOr<bool> IsDepthFirst = isDepthFirst(L);
  if (failed(Size) || failed(IsDepthFirst))
    return failure();
  FailureOr<OpFoldResult> Depth = divided(L, 1, *Size * *Size);
  if (failed(Depth))
    return failure();
  OpFoldResult Block = L.extent(*Size);
  Value Tensor = wholeBlocks(L, L.in(0).Tensor, 1, *Depth, *Size * *Size);
  if (!*IsDepthFirst)
    Tensor = L.transposed(L.split(Tensor, 1, {Block, Block, *Depth}),
                          {0, 3, 4, 1, 5, 2});
  else
    Tensor = L.transposed(L.split(Tensor, 1, {*Depth, Block, Block}),
                          {0, 1, 4, 2, 5, 3});
  SmallVector<ReassociationIndices> Groups = {{0}, {1}, {2, 3}, {4, 5}};
  return L.define({L.collapsed(Tensor, Groups), L.in(0).Element});
}

static LogicalResult lowerSpaceToDepth(Lowering &L) {
  FailureOr<int64_t> Size = blockSize(L);
  FailureOr<bool> IsDepthFirst = isDepthFirst(L);
  if (failed(Size) || failed(IsDepthFirst))
    return failure();
  FailureOr<OpFoldResult> Height = divided(L, 2, *Size),
                          Width = divided(L, 3, *Size);
  if (failed(Height) || failed(Width))
    return failure();
  OpFoldResult Block = L.extent(*Size);
  Value Tensor = wholeBlocks(L, L.in(0).Tensor, 2, *Height, *Size);
  Tensor = wholeBlocks(L, Tensor, 3, *Width, *Size);
  Tensor = L.split(Tensor, 3, {*Width, Block});
  Tensor = L.split(Tensor, 2, {*Height, Block});
  Tensor = *IsDepthFirst ? L.transposed(Tensor, {0, 1, 3, 5, 2, 4})
                         : L.transposed(Tensor, {0, 3, 5, 1, 2, 4});
  SmallVector<ReassociationIndices> Groups = {{0}, {1, 2, 3}, {4}, {5}};
  return L.define({L.collapsed(Tensor, Groups), L.in(0).Element});
}

//===----------------------------------------------------------------------===//
// ReverseSequence
//===----------------------------------------------------------------------===//

static LogicalResult lowerReverseSequence(Lowering &L) {
  const Plain &Data = L.in(0), &Lengths = L.in(1);
  FailureOr<int64_t> Batch = L.N.integer("batch_axis", 1),
                     Time = L.N.integer("time_axis", 0);
  if (failed(Batch) || failed(Time))
    return failure();
  Batch = L.axis(*Batch, Data.rank());
  Time = L.axis(*Time, Data.rank());
  if (failed(Batch) || failed(Time))
    return failure();
  if (*Batch == *Time || Lengths.rank() != 1)
    return L.error() << "it needs a time axis beside its batch axis, and a "
                        "list of lengths";
  Extents Of = L.extentsOf(Data.Tensor);
  if (failed(L.agreed(L.extentOf(Lengths.Tensor, 0), Of[*Batch],
                      "it has not one length for each sequence")))
    return failure();
  Value Most = L.index(Of[*Time]);
  requireAll(
      L, Lengths.Tensor,
      [&](OpBuilder &B, Location Loc, ValueRange X) {
        Scalars S(B, Loc);
        Value Length = S.toIndex(X[0]);
        return S.both(S.atMost(S.index(0), Length), S.atMost(Length, Most));
      },
      "a length is negative or more than the time axis has");
  Value Known = L.neverEmpty(Lengths.Tensor);
  Value Count = L.index(L.extentOf(Known, 0));
  Value Result = L.generated(
      Of, Data.type().getElementType(),
      [&](OpBuilder &B, Location Loc, ValueRange Loops) {
        Scalars S(B, Loc);
        Value Length = S.toIndex(S.at(Known, S.within(Loops[*Batch], Count)));
        Length = S.max(S.min(Length, Most), S.index(0));
        Value Mirrored = S.sub(S.sub(Length, S.index(1)), Loops[*Time]);
        SmallVector<Value> At(Loops);
        At[*Time] =
            S.choose(S.less(Loops[*Time], Length), Mirrored, Loops[*Time]);
        return S.at(Data.Tensor, At);
      });
  return L.define({Result, Data.Element});
}

//===----------------------------------------------------------------------===//
// Trilu, EyeLike
//===----------------------------------------------------------------------===//

static LogicalResult lowerTrilu(Lowering &L) {
  const Plain &Data = L.in(0);
  FailureOr<int64_t> IsUpper = L.N.integer("upper", 1);
  if (failed(IsUpper))
    return failure();
  FailureOr<Extents> Given = Extents{L.extent(0)};
  if (L.has(1))
    Given = L.listed(1);
  if (failed(Given))
    return failure();
  if (Given->size() != 1 || Data.rank() < 2)
    return L.error() << "it needs one diagonal, and at least 2 dimensions";
  Value Offset = L.index(Given->front());
  int64_t Rank = Data.rank();
  Value Zero = L.number(Data.type().getElementType(), 0);
  Value Result = L.each(Data.Tensor, Data.type().getElementType(),
                        [&](OpBuilder &B, Location Loc, ValueRange Elements) {
                          Scalars S(B, Loc);
                          SmallVector<Value> Loops = loopIndices(B, Loc, Rank);
                          Value Distance =
                              S.sub(Loops[Rank - 1], Loops[Rank - 2]);
                          Value Stays = *IsUpper ? S.atMost(Offset, Distance)
                                                 : S.atMost(Distance, Offset);
                          return S.choose(Stays, Elements[0], Zero);
                        });
  return L.define({Result, Data.Element});
}

static LogicalResult lowerEyeLike(Lowering &L) {
  FailureOr<int64_t> Diagonal = L.N.integer("k", 0);
  FailureOr<int64_t> Asked = L.N.integer("dtype", 0);
  if (failed(Diagonal) || failed(Asked))
    return failure();
  Type Element = L.N.hasAttribute("dtype")
                     ? elementType(L.B.getContext(), *Asked)
                     : L.in(0).Element;
  Type Held = Element ? heldType(Element) : Type();
  if (!Held || L.in(0).rank() != 2)
    return L.error() << "it makes matrices of numbers only";
  Value One = isa<FloatType>(Element) && !isa<FloatType>(Held)
                  ? Value()
                  : L.number(Held, 1);
  if (!One)
    return L.error() << "it makes no matrices of floats with 8 bits: cast the "
                        "result of a wider one";
  Value Zero = L.number(Held, 0), Offset = L.index(*Diagonal);
  Value Result = L.generated(
      L.extentsOf(L.in(0).Tensor), Held,
      [&](OpBuilder &B, Location Loc, ValueRange Loops) {
        Scalars S(B, Loc);
        return S.choose(S.equal(S.sub(Loops[1], Loops[0]), Offset), One, Zero);
      });
  return L.define({Result, Element});
}

ArrayRef<LoweredOperator> tenon::frontend::blockOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "DepthToSpace", 1, lowerDepthToSpace},
      {"", "EyeLike", 9, lowerEyeLike},
      {"", "ReverseSequence", 10, lowerReverseSequence},
      {"", "SpaceToDepth", 1, lowerSpaceToDepth},
      {"", "Trilu", 14, lowerTrilu},
  };
  return Table;
}
