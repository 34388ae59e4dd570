//===- Resampling.cpp - Resize -------------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Axis by axis, each with a table of which elements an output element is made
// of, and with what weights (Taps.h): interpolation in several dimensions is
// that in each after the other.
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "Taps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tenon::frontend;
using mlir::utils::IteratorType;

//===----------------------------------------------------------------------===//
// What the node says
//===----------------------------------------------------------------------===//

static FailureOr<SmallVector<int64_t>> resizedAxes(Lowering &L) {
  int64_t Rank = L.in(0).rank();
  FailureOr<SmallVector<int64_t>> Axes =
      L.N.integers("axes", llvm::to_vector(llvm::seq<int64_t>(0, Rank)));
  if (failed(Axes))
    return failure();
  for (int64_t &Axis : *Axes) {
    FailureOr<int64_t> At = L.axis(Axis, Rank);
    if (failed(At))
      return failure();
    Axis = *At;
  }
  return Axes;
}

static bool isGiven(Lowering &L, int64_t Index) {
  return L.has(Index) &&
         !(L.in(Index).rank() == 1 && L.in(Index).type().getDimSize(0) == 0);
}

/// Elements of a list of floats, in f32.
static FailureOr<SmallVector<Value>> realList(Lowering &L, int64_t Index,
                                              int64_t Count) {
  const Plain &Held = L.in(Index);
  if (Held.rank() != 1 || Held.type().getDimSize(0) != Count)
    return L.error() << "its input '" << L.N.inputName(Index)
                     << "' does not have " << Count << " elements";
  Value Tensor = L.converted(Held.Tensor, Held.Element, L.B.getF32Type());
  std::optional<SmallVector<Value>> Elements = L.elementsOf(Tensor);
  if (Elements)
    return *Elements;
  Scalars S(L.B, L.B.getLoc());
  SmallVector<Value> Result;
  for (int64_t At = 0; At < Count; ++At)
    Result.push_back(S.at(Tensor, S.index(At)));
  return Result;
}

/// By sizes: those, or what keeps the proportions of all axes.
static LogicalResult fromSizes(Lowering &L, ArrayRef<int64_t> Axes,
                               SmallVectorImpl<ResizedAxis> &All) {
  FailureOr<std::string> Policy =
      L.N.string("keep_aspect_ratio_policy", "stretch");
  FailureOr<Extents> Sizes = L.listed(3);
  if (failed(Policy) || failed(Sizes))
    return failure();
  if (Sizes->size() != Axes.size())
    return L.error() << "it has " << Sizes->size() << " sizes for "
                     << Axes.size() << " axes";
  Scalars S(L.B, L.B.getLoc());
  Type F32 = L.B.getF32Type();
  Value Common;
  for (auto [Axis, Size] : llvm::zip(Axes, *Sizes)) {
    ResizedAxis &Here = All[Axis];
    if (getConstantIntValue(Size).value_or(0) < 0)
      return L.error() << "a size is negative";
    Here.To = L.max(Size, L.extent(0));
    Here.Scale = S.div(S.toFloat(L.index(Here.To), F32),
                       S.toFloat(L.index(Here.From), F32));
    Here.IsRatio = true;
    if (!Common)
      Common = Here.Scale;
    else
      Common = *Policy == "not_larger" ? S.min(Common, Here.Scale)
                                       : S.max(Common, Here.Scale);
  }
  if (*Policy == "stretch")
    return success();
  if (*Policy != "not_larger" && *Policy != "not_smaller")
    return L.error() << "keep_aspect_ratio_policy '" << *Policy
                     << "' is none of stretch, not_larger, not_smaller";
  for (int64_t Axis : Axes) {
    ResizedAxis &Here = All[Axis];
    Value Exact = S.mul(Common, S.toFloat(L.index(Here.From), F32));
    Value Rounded = S.floor(S.add(Exact, S.like(Exact, 0.5)));
    Here.Scale = Common;
    Here.IsRatio = false;
    Here.To = getAsOpFoldResult(S.max(S.floatToIndex(Rounded), S.index(0)));
  }
  return success();
}

static LogicalResult fromScales(Lowering &L, ArrayRef<int64_t> Axes,
                                SmallVectorImpl<ResizedAxis> &All) {
  FailureOr<SmallVector<Value>> Scales = realList(L, 2, Axes.size());
  if (failed(Scales))
    return failure();
  Scalars S(L.B, L.B.getLoc());
  for (auto [Axis, Scale] : llvm::zip(Axes, *Scales)) {
    ResizedAxis &Here = All[Axis];
    Value IsPositive = S.less(S.like(Scale, 0), Scale);
    L.require(IsPositive, "a scale is not positive");
    Value Safe = S.choose(IsPositive, Scale, S.like(Scale, 1));
    Value Exact = S.mul(S.toFloat(L.index(Here.From), L.B.getF32Type()), Safe);
    Here.Scale = Safe;
    Here.To =
        getAsOpFoldResult(S.max(S.floatToIndex(S.floor(Exact)), S.index(0)));
  }
  return success();
}

