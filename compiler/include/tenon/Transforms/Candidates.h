//===- Candidates.h - What the accelerator could compute --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A candidate is what one operation of the accelerator computes: a reduction
// with its requantising epilogue, read from TOSA by structure. Where it runs is
// decided later; until then its operations stay as they are.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TRANSFORMS_CANDIDATES_H
#define TENON_TRANSFORMS_CANDIDATES_H

#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "tenon/Scheduling/Layer.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <array>
#include <cstdint>
#include <string>

namespace tenon {

/// A layer, and the values and operations that it stands for. `OpName` is
/// "convolution", "depthwise", "dense", "matmul", "max_pool", "average_pool",
/// "addition", "multiplication", "requantise", "concatenation", "resize",
/// "depth_to_space", "space_to_depth" or "phases".
struct Candidate : scheduling::Layer {
  /// One of the layers whose results are stored between each other: this layer
  /// with weights and a window of its own, of input channels from
  /// `FirstChannel` on.
  struct Phase {
    int64_t FirstChannel = 0;
    std::vector<int8_t> Weights;
    int64_t KH = 1, KW = 1, Top = 0, Bottom = 0, Left = 0, Right = 0;
  };

  /// The activation read, the other one of an addition or of a product of
  /// elements (or null), the value stored.
  mlir::Value Input, Residual, Result;
  /// Of a product of two activations its transposed right operands.
  mlir::Value RightOperand;
  /// Of a concatenation the values that are stored into slices of the result.
  /// As a layer it is a copy of all, what it costs at most.
  llvm::SmallVector<mlir::Value> Concatenated;
  /// Of a result that is stored phase by phase, the distances of a phase's rows
  /// and pixels; the values `Concatenated`, or layers of `Phases`, are phase
  /// (y, x) at y * Step[1] + x.
  std::array<int64_t, 2> Step = {1, 1};
  llvm::SmallVector<Phase, 0> Phases;
  /// The operations it replaces, in program order, constants not included.
  llvm::SetVector<mlir::Operation *> Members;
  /// Place of the result's operation in the block: names the candidate whenever
  /// the same block is read.
  uint64_t Number = 0;
  /// Of a 1x1 window with stride 1 and no padding only the product of N, H, W
  /// counts.
  bool Pointwise = false;
  /// A user wants it on the accelerator, whatever it costs.
  bool Wanted = false;

  bool isConcat() const { return !Concatenated.empty(); }
  bool isPhased() const { return Step[0] * Step[1] > 1; }
  /// All activations it reads.
  llvm::SmallVector<mlir::Value> inputs() const {
    llvm::SmallVector<mlir::Value> All(Concatenated);
    if (All.empty())
      All.push_back(Input);
    for (mlir::Value V : {Residual, RightOperand})
      if (V)
        All.push_back(V);
    return All;
  }
  int64_t channels() const { return Out.C; }
};

using ShapeNHWC = std::array<int64_t, 4>;
inline ShapeNHWC extents(const scheduling::TensorView &T) {
  return {T.N, T.H, T.W, T.C};
}
inline void setShape(scheduling::TensorView &T, const ShapeNHWC &Shape) {
  T.N = Shape[0], T.H = Shape[1], T.W = Shape[2], T.C = Shape[3];
}

/// Why an operation is not part of a layer.
struct Refusal {
  std::string Reason, Remedy;
};

/// All candidates of a block and the reasons of the operations that belong to
/// none but look as if they could.
struct CandidateSet {
  llvm::SmallVector<Candidate, 0> Candidates;
  llvm::MapVector<mlir::Operation *, Refusal> Refusals;
};

/// Reads the candidates of a block of TOSA.  Channels of one DRAM block
/// (`blockMax`) decide which concatenations move no data.
CandidateSet findCandidates(mlir::Block &Block, int64_t BlockMax);

} // namespace tenon

#endif // TENON_TRANSFORMS_CANDIDATES_H
