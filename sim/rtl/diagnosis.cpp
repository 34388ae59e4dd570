//===- sim/rtl/diagnosis.cpp - Why a launch did not end -------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/rtl/diagnosis.h"

#include "absl/strings/str_cat.h"

namespace tenon::sim {
namespace {

constexpr const char *engineNames[numEngines] = {"load", "gemm", "alu",
                                                 "store"};
constexpr const char *stateNames[numStates] = {
    "busy", "token", "memory", "bank", "drain", "empty", "done"};

std::string neighboursOf(unsigned engine, uint32_t mask) {
  std::string names;
  auto others = isa::neighbours(isa::Engine(engine));
  for (unsigned i = 0; i < numNeighbours; ++i)
    if (mask >> i & 1)
      absl::StrAppend(&names, names.empty() ? "" : ", ",
                      engineNames[size_t(others[i])]);
  return names;
}

std::string waitOf(unsigned engine, const ModelResult &result) {
  std::string text;
  if (result.lastState[engine] != stateToken)
    return text;
  if (uint32_t mask = result.lastTokenWait[engine])
    absl::StrAppend(&text, ", waits for a token from ",
                    neighboursOf(engine, mask));
  if (uint32_t mask = result.lastRoomWait[engine])
    absl::StrAppend(&text, ", waits for room in its channel to ",
                    neighboursOf(engine, mask));
  return text;
}

} // namespace

std::string describeEngines(const isa::Layout &layout, const Stream &stream,
                            const StreamFacts &facts,
                            const ModelResult &result) {
  std::string text;
  for (unsigned e = 0; e < numEngines; ++e) {
    uint32_t state = result.lastState[e];
    absl::StrAppend(
        &text, "\n  ", engineNames[e], ": ",
        state < numStates ? stateNames[state] : "no legal state",
        waitOf(e, result), "; ", result.retired[e], " of ",
        facts.instructions[e], " instructions retired, at ",
        describeInstruction(layout, stream, isa::Engine(e), result.retired[e]));
  }
  if (result.readsOutstanding || result.writesOutstanding)
    absl::StrAppend(&text, "\n  memory: ", result.readsOutstanding,
                    " read and ", result.writesOutstanding,
                    " write bursts outstanding");
  return text;
}

} // namespace tenon::sim
