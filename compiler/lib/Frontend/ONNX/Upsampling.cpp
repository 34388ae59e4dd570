//===- Upsampling.cpp - Resize, DepthToSpace, SpaceToDepth ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Of 8-bit images, whose elements they move, or between which they put linear
// ones.
//
//===----------------------------------------------------------------------===//

#include "Movement.h"
#include "Registry.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace tenon::frontend;

/// An 8-bit image with its channels last; reports anything else.
static FailureOr<Stored> imageOf(Importer &I, const Node &N,
                                 const Stored &Input) {
  Stored Image = channelsLast(I, Input);
  if (Image.Axes == nhwcOrder() &&
      getElementTypeOrSelf(Image.Value.getType()).isInteger(8))
    return Image;
  return N.error() << "its input of " << describe(Input.shape())
                   << " is no image of 8-bit integers";
}

//===----------------------------------------------------------------------===//
// DepthToSpace, SpaceToDepth
//===----------------------------------------------------------------------===//

/// The image as `Split` axes, those in the order of `Perm`, and them as `Dims`
/// (N, H, W, C).
static Stored rearranged(Importer &I, const Node &N, const Stored &Image,
                         ArrayRef<int64_t> Split, ArrayRef<int32_t> Perm,
                         ArrayRef<int64_t> Dims) {
  Value Parts = I.Emit.reshaped(Image.Value, Split);
  SmallVector<int64_t> Moved;
  for (int32_t From : Perm)
    Moved.push_back(Split[From]);
  Parts = I.Emit.create<tosa::TransposeOp>(
      I.Emit.type(Moved, getElementTypeOrSelf(Parts.getType())), Parts,
      SmallVector<int32_t>(Perm));
  Stored Result = Image;
  Result.Value = I.Emit.reshaped(Parts, Dims);
  markSelected(I, N, Result);
  return Result;
}

static FailureOr<int64_t> blockSize(const Node &N) {
  auto Size = N.integer("blocksize", 0);
  constexpr int64_t Most = 1 << 15;
  if (succeeded(Size) && (*Size < 1 || *Size > Most))
    return N.error() << "blocksize is " << *Size << ", expected 1 to " << Most;
  return Size;
}

LogicalResult tenon::frontend::buildDepthToSpace(Importer &I, const Node &N) {
  FailureOr<int64_t> Found = blockSize(N);
  auto Mode = N.string("mode", "DCR");
  if (failed(Found) || failed(Mode))
    return failure();
  if (*Mode != "DCR" && *Mode != "CRD")
    return N.error() << "mode is '" << *Mode << "', expected DCR or CRD";
  int64_t S = *Found;
  return move(I, N, [&](const Stored &Input) -> FailureOr<Stored> {
    FailureOr<Stored> Image = imageOf(I, N, Input);
    if (failed(Image))
      return failure();
    Shape Dims = Input.shape();
    int64_t B = Dims[0], C = Dims[1] / (S * S), H = Dims[2], W = Dims[3];
    if (Dims[1] % (S * S))
      return N.error() << Dims[1] << " channels are no blocks of " << S << "x"
                       << S;
    if (*Mode == "DCR")
      return rearranged(I, N, *Image, {B, H, W, S, S, C}, {0, 1, 3, 2, 4, 5},
                        {B, H * S, W * S, C});
    return rearranged(I, N, *Image, {B, H, W, C, S, S}, {0, 1, 4, 2, 5, 3},
                      {B, H * S, W * S, C});
  });
}

LogicalResult tenon::frontend::buildSpaceToDepth(Importer &I, const Node &N) {
  FailureOr<int64_t> Found = blockSize(N);
  if (failed(Found))
    return failure();
  int64_t S = *Found;
  return move(I, N, [&](const Stored &Input) -> FailureOr<Stored> {
    FailureOr<Stored> Image = imageOf(I, N, Input);
    if (failed(Image))
      return failure();
    Shape Dims = Input.shape();
    int64_t B = Dims[0], C = Dims[1], H = Dims[2] / S, W = Dims[3] / S;
    if (Dims[2] % S || Dims[3] % S)
      return N.error() << "an image of " << Dims[2] << "x" << Dims[3]
                       << " is not made of blocks of " << S << "x" << S;
    return rearranged(I, N, *Image, {B, H, S, W, S, C}, {0, 1, 3, 2, 4, 5},
                      {B, H, W, S * S * C});
  });
}

