//===- GroupQuery.cpp - Attention with a cache of keys and values ---------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// GroupQueryAttention and RotaryEmbedding of com.microsoft.
//
//===----------------------------------------------------------------------===//

#include "Heads.h"

using namespace mlir;
using namespace tenon::frontend;

//===----------------------------------------------------------------------===//
// RotaryEmbedding
//===----------------------------------------------------------------------===//

/// How many heads a row of `x` has; the node says so, or else the table of
/// cosines: one for two elements.
static FailureOr<int64_t> headsOf(Definition &D, RankedTensorType X) {
  auto N = D.N.integer("num_heads", 0);
  if (failed(N) || *N > 0 || X.getRank() == 4)
    return N;
  RankedTensorType Table = D.type("cos");
  int64_t Width = X.getDimSize(2);
  int64_t Half = Table && Table.getRank() == 2 ? Table.getDimSize(1)
                                               : ShapedType::kDynamic;
  if (ShapedType::isDynamic(Width) || ShapedType::isDynamic(Half) || !Half)
    return D.error() << "num_heads is not given, and the shapes that tell it "
                        "are not known";
  return Width / (2 * Half);
}

LogicalResult tenon::frontend::defineRotary(Definition &D) {
  RankedTensorType X = D.type("x"), At = D.type("position_ids");
  auto Packed = D.N.integer("is_packed_batching", 0);
  auto Scale = D.N.real("scale", 1);
  if (failed(Packed) || failed(Scale))
    return failure();
  if (!X || (X.getRank() != 3 && X.getRank() != 4) || !At || *Packed ||
      *Scale != 1)
    return D.error() << "it is supported for inputs of 3 and 4 dimensions, "
                        "without packed batches, with a scale of 1";
  FailureOr<int64_t> N = headsOf(D, X);
  if (failed(N))
    return failure();
  std::string Positions = "position_ids";
  if (At.getRank() == 1) { // of the first row, for all batches
    std::string S = extent(D, "x", X.getRank() - 2), B = extent(D, "x", 0);
    std::string Zero = D.integers({0});
    std::string Row = D.let("Add (" + countTo(D, S) + ", position_ids)");
    std::string Shape =
        D.let("Concat <axis : int = 0> (" +
              D.let("Unsqueeze (" + B + ", " + Zero + ")") + ", " +
              D.let("Unsqueeze (" + S + ", " + Zero + ")") + ")");
    Positions = D.let("Expand (" + Row + ", " + Shape + ")");
  }
  D.write("y = RotaryEmbedding" +
          D.attributes({"interleaved", "rotary_embedding_dim"},
                       "num_heads : int = " + std::to_string(*N)) +
          " (x, cos, sin, " + Positions + ")");
  return success();
}

//===----------------------------------------------------------------------===//
// GroupQueryAttention
//===----------------------------------------------------------------------===//

namespace {
/// One node.
class GroupQuery {
public:
  explicit GroupQuery(Definition &D) : D(D) {}
  LogicalResult define();

private:
  LogicalResult check();
  LogicalResult takeHeads();
  void findPositions();
  void rotate(std::string &Heads);
  std::string cached(StringRef Past, StringRef New);
  std::string bias();

  Definition &D;
  Scores Of;
  int64_t Interleaved = 0;
  std::string Rows;      ///< S
  std::string Positions; ///< BxS: where rows of the query stand in the cache
  int64_t Window = -1;
};
} // namespace

LogicalResult GroupQuery::check() {
  if (failed(D.refuse({"head_sink", "k_scale", "v_scale", "q_norm_weight",
                       "k_norm_weight"})))
    return failure();
  struct Expected {
    StringLiteral Name;
    int64_t Value, Other;
  };
  static constexpr Expected Known[] = {{"causal", 1, 1},
                                       {"smooth_softmax", -1, 0},
                                       {"qk_output", 0, 0},
                                       {"kv_cache_bit_width", 0, 0},
                                       {"sliding_window_cache", 0, 0}};
  for (const Expected &Each : Known) {
    auto Value = D.N.integer(Each.Name, Each.Value);
    if (failed(Value))
      return failure();
    if (*Value != Each.Value && *Value != Each.Other)
      return D.error() << "attribute '" << Each.Name << "' of " << *Value
                       << " is not supported";
  }
  auto N = D.N.integer("num_heads", 0), G = D.N.integer("kv_num_heads", 0);
  auto Local = D.N.integer("local_window_size", -1);
  auto Cap = D.N.real("softcap", 0);
  if (failed(N) || failed(G) || failed(Local) || failed(Cap))
    return failure();
  if (*N < 1 || *G < 1 || *N % *G != 0)
    return D.error() << "num_heads is " << *N << ", kv_num_heads " << *G
                     << ": expected a multiple";
  Of.Heads = *N;
  Of.Groups = *G;
  Of.Cap = *Cap;
  Window = *Local;
  return success();
}

