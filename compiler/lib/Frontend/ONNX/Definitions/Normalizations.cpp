//===- Normalizations.cpp - Normalisations of onnxruntime -----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// LayerNormalization and SimplifiedLayerNormalization stand in ai.onnx, though
// ONNX does not define them in these versions.
//
//===----------------------------------------------------------------------===//

#include "../Definitions.h"

using namespace mlir;
using namespace tenon::frontend;

/// ` <axis, epsilon>` for a normalisation over `Axis`; `Default` is epsilon's.
static FailureOr<std::string> over(Definition &D, int64_t Axis,
                                   double Default) {
  auto Epsilon = D.N.real("epsilon", Default);
  if (failed(Epsilon))
    return failure();
  return llvm::formatv(" <axis : int = {0}, epsilon : float = {1:e9}>", Axis,
                       *Epsilon)
      .str();
}

/// `y` and what there is beside it: statistics of `x` over its last axes.
static LogicalResult normalize(Definition &D, StringRef X, StringRef Y,
                               StringRef Scale, StringRef Shift, int64_t Axis,
                               double Epsilon, bool HasMean) {
  auto Over = over(D, Axis, Epsilon);
  if (failed(Over))
    return failure();
  if (HasMean) {
    D.write(Y + ", mean, inv_std_var = LayerNormalization" + *Over + " (" + X +
            ", " + Scale + (Shift.empty() ? "" : ", " + Shift.str()) + ")");
    return success();
  }
  D.write(Y + " = RMSNormalization" + *Over + " (" + X + ", " + Scale + ")");
  return success();
}

/// 1 / sqrt(mean(x^2) + epsilon), as float, where somebody asks for it.
static LogicalResult addInverse(Definition &D, StringRef X, int64_t Output,
                                double Default) {
  auto Epsilon = D.N.real("epsilon", Default);
  if (failed(Epsilon) || !D.wants(Output))
    return Epsilon;
  D.write("wide = Cast <to : int = 1> (" + X + ")");
  D.write("squares = Mul (wide, wide)");
  D.write("mean_square = ReduceMean (squares, " + D.integers({-1}) + ")");
  D.write("safe = Add (mean_square, " + D.real(*Epsilon) + ")");
  D.write("root = Sqrt (safe)");
  D.write("inv_std_var = Reciprocal (root)");
  return success();
}

static LogicalResult defineLayer(Definition &D) {
  auto Axis = D.N.integer("axis", -1);
  return failed(Axis) ? failure()
                      : normalize(D, "x", "y", "scale",
                                  D.has("shift") ? "shift" : "", *Axis, 1e-5,
                                  /*HasMean=*/true);
}

static LogicalResult defineSimplified(Definition &D) {
  auto Axis = D.N.integer("axis", -1);
  if (failed(Axis) || failed(normalize(D, "x", "y", "scale", "", *Axis, 1e-5,
                                       /*HasMean=*/false)))
    return failure();
  RankedTensorType Type = D.type("x");
  if (D.wants(1) && *Axis != -1 && (!Type || *Axis != Type.getRank() - 1))
    return D.error() << "output 1 of a normalisation over several axes is not "
                        "supported";
  return addInverse(D, "x", 1, 1e-5);
}

/// What is normalised: the input, what skips the layers before it, a bias.
static void addSkip(Definition &D) {
  D.write((D.has("bias") ? "skipped" : "sum") +
          llvm::Twine(" = Add (x, skip)"));
  if (D.has("bias"))
    D.write("sum = Add (skipped, bias)");
}

static LogicalResult defineSkipLayer(Definition &D) {
  addSkip(D);
  return normalize(D, "sum", "y", "gamma", D.has("beta") ? "beta" : "", -1,
                   1e-12, /*HasMean=*/true);
}

static LogicalResult defineSkipSimplified(Definition &D) {
  addSkip(D);
  if (D.wants(1))
    return D.error() << "output 1, a mean, is not supported: nothing computes "
                        "it in this normalisation";
  if (failed(addInverse(D, "sum", 2, 1e-12)))
    return failure();
  return normalize(D, "sum", "y", "gamma", "", -1, 1e-12, /*HasMean=*/false);
}

static LogicalResult defineEmbedLayer(Definition &D) {
  D.write("words = Gather (word_embedding, input_ids)");
  if (D.has("position_ids")) {
    D.write("positions = Gather (position_embedding, position_ids)");
  } else {
    D.write("length = Shape <start : int = 1> (input_ids)");
    D.write("positions = Slice (position_embedding, " + D.integers({0}) +
            ", length, " + D.integers({0}) + ")");
  }
  std::string Sum = D.let("Add (words, positions)");
  if (D.has("segment_ids")) {
    D.write("segments = Gather (segment_embedding, segment_ids)");
    Sum = D.let("Add (" + Sum + ", segments)");
  }
  D.write("sum = Identity (" + Sum + ")");
  if (D.wants(1)) {
    std::string Mask =
        D.has("mask") ? "mask" : D.let("Sub (input_ids, input_ids)");
    D.write("ones = Cast <to : int = 6> (" + Mask + ")");
    D.write("mask_index = ReduceSum <keepdims : int = 0> (ones, " +
            D.integers({1}) + ")");
  }
  return normalize(D, "sum", "y", "gamma", "beta", -1, 1e-12, /*HasMean=*/true);
}

ArrayRef<DefinedOperator> tenon::frontend::normalizationDefinitions() {
  static constexpr DefinedOperator Table[] = {
      {"", "LayerNormalization", "x scale shift", "y mean inv_std_var",
       defineLayer},
      {"", "SimplifiedLayerNormalization", "x scale", "y inv_std_var",
       defineSimplified},
      {"com.microsoft", "EmbedLayerNormalization",
       "input_ids segment_ids word_embedding position_embedding "
       "segment_embedding gamma beta mask position_ids",
       "y mask_index sum", defineEmbedLayer},
      {"com.microsoft", "SimplifiedLayerNormalization", "x scale",
       "y inv_std_var", defineSimplified},
      {"com.microsoft", "SkipLayerNormalization", "x skip gamma beta bias",
       "y mean inv_std_var sum", defineSkipLayer},
      {"com.microsoft", "SkipSimplifiedLayerNormalization", "x skip gamma bias",
       "y mean inv_std_var sum", defineSkipSimplified},
  };
  return Table;
}