static FailureOr<SmallVector<ResizedAxis>> readAxes(Lowering &L,
                                                    const ResizeModes &Modes) {
  FailureOr<SmallVector<int64_t>> Axes = resizedAxes(L);
  if (failed(Axes))
    return failure();
  SmallVector<ResizedAxis> All(L.in(0).rank());
  for (auto [Axis, Here] : llvm::enumerate(All))
    Here.From = Here.To = L.extentOf(L.in(0).Tensor, Axis);
  if (isGiven(L, 3) == isGiven(L, 2))
    return L.error() << "it needs either scales or sizes";
  if (failed(isGiven(L, 3) ? fromSizes(L, *Axes, All)
                           : fromScales(L, *Axes, All)))
    return failure();
  if (Modes.Coordinates != "tf_crop_and_resize")
    return All;
  if (!isGiven(L, 1))
    return L.error() << "tf_crop_and_resize needs a region";
  FailureOr<SmallVector<Value>> Region = realList(L, 1, 2 * Axes->size());
  if (failed(Region))
    return failure();
  for (auto [At, Axis] : llvm::enumerate(*Axes)) {
    All[Axis].Start = (*Region)[At];
    All[Axis].End = (*Region)[Axes->size() + At];
  }
  return All;
}

static FailureOr<ResizeModes> readModes(Lowering &L) {
  FailureOr<std::string> Mode = L.N.string("mode", "nearest");
  FailureOr<std::string> Coordinates =
      L.N.string("coordinate_transformation_mode", "half_pixel");
  FailureOr<std::string> Nearest =
      L.N.string("nearest_mode", "round_prefer_floor");
  FailureOr<int64_t> Antialias = L.N.integer("antialias", 0);
  FailureOr<int64_t> Excludes = L.N.integer("exclude_outside", 0);
  FailureOr<double> Cubic = L.N.real("cubic_coeff_a", -0.75);
  if (failed(Mode) || failed(Coordinates) || failed(Nearest) ||
      failed(Antialias) || failed(Excludes) || failed(Cubic))
    return failure();
  ResizeModes Modes{*Mode == "bilinear" ? "linear" : *Mode,
                    *Coordinates,
                    *Nearest,
                    *Antialias != 0,
                    *Excludes != 0,
                    *Cubic};
  if (StringRef What = Modes.unknown(); !What.empty())
    return L.error() << "mode '" << What << "' is none that Resize has";
  return Modes;
}

//===----------------------------------------------------------------------===//
// The work
//===----------------------------------------------------------------------===//

/// One axis of `Tensor` (floats) by its taps.
static Value interpolated(Lowering &L, Value Tensor, int64_t Axis,
                          OpFoldResult To, const Taps &T) {
  Extents Of = L.extentsOf(Tensor);
  Value Extent = L.index(Of[Axis]);
  Of[Axis] = To;
  Type Held = cast<RankedTensorType>(Tensor.getType()).getElementType();
  int64_t Rank = Of.size();
  Value Sum = L.filled(Of, L.number(Held, 0));
  // The taps are the innermost loop.
  SmallVector<IteratorType> Loops(Rank, IteratorType::parallel);
  Loops.push_back(IteratorType::reduction);
  MLIRContext *Context = L.B.getContext();
  AffineMap Table = AffineMap::get(
      Rank + 1, 0, {L.B.getAffineDimExpr(Axis), L.B.getAffineDimExpr(Rank)},
      Context);
  SmallVector<AffineExpr> Written;
  for (int64_t At = 0; At < Rank; ++At)
    Written.push_back(L.B.getAffineDimExpr(At));
  SmallVector<AffineMap> Maps = {Table, Table,
                                 AffineMap::get(Rank + 1, 0, Written, Context)};
  return linalg::GenericOp::create(
             L.B, Sum.getType(), ValueRange{T.Places, T.Weights}, Sum, Maps,
             Loops,
             [&](OpBuilder &B, Location Loc, ValueRange X) {
               Scalars S(B, Loc);
               SmallVector<Value> At;
               for (int64_t Each = 0; Each < Rank; ++Each)
                 At.push_back(linalg::IndexOp::create(B, Loc, Each));
               At[Axis] = S.within(X[0], Extent);
               Value Read = S.at(Tensor, At);
               // A weight of 0 keeps what it is for out, were it infinite.
               Value Weight = Lowering::convertedElement(B, Loc, X[1],
                                                         B.getF32Type(), Held);
               Value Part = S.choose(S.equal(Weight, S.like(Weight, 0)),
                                     S.like(Weight, 0), S.mul(Read, Weight));
               linalg::YieldOp::create(B, Loc, S.add(X[2], Part));
             })
      .getResult(0);
}

