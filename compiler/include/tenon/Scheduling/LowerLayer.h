//===- LowerLayer.h - A scheduled layer becomes instructions ----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SCHEDULING_LOWERLAYER_H
#define TENON_SCHEDULING_LOWERLAYER_H

#include "tenon/Scheduling/Schedule.h"
#include "tenon/Scheduling/StreamBuilder.h"

#include "llvm/Support/Error.h"

namespace tenon::scheduling {

/// Appends the layer's steps, tile after tile, to the builder. The schedule
/// must have passed Tiling::check.
llvm::Error lowerLayer(StreamBuilder &Builder, const Layer &TheLayer,
                       const Schedule &S, uint32_t LayerIndex);

/// A contraction and the layer on the ALU that reads its result.
struct LayerPair {
  const Layer &First, &Second;
  Schedule FirstSchedule, SecondSchedule;
};

/// Whether two layers are of the kinds of a pair.
bool canPair(const Layer &First, const Layer &Second);

/// The machine as one layer of a pair has it: half of ACC, OUT and PRM. Only to
/// plan with; encodings and addresses are the machine's.
isa::Layout halfOf(const isa::Layout &L);

/// Appends the tiles of both layers, each of the second one shortly behind the
/// tiles that it reads. The schedules must have passed Tiling::check for half
/// of the machine. What the second layer stores may overwrite nothing that the
/// first one reads.
llvm::Error lowerPair(StreamBuilder &Builder, const LayerPair &Pair,
                      uint32_t LayerIndex);

} // namespace tenon::scheduling

#endif // TENON_SCHEDULING_LOWERLAYER_H
