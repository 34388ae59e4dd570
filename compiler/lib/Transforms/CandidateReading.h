//===- CandidateReading.h - Helpers that read TOSA --------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TRANSFORMS_CANDIDATEREADING_H
#define TENON_LIB_TRANSFORMS_CANDIDATEREADING_H

#include "Reduction.h"
#include "tenon/Transforms/Candidates.h"

namespace tenon {

/// A tosa.rescale as numbers.
struct RescaleInfo {
  llvm::SmallVector<int64_t> Multiplier, Shift; ///< one, or one a channel
  int64_t InputZeroPoint = 0, OutputZeroPoint = 0;

  /// v -> v - InputZeroPoint + OutputZeroPoint, exactly.
  bool isIdentity() const {
    return llvm::all_of(llvm::zip(Multiplier, Shift), [](auto Pair) {
      auto [M, S] = Pair;
      return M == int64_t(1) << S;
    });
  }
};

/// Reads a rescale with the arithmetic of the accelerator's QUANT (32-bit
/// multipliers, single rounding, shift 2..62); otherwise says what it has.
std::optional<RescaleInfo> readRescale(mlir::tosa::RescaleOp Op, Refusal &Why);

/// True for a rescale between int8 and uint8 that only moves the zero point:
/// v + offset without saturation; `Offset` is in 8-bit two's complement.
bool isBorderRescale(mlir::tosa::RescaleOp Op, int64_t &Offset);

/// The shape of a tensor as N, H, W, C: missing axes are 1; more than four
/// axes only where the leading ones are 1.
std::optional<ShapeNHWC> shapeNHWC(mlir::Type Type);

bool isInt8(mlir::Type Type);

/// A layer that starts with reduction `Op`, or with the first group of a
/// convolution with groups.
std::optional<Candidate> readReductionLayer(mlir::Operation *Op, Refusal &Why);

/// Continues a layer whose reduction ends in `Accumulator` with bias, rescale
/// and clamp.
bool readEpilogue(Candidate &L, mlir::Value Accumulator, Refusal &Why);

/// Merges the clamps behind an int8 result into the layer.
void readClamps(Candidate &L);

/// The quantised addition that ends in a rescale, or nothing when the rescale
/// is none.
std::optional<Candidate> readAddition(mlir::tosa::RescaleOp Op, Refusal &Why);

/// The quantised product, element by element, that ends in a rescale, or
/// nothing when the rescale is none.
std::optional<Candidate> readMultiplication(mlir::tosa::RescaleOp Op,
                                            Refusal &Why);

/// A tensor times a number, and a constant added, one value or one a channel.
std::optional<Candidate> readScaling(mlir::tosa::RescaleOp Op, Refusal &Why);

/// A rescale from int8 to int8 as a layer of its own.
std::optional<Candidate> readRequantisation(mlir::tosa::RescaleOp Op,
                                            Refusal &Why);

/// A result that is stored phase by phase, or made of the input's phases:
/// insertions of all of them, an image whose pixels are repeated, and one whose
/// pixels and channels change places.  Of `BlockMax` channels is a block.
std::optional<Candidate> readPhases(mlir::Operation *Op, int64_t BlockMax,
                                    Refusal &Why);

/// Moves an addition into the epilogue of the layer that computes one addend.
bool fuseAddition(Candidate &Producer, const Candidate &Addition);

} // namespace tenon

#endif // TENON_LIB_TRANSFORMS_CANDIDATEREADING_H
