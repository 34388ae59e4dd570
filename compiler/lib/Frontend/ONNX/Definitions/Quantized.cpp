//===- Quantized.cpp - Quantised operators of com.microsoft ---------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Dequantised, computed as real numbers, quantised again: the form that integer
// clusters are made of.
//
//===----------------------------------------------------------------------===//

#include "../Definitions.h"

using namespace mlir;
using namespace tenon::frontend;

/// The real numbers of `X`, which has the inputs X_scale and X_zero.
static std::string real(Definition &D, const llvm::Twine &X) {
  return D.let("DequantizeLinear (" + X + ", " + X + "_scale, " + X + "_zero)");
}

/// `Result` is `Real`, quantised by the inputs y_scale and y_zero; without a
/// zero point as the type of `Like` has it.
static LogicalResult quantize(Definition &D, StringRef Real, StringRef Like,
                              StringRef Result = "y") {
  if (D.has("y_zero")) {
    D.write(Result + " = QuantizeLinear (" + Real + ", y_scale, y_zero)");
    return success();
  }
  RankedTensorType Type = D.type(Like);
  if (!Type)
    return D.error() << "the type of its input '" << Like
                     << "' is not known, and it has no zero point";
  bool IsUnsigned = Type.getElementType().isUnsignedInteger();
  D.write(Result + " = QuantizeLinear <output_dtype : int = " +
          llvm::Twine(IsUnsigned ? 2 : 3) + "> (" + Real + ", y_scale)");
  return success();
}

/// Of two inputs.
template <const char *Operator>
static LogicalResult defineBinary(Definition &D) {
  std::string A = real(D, "a"), B = real(D, "b");
  return quantize(D, D.let(llvm::Twine(Operator) + " (" + A + ", " + B + ")"),
                  "a");
}

static LogicalResult defineConcat(Definition &D) {
  ArrayRef<StringRef> Inputs = D.inputs();
  if ((Inputs.size() - 2) % 3 != 0)
    return D.error() << "it has " << Inputs.size()
                     << " inputs, expected 2 and triples of a tensor, scale "
                        "and zero point";
  std::string Reals;
  for (size_t Index = 2; Index < Inputs.size(); Index += 3)
    Reals += (Index > 2 ? ", " : "") +
             D.let("DequantizeLinear (" + Inputs[Index] + ", " +
                   Inputs[Index + 1] + ", " + Inputs[Index + 2] + ")");
  return quantize(D,
                  D.let("Concat" + D.attributes({"axis"}) + " (" + Reals + ")"),
                  Inputs[2]);
}

static LogicalResult defineWhere(Definition &D) {
  std::string A = real(D, "a"), B = real(D, "b");
  return quantize(D, D.let("Where (condition, " + A + ", " + B + ")"), "a");
}

static LogicalResult defineLeakyRelu(Definition &D) {
  return quantize(
      D,
      D.let("LeakyRelu" + D.attributes({"alpha"}) + " (" + real(D, "x") + ")"),
      "x");
}

static LogicalResult defineSigmoid(Definition &D) {
  return quantize(D, D.let("Sigmoid (" + real(D, "x") + ")"), "x");
}

