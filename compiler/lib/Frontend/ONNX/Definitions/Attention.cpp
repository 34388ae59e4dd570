//===- Attention.cpp - Attention of com.microsoft -------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//===----------------------------------------------------------------------===//

#include "Heads.h"

using namespace mlir;
using namespace tenon::frontend;

/// What masks say, of rank 2 (BxT) and 3 (BxSxT): where it is 0, `Value` is
/// added.
static FailureOr<std::string> masked(Definition &D, StringRef Mask,
                                     double Value, StringRef Like) {
  RankedTensorType Type = D.type(Mask);
  if (!Type || (Type.getRank() != 2 && Type.getRank() != 3))
    return D.error() << "its input '" << Mask
                     << "' is supported with 2 or 3 dimensions";
  SmallVector<int64_t> Axes = {1};
  if (Type.getRank() == 2)
    Axes.push_back(2);
  std::string Wide =
      D.let("Unsqueeze (" + Mask + ", " + D.integers(Axes) + ")");
  std::string Kept = D.let("Cast <to : int = 9> (" + Wide + ")");
  return penalty(D, Kept, Value, Like);
}

/// The bias of scores by what the node says: its own, its mask's, causality's.
static FailureOr<std::string> bias(Definition &D, StringRef Q, StringRef K,
                                   StringRef Mask) {
  auto Filter = D.N.real("mask_filter_value", -10000);
  auto IsCausal = D.N.integer("unidirectional", 0);
  if (failed(Filter) || failed(IsCausal))
    return failure();
  std::string Bias = D.has("attention_bias") ? "attention_bias" : "";
  if (D.has(Mask)) {
    auto Masked = masked(D, Mask, *Filter, Q);
    if (failed(Masked))
      return failure();
    Bias = sum(D, Bias, *Masked);
  }
  if (*IsCausal)
    Bias = sum(D, Bias, causal(D, Q, K, -3.4028234e38));
  return Bias;
}

//===----------------------------------------------------------------------===//
// Attention, QAttention
//===----------------------------------------------------------------------===//

/// From the rows of query, key and value side by side, BxSx(D + D + Dv).
static LogicalResult attendTo(Definition &D, StringRef Rows) {
  auto N = D.N.integer("num_heads", 0), Rotary = D.N.integer("do_rotary", 0);
  auto Sizes = D.N.integers("qkv_hidden_sizes", {});
  if (failed(N) || failed(Rotary) || failed(Sizes) ||
      failed(D.refuse({"past_sequence_length"})))
    return failure();
  if (*N < 1 || *Rotary || (!Sizes->empty() && Sizes->size() != 3))
    return D.error() << "num_heads is " << *N << ", do_rotary " << *Rotary
                     << ", qkv_hidden_sizes has " << Sizes->size()
                     << " values: expected at least 1, 0, and 3 or none";
  D.write("q_rows, k_rows, v_rows = Split <axis : int = -1" +
          llvm::Twine(Sizes->empty() ? ", num_outputs : int = 3" : "") + "> (" +
          Rows + (Sizes->empty() ? "" : ", " + D.integers(*Sizes)) + ")");
  Scores Of;
  Of.Query = split(D, "q_rows", *N);
  Of.Key = split(D, "k_rows", *N);
  Of.Value = split(D, "v_rows", *N);
  if (D.has("past")) {
    D.write("past_k, past_v = Split <axis : int = 0, num_outputs : int = 2> "
            "(past)");
    std::string First = D.integers({0});
    std::string K = D.let("Squeeze (past_k, " + First + ")");
    std::string V = D.let("Squeeze (past_v, " + First + ")");
    Of.Key = D.let("Concat <axis : int = 2> (" + K + ", " + Of.Key + ")");
    Of.Value = D.let("Concat <axis : int = 2> (" + V + ", " + Of.Value + ")");
  }
  if (D.wants(1)) {
    std::string First = D.integers({0});
    std::string K = D.let("Unsqueeze (" + Of.Key + ", " + First + ")");
    std::string V = D.let("Unsqueeze (" + Of.Value + ", " + First + ")");
    D.write("present = Concat <axis : int = 0> (" + K + ", " + V + ")");
  }
  auto Bias = bias(D, Of.Query, Of.Key, "mask");
  if (failed(Bias))
    return failure();
  Of.Bias = *Bias;
  auto Heads = attended(D, Of);
  if (failed(Heads))
    return failure();
  writeJoined(D, *Heads);
  return success();
}

