//===- Heads.cpp - What forms of attention share --------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Heads.h"

using namespace mlir;
using namespace tenon::frontend;

/// BxSx(NH) as BxNxSxH.
std::string tenon::frontend::split(Definition &D, const llvm::Twine &Rows,
                                   int64_t N) {
  std::string Wide =
      D.let("Reshape (" + Rows + ", " + D.integers({0, 0, N, -1}) + ")");
  return D.let("Transpose <perm : ints = [0, 2, 1, 3]> (" + Wide + ")");
}

/// The reverse, as `y`.
void tenon::frontend::writeJoined(Definition &D, StringRef Heads) {
  D.write("rows = Transpose <perm : ints = [0, 2, 1, 3]> (" + Heads + ")");
  D.write("y = Reshape (rows, " + D.integers({0, 0, -1}) + ")");
}

/// Extent `Axis` of `Of`, as a scalar of INT64.
std::string tenon::frontend::extent(Definition &D, StringRef Of, int64_t Axis) {
  std::string Shape =
      D.let("Shape <start : int = " + llvm::Twine(Axis) +
            ", end : int = " + llvm::Twine(Axis + 1) + "> (" + Of + ")");
  return D.let("Squeeze (" + Shape + ", " + D.integers({0}) + ")");
}

std::string tenon::frontend::countTo(Definition &D, StringRef Count) {
  return D.let("Range (" + D.scalar(0) + ", " + Count + ", " + D.scalar(1) +
               ")");
}

/// `Value` where `Kept` is false, else 0, in the type of `Like`.
std::string tenon::frontend::penalty(Definition &D, StringRef Kept,
                                     double Value, StringRef Like) {
  std::string None = D.let("CastLike (" + D.real(0) + ", " + Like + ")");
  std::string Full = D.let("CastLike (" + D.real(Value) + ", " + Like + ")");
  return D.let("Where (" + Kept + ", " + None + ", " + Full + ")");
}

std::string tenon::frontend::sum(Definition &D, StringRef A, StringRef B) {
  return A.empty()   ? B.str()
         : B.empty() ? A.str()
                     : D.let("Add (" + A + ", " + B + ")");
}

/// The penalties of rows that the query must not see yet: row s of the query
/// stands behind all rows of the keys but the last S - 1 - s.
std::string tenon::frontend::causal(Definition &D, StringRef Q, StringRef K,
                                    double Value) {
  std::string S = extent(D, Q, 2), T = extent(D, K, 2);
  std::string Before = D.let("Sub (" + T + ", " + S + ")");
  std::string At = D.let("Add (" + countTo(D, S) + ", " + Before + ")");
  std::string Row = D.let("Unsqueeze (" + At + ", " + D.integers({1}) + ")");
  std::string Kept = D.let("LessOrEqual (" + countTo(D, T) + ", " + Row + ")");
  return penalty(D, Kept, Value, Q);
}

/// 1 / sqrt(H), or the node's `scale`.
static FailureOr<std::string> scaled(Definition &D, StringRef Products,
                                     StringRef Query) {
  auto Scale = D.N.real("scale", 0);
  if (failed(Scale))
    return failure();
  std::string By;
  if (*Scale != 0) {
    By = D.let("CastLike (" + D.real(*Scale) + ", " + Query + ")");
  } else {
    std::string H =
        D.let("CastLike (" + extent(D, Query, 3) + ", " + Query + ")");
    By = D.let("Reciprocal (" + D.let("Sqrt (" + H + ")") + ")");
  }
  return D.let("Mul (" + Products + ", " + By + ")");
}

/// BxNxSxT as BxGx(N/G S)xT, the rows that share a head of keys, and back.
static std::string inGroups(Definition &D, StringRef Heads, int64_t Groups) {
  return D.let("Reshape (" + Heads + ", " + D.integers({0, Groups, -1, 0}) +
               ")");
}

FailureOr<std::string> tenon::frontend::attended(Definition &D,
                                                 const Scores &Of) {
  bool IsShared = Of.Heads != Of.Groups;
  std::string Query = IsShared ? inGroups(D, Of.Query, Of.Groups) : Of.Query;
  std::string Turned =
      D.let("Transpose <perm : ints = [0, 1, 3, 2]> (" + Of.Key + ")");
  std::string Products = D.let("MatMul (" + Query + ", " + Turned + ")");
  if (IsShared)
    Products = inGroups(D, Products, Of.Heads);
  auto Scaled = scaled(D, Products, Of.Query);
  if (failed(Scaled))
    return failure();
  if (Of.Cap != 0) {
    std::string Cap =
        D.let("CastLike (" + D.real(Of.Cap) + ", " + *Scaled + ")");
    std::string Part = D.let("Div (" + *Scaled + ", " + Cap + ")");
    *Scaled = D.let("Mul (" + D.let("Tanh (" + Part + ")") + ", " + Cap + ")");
  }
  std::string Weights =
      D.let("Softmax <axis : int = -1> (" + sum(D, *Scaled, Of.Bias) + ")");
  if (IsShared)
    Weights = inGroups(D, Weights, Of.Groups);
  std::string Result = D.let("MatMul (" + Weights + ", " + Of.Value + ")");
  return IsShared ? inGroups(D, Result, Of.Heads) : Result;
}
