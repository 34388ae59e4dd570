//===- TileShape.h - How far a tile of results extends ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_CPU_INTRINSICS_TILESHAPE_H
#define TENON_LIB_TARGET_CPU_INTRINSICS_TILESHAPE_H

#include "../RegisterFile.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace tenon {

/// The loops that a tile of an operation's results extends along, and how far:
/// `Rows` of one, `Vectors` of `Lanes` neighbours of the other.
struct TileShape {
  std::optional<unsigned> Row, Vector; ///< loops
  int64_t Rows = 1, Vectors = 1, Lanes = 1;
  /// Whether what is left of a vector is one, of which some lanes are read and
  /// written.
  bool HasMasks = false;
};

/// Chooses loops and extents of tiles of one operation.
class TileChooser {
public:
  TileChooser(mlir::linalg::GenericOp Op, const RegisterFile &Registers);

  bool hasMasks() { return HasMasks; }

  /// A parallel loop along which every result is dense and every input is dense
  /// or the same.
  std::optional<unsigned> vectorLoop();
  /// The parallel loop beside `Vector` whose rows share most of what is loaded;
  /// the innermost where several do.
  std::optional<unsigned> rowLoop(std::optional<unsigned> Vector);
  /// The fewest of at most `Most` vectors of `Lanes` along `Loop` that need no
  /// more tiles.
  int64_t vectors(int64_t Most, unsigned Loop, int64_t Lanes);
  /// And of rows.
  int64_t rows(int64_t Most, unsigned Loop);
  bool depends(mlir::OpOperand *Operand, std::optional<unsigned> Loop) {
    return Loop && Op.getMatchingIndexingMap(Operand).isFunctionOfDim(*Loop);
  }
  /// Static extents, of all loops; dynamic ones as in a type.
  int64_t extent(unsigned Loop) { return Extents[Loop]; }
  llvm::ArrayRef<unsigned> parallel() { return Parallel; }

private:
  mlir::linalg::GenericOp Op;
  bool HasMasks;
  llvm::SmallVector<int64_t> Extents;
  llvm::SmallVector<unsigned> Parallel;
};

/// Sums of a tile that hide the latency of adding to one of them: where there
/// are only rows, or only vectors, so many of them.
constexpr int64_t Chains = 8;

/// Whether operations can be computed element by element, in any place: their
/// bodies read nothing but their arguments and constants, on buffers, and a
/// reduction keeps a sum.
bool isPlain(mlir::linalg::GenericOp Op);

/// In memory an element has bytes of its own, in a vector it may not.
bool hasBytes(mlir::OpOperand &Operand);

} // namespace tenon

#endif // TENON_LIB_TARGET_CPU_INTRINSICS_TILESHAPE_H
