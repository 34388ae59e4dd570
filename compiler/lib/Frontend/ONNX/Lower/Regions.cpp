//===- Regions.cpp - Regions of feature maps as small maps ---------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Each element of a region's map is the mean, or the maximum, of samples
// between the elements of the features (He et al., Mask R-CNN, section 3).
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "Operators.h"
#include "Scalars.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tenon::frontend;

namespace {
/// One axis of the features and of the maps that are made of them.
struct RegionAxis {
  int64_t First; ///< column of the regions: where one begins
  int64_t Out;   ///< extent of its map
  Value Count;   ///< extent of the features
};

struct Alignment {
  Value Features, Regions; ///< [N, C, H, W], [regions, 4]
  RegionAxis Height, Width;
  double Scale, Offset;
  int64_t SampleCount; ///< along an axis of an element of a map; 0: by size
  bool IsMaximum;
};

/// The samples of an element of a map along one axis.
struct Samples {
  Value Start, Step; ///< of the first one's interval
  Value Count;
  Value First, Looked; ///< which of them are looked at: the rest are outside
};

/// One sample along one axis: between two elements.
struct Between {
  Value Low, High;
  Value LowShare, HighShare;
  Value IsInside;
};
} // namespace

static Samples samplesOf(Scalars &S, const Alignment &A, const RegionAxis &Axis,
                         Value Region, Value Element) {
  auto bound = [&](int64_t Column) {
    Value Given = S.at(A.Regions, {Region, S.index(Column)});
    return S.sub(S.mul(Given, S.like(Given, A.Scale)), S.like(Given, A.Offset));
  };
  Value Begin = bound(Axis.First), Span = S.sub(bound(Axis.First + 2), Begin);
  auto number = [&](double Of) { return S.like(Begin, Of); };
  // Regions of nothing are made 1 wide where pixels have no centre.
  if (A.Offset == 0)
    Span = S.max(Span, number(1));
  Value Bin = S.div(Span, number(double(Axis.Out)));
  Value Count = A.SampleCount ? S.index(A.SampleCount)
                              : S.max(S.floatToIndex(S.ceil(Bin)), S.index(0));
  Value Divisor = S.toFloat(S.max(Count, S.index(1)), Begin.getType());
  Value Start = S.add(Begin, S.mul(S.toFloat(Element, Begin.getType()), Bin));
  Value Step = S.div(Bin, Divisor);
  if (A.SampleCount)
    return {Start, Step, Count, S.index(0), Count};
  // A region may be of any size, even infinite: of its samples, which are half
  // an element apart or more, the features have a few. Two more on each side
  // are for what is rounded.
  auto sampleAround = [&](Value Of) {
    return S.floatToIndex(S.div(S.sub(Of, Start), Step));
  };
  Value Extent = S.toFloat(Axis.Count, Begin.getType());
  Value First = S.max(S.sub(sampleAround(number(-1)), S.index(2)), S.index(0));
  Value End = S.min(S.add(sampleAround(Extent), S.index(2)), Count);
  return {Start, Step, Count, First, S.max(S.sub(End, First), S.index(0))};
}

static Between sampleAt(Scalars &S, const RegionAxis &Axis, const Samples &Of,
                        Value Index) {
  Type Real = Of.Start.getType();
  Value Half = S.number(Real, 0.5), One = S.number(Real, 1);
  Value X =
      S.add(Of.Start, S.mul(S.add(S.toFloat(Index, Real), Half), Of.Step));
  Value Count = S.toFloat(Axis.Count, Real);
  Value IsInside = S.both(S.atMost(S.number(Real, -1), X), S.atMost(X, Count));
  X = S.max(S.min(X, S.sub(Count, One)), S.number(Real, 0));
  Value Low = S.within(S.floatToIndex(X), Axis.Count);
  Value High = S.within(S.add(Low, S.index(1)), Axis.Count);
  Value Share = S.sub(X, S.toFloat(Low, Real));
  return {Low, High, S.sub(One, Share), Share, IsInside};
}

/// The four elements around a sample, each times its share.
static SmallVector<Value> sharesOf(Scalars &S, Value Features, Value Batch,
                                   Value Channel, const Between &Y,
                                   const Between &X) {
  SmallVector<Value> Shares;
  Value IsInside = S.both(Y.IsInside, X.IsInside);
  for (auto [Row, RowShare] :
       {std::make_pair(Y.Low, Y.LowShare), {Y.High, Y.HighShare}})
    for (auto [Column, ColumnShare] :
         {std::make_pair(X.Low, X.LowShare), {X.High, X.HighShare}}) {
      Value Product = S.mul(S.mul(RowShare, ColumnShare),
                            S.at(Features, {Batch, Channel, Row, Column}));
      Shares.push_back(S.choose(IsInside, Product, S.like(Product, 0)));
    }
  return Shares;
}