/// Query, key and value, which may be side by side in one input.
LogicalResult GroupQuery::takeHeads() {
  if (D.has("key")) {
    Of.Query = split(D, "query", Of.Heads);
    Of.Key = split(D, "key", Of.Groups);
    Of.Value = split(D, "value", Of.Groups);
    return success();
  }
  RankedTensorType Type = D.type("query");
  int64_t Width =
      Type && Type.getRank() == 3 ? Type.getDimSize(2) : ShapedType::kDynamic;
  if (ShapedType::isDynamic(Width) || Width % (Of.Heads + 2 * Of.Groups))
    return D.error() << "the packed query has no known width of num_heads and "
                        "2 kv_num_heads";
  int64_t H = Width / (Of.Heads + 2 * Of.Groups);
  D.write("q_rows, k_rows, v_rows = Split <axis : int = -1> (query, " +
          D.integers({Of.Heads * H, Of.Groups * H, Of.Groups * H}) + ")");
  Of.Query = split(D, "q_rows", Of.Heads);
  Of.Key = split(D, "k_rows", Of.Groups);
  Of.Value = split(D, "v_rows", Of.Groups);
  return success();
}

/// Rows are the last ones of a batch's length; a first run's begin at 0.
void GroupQuery::findPositions() {
  Rows = extent(D, Of.Query, 2);
  std::string Last = D.let("Cast <to : int = 7> (seqlens_k)");
  std::string Flat = D.let("Reshape (" + Last + ", " + D.integers({-1}) + ")");
  std::string Lengths = D.let("Add (" + Flat + ", " + D.scalar(1) + ")");
  std::string Before = D.let("Sub (" + Lengths + ", " + Rows + ")");
  std::string First = D.let("Max (" + Before + ", " + D.scalar(0) + ")");
  std::string Column =
      D.let("Unsqueeze (" + First + ", " + D.integers({1}) + ")");
  Positions = D.let("Add (" + Column + ", " + countTo(D, Rows) + ")");
}

void GroupQuery::rotate(std::string &Heads) {
  Heads =
      D.let("RotaryEmbedding <interleaved : int = " + llvm::Twine(Interleaved) +
            "> (" + Heads + ", cos, sin, " +
            (D.has("position_ids") ? "position_ids" : Positions) + ")");
}

/// The cache with the new rows at their positions; it grows to the total length
/// where it is shorter.
std::string GroupQuery::cached(StringRef Past, StringRef New) {
  if (!D.has(Past))
    return New.str();
  std::string Total = D.let("Cast <to : int = 7> (total_sequence_length)");
  std::string Length =
      D.let("Reshape (" + Total + ", " + D.integers({1}) + ")");
  std::string Have =
      D.let("Shape <start : int = 2, end : int = 3> (" + Past + ")");
  std::string Lacks = D.let("Sub (" + Length + ", " + Have + ")");
  std::string More = D.let("Max (" + Lacks + ", " + D.integers({0}) + ")");
  std::string Pads =
      D.let("Concat <axis : int = 0> (" + D.integers({0, 0, 0, 0, 0, 0}) +
            ", " + More + ", " + D.integers({0}) + ")");
  std::string Space = D.let("Pad (" + Past + ", " + Pads + ")");
  std::string At =
      D.let("Unsqueeze (" + Positions + ", " + D.integers({1, 3}) + ")");
  std::string Indices =
      D.let("Expand (" + At + ", " + D.let("Shape (" + New + ")") + ")");
  return D.let("ScatterElements <axis : int = 2> (" + Space + ", " + Indices +
               ", " + New + ")");
}

std::string GroupQuery::bias() {
  std::string T = extent(D, Of.Key, 2);
  std::string Row =
      D.let("Unsqueeze (" + Positions + ", " + D.integers({1, 3}) + ")");
  std::string Numbers = countTo(D, T);
  std::string Kept = D.let("LessOrEqual (" + Numbers + ", " + Row + ")");
  if (Window >= 0) {
    std::string First = D.let("Sub (" + Row + ", " + D.scalar(Window) + ")");
    std::string Near = D.let("Greater (" + Numbers + ", " + First + ")");
    Kept = D.let("And (" + Kept + ", " + Near + ")");
  }
  // Finite: a row that sees nothing is no NaN.
  double Least = D.type("query") && D.type("query").getElementType().isF16()
                     ? -65504
                     : -3.3e38;
  return sum(D, D.has("attention_bias") ? "attention_bias" : "",
             penalty(D, Kept, Least, Of.Query));
}

LogicalResult GroupQuery::define() {
  if (failed(check()) || failed(takeHeads()))
    return failure();
  auto IsRotated = D.N.integer("do_rotary", 0);
  auto IsInterleaved = D.N.integer("rotary_interleaved", 0);
  if (failed(IsRotated) || failed(IsInterleaved))
    return failure();
  Interleaved = *IsInterleaved;
  findPositions();
  if (*IsRotated) {
    rotate(Of.Query);
    rotate(Of.Key);
  }
  Of.Key = cached("past_key", Of.Key);
  Of.Value = cached("past_value", Of.Value);
  D.write("present_key = Identity (" + Of.Key + ")");
  D.write("present_value = Identity (" + Of.Value + ")");
  Of.Bias = bias();
  auto Heads = attended(D, Of);
  if (failed(Heads))
    return failure();
  writeJoined(D, *Heads);
  return success();
}

LogicalResult tenon::frontend::defineGroupQuery(Definition &D) {
  return GroupQuery(D).define();
}