//===----------------------------------------------------------------------===//
// Resize
//===----------------------------------------------------------------------===//

namespace {
/// Numerator and denominator, which is positive.
struct Ratio {
  int64_t Up, Down;
};

struct Modes {
  std::string Coordinates, Nearest;
};
} // namespace

/// Where element `I` of an axis that grows from In to In * Factor lies in the
/// input.
static std::optional<Ratio> sourceOf(StringRef Coordinates, int64_t I,
                                     int64_t In, int64_t Factor) {
  int64_t Out = In * Factor;
  if (Coordinates == "asymmetric")
    return Ratio{I, Factor};
  if (Coordinates == "align_corners")
    return Out == 1 ? Ratio{0, 1} : Ratio{I * (In - 1), Out - 1};
  // pytorch_half_pixel differs where several elements become one: no axis
  // shrinks here.
  if (Coordinates == "half_pixel" || Coordinates == "half_pixel_symmetric" ||
      Coordinates == "pytorch_half_pixel")
    return Ratio{2 * I + 1 - Factor, 2 * Factor};
  return std::nullopt;
}

static int64_t rounded(StringRef Nearest, Ratio At) {
  if (Nearest == "floor")
    return llvm::divideFloorSigned(At.Up, At.Down);
  if (Nearest == "ceil")
    return llvm::divideCeilSigned(At.Up, At.Down);
  return Nearest == "round_prefer_ceil"
             ? llvm::divideFloorSigned(2 * At.Up + At.Down, 2 * At.Down)
             : llvm::divideCeilSigned(2 * At.Up - At.Down, 2 * At.Down);
}

/// Whether each element becomes `Factor` neighbours.
static bool repeats(const Modes &M, int64_t In, int64_t Factor) {
  for (int64_t I = 0; I < In * Factor; ++I) {
    std::optional<Ratio> At = sourceOf(M.Coordinates, I, In, Factor);
    if (!At ||
        std::clamp<int64_t>(rounded(M.Nearest, *At), 0, In - 1) != I / Factor)
      return false;
  }
  return true;
}

/// How often the elements of all axes, or with `BetweenCorners` the distances
/// between them, are in the result; reports what is no whole number.
static FailureOr<Shape> factorsOf(Importer &I, const Node &N,
                                  ArrayRef<int64_t> Dims, bool BetweenCorners) {
  auto Type = dyn_cast<RankedTensorType>(N.output(0).getType());
  auto Axes = N.integers(
      "axes", llvm::to_vector(llvm::seq<int64_t>(0, int64_t(Dims.size()))));
  auto Policy = N.string("keep_aspect_ratio_policy", "stretch");
  if (failed(Axes) || failed(Policy))
    return failure();
  Shape Factors(Dims.size(), 1);
  bool IsWhole = Type && Type.hasStaticShape() &&
                 Type.getRank() == int64_t(Dims.size()) && *Policy == "stretch";
  for (size_t Axis = 0; IsWhole && Axis < Dims.size(); ++Axis) {
    int64_t Less = BetweenCorners && Dims[Axis] > 1;
    int64_t In = std::max<int64_t>(Dims[Axis] - Less, 1);
    int64_t Out = Type.getDimSize(Axis) - Less;
    Factors[Axis] = Out / In;
    IsWhole = Factors[Axis] >= 1 && Out == In * Factors[Axis];
  }
  // The result of a scale that is no whole number may have a length that is.
  if (IsWhole && N.hasInput(2) && !BetweenCorners) {
    std::optional<TensorData> Scales = I.constant(N, 2);
    if (!Scales)
      return failure();
    bool IsGiven = Scales->size() == int64_t(Axes->size());
    IsWhole = IsGiven || Scales->size() == 0;
    for (size_t At = 0; IsGiven && IsWhole && At < Axes->size(); ++At) {
      FailureOr<int64_t> Axis = normalizedAxis(N, (*Axes)[At], Dims.size());
      if (failed(Axis))
        return failure();
      IsWhole = Scales->real(At) == double(Factors[*Axis]);
    }
  }
  if (!IsWhole || Factors[0] != 1 || Factors[1] != 1)
    return N.error() << "its factors are no whole numbers known in advance, of "
                        "rows and columns alone";
  return Factors;
}

