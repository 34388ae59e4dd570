//===- DataMovement.cpp - Operators that compute nothing ------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// They act on integers and on dequantised tensors alike: what moves is held.
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "Movement.h"
#include "Registry.h"

using namespace mlir;
using namespace tenon::frontend;

LogicalResult tenon::frontend::move(Importer &I, const Node &N, Move Apply) {
  const Tensor *Found = I.input(N, 0);
  if (!Found)
    return failure();
  if (const auto *Held = std::get_if<Stored>(Found)) {
    FailureOr<Stored> Result = Apply(*Held);
    if (failed(Result))
      return failure();
    I.mark(*Result, N.outputName(0), Result->shape());
    return I.define(N, *Result);
  }
  FailureOr<Real> Value = I.real(N, 0);
  if (failed(Value))
    return failure();
  auto *Q = std::get_if<Quantized>(&Value->Value);
  auto *C = std::get_if<Computed>(&Value->Value);
  if (!Q && !C)
    return N.error() << "input 0 ('" << N.inputName(0)
                     << "') is the float result of an operator: put "
                        "QuantizeLinear and DequantizeLinear before this one";
  Stored &Held = Q ? Q->Tensor : C->Tensor;
  FailureOr<Stored> Result = Apply(Held);
  if (failed(Result))
    return failure();
  Held = *Result;
  Value->Dims = Held.shape();
  Value->Places.push_back(N.location());
  return I.define(N, *Value);
}

Stored tenon::frontend::channelsLast(Importer &I, const Stored &Input) {
  auto Type = cast<RankedTensorType>(Input.Value.getType());
  if (Type.getRank() != 4 || !Type.getElementType().isInteger(8))
    return Input;
  return Stored{I.Emit.permuted(Input, nhwcOrder()), nhwcOrder(),
                Input.IsUnsigned, Input.Type};
}

void tenon::frontend::markSelected(Importer &I, const Node &N,
                                   const Stored &Result) {
  if (getElementTypeOrSelf(Result.Value.getType()).isInteger(8))
    I.mark(Result, N.outputName(0), Result.shape());
}

Shape tenon::frontend::heldOrder(const Stored &Input,
                                 ArrayRef<int64_t> Values) {
  Shape Result(Values.size());
  for (auto [Axis, Value] : llvm::zip(Input.Axes, Values))
    Result[Axis] = Value;
  return Result;
}

/// Whether ONNX's row-major order of elements is that of the held value: its
/// axes of more than one element stand in the same order.
static bool isRowMajor(const Stored &Input) {
  auto Dims = cast<RankedTensorType>(Input.Value.getType()).getShape();
  int64_t Last = -1;
  for (int64_t Axis : Input.Axes) {
    if (Dims[Axis] == 1)
      continue;
    if (Axis < Last)
      return false;
    Last = Axis;
  }
  return true;
}

static Stored reshaped(Importer &I, const Stored &Input,
                       ArrayRef<int64_t> Dims) {
  Value Held = isRowMajor(Input)
                   ? Input.Value
                   : I.Emit.permuted(Input, identityOrder(Input.Axes.size()));
  return Stored{I.Emit.reshaped(Held, Dims), identityOrder(Dims.size()),
                Input.IsUnsigned, Input.Type};
}

/// The shape that Reshape's operand means for an input of `Dims`.
static FailureOr<Shape> targetShape(const Node &N, const TensorData &Wanted,
                                    ArrayRef<int64_t> Dims, bool AllowZero) {
  Shape Result;
  int64_t Open = -1;
  for (int64_t Axis = 0; Axis < Wanted.size(); ++Axis) {
    int64_t Dim = Wanted.integer(Axis);
    if (Dim == 0 && !AllowZero && Axis < int64_t(Dims.size()))
      Dim = Dims[Axis];
    if (Dim == -1 && Open < 0) {
      Open = Axis;
      Dim = 1;
    }
    Result.push_back(Dim);
  }
  int64_t Count = *elementCount(Dims);
  std::optional<int64_t> Known = elementCount(Result);
  if (Open >= 0 && Known && *Known > 0 && Count % *Known == 0) {
    Result[Open] = Count / *Known;
    Known = Count;
  }
  if (!Known || *Known != Count)
    return N.error() << "an input of " << describe(Dims) << " cannot become "
                     << describe(Result);
  return Result;
}

LogicalResult tenon::frontend::buildReshape(Importer &I, const Node &N) {
  auto AllowZero = N.integer("allowzero", 0);
  std::optional<TensorData> Wanted = I.constant(N, 1);
  if (failed(AllowZero) || !Wanted)
    return failure();
  if (!Wanted->elementType().isSignlessInteger(64) ||
      Wanted->shape().size() != 1)
    return N.error() << "the shape '" << N.inputName(1) << "' is "
                     << describeType(Wanted->elementType()) << " of "
                     << describe(Wanted->shape())
                     << ", expected a list of INT64";
  return move(I, N, [&](const Stored &Input) -> FailureOr<Stored> {
    FailureOr<Shape> Dims =
        targetShape(N, *Wanted, Input.shape(), *AllowZero != 0);
    if (failed(Dims))
      return failure();
    return reshaped(I, Input, *Dims);
  });
}

