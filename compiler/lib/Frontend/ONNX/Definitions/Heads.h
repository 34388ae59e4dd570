//===- Heads.h - What forms of attention share ------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Letters in the comments: B batches, N heads, S rows of the query, T rows of
// keys and values (those from past runs first), H elements of a head, G heads
// of keys and values, each for N / G heads of the query.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_DEFINITIONS_HEADS_H
#define TENON_LIB_FRONTEND_ONNX_DEFINITIONS_HEADS_H

#include "../Definitions.h"

namespace tenon::frontend {

/// BxSx(NH) as BxNxSxH.
std::string split(Definition &D, const llvm::Twine &Rows, int64_t N);
/// The reverse, as `y`.
void writeJoined(Definition &D, llvm::StringRef Heads);
/// Extent `Axis` of `Of`, as a scalar of INT64.
std::string extent(Definition &D, llvm::StringRef Of, int64_t Axis);
/// 0, 1, 2 and so on before the scalar `Count`.
std::string countTo(Definition &D, llvm::StringRef Count);
/// 0 where `Kept` is true, else `Value`, in the type of `Like`.
std::string penalty(Definition &D, llvm::StringRef Kept, double Value,
                    llvm::StringRef Like);
/// `A + B`; an empty one is left out.
std::string sum(Definition &D, llvm::StringRef A, llvm::StringRef B);
/// The penalties of rows that the query must not see yet: row s of the query
/// stands behind all rows of the keys but the last S - 1 - s.
std::string causal(Definition &D, llvm::StringRef Q, llvm::StringRef K,
                   double Value);

struct Scores {
  std::string Query, Key, Value; ///< BxNxSxH, BxGxTxH
  std::string Bias;              ///< is added, broadcast to BxNxSxT; or empty
  int64_t Heads = 1, Groups = 1; ///< N and G where they differ
  double Cap = 0;                ///< soft, where it is not 0
};

/// softmax(query key^T scale + bias) value, BxNxSxH.  The scale is the node's
/// or 1 / sqrt(H).
mlir::FailureOr<std::string> attended(Definition &D, const Scores &Of);

// In files of their own.
mlir::LogicalResult defineGroupQuery(Definition &D);
mlir::LogicalResult defineRotary(Definition &D);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_DEFINITIONS_HEADS_H