static LogicalResult repeatPixels(Importer &I, const Node &N, const Modes &M) {
  return move(I, N, [&](const Stored &Input) -> FailureOr<Stored> {
    FailureOr<Stored> Image = imageOf(I, N, Input);
    if (failed(Image))
      return failure();
    Shape Dims = Input.shape();
    FailureOr<Shape> Factors = factorsOf(I, N, Dims, /*BetweenCorners=*/false);
    if (failed(Factors))
      return failure();
    int64_t SY = (*Factors)[2], SX = (*Factors)[3];
    if (!repeats(M, Dims[2], SY) || !repeats(M, Dims[3], SX))
      return N.error() << "with '" << M.Coordinates << "' and '" << M.Nearest
                       << "' it does not repeat each pixel as often";
    if (SY * SX == 1)
      return *Image;
    // TOSA's nearest of (2 * i + 1 - s) / 2s, half a pixel from i / s.
    Image->Value = I.Emit.create<tosa::ResizeOp>(
        I.Emit.type({Dims[0], Dims[2] * SY, Dims[3] * SX, Dims[1]},
                    I.Emit.i8()),
        Image->Value, I.Emit.shape({2 * SY, 2, 2 * SX, 2}),
        I.Emit.shape({1 - SY, 1 - SX}), I.Emit.shape({SY - 1, SX - 1}),
        tosa::ResizeMode::NEAREST_NEIGHBOR);
    markSelected(I, N, *Image);
    return *Image;
  });
}

/// `Factor` elements for each of `In`; none where the coordinates are no mode
/// of enlarging.
static std::optional<Grid> gridOf(StringRef Coordinates, int64_t In,
                                  int64_t Factor) {
  // Between corners each distance is divided, as from the first of them on.
  bool BetweenCorners = Coordinates == "align_corners" && In > 1;
  int64_t Out = BetweenCorners ? (In - 1) * Factor + 1 : In * Factor;
  if (BetweenCorners || In == 1)
    return Grid{Factor, 1, 0, Out};
  std::optional<Ratio> First = sourceOf(Coordinates, 0, In, Factor),
                       Second = sourceOf(Coordinates, 1, In, Factor);
  if (!First || !Second)
    return std::nullopt;
  int64_t Distance = Second->Up - First->Up;
  int64_t Common = std::gcd(std::gcd(First->Down, Distance), First->Up);
  return Grid{First->Down / Common, Distance / Common, First->Up / Common, Out};
}

/// Of dequantised integers: what is between two of them is computed, and
/// rounded once.
static LogicalResult interpolate(Importer &I, const Node &N,
                                 StringRef Coordinates) {
  FailureOr<Quantized> Input = I.quantized(N, 0);
  FailureOr<Stored> Image = failed(Input) ? FailureOr<Stored>(failure())
                                          : imageOf(I, N, Input->Tensor);
  if (failed(Image))
    return failure();
  Input->Tensor = *Image;
  Shape Dims = Image->shape();
  FailureOr<Shape> Factors =
      factorsOf(I, N, Dims, Coordinates == "align_corners");
  if (failed(Factors))
    return failure();
  auto Rows = gridOf(Coordinates, Dims[2], (*Factors)[2]),
       Columns = gridOf(Coordinates, Dims[3], (*Factors)[3]);
  if (!Rows || !Columns)
    return N.error() << "with '" << Coordinates
                     << "' its pixels do not lie at whole parts of those of "
                        "its input";
  // TOSA counts so many parts between two pixels.
  constexpr int64_t MostParts = 1 << 11;
  if (std::max(Rows->Up, Columns->Up) > MostParts)
    return N.error() << "it divides a pixel into "
                     << std::max(Rows->Up, Columns->Up)
                     << " parts, expected at most " << MostParts;
  Real Result{Interpolation{*Input, *Rows, *Columns},
              {Dims[0], Dims[1], Rows->Out, Columns->Out}};
  Result.Places.push_back(N.location());
  return I.define(N, Result);
}

LogicalResult tenon::frontend::buildResize(Importer &I, const Node &N) {
  auto Mode = N.string("mode", "nearest");
  auto Coordinates = N.string("coordinate_transformation_mode", "half_pixel");
  auto Nearest = N.string("nearest_mode", "round_prefer_floor");
  if (failed(Mode) || failed(Coordinates) || failed(Nearest))
    return failure();
  if (*Mode == "nearest")
    return repeatPixels(I, N, {*Coordinates, *Nearest});
  if (*Mode == "linear")
    return interpolate(I, N, *Coordinates);
  return N.error() << "mode '" << *Mode
                   << "' has taps that are negative, or beyond neighbours; "
                      "integers are resized to nearest and linear ones only";
}
