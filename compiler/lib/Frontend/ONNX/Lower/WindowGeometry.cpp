//===- WindowGeometry.cpp - Where the windows of an operator lie ---------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "WindowGeometry.h"
#include "Scalars.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tenon::frontend;

FailureOr<SmallVector<int64_t>>
tenon::frontend::smallIntegers(Lowering &L, StringRef Name,
                               ArrayRef<int64_t> Default) {
  FailureOr<SmallVector<int64_t>> Values = L.N.integers(Name, Default);
  if (succeeded(Values) && !llvm::all_of(*Values, [](int64_t Value) {
        return llvm::isInt<32>(Value);
      }))
    return L.error() << Name << " has a number that is too large";
  return Values;
}

FailureOr<SmallVector<int64_t>>
tenon::frontend::perAxis(Lowering &L, StringRef Name, int64_t Count,
                         int64_t Default, int64_t Least) {
  FailureOr<SmallVector<int64_t>> Values =
      smallIntegers(L, Name, SmallVector<int64_t>(Count, Default));
  if (failed(Values))
    return failure();
  if (int64_t(Values->size()) != Count ||
      llvm::any_of(*Values, [&](int64_t Value) { return Value < Least; }))
    return L.error() << Name << " has to be " << Count
                     << " numbers, none less than " << Least;
  return Values;
}

FailureOr<WindowAxes> tenon::frontend::readSteps(Lowering &L, int64_t Spatial,
                                                 ArrayRef<int64_t> Kernel) {
  auto Strides = perAxis(L, "strides", Spatial, 1, 1);
  auto Dilations = perAxis(L, "dilations", Spatial, 1, 1);
  auto Shape = smallIntegers(L, "kernel_shape", Kernel);
  if (failed(Strides) || failed(Dilations) || failed(Shape))
    return failure();
  if (int64_t(Shape->size()) != Spatial ||
      llvm::any_of(*Shape, [](int64_t Extent) { return Extent < 1; }))
    return L.error() << "kernel_shape has to be " << Spatial
                     << " numbers, none less than 1";
  if (!Kernel.empty() && ArrayRef(*Shape) != Kernel)
    return L.error() << "kernel_shape is not that of its weights";
  WindowAxes Axes(Spatial);
  for (auto [Index, Axis] : llvm::enumerate(Axes)) {
    Axis.Kernel = (*Shape)[Index];
    Axis.Stride = (*Strides)[Index];
    Axis.Dilation = (*Dilations)[Index];
  }
  return Axes;
}

/// As many windows as there are strides: what they lack is padded, half in
/// front; `IsUpper`: the odd one behind.
static void padSame(Lowering &L, WindowAxis &Axis, bool IsUpper) {
  OpFoldResult One = L.extent(1);
  Axis.Out = L.ceilDiv(Axis.In, L.extent(Axis.Stride));
  OpFoldResult Needs = L.add(L.mul(L.sub(Axis.Out, One), L.extent(Axis.Stride)),
                             L.extent(Axis.reach()));
  OpFoldResult Total = L.max(L.sub(Needs, Axis.In), L.extent(0));
  OpFoldResult Half = L.floorDiv(Total, L.extent(2));
  Axis.Low = IsUpper ? Half : L.sub(Total, Half);
  Axis.High = L.sub(Total, Axis.Low);
}

static LogicalResult countWindows(Lowering &L, WindowAxis &Axis,
                                  bool RoundsUp) {
  OpFoldResult One = L.extent(1), Stride = L.extent(Axis.Stride);
  OpFoldResult Whole = L.add(L.add(Axis.In, Axis.Low), Axis.High);
  OpFoldResult Room = L.sub(Whole, L.extent(Axis.reach()));
  constexpr StringLiteral Message =
      "a window is larger than the padded input that it lies on";
  if (auto Known = getConstantIntValue(Room)) {
    if (*Known < 0)
      return L.error() << Message << ": " << Axis.reach() << " and "
                       << *Known + Axis.reach();
  } else {
    Scalars S(L.B, L.B.getLoc());
    L.require(S.atMost(S.index(0), L.index(Room)), Message);
  }
  Axis.Out =
      L.add(RoundsUp ? L.ceilDiv(Room, Stride) : L.floorDiv(Room, Stride), One);
  // A window that would begin in the padding behind the input is none.
  if (RoundsUp)
    Axis.Out = L.min(Axis.Out, L.ceilDiv(L.add(Axis.In, Axis.Low), Stride));
  Axis.Out = L.max(Axis.Out, L.extent(0));
  return success();
}

