//===- CostModel.h - Cycles of a schedule, and the best one -----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SCHEDULING_COSTMODEL_H
#define TENON_SCHEDULING_COSTMODEL_H

#include "tenon/Scheduling/LowerLayer.h"

namespace tenon::scheduling {

/// Lower bounds of a layer, each input, weight and parameter byte read once and
/// each output byte written once.
struct Bounds {
  uint64_t Macs = 0;    ///< of the operator, without block padding
  uint64_t Compute = 0; ///< cycles in blocks, on GEMM or ALU
  uint64_t Read = 0;    ///< beats
  uint64_t Write = 0;   ///< beats
};
Bounds bounds(const isa::Layout &L, const Layer &TheLayer);

struct Cost {
  uint64_t Cycles = 0;
  uint64_t Beats = 0; ///< read, instructions included
  /// What the search minimises: the port is shared with the neighbours, so of
  /// equally fast schedules the one that reads less wins.
  double score() const { return double(Cycles) + 0.02 * double(Beats); }
};

/// Walks the layer's steps on four engines that wait for data and for room in
/// the scratchpads.
llvm::Expected<Cost> estimate(const isa::Layout &L, const Layer &TheLayer,
                              const Schedule &S);

/// The same of two layers whose tiles are interleaved.
llvm::Expected<Cost> estimate(const isa::Layout &L, const LayerPair &Pair);

/// The best schedule with `Threads` tile contexts, or with the most that fit;
/// then it says how many were wanted. The error of a layer that has none goes
/// on from its name: "does not fit configuration ...", and says what is short
/// of how much.
llvm::Expected<Schedule>
searchSchedule(const isa::Layout &L, const Layer &TheLayer, uint32_t Threads);

/// The best schedules of two layers (as of canPair) whose tiles are
/// interleaved, if they take fewer than `Apart` cycles; two tile contexts each.
llvm::Expected<std::optional<LayerPair>> searchPair(const isa::Layout &L,
                                                    const Layer &First,
                                                    const Layer &Second,
                                                    uint64_t Apart);

} // namespace tenon::scheduling

#endif // TENON_SCHEDULING_COSTMODEL_H
