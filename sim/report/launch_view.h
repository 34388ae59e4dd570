//===- sim/report/launch_view.h - A launch, instruction by instruction ----===//
//
// Part of Tenon, under the Apache License v2.0.
//
// What the pictures draw, worked out of a trace: each instruction with its
// place in time, the tokens between instructions, the layers' spans.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_REPORT_LAUNCH_VIEW_H
#define TENON_SIM_REPORT_LAUNCH_VIEW_H

#include "isa/isa.h"
#include "sim/trace/launch_trace.h"
#include "sim/trace/trace.pb.h"

#include "absl/status/statusor.h"

#include <array>
#include <vector>

namespace tenon::sim {

/// One instruction of an engine. Its cycles lie in [previous, retire).
struct Step {
  isa::Instruction instruction;
  uint64_t previous = 0; // retirement of the one before
  InstructionTrace event;
  uint32_t layer = 0; // of the report, which may have none
};

/// A token: the instruction that gave it and the one that took it.
struct Token {
  unsigned from = 0, to = 0; // engines
  size_t giver = 0, taker = 0;
};

/// A layer's share of the launch: from the last retirement of the layer in
/// front to its own (docs/report.md, Sums); empty for a layer that adds
/// nothing.
struct LayerSpan {
  uint32_t layer = 0;
  uint64_t begin = 0, end = 0;
  uint64_t firstWork = 0; // its first instruction's begin
};

struct LaunchView {
  uint64_t cycles = 0;
  std::array<std::vector<Step>, numEngines> engines;
  /// Cycles without an instruction behind an engine's last one; then it is
  /// done.
  std::array<uint64_t, numEngines> trailingEmpty{};
  std::vector<Token> tokens; // by taker, in the order of its engine
  std::vector<LayerSpan> layers;
};

/// `launch` is one of the trace's, which must have been read or made. The k-th
/// wait of a channel takes the k-th token.
absl::StatusOr<LaunchView> viewLaunch(const trace::Trace &trace, int launch);

/// The name of a step's layer; empty where the program does not say.
const std::string &layerName(const trace::Trace &trace, const Step &step);

/// What a layer's instructions did beyond the sums of the report.
struct LayerDetail {
  /// Cycles waiting, by engine and neighbour (isa::neighbours).
  std::array<std::array<uint64_t, numNeighbours>, numEngines> tokenWait{};
  std::array<std::array<uint64_t, numNeighbours>, numEngines> roomWait{};
  /// Bytes that LOAD asked for, by destination.
  std::array<uint64_t, isa::memoryCount> readBytes{};
  uint64_t instructions = 0;
};

/// By layer of the report, over all launches.
std::vector<LayerDetail> layerDetails(const isa::Layout &layout,
                                      const std::vector<LaunchView> &views,
                                      size_t layers);

} // namespace tenon::sim

#endif // TENON_SIM_REPORT_LAUNCH_VIEW_H