FailureOr<WindowAxes> tenon::frontend::readWindows(Lowering &L, Value X,
                                                   ArrayRef<int64_t> Kernel) {
  Extents Of = L.extentsOf(X);
  if (Of.size() < 3)
    return L.error() << "its input has " << Of.size()
                     << " dimensions; windows need a spatial one behind the "
                        "first two";
  int64_t Spatial = Of.size() - 2;
  FailureOr<WindowAxes> Axes = readSteps(L, Spatial, Kernel);
  auto Pads = perAxis(L, "pads", 2 * Spatial, 0, 0);
  FailureOr<std::string> Auto = L.N.string("auto_pad", "NOTSET");
  FailureOr<int64_t> RoundsUp = L.N.integer("ceil_mode", 0);
  if (failed(Axes) || failed(Pads) || failed(Auto) || failed(RoundsUp))
    return failure();
  if (*Auto != "NOTSET" && *Auto != "VALID" && *Auto != "SAME_UPPER" &&
      *Auto != "SAME_LOWER")
    return L.error() << "auto_pad is '" << *Auto
                     << "', expected NOTSET, VALID, SAME_UPPER or SAME_LOWER";
  for (auto [Index, Axis] : llvm::enumerate(*Axes)) {
    bool IsGiven = *Auto == "NOTSET";
    Axis.In = Of[Index + 2];
    Axis.Low = L.extent(IsGiven ? (*Pads)[Index] : 0);
    Axis.High = L.extent(IsGiven ? (*Pads)[Index + Spatial] : 0);
    if (StringRef(*Auto).starts_with("SAME"))
      padSame(L, Axis, *Auto == "SAME_UPPER");
    else if (failed(countWindows(L, Axis, *RoundsUp != 0)))
      return failure();
  }
  return Axes;
}

FailureOr<SmallVector<int64_t>> tenon::frontend::kernelOf(Lowering &L,
                                                          Value Weights) {
  auto Type = cast<RankedTensorType>(Weights.getType());
  if (Type.getRank() < 3)
    return L.error() << "its weights have " << Type.getRank()
                     << " dimensions; a convolution needs three at least";
  SmallVector<int64_t> Kernel(Type.getShape().drop_front(2));
  if (llvm::any_of(Kernel, ShapedType::isDynamic))
    return L.error() << "the spatial extents of its weights are known at run "
                        "time only: fix them in the model";
  return Kernel;
}

Value tenon::frontend::paddedFor(Lowering &L, Value X,
                                 ArrayRef<WindowAxis> Axes, Value With) {
  Extents Low(2, L.extent(0)), High(2, L.extent(0));
  bool IsPadded = false;
  for (const WindowAxis &Axis : Axes) {
    // The windows end behind what the node pads where their count is rounded
    // up.
    OpFoldResult End =
        L.add(L.mul(L.sub(Axis.Out, L.extent(1)), L.extent(Axis.Stride)),
              L.extent(Axis.reach()));
    OpFoldResult Behind = L.sub(L.sub(End, Axis.In), Axis.Low);
    Low.push_back(Axis.Low);
    High.push_back(L.max(Axis.High, Behind));
    IsPadded |= getConstantIntValue(Low.back()) != 0 ||
                getConstantIntValue(High.back()) != 0;
  }
  return IsPadded ? L.padded(X, Low, High, With) : X;
}

Extents tenon::frontend::windowedExtents(Lowering &L, Value X,
                                         ArrayRef<WindowAxis> Axes) {
  Extents Of = {L.extentOf(X, 0), L.extentOf(X, 1)};
  for (const WindowAxis &Axis : Axes)
    Of.push_back(Axis.Out);
  return Of;
}
