//===- InferenceFunctions.cpp - Types of results by type of node ----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "InferenceFunctions.h"
#include "onnx/defs/shape_inference.h"
#include "llvm/ADT/StringSwitch.h"

using ::onnx::InferenceContext;
using ::onnx::InferenceFunction;
using Dimension = ::onnx::TensorShapeProto::Dimension;

//===----------------------------------------------------------------------===//
// What the library leaves out
//===----------------------------------------------------------------------===//

static void inferComparison(InferenceContext &Context) {
  ::onnx::updateOutputElemType(Context, 0, ::onnx::TensorProto::BOOL);
  if (::onnx::hasNInputShapes(Context, 2))
    ::onnx::bidirectionalBroadcastShapeInference(
        ::onnx::getInputShape(Context, 0), ::onnx::getInputShape(Context, 1),
        *::onnx::getOutputShape(Context, 0));
}

/// How many elements are left the condition tells.
static void inferCompress(InferenceContext &Context) {
  ::onnx::propagateElemTypeFromInputToOutput(Context, 0, 0);
  const auto *Axis = Context.getAttribute("axis");
  if (!Axis) {
    ::onnx::getOutputShape(Context, 0)->add_dim();
    return;
  }
  if (!::onnx::hasInputShape(Context, 0))
    return;
  ::onnx::propagateShapeFromInputToOutput(Context, 0, 0);
  auto *Shape = ::onnx::getOutputShape(Context, 0);
  int64_t At = Axis->i() < 0 ? Axis->i() + Shape->dim_size() : Axis->i();
  if (At >= 0 && At < Shape->dim_size())
    Shape->mutable_dim(int(At))->Clear();
}

//===----------------------------------------------------------------------===//
// What the library has wrong
//===----------------------------------------------------------------------===//

/// The dimension `At` of output `Index`; null where its `Rank` is another one.
static Dimension *inferred(InferenceContext &Context, size_t Index, int Rank,
                           int At) {
  if (!Context.hasOutput(Index))
    return nullptr;
  auto &Of = *Context.getOutputType(Index)->mutable_tensor_type();
  return Of.shape().dim_size() == Rank ? Of.mutable_shape()->mutable_dim(At)
                                       : nullptr;
}

/// The dimension `At` of input `Index`, counted from the end.
static Dimension fromTheEnd(InferenceContext &Context, size_t Index, int At) {
  if (!::onnx::hasInputShape(Context, Index))
    return {};
  const auto &Shape = ::onnx::getInputShape(Context, Index);
  return At <= Shape.dim_size() ? Shape.dim(Shape.dim_size() - At)
                                : Dimension();
}

/// An extent that it does not know it takes for 0, and it counts the past only
/// where the present is asked for.
static void correctAttention(InferenceContext &Context) {
  Dimension Keys = fromTheEnd(Context, 1, 2);
  if (Context.hasInput(4)) {
    Dimension Past = fromTheEnd(Context, 4, 2);
    bool IsKnown = Keys.has_dim_value() && Past.has_dim_value();
    int64_t Sum = Keys.dim_value() + Past.dim_value();
    Keys.Clear();
    if (IsKnown)
      Keys.set_dim_value(Sum);
  }
  if (Dimension *Scores = inferred(Context, 3, 4, 3))
    *Scores = Keys;
  Dimension *Size = inferred(Context, 0, 3, 2);
  if (Size && !fromTheEnd(Context, 2, 1).has_dim_value())
    Size->Clear();
}

/// It takes the first extent that an axis has, which may be the 1 that is
/// broadcast to another.
static void correctEinsum(InferenceContext &Context) {
  auto &Of = *Context.getOutputType(0)->mutable_tensor_type();
  if (!Of.has_shape())
    return;
  for (Dimension &Dim : *Of.mutable_shape()->mutable_dim())
    if (!Dim.has_dim_value() || Dim.dim_value() == 1)
      Dim.Clear();
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

static InferenceFunction ownInference(llvm::StringRef Operator) {
  return llvm::StringSwitch<InferenceFunction>(Operator)
      .Cases({"GroupNormalization", "MeanVarianceNormalization"},
             ::onnx::propagateShapeAndTypeFromFirstInput)
      .Cases({"GreaterOrEqual", "LessOrEqual"}, inferComparison)
      .Case("Compress", inferCompress)
      .Default(nullptr);
}

InferenceFunction tenon::frontend::inferenceOf(const ::onnx::OpSchema &Schema) {
  bool IsKnown = Schema.has_type_and_shape_inference_function();
  if (!Schema.domain().empty())
    return IsKnown ? Schema.GetTypeAndShapeInferenceFunction() : nullptr;
  if (!IsKnown)
    return ownInference(Schema.Name());
  InferenceFunction Library = Schema.GetTypeAndShapeInferenceFunction();
  auto correct = llvm::StringSwitch<void (*)(InferenceContext &)>(Schema.Name())
                     .Case("Attention", correctAttention)
                     .Case("Einsum", correctEinsum)
                     .Default(nullptr);
  if (!correct)
    return Library;
  return [=](InferenceContext &Context) {
    Library(Context);
    correct(Context);
  };
}