/// Before version 13 over all axes from `axis` on.
static LogicalResult defineSoftmax(Definition &D) {
  auto Axis = D.N.integer("axis", -1);
  auto Version = D.N.integer("opset", 13);
  if (failed(Axis) || failed(Version))
    return failure();
  std::string X = real(D, "x");
  if (*Version >= 13)
    return quantize(
        D,
        D.let("Softmax <axis : int = " + llvm::Twine(*Axis) + "> (" + X + ")"),
        "x");
  D.write("shape = Shape (x)");
  D.write("flat = Flatten <axis : int = " + llvm::Twine(*Axis) + "> (" + X +
          ")");
  D.write("rows = Softmax <axis : int = -1> (flat)");
  return quantize(D, D.let("Reshape (rows, shape)"), "x");
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

/// Axes of a permutation that brings the channels to the end, or back from it.
static std::string permutation(int64_t Rank, bool ToEnd) {
  std::string List = "0";
  if (!ToEnd)
    List += ", " + std::to_string(Rank - 1);
  for (int64_t Axis = ToEnd ? 2 : 1; Axis < Rank - !ToEnd; ++Axis)
    List += ", " + std::to_string(Axis);
  if (ToEnd)
    List += ", 1";
  return "Transpose <perm : ints = [" + List + "]> (";
}

/// `Call` of one input on `x` with its channels as ONNX has them; those of the
/// integers it gives move.
static LogicalResult pooled(Definition &D, StringRef Call) {
  auto IsLast = D.N.integer("channels_last", 0);
  if (failed(IsLast))
    return failure();
  std::string X = real(D, "x");
  if (!*IsLast)
    return quantize(D, D.let(Call + " (" + X + ")"), "x");
  RankedTensorType Type = D.type("x");
  if (!Type || Type.getRank() < 3)
    return D.error() << "its input has no known rank of 3 or more";
  std::string First = D.let(permutation(Type.getRank(), false) + X + ")");
  std::string Result = D.let(Call + " (" + First + ")");
  if (failed(quantize(D, Result, "x", "pooled")))
    return failure();
  D.write("y = " + permutation(Type.getRank(), true) + "pooled)");
  return success();
}

static LogicalResult defineAveragePool(Definition &D) {
  return pooled(D,
                "AveragePool" +
                    D.attributes({"auto_pad", "ceil_mode", "count_include_pad",
                                  "kernel_shape", "pads", "strides"}));
}

static LogicalResult defineGlobalAveragePool(Definition &D) {
  return pooled(D, "GlobalAveragePool");
}

static LogicalResult defineReduceMean(Definition &D) {
  auto Axes = D.N.integers("axes", {});
  if (failed(Axes))
    return failure();
  std::string X = real(D, "x");
  return quantize(D,
                  D.let("ReduceMean" + D.attributes({"keepdims"}) + " (" + X +
                        ", " + D.integers(*Axes) + ")"),
                  "x");
}

//===----------------------------------------------------------------------===//
// To and from real numbers
//===----------------------------------------------------------------------===//

static LogicalResult defineQuantize(Definition &D) {
  D.write("y = QuantizeLinear" + D.attributes({"axis"}) + " (x, scale, zero)");
  return success();
}

static LogicalResult defineDequantize(Definition &D) {
  D.write("y = DequantizeLinear" + D.attributes({"axis"}) +
          " (x, scale, zero)");
  return success();
}

static constexpr char Add[] = "Add", Mul[] = "Mul";

ArrayRef<DefinedOperator> tenon::frontend::quantizedDefinitions() {
  static constexpr llvm::StringLiteral
      Unary = "x x_scale x_zero y_scale y_zero",
      Binary = "a a_scale a_zero b b_scale b_zero y_scale y_zero";
  static constexpr DefinedOperator Table[] = {
      {"com.microsoft", "DequantizeLinear", "x scale zero", "y",
       defineDequantize},
      {"com.microsoft", "QLinearAdd", Binary, "y", defineBinary<Add>},
      {"com.microsoft", "QLinearAveragePool", Unary, "y", defineAveragePool},
      {"com.microsoft", "QLinearConcat", "y_scale y_zero x...", "y",
       defineConcat},
      {"com.microsoft", "QLinearGlobalAveragePool", Unary, "y",
       defineGlobalAveragePool},
      {"com.microsoft", "QLinearLeakyRelu", Unary, "y", defineLeakyRelu},
      {"com.microsoft", "QLinearMul", Binary, "y", defineBinary<Mul>},
      {"com.microsoft", "QLinearReduceMean", Unary, "y", defineReduceMean},
      {"com.microsoft", "QLinearSigmoid", Unary, "y", defineSigmoid},
      {"com.microsoft", "QLinearSoftmax", Unary, "y", defineSoftmax},
      {"com.microsoft", "QLinearWhere",
       "condition a a_scale a_zero b b_scale b_zero y_scale y_zero", "y",
       defineWhere},
      {"com.microsoft", "QuantizeLinear", "x scale zero", "y", defineQuantize},
  };
  return Table;
}
