//===- Schedule.h - Tiles of one layer --------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A schedule cuts a layer into tiles; `Tiling` answers every geometric
// question about them and says which schedules fit a configuration.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SCHEDULING_SCHEDULE_H
#define TENON_SCHEDULING_SCHEDULE_H

#include "tenon/Scheduling/InputBlocks.h"
#include "tenon/Scheduling/Layer.h"
#include "tenon/Scheduling/Scratchpad.h"

#include "llvm/ADT/SmallVector.h"

#include <array>
#include <optional>

namespace tenon::scheduling {

/// A loop over tiles.
enum class TileAxis { Pixels, Channels };

/// Largest tile of a layer, and the order of tiles.
struct Schedule {
  uint32_t Rows = 1, Cols = 1; ///< of the output
  uint32_t Blocks = 1;         ///< output blocks of BLOCK_OUT channels
  uint32_t Reduction = 1;      ///< input blocks of BLOCK_IN channels in a step
  uint32_t KernelRows = 1;     ///< rows of the window in a step
  bool ChannelsOuter = true;   ///< output blocks outside, or inside, of pixels
  /// Tile contexts in the scratchpads, between which neighbours along `Axis`
  /// alternate.
  uint32_t Threads = 2;
  TileAxis Axis = TileAxis::Pixels;
  uint32_t Wanted = 0; ///< contexts asked for, if fewer fit; or 0

  /// The axis of the inner loop, whose tiles are neighbours as they come.
  TileAxis innerAxis() const {
    return ChannelsOuter ? TileAxis::Pixels : TileAxis::Channels;
  }
};

/// One output tile.
struct Tile {
  uint32_t Group = 0;
  uint32_t Y = 0, Rows = 1, X = 0, Cols = 1;
  uint32_t Block = 0, Blocks = 1;
  uint32_t pixels() const { return Rows * Cols; }
};

/// One step of a tile's reduction.
struct Step {
  uint32_t Block = 0, Blocks = 1; ///< of those an output block is made of
  uint32_t Ky = 0, Kys = 1;       ///< rows of the window
  uint32_t Number = 0;
  bool First = true, Last = true;
};

/// A rectangle of one input block as LOAD brings it: real elements and padding.
struct InputBox {
  uint32_t Rows = 1, Cols = 1; ///< with padding: the pitch in the scratchpad
  uint32_t RowStep = 1, ColStep = 1; ///< in the tensor
  int64_t Y = 0, X = 0;              ///< first real element in the tensor
  uint32_t RealRows = 1, RealCols = 1;
  uint32_t PadTop = 0, PadBottom = 0, PadLeft = 0, PadRight = 0;
  bool isPadded() const { return PadTop || PadBottom || PadLeft || PadRight; }
  bool isEmpty() const { return RealRows == 0 || RealCols == 0; }
};

/// Where the parts of one tile lie in its ACC context, in entries from its
/// begin. The operand is that of an addition, or the sums of weights.
struct AccPlan {
  uint32_t Input = 0, Result = 0, Operand = 0; ///< offsets
  uint32_t Size = 0;                           ///< of the context
};

class Tiling {
public:
  /// Looks at layout and layer as long as it is used.
  Tiling(const isa::Layout &L, const Layer &TheLayer, const Schedule &S);
  Tiling(const isa::Layout &, Layer &&, const Schedule &) = delete;

  /// Why the schedule does not fit: what is short, how much is needed and how
  /// much there is; or nothing.
  std::optional<std::string> check() const;

  /// All tiles in order, and the steps of each.
  std::vector<Tile> tiles() const;
  const std::vector<Step> &steps() const { return StepList; }

  /// Of a contraction: which blocks of input channels output blocks need.
  const InputBlocks &inputs() const { return Inputs; }
  /// The input blocks that a step of a contraction's tile loads.
  Range inputBlocks(const Tile &T, const Step &S) const;
  InputBox inputBox(const Tile &T, const Step &S) const;
  /// Micro-ops of a step: elements of the window times input blocks.
  uint32_t sequenceLength(const Step &S) const;
  /// Distance of output rows and columns in a loaded box, in elements.
  uint32_t rowPitch(const InputBox &B, const Step &S) const;
  uint32_t colPitch(const Step &S) const;
  const AccPlan &acc() const { return Acc; }

  uint32_t outputBlocks() const { return OutBlocks; }

  /// All weights of the layer are in WGT (DWT) at once.
  bool weightsFit() const;
  /// Elements of INP behind the input of a step that sums weights: the input's
  /// zero point in all lanes, then, where blocks do not divide the channels, in
  /// those of the last block that are there.
  uint32_t zeroPointElements() const;

private:
  std::vector<Tile> pixelTiles() const;
  std::optional<std::string> checkProduct() const;
  std::optional<std::string> checkMemories() const;
  std::optional<std::string> checkFields() const;
  std::string needs(const char *What, uint64_t Needed) const;
  Tile largestTile() const;
  uint64_t pixels() const; ///< of the largest tile
  AccPlan planAcc(uint32_t Unit) const;
  std::array<uint64_t, 3> accParts() const;
  uint64_t inputElements() const;

  const isa::Layout &L;
  const Layer &TheLayer;
  Schedule S;
  InputBlocks Inputs;
  uint32_t OutBlocks;
  std::vector<Step> StepList;
  AccPlan Acc;
};

} // namespace tenon::scheduling

#endif // TENON_SCHEDULING_SCHEDULE_H