static LogicalResult defineAttention(Definition &D) {
  std::string Rows = D.let("MatMul (x, weights)");
  return attendTo(D, D.has("bias") ? D.let("Add (" + Rows + ", bias)") : Rows);
}

static LogicalResult defineQAttention(Definition &D) {
  std::string Sums = D.let("MatMulInteger (x, weights, x_zero, weights_zero)");
  std::string Scale = D.let("Mul (x_scale, weights_scale)");
  std::string Real = D.let("CastLike (" + Sums + ", " + Scale + ")");
  std::string Rows = D.let("Mul (" + Real + ", " + Scale + ")");
  return attendTo(D, D.let("Add (" + Rows + ", bias)"));
}

//===----------------------------------------------------------------------===//
// MultiHeadAttention
//===----------------------------------------------------------------------===//

/// Query, key and value as BxNxSxH, from whichever form the inputs have.
static LogicalResult takeHeads(Definition &D, int64_t N, Scores &Of) {
  RankedTensorType Query = D.type("query"), Key = D.type("key");
  if (!Query || Query.getRank() != 3 || !Key || !D.has("value"))
    return D.error() << "it is supported with a query of 3 dimensions, a key "
                        "and a value: not packed into one";
  if (D.has("bias")) {
    RankedTensorType Value = D.type("value");
    int64_t Width = Query.getDimSize(2);
    int64_t Last = Value ? Value.getDimSize(Value.getRank() - 1) : 0;
    if (Key.getRank() != 3 || ShapedType::isDynamic(Width) ||
        ShapedType::isDynamic(Last))
      return D.error() << "a bias needs a key of 3 dimensions and widths that "
                          "the model knows";
    D.write("q_bias, k_bias, v_bias = Split <axis : int = 0> (bias, " +
            D.integers({Width, Width, Last}) + ")");
    Of.Query = split(D, D.let("Add (query, q_bias)"), N);
    Of.Key = split(D, D.let("Add (key, k_bias)"), N);
    Of.Value = split(D, D.let("Add (value, v_bias)"), N);
    return success();
  }
  Of.Query = split(D, "query", N);
  Of.Key = Key.getRank() == 3 ? split(D, "key", N) : "key";
  Of.Value = Key.getRank() == 3 ? split(D, "value", N) : "value";
  return success();
}

static LogicalResult defineMultiHead(Definition &D) {
  auto N = D.N.integer("num_heads", 0);
  Scores Of;
  if (failed(N) || failed(takeHeads(D, *N, Of)) ||
      failed(D.refuse({"past_sequence_length", "cache_indirection"})))
    return failure();
  if (D.has("past_key"))
    Of.Key = D.let("Concat <axis : int = 2> (past_key, " + Of.Key + ")");
  if (D.has("past_value"))
    Of.Value = D.let("Concat <axis : int = 2> (past_value, " + Of.Value + ")");
  if (D.wants(1))
    D.write("present_key = Identity (" + Of.Key + ")");
  if (D.wants(2))
    D.write("present_value = Identity (" + Of.Value + ")");
  if (D.wants(3))
    return D.error() << "output 3, the scores, is not supported";
  auto Bias = bias(D, Of.Query, Of.Key, "mask");
  if (failed(Bias))
    return failure();
  Of.Bias = *Bias;
  auto Heads = attended(D, Of);
  if (failed(Heads))
    return failure();
  writeJoined(D, *Heads);
  return success();
}

ArrayRef<DefinedOperator> tenon::frontend::attentionDefinitions() {
  static constexpr DefinedOperator Table[] = {
      {"com.microsoft", "Attention",
       "x weights bias mask past attention_bias past_sequence_length",
       "y present", defineAttention},
      {"com.microsoft", "GroupQueryAttention",
       "query key value past_key past_value seqlens_k total_sequence_length "
       "cos sin position_ids attention_bias head_sink k_scale v_scale "
       "q_norm_weight k_norm_weight",
       "y present_key present_value output_qk", defineGroupQuery},
      {"com.microsoft", "MultiHeadAttention",
       "query key value bias mask attention_bias past_key past_value "
       "past_sequence_length cache_indirection",
       "y present_key present_value qk", defineMultiHead},
      {"com.microsoft", "QAttention",
       "x weights bias x_scale weights_scale mask x_zero weights_zero past",
       "y present", defineQAttention},
      {"com.microsoft", "RotaryEmbedding", "x position_ids cos sin", "y",
       defineRotary},
  };
  return Table;
}