/// One axis by one element each.
static Value picked(Lowering &L, Value Tensor, int64_t Axis, OpFoldResult To,
                    Value Places) {
  Extents Of = L.extentsOf(Tensor);
  Value Extent = L.index(Of[Axis]);
  Of[Axis] = To;
  AffineMap Table = AffineMap::get(Of.size(), 0, {L.B.getAffineDimExpr(Axis)},
                                   L.B.getContext());
  return L.mapped(Places, Table, Of,
                  cast<RankedTensorType>(Tensor.getType()).getElementType(),
                  [&](OpBuilder &B, Location Loc, ValueRange X) {
                    Scalars S(B, Loc);
                    SmallVector<Value> At;
                    for (size_t Each = 0; Each < Of.size(); ++Each)
                      At.push_back(linalg::IndexOp::create(B, Loc, Each));
                    At[Axis] = S.within(X[0], Extent);
                    return S.at(Tensor, At);
                  });
}

/// What lies outside of the input along `Axis` becomes `With`.
static Value extrapolated(Lowering &L, Value Tensor, int64_t Axis,
                          Value IsOutside, double With) {
  Extents Of = L.extentsOf(Tensor);
  Type Held = cast<RankedTensorType>(Tensor.getType()).getElementType();
  AffineMap Table = AffineMap::get(Of.size(), 0, {L.B.getAffineDimExpr(Axis)},
                                   L.B.getContext());
  Value Number = L.number(Held, With);
  return L.mapped({Tensor, IsOutside},
                  {L.B.getMultiDimIdentityMap(Of.size()), Table}, Of, Held,
                  [&](OpBuilder &B, Location Loc, ValueRange X) {
                    return Scalars(B, Loc).choose(X[1], Number, X[0]);
                  });
}

/// Whether every element along the axis stays where it is: an extent that the
/// scale leaves by rounding alone is sampled.
static bool stays(Lowering &L, const ResizedAxis &Axis) {
  if (!Axis.Scale)
    return true;
  bool IsSame = getConstantIntValue(Axis.From) &&
                L.surelyEqual(Axis.From, Axis.To) && !Axis.Start;
  return IsSame && (Axis.IsRatio || matchPattern(Axis.Scale, m_OneFloat()));
}

static LogicalResult lowerResize(Lowering &L) {
  const Plain &Data = L.in(0);
  FailureOr<ResizeModes> Modes = readModes(L);
  FailureOr<double> Outside = L.N.real("extrapolation_value", 0);
  if (failed(Modes) || failed(Outside))
    return failure();
  FailureOr<SmallVector<ResizedAxis>> Axes = readAxes(L, *Modes);
  if (failed(Axes))
    return failure();
  bool IsNearest = Modes->Mode == "nearest";
  // Narrow numbers are interpolated in f32, and rounded at the end.
  Type Wide =
      Data.Element.isF64() ? Type(L.B.getF64Type()) : Type(L.B.getF32Type());
  Value Tensor =
      IsNearest ? Data.Tensor : L.converted(Data.Tensor, Data.Element, Wide);
  SmallVector<std::pair<int64_t, Value>> Out;
  for (auto [Axis, Here] : llvm::enumerate(*Axes)) {
    if (stays(L, Here))
      continue;
    // Nothing can be made of an axis without elements.
    Here.To = L.mul(Here.To, L.min(Here.From, L.extent(1)));
    Here.To = L.staticWhereKnown(Here.To)[0];
    Taps T = makeTaps(L, Here, *Modes);
    Tensor = IsNearest ? picked(L, Tensor, Axis, Here.To, T.Places)
                       : interpolated(L, Tensor, Axis, Here.To, T);
    if (T.IsOutside)
      Out.push_back({int64_t(Axis), T.IsOutside});
  }
  for (auto [Axis, IsOutside] : Out)
    Tensor = extrapolated(L, Tensor, Axis, IsOutside, *Outside);
  if (!IsNearest)
    Tensor = L.converted(Tensor, Wide, Data.Element);
  return L.define({Tensor, Data.Element});
}

ArrayRef<LoweredOperator> tenon::frontend::resamplingOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "Resize", 11, lowerResize},
  };
  return Table;
}