LogicalResult tenon::frontend::buildFlatten(Importer &I, const Node &N) {
  auto Axis = N.integer("axis", 1);
  if (failed(Axis))
    return failure();
  return move(I, N, [&](const Stored &Input) -> FailureOr<Stored> {
    Shape Dims = Input.shape();
    int64_t Rank = Dims.size();
    if (*Axis < -Rank || *Axis > Rank)
      return N.error() << "axis " << *Axis << " is outside of a tensor of "
                       << describe(Dims);
    int64_t Split = *Axis < 0 ? *Axis + Rank : *Axis;
    ArrayRef<int64_t> All = Dims;
    return reshaped(I, Input,
                    {*elementCount(All.take_front(Split)),
                     *elementCount(All.drop_front(Split))});
  });
}

/// Removes `Axes`, or every axis of one element when there are none.
static LogicalResult squeeze(Importer &I, const Node &N,
                             ArrayRef<int64_t> Axes) {
  return move(I, N, [&](const Stored &Input) -> FailureOr<Stored> {
    Shape Dims = Input.shape(), Kept;
    llvm::SmallDenseSet<int64_t> Removed;
    for (int64_t Axis : Axes) {
      FailureOr<int64_t> Normal = normalizedAxis(N, Axis, Dims.size());
      if (failed(Normal))
        return failure();
      if (Dims[*Normal] != 1)
        return N.error() << "axis " << *Normal << " of " << describe(Dims)
                         << " has more than one element";
      Removed.insert(*Normal);
    }
    for (auto [Axis, Dim] : llvm::enumerate(Dims))
      if (Axes.empty() ? Dim != 1 : !Removed.contains(Axis))
        Kept.push_back(Dim);
    return reshaped(I, Input, Kept);
  });
}

LogicalResult tenon::frontend::buildSqueeze(Importer &I, const Node &N) {
  Shape Axes;
  if (N.hasInput(1)) {
    std::optional<TensorData> Listed = I.constant(N, 1);
    if (!Listed)
      return failure();
    if (!Listed->elementType().isSignlessInteger(64))
      return N.error() << "the axes '" << N.inputName(1) << "' are "
                       << describeType(Listed->elementType())
                       << ", expected INT64";
    for (int64_t Index = 0; Index < Listed->size(); ++Index)
      Axes.push_back(Listed->integer(Index));
  }
  return squeeze(I, N, Axes);
}

/// Nothing moves yet: the axes are renamed, and who needs an order transposes.
LogicalResult tenon::frontend::buildTranspose(Importer &I, const Node &N) {
  auto Listed = N.integers("perm", {});
  if (failed(Listed))
    return failure();
  return move(I, N, [&](const Stored &Input) -> FailureOr<Stored> {
    int64_t Rank = Input.Axes.size();
    ArrayRef<int64_t> Given = *Listed;
    Shape Perm(Given);
    if (Perm.empty())
      for (int64_t Axis = Rank - 1; Axis >= 0; --Axis)
        Perm.push_back(Axis);
    if (int64_t(Perm.size()) != Rank ||
        !std::is_permutation(Perm.begin(), Perm.end(),
                             identityOrder(Rank).begin()))
      return N.error() << "perm is not a permutation of " << Rank << " axes";
    Stored Result = Input;
    for (auto [To, From] : llvm::zip(Result.Axes, Perm))
      To = Input.Axes[From];
    return Result;
  });
}

LogicalResult tenon::frontend::buildIdentity(Importer &I, const Node &N) {
  const Tensor *Found = I.input(N, 0);
  return Found ? I.define(N, Tensor(*Found)) : failure();
}

//===----------------------------------------------------------------------===//
// Concat
//===----------------------------------------------------------------------===//

/// `First` and `Dims` differ along `Axis` only.
static bool fits(ArrayRef<int64_t> First, ArrayRef<int64_t> Dims,
                 int64_t Axis) {
  if (First.size() != Dims.size())
    return false;
  for (auto [Index, Pair] : llvm::enumerate(llvm::zip(First, Dims)))
    if (int64_t(Index) != Axis && std::get<0>(Pair) != std::get<1>(Pair))
      return false;
  return true;
}

/// The parts keep their scales; the Quantize that follows gives them one.
LogicalResult tenon::frontend::buildConcat(Importer &I, const Node &N) {
  auto Listed = N.integer("axis", 1);
  if (failed(Listed))
    return failure();
  Concatenation Result;
  Shape Dims;
  for (int Index = 0; Index < N.inputCount(); ++Index) {
    FailureOr<Quantized> Part = I.quantized(N, Index);
    if (failed(Part))
      return failure();
    Shape PartDims = Part->Tensor.shape();
    if (Index == 0) {
      FailureOr<int64_t> Axis = normalizedAxis(N, *Listed, PartDims.size());
      if (failed(Axis))
        return failure();
      Result.Axis = *Axis;
      Dims = PartDims;
    } else if (!fits(Dims, PartDims, Result.Axis)) {
      return N.error() << "its inputs of " << describe(Dims) << " and "
                       << describe(PartDims) << " differ in more than axis "
                       << Result.Axis;
    } else {
      Dims[Result.Axis] += PartDims[Result.Axis];
    }
    Result.Parts.push_back(*Part);
  }
  Real Value{Result, Dims};
  Value.Places.push_back(N.location());
  return I.define(N, Value);
}