/// One element of a map: over all of its samples, of which those outside are 0.
static Value aligned(OpBuilder &B, Location Loc, const Alignment &A,
                     Value Batch, ValueRange At) {
  Scalars S(B, Loc);
  Samples Rows = samplesOf(S, A, A.Height, At[0], At[2]);
  Samples Columns = samplesOf(S, A, A.Width, At[0], At[3]);
  Value IsEach = S.both(S.equal(Rows.Looked, Rows.Count),
                        S.equal(Columns.Looked, Columns.Count));
  Type Held = getElementTypeOrSelf(A.Features.getType());
  auto Loop = scf::ForOp::create(
      B, Loc, S.index(0), S.mul(Rows.Looked, Columns.Looked), S.index(1),
      S.number(Held, 0),
      [&](OpBuilder &B, Location Loc, Value Index, ValueRange Carried) {
        Scalars S(B, Loc);
        Value Row = S.floorDiv(Index, Columns.Looked);
        Value Column = S.sub(Index, S.mul(Row, Columns.Looked));
        Between Y = sampleAt(S, A.Height, Rows, S.add(Rows.First, Row));
        Between X = sampleAt(S, A.Width, Columns, S.add(Columns.First, Column));
        SmallVector<Value> Of = sharesOf(S, A.Features, Batch, At[1], Y, X);
        auto together = [&](Value First, Value Second) {
          return A.IsMaximum ? S.max(First, Second) : S.add(First, Second);
        };
        Value Sample = together(together(Of[0], Of[1]), together(Of[2], Of[3]));
        Value Next = together(Carried[0], Sample);
        if (A.IsMaximum)
          Next = S.choose(S.both(IsEach, S.equal(Index, S.index(0))), Sample,
                          Next);
        scf::YieldOp::create(B, Loc, Next);
      });
  if (A.IsMaximum)
    return Loop.getResult(0);
  auto divisor = [&](const Samples &Of) {
    return S.toFloat(S.max(Of.Count, S.index(1)), Held);
  };
  return S.div(Loop.getResult(0), S.mul(divisor(Rows), divisor(Columns)));
}

static FailureOr<Alignment> readAlignment(Lowering &L) {
  FailureOr<std::string> Mode = L.N.string("mode", "avg");
  // Before 16 there was one way only.
  FailureOr<std::string> Coordinates =
      L.N.string("coordinate_transformation_mode",
                 L.N.opset() < 16 ? "output_half_pixel" : "half_pixel");
  FailureOr<int64_t> Height = L.N.integer("output_height", 1);
  FailureOr<int64_t> Width = L.N.integer("output_width", 1);
  FailureOr<int64_t> SampleCount = L.N.integer("sampling_ratio", 0);
  FailureOr<double> Scale = L.N.real("spatial_scale", 1);
  if (failed(Mode) || failed(Coordinates) || failed(Height) || failed(Width) ||
      failed(SampleCount) || failed(Scale))
    return failure();
  if ((*Mode != "avg" && *Mode != "max") ||
      (*Coordinates != "half_pixel" && *Coordinates != "output_half_pixel"))
    return L.error() << "mode '" << *Mode << "' or '" << *Coordinates
                     << "' is none that it has";
  if (*Height < 1 || *Width < 1 || *SampleCount < 0)
    return L.error() << "its maps are to have 1 element or more, and its "
                        "sampling_ratio is not to be negative";
  return Alignment{{},
                   {},
                   {1, *Height, {}},
                   {0, *Width, {}},
                   *Scale,
                   *Coordinates == "half_pixel" ? 0.5 : 0,
                   *SampleCount,
                   *Mode == "max"};
}

static LogicalResult lowerRoiAlign(Lowering &L) {
  const Plain &X = L.in(0), &Regions = L.in(1), &Batches = L.in(2);
  FailureOr<Alignment> A = readAlignment(L);
  if (failed(A))
    return failure();
  if (X.rank() != 4 || Regions.rank() != 2 || Batches.rank() != 1)
    return L.error() << "it needs features with 4 dimensions, regions with 2 "
                        "and a list of their batches";
  OpFoldResult Count = L.extentOf(Regions.Tensor, 0);
  if (failed(L.agreed(L.extentOf(Regions.Tensor, 1), L.extent(4),
                      "its regions are not of 4 numbers")) ||
      failed(L.agreed(Count, L.extentOf(Batches.Tensor, 0),
                      "it has not one batch for each region")))
    return failure();
  requireIndices(L, Batches.Tensor, L.extentOf(X.Tensor, 0), std::nullopt,
                 "the batch of a region is outside of its input");
  A->Features = L.neverEmpty(L.widened(X));
  A->Regions = L.neverEmpty(L.widened(Regions));
  A->Height.Count = L.index(L.extentOf(A->Features, 2));
  A->Width.Count = L.index(L.extentOf(A->Features, 3));
  Value BatchCount = L.index(L.extentOf(A->Features, 0));
  Value Kept = L.neverEmpty(Batches.Tensor);
  Value KeptCount = L.index(L.extentOf(Kept, 0));
  Value Result = L.generated(
      {Count, L.extentOf(X.Tensor, 1), L.extent(A->Height.Out),
       L.extent(A->Width.Out)},
      getElementTypeOrSelf(A->Features.getType()),
      [&](OpBuilder &B, Location Loc, ValueRange At) {
        Scalars S(B, Loc);
        Value Batch = clampedIndex(
            B, Loc, S.at(Kept, S.within(At[0], KeptCount)), BatchCount);
        return aligned(B, Loc, *A, Batch, At);
      });
  return L.define(L.narrowed(Result, X.Element));
}

ArrayRef<LoweredOperator> tenon::frontend::regionOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "RoiAlign", 10, lowerRoiAlign},
  };
  return Table;
}
